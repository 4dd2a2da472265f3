//! Building: which slices are missing, in which order they are solved, and how they are written.
//!
//! How a unit is solved is another module's: [`rows`] works on whole rows of positions, by bits;
//! [`plain`] evaluates position by position until nothing changes, and is what the former is
//! compared with.

mod checkpoint;
pub(crate) mod estimate;
mod plain;
mod rows;
pub(crate) mod unpack;

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use fanorona_storage::{Access, Operation};

pub use self::checkpoint::Checkpoint;
use self::checkpoint::Keeper;
use crate::clock::{Spent, Stopwatch};
use crate::error::{Result, TableError};
use crate::format::{Metadata, PARTIAL, TableFile, UnpackedFile, WriteTimes};
use crate::goal::Goal;
use crate::key::{TableKey, captures_are_stored};
use crate::orbits::OrbitSets;
use crate::probe::open_table;
use crate::slice::{Slice, Unit};
use crate::value::{Code, Metric};

/// What to build, and where.
#[derive(Clone, Debug)]
pub struct BuildOptions<'a> {
    /// The directory; it is made if it is not there.
    pub dir: &'a Path,
    /// The board.
    pub board: Board,
    /// The rule set.
    pub rules: RuleSet,
    /// Which slices.
    pub goal: Goal,
    /// With or without distances.
    pub metric: Metric,
    /// How slices are solved; the files are the same.
    pub method: Method,
    /// How long to work on a unit until a checkpoint is saved, and from that one to the next.
    /// `None` for no checkpoints; one that is there is used all the same. The plain method has
    /// none.
    pub checkpoint: Option<Duration>,
    /// The memory that the build may take, bytes; `None` for what the system has available.
    pub memory: Option<u64>,
}

impl<'a> BuildOptions<'a> {
    /// By rows, with a checkpoint every three minutes.
    pub fn new(
        dir: &'a Path,
        board: Board,
        rules: RuleSet,
        goal: impl Into<Goal>,
        metric: Metric,
    ) -> Self {
        let (goal, method, checkpoint) = (goal.into(), Method::default(), Some(Self::CHECKPOINT));
        Self { dir, board, rules, goal, metric, method, checkpoint, memory: None }
    }

    /// The usual time between checkpoints.
    pub const CHECKPOINT: Duration = Duration::from_secs(180);
}

/// The units that are to be solved, and those to be loaded for them: loading finds again what
/// captures decide, and so rests on smaller slices as solving does.
fn at_work(units: &[Unit], missing: &[Unit]) -> Vec<Unit> {
    let mut at_work = Vec::new();
    for unit in units.iter().rev() {
        let is_needed = |slice| is_needed(slice, &at_work);
        if missing.contains(unit) || unit.slices().any(is_needed) {
            at_work.push(*unit);
        }
    }
    at_work.reverse();
    at_work
}

/// Whether a slice has to be in memory while these units are solved or loaded.
fn is_needed(slice: Slice, units: &[Unit]) -> bool {
    units.iter().any(|unit| unit.slices().any(|s| s.after_captures().any(|after| after == slice)))
}

/// How slices are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Whole rows of positions at a time, by bits.
    #[default]
    Rows,
    /// A position at a time, by its turns: slow, and obviously right.
    Plain,
}

/// What a builder is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Reading a table that is there already, for those that depend on it, or to see that it is
    /// good.
    Load,
    /// Positions decided by their captures.
    Captures,
    /// Paikas, one more turn of distance each round.
    Round(u32),
    /// Packing and writing.
    Write,
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Load => f.pad("load"),
            Self::Captures => f.pad("captures"),
            Self::Round(round) => f.pad(&format!("round {round}")),
            Self::Write => f.pad("write"),
        }
    }
}

/// What the time of a build goes into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Reading a table that is there already.
    Load,
    /// Positions decided by their captures.
    Captures,
    /// Paikas, but for transposition; and counting zugzwangs, while both sides' rows are there.
    Rounds,
    /// Passing from one side's rows to the other's, after captures and after every round.
    Transposition,
    /// Counting values.
    Count,
    /// Bringing values into the order of the index and into few bits. Overlaps with compression: a
    /// thread does one and then the other for each block, and the time by the clock is divided as
    /// that of the threads is.
    Pack,
    /// Compression.
    Compress,
    /// Writing compressed blocks, and waiting for the disk.
    Write,
}

