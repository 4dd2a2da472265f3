//! Solved slices, in memory or in mapped files.

use std::collections::HashMap;
use std::path::Path;

use fanorona_tablebase::{Result, Slice};

use super::grade_rows::GradeRows;
use super::grades::Width;
use super::matrix::Matrix;

/// A solved slice. Its builder says what a row and a column are, and how rows without distances are
/// kept.
pub(super) enum SolvedSlice<V = Matrix<u64>> {
    /// Without distances: won and lost positions.
    Values {
        win: V,
        loss: V,
    },
    Distances {
        grades: GradeRows,
        longest: u16,
    },
}

/// The solved slices that a builder keeps.
pub(super) type SolvedSlices<V = Matrix<u64>> = HashMap<Slice, SolvedSlice<V>>;

impl<V> SolvedSlice<V> {
    /// Takes over grades with a longest distance. If `work` is a directory, they go to a file there.
    pub(super) fn of_grades(grades: GradeRows, longest: u16, work: Option<&Path>) -> Result<Self> {
        Ok(Self::Distances { grades: grades.moved_to(work)?, longest })
    }

    /// The wins and losses of a slice without distances.
    pub(super) fn values(&self) -> (&V, &V) {
        match self {
            Self::Values { win, loss } => (win, loss),
            Self::Distances { .. } => unreachable!("the build has no distances"),
        }
    }

    /// The grades of a slice with distances.
    pub(super) fn grades(&self) -> &GradeRows {
        match self {
            Self::Distances { grades, .. } => grades,
            Self::Values { .. } => unreachable!("the build has distances"),
        }
    }

    /// The bytes of grades in memory beyond one per position.
    pub(super) fn more_than_planned(&self) -> u64 {
        match self {
            Self::Distances { grades: GradeRows::Wide(grades), .. } if grades.is_in_memory() => {
                grades.all().len() as u64
            }
            _ => 0,
        }
    }
}

/// The width of the grades of a slice: that for the values after its captures, and for distances up
/// to `known`.
pub(super) fn width_after<V>(
    solved: &SolvedSlices<V>,
    after: impl IntoIterator<Item = Slice>,
    known: u16,
) -> Width {
    let longest = after.into_iter().filter_map(|after| match solved.get(&after)? {
        SolvedSlice::Distances { longest, .. } => Some(*longest),
        SolvedSlice::Values { .. } => None,
    });
    Width::for_distance(longest.fold(known, u16::max))
}
