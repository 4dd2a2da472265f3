//! Perft, on one thread.

use fanorona_core::{Position, RuleSet};

use crate::counting::Counting;
use crate::generator::{Successors, TurnCounter};
use crate::steps;
use crate::stop::{NEVER, Stop};

/// Counts the nodes `depth` plies below a position. The count at depth 0 is 1.
///
/// Perft ("performance test") is the usual way to check a generator: two programs that follow the
/// same rules count the same. The time grows with the count. The memory is some kilobytes for each
/// ply that is reached, except for [`Counting::Unique`]: up to a hundred bytes for each position of
/// the deepest level. ([`Levels`](crate::Levels) counts those in bounded memory.)
///
/// This function cannot be stopped; [`PerftCounter`](crate::PerftCounter) and
/// [`ParallelPerft`](crate::ParallelPerft) can.
///
/// # Speed
/// The last ply is counted and not listed, and the steps of many positions are worked on at once.
/// Measured on one thread of a 2-core virtual machine (AMD EPYC, 21 November 2026, CPU time, no
/// flags for the machine), in millions a second, from the start of 9x5 under the standard rules:
///
/// | what | depth | rate |
/// |---|---|---|
/// | `Turns` | 7 | 160, eight times as fast as [`RuleSet::for_each_turn`] lists them |
/// | `Positions` | 6 | 48 |
/// | `Steps` | 11 | 150 |
/// | `Turns` under `free-capture` | 6 | 260 |
/// | `Turns` under `forced-relay`, where only the ends of relays count | 7 | 66 |
/// | `Turns` of an endgame with many paikas | 8 | 490 |
///
/// `cargo bench -p fanorona-benches --bench perft` measures these in wall-clock time, and `fanorona perft 7
/// --threads 1` the first.
///
/// # Example
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::{Counting, perft};
/// let start = Board::tsivy().start();
/// assert_eq!(perft(&RuleSet::STANDARD, &start, 3, Counting::Turns), 724);
/// assert_eq!(perft(&RuleSet::STANDARD, &start, 3, Counting::Steps), 64);
/// ```
pub fn perft(rules: &RuleSet, position: &Position, depth: u8, counting: Counting) -> u128 {
    count(rules, position, depth, counting, &Stop::new(&NEVER))
}

/// Counts as [`perft`] does. If it is stopped, the result is meaningless.
pub(crate) fn count(
    rules: &RuleSet,
    position: &Position,
    depth: u8,
    counting: Counting,
    stop: &Stop<'_>,
) -> u128 {
    match counting {
        Counting::Turns => TurnCounter::new(rules, position.board()).count(position, depth, stop),
        Counting::Positions => {
            let mut lists = vec![Vec::new(); usize::from(depth)];
            Successors::new(rules, position.board()).count(position, &mut lists, stop)
        }
        Counting::Steps => steps::count(rules, position, depth, stop),
        Counting::Unique => unique(rules, position, depth, stop),
    }
}

/// Visits the levels of the tree one after the other, each position once.
fn unique(rules: &RuleSet, position: &Position, depth: u8, stop: &Stop<'_>) -> u128 {
    let mut successors = Successors::new(rules, position.board());
    let mut level = vec![*position];
    for _ in 0..depth {
        if stop.check() || level.is_empty() {
            break;
        }
        level = successors.next_level(&level, stop);
    }
    level.len() as u128
}