impl Part {
    /// All of them, in the order of work.
    pub const ALL: [Self; 8] = [
        Self::Load,
        Self::Captures,
        Self::Rounds,
        Self::Transposition,
        Self::Count,
        Self::Pack,
        Self::Compress,
        Self::Write,
    ];

    /// `load`, `captures`, `rounds` and so on.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Captures => "captures",
            Self::Rounds => "rounds",
            Self::Transposition => "transposition",
            Self::Count => "count",
            Self::Pack => "pack",
            Self::Compress => "compress",
            Self::Write => "write",
        }
    }
}

/// Is told how a build goes on, and may end it. Methods are called from several threads.
pub trait Progress: Sync {
    /// A phase of a unit begins, with so many entries to go through.
    fn begin(&self, unit: Unit, phase: Phase, entries: u64) {
        let _ = (unit, phase, entries);
    }

    /// So many more entries are done.
    fn advance(&self, entries: u64) {
        let _ = entries;
    }

    /// A part of the work on a unit took so long; told once or more often.
    fn spent(&self, unit: Unit, part: Part, spent: Spent) {
        let _ = (unit, part, spent);
    }

    /// A unit's checkpoint was written or found.
    fn checkpoint(&self, unit: Unit, checkpoint: &Checkpoint) {
        let _ = (unit, checkpoint);
    }

    /// A slice's file is there, written now or found.
    fn finished(&self, table: &TableFile, written: bool) {
        let _ = (table, written);
    }

    /// An unpacked table is there, written now or found.
    fn unpacked(&self, table: &UnpackedFile, written: bool) {
        let _ = (table, written);
    }
}

impl Progress for () {}

/// The longest distance that the builder by rows can count.
pub(crate) const LONGEST_BY_ROWS: u16 = rows::LONGEST;

/// A way of solving slices, which keeps those that are solved in memory.
trait Solver: Sync {
    /// Takes a slice's values from its table; smaller units are solved or loaded.
    fn load(&mut self, unit: Unit, rules: &RuleSet, table: &TableFile) -> Result<()>;

    /// Forgets the slices that are not needed.
    fn retain(&mut self, is_needed: &dyn Fn(Slice) -> bool);

