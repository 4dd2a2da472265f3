//! `ugi`: the program as an engine for other programs.

use std::io;
use std::time::Duration;

use clap::Args;
use fanorona_ugi::server::{MAX_MOVE_OVERHEAD_MS, Session, Settings};

use crate::options::{GameOptions, PlayerOptions, check_level, seconds};

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

    /// Time that is taken off each clock, because lines need time on their way
    #[arg(long, value_name = "TIME", default_value = "30ms", value_parser = move_overhead)]
    move_overhead: Duration,
}

/// A parser of times that may be taken off a clock.
fn move_overhead(text: &str) -> Result<Duration, String> {
    let most = Duration::from_millis(MAX_MOVE_OVERHEAD_MS);
    let time = Duration::from_secs_f64(seconds(text)?);
    if time > most {
        return Err(format!("write a time of {}ms at most, as in 30ms", most.as_millis()));
    }
    Ok(time)
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
        settings.move_overhead = self.move_overhead;
        Ok(settings)
    }
}
