//! Verification: are the files undamaged, and are the values right?
//!
//! Checksums answer the first question. There are three ways to answer the second.
//! - [`retrograde`] solves slices again, in another way than the builders: backward from
//!   decided positions, by undoing paikas, over all placements without symmetry. It never finds
//!   wins justified only by each other (a cycle).
//! - [`compare::with_successors`] compares random positions with their successors. It would accept a cycle of wins
//!   without distances. With distances there can be no cycle, because each distance is one more
//!   than another.
//! - [`compare::with_other`] compares tables without distances with tables that have them, value by value. That
//!   rules out cycles at sizes where solving again takes too long.
//!
//! All three check the counts and examples in the header ([`header`]) as far as they can.

mod compare;
mod header;
mod retrograde;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;

use fanorona_core::Board;
use fanorona_storage::memory_available;

use self::compare::TableComparison;
pub use self::compare::TableFault;
use self::retrograde::RetrogradeSolver;
use crate::error::{Resource, Result, TableError, Task, check_room};
use crate::format::TableFile;
use crate::key::Layout;
use crate::probe::Tables;
use crate::schedule::{UnitStep, steps, units_to_process};
use crate::selection::Selection;
use crate::slice::{Slice, Unit};
use crate::value::Metric;
use crate::watch::{Watch, WorkProgress};

/// How much [`verify`] checks.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Thoroughness<'a> {
    /// Checksums only.
    Quick,
    /// Checksums; random positions of each table, against their successors; and the header, as far
    /// as a few positions can show. Wins justified only by each other (a cycle) are detected in
    /// tables with distances only.
    Sample {
        /// The number of positions per table.
        positions: u64,
        /// The seed of the random positions. The same seed chooses the same positions.
        seed: u64,
    },
    /// Checksums of both directories; and every value and the header against the tables of another
    /// directory, with distances if it has them. Takes some nanoseconds per position. The other
    /// files are mapped only if both directories were opened with mapping.
    Against(&'a Tables),
    /// Checksums; and every value and the header against an independent computation, which solves the
    /// slices to check and those that play from there can reach. Takes about a microsecond per
    /// position on one thread, and at most 2 bytes of memory for each position of the slices with
    /// fewer stones and of the largest unit.
    Full,
}

/// The result for one table.
#[derive(Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct SliceCheck {
    pub slice: Slice,
    /// The table's metric.
    pub metric: Metric,
    /// Whether it is the packed table or the unpacked one.
    pub layout: Layout,
    /// The number of positions whose value was compared, without symmetry.
    pub checked: u64,
    /// The first fault of the table; `None` if it is good. [`TableFault::Unchecked`] is none of its own.
    pub fault: Option<TableFault>,
}

/// Verifies the selected tables of a directory for one board and rule set, smaller slices first, and
/// calls `report` after each table. Checks packed and unpacked tables of both metrics, and in the vela
/// those of both phases. Another thread can show the `progress`.
///
/// # Errors
/// Only if verification cannot continue; faults of a table are in its [`SliceCheck`].
/// - [`TableError::Missing`] if a slice that the selection names has no table, or if there is none to
///   compare with.
/// - [`TableError::Resources`] if there is too little memory. Both are checked before work starts.
/// - [`TableError::Stopped`] soon after `stop` is set.
/// - [`TableError::NoDirectory`] if the directory cannot be read.
pub fn verify(
    tables: &Tables,
    selection: &Selection,
    thoroughness: Thoroughness<'_>,
    stop: &AtomicBool,
    progress: &WorkProgress,
    mut report: impl FnMut(&SliceCheck),
) -> Result<Vec<SliceCheck>> {
    let watch = Watch { stop, progress };
    // Packed and unpacked tables are compared separately.
    let (packed, unpacked) = (tables.reopened(false)?, tables.reopened(true)?);
    let other = match thoroughness {
        Thoroughness::Against(other) => Some(other.packed_with_access_of(tables)?),
        _ => None,
    };
    let work = work(&packed, &unpacked, selection)?;
    let units: Vec<Unit> = work.iter().map(|(unit, _)| *unit).collect();
    if let Thoroughness::Full = thoroughness
        && let Some((needed, unit)) = memory(tables.board(), &units)
    {
        check_room(Task::Verify { unit }, Resource::Memory, needed, memory_available())?;
    }
    if let Some(other) = &other {
        let files = work.iter().flat_map(|(_, found)| found);
        for file in files.filter_map(|found| found.file.as_ref().ok()) {
            compare::counterpart(other, file)?;
        }
    }
    progress.set_total(total(tables.board(), &work, thoroughness));
    let mut checks = Vec::new();
    let mut solver = RetrogradeSolver::new(tables.board(), watch);
    for ((unit, found), step) in work.into_iter().zip(steps(&units)) {
        if let Thoroughness::Full = thoroughness {
            solver.retain(&step.before);
            solver.solve(unit, &tables.rules())?;
        }
        for Found { slice, metric, layout, file } in found {
            let tables = if layout == Layout::Unpacked { &unpacked } else { &packed };
            let result = file.and_then(|file| {
                file.check()?;
                if let Thoroughness::Quick = thoroughness {
                    watch.done(file.bytes())?;
                }
                match (thoroughness, &other) {
                    (Thoroughness::Sample { positions, seed }, _) => {
                        // The file is whole, so an error is that of a table after a turn.
                        compare::with_successors(tables, file.metadata(), positions, seed, watch)
                            .or_else(unchecked)
                    }
                    (Thoroughness::Full, _) => compare::with_solution(tables, file, &solver, watch),
                    (_, Some(other)) => compare::with_other(tables, file, other, watch),
                    _ => Ok(TableComparison { checked: 0, fault: None }),
                }
            });
            let TableComparison { checked, fault } = match result {
                Ok(done) => done,
                Err(TableError::Stopped) => return Err(TableError::Stopped),
                Err(error) => TableComparison { checked: 0, fault: Some(error.into()) },
            };
            let check = SliceCheck { slice, metric, layout, checked, fault };
            report(&check);
            checks.push(check);
        }
    }
    Ok(checks)
}

