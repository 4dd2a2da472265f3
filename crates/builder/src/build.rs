//! The build: finds missing tables, solves units in order, and writes files.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_storage::{Access, AtomicFile, Operation, Stopwatch};
use fanorona_tablebase::format::{PARTIAL, TableFile};
use fanorona_tablebase::orbits::OrbitSets;
use fanorona_tablebase::{Layout, Result, Slice, TableError, TableKey, Task, Unit, open_table};

use super::backend::Solver;
use super::checkpoint::{CheckpointStore, remove_checkpoint};
use super::context::BuildContext;
use super::directory::{DirectoryLock, vanished};
use super::estimate::{BuildPlan, exists};
use super::method::Method;
use super::options::BuildOptions;
use super::plans::PlannedUnits;
use super::processes::{Alone, ProcessGroup, Processes};
use super::progress::{Activity, CheckpointEvent, Part, Progress};
use super::sizes::Sizes;
use super::work::Step;

/// The result of a build.
#[derive(Debug)]
#[non_exhaustive]
pub struct BuildReport {
    /// All tables of the goal, smaller ones first.
    pub tables: Vec<TableFile>,
    /// The number of tables that this build has written.
    pub written: usize,
    /// The last event of each unit whose last checkpoint could not be written. The tables are complete.
    /// But if the build had been killed, more work would have been lost.
    pub unsaved_checkpoints: Vec<CheckpointEvent>,
}

/// Builds every missing table of the goal. Uses all threads of the current rayon pool.
///
/// A file with a table's name is always complete. A killed build loses the work since the last
/// checkpoint of the current unit. A stopped build saves a checkpoint. The next build continues
/// from the checkpoint. A checkpoint that cannot be written does not end the build.
///
/// Existing tables are opened when the build starts. If one is deleted later, the build continues
/// with the open file.
///
/// # Errors
/// - [`TableError::Resources`] if there is too little memory or disk space; checked before work
///   starts.
/// - [`TableError::Busy`] if another build is running in the directory.
/// - [`TableError::Stopped`] soon after `stop` is set.
/// - Others if an existing table is damaged, if writing fails, or if the slices cannot have tables.
///
/// # The vela
/// The goal's tables are those of both phases. The second phase has those of the rules without the
/// vela. The first phase has two for each unit, one for each [`Role`](fanorona_tablebase::Role) of the side to
/// move. They are solved after all others.
pub fn build(
    options: &BuildOptions,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<BuildReport> {
    build_distributed(options, progress, stop, &Alone)
}

/// Builds every missing table of the goal with several processes. Each of them calls this function
/// with the same options. The directory of the tables has to be shared by all. Each process writes a
/// part of each table. The files are those that [`build`] writes, byte for byte.
///
/// Several processes always work by rows. Checkpoints do not depend on the number of processes: a
/// build that was stopped can go on with more, fewer or one.
///
/// # Errors
/// As for [`build`], and [`TableError::OneProcess`], [`TableError::OtherBuild`],
/// [`TableError::OtherProcess`], [`TableError::Exchange`] and [`TableError::NotShared`]. An error of one
/// process ends the build of all.
pub fn build_distributed(
    options: &BuildOptions,
    progress: &dyn Progress,
    stop: &AtomicBool,
    processes: &dyn ProcessGroup,
) -> Result<BuildReport> {
    let (dir, processes) = (&options.dir, Processes(processes));
    check_same(options, processes)?;
    let plan = |is_there: &dyn Fn(Slice) -> bool| {
        let planned = BuildPlan::new(options, processes.count(), is_there);
        processes.all(planned.and_then(|planned| planned.checked(options.board)))
    };
    plan(&|slice| exists(options, slice))?;
    let lock = || {
        fs::create_dir_all(dir).map_err(TableError::io(Operation::CreateDirectory, dir))?;
        DirectoryLock::new(dir)
    };
    let _lock = processes.all(processes.is_first().then(lock).transpose())?;
    check_shared(dir, processes)?;

    let units = processes.all(open_units(options))?;
    let is_there = |slice: Slice| {
        units
            .iter()
            .flat_map(|unit| &unit.tables)
            .any(|(key, table)| key.slice == slice && table.is_some())
    };
    // Tables may have changed before the lock.
    let planned = plan(&is_there)?;

    let sets = OrbitSets::for_builders(options.board);
    let context = BuildContext {
        sets: &sets,
        sizes: Sizes::of(options.in_small_parts),
        metric: options.metric,
        memory: planned.estimate.memory_available,
        task: Task::Build(options.goal),
        scratch_dir: options.scratch_dir(),
        progress,
        stop,
        processes,
    };
    let build = UnitBuild { context, dir, interval: options.checkpoint };
    let mut report =
        BuildReport { tables: Vec::new(), written: 0, unsaved_checkpoints: Vec::new() };
    // The last solver, with its plan. Another one begins without slices.
    let mut last: Option<(&PlannedUnits, Box<dyn Solver>)> = None;
    for (index, tables) in units.into_iter().enumerate() {
        let unit = tables.unit;
        let process = index % processes.count();
        let of_unit = planned.of(unit);
        let steps: Vec<_> = of_unit.steps.iter().filter(|step| step.of == unit).collect();
        let Some((step, loads)) = steps.split_last() else {
            build.read(None, tables, process, &mut report)?;
            continue;
        };
        let (_, solver) = match last.take() {
            Some(solver) if std::ptr::eq(solver.0, of_unit) => last.insert(solver),
            _ => last.insert((of_unit, of_unit.plan.start(context))),
        };
        solver.retain(&|slice| step.before.contains(&slice));
        for load in loads {
            for &slice in &load.slices {
                if !solver.has(slice) {
                    let key = TableKey::new(options.board, &options.rules, slice, options.metric);
                    solver.load(load.unit, &build.open(&key)?, true)?;
                }
            }
        }
        match step.is_solved {
            true => build.solve(solver.as_mut(), tables, step, of_unit.method, &mut report)?,
            false => build.read(Some((solver.as_mut(), step)), tables, process, &mut report)?,
        }
    }
    Ok(report)
}

fn check_same(options: &BuildOptions, processes: Processes<'_>) -> Result<()> {
    let BuildOptions { board, rules, goal, metric, checkpoint, .. } = options;
    let version = env!("CARGO_PKG_VERSION");
    let build = format!("{version} {board} {rules} {goal} {metric} {checkpoint:?}");
    let all = processes.gather(Ok(build))?;
    match all.iter().position(|build| *build != all[0]) {
        Some(process) => Err(TableError::OtherBuild { process }),
        None => Ok(()),
    }
}

/// Checks that all processes see a file that the first one creates in a directory.
fn check_shared(dir: &Path, processes: Processes<'_>) -> Result<()> {
    if processes.is_alone() {
        return Ok(());
    }
    let create = || AtomicFile::create(dir.join("shared"), PARTIAL);
    let file =
        processes.all(processes.is_first().then(create).transpose().map_err(TableError::from))?;
    let path = file.as_ref().and_then(|file| file.partial_path());
    let name = path.and_then(|path| path.file_name()?.to_str()).unwrap_or_default();
    let names = processes.gather(Ok(name.to_owned()))?;
    let all = processes.gather(Ok(dir.join(&names[0]).exists()))?;
    match all.iter().position(|sees| !sees) {
        Some(process) => Err(TableError::NotShared { dir: dir.to_owned(), process }),
        None => Ok(()),
    }
}

/// A unit with its tables. `None` is a missing table.
struct UnitTables {
    unit: Unit,
    tables: Vec<(TableKey, Option<TableFile>)>,
}

/// Opens the tables of a build's units, in the order of solving.
fn open_units(options: &BuildOptions) -> Result<Vec<UnitTables>> {
    let BuildOptions { dir, board, rules, goal, metric, .. } = options;
    let open = |slice: Slice| {
        let key = TableKey::new(*board, rules, slice, *metric);
        Ok((key, open_table(dir, &key, Layout::Packed, Access::READ)?))
    };
    let tables = |unit: Unit| unit.slices().map(open).collect::<Result<_>>();
    let units = goal.units(*board, rules).into_iter();
    units.map(|unit| Ok(UnitTables { unit, tables: tables(unit)? })).collect()
}

/// How the units of a build are built.
struct UnitBuild<'b> {
    context: BuildContext<'b>,
    dir: &'b Path,
    interval: Option<Duration>,
}

