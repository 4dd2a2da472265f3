//! Counting one depth after another.

use fanorona_perft::{
    Counting, DivideLine, Keep, LevelOptions, Levels, ParallelPerft, PerftNode, PerftTable,
    branches,
};
use serde::Serialize;

use crate::failure::Failure;
use crate::human::grouped;
use crate::interrupt;
use crate::options::Root;
use crate::output::Count;

/// The count at a depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Nodes {
    pub nodes: u128,
    /// Unique positions up to symmetry.
    pub canonical: Option<u128>,
}

/// The count below a first turn.
#[derive(Debug, Serialize)]
pub(super) struct FirstTurn {
    pub turn: String,
    pub nodes: Count,
}

/// How the hash tables were used.
#[derive(Debug, Serialize)]
pub(super) struct HashReport {
    pub bytes: usize,
    pub probes: u64,
    pub hits: u64,
    /// Whether everything was counted twice.
    checked: bool,
}

/// Counts one depth after another.
pub(super) struct Counter {
    root: Root,
    counting: Counting,
    /// The last depth.
    last: u8,
    /// None, one, or two whose counts are compared.
    tables: Vec<PerftTable>,
    /// For unique positions.
    options: LevelOptions,
    levels: Levels,
}

impl Counter {
    pub(super) fn new(
        root: Root,
        counting: Counting,
        last: u8,
        tables: Vec<PerftTable>,
        options: LevelOptions,
    ) -> Self {
        let levels = Levels::new(&root.rules, &root.position, &options);
        Self { root, counting, last, tables, options, levels }
    }

    /// The count at a depth. For unique positions, depths must be counted one after the other.
    /// `None` if interrupted. `divided` has the counts below each first turn, if they are known.
    ///
    /// # Errors
    /// If two counts of the same thing differ, if the count exceeds 128 bits, or if unique positions
    /// cannot be sorted on disk.
    pub(super) fn nodes(
        &mut self,
        depth: u8,
        divided: Option<&[FirstTurn]>,
    ) -> anyhow::Result<Option<Nodes>> {
        if self.counting == Counting::Unique {
            let keep = if depth == self.last { Keep::Size } else { Keep::Positions };
            let size = self.levels.advance(keep, interrupt::flag())?;
            return Ok(
                size.map(|size| Nodes { nodes: size.positions, canonical: Some(size.canonical) })
            );
        }
        let root = PerftNode::new(&self.root.position);
        let mut counts = Vec::new();
        if let Some(turns) = divided.filter(|_| self.counting.lines_add_up()) {
            counts.push(turns.iter().fold(0, |sum, turn| turn.nodes.0.saturating_add(sum)));
        }
        for table in counts.len()..self.tables.len().max(1) {
            let Some(count) = self.perft(table).count(&root, depth) else {
                return Ok(None);
            };
            counts.push(count);
        }
        let nodes = counts[0];
        if let Some(other) = counts.iter().find(|other| **other != nodes) {
            let differ = format!(
                "depth {depth}: the hash tables disagree: {} with one, {} with the other",
                grouped(nodes),
                grouped(*other)
            );
            return Err(Failure::Check(differ).into());
        }
        if nodes == u128::MAX {
            return Err(Failure::input(format!("the count at depth {depth} exceeds 128 bits")));
        }
        Ok(Some(Nodes { nodes, canonical: None }))
    }

    /// The count below each first turn. `None` if interrupted.
    ///
    /// # Errors
    /// If unique positions cannot be sorted on disk.
    pub(super) fn divide(&self, depth: u8) -> anyhow::Result<Option<Vec<FirstTurn>>> {
        let Root { rules, position, .. } = &self.root;
        let line = |DivideLine { turn, nodes }: DivideLine| {
            let turn = turn.text(position.board()).to_string();
            FirstTurn { turn, nodes: Count(nodes) }
        };
        if self.counting == Counting::Unique {
            let mut lines = Vec::new();
            for branch in branches(rules, position, self.counting) {
                let after = position.play_unchecked(&branch.turn);
                let size = Levels::new(rules, &after, &self.options)
                    .size_at(u32::from(depth) - 1, interrupt::flag())?;
                let Some(size) = size else {
                    return Ok(None);
                };
                lines.push(line(DivideLine { turn: branch.turn, nodes: size.positions }));
            }
            return Ok(Some(lines));
        }
        let lines = self.perft(0).divide(position, depth);
        Ok(lines.map(|lines| lines.into_iter().map(line).collect()))
    }

    /// How the hash tables were used, if there are any.
    pub(super) fn hash(&self) -> Option<HashReport> {
        let add = |of: fn(&PerftTable) -> u64| self.tables.iter().map(of).sum();
        (!self.tables.is_empty()).then(|| HashReport {
            bytes: self.tables.iter().map(PerftTable::bytes).sum(),
            probes: add(PerftTable::probes),
            hits: add(PerftTable::hits),
            checked: self.tables.len() > 1,
        })
    }

    /// A count with one of the tables, if there is one.
    fn perft(&self, table: usize) -> ParallelPerft<'_> {
        match self.tables.get(table) {
            Some(table) => ParallelPerft::with_table(table, interrupt::flag()),
            None => ParallelPerft::new(&self.root.rules, self.counting, interrupt::flag()),
        }
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Board, RuleSet};
    use fanorona_perft::PerftTableOptions;

    use super::*;

    /// Counts turns of 9x5 with two tables that are compared.
    fn counter(last: u8) -> Counter {
        let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
        let root = Root { board, rules, position: board.start() };
        let counting = Counting::Turns;
        let options = PerftTableOptions::new(rules, board, counting);
        let tables = PerftTable::pair(&options.with_max_depth(last).with_bytes(1 << 16));
        let tables = tables.expect("there is memory").into();
        Counter::new(root, counting, last, tables, LevelOptions::default())
    }

    #[test]
    fn tables_that_differ_are_noticed() {
        let (depth, wrong) = (5, 431_853);
        for table in [0, 1] {
            let mut counter = counter(depth);
            let root = PerftNode::new(&counter.root.position);
            counter.tables[table].insert(&root, depth, wrong);
            let error = counter.nodes(depth, None).expect_err("one of them is wrong");
            let message = error.to_string();
            assert!(message.contains("431,852") && message.contains("431,853"), "{message}");
            assert!(matches!(error.downcast_ref(), Some(Failure::Check(_))), "{message}");
        }
        // What is divided is compared with the other table.
        let mut counter = counter(depth);
        let mut divided = counter.divide(depth).expect("it is counted").expect("nobody interrupts");
        let right = counter.nodes(depth, Some(&divided)).expect("they agree");
        assert_eq!(right, Some(Nodes { nodes: 431_852, canonical: None }));
        divided[0].nodes.0 += 1;
        assert!(counter.nodes(depth, Some(&divided)).is_err());
    }

    /// With the same keys, the second count would repeat the faults of the first.
    #[test]
    fn the_tables_have_different_keys() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
        pool.install(|| {
            let mut counter = counter(6);
            counter.nodes(6, None).expect("they agree");
            let [first, second] = &counter.tables[..] else { panic!("two tables") };
            // The tables are much too small, so what they lose depends on the keys.
            assert!(first.probes() > 10_000 && first.hits() > 0);
            assert_ne!(first.hits(), second.hits());
        });
    }
}
