//! Unpacking: makes unpacked tables, which have a value for every index.
//!
//! Packed tables leave out positions that captures decide. To recompute these one by one would take
//! longer than building. But builders recompute them for whole slices when they load tables, so
//! unpacking uses a builder's `load`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, RuleSet};
use fanorona_storage::Access;

use super::context::{BuildContext, MemoryBudget, check_distances};
use super::directory::{DirectoryLock, vanished};
use super::memory::MemoryPlan;
use super::methods::new_builder;
use super::options::Method;
use super::plan::method_to_load;
use super::progress::{Phase, Progress};
use crate::error::{Resource, Result, TableError, Task};
use crate::format::{Packing, TableFile, UnpackedFile, write_unpacked};
use crate::orbits::OrbitSets;
use crate::probe::{Tables, open_unpacked};
use crate::resources::{check_room, disk_available, memory_available};
use crate::slice::{Slice, Unit};
use crate::stop::check_stop;
use crate::value::Metric;

/// What to unpack.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_tablebase::{Metric, UnpackOptions};
/// let options = UnpackOptions::new("tables", Board::tsivy(), RuleSet::STANDARD)
///     .with_stones(4)
///     .with_metric(Metric::Wdl);
/// assert_eq!(options.stones, Some(4));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnpackOptions {
    /// The directory of the packed tables, and of the unpacked ones.
    pub dir: PathBuf,
    /// The board.
    pub board: Board,
    /// The rule set.
    pub rules: RuleSet,
    /// Unpacks all slices with up to this number of stones, which must exist. With `None`, the
    /// default, all existing tables.
    pub stones: Option<u32>,
    /// Unpacks the tables of this metric. With `None`, the default, those of every metric that
    /// exists.
    pub metric: Option<Metric>,
    /// How values that packed tables leave out are computed. All methods write the same files.
    pub method: Method,
}

impl UnpackOptions {
    /// Options with the defaults described at the fields.
    pub fn new(dir: impl Into<PathBuf>, board: Board, rules: RuleSet) -> Self {
        let (stones, metric, method) = Default::default();
        Self { dir: dir.into(), board, rules, stones, metric, method }
    }

    /// Sets [`stones`](Self::stones).
    #[must_use]
    pub fn with_stones(self, stones: impl Into<Option<u32>>) -> Self {
        Self { stones: stones.into(), ..self }
    }

    /// Sets [`metric`](Self::metric).
    #[must_use]
    pub fn with_metric(self, metric: impl Into<Option<Metric>>) -> Self {
        Self { metric: metric.into(), ..self }
    }

    /// Sets [`method`](Self::method).
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }
}

/// The result of unpacking.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct UnpackReport {
    /// The requested unpacked tables, by metric, smaller ones first.
    pub tables: Vec<UnpackedFile>,
    /// The number of tables that were written now.
    pub written: usize,
}

/// The work for one metric.
struct Plan {
    metric: Metric,
    /// The slices whose unpacked tables are requested.
    asked: Vec<Slice>,
    /// Those of them that are missing or cannot be used.
    missing: BTreeSet<Slice>,
    /// The slices whose values have to be loaded.
    needed: BTreeSet<Slice>,
}

impl Plan {
    /// The memory that it takes. Loading takes no more than solving.
    fn memory(
        &self,
        options: &UnpackOptions,
        method: Method,
        available: Option<u64>,
    ) -> MemoryPlan {
        let UnpackOptions { board, ref rules, .. } = *options;
        let units = self.units();
        MemoryPlan::new(board, rules, &units, &units, method, self.metric, available)
    }

    /// The units of the slices that have to be loaded, smaller ones first.
    fn units(&self) -> Vec<Unit> {
        let mut units: Vec<_> = self.needed.iter().map(|slice| Unit::of(*slice)).collect();
        units.sort_unstable_by_key(|unit| (unit.stronger().stones(), unit.stronger().own));
        units.dedup();
        units
    }
}

/// Unpacks the tables that have no unpacked table yet, or one that was made from another table, has
/// another version, or is damaged in its header.
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
    let UnpackOptions { ref dir, board, rules, .. } = *options;
    let tables = Tables::open(dir, board, rules)?;
    let _lock = DirectoryLock::new(dir)?;
    let plans = Metric::ALL
        .into_iter()
        .filter(|metric| options.metric.is_none_or(|wanted| wanted == *metric))
        .map(|metric| plan(options, &tables, metric))
        .collect::<Result<Vec<_>>>()?;
    check_resources(options, &tables, &plans)?;
    let mut report = UnpackReport::default();
    for plan in &plans {
        carry_out(options, &tables, plan, &mut report, progress, stop)?;
    }
    Ok(report)
}

fn missing(tables: &Tables, slice: Slice, metric: Metric) -> TableError {
    let (board, dir) = (tables.board(), tables.dir().to_owned());
    let rules = slice.rules(board, &tables.rules()).unwrap_or(tables.rules());
    TableError::Missing { slice, board, rules, metric: Some(metric), dir }
}

