//! `ugi`: the program as an engine for other programs.

use std::io;

use clap::Args;
use fanorona_engine::Level;
use fanorona_ugi::server::{Session, Settings};

use crate::options::{GameOptions, TableOptions, check_level, player};

/// Play for other programs: speaks UGI, and UCI, on standard input and output
#[derive(Debug, Args)]
#[command(after_help = "\
Tournament managers and boards start this command themselves. They set everything else by the options \
of the protocol, which 'ugi' or 'uci' lists: memory, threads, draw rules, certificates and more.

Examples:
  fanorona ugi
  fanorona ugi --board 5x5 --level 3")]
pub(crate) struct Ugi {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    tables: TableOptions,

    /// Level of this program: 1 to 9, or a name
    #[arg(long, value_name = "LEVEL", default_value_t)]
    level: Level,
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
        let (board, rules) = (self.game.board(), self.game.rules()?);
        (settings.board, settings.rules) = (board, rules);
        settings.player = player(&self.tables, board, rules, self.level)?;
        let known = settings.player.open(board, rules)?;
        check_level(&settings.player, &known)?;
        Ok(settings)
    }
}
