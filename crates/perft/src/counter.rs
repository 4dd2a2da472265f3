//! Counting on one thread, with a table or without one.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Chain, Position, RuleSet, Stones};

use crate::counting::{Counting, NEVER, stopped};
use crate::generator::Successors;
use crate::node::{PerftNode, after};
use crate::table::{Key, PerftTable};

/// Counts the nodes `depth` plies below a position. The count at depth 0 is 1.
///
/// Perft ("performance test") is the usual way to check a generator: two programs that follow the
/// same rules count the same. The time grows with the count. The memory is some kilobytes for each
/// ply that is reached, and 200 for the last one, except for [`Counting::Unique`]: up to a hundred
/// bytes for each position of the deepest level. ([`Levels`](crate::Levels) counts those in bounded
/// memory.)
///
/// This function cannot be stopped; [`PerftCounter`] and [`ParallelPerft`](crate::ParallelPerft)
/// can.
///
/// # Speed
/// The last ply is counted and not listed, and the steps of many positions are worked on at once.
/// Measured on one thread of a 2-core virtual machine (Intel Xeon, 30 November 2026, medians of
/// three, no flags for the machine), in millions a second, from the start of 9x5 under the standard rules:
///
/// | what | depth | rate |
/// |---|---|---|
/// | `Turns` | 7 | 232 |
/// | `Positions` | 6 | 38 |
/// | `Steps` | 11 | 178 |
/// | `Turns` under `free-capture` | 6 | 368 |
/// | `Turns` under `forced-relay`, where only the ends of relays count | 7 | 79 |
/// | `Turns` of an endgame with many paikas | 9 | 359 |
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
    pub(crate) successors: Successors,
    /// For the turns of a ply, by the number of plies that follow. Empty between calls.
    lists: Vec<Vec<Stones>>,
    /// A buffer, empty between calls.
    found: Vec<Stones>,
    probes: u64,
    hits: u64,
}

impl<'t> PerftCounter<'t> {
    /// A counter without a table, for positions of this board first.
    pub fn new(rules: &RuleSet, board: Board, counting: Counting) -> Self {
        let successors = Successors::new(rules, board);
        let (table, lists, found) = (None, Vec::new(), Vec::new());
        Self { rules: *rules, counting, table, successors, lists, found, probes: 0, hits: 0 }
    }

    /// A counter that keeps counts in a table, and finds them there.
    pub fn with_table(table: &'t PerftTable) -> Self {
        let counter = Self::new(&table.rules, table.board, table.counting);
        Self { table: Some(table), ..counter }
    }

    /// Counts the nodes `depth` plies below a node. A count above 128 bits, which a table makes
    /// possible, is `u128::MAX`. A node of another board is counted without the table.
    pub fn count(&mut self, node: &PerftNode, depth: u8) -> u128 {
        self.count_until(node, depth, &NEVER).expect("nobody stops it")
    }

    /// As [`count`](Self::count), but ends within milliseconds after `stop` is set; `None` if that
    /// was before the end of the count. The flag has to stay set until then.
    pub fn count_until(&mut self, node: &PerftNode, depth: u8, stop: &AtomicBool) -> Option<u128> {
        let count = match self.table {
            None => self.plain(node, depth, stop),
            Some(table) => {
                let key = table.key(node, depth).filter(|_| depth >= self.least_depth());
                let count = self.look(table, node, depth, key, stop);
                // Threads would contend for the counters if they recorded each probe at once.
                table.note(std::mem::take(&mut self.probes), std::mem::take(&mut self.hits));
                count
            }
        };
        (!stopped(stop)).then_some(count)
    }

    /// The nodes one ply below, in any order. For `Unique` they are those of `Positions`.
    pub fn children(&mut self, node: &PerftNode) -> Vec<PerftNode> {
        let Some(position) = node.position().filter(|_| self.counting != Counting::Steps) else {
            return node.after_steps(&self.rules);
        };
        self.successors.find(position, &mut self.found);
        if self.counting != Counting::Turns {
            sort_and_dedup(&mut self.found);
        }
        self.found.drain(..).map(|stones| PerftNode::new(&after(position, stones))).collect()
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
        let count = if depth <= self.least_depth() || stopped(stop) {
            self.plain(node, depth, stop)
        } else {
            let children = self.children(node);
            let keys: Vec<_> = children.iter().map(|child| table.key(child, depth - 1)).collect();
            // Reading memory at random is slow, but several reads at once take no longer than one.
            black_box(keys.iter().flatten().fold(0, |sum, key| sum ^ table.touch(key)));
            let children = children.iter().zip(keys);
            let counts = children.map(|(child, key)| self.look(table, child, depth - 1, key, stop));
            counts.fold(0, u128::saturating_add)
        };
        // A stopped count is wrong and must not get into the table.
        if let Some(key) = key.filter(|_| !stopped(stop)) {
            table.keep(&key, count);
        }
        count
    }

