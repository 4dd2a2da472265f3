//! Counting one depth after another.

use fanorona_core::Turn;
use fanorona_perft::{
    Counting, Keep, LevelError, LevelOptions, Levels, MAX_DEPTH, ParallelPerft, PerftNode,
    PerftTable, divide,
};
use rayon::prelude::*;
use serde::Serialize;

use crate::failure::Failure;
use crate::interrupt;
use crate::options::Root;
use crate::output::Count;

/// What was counted at a depth.
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

/// How useful the hash tables were.
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
    last: u32,
    /// None, one, or two to be compared.
    tables: Vec<PerftTable>,
    /// For unique positions.
    options: LevelOptions,
    levels: Levels,
}

impl Counter {
    pub(super) fn new(
        root: Root,
        counting: Counting,
        last: u32,
        tables: Vec<PerftTable>,
        options: LevelOptions,
    ) -> Self {
        let levels = Levels::new(&root.rules, &root.position, &options);
        Self { root, counting, last, tables, options, levels }
    }

    /// The count at a depth; for unique positions it has to be the one after that of the last call.
    /// `None` if interrupted. `divided` is what is known already.
    ///
    /// # Errors
    /// If the tables, or a table and what is known, disagree; if the count exceeds 128 bits; or if
    /// unique positions cannot be sorted on disk.
    pub(super) fn nodes(
        &mut self,
        depth: u32,
        divided: Option<&[FirstTurn]>,
    ) -> anyhow::Result<Option<Nodes>> {
        if self.counting == Counting::Unique {
            let keep = if depth == self.last { Keep::Size } else { Keep::Positions };
            let size = self.levels.advance(keep, interrupt::flag()).map_err(of_levels)?;
            return Ok(
                size.map(|size| Nodes { nodes: size.positions, canonical: Some(size.canonical) })
            );
        }
        let root = PerftNode::new(&self.root.position);
        let mut counts = Vec::new();
        // Turns to the same position each have a line, so positions do not add up.
        if let Some(turns) = divided.filter(|_| self.counting != Counting::Positions) {
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
            let differ = format!("depth {depth}: {nodes} with one table, {other} with the other");
            return Err(Failure::Check(differ).into());
        }
        if nodes == u128::MAX {
            return Err(Failure::input(uncountable(depth)));
        }
        Ok(Some(Nodes { nodes, canonical: None }))
    }

    /// The count below each first turn. `None` if interrupted.
    ///
    /// # Errors
    /// If unique positions cannot be sorted on disk.
    pub(super) fn divide(&self, depth: u32) -> anyhow::Result<Option<Vec<FirstTurn>>> {
        let Root { rules, position, .. } = &self.root;
        let first = divide(rules, position, 1, self.counting);
        let line = |turn: &Turn, nodes: Option<u128>| {
            let turn = turn.text(position.board()).to_string();
            Some(FirstTurn { turn, nodes: Count(nodes?) })
        };
        if self.counting == Counting::Unique {
            let lines = first.iter().map(|(turn, _)| {
                let after = position.play_unchecked(turn);
                let nodes = Levels::new(rules, &after, &self.options)
                    .size_at(depth - 1, interrupt::flag())
                    .map_err(of_levels)?;
                Ok(line(turn, nodes.map(|size| size.positions)))
            });
            return lines.collect();
        }
        let nodes: Vec<_> = match self.counting {
            // A step may lead into the middle of a relay.
            Counting::Steps => PerftNode::new(position).children(rules, self.counting),
            _ => {
                let after = first.iter().map(|(turn, _)| position.play_unchecked(turn));
                after.map(|after| PerftNode::new(&after)).collect()
            }
        };
        let perft = self.perft(0);
        let lines = first.par_iter().zip(nodes);
        Ok(lines.map(|((turn, _), node)| line(turn, perft.count(&node, depth - 1))).collect())
    }

    /// How useful the tables were, if there are any.
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

/// Why a count is `u128::MAX`.
pub(super) fn uncountable(depth: u32) -> String {
    if depth > MAX_DEPTH {
        format!("depth {depth} is too deep: at most {MAX_DEPTH} plies can be counted")
    } else {
        format!("the count at depth {depth} exceeds 128 bits")
    }
}

/// Adds what to do where the positions of a level do not fit.
fn of_levels(error: LevelError) -> anyhow::Error {
    let advice = "--temp names another directory, and with more --memory fewer files are needed";
    Failure::input(format!("{error}; {advice}"))
}
