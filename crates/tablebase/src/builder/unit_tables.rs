//! The tables of a build, those that exist and those that it writes.

use fanorona_storage::Access;

use super::options::BuildOptions;
use super::progress::UnsavedCheckpoint;
use crate::error::Result;
use crate::format::TableFile;
use crate::key::TableKey;
use crate::probe::open_table;
use crate::slice::{Slice, Unit};

/// The result of a build.
#[derive(Debug)]
#[non_exhaustive]
pub struct BuildReport {
    /// All tables of the goal, smaller ones first.
    pub tables: Vec<TableFile>,
    /// The number of tables that this build has written.
    pub written: usize,
    /// The last checkpoint of each unit for which it could not be written. The tables are complete.
    /// But if the build had been killed, more work would have been lost.
    pub unsaved_checkpoints: Vec<UnsavedCheckpoint>,
}

/// A unit with its tables. `None` is a missing table.
pub(super) struct UnitTables {
    pub unit: Unit,
    pub tables: Vec<(TableKey, Option<TableFile>)>,
}

impl UnitTables {
    /// Whether a table is missing.
    pub(super) fn is_missing(&self) -> bool {
        self.tables.iter().any(|(_, table)| table.is_none())
    }
}

/// Opens the tables of a build's units, in the order of solving.
pub(super) fn open_units(options: &BuildOptions) -> Result<Vec<UnitTables>> {
    let BuildOptions { dir, board, rules, goal, metric, .. } = options;
    let open = |slice: Slice| {
        let key = TableKey::new(*board, rules, slice, *metric);
        Ok((key, open_table(dir, &key, Access::READ)?))
    };
    let units = goal.units(*board, rules).into_iter();
    units
        .map(|unit| {
            Ok(UnitTables { unit, tables: unit.slices().map(open).collect::<Result<_>>()? })
        })
        .collect()
}
