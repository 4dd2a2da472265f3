//! Grades of one or two bytes for the positions of a slice.

use std::path::Path;

use rayon::prelude::*;

use crate::builder::grades::{Grade, Width, longest};
use crate::builder::solved::{SolvedGrades, SolvedRows};
use crate::error::Result;
use crate::value::Code;

/// A row of grades for each orbit of occupied points.
pub(super) enum GradeRows {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

/// Calls generic code with the grades of either width.
macro_rules! with_grades {
    ($grades:expr, $found:ident => $result:expr) => {
        match $grades {
            $crate::builder::dense::grades::GradeRows::Narrow($found) => $result,
            $crate::builder::dense::grades::GradeRows::Wide($found) => $result,
        }
    };
}
pub(super) use with_grades;

impl GradeRows {
    /// A number of positions without grades.
    pub(super) fn new(positions: usize, width: Width) -> Self {
        match width {
            Width::Narrow => Self::Narrow(vec![<u8 as Grade>::NONE; positions]),
            Width::Wide => Self::Wide(vec![<u16 as Grade>::NONE; positions]),
        }
    }

    pub(super) fn len(&self) -> usize {
        with_grades!(self, grades => grades.len())
    }

    pub(super) fn are_wide(&self) -> bool {
        matches!(self, Self::Wide(_))
    }

    /// The bytes beyond one per position.
    pub(super) fn more_than_planned(&self) -> u64 {
        if self.are_wide() { self.len() as u64 } else { 0 }
    }

    #[inline]
    pub(super) fn code(&self, place: usize) -> Code {
        with_grades!(self, grades => grades[place].to_code())
    }

    /// Wraps the grades of a solved slice, given the length of a row. If `work` is a directory, they
    /// go to a file there.
    pub(super) fn into_solved(self, row: usize, work: Option<&Path>) -> Result<SolvedGrades> {
        Ok(match self {
            Self::Narrow(grades) => SolvedGrades::Narrow(SolvedRows::new(row, grades, work)?),
            Self::Wide(grades) => SolvedGrades::Wide(SolvedRows::new(row, grades, work)?),
        })
    }

    /// Whether a code has a grade of this width.
    pub(super) fn has_grade(&self, code: Code) -> bool {
        self.are_wide() || u8::of_code(code).is_some()
    }

    pub(super) fn longest(&self) -> u16 {
        fn of<G: Grade>(grades: &[G]) -> u16 {
            let parts = grades.par_chunks(1 << 16);
            parts.map(|part| longest(part.iter().copied())).max().unwrap_or(0)
        }
        with_grades!(self, grades => of(grades))
    }

    /// Converts them to two bytes.
    pub(super) fn widen(&mut self) {
        if let Self::Narrow(grades) = self {
            let wide = grades.par_iter().map(|grade| <u16 as Grade>::of_narrow(*grade));
            *self = Self::Wide(wide.collect());
        }
    }
}

/// The set of grades in a row, as a Bloom filter with one hash. Rounds skip rows that do not have
/// their grade. There are false positives, but no false negatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GradeFilter([u64; 4]);

impl GradeFilter {
    pub(super) fn of<G: Grade>(row: &[G]) -> Self {
        let mut found = [0; 4];
        for grade in row {
            let (word, bit) = Self::place(*grade);
            found[word] |= bit;
        }
        Self(found)
    }

    pub(super) fn may_have<G: Grade>(&self, grade: G) -> bool {
        let (word, bit) = Self::place(grade);
        self.0[word] & bit != 0
    }

    fn place<G: Grade>(grade: G) -> (usize, u64) {
        let hash = grade.to_code().0 % 256;
        (usize::from(hash / 64), 1 << (hash % 64))
    }
}
