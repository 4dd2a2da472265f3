//! Comparing what tables hold, place by place.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona_core::{PointSet, Position, Side};
use rayon::prelude::*;

use super::retrograde::Solver;
use super::show;
use crate::error::{Result, TableError};
use crate::format::{Metadata, TableFile, UnpackedFile};
use crate::index::{Entry, SliceIndex};
use crate::probe::Tables;
use crate::slice::Slice;
use crate::stop::check_stop;
use crate::value::{Code, Metric};
use crate::zugzwang::Zugzwang;

/// Where values are read: a packed table, or the unpacked one that was made from it.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub table: &'t TableFile,
    pub unpacked: Option<&'t UnpackedFile>,
}

impl Source<'_> {
    /// Compares all checksums.
    pub(super) fn check(self) -> Result<()> {
        match self.unpacked {
            None => self.table.check(),
            Some(unpacked) => unpacked.check(),
        }
    }

    /// The values of a block, as the packed table has them.
    fn read_codes(self, block: u64) -> Result<Vec<Code>> {
        let Some(unpacked) = self.unpacked else { return self.table.read_codes(block) };
        let Metadata { values, block_values, .. } = *self.table.metadata();
        let first = block * u64::from(block_values);
        unpacked.codes(first, values.saturating_sub(first).min(block_values.into()))
    }

    /// Whether it has a value of its own for an entry. If not, the position's captures decide it,
    /// and so do smaller slices.
    fn has_value(self, tables: &Tables, entry: &Entry) -> bool {
        let metadata = self.table.metadata();
        self.unpacked.is_some()
            || metadata.captures_stored
            || !metadata.rules.has_capture(&position(tables, entry.own, entry.opponent))
    }
}

/// Compares every value of a table with a solution, for all the positions that it stands for.
pub(super) fn with_solution(
    tables: &Tables,
    source: Source<'_>,
    solver: &Solver<'_>,
    stop: &AtomicBool,
) -> Result<(u64, Option<String>)> {
    let metadata = source.table.metadata();
    let (board, metric) = (tables.board(), metadata.metric);
    let index = SliceIndex::new(tables.sets(), metadata.slice)?;
    let block_values = u64::from(metadata.block_values);
    let compare = |block| {
        let first = block * block_values;
        for (entry, found) in index.entries(first).zip(source.read_codes(block)?) {
            if !source.has_value(tables, &entry) {
                continue;
            }
            for symmetry in board.symmetries() {
                let image =
                    |set| symmetry.apply_to_set(board, set).expect("a symmetry of the board");
                let (own, opponent) = (image(entry.own), image(entry.opponent));
                let expected = in_metric(solver.code(own, opponent), metric);
                if found != expected {
                    let position = position(tables, own, opponent);
                    let (found, expected) = (show(found, metric), show(expected, metric));
                    return Ok(Some(format!("{position} is {found}, and should be {expected}")));
                }
            }
        }
        Ok(None)
    };
    let (checked, difference) = for_each_block(source.table, &index, stop, compare)?;
    if difference.is_some() {
        return Ok((checked, difference));
    }
    let (found, told) = (solver.statistics(metadata.slice), &metadata.statistics);
    let same = (found.win, found.draw, found.loss) == (told.win, told.draw, told.loss)
        && (metric == Metric::Wdl || found.distances == told.distances);
    if !same {
        let difference = "the counts in the header are not those of its values";
        return Ok((checked, Some(difference.to_owned())));
    }
    Ok((checked, compare_zugzwangs(metadata, solver)?))
}

/// Compares the zugzwangs that a table tells, if it does, with those of a solution.
fn compare_zugzwangs(metadata: &Metadata, solver: &Solver<'_>) -> Result<Option<String>> {
    let Some(told) = &metadata.statistics.zugzwangs else { return Ok(None) };
    let found = solver.zugzwangs(metadata.slice, &metadata.rules)?;
    for ((name, kind), found) in Zugzwang::ALL.into_iter().zip(found) {
        let told = told.of(kind);
        if told.count != found {
            let counts = format!("{} zugzwangs ({name}), and there are {found}", told.count);
            return Ok(Some(format!("the header tells {counts}")));
        }
        let example = told.position(metadata.board);
        let is_one = example.is_some_and(|example| {
            Slice::of(&example) == Some(metadata.slice)
                && solver.zugzwang(&metadata.rules, &example) == Some(kind)
        });
        if is_one != (found > 0) {
            return Ok(Some(format!("the header's example of a zugzwang ({name}) is none")));
        }
    }
    Ok(None)
}

