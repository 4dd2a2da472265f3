//! Comparing all values of tables.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::fault::{CountSource, Fault, HeaderFault, ValueSource};
use super::header;
use super::retrograde::RetrogradeSolver;
use crate::error::Result;
use crate::format::{Metadata, TableFile};
use crate::index::{Entry, SliceIndex};
use crate::probe::Tables;
use crate::value::{Code, Metric};
use crate::watch::Watch;

/// The result of comparing a table.
#[derive(Debug)]
pub(super) struct Comparison {
    /// The number of positions whose values were compared, without symmetry.
    pub checked: u64,
    /// The first fault.
    pub fault: Option<Fault>,
}

impl Comparison {
    /// Runs another check if no fault was found so far.
    pub(super) fn and(self, find: impl FnOnce() -> Result<Option<HeaderFault>>) -> Result<Self> {
        match self.fault {
            Some(_) => Ok(self),
            None => Ok(Self { fault: find()?.map(Fault::Header), ..self }),
        }
    }
}

/// Compares every value of a table, for every position that it represents, and the header with a
/// solution.
pub(super) fn with_solution(
    tables: &Tables,
    table: &TableFile,
    solver: &RetrogradeSolver<'_>,
    watch: Watch<'_>,
) -> Result<Comparison> {
    let metadata = table.metadata();
    let Metadata { board, metric, slice, .. } = *metadata;
    let index = SliceIndex::new(tables.sets(), slice)?;
    let block_values = u64::from(metadata.block_values);
    let compare = |block| {
        let first = block * block_values;
        for (entry, found) in index.entries(first).zip(table.read_codes(block)?) {
            if !has_value(metadata, &entry) {
                continue;
            }
            for symmetry in board.symmetries() {
                let image = entry.position(board).transformed(*symmetry);
                let position = image.expect("a symmetry of the board");
                let expected = in_metric(solver.code(&metadata.rules, &position), metric);
                if found != expected {
                    return Ok(Some(Fault::Value {
                        position: Box::new(position),
                        found: found.to_table_value(metric),
                        expected: expected.to_table_value(metric),
                        source_of_value: ValueSource::Solution,
                    }));
                }
            }
        }
        Ok(None)
    };
    for_each_block(table, &index, watch, compare)?
        .and(|| {
            header::check(metadata, |position| {
                Ok(in_metric(solver.code(&metadata.rules, position), metric))
            })
        })?
        .and(|| {
            let slice = metadata.key().slice;
            let right = solver.statistics(slice, &metadata.rules)?;
            let source = CountSource::Solution;
            Ok(header::compare_counts(&metadata.statistics, &right, metric, &source))
        })
}

/// The table of the same slice in another directory, with distances if that exists.
///
/// # Errors
/// If there is none, or if it is damaged.
pub(super) fn counterpart<'t>(other: &'t Tables, table: &TableFile) -> Result<&'t TableFile> {
    let Metadata { slice, ref rules, .. } = *table.metadata();
    for metric in [Metric::Dtw, Metric::Wdl] {
        if let Some(found) = other.table_for(rules, slice, metric)? {
            return Ok(found);
        }
    }
    Err(other.missing(rules, slice, None))
}

/// Compares a table with that of the same slice in another directory, with distances if both have
/// them, and their headers.
pub(super) fn with_other(
    tables: &Tables,
    table: &TableFile,
    other: &Tables,
    watch: Watch<'_>,
) -> Result<Comparison> {
    let reference = counterpart(other, table)?;
    reference.check()?;
    let (metadata, right) = (table.metadata(), reference.metadata());
    let metric = metadata.metric.min(right.metric);
    let index = SliceIndex::new(tables.sets(), metadata.slice)?;
    let block_values = u64::from(metadata.block_values);
    let path = || reference.path().to_owned();
    let compare = |block| {
        let first = block * block_values;
        let here = table.read_codes(block)?;
        let there = reference.codes(first, here.len() as u64)?;
        for (place, (here, there)) in (first..).zip(here.into_iter().zip(there)) {
            let (here, there) = (in_metric(here, metric), in_metric(there, metric));
            if here == there {
                continue;
            }
            let entry = index.entry(place).expect("it is in the slice");
            if !has_value(metadata, &entry) {
                continue;
            }
            let position = entry.position(metadata.board);
            // An unpacked table has values of positions with captures. If the other table does not,
            // search the captures.
            let there = if has_value(right, &entry) {
                there
            } else {
                in_metric(other.code_by(&right.rules, &position, right.metric)?, metric)
            };
            if here != there {
                return Ok(Some(Fault::Value {
                    position: Box::new(position),
                    found: here.to_table_value(metric),
                    expected: there.to_table_value(metric),
                    source_of_value: ValueSource::Table(path()),
                }));
            }
        }
        Ok(None)
    };
    let (statistics, right_statistics) = (&metadata.statistics, &right.statistics);
    for_each_block(table, &index, watch, compare)?
        .and(|| {
            header::check(metadata, |position| match (metadata.metric, right.metric) {
                // Without distances in the other table, check against the table's own distances.
                (Metric::Dtw, Metric::Wdl) => {
                    tables.code_by(&metadata.rules, position, Metric::Dtw)
                }
                _ => Ok(in_metric(other.code_by(&right.rules, position, right.metric)?, metric)),
            })
        })?
        .and(|| {
            let source = CountSource::Table(path());
            Ok(header::compare_counts(statistics, right_statistics, metric, &source))
        })
}

/// Whether the value of an entry is stored. If not, its captures decide it.
fn has_value(metadata: &Metadata, entry: &Entry) -> bool {
    metadata.captures_stored || !metadata.rules.has_capture(&entry.position(metadata.board))
}

/// Converts a code to a metric: drops the distance under `wdl`.
fn in_metric(code: Code, metric: Metric) -> Code {
    match metric {
        Metric::Wdl => code.as_wdl(),
        Metric::Dtw => code,
    }
}

/// Visits all blocks of a table on all threads.
fn for_each_block(
    table: &TableFile,
    index: &SliceIndex<'_>,
    watch: Watch<'_>,
    visit: impl Fn(u64) -> Result<Option<Fault>> + Sync,
) -> Result<Comparison> {
    let checked = AtomicU64::new(0);
    let block_values = u64::from(table.metadata().block_values);
    let found = (0..table.blocks()).into_par_iter().map(|block| -> Result<Option<Fault>> {
        watch.done(0)?;
        let fault = visit(block)?;
        if fault.is_none() {
            let positions = index.positions(block * block_values, block_values);
            checked.fetch_add(positions, Ordering::Relaxed);
            watch.done(positions)?;
        }
        Ok(fault)
    });
    let first = found.find_first(|result| !matches!(result, Ok(None)));
    let fault = first.transpose()?.flatten();
    Ok(Comparison { checked: checked.into_inner(), fault })
}
