//! `ugi`: the program as an engine for other programs.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use fanorona_engine::{DrawRules, Engine, Level};
use fanorona_proof::Book;
use fanorona_ugi::server::{Session, Settings};

use crate::options::{GameOptions, ReadOptions, between};

/// Play for other programs: speaks UGI, and UCI, on standard input and output
#[derive(Debug, Args)]
#[command(after_help = "\
Tournament managers and boards start this command themselves. The options here are the defaults of \
the options of the protocol, which 'ugi' or 'uci' lists. The level is full strength by default.

Level 9 cannot lose from a position that is proved to be at least a draw for it: see \
'fanorona play --help'.

Examples:
  fanorona ugi
  fanorona ugi --board 5x5 --level 3 --seed 7")]
pub(crate) struct Ugi {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    read: ReadOptions,

    /// How well the program plays: 1 to 9, or a name
    #[arg(long, default_value = "8")]
    level: Level,

    /// Certificates for level 9, which may also be chosen later
    #[arg(long, value_name = "FILE", num_args = 1..)]
    book: Vec<PathBuf>,

    /// When the game is drawn: none, threefold (a position occurs three times), without-capture-N
    /// (N turns of both sides without a capture), or threefold+without-capture-N
    #[arg(long, value_name = "RULES", default_value = "threefold")]
    draws: DrawRules,

    /// Memory of the search, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = between(1_usize, 1 << 20))]
    memory: usize,

    /// Threads that search together
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = between(1_usize, 1024))]
    threads: usize,

    /// Time in milliseconds that is taken off each clock, because lines need time on their way
    #[arg(long, value_name = "MS", default_value_t = 30, value_parser = between(0_u64, 60_000))]
    move_overhead: u64,

    /// Seed of the lower levels: another seed, another game
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = between(0, i64::MAX as u64))]
    seed: u64,
}

impl Ugi {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let settings = self.settings()?;
        Session::new(settings, io::stdout()).run(io::stdin().lock());
        Ok(())
    }

    /// The settings, after a look at what the arguments name: a wrong one is a failure here, and
    /// not a message that a tournament manager drops.
    fn settings(&self) -> anyhow::Result<Settings> {
        let mut settings = Settings::default();
        (settings.board, settings.rules) = (self.game.board, self.game.rules()?);
        let tables = self.read.open_if_there(settings.board, settings.rules)?;
        settings.tables = tables.as_ref().map(|tables| tables.dir().to_owned());
        settings.access = self.read.access();
        let book = match self.book.as_slice() {
            [] => None,
            files => Some(Book::open(files)?),
        };
        if self.level == Level::UNBEATABLE {
            Engine::check_unbeatable(
                settings.rules,
                settings.board,
                tables.as_ref(),
                book.as_ref(),
            )?;
        }
        settings.book.clone_from(&self.book);
        (settings.level, settings.seed, settings.draws) = (self.level, self.seed, self.draws);
        (settings.memory, settings.threads) = (self.memory, self.threads);
        settings.move_overhead = Duration::from_millis(self.move_overhead);
        Ok(settings)
    }
}