    /// Finds the values of a unit; smaller units are solved or loaded. May leave work with the
    /// keeper now and then, and takes up what it finds there.
    fn solve(&mut self, unit: Unit, rules: &RuleSet, keeper: &mut Keeper<'_>) -> Result<()>;

    /// The values of the places from `first` on, of the slice that was loaded last.
    fn values(&self, slice: Slice, first: u64, codes: &mut [Code]);

    /// Writes a slice of the unit that was solved last.
    fn write(&self, unit: Unit, slice: Slice, rules: &RuleSet, path: &Path) -> Result<()>;
}

/// What a build leaves.
#[derive(Debug)]
pub struct Report {
    /// All tables of the goal, smaller ones first.
    pub tables: Vec<TableFile>,
    /// How many of them were written now.
    pub written: usize,
}

/// Builds every table of the goal that is missing.
///
/// A file is complete as soon as it has its name. A build that is killed loses the unit that it was
/// working on, or what it did since that unit's last checkpoint; one that is stopped saves a
/// checkpoint. The next build goes on from there.
///
/// # Errors
/// If there is too little memory or disk, which is found out before work starts; if a table that
/// is there is damaged; if writing fails; and [`TableError::Stopped`] soon after `stop` is set.
pub fn build(
    options: &BuildOptions<'_>,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Report> {
    let BuildOptions { dir, board, rules, goal, metric, method, checkpoint, .. } = *options;
    let estimate = estimate::estimate(options)?;
    estimate.check()?;
    fs::create_dir_all(dir).map_err(TableError::io(Operation::CreateDirectory, dir))?;
    let _lock = lock(dir)?;
    remove_partial_files(dir)?;

    let sets = OrbitSets::new(board);
    let columns = Default::default();
    let mut solver = new_solver(method, &sets, &columns, metric, goal.stones(), progress, stop);
    let mut report = Report { tables: Vec::new(), written: 0 };
    let units = goal.units(board);
    let mut to_come = at_work(&units, &estimate.units_missing());
    for unit in units {
        solver.retain(&|slice| is_needed(slice, &to_come));
        let endgame = unit.stronger().rules(board, &rules)?;
        let key = |slice| TableKey { board, rules: endgame, slice, metric };
        let open = |slice| open_table(dir, &key(slice), Access::READ);
        let mut tables = unit.slices().map(open).collect::<Result<Vec<_>>>()?;
        let game = (board, endgame, metric);
        let mut keeper = Keeper::new(dir, game, unit, &report.tables, checkpoint, progress);
        if tables.iter().all(Option::is_some) {
            for table in tables.into_iter().flatten() {
                let watch = Stopwatch::start();
                if to_come.contains(&unit) {
                    solver.load(unit, &endgame, &table)?;
                } else {
                    progress.begin(unit, Phase::Load, table.metadata().values);
                    table.check()?;
                    progress.advance(table.metadata().values);
                }
                progress.spent(unit, Part::Load, watch.read());
                progress.finished(&table, false);
                report.tables.push(table);
            }
            keeper.remove();
            to_come.retain(|later| *later != unit);
            continue;
        }
        solver.solve(unit, &endgame, &mut keeper)?;
        to_come.retain(|later| *later != unit);
        for (slice, table) in unit.slices().zip(&mut tables) {
            let written = table.is_none();
            if written {
                let path = dir.join(key(slice).file_name());
                solver.write(unit, slice, &endgame, &path)?;
                report.written += 1;
            }
            let table = match table.take() {
                Some(table) => table,
                None => open(slice)?.ok_or_else(|| vanished(dir))?,
            };
            progress.finished(&table, written);
            report.tables.push(table);
        }
        keeper.remove();
    }
    Ok(report)
}

/// Tells what writing a table took.
fn tell_times(progress: &dyn Progress, unit: Unit, times: WriteTimes) {
    progress.spent(unit, Part::Pack, times.pack);
    progress.spent(unit, Part::Compress, times.compress);
    progress.spent(unit, Part::Write, times.write);
}

/// A solver that has solved nothing yet, for slices with up to so many stones.
fn new_solver<'a>(
    method: Method,
    sets: &'a OrbitSets,
    columns: &'a rows::ColumnSets<'a>,
    metric: Metric,
    stones: u32,
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
) -> Box<dyn Solver + 'a> {
    match method {
        Method::Rows => Box::new(rows::Solver::new(sets, columns, metric, stones, progress, stop)),
        Method::Plain => Box::new(plain::Solver::new(sets, metric, progress, stop)),
    }
}

fn vanished(dir: &Path) -> TableError {
    let error = std::io::Error::from(std::io::ErrorKind::NotFound);
    TableError::io(Operation::Open, dir)(error)
}

/// Keeps other builds out of a directory while what is returned is open; the system lets go of it
/// when the program ends, however it ends. `None` where directories cannot be locked: there two
/// builds at a time are the user's to avoid.
fn lock(dir: &Path) -> Result<Option<File>> {
    let Ok(open) = File::open(dir) else { return Ok(None) };
    match open.try_lock() {
        Ok(()) => Ok(Some(open)),
        Err(TryLockError::WouldBlock) => Err(TableError::Busy { dir: dir.to_owned() }),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// What a killed build left; readers take them for nothing.
fn remove_partial_files(dir: &Path) -> Result<()> {
    let io = || TableError::io(Operation::ListDirectory, dir);
    for entry in fs::read_dir(dir).map_err(io())? {
        let entry = entry.map_err(io())?;
        if PARTIAL.is_partial(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())
                .map_err(TableError::io(Operation::Remove, &entry.path()))?;
        }
    }
    Ok(())
}

/// What the metadata of a slice say, whatever its builder.
fn metadata(
    index_len: u64,
    board: Board,
    rules: &RuleSet,
    slice: Slice,
    metric: Metric,
    statistics: crate::format::Statistics,
) -> Metadata {
    let largest = statistics.distances.len().min(u16::MAX.into()) as u16;
    Metadata {
        board,
        rules: *rules,
        metric,
        slice,
        bits: crate::format::Packing::for_codes(metric, largest).bits(),
        values: index_len,
        block_values: BLOCK_VALUES,
        captures_stored: captures_are_stored(board, rules, slice),
        statistics,
    }
}

/// How many values are packed together: what a probe unpacks to read one.
const BLOCK_VALUES: u32 = 8192;
