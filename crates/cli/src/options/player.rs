//! Players of this program.

use clap::Args;
use fanorona_core::{Board, RuleSet};
use fanorona_engine::{DrawRules, Engine, Level, Options};
use fanorona_knowledge::Knowledge;

use super::tables::{TableOptions, mapped};

/// The tables by which the program plays, and when its games are drawn.
#[derive(Debug, Args)]
pub(crate) struct PlayOptions {
    #[command(flatten)]
    pub tables: TableOptions,

    /// When a game is drawn: none, threefold, without-capture-N, threefold+without-capture-N
    #[arg(long, value_name = "RULES", default_value_t)]
    pub draws: DrawRules,
}

impl PlayOptions {
    /// A player of a game at a level.
    pub(crate) fn player(
        &self,
        board: Board,
        rules: RuleSet,
        level: Level,
    ) -> anyhow::Result<Options> {
        let mut player = player(&self.tables, board, rules, level)?;
        player.draw_rules = self.draws;
        Ok(player)
    }
}

/// A player with tables and the built-in certificates.
pub(crate) fn player(
    tables: &TableOptions,
    board: Board,
    rules: RuleSet,
    level: Level,
) -> anyhow::Result<Options> {
    let mut player = Options::player(level);
    let dirs = tables.dirs_if_there(board, rules)?;
    player.tables = dirs.into_iter().map(ToOwned::to_owned).collect();
    player.access = mapped();
    player.starts = true;
    Ok(player)
}

/// Checks that a player at its level has what it needs.
pub(crate) fn check_level(player: &Options, known: &Knowledge) -> anyhow::Result<()> {
    if player.level == Level::UNBEATABLE {
        Engine::check_unbeatable(known)?;
    }
    Ok(())
}