/// A table that must exist.
fn packed(tables: &Tables, slice: Slice, metric: Metric) -> Result<&TableFile> {
    tables.table(slice, metric)?.ok_or_else(|| missing(tables, slice, metric))
}

fn plan(options: &UnpackOptions, tables: &Tables, metric: Metric) -> Result<Plan> {
    let board = options.board;
    let most = options.stones.unwrap_or(2 * board.max_stones());
    let (mut asked, mut absent) = (Vec::new(), None);
    for slice in Unit::up_to(board, most).flat_map(Unit::slices) {
        match tables.table(slice, metric) {
            Ok(Some(_)) => asked.push(slice),
            Ok(None) => absent = absent.or(Some(slice)),
            Err(TableError::VelaPhase1 { .. }) if options.stones.is_none() => {}
            Err(error) => return Err(error),
        }
    }
    // A metric that was not requested by name need not have any table.
    let named = options.metric.is_some() || !asked.is_empty();
    if let Some(slice) = absent.filter(|_| options.stones.is_some() && named) {
        return Err(missing(tables, slice, metric));
    }
    let (mut missing, mut needed) = (BTreeSet::new(), BTreeSet::new());
    for slice in asked.iter().rev().copied() {
        match open_unpacked(&options.dir, packed(tables, slice, metric)?, Access::READ) {
            Ok(Some(_)) => {}
            Ok(None)
            | Err(
                TableError::Foreign { .. }
                | TableError::Corrupt { .. }
                | TableError::Version { .. },
            ) => {
                missing.insert(slice);
                needed.insert(slice);
            }
            Err(error) => return Err(error),
        }
    }
    // Values that are not stored follow from the slices that captures lead to, recursively.
    let mut to_look_at: Vec<_> = needed.iter().copied().collect();
    while let Some(slice) = to_look_at.pop() {
        let table = packed(tables, slice, metric)?;
        check_distances(table)?;
        if !table.metadata().captures_stored {
            to_look_at.extend(slice.after_captures().filter(|after| needed.insert(*after)));
        }
    }
    Ok(Plan { metric, asked, missing, needed })
}

/// Checks that the available memory and disk space are enough.
fn check_resources(options: &UnpackOptions, tables: &Tables, plans: &[Plan]) -> Result<()> {
    let (mut disk, mut most) = (0, 0);
    for plan in plans {
        let Some(stones) = plan.needed.iter().map(|slice| slice.stones()).max() else { continue };
        most = most.max(stones);
        let available = memory_available();
        let method = method_to_load(options.method, options.board, &plan.units())?;
        let needed = plan.memory(options, method, available).needed;
        check_room(Task::Unpack { stones }, Resource::Memory, needed, available)?;
        for slice in &plan.missing {
            let metadata = packed(tables, *slice, plan.metric)?.metadata();
            let packing = Packing::from_bits(metadata.bits).expect("the table was opened");
            disk += packing.bytes(metadata.values as usize) as u64;
        }
    }
    check_room(Task::Unpack { stones: most }, Resource::Disk, disk, disk_available(&options.dir))
}

fn carry_out(
    options: &UnpackOptions,
    tables: &Tables,
    plan: &Plan,
    report: &mut UnpackReport,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<()> {
    let UnpackOptions { ref dir, board, .. } = *options;
    let &Plan { metric, ref asked, ref missing, ref needed } = plan;
    let (sets, columns) = (OrbitSets::new(board), Default::default());
    let stones = needed.iter().map(|slice| slice.stones()).max().unwrap_or(0);
    let available = memory_available();
    let method = method_to_load(options.method, board, &plan.units())?;
    let memory = plan.memory(options, method, available);
    let context = BuildContext {
        sets: &sets,
        metric,
        max_stones: stones,
        memory: MemoryBudget { task: Task::Unpack { stones }, needed: memory.needed, available },
        plan: &memory,
        progress,
        stop,
    };
    let mut builder = new_builder(method, context, &columns);
    for unit in Unit::up_to(board, 2 * board.max_stones()) {
        for slice in unit.slices() {
            let asked = asked.contains(&slice);
            let written = missing.contains(&slice);
            if needed.contains(&slice) {
                let table = packed(tables, slice, metric)?;
                builder.load(unit, table)?;
                if written {
                    let path = dir.join(table.metadata().key().unpacked_name());
                    progress.begin(unit, Phase::Write, table.metadata().values);
                    write_unpacked(&path, table, |first, codes| {
                        check_stop(stop)?;
                        builder.values(slice, first, codes);
                        progress.advance(codes.len() as u64);
                        Ok(())
                    })?;
                }
            }
            if asked {
                let file = open_unpacked(dir, packed(tables, slice, metric)?, Access::READ)?
                    .ok_or_else(|| vanished(dir))?;
                progress.unpacked(&file, written);
                report.written += usize::from(written);
                report.tables.push(file);
            }
        }
    }
    Ok(())
}
