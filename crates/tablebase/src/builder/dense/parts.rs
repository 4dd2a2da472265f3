//! Work on the rows of a slice, in parallel and in parts.

use std::ops::Range;

use rayon::prelude::*;

use super::grades::GradeRows;
use super::state::WorkingSlice;

/// The number of positions of a part: some tenths of a second of work. Small in this crate's tests,
/// so that small slices have many parts.
const PART: usize = if cfg!(test) { 1 << 8 } else { 1 << 23 };

/// Divides the rows of a slice into parts. Between parts, work can be stopped and a checkpoint can
/// be saved.
pub(super) fn next_part(first: usize, rows: usize, columns: usize) -> Range<usize> {
    // At least some rows per thread.
    let together = (PART / columns).max(8 * rayon::current_num_threads());
    first..rows.min(first + together)
}

/// The share of some rows in a number of entries.
pub(super) fn share(entries: u64, rows: &Range<usize>, all: usize) -> u64 {
    let until = |row: usize| (u128::from(entries) * row as u128 / all.max(1) as u128) as u64;
    until(rows.end) - until(rows.start)
}

/// The parts of a slice in work that have a row for each orbit. A thread may write to those of its
/// row.
pub(super) struct OwnRows {
    undecided: Vec<u64>,
    safe: Vec<u64>,
    grades: Option<GradeRows>,
}

/// A row of them.
pub(super) struct OwnRow<'r> {
    pub undecided: &'r mut [u64],
    /// Empty if there is none.
    pub safe: &'r mut [u64],
    pub grades: Option<GradeRow<'r>>,
}

pub(super) enum GradeRow<'r> {
    Narrow(&'r mut [u8]),
    Wide(&'r mut [u16]),
}

impl OwnRows {
    /// Takes them out of a slice.
    pub(super) fn take(slice: &mut WorkingSlice) -> Self {
        let grades = slice.distances.as_mut();
        let empty = || GradeRows::Narrow(Vec::new());
        Self {
            undecided: std::mem::take(&mut slice.undecided),
            safe: std::mem::take(&mut slice.safe),
            grades: grades.map(|found| std::mem::replace(&mut found.grades, empty())),
        }
    }

    /// Puts them back.
    pub(super) fn put_back(self, slice: &mut WorkingSlice) {
        slice.undecided = self.undecided;
        slice.safe = self.safe;
        if let (Some(distances), Some(grades)) = (&mut slice.distances, self.grades) {
            distances.grades = grades;
        }
    }

    /// Visits some rows in parallel.
    pub(super) fn par_rows(
        &mut self,
        rows: Range<usize>,
        words: usize,
        columns: usize,
    ) -> impl IndexedParallelIterator<Item = (usize, OwnRow<'_>)> {
        fn chunks<'t, T>(
            all: &'t mut [T],
            rows: &Range<usize>,
            length: usize,
        ) -> Vec<Option<&'t mut [T]>> {
            match all.is_empty() {
                true => rows.clone().map(|_| None).collect(),
                false => all[rows.start * length..rows.end * length]
                    .chunks_mut(length)
                    .map(Some)
                    .collect(),
            }
        }
        let grades: Vec<_> = match &mut self.grades {
            None => rows.clone().map(|_| None).collect(),
            Some(GradeRows::Narrow(grades)) => chunks(grades, &rows, columns)
                .into_iter()
                .map(|row| row.map(GradeRow::Narrow))
                .collect(),
            Some(GradeRows::Wide(grades)) => chunks(grades, &rows, columns)
                .into_iter()
                .map(|row| row.map(GradeRow::Wide))
                .collect(),
        };
        let safe = chunks(&mut self.safe, &rows, words);
        let undecided = self.undecided[rows.start * words..rows.end * words].par_chunks_mut(words);
        undecided.zip(safe).zip(grades).enumerate().map(move |(i, ((undecided, safe), grades))| {
            let safe = safe.unwrap_or_default();
            (rows.start + i, OwnRow { undecided, safe, grades })
        })
    }
}
