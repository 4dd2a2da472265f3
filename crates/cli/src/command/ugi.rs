//! `ugi`: the program as an engine for other programs.

use std::io;
use std::time::Duration;

use clap::Args;
use fanorona_ugi::server::{MAX_MOVE_OVERHEAD_MS, Session, Settings};

use crate::options::{GameOptions, PlayerOptions, between, check_level};

/// Play for other programs: speaks UGI, and UCI, on standard input and output
#[derive(Debug, Args)]
#[command(after_help = "\
Tournament managers and boards start this command themselves. The options here are the defaults of \
the options of the protocol, which 'ugi' or 'uci' lists.

Level 9 cannot lose from a position that is proved to be at least a draw for it: see \
'fanorona play --help'.

Examples:
  fanorona ugi
  fanorona ugi --board 5x5 --level 3 --seed 7")]
pub(crate) struct Ugi {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    player: PlayerOptions,

    /// Time in milliseconds that is taken off each clock, because lines need time on their way
    #[arg(
        long, value_name = "MS",
        default_value_t = Settings::default().move_overhead.as_millis() as u64,
        value_parser = between(0, MAX_MOVE_OVERHEAD_MS)
    )]
    move_overhead: u64,
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
        settings.player = self.player.player(board, rules)?;
        let known = settings.player.open(board, rules)?;
        check_level(&settings.player, &known)?;
        settings.move_overhead = Duration::from_millis(self.move_overhead);
        Ok(settings)
    }
}
