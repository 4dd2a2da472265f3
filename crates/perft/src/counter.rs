//! Counting on one thread, with a table or without one.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet, Stones};

use crate::counting::Counting;
use crate::generator::Successors;
use crate::node::{PerftNode, after};
use crate::stop::{NEVER, stopped};
use crate::table::{Key, PerftTable};

/// Counts the nodes `depth` plies below a position. The count at depth 0 is 1.
///
/// Perft ("performance test") is the usual way to check a generator: two programs that follow the
/// same rules count the same. The time grows with the count. The memory is some kilobytes for each
/// ply that is reached, and 170 for the last one, except for [`Counting::Unique`]: up to a hundred
/// bytes for each position of the deepest level. ([`Levels`](crate::Levels) counts those in bounded
/// memory.)
///
/// This function cannot be stopped; [`PerftCounter`] and [`ParallelPerft`](crate::ParallelPerft)
/// can.
///
/// # Speed
/// The last ply is counted and not listed, and the steps of many positions are worked on at once.
/// Measured on one thread of a 2-core virtual machine (AMD EPYC, 29 November 2026, CPU time, no
/// flags for the machine), in millions a second, from the start of 9x5 under the standard rules:
///
/// | what | depth | rate |
/// |---|---|---|
/// | `Turns` | 7 | 184 |
/// | `Positions` | 6 | 37 |
/// | `Steps` | 11 | 135 |
/// | `Turns` under `free-capture` | 6 | 300 |
/// | `Turns` under `forced-relay`, where only the ends of relays count | 7 | 71 |
/// | `Turns` of an endgame with many paikas | 9 | 420 |
///
/// `cargo bench -p fanorona-benches --bench perft` measures these in wall-clock time.
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
    PerftCounter::new(rules, position.board(), counting).count(&PerftNode::new(position), depth)
}

/// Counts below nodes, one after the other, with a table or without one. It keeps its working
/// memory from one node to the next, and can be stopped.
///
/// The count of a node is the sum of its children's, one ply less deep, so a caller can spread the
/// work. (`Unique` has no such sum: see [`Levels`](crate::Levels).)
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::{Counting, PerftCounter, PerftNode};
/// let start = Board::tsivy().start();
/// let mut counter = PerftCounter::new(&RuleSet::STANDARD, start.board(), Counting::Turns);
/// let children = counter.children(&PerftNode::new(&start));
/// assert_eq!(children.iter().map(|node| counter.count(node, 2)).sum::<u128>(), 724);
/// ```
#[derive(Debug)]
pub struct PerftCounter<'t> {
    rules: RuleSet,
    counting: Counting,
    table: Option<&'t PerftTable>,
    successors: Successors,
    /// A buffer, empty between calls.
    found: Vec<Stones>,
    probes: u64,
    hits: u64,
}

impl<'t> PerftCounter<'t> {
    /// A counter without a table, for positions of this board first.
    pub fn new(rules: &RuleSet, board: Board, counting: Counting) -> Self {
        let successors = Successors::new(rules, board);
        let (table, found) = (None, Vec::new());
        Self { rules: *rules, counting, table, successors, found, probes: 0, hits: 0 }
    }

    /// A counter that keeps counts in a table, and finds them there.
    pub fn with_table(table: &'t PerftTable) -> Self {
        let counter = Self::new(&table.rules, table.board, table.counting);
        Self { table: Some(table), ..counter }
    }

    /// Counts the nodes `depth` plies below a node. A count above 128 bits, which a table makes
    /// possible, is `u128::MAX`. A node of another board is counted without the table.
    pub fn count(&mut self, node: &PerftNode, depth: u8) -> u128 {
        self.count_stoppable(node, depth, &NEVER)
    }

    /// As [`count`](Self::count), but ends within milliseconds after `stop` is set; `None` if that
    /// was before the end of the count. The flag has to stay set until then.
    pub fn count_until(&mut self, node: &PerftNode, depth: u8, stop: &AtomicBool) -> Option<u128> {
        let count = self.count_stoppable(node, depth, stop);
        (!stopped(stop)).then_some(count)
    }

    /// The nodes one ply below, in any order. For `Unique` they are those of `Positions`.
    pub fn children(&mut self, node: &PerftNode) -> Vec<PerftNode> {
        let Some(position) = node.position().filter(|_| self.counting != Counting::Steps) else {
            return node.after_steps(&self.rules);
        };
        self.successors.find(position, &mut self.found);
        if self.counting != Counting::Turns {
            self.found.sort_unstable();
            self.found.dedup();
        }
        self.found.drain(..).map(|stones| PerftNode::new(&after(position, stones))).collect()
    }

    fn count_stoppable(&mut self, node: &PerftNode, depth: u8, stop: &AtomicBool) -> u128 {
        let Some(table) = self.table.filter(|_| !stopped(stop)) else {
            return self.plain(node, depth, stop);
        };
        let key = table.key(node, depth).filter(|_| depth >= self.least_depth());
        let count = self.look(table, node, depth, key, stop);
        // Threads would contend for the counters if they recorded each probe at once.
        table.note(std::mem::take(&mut self.probes), std::mem::take(&mut self.hits));
        count
    }

    /// Below this depth counting is faster than probing.
    fn least_depth(&self) -> u8 {
        match self.counting {
            Counting::Steps => 4,
            _ => 2,
        }
    }

    fn look(
        &mut self,
        table: &PerftTable,
        node: &PerftNode,
        depth: u8,
        key: Option<Key>,
        stop: &AtomicBool,
    ) -> u128 {
        if let Some(key) = &key {
            self.probes += 1;
            if let Some(count) = table.look_up(key) {
                self.hits += 1;
                return count;
            }
        }
        let count = self.go_on(table, node, depth, stop);
        // A stopped count is wrong and must not get into the table.
        if let Some(key) = key.filter(|_| !stopped(stop)) {
            table.keep(&key, count);
        }
        count
    }

    /// Counts a node that is not in the table.
    fn go_on(
        &mut self,
        table: &PerftTable,
        node: &PerftNode,
        depth: u8,
        stop: &AtomicBool,
    ) -> u128 {
        if depth <= self.least_depth() || stopped(stop) {
            return self.plain(node, depth, stop);
        }
        let children = self.children(node);
        let keys: Vec<_> = children.iter().map(|child| table.key(child, depth - 1)).collect();
        // Reading memory at random is slow, but several reads at once take no longer than one.
        black_box(keys.iter().flatten().fold(0, |sum, key| sum ^ table.touch(key)));
        let children = children.iter().zip(keys);
        let counts = children.map(|(child, key)| self.look(table, child, depth - 1, key, stop));
        counts.fold(0, u128::saturating_add)
    }

    /// Counts without the table.
    fn plain(&mut self, node: &PerftNode, depth: u8, stop: &AtomicBool) -> u128 {
        match stopped(stop) {
            true => 0,
            false => self.successors.count(node, depth, self.counting, stop),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_counts_what_its_children_do() {
        let start = Board::tsivy().start();
        for rules in RuleSet::PRESETS {
            for counting in [Counting::Turns, Counting::Positions, Counting::Steps] {
                let mut counter = PerftCounter::new(&rules, start.board(), counting);
                let mut level = vec![PerftNode::new(&start)];
                for depth in (0..4).rev() {
                    level = level.iter().flat_map(|node| counter.children(node)).collect();
                    let counts = level.iter().map(|node| counter.count(node, depth));
                    assert_eq!(counts.sum::<u128>(), perft(&rules, &start, 4, counting));
                }
            }
        }
    }
}
