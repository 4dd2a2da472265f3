//! Unpacking: makes unpacked tables, which have a value for every index.
//!
//! Packed tables leave out positions that captures decide. To recompute these one by one would take
//! longer than building. But solvers recompute them for whole slices when they load tables, so
//! unpacking uses the `load` of a solver.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, RuleSet};
use fanorona_storage::{Access, FileError, disk_available};
use fanorona_tablebase::format::write_table;
use fanorona_tablebase::orbits::OrbitSets;
use fanorona_tablebase::{
    Layout, Metric, Resource, Result, Selection, Slice, TableError, TableFile, Tables,
    TablesOptions, Task, Unit, check_room, check_stop, memory_available, open_table,
};

use super::context::{BuildContext, check_distances};
use super::directory::{DirectoryLock, vanished};
use super::method::Method;
use super::plans::PlannedUnits;
use super::processes::{Alone, Processes};
use super::progress::{Activity, Progress};
use super::sizes::Sizes;
use super::work::Work;

/// The selection of tables to unpack, and where and how.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_builder::UnpackOptions;
/// use fanorona_tablebase::{Metric, Selection};
/// let options = UnpackOptions::new("tables", Board::tsivy(), RuleSet::STANDARD)
///     .with_selection(Selection::up_to(4))
///     .with_metric(Metric::Wdl);
/// assert_eq!(options.selection.stones, Some(4));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct UnpackOptions {
    /// The directory of the packed tables, and of the unpacked ones.
    pub dir: PathBuf,
    pub board: Board,
    /// The rule set. In the vela, only tables of the second phase are unpacked: those of the first
    /// phase have all values.
    pub rules: RuleSet,
    /// The slices to unpack. By default, all existing tables. With any other selection, the tables
    /// of all of its slices must exist.
    pub selection: Selection,
    /// Unpacks the tables of this metric. With `None`, the default, those of every metric that
    /// exists.
    pub metric: Option<Metric>,
    /// How values that packed tables leave out are computed, for tests. All methods write the same
    /// files. With `None`, the default, one is chosen as for a build.
    #[doc(hidden)]
    pub method: Option<Method>,
    /// Works in the smallest parts, for tests.
    #[doc(hidden)]
    pub in_small_parts: bool,
}

impl UnpackOptions {
    /// Options with the defaults described at the fields.
    pub fn new(dir: impl Into<PathBuf>, board: Board, rules: RuleSet) -> Self {
        let (selection, metric, method, in_small_parts) = Default::default();
        Self { dir: dir.into(), board, rules, selection, metric, method, in_small_parts }
    }

    /// Sets [`selection`](Self::selection).
    #[must_use]
    pub fn with_selection(self, selection: impl Into<Selection>) -> Self {
        Self { selection: selection.into(), ..self }
    }

    /// Sets [`metric`](Self::metric).
    #[must_use]
    pub fn with_metric(self, metric: impl Into<Option<Metric>>) -> Self {
        Self { metric: metric.into(), ..self }
    }
}

/// The result of unpacking.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct UnpackReport {
    /// The requested unpacked tables, by metric, smaller ones first.
    pub tables: Vec<TableFile>,
    /// The number of tables that were written now.
    pub written: usize,
}

/// The work for one metric.
struct MetricPlan {
    metric: Metric,
    /// The slices whose unpacked tables are requested.
    asked: Vec<Slice>,
    /// Those of them that are missing or cannot be used.
    missing: BTreeSet<Slice>,
    /// The slices whose values have to be loaded.
    needed: BTreeSet<Slice>,
}

impl MetricPlan {
    /// The number of stones of the largest slice that is read.
    fn stones(&self) -> u32 {
        self.needed.iter().map(|slice| slice.stones()).max().unwrap_or(0)
    }

    /// The units that are read, in the order of reading.
    fn units(&self) -> Vec<Unit> {
        let mut units: Vec<_> = self.needed.iter().map(|slice| Unit::of(*slice)).collect();
        units.sort_unstable_by_key(|unit| (unit.stronger().stones(), unit.stronger().own));
        units.dedup();
        units
    }

    /// How the units are loaded.
    fn of_units(&self, options: &UnpackOptions, available: Option<u64>) -> PlannedUnits {
        let UnpackOptions { board, ref rules, method, in_small_parts, .. } = *options;
        let (metric, units) = (self.metric, &self.units()[..]);
        let sizes = Sizes::of(in_small_parts);
        let work = Work {
            board,
            rules,
            metric,
            units,
            to_process: units,
            missing: &[],
            processes: 1,
            sizes,
        };
        PlannedUnits::new(method, work, available)
    }
}

