//! Verifying: are the tables what was written, and is what was written true?
//!
//! Checksums answer the first question. For the second there are three ways.
//! - [`retrograde`] solves all slices again by other means than any builder: backward from decided
//!   positions, by undoing paikas, over all placements without symmetry. A win that rests only on
//!   itself in a circle is never reached by it.
//! - [`sample`] compares random positions with their successors. Distances cannot support each
//!   other in a circle there either, for each is one more than another; wins without a distance can.
//! - Tables without distances can therefore be compared with those that have them, value by value
//!   ([`compare`]), at a size where solving again is too much.

mod compare;
mod retrograde;
mod sample;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;

use self::compare::Source;
use self::retrograde::Solver;
use crate::error::{Resource, Result, TableError, Task};
use crate::probe::{Tables, UnpackedTables};
use crate::resources::{check_room, memory_available};
use crate::slice::{Slice, Unit};
use crate::value::{Code, Metric};

/// How much is verified.
#[derive(Clone, Copy, Debug)]
pub enum Thoroughness<'a> {
    /// Checksums alone.
    Quick,
    /// Checksums, and for each table so many random positions against their successors. Wins that
    /// support each other in a circle are noticed where there are distances.
    Sample {
        /// Positions for each table.
        positions: u64,
        /// Decides which.
        seed: u64,
    },
    /// Checksums here and there, and every value against the tables of another directory: those
    /// with distances, if there are any. Some nanoseconds a position.
    Against(&'a Tables),
    /// Checksums, and every value and count against an independent computation: about a
    /// microsecond a position of one thread, and 2 bytes for each position of all slices with
    /// fewer stones and of the largest unit.
    Full,
}

/// What was found of one table.
#[derive(Debug)]
pub struct SliceCheck {
    /// The slice.
    pub slice: Slice,
    /// The table's metric.
    pub metric: Metric,
    /// Whether it is the unpacked table.
    pub unpacked: bool,
    /// The positions whose value was compared, no symmetry taken out.
    pub checked: u64,
    /// What is wrong with the table.
    pub error: Option<String>,
}

/// Verifies the tables of a directory for one board and rule set with up to so many stones, smaller
/// slices first, and calls `report` after each.
///
/// # Errors
/// Only if verifying itself could not go on: a directory that cannot be read, too little memory, no
/// table to compare one with, or `stop`. What is wrong with a table is in its report.
pub fn verify(
    tables: &Tables,
    stones: u32,
    thoroughness: Thoroughness<'_>,
    stop: &AtomicBool,
    mut report: impl FnMut(&SliceCheck),
) -> Result<Vec<SliceCheck>> {
    // Values are compared as they come from the packed tables, and again from the unpacked ones.
    let (packed, unpacked) =
        (tables.reopened(UnpackedTables::Ignore)?, tables.reopened(UnpackedTables::Use)?);
    let work = work(&packed, &unpacked, stones);
    let most = work.last().map_or(0, |(unit, _)| unit.stronger().stones());
    match thoroughness {
        Thoroughness::Full => check_memory(tables, &work, most)?,
        Thoroughness::Against(other) => {
            for file in
                work.iter().flat_map(|(_, found)| found).filter_map(|f| f.file.as_ref().ok())
            {
                compare::counterpart(other, file.table)?;
            }
        }
        Thoroughness::Quick | Thoroughness::Sample { .. } => {}
    }
    let mut checks = Vec::new();
    let mut solver = Solver::new(tables.board(), stop);
    for (unit, found) in work {
        if let Thoroughness::Full = thoroughness {
            solver.solve(unit, &unit.stronger().rules(tables.board(), &tables.rules())?)?;
        }
        for Found { slice, metric, is_unpacked, file } in found {
            let tables = if is_unpacked { &unpacked } else { &packed };
            let result = file.and_then(|file| {
                file.check()?;
                match thoroughness {
                    Thoroughness::Quick => Ok((0, None)),
                    Thoroughness::Sample { positions, seed } => {
                        sample::check(tables, slice, metric, positions, seed, stop)
                    }
                    Thoroughness::Against(other) => compare::with_other(tables, file, other, stop),
                    Thoroughness::Full => compare::with_solution(tables, file, &solver, stop),
                }
            });
            let (checked, error) = match result {
                Ok(done) => done,
                Err(TableError::Stopped) => return Err(TableError::Stopped),
                Err(error) => (0, Some(error.to_string())),
            };
            let check = SliceCheck { slice, metric, unpacked: is_unpacked, checked, error };
            report(&check);
            checks.push(check);
        }
        if unit.stronger().stones() == most {
            solver.forget(unit);
        }
    }
    Ok(checks)
}

/// A table that is there, or what is wrong with its header.
struct Found<'t> {
    slice: Slice,
    metric: Metric,
    is_unpacked: bool,
    file: Result<Source<'t>>,
}

/// The units with up to so many stones, as far as any has a table, and their tables.
fn work<'t>(packed: &'t Tables, unpacked: &'t Tables, stones: u32) -> Vec<(Unit, Vec<Found<'t>>)> {
    let board = packed.board();
    let mut work = Vec::new();
    let mut to_last = 0;
    for unit in Unit::up_to(board, stones) {
        if unit.stronger().rules(board, &packed.rules()).is_err() {
            continue;
        }
        let mut found = Vec::new();
        for metric in Metric::ALL {
            for slice in unit.slices() {
                let table = packed.table(slice, metric).transpose();
                let source = |table, unpacked| Source { table, unpacked };
                let made_from = table.as_ref().and_then(|table| table.as_ref().ok()).copied();
                found.extend(table.map(|table| {
                    let file = table.map(|table| source(table, None));
                    Found { slice, metric, is_unpacked: false, file }
                }));
                let Some(made_from) = made_from else { continue };
                found.extend(unpacked.unpacked(slice, metric).transpose().map(|table| {
                    let file = table.map(|table| source(made_from, Some(table)));
                    Found { slice, metric, is_unpacked: true, file }
                }));
            }
        }
        let any = !found.is_empty();
        work.push((unit, found));
        if any {
            to_last = work.len();
        }
    }
    work.truncate(to_last);
    work
}

/// Whether there is memory for solving again all that is to be verified.
fn check_memory(tables: &Tables, work: &[(Unit, Vec<Found<'_>>)], most: u32) -> Result<()> {
    let board = tables.board();
    let memory = |unit: &Unit| Solver::memory(board, *unit);
    let is_largest = |unit: &&Unit| unit.stronger().stones() == most;
    let (largest, smaller): (Vec<_>, Vec<_>) =
        work.iter().map(|(unit, _)| unit).partition(is_largest);
    let kept = smaller.into_iter().map(memory).fold(0, u64::saturating_add);
    let needed = kept.saturating_add(largest.into_iter().map(memory).max().unwrap_or(0));
    check_room(Task::Verify { stones: most }, Resource::Memory, needed, memory_available())
}

/// A value in words.
fn show(code: Code, metric: Metric) -> String {
    let value = code.to_table_value(metric);
    match value.dtw {
        Some(distance) => format!("{} in {distance}", value.value),
        None => value.value.to_string(),
    }
}