    /// Counts without the table. If it is stopped, the result is meaningless.
    fn plain(&mut self, node: &PerftNode, depth: u8, stop: &AtomicBool) -> u128 {
        match (node.position(), self.counting) {
            _ if stopped(stop) => 0,
            (Some(position), Counting::Unique) => self.unique(position, depth, stop),
            (Some(position), Counting::Turns | Counting::Positions) => {
                self.successors.turn_to(position.board());
                let count = self.tree(Stones::of(position), Some(position), depth, stop);
                count + u128::from(self.successors.left())
            }
            _ => self.steps(node, depth, stop),
        }
    }

    /// Counts turns or positions below stones, with their position if its rule may not have settled.
    /// Turns of the last ply may wait to be counted together.
    fn tree(
        &mut self,
        stones: Stones,
        position: Option<&Position>,
        depth: u8,
        stop: &AtomicBool,
    ) -> u128 {
        let Some(depth_below) = depth.checked_sub(1) else {
            return 1;
        };
        if depth_below > 0 && stopped(stop) {
            return 0;
        }
        let unsettled = position.filter(|position| !self.rules.is_settled(position));
        let turns = self.counting == Counting::Turns;
        match (unsettled, depth_below) {
            (Some(position), 0) if turns => return self.listed(position),
            (None, 0 | 1) if turns => return self.successors.last_plies(stones, depth).into(),
            _ => {}
        }
        let place = usize::from(depth_below);
        if self.lists.len() <= place {
            self.lists.resize_with(place + 1, Vec::new);
        }
        let mut list = std::mem::take(&mut self.lists[place]);
        self.successors.list(stones, unsettled, &mut list);
        if !turns {
            sort_and_dedup(&mut list);
        }
        let mut count = list.len() as u128;
        if depth_below > 0 {
            count = 0;
            for end in &list {
                let position = unsettled.map(|position| after(position, *end));
                count += self.tree(end.swapped(), position.as_ref(), depth_below, stop);
            }
        }
        list.clear();
        self.lists[place] = list;
        count
    }

    /// The number of turns of a position where the rule has not settled.
    fn listed(&self, position: &Position) -> u128 {
        if self.rules.turn_rule(position).chain == Chain::Single {
            return first_steps(&self.rules, position);
        }
        let mut count = 0;
        self.rules.for_each_turn(position, |_| count += 1);
        count
    }

    /// Where the rule has not settled, steps are listed one by one.
    fn steps(&mut self, node: &PerftNode, depth: u8, stop: &AtomicBool) -> u128 {
        match node.position() {
            _ if depth == 0 => 1,
            Some(position) if self.rules.is_settled(position) => {
                self.successors.turn_to(position.board());
                self.successors.generator.steps(Stones::of(position), depth, stop)
            }
            Some(position) if depth == 1 => first_steps(&self.rules, position),
            _ if stopped(stop) => 0,
            _ => {
                let children = node.after_steps(&self.rules);
                children.iter().map(|child| self.steps(child, depth - 1, stop)).sum()
            }
        }
    }

    /// Visits the levels of the tree one after the other, each position once.
    fn unique(&mut self, position: &Position, depth: u8, stop: &AtomicBool) -> u128 {
        let mut level = vec![*position];
        let mut compact_at = 1 << 20;
        for _ in 0..depth {
            let mut found = Vec::new();
            for position in &level {
                if stopped(stop) {
                    return 0;
                }
                self.successors.find(position, &mut found);
                // A level has many duplicates. Dropping them now and then bounds the memory.
                if found.len() >= compact_at {
                    sort_and_dedup(&mut found);
                    compact_at = compact_at.max(2 * found.len());
                }
            }
            sort_and_dedup(&mut found);
            level = found.into_iter().map(|stones| after(&level[0], stones)).collect();
        }
        level.len() as u128
    }
}

fn sort_and_dedup(stones: &mut Vec<Stones>) {
    stones.sort_unstable();
    stones.dedup();
}

/// The number of first steps of a position.
fn first_steps(rules: &RuleSet, position: &Position) -> u128 {
    let steps = rules.turn_rule(position).first_steps(position.board(), Stones::of(position));
    let kinds = steps.iter().flat_map(|steps| [steps.approach, steps.withdrawal, steps.quiet]);
    kinds.map(|stones| u128::from(stones.len())).sum()
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