impl UnitBuild<'_> {
    /// Solves a unit by a method, and writes its missing tables. What it needs must be loaded or solved.
    /// The solver keeps the slices that later units need.
    fn solve(
        &self,
        solver: &mut dyn Solver,
        UnitTables { unit, tables }: UnitTables,
        step: &Step,
        method: Method,
        report: &mut BuildReport,
    ) -> Result<()> {
        let &Self { context, dir, interval } = self;
        let BuildContext { progress, processes, .. } = context;
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
        report.unsaved_checkpoints.extend(checkpoints.unsaved);
        remove_checkpoint(dir, &key, processes);
        Ok(())
    }

    /// Reads the tables of a unit, of which none is missing: a solver loads those that later units need;
    /// the given process checks the others.
    fn read(
        &self,
        mut solver: Option<(&mut dyn Solver, &Step)>,
        UnitTables { unit, tables }: UnitTables,
        process: usize,
        report: &mut BuildReport,
    ) -> Result<()> {
        let BuildContext { progress, processes, .. } = self.context;
        remove_checkpoint(self.dir, &tables[0].0, processes);
        for (key, table) in tables {
            let Some(table) = table else { continue };
            let watch = Stopwatch::start();
            let result = match &mut solver {
                Some((solver, step)) if step.is_kept(key.slice) => {
                    solver.load(unit, &table, true).map(drop)
                }
                _ if process != processes.index() => Ok(()),
                _ => {
                    progress.begin(unit, Activity::Load, table.metadata().values);
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

    /// Opens a table that must exist.
    fn open(&self, key: &TableKey) -> Result<TableFile> {
        let opened = open_table(self.dir, key, Layout::Packed, Access::READ);
        let found = || vanished(&self.dir.join(key.file_name()));
        self.context.processes.all(opened.and_then(|table| table.ok_or_else(found)))
    }
}
