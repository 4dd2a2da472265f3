//! Counting with working memory that is kept, and with a table.

use std::fmt;
use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, RuleSet, Stones};

use crate::after::after;
use crate::counting::Counting;
use crate::generator::{Successors, TurnCounter};
use crate::node::PerftNode;
use crate::stop::{NEVER, Stop};
use crate::table::{Key, PerftTable};

/// Counts below nodes, one after the other, with a table or without one.
///
/// It counts the same as [`PerftNode::count`], keeps its working memory from one node to the next,
/// and can be stopped.
pub struct PerftCounter<'t> {
    rules: RuleSet,
    counting: Counting,
    table: Option<&'t PerftTable>,
    board: Board,
    turns: TurnCounter,
    successors: Successors,
    /// A buffer for the stones after the turns of a node. Empty between calls.
    found: Vec<Stones>,
    probes: u64,
    hits: u64,
}

impl PerftCounter<'static> {
    /// A counter without a table.
    pub fn new(rules: &RuleSet, board: Board, counting: Counting) -> Self {
        Self {
            rules: *rules,
            counting,
            table: None,
            board,
            turns: TurnCounter::new(rules, board),
            successors: Successors::new(rules, board),
            found: Vec::new(),
            probes: 0,
            hits: 0,
        }
    }
}

impl<'t> PerftCounter<'t> {
    /// A counter that keeps counts in a table, and finds them there.
    pub fn with_table(table: &'t PerftTable) -> Self {
        let counter = PerftCounter::new(table.rules(), table.board(), table.counting());
        Self { table: Some(table), ..counter }
    }

    /// Counts the nodes `depth` plies below a node. A count above 128 bits, which a table makes
    /// possible, is `u128::MAX`. A node of another board is counted without the table.
    pub fn count(&mut self, node: &PerftNode, depth: u8) -> u128 {
        self.count_stoppable(node, depth, &Stop::new(&NEVER))
    }

    /// As [`count`](Self::count), but ends within milliseconds after `stop` is set; `None` if that
    /// was before the end of the count. The flag has to stay set until then.
    pub fn count_until(&mut self, node: &PerftNode, depth: u8, stop: &AtomicBool) -> Option<u128> {
        let stop = Stop::new(stop);
        let count = self.count_stoppable(node, depth, &stop);
        stop.result(count)
    }

    fn count_stoppable(&mut self, node: &PerftNode, depth: u8, stop: &Stop<'_>) -> u128 {
        if stop.check() {
            return 0;
        }
        if node.board() != self.board {
            return node.count_stoppable(&self.rules, depth, self.counting, stop);
        }
        let Some(table) = self.table else {
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
        stop: &Stop<'_>,
    ) -> u128 {
        let Some(key) = key else {
            return self.go_on(table, node, depth, stop);
        };
        self.probes += 1;
        if let Some(count) = table.look_up(&key) {
            self.hits += 1;
            return count;
        }
        let count = self.go_on(table, node, depth, stop);
        // A stopped count is wrong and must not get into the table.
        if let Some(count) = stop.result(count) {
            table.keep(&key, count);
        }
        count
    }

    /// Counts a node that is not in the table.
    fn go_on(&mut self, table: &PerftTable, node: &PerftNode, depth: u8, stop: &Stop<'_>) -> u128 {
        if stop.check() {
            return 0;
        }
        if depth <= self.least_depth() {
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

    /// The children of a node, in any order.
    fn children(&mut self, node: &PerftNode) -> Vec<PerftNode> {
        let Some(position) = node.position().filter(|_| self.counting != Counting::Steps) else {
            return node.children(&self.rules, self.counting);
        };
        self.successors.find(position, &mut self.found);
        if self.counting == Counting::Positions {
            self.found.sort_unstable();
            self.found.dedup();
        }
        self.found.drain(..).map(|stones| PerftNode::new(&after(position, stones))).collect()
    }

    /// Counts without the table.
    fn plain(&mut self, node: &PerftNode, depth: u8, stop: &Stop<'_>) -> u128 {
        match (self.counting, node.position()) {
            (Counting::Turns, Some(position)) => self.turns.count(position, depth, stop),
            _ => node.count_stoppable(&self.rules, depth, self.counting, stop),
        }
    }
}

impl fmt::Debug for PerftCounter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerftCounter")
            .field("rules", &self.rules)
            .field("board", &self.board)
            .field("counting", &self.counting)
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}