/// All of the work, in positions; for checksums alone, in bytes.
fn total(board: Board, work: &[(Unit, Vec<Found<'_>>)], thoroughness: Thoroughness<'_>) -> u64 {
    let files =
        || work.iter().flat_map(|(_, found)| found).filter_map(|found| found.file.as_ref().ok());
    let positions = || files().map(|file| file.metadata().statistics.positions());
    let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.fold(0, u64::saturating_add);
    match thoroughness {
        Thoroughness::Quick => sum(&mut files().map(|file| file.bytes())),
        Thoroughness::Sample { positions, .. } => sum(&mut files().map(|_| positions)),
        Thoroughness::Against(_) => sum(&mut positions()),
        Thoroughness::Full => {
            let solving = work.iter().map(|(unit, _)| RetrogradeSolver::work(board, *unit));
            sum(&mut solving.chain(positions()))
        }
    }
}

/// The result for a table that another one is needed for, which cannot be used.
fn unchecked(error: TableError) -> Result<TableComparison> {
    match error {
        TableError::Stopped => Err(error),
        _ => Ok(TableComparison { checked: 0, fault: Some(TableFault::Unchecked(error)) }),
    }
}

/// An existing table, or the error of opening it.
struct Found<'t> {
    slice: Slice,
    metric: Metric,
    layout: Layout,
    file: Result<&'t TableFile>,
}

/// The units with a selected table and those that they rest on, smaller ones first, and the selected
/// tables of each.
fn work<'t>(
    packed: &'t Tables,
    unpacked: &'t Tables,
    selection: &Selection,
) -> Result<Vec<(Unit, Vec<Found<'t>>)>> {
    let (board, rules) = (packed.board(), packed.rules());
    let mut work: Vec<(Unit, Vec<Found<'_>>)> = Vec::new();
    for unit in Unit::of_game(board, &rules, 2 * board.max_stones()) {
        let mut found = Vec::new();
        for metric in Metric::ALL {
            for slice in unit.slices().filter(|slice| selection.contains(*slice)) {
                let rules = &slice.rules(board, &rules);
                let mut find = |tables: &'t Tables, layout| {
                    let file = tables.table_for(rules, slice, metric).transpose();
                    found.extend(file.map(|file| Found { slice, metric, layout, file }));
                };
                find(packed, Layout::Packed);
                if unpacked.has_unpacked(rules, slice, metric) {
                    find(unpacked, Layout::Unpacked);
                }
            }
        }
        work.push((unit, found));
    }
    for named in &selection.slices {
        if !work.iter().flat_map(|(_, found)| found).any(|found| named.includes(found.slice)) {
            return Err(packed.missing(&rules, *named, None));
        }
    }
    let with_tables = work.iter().filter(|(_, found)| !found.is_empty());
    let with_tables: Vec<Unit> = with_tables.map(|(unit, _)| *unit).collect();
    let units: Vec<Unit> = work.iter().map(|(unit, _)| *unit).collect();
    let to_process = units_to_process(&units, &with_tables);
    work.retain(|(unit, _)| to_process.contains(unit));
    Ok(work)
}

/// The most bytes of memory for solving these units, one after the other, if each slice is kept as long
/// as a later one needs it; and the unit at that time. `None` without units.
fn memory(board: Board, units: &[Unit]) -> Option<(u64, Unit)> {
    let bytes = |step: UnitStep<'_>| {
        let slices = step.before.into_iter().chain(step.unit.slices());
        let bytes = slices.map(|slice| RetrogradeSolver::memory(board, slice));
        (bytes.fold(0, u64::saturating_add), step.unit)
    };
    steps(units).map(bytes).max_by_key(|(bytes, _)| *bytes)
}
