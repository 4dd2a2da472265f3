//! Perft on all threads of the current rayon pool.

use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet, Turn};
use rayon::prelude::*;

use crate::counter::PerftCounter;
use crate::counting::{Counting, stopped};
use crate::levels::{LevelError, LevelOptions, Levels};
use crate::node::{PerftNode, branches};
use crate::table::PerftTable;

/// Subtrees of this depth or less are one piece of work. They take well under a second.
const LEAF_DEPTH: u8 = 3;

/// A deeper subtree is one piece too if the root's tree of that depth has at most this count:
/// small trees are counted faster than they are handed to another thread.
const LEAF_NODES: u128 = 50_000;

/// The plies from the root on whose nodes are shared by threads. Below them there is more than
/// enough work for all, and sharing takes stack: a thread that waits works on other nodes
/// meanwhile.
const SHARED_PLIES: u8 = 16;

/// A line of a divided count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DivideLine {
    /// The turn; see [`branches`].
    pub turn: Turn,
    /// The count below it.
    pub nodes: u128,
}

/// Counts trees on all threads of the current rayon pool, until it is stopped.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::{Counting, ParallelPerft, PerftNode};
/// let stop = AtomicBool::new(false);
/// let perft = ParallelPerft::new(&RuleSet::STANDARD, Counting::Turns, &stop);
/// let start = PerftNode::new(&Board::tsivy().start());
/// assert_eq!(perft.count(&start, 5), Some(431_852));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ParallelPerft<'a> {
    rules: &'a RuleSet,
    counting: Counting,
    table: Option<&'a PerftTable>,
    stop: &'a AtomicBool,
}

impl<'a> ParallelPerft<'a> {
    /// A count without a table. It ends early once `stop` is true.
    ///
    /// [`Counting::Unique`] has no sum over nodes, so one thread counts it in memory;
    /// [`parallel_perft`] and [`Levels`] count it on all threads.
    pub fn new(rules: &'a RuleSet, counting: Counting, stop: &'a AtomicBool) -> Self {
        Self { rules, counting, table: None, stop }
    }

    /// A count of what the table is for, which keeps counts in the table and finds them there.
    pub fn with_table(table: &'a PerftTable, stop: &'a AtomicBool) -> Self {
        Self { rules: &table.rules, counting: table.counting, table: Some(table), stop }
    }

    /// Counts the nodes `depth` plies below a node; `None` if it was stopped. It ends within
    /// milliseconds after the flag was set. A count above 128 bits is `u128::MAX`.
    pub fn count(&self, node: &PerftNode, depth: u8) -> Option<u128> {
        let mut counter = self.counter(node.board());
        if self.counting == Counting::Unique {
            return counter.count_until(node, depth, self.stop);
        }
        let mut leaf = LEAF_DEPTH;
        for larger in LEAF_DEPTH + 1..=depth {
            match counter.count_until(node, larger, self.stop)? {
                // The tree ends here.
                0 => return Some(0),
                1..=LEAF_NODES => leaf = larger,
                _ => break,
            }
        }
        self.sum_of_leaves(&mut counter, node, depth, leaf.max(depth.saturating_sub(SHARED_PLIES)))
    }

    /// The count below each first turn, or for [`Counting::Steps`] below each first step; `None` if
    /// it was stopped. Empty at depth 0.
    ///
    /// Two programs that count differently differ in a line; following that line finds the position
    /// where they differ. The lines add up to the whole count for [some ways of
    /// counting](Counting::lines_add_up).
    pub fn divide(&self, position: &Position, depth: u8) -> Option<Vec<DivideLine>> {
        if stopped(self.stop) {
            return None;
        }
        let Some(depth_below) = depth.checked_sub(1) else {
            return Some(Vec::new());
        };
        let line = |(turn, node): (Turn, PerftNode)| {
            let nodes = self.count(&node, depth_below)?;
            Some(DivideLine { turn, nodes })
        };
        branches(self.rules, position, self.counting).into_par_iter().map(line).collect()
    }

    /// The count below a node as the sum of the counts of leaves.
    fn sum_of_leaves(
        &self,
        counter: &mut PerftCounter<'_>,
        node: &PerftNode,
        depth: u8,
        leaf: u8,
    ) -> Option<u128> {
        if depth <= leaf {
            return counter.count_until(node, depth, self.stop);
        }
        if stopped(self.stop) {
            return None;
        }
        if let Some(count) = self.table.and_then(|table| table.get(node, depth)) {
            return Some(count);
        }
        let counts = counter.children(node).into_par_iter().map_init(
            || self.counter(node.board()),
            |counter, child| self.sum_of_leaves(counter, &child, depth - 1, leaf),
        );
        // With a table, depths can be so great that 128 bits are too few.
        let count = counts.try_reduce(|| 0, |sum, count| Some(u128::saturating_add(sum, count)))?;
        if let Some(table) = self.table {
            table.insert(node, depth, count);
        }
        Some(count)
    }

    fn counter(&self, board: Board) -> PerftCounter<'a> {
        match self.table {
            Some(table) => PerftCounter::with_table(table),
            None => PerftCounter::new(self.rules, board, self.counting),
        }
    }
}

/// Counts the nodes `depth` plies below a position, in any way of counting, on all threads of the
/// current rayon pool; `None` if it was stopped. Unique positions are sorted on disk beyond the
/// memory of [`LevelOptions::default`].
///
/// # Errors
/// If unique positions cannot be sorted on disk.
pub fn parallel_perft(
    rules: &RuleSet,
    position: &Position,
    depth: u8,
    counting: Counting,
    stop: &AtomicBool,
) -> Result<Option<u128>, LevelError> {
    if counting != Counting::Unique {
        let node = PerftNode::new(position);
        return Ok(ParallelPerft::new(rules, counting, stop).count(&node, depth));
    }
    let size =
        Levels::new(rules, position, &LevelOptions::default()).size_at(depth.into(), stop)?;
    Ok(size.map(|size| size.positions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::perft;
    use crate::counting::NEVER;

    #[test]
    fn parts_add_up() {
        let (rules, start) = (RuleSet::STANDARD, Board::telo().start());
        for counting in Counting::ALL {
            let expected = perft(&rules, &start, 8, counting);
            let found = parallel_perft(&rules, &start, 8, counting, &NEVER).unwrap();
            assert_eq!(found, Some(expected));
        }
    }

    #[test]
    fn a_stopped_count_has_no_result() {
        let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
        let stop = AtomicBool::new(true);
        for counting in Counting::ALL {
            assert_eq!(parallel_perft(&rules, &start, 7, counting, &stop).unwrap(), None);
        }
    }

    #[test]
    fn a_table_changes_nothing() {
        let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
        for (counting, depth) in
            [(Counting::Turns, 6), (Counting::Positions, 5), (Counting::Steps, 8)]
        {
            let table = PerftTable::new(&rules, start.board(), counting, depth, 1 << 20).unwrap();
            let parallel = ParallelPerft::with_table(&table, &NEVER);
            let expected = perft(&rules, &start, depth, counting);
            for _ in 0..2 {
                assert_eq!(parallel.count(&PerftNode::new(&start), depth), Some(expected));
            }
            assert!(table.hits() > 0);
        }
    }
}
