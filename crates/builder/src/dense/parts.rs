//! Work on the rows of a slice, in parallel and in parts.

use std::ops::Range;

use rayon::prelude::*;

use crate::grade_rows::{GradeRows, optional_rows};
use crate::grades::Grade;
use crate::matrix::Matrix;

pub(super) fn share(entries: u64, rows: &Range<usize>, all: usize) -> u64 {
    let until = |row: usize| (u128::from(entries) * row as u128 / all.max(1) as u128) as u64;
    until(rows.end) - until(rows.start)
}

/// The parts of a slice in work that have a row for each orbit. A thread may write to those of its
/// row. The columns are own sets.
#[derive(Default)]
pub(super) struct OwnRows {
    /// Positions that are not decided yet, and that paikas can decide.
    pub undecided: Vec<u64>,
    /// Undecided positions that paikas cannot lose, because some capture does not lose. Empty if
    /// the rules make no undecided position safe. Empty with distances, too: grades show which
    /// positions are safe.
    pub safe: Vec<u64>,
    /// The grade of a decided position, or of the best capture of an undecided one, if the build has
    /// distances.
    pub grades: Option<GradeRows>,
}

pub(super) struct OwnRow<'r, G> {
    pub undecided: &'r mut [u64],
    /// Empty if there is none.
    pub safe: &'r mut [u64],
    pub grades: Option<&'r mut [G]>,
}

/// Evaluates an expression with some rows of an [`OwnRows`], as a parallel iterator over orbits and
/// their [`OwnRow`], with grades of either width or none. A row has a number of words.
macro_rules! with_rows {
    ($own:expr, $rows:expr, $words:expr, $found:ident => $value:expr) => {{
        let $crate::dense::parts::OwnRows { undecided, safe, grades } = $own;
        let own = (&mut undecided[..], &mut safe[..]);
        $crate::grade_rows::with_grades!(optional grades, grades => {
            let $found = $crate::dense::parts::par_rows(own, grades, $rows, $words);
            $value
        })
    }};
}
pub(super) use with_rows;

pub(super) fn par_rows<'r, G: Grade>(
    (undecided, safe): (&'r mut [u64], &'r mut [u64]),
    grades: Option<&'r mut Matrix<G>>,
    rows: Range<usize>,
    words: usize,
) -> impl IndexedParallelIterator<Item = (usize, OwnRow<'r, G>)> {
    let in_words = rows.start * words..rows.end * words;
    let safe = (!safe.is_empty()).then(|| &mut safe[in_words.clone()]);
    let safe = optional_rows(safe, words, rows.len());
    let columns = grades.as_ref().map_or(0, |grades| grades.width());
    let grades = grades.map(|grades| grades.rows_mut(rows.clone()));
    let grades = optional_rows(grades, columns, rows.len());
    let undecided = undecided[in_words].par_chunks_mut(words);
    undecided.zip(safe).zip(grades).enumerate().map(move |(i, ((undecided, safe), grades))| {
        let safe = safe.unwrap_or_default();
        (rows.start + i, OwnRow { undecided, safe, grades })
    })
}
