//! How much time, or how large a search, the players have.

use std::fmt;
use std::time::Duration;

use fanorona_core::Side;

use crate::protocol::{Clock, Go, SideClock};

/// The limit of each turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TimeControl {
    /// The time for each turn.
    Movetime(Duration),
    /// The time for all turns of a player in a game, and the time that each turn adds to it.
    Clock {
        /// The time at the start.
        base: Duration,
        increment: Duration,
    },
    /// The positions to search for each turn.
    Nodes(u64),
}

/// `0.1 s for each turn`, `10 s + 0.1 s for each turn`, `1000 nodes for each turn`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Movetime(time) => write!(f, "{} s for each turn", time.as_secs_f64()),
            Self::Clock { base, increment } if increment.is_zero() => {
                write!(f, "{} s for all turns", base.as_secs_f64())
            }
            Self::Clock { base, increment } => {
                let (base, increment) = (base.as_secs_f64(), increment.as_secs_f64());
                write!(f, "{base} s + {increment} s for each turn")
            }
            Self::Nodes(nodes) => write!(f, "{nodes} nodes for each turn"),
        }
    }
}

/// The clocks of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clocks {
    /// White's and Black's.
    controls: [TimeControl; 2],
    /// Without a time if the control is no [`TimeControl::Clock`].
    clocks: [SideClock; 2],
}

fn index(side: Side) -> usize {
    usize::from(side == Side::Black)
}

impl Clocks {
    /// The clocks of White's and Black's controls at the start.
    pub(crate) fn new(controls: [TimeControl; 2]) -> Self {
        let clocks = controls.map(|control| match control {
            TimeControl::Clock { base, increment } => SideClock { time: Some(base), increment },
            _ => SideClock::default(),
        });
        Self { controls, clocks }
    }

    /// The `go` command with the time, or the work, that a side has. Its clock runs beside that of
    /// the other side, if that has one.
    pub(crate) fn go(&self, side: Side) -> Go {
        let mut go = Go::default();
        match self.controls[index(side)] {
            TimeControl::Movetime(time) => go.movetime = Some(time),
            TimeControl::Nodes(nodes) => go.nodes = Some(nodes),
            TimeControl::Clock { .. } => {
                let [white, black] = self.clocks;
                go.clock = Clock { white, black, ..Clock::default() };
            }
        }
        go
    }

    /// The time that a side has for its turn; `None` if nothing limits it.
    pub(crate) fn allowed(&self, side: Side) -> Option<Duration> {
        match self.controls[index(side)] {
            TimeControl::Movetime(time) => Some(time),
            _ => self.clocks[index(side)].time,
        }
    }

    /// Counts the time of a turn. Time within the margin beyond the end of the clock is given.
    pub(crate) fn spend(&mut self, side: Side, elapsed: Duration) {
        let SideClock { time, increment } = &mut self.clocks[index(side)];
        *time = time.map(|time| time.saturating_sub(elapsed) + *increment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_run_for_the_side_to_move() {
        let [base, increment] = [1500, 250].map(Duration::from_millis);
        let control = TimeControl::Clock { base, increment };
        assert_eq!(control.to_string(), "1.5 s + 0.25 s for each turn");
        let mut clocks = Clocks::new([control; 2]);
        let milliseconds = Duration::from_millis;
        clocks.spend(Side::White, milliseconds(1000));
        clocks.spend(Side::Black, milliseconds(2000));
        assert_eq!(clocks.allowed(Side::White), Some(milliseconds(750)));
        assert_eq!(clocks.allowed(Side::Black), Some(milliseconds(250)));
    }

    #[test]
    fn each_side_has_its_own_limit() {
        let base = Duration::from_secs(1);
        let clock = TimeControl::Clock { base, increment: Duration::ZERO };
        let mut clocks = Clocks::new([TimeControl::Nodes(3), clock]);
        for (side, elapsed) in [(Side::White, base), (Side::Black, base / 4)] {
            clocks.spend(side, elapsed);
        }
        let [white, black] = [Side::White, Side::Black].map(|side| clocks.go(side));
        assert_eq!((clocks.allowed(Side::White), &white.nodes), (None, &Some(3)));
        assert_eq!(white.clock, Clock::default());
        let left = Some(base * 3 / 4);
        assert_eq!((clocks.allowed(Side::Black), black.nodes), (left, None));
        assert_eq!((black.clock.white.time, black.clock.black.time), (None, left));
    }
}
