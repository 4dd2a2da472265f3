//! The tables that an answer lacks, and a plan to build them.

use std::path::Path;

#[cfg(feature = "plans")]
use fanorona_builder::{BuildOptions, estimate};
use fanorona_core::{Board, Position, RuleSet};
use fanorona_tablebase::{Metric, Slice, TableError};
use serde::Serialize;

use crate::book::MissingTables;
use crate::knowledge::{Knowledge, Result};

/// A table that a value would need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MissingTable {
    /// The slice of the table.
    pub slice: Slice,
    /// The board.
    pub board: Board,
    /// The rules of the table. They are simpler than those of the game if the difference no longer
    /// matters.
    pub rules: RuleSet,
}

/// How missing tables can be built: `build` with these options, and what it needs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct BuildPlan {
    /// The board.
    pub board: Board,
    /// The rule set.
    pub rules: RuleSet,
    /// All slices up to this number of stones.
    pub stones: u32,
    /// Whether the tables hold distances.
    pub metric: Metric,
    /// The least memory that it needs, in bytes, estimated. It takes more if there is more.
    pub memory_bytes: u64,
    /// The disk space for the missing tables, in bytes, estimated on the high side.
    pub disk_bytes: u64,
    /// The time for the missing tables on this machine, in seconds, roughly. 0 if none is missing.
    pub seconds: f64,
    /// Whether this machine has as much memory and disk space.
    pub fits_here: bool,
}

/// No plan is made for tables whose build needs at least this much memory. Few machines have it.
#[cfg(feature = "plans")]
const LARGEST_BUILD: u64 = 1 << 40;

impl BuildPlan {
    /// The plan for tables of win, draw and loss up to a number of stones in a directory. `None` if
    /// such tables cannot be numbered, or need more than a TiB of memory, and without the feature
    /// `plans`. Takes milliseconds.
    pub fn new(dir: &Path, board: Board, rules: RuleSet, stones: u32) -> Option<Self> {
        Self::with_metric(dir, board, rules, stones, Metric::Wdl)
    }

    /// The same for tables of a metric.
    #[cfg_attr(not(feature = "plans"), expect(unused_variables, reason = "there is no plan"))]
    pub fn with_metric(
        dir: &Path,
        board: Board,
        rules: RuleSet,
        stones: u32,
        metric: Metric,
    ) -> Option<Self> {
        #[cfg(feature = "plans")]
        return Self::of(BuildOptions::new(dir, board, rules, stones).with_metric(metric), stones);
        #[cfg(not(feature = "plans"))]
        None
    }

    #[cfg(feature = "plans")]
    fn of(mut options: BuildOptions, stones: u32) -> Option<Self> {
        let found = estimate(&options).ok().filter(|found| found.least_memory <= LARGEST_BUILD)?;
        // How tables are built depends on the memory that is free at the moment; this figure does not.
        options.memory = Some(LARGEST_BUILD);
        let plenty = estimate(&options).ok()?;
        let BuildOptions { board, rules, metric, .. } = options;
        Some(Self {
            board,
            rules,
            stones,
            metric,
            memory_bytes: plenty.least_memory,
            disk_bytes: found.disk,
            seconds: found.seconds,
            fits_here: found.check().is_ok(),
        })
    }
}

impl Knowledge {
    /// The table whose lack keeps the value of a position unknown. `None` if the rules or the tables
    /// decide it.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup).
    pub fn missing(&self, position: &Position) -> Result<Option<MissingTable>> {
        let board = self.board();
        let Some(slice) = Slice::of(position) else { return Ok(None) };
        if self.rules().outcome(position).is_some() {
            return Ok(None);
        }
        let Some(tables) = self.tables() else {
            let rules = self.rules().endgame_of(position);
            return Ok(Some(MissingTable { slice, board, rules }));
        };
        match tables.probe(position) {
            Ok(_) => Ok(None),
            Err(TableError::Missing { slice, rules, .. }) => {
                // In the first phase of the vela, the table's rules may have the colours swapped. A
                // build for this game builds it too.
                let rules = if rules.vela().is_some() { self.rules() } else { rules };
                Ok(Some(MissingTable { slice, board, rules }))
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Knowledge {
    /// The tables that the certificates need and that are missing.
    ///
    /// # Errors
    /// If a table is damaged.
    pub fn missing_of_book(&self) -> Result<Option<MissingTables>> {
        let Some(book) = self.book() else { return Ok(None) };
        Ok(book.missing_tables(self.tables().map(AsRef::as_ref))?)
    }
}

#[cfg(all(test, feature = "plans"))]
mod tests {
    use super::*;

    /// The figure is that of the tables, not of what the machine has free at the moment.
    #[test]
    fn the_memory_of_a_plan_does_not_depend_on_the_machine() {
        let dir = tempfile::tempdir().expect("a directory");
        let plan = |mib: u64| {
            let mut options = BuildOptions::new(dir.path(), Board::tsivy(), RuleSet::STANDARD, 7);
            options.memory = Some(mib << 20);
            BuildPlan::of(options, 7).expect("it can be built").memory_bytes
        };
        let first = plan(1 << 10);
        assert!(first > 1 << 20);
        assert!([1 << 12, 1 << 14, 1 << 18].into_iter().all(|mib| plan(mib) == first));
    }
}
