//! The build: finds missing tables, solves units in order, and writes files.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_storage::{AtomicFile, Operation};

use super::context::BuildContext;
use super::directory::DirectoryLock;
use super::estimate::{Estimate, estimate_together};
use super::first_phase::build_first_phase;
use super::methods::{check_numbers, new_builder};
use super::options::BuildOptions;
use super::progress::Progress;
use super::ranks::{Alone, Group, Ranks};
use super::schedule::{is_needed, units_to_process};
use super::unit_build::{UnitBuild, UnitPlan};
use super::unit_tables::{BuildReport, open_units};
use crate::error::{Result, TableError, Task};
use crate::format::PARTIAL;
use crate::orbits::OrbitSets;
use crate::slice::PhaseSlice;

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
/// vela. The first phase has two for each unit, one for each [`Role`](crate::Role) of the side to
/// move. They are solved after all others, each unit by rows or plainly, see
/// [`SliceEstimate::method`](crate::SliceEstimate::method).
pub fn build(
    options: &BuildOptions,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<BuildReport> {
    build_together(options, progress, stop, &Alone)
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
/// [`TableError::OtherRank`], [`TableError::Ranks`] and [`TableError::NotShared`]. An error of one
/// process ends the build of all.
pub fn build_together(
    options: &BuildOptions,
    progress: &dyn Progress,
    stop: &AtomicBool,
    ranks: &dyn Ranks,
) -> Result<BuildReport> {
    let (dir, group) = (&options.dir, Group(ranks));
    check_same(options, group)?;
    let estimated = group.all(checked_estimate(options, group))?;
    let lock = || {
        fs::create_dir_all(dir).map_err(TableError::io(Operation::CreateDirectory, dir))?;
        DirectoryLock::new(dir)
    };
    let _lock = group.all(group.is_first().then(lock).transpose())?;
    check_shared(dir, group)?;

    // The lock keeps other builds out. But tables may have changed between the estimate and the
    // lock.
    let units = group.all(open_units(options))?;
    let is_there = |slice: PhaseSlice| {
        units
            .iter()
            .flat_map(|unit| &unit.tables)
            .any(|(key, table)| key.phase_slice() == slice && table.is_some())
    };
    let estimated = match estimated.is_about(&is_there) {
        true => Ok(estimated),
        false => Estimate::new(options, group.count(), &is_there),
    };
    let estimated = estimated.and_then(|estimated| estimated.check().map(|()| estimated));
    let estimated = group.all(estimated)?;

    let sets = OrbitSets::for_builders(options.board);
    let columns = Default::default();
    let context = BuildContext {
        sets: &sets,
        metric: options.metric,
        plan: &estimated.plan,
        memory: estimated.memory_available,
        task: Task::Build(options.goal),
        work: options.work_dir(),
        progress,
        stop,
        group,
    };
    let (first_phase, units): (Vec<_>, Vec<_>) =
        units.into_iter().partition(|unit| unit.unit.is_first_phase());
    let method = estimated.method;
    let mut builder = new_builder(method, context, &columns);
    let build = UnitBuild { context, dir, interval: options.checkpoint };
    let all: Vec<_> = units.iter().map(|unit| unit.unit).collect();
    let missing = estimated.units_missing();
    let missing: Vec<_> = missing.into_iter().filter(|unit| !unit.is_first_phase()).collect();
    let mut to_process = units_to_process(&all, &missing);
    let mut report =
        BuildReport { tables: Vec::new(), written: 0, unsaved_checkpoints: Vec::new() };
    for (place, tables) in units.into_iter().enumerate() {
        builder.retain(&|slice| is_needed(slice, &to_process));
        let is_loaded = to_process.contains(&tables.unit);
        to_process.retain(|later| *later != tables.unit);
        let plan = UnitPlan {
            method,
            is_loaded,
            rank: place % group.count(),
            is_needed: &|slice| is_needed(slice, &to_process),
            depends_on: &|_| true,
        };
        build.build(builder.as_mut(), tables, &plan, &mut report)?;
    }
    drop(builder);
    build_first_phase(build, &columns, &estimated.first_phase, first_phase, &mut report)?;
    Ok(report)
}

/// Estimates a build, and checks that it can be done.
fn checked_estimate(options: &BuildOptions, group: Group<'_>) -> Result<Estimate> {
    let estimated = estimate_together(options, group.count())?;
    let slices = estimated.slices.iter().filter(|slice| slice.role.is_none());
    let slices = slices.map(|slice| slice.slice);
    check_numbers(estimated.method, options.board, slices)?;
    estimated.first_phase.check_numbers(options.board)?;
    estimated.check()?;
    Ok(estimated)
}

/// Checks that all processes build the same, with the same version.
fn check_same(options: &BuildOptions, group: Group<'_>) -> Result<()> {
    let BuildOptions { board, rules, goal, metric, checkpoint, .. } = options;
    let version = env!("CARGO_PKG_VERSION");
    let build = format!("{version} {board} {rules} {goal} {metric} {checkpoint:?}");
    let all = group.gather(Ok(build.into_bytes()))?;
    match all.iter().position(|build| *build != all[0]) {
        Some(rank) => Err(TableError::OtherBuild { rank }),
        None => Ok(()),
    }
}

/// Checks that all processes see a file that the first one creates in a directory.
fn check_shared(dir: &Path, group: Group<'_>) -> Result<()> {
    if group.is_alone() {
        return Ok(());
    }
    let create = || AtomicFile::create(dir.join("shared"), PARTIAL);
    let file = group.all(group.is_first().then(create).transpose().map_err(TableError::from))?;
    let path = file.as_ref().and_then(|file| file.partial_path());
    let name = path.and_then(|path| path.file_name()?.to_str()).unwrap_or_default();
    let sees = dir.join(group.text_of_first(name)?).exists();
    let all = group.gather_numbers(Ok(vec![sees.into()]))?;
    match all.iter().position(|sees| *sees != [1]) {
        Some(rank) => Err(TableError::NotShared { dir: dir.to_owned(), rank }),
        None => Ok(()),
    }
}