/// Unpacks the tables that have no unpacked table yet, or one with other counts, of another version, or
/// damaged in its header.
///
/// Takes no more memory than building the same slices, and some tens of seconds for 9x5 up to 7
/// stones. Takes 2 bits of disk space per index of a `wdl` table, and 8 or 16 bits per index of a
/// `dtw` table. A file with an unpacked table's name is always complete.
///
/// # Errors
/// - [`TableError::Resources`] if there is too little memory or disk space; checked before work
///   starts.
/// - [`TableError::Missing`] if a table that is requested or needed does not exist.
/// - [`TableError::Busy`] if a build is running in the directory.
/// - [`TableError::Stopped`] soon after `stop` is set.
/// - Others if a table is damaged or writing fails.
pub fn unpack(
    options: &UnpackOptions,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<UnpackReport> {
    let tables = packed_tables(options)?;
    let _lock = DirectoryLock::new(&options.dir)?;
    let plans = plans(options, &tables)?;
    let [memory, disk] = needs(options, &tables, &plans)?;
    let task = Task::Unpack { stones: plans.iter().map(MetricPlan::stones).max().unwrap_or(0) };
    check_room(task, Resource::Memory, memory, memory_available())?;
    check_room(task, Resource::Disk, disk, disk_available(&options.dir))?;
    let mut report = UnpackReport::default();
    for plan in &plans {
        carry_out(options, &tables, plan, &mut report, progress, stop)?;
    }
    Ok(report)
}

/// The bytes of memory that some work takes, and of disk space for the tables that are not there yet.
fn needs(options: &UnpackOptions, tables: &Tables, plans: &[MetricPlan]) -> Result<[u64; 2]> {
    let (mut memory, mut disk) = (0, 0u64);
    for plan in plans {
        for slice in &plan.missing {
            let metadata = tables.existing(*slice, plan.metric)?.metadata();
            disk = disk.saturating_add(metadata.unpacked_bytes());
        }
        if !plan.needed.is_empty() {
            let planned = plan.of_units(options, memory_available());
            planned.check(options.board)?;
            memory = planned.plan.memory().needed.max(memory);
        }
    }
    Ok([memory, disk])
}

/// The packed tables of the second phase in the directory.
fn packed_tables(options: &UnpackOptions) -> Result<Tables> {
    let (board, rules) = (options.board, options.rules.without_vela());
    let packed = TablesOptions { unpacked: false, ..TablesOptions::default() };
    Tables::open_dirs(&[&options.dir], board, rules, packed)
}

/// The work for all metrics.
fn plans(options: &UnpackOptions, tables: &Tables) -> Result<Vec<MetricPlan>> {
    let metrics =
        Metric::ALL.into_iter().filter(|metric| options.metric.is_none_or(|m| m == *metric));
    let plans: Vec<_> =
        metrics.map(|metric| plan(options, tables, metric)).collect::<Result<_>>()?;
    let is_planned = |slice: &Slice| plans.iter().any(|plan| plan.asked.contains(slice));
    match options.selection.slices.iter().find(|slice| !is_planned(slice)) {
        Some(slice) => Err(tables.missing(&tables.rules(), *slice, options.metric)),
        None => Ok(plans),
    }
}

fn plan(options: &UnpackOptions, tables: &Tables, metric: Metric) -> Result<MetricPlan> {
    let (mut asked, mut absent) = (Vec::new(), None);
    let all = Unit::up_to(options.board, 2 * options.board.max_stones()).flat_map(Unit::slices);
    for slice in all.filter(|slice| options.selection.contains(*slice)) {
        match tables.table(slice, metric)? {
            Some(_) => asked.push(slice),
            None => absent = absent.or(Some(slice)),
        }
    }
    // A metric that was not requested by name need not have any table.
    let named = options.metric.is_some() || !asked.is_empty();
    if let Some(slice) = absent.filter(|_| !options.selection.is_all() && named) {
        return Err(tables.missing(&tables.rules(), slice, Some(metric)));
    }
    let mut missing = BTreeSet::new();
    for slice in asked.iter().rev().copied() {
        let metadata = tables.existing(slice, metric)?.metadata();
        match open_table(&options.dir, &metadata.key(), Layout::Unpacked, Access::READ) {
            Ok(Some(found)) if *found.metadata() == metadata.unpacked() => {}
            Ok(_)
            | Err(TableError::File(FileError::Corrupt { .. } | FileError::Version { .. })) => {
                missing.insert(slice);
            }
            Err(error) => return Err(error),
        }
    }
    // Values that are not stored follow from the slices that captures lead to, recursively.
    let mut needed = missing.clone();
    let mut to_look_at: Vec<_> = missing.iter().copied().collect();
    while let Some(slice) = to_look_at.pop() {
        let table = tables.existing(slice, metric)?;
        check_distances(table, Sizes::of(options.in_small_parts))?;
        if !table.metadata().captures_stored {
            to_look_at.extend(slice.after_captures().filter(|after| needed.insert(*after)));
        }
    }
    Ok(MetricPlan { metric, asked, missing, needed })
}

fn carry_out(
    options: &UnpackOptions,
    tables: &Tables,
    plan: &MetricPlan,
    report: &mut UnpackReport,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<()> {
    let UnpackOptions { ref dir, board, .. } = *options;
    let &MetricPlan { metric, ref asked, ref missing, ref needed } = plan;
    let (sets, memory) = (OrbitSets::for_builders(board), memory_available());
    let planned = plan.of_units(options, memory);
    let context = BuildContext {
        sets: &sets,
        sizes: Sizes::of(options.in_small_parts),
        metric,
        memory,
        task: Task::Unpack { stones: plan.stones() },
        scratch_dir: dir,
        progress,
        stop,
        processes: Processes(&Alone),
    };
    let mut solver = planned.plan.start(context);
    for unit in Unit::up_to(board, 2 * board.max_stones()) {
        let step = planned.steps.iter().find(|step| step.unit == unit);
        for slice in unit.slices() {
            let written = missing.contains(&slice);
            if let Some(step) = step.filter(|_| needed.contains(&slice)) {
                let table = tables.existing(slice, metric)?;
                solver.retain(&|slice| step.before.contains(&slice) || step.is_kept(slice));
                let loaded = solver.load(unit, table, step.is_kept(slice))?;
                if written {
                    let path = dir.join(table.metadata().key().file_name_in(Layout::Unpacked));
                    progress.begin(unit, Activity::Write, table.metadata().values);
                    write_table(&path, &table.metadata().unpacked(), |first, codes| {
                        check_stop(stop)?;
                        loaded.values(first, codes)?;
                        progress.advance(codes.len() as u64);
                        Ok(())
                    })?;
                }
            }
            if asked.contains(&slice) {
                let key = tables.existing(slice, metric)?.metadata().key();
                let file = open_table(dir, &key, Layout::Unpacked, Access::READ)?
                    .ok_or_else(|| vanished(dir))?;
                progress.finished(&file, written);
                report.written += usize::from(written);
                report.tables.push(file);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildOptions, build};

    #[test]
    fn needs_are_those_of_the_missing_tables() {
        let (dir, stop) = (fanorona_tests::directory().unwrap(), AtomicBool::new(false));
        let (board, rules) = ("5x3".parse().unwrap(), RuleSet::STANDARD);
        for metric in Metric::ALL {
            let built = BuildOptions::new(dir.path(), board, rules, 5).with_metric(metric);
            build(&built, &(), &stop).unwrap();
        }
        for method in Method::ALL {
            let named = ["3v2", "1v2"].map(|name| name.parse().unwrap());
            let mut options = UnpackOptions::new(dir.path(), board, rules)
                .with_selection(Selection::up_to(2).with_slices(named));
            options.method = Some(method);
            let of = |options: &UnpackOptions| {
                let tables = packed_tables(options).unwrap();
                needs(options, &tables, &plans(options, &tables).unwrap()).unwrap()
            };
            let [memory, disk] = of(&options);
            let alone = Metric::ALL.map(|metric| of(&options.clone().with_metric(metric))[0]);
            assert_eq!(alone.into_iter().max(), Some(memory), "{method}");
            let report = unpack(&options, &(), &stop).unwrap();
            let written: u64 = report.tables.iter().map(TableFile::bytes).sum();
            let beyond = written - disk;
            assert!((64 * 6..600 * 6).contains(&beyond), "{beyond}");
            assert_eq!(of(&options), [0, 0], "nothing is read");
            for table in report.tables {
                std::fs::remove_file(table.path()).unwrap();
            }
        }
    }
}
