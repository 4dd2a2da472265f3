//! A unit in work.

use std::ops::Range;
use std::sync::atomic::AtomicU8;

use fanorona_core::RuleSet;
use fanorona_tablebase::orbits::choose;
use fanorona_tablebase::{Metric, Result, Slice, Unit, Zugzwangs, captures_decide};
use rayon::prelude::*;

use super::plane::Plane;
use super::rounds::{CHECK_LOSSES, CHECK_WINS};
use super::state::{DenseContext, DenseSolver};
use crate::checkpoint::{Extent, UnitProgress};
use crate::grade_rows::{GradeRows, optional_rows};
use crate::grades::Grade;
use crate::matrix::Matrix;

/// A unit in work. When it is solved, its tables are written from it.
pub(super) struct WorkingUnit<'s, 'a> {
    pub solver: &'s mut DenseSolver<'a>,
    pub unit: Unit,
    pub rules: RuleSet,
    /// The slices of the unit, in its order.
    pub slices: Vec<WorkingSlice>,
    pub done: UnitProgress,
    /// The frames of the last checkpoint.
    pub saved: Vec<Extent>,
    /// The zugzwangs of each slice, when the unit is solved.
    pub zugzwangs: Vec<Zugzwangs>,
}

/// A slice in work.
///
/// A row is a set of occupied points. `win` and `loss` have a row for each of them, by rank. Their
/// columns are the opponent's sets, because a paika of the opponent leads to the same column of a row
/// there: see [`rounds`](super::rounds). The other members have a row for each orbit only.
pub(super) struct WorkingSlice {
    pub win: Plane,
    pub loss: Plane,
    pub own: OwnRows,
    /// With distances, for each orbit the filter of the grades of its captures. Empty until captures
    /// have decided all rows.
    pub filters: Vec<GradeFilter>,
    /// For each orbit, what has to be checked.
    pub checks: Vec<AtomicU8>,
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
        let $crate::dense::unit::OwnRows { undecided, safe, grades } = $own;
        let own = (&mut undecided[..], &mut safe[..]);
        $crate::grade_rows::with_grades!(optional grades, grades => {
            let $found = $crate::dense::unit::par_rows(own, grades, $rows, $words);
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

/// The set of grades in a row, as a Bloom filter with one hash. Rounds skip rows that do not have
/// their grade. There are false positives, but no false negatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GradeFilter([u64; 4]);

impl GradeFilter {
    pub(super) fn of<G: Grade>(row: &[G]) -> Self {
        let mut found = Self::default();
        for grade in row {
            let (word, bit) = Self::bit_of(*grade);
            found.0[word] |= bit;
        }
        found
    }

    pub(super) fn may_have<G: Grade>(&self, grade: G) -> bool {
        let (word, bit) = Self::bit_of(grade);
        self.0[word] & bit != 0
    }

    fn bit_of<G: Grade>(grade: G) -> (usize, u64) {
        let hash = grade.to_code().0 % 256;
        (usize::from(hash / 64), 1 << (hash % 64))
    }
}

impl<'a> WorkingUnit<'_, 'a> {
    pub(super) fn slice_context(&self, slice: Slice) -> DenseContext<'_, 'a> {
        self.solver.slice_context(slice, &self.rules)
    }

    /// A slice, and the one with the sides swapped. They are the same if the unit has only one.
    pub(super) fn with_swapped(&self, i: usize) -> [&WorkingSlice; 2] {
        [i, self.slices.len() - 1 - i].map(|i| &self.slices[i])
    }
}

impl DenseSolver<'_> {
    /// The slices of a unit without any decided position.
    pub(super) fn new_slices(&self, unit: Unit, rules: &RuleSet) -> Result<Vec<WorkingSlice>> {
        let mut slices = Vec::new();
        for slice in unit.slices() {
            let context = self.slice_context(slice, rules);
            let (orbits, words) = (context.rows.count(), context.columns.words());
            let rows = choose(self.tools.board.num_points(), slice.stones()) as usize;
            let grades = match self.context.metric {
                Metric::Wdl => None,
                Metric::Dtw => {
                    let width = self.width_of(slice, 0, &slices)?;
                    Some(GradeRows::new(orbits, context.columns.count(), width))
                }
            };
            let has_safe = grades.is_none() && !captures_decide(rules);
            let safe = vec![0; if has_safe { orbits * words } else { 0 }];
            slices.push(WorkingSlice {
                win: Plane::new(rows, words),
                loss: Plane::new(rows, words),
                own: OwnRows { undecided: vec![0; orbits * words], safe, grades },
                filters: Vec::new(),
                checks: (0..orbits).map(|_| AtomicU8::new(CHECK_WINS | CHECK_LOSSES)).collect(),
            });
        }
        Ok(slices)
    }
}
