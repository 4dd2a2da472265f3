//! How much time to use for a turn.

use std::time::Duration;

use fanorona_core::Side;

use crate::protocol::Go;

/// The turns that the time left has to last for, if nothing is said about it.
const TURNS_LEFT: u32 = 30;

/// The time for a turn; `None` if it is not limited.
///
/// Of a clock, it is an equal share of what is left, for 30 turns or for those until more time
/// comes, and three quarters of the increment: the rest of the increment is a reserve. With more
/// than one turn to go it is at most half of what is left. `overhead` is taken off before, for the
/// time that lines need on their way.
///
/// A fixed time is used as it is, less the overhead, of which a fiftieth of the time is enough.
pub(super) fn budget(go: &Go, side: Side, overhead: Duration) -> Option<Duration> {
    let clock = match side {
        Side::White => go.clock.white,
        Side::Black => go.clock.black,
    };
    let of_clock = clock.time.map(|time| {
        let left = time.saturating_sub(overhead);
        let turns = go.clock.moves_to_go.unwrap_or(TURNS_LEFT).clamp(1, TURNS_LEFT);
        let most = if turns == 1 { left } else { left / 2 };
        (left / turns + clock.increment * 3 / 4).min(most)
    });
    let fixed = go.movetime.map(|time| time - overhead.min(time / 50));
    [of_clock, fixed].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Clock, SideClock};

    const MS: Duration = Duration::from_millis(1);

    fn clock(time: Duration, increment: Duration, moves_to_go: Option<u32>) -> Go {
        let white = SideClock { time: Some(time), increment };
        Go { clock: Clock { white, moves_to_go, ..Clock::default() }, ..Go::default() }
    }

    /// Plays on a clock, with turns that each take the whole budget and the whole overhead; the
    /// time that is left after each.
    fn play(start: Duration, increment: Duration, overhead: Duration, turns: usize) {
        let mut left = start;
        for turn in 0..turns {
            let budget = budget(&clock(left, increment, None), Side::White, overhead);
            let used = budget.expect("there is a clock") + overhead;
            assert!(used <= left.max(overhead), "turn {turn}: {used:?} of {left:?}");
            left = left.saturating_sub(used) + increment;
        }
    }

    #[test]
    fn a_clock_never_runs_out() {
        for start in [100, 1_000, 60_000, 3_600_000] {
            for overhead in [0, 10, 30] {
                // An increment that is less than the overhead cannot be enough for ever.
                for increment in [overhead, overhead + 10, 1_000, 100_000] {
                    play(start * MS, increment * MS, overhead * MS, 500);
                }
            }
        }
    }

    #[test]
    fn controls_with_many_turns_end_in_time() {
        for turns in [1, 2, 40] {
            let mut left = 10_000 * MS;
            for to_go in (1..=turns).rev() {
                let go = clock(left, Duration::ZERO, Some(to_go));
                let used = budget(&go, Side::White, 5 * MS).expect("a clock") + 5 * MS;
                assert!(used <= left, "{to_go} of {turns}: {used:?} of {left:?}");
                left -= used;
            }
        }
    }

    #[test]
    fn an_increment_does_not_use_up_the_clock() {
        let half = |increment: u32, moves_to_go| {
            let go = clock(1_030 * MS, increment * MS, moves_to_go);
            assert_eq!(budget(&go, Side::White, 30 * MS), Some(500 * MS));
        };
        half(100_000, None);
        half(100_000, Some(2));
        half(0, Some(2));
        let last = clock(1_030 * MS, 100_000 * MS, Some(1));
        assert_eq!(budget(&last, Side::White, 30 * MS), Some(1_000 * MS));
    }

    #[test]
    fn only_the_own_clock_counts() {
        let go = clock(6_030 * MS, 400 * MS, None);
        assert_eq!(budget(&go, Side::White, 30 * MS), Some(500 * MS));
        assert_eq!(budget(&go, Side::Black, 30 * MS), None);
        assert_eq!(budget(&Go::default(), Side::White, MS), None);
        let gone = clock(Duration::ZERO, Duration::ZERO, None);
        assert_eq!(budget(&gone, Side::White, 30 * MS), Some(Duration::ZERO));
    }

    #[test]
    fn a_fixed_time_is_used() {
        let fixed = |time, overhead| {
            let go = Go { movetime: Some(time * MS), ..Go::default() };
            budget(&go, Side::Black, overhead * MS)
        };
        assert_eq!(fixed(3_000, 30), Some(2_970 * MS));
        assert_eq!(fixed(1_000, 30), Some(980 * MS));
        assert_eq!(fixed(10, 30), Some(9_800 * MS / 1_000));
        assert_eq!(fixed(0, 30), Some(Duration::ZERO));
        let both = Go { movetime: Some(50 * MS), ..clock(6_000 * MS, Duration::ZERO, None) };
        assert_eq!(budget(&both, Side::White, Duration::ZERO), Some(50 * MS));
    }
}
