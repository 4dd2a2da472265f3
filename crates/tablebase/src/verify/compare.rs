//! Comparing the values of tables with a solution, with another table, or with each other.

use std::sync::atomic::{AtomicU64, Ordering};

use fanorona_core::{Position, RuleSet, Side, SplitMix64};
use rayon::prelude::*;
use thiserror::Error;

use super::header;
use super::retrograde::RetrogradeSolver;
use crate::error::{Result, TableError};
use crate::format::{Metadata, TableFile};
use crate::index::{Entry, SliceIndex};
use crate::probe::Tables;
use crate::value::{Code, Metric, TableValue};
use crate::watch::Watch;

/// A fault of a table, or the reason that it cannot be checked.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum TableFault {
    #[error(transparent)]
    Unreadable(#[from] TableError),
    /// Nothing wrong was found, but another table that its values rest on is missing or unusable.
    #[error("cannot be checked: {0}")]
    Unchecked(#[source] TableError),
    #[error("{position} is {}, {says} {}", in_words(*.found), in_words(*.right))]
    Value {
        /// With White to move.
        position: Box<Position>,
        found: TableValue,
        right: TableValue,
        /// Words that introduce the right value, and say where it is from.
        says: String,
    },
    #[error("the header is wrong: {0}")]
    Header(String),
}

/// The result of comparing a table.
#[derive(Debug)]
pub(super) struct TableComparison {
    /// The number of positions whose values were compared, without symmetry.
    pub checked: u64,
    /// The first fault.
    pub fault: Option<TableFault>,
}

impl TableComparison {
    /// Runs another check if no fault was found so far.
    fn and(self, find: impl FnOnce() -> Result<Option<String>>) -> Result<Self> {
        match self.fault {
            Some(_) => Ok(self),
            None => Ok(Self { fault: find()?.map(TableFault::Header), ..self }),
        }
    }
}

/// Compares two values of a position. `says` introduces the right one.
fn compare(
    position: &Position,
    [found, right]: [Code; 2],
    metric: Metric,
    says: &str,
) -> Option<TableFault> {
    (found != right).then(|| TableFault::Value {
        position: Box::new(*position),
        found: found.to_table_value(metric),
        right: right.to_table_value(metric),
        says: says.to_owned(),
    })
}

fn in_words(TableValue { value, dtw }: TableValue) -> String {
    dtw.map_or_else(|| value.to_string(), |distance| format!("{value} in {distance}"))
}

/// Compares every value of a table, for every position that it represents, and the header with a
/// solution.
pub(super) fn with_solution(
    tables: &Tables,
    table: &TableFile,
    solver: &RetrogradeSolver<'_>,
    watch: Watch<'_>,
) -> Result<TableComparison> {
    let metadata = table.metadata();
    let Metadata { board, metric, slice, .. } = *metadata;
    let index = SliceIndex::new(tables.sets(), slice)?;
    let block_values = u64::from(metadata.block_values);
    let visit = |block| {
        let first = block * block_values;
        for (entry, found) in index.entries(first).zip(table.read_codes(block)?) {
            if !has_value(metadata, &entry) {
                continue;
            }
            for symmetry in board.symmetries() {
                let image = entry.position(board).transformed(*symmetry);
                let position = image.expect("a symmetry of the board");
                let right = solver.code(&metadata.rules, &position).under(metric);
                let fault = compare(&position, [found, right], metric, "and should be");
                if fault.is_some() {
                    return Ok(fault);
                }
            }
        }
        Ok(None)
    };
    for_each_block(table, &index, watch, visit)?
        .and(|| {
            header::check(metadata, |position| {
                Ok(solver.code(&metadata.rules, position).under(metric))
            })
        })?
        .and(|| {
            let right = solver.statistics(slice, &metadata.rules)?;
            let source = "of its positions";
            Ok(header::compare_counts(&metadata.statistics, &right, metric, source))
        })
}

/// The table of the same slice in another directory, with distances if that exists.
pub(super) fn counterpart<'t>(other: &'t Tables, table: &TableFile) -> Result<&'t TableFile> {
    let Metadata { slice, ref rules, .. } = *table.metadata();
    let found = other.first_table(rules, slice, &Metric::WITH_DISTANCES_FIRST)?;
    found.ok_or_else(|| other.missing(rules, slice, None))
}

