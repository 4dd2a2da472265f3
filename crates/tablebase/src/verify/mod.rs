//! Verifying: are the tables what was written, and is what was written true?
//!
//! Checksums answer the first question. For the second there are three ways.
//! - [`retrograde`] solves all slices again by other means than any builder: backward from decided
//!   positions, by undoing paikas, over all placements without symmetry. It never reaches wins that
//!   are justified only by each other (a cycle).
//! - [`sample`] compares random positions with their successors. Distances cannot justify each other
//!   in a cycle there either, because each is one more than another; wins without a distance can.
//! - Tables without distances can therefore be compared with those that have them, value by value
//!   ([`compare`]), at a size where solving again takes too long.
//!
//! All three check what a table's header says ([`header`]), as far as they can know it.

mod compare;
mod fault;
mod header;
mod numbering;
mod retrograde;
mod sample;
mod source;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;

use self::compare::Comparison;
pub use self::fault::{CountSource, Fault, HeaderFault, ValueSource};
use self::retrograde::RetrogradeSolver;
use self::source::Source;
use crate::error::{Resource, Result, TableError, Task};
use crate::key::Layout;
use crate::probe::Tables;
use crate::resources::{check_room, memory_available};
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// How much is verified.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Thoroughness<'a> {
    /// Checksums alone.
    Quick,
    /// Checksums, random positions of each table against their successors, and what the header says
    /// as far as a few positions show it. Wins that are justified only by each other (a cycle) are
    /// noticed where there are distances.
    Sample {
        /// The number of positions for each table.
        positions: u64,
        /// Chooses the positions: the same seed takes the same ones.
        seed: u64,
    },
    /// Checksums here and there, and every value and the header against the tables of another
    /// directory: those with distances, if there are any. Some nanoseconds a position. Files there
    /// are mapped only if those that are verified are mapped too.
    Against(&'a Tables),
    /// Checksums, and every value and the header against an independent computation: about a
    /// microsecond a position of one thread, and 2 bytes for each position of all slices with
    /// fewer stones and of the largest unit.
    Full,
}

/// The result for one table.
#[derive(Debug)]
#[non_exhaustive]
pub struct SliceCheck {
    /// The slice.
    pub slice: Slice,
    /// The table's metric.
    pub metric: Metric,
    /// Whether it is the packed table or the unpacked one.
    pub layout: Layout,
    /// The positions whose value was compared, no symmetry taken out.
    pub checked: u64,
    /// What is wrong with the table.
    pub fault: Option<Fault>,
}

/// Verifies the tables of a directory for one board and rule set with up to `stones` stones, smaller
/// slices first, and calls `report` after each.
///
/// # Errors
/// Only if verifying itself cannot go on: the directory cannot be read, there is too little memory
/// or no table to compare one with, or `stop` is set. What is wrong with a table is in its report.
pub fn verify(
    tables: &Tables,
    stones: u32,
    thoroughness: Thoroughness<'_>,
    stop: &AtomicBool,
    mut report: impl FnMut(&SliceCheck),
) -> Result<Vec<SliceCheck>> {
    // Values are compared as they come from the packed tables, and again from the unpacked ones.
    let (packed, unpacked) = (tables.reopened(false)?, tables.reopened(true)?);
    let other = match thoroughness {
        Thoroughness::Against(other) => Some(other.packed_with_access_of(tables)?),
        _ => None,
    };
    let work = work(&packed, &unpacked, stones);
    let most = work.last().map_or(0, |(unit, _)| unit.stronger().stones());
    if let Thoroughness::Full = thoroughness {
        check_memory(tables, &work, most)?;
    }
    if let Some(other) = &other {
        let files = work.iter().flat_map(|(_, found)| found);
        for file in files.filter_map(|found| found.file.as_ref().ok()) {
            compare::counterpart(other, file.table)?;
        }
    }
    let mut checks = Vec::new();
    let mut solver = RetrogradeSolver::new(tables.board(), stop);
    for (unit, found) in work {
        if let Thoroughness::Full = thoroughness {
            solver.solve(unit, &unit.stronger().rules(tables.board(), &tables.rules())?)?;
        }
        for Found { slice, metric, layout, file } in found {
            let tables = if layout == Layout::Unpacked { &unpacked } else { &packed };
            let result = file.and_then(|file| {
                file.check()?;
                match (thoroughness, &other) {
                    (Thoroughness::Sample { positions, seed }, _) => {
                        sample::check(tables, file.table.metadata(), positions, seed, stop)
                    }
                    (Thoroughness::Full, _) => compare::with_solution(tables, file, &solver, stop),
                    (_, Some(other)) => compare::with_other(tables, file, other, stop),
                    _ => Ok(Comparison { checked: 0, fault: None }),
                }
            });
            let Comparison { checked, fault } = match result {
                Ok(done) => done,
                Err(TableError::Stopped) => return Err(TableError::Stopped),
                Err(error) => Comparison { checked: 0, fault: Some(error.into()) },
            };
            let check = SliceCheck { slice, metric, layout, checked, fault };
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
    layout: Layout,
    file: Result<Source<'t>>,
}

/// The units with up to a number of stones, up to the last that has a table, and their tables.
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
                let Some(table) = packed.table(slice, metric).transpose() else { continue };
                let made_from = table.as_ref().ok().copied();
                let file = table.map(|table| Source { table, unpacked: None });
                found.push(Found { slice, metric, layout: Layout::Packed, file });
                let Some(table) = made_from else { continue };
                if let Some(file) = unpacked.unpacked(slice, metric).transpose() {
                    let file = file.map(|file| Source { table, unpacked: Some(file) });
                    found.push(Found { slice, metric, layout: Layout::Unpacked, file });
                }
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

/// Checks that there is memory for solving again all that is to be verified.
fn check_memory(tables: &Tables, work: &[(Unit, Vec<Found<'_>>)], most: u32) -> Result<()> {
    let board = tables.board();
    let memory = |unit: &Unit| RetrogradeSolver::memory(board, *unit);
    let is_largest = |unit: &&Unit| unit.stronger().stones() == most;
    let (largest, smaller): (Vec<_>, Vec<_>) =
        work.iter().map(|(unit, _)| unit).partition(is_largest);
    let kept = smaller.into_iter().map(memory).fold(0, u64::saturating_add);
    let needed = kept.saturating_add(largest.into_iter().map(memory).max().unwrap_or(0));
    check_room(Task::Verify { stones: most }, Resource::Memory, needed, memory_available())
}
