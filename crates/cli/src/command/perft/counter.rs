//! Counting one depth after another.

use fanorona_perft::{
    Count, Counting, DivideLine, Keep, LevelOptions, Levels, ParallelPerft, PerftNode, PerftTable,
    branches,
};
use serde::Serialize;

use crate::failure::Failure;
use crate::interrupt;
use crate::options::Root;

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

/// How the hash table was used.
#[derive(Debug, Serialize)]
pub(super) struct HashReport {
    pub bytes: usize,
    pub probes: u64,
    pub hits: u64,
}

/// Counts one depth after another.
pub(super) struct Counter {
    root: Root,
    counting: Counting,
    /// The last depth.
    last: u8,
    table: Option<PerftTable>,
    /// For unique positions.
    options: LevelOptions,
    levels: Levels,
}

impl Counter {
    pub(super) fn new(
        root: Root,
        counting: Counting,
        last: u8,
        table: Option<PerftTable>,
        options: LevelOptions,
    ) -> Self {
        let levels = Levels::new(&root.rules, &root.position, &options);
        Self { root, counting, last, table, options, levels }
    }

    /// The count at a depth. For unique positions, depths must be counted one after the other.
    /// `None` if interrupted. `divided` has the counts below each first turn, if they are known.
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
        let nodes = match divided.filter(|_| self.counting.lines_add_up()) {
            Some(turns) => Some(turns.iter().fold(0, |sum, turn| turn.nodes.0.saturating_add(sum))),
            None => self.perft().count(&root, depth),
        };
        if nodes == Some(u128::MAX) {
            return Err(Failure::input(format!("the count at depth {depth} exceeds 128 bits")));
        }
        Ok(nodes.map(|nodes| Nodes { nodes, canonical: None }))
    }

    /// The count below each first turn. `None` if interrupted.
    pub(super) fn divide(&self, depth: u8) -> anyhow::Result<Option<Vec<FirstTurn>>> {
        let Root { rules, position, .. } = &self.root;
        let line = |DivideLine { turn, nodes }: DivideLine| {
            let turn = turn.text(position.board()).to_string();
            FirstTurn { turn, nodes: Count(nodes) }
        };
        if self.counting == Counting::Unique {
            let mut lines = Vec::new();
            for (turn, _) in branches(rules, position, self.counting) {
                let after = position.play_unchecked(&turn);
                let size = Levels::new(rules, &after, &self.options)
                    .size_at(u32::from(depth) - 1, interrupt::flag())?;
                let Some(size) = size else {
                    return Ok(None);
                };
                lines.push(line(DivideLine { turn, nodes: size.positions }));
            }
            return Ok(Some(lines));
        }
        let lines = self.perft().divide(position, depth);
        Ok(lines.map(|lines| lines.into_iter().map(line).collect()))
    }

    /// How the hash table was used, if there is one.
    pub(super) fn hash(&self) -> Option<HashReport> {
        self.table.as_ref().map(|table| HashReport {
            bytes: table.bytes(),
            probes: table.probes(),
            hits: table.hits(),
        })
    }

    /// A count with the table, if there is one.
    fn perft(&self) -> ParallelPerft<'_> {
        match &self.table {
            Some(table) => ParallelPerft::with_table(table, interrupt::flag()),
            None => ParallelPerft::new(&self.root.rules, self.counting, interrupt::flag()),
        }
    }
}
