//! Building: which slices are missing, in which order they are solved, and how they are written.
//!
//! How a unit is solved is another module's: [`rows`] works on whole rows of positions, by bits;
//! [`plain`] evaluates position by position until nothing changes, and is what the former is
//! compared with.

pub mod estimate;
mod plain;
mod rows;
pub mod unpack;

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Board, RuleSet};

use crate::error::{Result, TableError};
use crate::file_name;
use crate::format::{Access, Metadata, TableFile, UnpackedFile};
use crate::orbits::{OrbitSets, Orbits, binomial};
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
    /// All slices with up to so many stones.
    pub stones: u32,
    /// With or without distances.
    pub metric: Metric,
    /// How slices are solved; the files are the same.
    pub method: Method,
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
    /// Reading a table that is there already, for those that depend on it.
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

    /// Finds the values of a unit; smaller units are solved or loaded.
    fn solve(&mut self, unit: Unit, rules: &RuleSet) -> Result<()>;

    /// The values of the places from `first` on, of the slice that was loaded last.
    fn values(&self, slice: Slice, first: u64, codes: &mut [Code]);

    /// Writes a slice of the unit that was solved last.
    fn write(&self, unit: Unit, slice: Slice, rules: &RuleSet, path: &Path) -> Result<()>;
}

/// What a build leaves.
#[derive(Debug)]
pub struct Report {
    /// All tables up to the number of stones, smaller ones first.
    pub tables: Vec<TableFile>,
    /// How many of them were written now.
    pub written: usize,
}

/// Builds every table with up to so many stones that is missing.
///
/// A file is complete as soon as it has its name; a build that is stopped or killed loses only the
/// unit that it was working on, and the next one goes on from there.
///
/// # Errors
/// If there is too little memory or disk, which is found out before work starts; if a table that
/// is there is damaged; if writing fails; and [`TableError::Stopped`] soon after `stop` is set.
pub fn build(
    options: &BuildOptions<'_>,
    progress: &dyn Progress,
    stop: &AtomicBool,
) -> Result<Report> {
    let BuildOptions { dir, board, rules, stones, metric, method } = *options;
    let estimate = estimate::estimate(options)?;
    estimate.check()?;
    fs::create_dir_all(dir).map_err(TableError::io("cannot create", dir))?;
    let _lock = lock(dir)?;
    remove_partial_files(dir)?;

    let sets = OrbitSets::new(board);
    let columns = Default::default();
    let mut solver = new_solver(method, &sets, &columns, metric, stones, progress, stop);
    let mut report = Report { tables: Vec::new(), written: 0 };
    for unit in Unit::up_to(board, stones) {
        let endgame = unit.stronger().rules(board, &rules)?;
        let open = |slice| open_table(dir, board, &rules, slice, metric, Access::Mapped);
        let mut tables = unit.slices().map(open).collect::<Result<Vec<_>>>()?;
        if tables.iter().all(Option::is_some) {
            for table in tables.into_iter().flatten() {
                solver.load(unit, &endgame, &table)?;
                progress.finished(&table, false);
                report.tables.push(table);
            }
            continue;
        }
        solver.solve(unit, &endgame)?;
        for (slice, table) in unit.slices().zip(&mut tables) {
            let written = table.is_none();
            if written {
                let path = dir.join(file_name(board, &endgame, slice, metric));
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
    }
    Ok(report)
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
    TableError::io("cannot find what was just written to", dir)(error)
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
    let io = || TableError::io("cannot list", dir);
    for entry in fs::read_dir(dir).map_err(io())? {
        let entry = entry.map_err(io())?;
        if entry.file_name().to_string_lossy().starts_with(crate::format::PARTIAL) {
            fs::remove_file(entry.path())
                .map_err(TableError::io("cannot remove", &entry.path()))?;
        }
    }
    Ok(())
}

/// Whether a slice can be indexed: its sets have numbers, and the board has so many stones.
pub(crate) fn check_size(board: Board, slice: Slice) -> Result<()> {
    let sets = |stones: u8| binomial(board.points(), stones.into());
    if !slice.is_on(board) || sets(slice.own).max(sets(slice.opponent)) > Orbits::MOST_SETS {
        return Err(TableError::TooLarge { slice, board });
    }
    Ok(())
}

/// Whether somebody asked to stop.
pub(crate) fn check_stop(stop: &AtomicBool) -> Result<()> {
    if stop.load(Ordering::Relaxed) { Err(TableError::Stopped) } else { Ok(()) }
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
        captures_stored: crate::captures_are_stored(board, rules, slice),
        statistics,
    }
}

/// How many values are packed together: what a probe unpacks to read one.
const BLOCK_VALUES: u32 = 8192;
