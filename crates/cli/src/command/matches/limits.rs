//! The limits of a turn, for both players or for one.

use std::time::Duration;

use clap::Args;
use fanorona_ugi::arena::TimeControl;

use super::players::{ForPlayer, for_player};
use crate::failure::Failure;
use crate::options::{at_least, duration, seconds};

/// The time for a turn, if nothing else limits it.
const MOVETIME: Duration = Duration::from_millis(100);

/// How long, or how far, the players search. With 1: or 2: before it, a limit is that of one player.
#[derive(Debug, Args)]
pub(super) struct TurnLimits {
    /// Time for each search or turn [default: 100ms, unless another limit is given]
    #[arg(
        long, value_name = "TIME",
        value_parser = for_player(|text| duration(text).map(TimeControl::Movetime))
    )]
    time: Vec<ForPlayer<TimeControl>>,

    /// Time for a player's turns of a game, and the time that each turn adds, as in 10s+100ms
    #[arg(long, value_name = "TIME+INC", value_parser = for_player(clock))]
    clock: Vec<ForPlayer<TimeControl>>,

    /// Positions to search at most
    #[arg(
        long, value_name = "N",
        value_parser = for_player(|text| at_least(1)(text).map(TimeControl::Nodes))
    )]
    nodes: Vec<ForPlayer<TimeControl>>,
}

/// Reads a clock: a time, and one for each turn after a +.
fn clock(text: &str) -> Result<TimeControl, String> {
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    match (duration(base), seconds(increment)) {
        (Ok(base), Ok(increment)) => {
            let increment = Duration::from_secs_f64(increment);
            Ok(TimeControl::Clock { base, increment })
        }
        _ => Err("write a time, and one for each turn after a +, as in 10s+100ms".to_owned()),
    }
}

impl TurnLimits {
    /// The limit of each player: its own, or else that of both. Two for one player are refused.
    pub(super) fn controls(&self) -> anyhow::Result<[TimeControl; 2]> {
        let all = [&self.time, &self.clock, &self.nodes];
        let of = |player: Option<usize>| -> Vec<_> {
            all.into_iter().flatten().filter(|limit| limit.player == player).collect()
        };
        let control = |player: usize| {
            let own = of(Some(player));
            let limits = if own.is_empty() { of(None) } else { own };
            match limits.as_slice() {
                [] => Ok(TimeControl::Movetime(MOVETIME)),
                [limit] => Ok(limit.value),
                _ => Err(Failure::input(format!(
                    "player {} has two limits; give one of --time, --clock and --nodes",
                    player + 1
                ))),
            }
        };
        Ok([control(0)?, control(1)?])
    }
}
