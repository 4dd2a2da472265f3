//! Players of this program.

use std::thread;

use clap::Args;
use fanorona_core::{Board, RuleSet};
use fanorona_engine::{DrawRules, Engine, Level, Options};
use fanorona_knowledge::Knowledge;

use super::book::BookOptions;
use super::number::between;
use super::tables::{TableOptions, mapped};
use crate::failure::Failure;

/// By which files the program plays, and when its games are drawn.
#[derive(Debug, Args)]
pub(crate) struct PlayOptions {
    #[command(flatten)]
    pub read: TableOptions,

    #[command(flatten)]
    pub book: BookOptions,

    /// When the game is drawn: none, threefold (a position occurs three times), without-capture-N
    /// (N turns of both sides without a capture), or threefold+without-capture-N
    #[arg(long, value_name = "RULES", default_value_t)]
    pub draws: DrawRules,
}

/// A player of this program.
#[derive(Debug, Args)]
pub(crate) struct PlayerOptions {
    #[command(flatten)]
    pub play: PlayOptions,

    /// How well the program plays: 1 to 9, or a name
    #[arg(long, default_value_t)]
    pub level: Level,

    /// Memory of the search at levels 8 and 9, in MiB
    #[arg(
        long, value_name = "MIB", default_value_t = Options::default().memory >> 20,
        value_parser = between(1, Options::MAX_MEMORY_MIB)
    )]
    memory: usize,

    /// Threads that search together at levels 8 and 9; 0 means one for each processor
    #[arg(
        long, value_name = "N", default_value_t = Options::default().threads,
        value_parser = between(0, Options::MAX_THREADS)
    )]
    threads: usize,

    /// Seed of what varies in its play: at levels 8 and 9 the choice between turns that are as good
    /// [default: another one in each game]
    #[arg(long, value_name = "N", value_parser = between(0, u64::MAX))]
    seed: Option<u64>,

    /// How much levels 8 and 9 avoid simple positions, which are often drawn; 0 for analysis, and then
    /// nothing varies
    #[arg(
        long, value_name = "N", default_value_t = Options::CONTEMPT,
        value_parser = between(0, Options::MAX_CONTEMPT)
    )]
    contempt: u32,
}

impl PlayOptions {
    /// A player of a game at a level.
    ///
    /// # Errors
    /// If there is no directory of tables with a name that was given.
    pub(crate) fn player(
        &self,
        board: Board,
        rules: RuleSet,
        level: Level,
    ) -> anyhow::Result<Options> {
        let mut player = Options::player(level);
        player.book = self.book.files().to_vec();
        player.starts = self.book.has_starts();
        let dirs = self.read.dirs_if_there(board, rules)?;
        player.tables = dirs.into_iter().map(ToOwned::to_owned).collect();
        player.access = mapped();
        player.draw_rules = self.draws;
        Ok(player)
    }

    /// Refuses certificates if no player at these levels needs any.
    ///
    /// # Errors
    /// If there are some.
    pub(crate) fn check_book(&self, levels: &[Level]) -> anyhow::Result<()> {
        if self.book.files().is_empty() || levels.contains(&Level::UNBEATABLE) {
            return Ok(());
        }
        Err(Failure::input("--book is for --level 9, which does not play here"))
    }
}

impl PlayerOptions {
    /// The player of a game.
    ///
    /// # Errors
    /// If there is no directory of tables with a name that was given.
    pub(crate) fn player(&self, board: Board, rules: RuleSet) -> anyhow::Result<Options> {
        let mut player = self.play.player(board, rules, self.level)?;
        player.memory = self.memory << 20;
        let all = || thread::available_parallelism().map_or(1, usize::from);
        player.threads = if self.threads == 0 { all() } else { self.threads };
        (player.seed, player.contempt) = (self.seed, self.contempt);
        Ok(player)
    }
}

/// Checks that a player at its level has what it needs.
///
/// # Errors
/// If something is missing.
pub(crate) fn check_level(player: &Options, known: &Knowledge) -> anyhow::Result<()> {
    if player.level == Level::UNBEATABLE {
        Engine::check_unbeatable(known)?;
    }
    Ok(())
}
