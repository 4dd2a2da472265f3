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
    /// The depth of the search for each turn.
    Depth(u32),
}

/// `0.1 s for each turn`, `10 s + 0.1 s for each turn`, `1000 nodes`, `depth 5`.
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
            Self::Depth(depth) => write!(f, "depth {depth} for each turn"),
        }
    }
}

/// The clocks of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clocks {
    control: TimeControl,
    /// Of White and of Black; meaningful with [`TimeControl::Clock`] only.
    remaining: [Duration; 2],
}

fn index(side: Side) -> usize {
    usize::from(side == Side::Black)
}

impl Clocks {
    pub(crate) fn new(control: TimeControl) -> Self {
        let base = match control {
            TimeControl::Clock { base, .. } => base,
            _ => Duration::ZERO,
        };
        Self { control, remaining: [base; 2] }
    }

    /// The `go` command with the time that a player has.
    pub(crate) fn go(&self) -> Go {
        let mut go = Go::default();
        match self.control {
            TimeControl::Movetime(time) => go.movetime = Some(time),
            TimeControl::Nodes(nodes) => go.nodes = Some(nodes),
            TimeControl::Depth(depth) => go.depth = Some(depth),
            TimeControl::Clock { increment, .. } => {
                let [white, black] =
                    self.remaining.map(|time| SideClock { time: Some(time), increment });
                go.clock = Clock { white, black, ..Clock::default() };
            }
        }
        go
    }

    /// The time that a side has for its turn; `None` if nothing limits it.
    pub(crate) fn allowed(&self, side: Side) -> Option<Duration> {
        match self.control {
            TimeControl::Movetime(time) => Some(time),
            TimeControl::Clock { .. } => Some(self.remaining[index(side)]),
            TimeControl::Nodes(_) | TimeControl::Depth(_) => None,
        }
    }

    /// Counts the time of a turn. Time within the margin beyond the end of the clock is given.
    pub(crate) fn spend(&mut self, side: Side, elapsed: Duration) {
        if let TimeControl::Clock { increment, .. } = self.control {
            let remaining = &mut self.remaining[index(side)];
            *remaining = remaining.saturating_sub(elapsed) + increment;
        }
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
        let mut clocks = Clocks::new(control);
        let milliseconds = Duration::from_millis;
        clocks.spend(Side::White, milliseconds(1000));
        clocks.spend(Side::Black, milliseconds(2000));
        assert_eq!(clocks.allowed(Side::White), Some(milliseconds(750)));
        assert_eq!(clocks.allowed(Side::Black), Some(milliseconds(250)));
        let depth = Clocks::new(TimeControl::Depth(3));
        assert_eq!((depth.allowed(Side::White), depth.go().depth), (None, Some(3)));
    }
}
