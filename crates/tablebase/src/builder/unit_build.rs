//! The build of one unit: solves it, writes its tables, and keeps its checkpoints.

use std::path::Path;
use std::time::Duration;

use fanorona_storage::Access;

use super::checkpoint::CheckpointStore;
use super::context::{BuildContext, SliceBuilder};
use super::directory::vanished;
use super::options::Method;
use super::progress::Part;
use super::unit_tables::{BuildReport, UnitTables, check};
use crate::clock::Stopwatch;
use crate::error::Result;
use crate::format::TableFile;
use crate::key::TableKey;
use crate::probe::open_table;
use crate::slice::{PhaseSlice, Unit};

/// How the units of a build are built.
#[derive(Clone, Copy)]
pub(super) struct UnitBuild<'b> {
    pub context: BuildContext<'b>,
    pub dir: &'b Path,
    pub interval: Option<Duration>,
}

/// The plan for a unit, beyond writing its missing tables.
pub(super) struct UnitPlan<'p> {
    pub method: Method,
    /// Whether its tables are loaded if none is missing. Otherwise one process checks them.
    pub is_loaded: bool,
    /// The process that checks it.
    pub rank: usize,
    /// The slices that later units need.
    pub is_needed: &'p dyn Fn(PhaseSlice) -> bool,
    /// Whether its values depend on a table. Says which tables a checkpoint is for.
    pub depends_on: &'p dyn Fn(&TableFile) -> bool,
}

impl UnitBuild<'_> {
    /// Builds a unit. What it needs must be loaded or solved.
    pub(super) fn build(
        &self,
        builder: &mut dyn SliceBuilder,
        UnitTables { unit, tables }: UnitTables,
        plan: &UnitPlan<'_>,
        report: &mut BuildReport,
    ) -> Result<()> {
        let &Self { context, dir, interval } = self;
        let BuildContext { progress, group, .. } = context;
        let key = tables[0].0;
        let depends_on = report.tables.iter().filter(|table| (plan.depends_on)(table));
        let method = plan.method.name();
        let mut checkpoints =
            CheckpointStore::new(dir, key, method, depends_on, interval, progress, group);
        let is_solved = tables.iter().any(|(_, table)| table.is_none());
        if is_solved {
            builder.solve(unit, &key.rules, plan.is_needed, &mut checkpoints)?;
        }
        for (key, table) in tables {
            let written = table.is_none();
            let table = match table {
                None => {
                    builder.write(unit, &key, &dir.join(key.file_name()))?;
                    self.open(&key)?
                }
                Some(table) => {
                    if !is_solved {
                        self.load_or_check(builder, unit, &table, plan)?;
                    }
                    table
                }
            };
            progress.finished(&table, written);
            report.written += usize::from(written);
            report.tables.push(table);
        }
        report.unsaved_checkpoints.extend(checkpoints.unsaved().cloned());
        if group.is_first() {
            checkpoints.remove();
        }
        Ok(())
    }

    /// Opens a table that must exist.
    pub(super) fn open(&self, key: &TableKey) -> Result<TableFile> {
        let opened = open_table(self.dir, key, Access::READ);
        let found = || vanished(&self.dir.join(key.file_name()));
        self.context.group.all(opened.and_then(|table| table.ok_or_else(found)))
    }

    fn load_or_check(
        &self,
        builder: &mut dyn SliceBuilder,
        unit: Unit,
        table: &TableFile,
        plan: &UnitPlan<'_>,
    ) -> Result<()> {
        let BuildContext { progress, group, .. } = self.context;
        let watch = Stopwatch::start();
        let result = match plan.is_loaded {
            true => builder.load(unit, table),
            false if plan.rank == group.rank() => check(unit, table, progress),
            // Another process checks it.
            false => Ok(()),
        };
        group.agree(result)?;
        progress.spent(unit, Part::Load, watch.read());
        Ok(())
    }
}
