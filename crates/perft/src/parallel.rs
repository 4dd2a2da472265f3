//! Perft on all threads of the current rayon pool.

use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Board, Position, RuleSet};
use rayon::prelude::*;

use crate::counter::PerftCounter;
use crate::counting::Counting;
use crate::levels::{LevelError, LevelOptions, Levels};
use crate::node::PerftNode;
use crate::table::PerftTable;

/// Subtrees of this depth or less are one piece of work. They take well under a second.
const LEAF_DEPTH: u32 = 3;

/// A deeper subtree is one piece too if the root's tree of that depth has at most this count:
/// small trees are counted faster than they are handed to another thread.
const LEAF_NODES: u128 = 50_000;

/// The deepest subtree that is one piece of work, because a count has working memory for each ply.
const MAX_LEAF_DEPTH: u32 = 64;

/// Plies from the root on whose nodes' children are shared by threads. Below them there is more than
/// enough work for all, and sharing takes much of a thread's stack.
const SHARED_PLIES: u32 = 16;

/// The most plies that [`ParallelPerft`] goes down. Where play branches at all, a deeper tree has more
/// than 2^128 leaves.
pub const MAX_DEPTH: u32 = 255;

/// Counts trees on all threads of the current rayon pool.
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
    /// [`Counting::Unique`] has no sum over nodes: [`Levels`] counts that on all threads.
    pub fn new(rules: &'a RuleSet, counting: Counting, stop: &'a AtomicBool) -> Self {
        Self { rules, counting, table: None, stop }
    }

    /// A count of what the table is for, which keeps counts in the table and finds them there.
    pub fn with_table(table: &'a PerftTable, stop: &'a AtomicBool) -> Self {
        Self { rules: table.rules(), counting: table.counting(), table: Some(table), stop }
    }

    /// Counts what lies `depth` plies below a node; `None` if it was stopped, at most some tenths of
    /// a second after the flag was set. A count above 128 bits is `u128::MAX`. So is a count at more
    /// than [`MAX_DEPTH`] plies, unless nothing lies that deep: such trees are not counted.
    pub fn count(&self, node: &PerftNode, depth: u32) -> Option<u128> {
        let mut counter = self.counter(node.board());
        let mut leaf = LEAF_DEPTH;
        for deeper in LEAF_DEPTH + 1..=depth.min(MAX_LEAF_DEPTH) {
            let nodes = counter.count(node, deeper);
            if nodes == 0 {
                return Some(0);
            }
            if nodes > LEAF_NODES {
                break;
            }
            leaf = deeper;
        }
        if depth > MAX_DEPTH {
            return Some(u128::MAX);
        }
        let shared_above = depth.saturating_sub(SHARED_PLIES);
        self.sum_of_leaves(&mut counter, node, depth, Pieces { leaf, shared_above })
    }

    /// The count below a node as the sum of the counts of leaves.
    fn sum_of_leaves(
        &self,
        counter: &mut PerftCounter<'_>,
        node: &PerftNode,
        depth: u32,
        pieces: Pieces,
    ) -> Option<u128> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        if depth <= pieces.leaf {
            return Some(counter.count(node, depth));
        }
        if let Some(count) = self.table.and_then(|table| table.get(node, depth)) {
            return Some(count);
        }
        let children = node.children(self.rules, self.counting);
        // With a table, depths can be so great that 128 bits are too few.
        let add = |sum, count| Some(u128::saturating_add(sum, count));
        let count = if depth > pieces.shared_above {
            let counts = children.par_iter().map_init(
                || self.counter(node.board()),
                |counter, child| self.sum_of_leaves(counter, child, depth - 1, pieces),
            );
            counts.try_reduce(|| 0, add)?
        } else {
            children.iter().try_fold(0, |sum, child| {
                add(sum, self.sum_of_leaves(counter, child, depth - 1, pieces)?)
            })?
        };
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