/// The table of the same slice in another directory: the one with distances if there is one.
///
/// # Errors
/// If there is none, or it is damaged.
pub(super) fn counterpart<'t>(other: &'t Tables, table: &TableFile) -> Result<&'t TableFile> {
    let slice = table.metadata().slice;
    for metric in [Metric::Dtw, Metric::Wdl] {
        if let Some(found) = other.table(slice, metric)? {
            return Ok(found);
        }
    }
    let rules = slice.rules(other.board(), &other.rules())?;
    let dir = other.dir().to_owned();
    Err(TableError::Missing { slice, board: other.board(), rules, metric: None, dir })
}

/// Compares a table with that of the same slice in another directory: distances if both have them,
/// else who wins.
pub(super) fn with_other(
    tables: &Tables,
    source: Source<'_>,
    other: &Tables,
    stop: &AtomicBool,
) -> Result<(u64, Option<String>)> {
    let reference = counterpart(other, source.table)?;
    reference.check()?;
    let told_at = Source { table: reference, unpacked: None };
    let (metadata, told) = (source.table.metadata(), reference.metadata());
    let metric = metadata.metric.min(told.metric);
    let index = SliceIndex::new(tables.sets(), metadata.slice)?;
    let block_values = u64::from(metadata.block_values);
    let compare = |block| {
        let first = block * block_values;
        let here = source.read_codes(block)?;
        let there = reference.codes(first, here.len() as u64)?;
        for (place, (here, there)) in (first..).zip(here.into_iter().zip(there)) {
            let (here, there) = (in_metric(here, metric), in_metric(there, metric));
            if here == there {
                continue;
            }
            let entry = index.entry(place).expect("a place of the index");
            if !source.has_value(tables, &entry) {
                continue;
            }
            let position = position(tables, entry.own, entry.opponent);
            // What an unpacked table tells of captures, the other one finds by searching them.
            let there = if told_at.has_value(tables, &entry) {
                there
            } else {
                in_metric(other.code(&position, told.metric)?, metric)
            };
            if here != there {
                let (here, there) = (show(here, metric), show(there, metric));
                let path = reference.path().display();
                return Ok(Some(format!("{position} is {here}, and {there} in {path}")));
            }
        }
        Ok(None)
    };
    let (checked, difference) = for_each_block(source.table, &index, stop, compare)?;
    let difference = difference.or_else(|| {
        let (here, there) = (&metadata.statistics, &told.statistics);
        let same = (here.win, here.draw, here.loss) == (there.win, there.draw, there.loss)
            && (metric == Metric::Wdl || here.distances == there.distances)
            && here.zugzwangs.zip(there.zugzwangs).is_none_or(|(here, there)| here == there);
        let path = reference.path().display();
        (!same).then(|| format!("the counts in the header are not those of {path}"))
    });
    Ok((checked, difference))
}

/// Visits all blocks of a table on all threads. How many positions those stand for where nothing
/// was found, and what was found first.
fn for_each_block(
    table: &TableFile,
    index: &SliceIndex<'_>,
    stop: &AtomicBool,
    visit: impl Fn(u64) -> Result<Option<String>> + Sync,
) -> Result<(u64, Option<String>)> {
    let checked = AtomicU64::new(0);
    let block_values = u64::from(table.metadata().block_values);
    let found = (0..table.blocks()).into_par_iter().map(|block| -> Result<_> {
        check_stop(stop)?;
        let difference = visit(block)?;
        if difference.is_none() {
            let first = block * block_values;
            checked.fetch_add(index.positions(first, block_values), Ordering::Relaxed);
        }
        Ok(difference)
    });
    let first = found.find_first(|result| !matches!(result, Ok(None)));
    let difference = first.transpose()?.flatten();
    Ok((checked.into_inner(), difference))
}

fn position(tables: &Tables, own: PointSet, opponent: PointSet) -> Position {
    Position::from_mover(tables.board(), own, opponent, Side::White)
        .expect("the sets of an entry are on the board and apart")
}

fn in_metric(code: Code, metric: Metric) -> Code {
    match metric {
        Metric::Wdl => code.as_wdl(),
        Metric::Dtw => code,
    }
}