/// Compares a table with that of the same slice in another directory, with distances if both have
/// them, and their headers.
pub(super) fn with_other(
    tables: &Tables,
    table: &TableFile,
    other: &Tables,
    watch: Watch<'_>,
) -> Result<TableComparison> {
    let reference = counterpart(other, table)?;
    reference.check()?;
    let (metadata, right) = (table.metadata(), reference.metadata());
    let metric = metadata.metric.min(right.metric);
    let index = SliceIndex::new(tables.sets(), metadata.slice)?;
    let block_values = u64::from(metadata.block_values);
    let source = format!("in {}", reference.path().display());
    let says = format!("and {source} it is");
    let visit = |block| {
        let first = block * block_values;
        let here = table.read_codes(block)?;
        let there = reference.codes(first, here.len() as u64)?;
        for (place, (here, there)) in (first..).zip(here.into_iter().zip(there)) {
            let (here, there) = (here.under(metric), there.under(metric));
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
                other.code_by(&right.rules, &position, right.metric)?.under(metric)
            };
            let fault = compare(&position, [here, there], metric, &says);
            if fault.is_some() {
                return Ok(fault);
            }
        }
        Ok(None)
    };
    let (statistics, right_statistics) = (&metadata.statistics, &right.statistics);
    for_each_block(table, &index, watch, visit)?
        .and(|| {
            header::check(metadata, |position| match metadata.metric {
                // Without distances in the other table, check against the table's own distances.
                own if own > right.metric => tables.code_by(&metadata.rules, position, own),
                _ => Ok(other.code_by(&right.rules, position, right.metric)?.under(metric)),
            })
        })?
        .and(|| Ok(header::compare_counts(statistics, right_statistics, metric, &source)))
}

/// Whether the value of an entry is stored. If not, its captures decide it.
fn has_value(metadata: &Metadata, entry: &Entry) -> bool {
    metadata.captures_stored || !metadata.rules.has_capture(&entry.position(metadata.board))
}

/// Visits all blocks of a table on all threads.
fn for_each_block(
    table: &TableFile,
    index: &SliceIndex<'_>,
    watch: Watch<'_>,
    visit: impl Fn(u64) -> Result<Option<TableFault>> + Sync,
) -> Result<TableComparison> {
    let checked = AtomicU64::new(0);
    let block_values = u64::from(table.metadata().block_values);
    let found = (0..table.blocks()).into_par_iter().map(|block| -> Result<Option<TableFault>> {
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
    Ok(TableComparison { checked: checked.into_inner(), fault })
}

/// Compares random positions of a slice with the best of their turns, and checks the header as far
/// as possible.
pub(super) fn with_successors(
    tables: &Tables,
    metadata: &Metadata,
    positions: u64,
    seed: u64,
    watch: Watch<'_>,
) -> Result<TableComparison> {
    let Metadata { board, metric, slice, ref rules, .. } = *metadata;
    let slice_number = u64::from(slice.own) << 8 | u64::from(slice.opponent);
    let mut random = SplitMix64::stream(seed, slice_number);
    for checked in 0..positions {
        watch.done(1)?;
        let position = slice.random_position(board, Side::White, &mut random);
        let position = position.expect("the slice of a table is on its board");
        let found = tables.code_by(rules, &position, metric)?;
        let expected = best_turn(tables, rules, &position, metric)?;
        let says = "and by its successors should be";
        let fault = compare(&position, [found, expected], metric, says);
        if fault.is_some() {
            return Ok(TableComparison { checked, fault });
        }
    }
    TableComparison { checked: positions, fault: None }
        .and(|| header::check(metadata, |position| tables.code_by(rules, position, metric)))
}

/// The value of a position that follows from its successors.
fn best_turn(
    tables: &Tables,
    rules: &RuleSet,
    position: &Position,
    metric: Metric,
) -> Result<Code> {
    if let Some(outcome) = rules.outcome(position) {
        return Ok(Code::finished(outcome.value_for(position.to_move())));
    }
    let mut best: Option<Code> = None;
    for after in rules.successors(position) {
        let code = tables.code_by(rules, &after, metric)?.before_turn(metric);
        best = Some(best.map_or(code, |best| best.better(code)));
    }
    Ok(best.expect("a game that goes on has a turn"))
}
