//! Verifying: are the tables what was written, and is what was written true?
//!
//! Checksums answer the first question. For the second, [`retrograde`] solves a unit again by other
//! means than any builder: backward from decided positions, by undoing paikas and counting turns,
//! over all placements without symmetry; a win that rests only on itself in a circle is never
//! reached by it. Where everything is too much, [`sample`] compares random positions with their
//! successors; distances cannot support each other in a circle there either, for each is one more
//! than another.

mod retrograde;
mod sample;

use std::sync::atomic::AtomicBool;

use crate::error::{Result, TableError};
use crate::format::{TableFile, UnpackedFile};
use crate::probe::Tables;
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// How much is verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Thoroughness {
    /// Checksums alone.
    Quick,
    /// Checksums, and for each table so many random positions against their successors.
    Sample {
        /// Positions for each table.
        positions: u64,
        /// Decides which.
        seed: u64,
    },
    /// Checksums, and every value and count against an independent computation: some microseconds
    /// a position of one thread, and 4 bytes for each position of the largest unit.
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

/// Verifies all tables of a directory for one board and rule set, smaller slices first, and calls
/// `report` after each.
///
/// # Errors
/// Only if verifying itself could not go on: a directory that cannot be read, or `stop`. What is
/// wrong with a table is in its report.
pub fn verify(
    tables: &Tables,
    thoroughness: Thoroughness,
    stop: &AtomicBool,
    mut report: impl FnMut(&SliceCheck),
) -> Result<Vec<SliceCheck>> {
    let mut checks = Vec::new();
    // Values are compared as they come from the packed tables, and again from the unpacked ones.
    let (packed, unpacked) = (tables.reopened(false)?, tables.reopened(true)?);
    for unit in Unit::up_to(tables.board(), 2 * tables.board().max_stones()) {
        for (_, metric) in Metric::ALL {
            let mut found = Vec::new();
            for slice in unit.slices() {
                match packed.table(slice, metric) {
                    Ok(Some(table)) => found.push((slice, Ok(File::Packed(table)))),
                    Ok(None) | Err(TableError::VelaPhase1 { .. }) => continue,
                    Err(error) => {
                        found.push((slice, Err((error, false))));
                        continue;
                    }
                }
                match unpacked.unpacked(slice, metric) {
                    Ok(Some(table)) => found.push((slice, Ok(File::Unpacked(table)))),
                    Ok(None) => {}
                    Err(error) => found.push((slice, Err((error, true)))),
                }
            }
            let mut solution = None;
            for (slice, file) in found {
                let is_unpacked = matches!(file, Ok(File::Unpacked(_)) | Err((_, true)));
                let tables = if is_unpacked { &unpacked } else { &packed };
                let result = file.map_err(|(error, _)| error).and_then(|file| {
                    file.check()?;
                    match thoroughness {
                        Thoroughness::Quick => Ok((0, None)),
                        Thoroughness::Sample { positions, seed } => {
                            sample::check(tables, slice, metric, positions, seed, stop)
                        }
                        Thoroughness::Full => {
                            if solution.is_none() {
                                solution = Some(retrograde::solve(&packed, unit, metric, stop)?);
                            }
                            let solution = solution.as_ref().expect("just solved");
                            compare(tables, slice, metric, solution, stop)
                        }
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
        }
    }
    Ok(checks)
}

/// A table of either kind.
enum File<'t> {
    Packed(&'t TableFile),
    Unpacked(&'t UnpackedFile),
}

impl File<'_> {
    /// Compares all checksums.
    fn check(&self) -> Result<()> {
        match self {
            Self::Packed(table) => table.check(),
            Self::Unpacked(table) => table.check(),
        }
    }
}

/// Compares every value and the counts of a table with a solution.
fn compare(
    tables: &Tables,
    slice: Slice,
    metric: Metric,
    solution: &retrograde::Solution,
    stop: &AtomicBool,
) -> Result<(u64, Option<String>)> {
    let (checked, difference) = solution.compare(tables, slice, stop)?;
    let Some(table) = tables.table(slice, metric)? else { return Ok((checked, difference)) };
    let metadata = table.metadata();
    let difference = difference.or_else(|| {
        let found = solution.statistics(metadata.slice);
        let told = &metadata.statistics;
        let same = (found.win, found.draw, found.loss) == (told.win, told.draw, told.loss)
            && (metadata.metric == Metric::Wdl || found.distances == told.distances);
        (!same).then(|| "the counts in the header are not those of its values".to_owned())
    });
    Ok((checked, difference))
}
