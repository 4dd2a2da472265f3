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
use crate::format::{Metadata, TableFile};
use crate::probe::Tables;
use crate::slice::{Slice, Unit};
use crate::value::Metric;
use crate::zugzwang::Zugzwang;

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
    for unit in Unit::up_to(tables.board(), 2 * tables.board().max_stones()) {
        for (_, metric) in Metric::ALL {
            let mut found = Vec::new();
            for slice in unit.slices() {
                match tables.table(slice, metric) {
                    Ok(Some(table)) => found.push((slice, Ok(table))),
                    Ok(None) | Err(TableError::VelaPhase1 { .. }) => {}
                    Err(error) => found.push((slice, Err(error))),
                }
            }
            if found.is_empty() {
                continue;
            }
            let mut solution = None;
            for (slice, table) in found {
                let result = table.and_then(|table| {
                    table.check()?;
                    match thoroughness {
                        Thoroughness::Quick => Ok((0, None)),
                        Thoroughness::Sample { positions, seed } => {
                            sample::check(tables, slice, metric, positions, seed, stop)
                        }
                        Thoroughness::Full => {
                            if solution.is_none() {
                                solution = Some(retrograde::solve(tables, unit, metric, stop)?);
                            }
                            let solution = solution.as_ref().expect("just solved");
                            compare(tables, table, solution, stop)
                        }
                    }
                });
                let (checked, error) = match result {
                    Ok(done) => done,
                    Err(TableError::Stopped) => return Err(TableError::Stopped),
                    Err(error) => (0, Some(error.to_string())),
                };
                let check = SliceCheck { slice, metric, checked, error };
                report(&check);
                checks.push(check);
            }
        }
    }
    Ok(checks)
}

/// Compares every value and the counts of a table with a solution.
fn compare(
    tables: &Tables,
    table: &TableFile,
    solution: &retrograde::Solution,
    stop: &AtomicBool,
) -> Result<(u64, Option<String>)> {
    let metadata = table.metadata();
    let (checked, difference) = solution.compare(tables, metadata.slice, stop)?;
    if difference.is_some() {
        return Ok((checked, difference));
    }
    let (found, told) = (solution.statistics(metadata.slice), &metadata.statistics);
    let same = (found.win, found.draw, found.loss) == (told.win, told.draw, told.loss)
        && (metadata.metric == Metric::Wdl || found.distances == told.distances);
    if !same {
        let difference = "the counts in the header are not those of its values";
        return Ok((checked, Some(difference.to_owned())));
    }
    Ok((checked, compare_zugzwangs(tables, metadata, solution, stop)?))
}

/// Compares the zugzwangs that a table tells, if it does, with those of a solution.
fn compare_zugzwangs(
    tables: &Tables,
    metadata: &Metadata,
    solution: &retrograde::Solution,
    stop: &AtomicBool,
) -> Result<Option<String>> {
    let Some(told) = &metadata.statistics.zugzwangs else { return Ok(None) };
    let rules = metadata.slice.rules(tables.board(), &tables.rules())?;
    let found = solution.zugzwangs(metadata.slice, &rules, stop)?;
    for ((name, kind), found) in Zugzwang::ALL.into_iter().zip(found) {
        let told = told.of(kind);
        if told.count != found {
            let counts = format!("{} zugzwangs ({name}), and there are {found}", told.count);
            return Ok(Some(format!("the header tells {counts}")));
        }
        let example = told.position(metadata.board);
        let is_one = example.is_some_and(|example| {
            Slice::of(&example) == Some(metadata.slice)
                && solution.zugzwang(&rules, &example) == Some(kind)
        });
        if is_one != (found > 0) {
            return Ok(Some(format!("the header's example of a zugzwang ({name}) is none")));
        }
    }
    Ok(None)
}