/// How a tree is divided into pieces of work.
#[derive(Clone, Copy)]
struct Pieces {
    /// Subtrees of this depth or less are leaves, which are counted in one go.
    leaf: u32,
    /// Subtrees deeper than this are shared by threads.
    shared_above: u32,
}

/// Counts what lies `depth` plies below a position, in any way of counting, on all threads of the
/// current rayon pool; `None` if it was stopped. Unique positions are sorted on disk beyond the
/// memory of [`LevelOptions::default`].
///
/// # Errors
/// If unique positions cannot be sorted on disk.
pub fn parallel_perft(
    rules: &RuleSet,
    position: &Position,
    depth: u32,
    counting: Counting,
    stop: &AtomicBool,
) -> Result<Option<u128>, LevelError> {
    if counting != Counting::Unique {
        let node = PerftNode::new(position);
        return Ok(ParallelPerft::new(rules, counting, stop).count(&node, depth));
    }
    let size = Levels::new(rules, position, &LevelOptions::default()).size_at(depth, stop)?;
    Ok(size.map(|size| size.positions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perft::perft;
    use crate::table::PerftTableOptions;

    static NEVER: AtomicBool = AtomicBool::new(false);

    #[test]
    fn parts_add_up() {
        let (rules, start) = (RuleSet::STANDARD, Board::telo().start());
        for (_, counting) in Counting::ALL {
            let expected = perft(&rules, &start, 8, counting);
            let found = parallel_perft(&rules, &start, 8, counting, &NEVER).unwrap();
            assert_eq!(found, Some(expected));
        }
    }

    /// Far more plies than a thread's stack has room for if each is shared.
    #[test]
    fn deep_trees_fit_the_stack() {
        let (rules, start) = (RuleSet::FREE_CAPTURE, Board::tsivy().start());
        for counting in [Counting::Turns, Counting::Positions, Counting::Steps] {
            let stop = AtomicBool::new(false);
            std::thread::scope(|scope| {
                let count = || {
                    ParallelPerft::new(&rules, counting, &stop)
                        .count(&PerftNode::new(&start), MAX_DEPTH)
                };
                let counting = scope.spawn(count);
                std::thread::sleep(std::time::Duration::from_millis(300));
                stop.store(true, Ordering::Relaxed);
                assert_eq!(counting.join().unwrap(), None);
            });
        }
    }

    #[test]
    fn depths_without_end() {
        let count = |position: &str, depth, counting| {
            let node = PerftNode::new(&position.parse().unwrap());
            ParallelPerft::new(&RuleSet::FREE_CAPTURE, counting, &NEVER).count(&node, depth)
        };
        for counting in [Counting::Turns, Counting::Positions, Counting::Steps] {
            // The mover is shut in: no turn, and nothing below.
            let ended = count("BBB6/WBB6/BBB6/9/9 w", u32::MAX, counting);
            assert_eq!(ended, Some(0), "{counting}");
            // Two lone stones that go on for ever.
            let endless = count("B2/3/2W w", MAX_DEPTH + 1, counting);
            assert_eq!(endless, Some(u128::MAX), "{counting}");
        }
    }

    #[test]
    fn a_stopped_count_has_no_result() {
        let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
        let stop = AtomicBool::new(true);
        for (_, counting) in Counting::ALL {
            assert_eq!(parallel_perft(&rules, &start, 7, counting, &stop).unwrap(), None);
        }
    }

    #[test]
    fn a_table_changes_nothing() {
        let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
        for (counting, depth) in
            [(Counting::Turns, 6), (Counting::Positions, 5), (Counting::Steps, 8)]
        {
            let options = PerftTableOptions::new(rules, start.board(), counting);
            let options = PerftTableOptions { max_depth: depth, bytes: 1 << 20, ..options };
            let table = PerftTable::new(&options).unwrap();
            let parallel = ParallelPerft::with_table(&table, &NEVER);
            let expected = perft(&rules, &start, depth, counting);
            for _ in 0..2 {
                assert_eq!(parallel.count(&PerftNode::new(&start), depth), Some(expected));
            }
            assert!(table.hits() > 0);
        }
    }
}
