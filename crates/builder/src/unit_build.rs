//! The tables of a build's units, those that exist and those that are missing, and the build of one
//! unit: solves it and writes its tables, or reads them.

use std::path::Path;
use std::time::Duration;

use fanorona_storage::{Access, Stopwatch};
use fanorona_tablebase::format::TableFile;
use fanorona_tablebase::{Layout, Result, Slice, TableKey, Unit, open_table};

use super::backend::Solver;
use super::checkpoint::{CheckpointStore, remove_checkpoint};
use super::context::BuildContext;
use super::directory::vanished;
use super::method::Method;
use super::options::BuildOptions;
use super::progress::{Part, Phase, UnsavedCheckpoint};
use super::work::Step;

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

/// Opens the tables of a build's units, in the order of solving.
pub(super) fn open_units(options: &BuildOptions) -> Result<Vec<UnitTables>> {
    let BuildOptions { dir, board, rules, goal, metric, .. } = options;
    let open = |slice: Slice| {
        let key = TableKey::new(*board, rules, slice, *metric);
        Ok((key, open_table(dir, &key, Layout::Packed, Access::READ)?))
    };
    let units = goal.units(*board, rules).into_iter();
    units
        .map(|unit| {
            Ok(UnitTables { unit, tables: unit.slices().map(open).collect::<Result<_>>()? })
        })
        .collect()
}

/// How the units of a build are built.
#[derive(Clone, Copy)]
pub(super) struct UnitBuild<'b> {
    pub context: BuildContext<'b>,
    pub dir: &'b Path,
    pub interval: Option<Duration>,
}

impl UnitBuild<'_> {
    /// Solves a unit by a method, and writes its missing tables. What it needs must be loaded or solved.
    /// The solver keeps the slices that later units need.
    pub(super) fn solve(
        &self,
        solver: &mut dyn Solver,
        UnitTables { unit, tables }: UnitTables,
        step: &Step,
        method: Method,
        report: &mut BuildReport,
    ) -> Result<()> {
        let &Self { context, dir, interval } = self;
        let progress = context.progress;
        let key = tables[0].0;
        let depends_on = report.tables.iter().filter(|table| {
            let other = table.metadata().key().unit();
            other != unit && unit.rests_on(other)
        });
        let method = method.name();
        let mut checkpoints =
            CheckpointStore::new(dir, key, method, depends_on, interval, &context);
        let solved =
            solver.solve(unit, &key.rules, &|slice| step.is_kept(slice), &mut checkpoints)?;
        for (key, table) in tables {
            let written = table.is_none();
            let table = match table {
                Some(table) => table,
                None => {
                    solved.write(&key, &dir.join(key.file_name()))?;
                    self.open(&key)?
                }
            };
            progress.finished(&table, written);
            report.written += usize::from(written);
            report.tables.push(table);
        }
        report.unsaved_checkpoints.extend(checkpoints.unsaved().cloned());
        self.remove_checkpoint(&key);
        Ok(())
    }

    /// Reads the tables of a unit, of which none is missing: a solver loads those that later units need;
    /// the process of a rank checks the others.
    pub(super) fn read(
        &self,
        mut solver: Option<(&mut dyn Solver, &Step)>,
        UnitTables { unit, tables }: UnitTables,
        rank: usize,
        report: &mut BuildReport,
    ) -> Result<()> {
        let BuildContext { progress, processes, .. } = self.context;
        self.remove_checkpoint(&tables[0].0);
        for (key, table) in tables {
            let Some(table) = table else { continue };
            let watch = Stopwatch::start();
            let result = match &mut solver {
                Some((solver, step)) if step.is_kept(key.slice) => {
                    solver.load(unit, &table, true).map(drop)
                }
                _ if rank != processes.rank() => Ok(()),
                _ => {
                    progress.begin(unit, Phase::Load, table.metadata().values);
                    let checked = table.check();
                    progress.advance(table.metadata().values);
                    checked
                }
            };
            processes.all(result)?;
            progress.spent(unit, Part::Load, watch.read());
            progress.finished(&table, false);
            report.tables.push(table);
        }
        Ok(())
    }

    /// Removes the checkpoint of a unit whose tables are complete.
    fn remove_checkpoint(&self, key: &TableKey) {
        if self.context.processes.is_first() {
            remove_checkpoint(self.dir, key);
        }
    }

    /// Opens a table that must exist.
    pub(super) fn open(&self, key: &TableKey) -> Result<TableFile> {
        let opened = open_table(self.dir, key, Layout::Packed, Access::READ);
        let found = || vanished(&self.dir.join(key.file_name()));
        self.context.processes.all(opened.and_then(|table| table.ok_or_else(found)))
    }
}
