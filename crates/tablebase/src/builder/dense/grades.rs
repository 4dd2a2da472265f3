//! Grades of one or two bytes for the positions of a slice.

use rayon::prelude::*;

use crate::builder::rows::{Grade, longest};
use crate::value::Code;

/// A row of grades for each orbit of occupied points.
pub(super) enum GradeRows {
    /// One byte per position.
    Narrow(Vec<u8>),
    /// Two bytes per position.
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
    /// A number of positions without grades, in the width for distances up to `longest` and one
    /// turn more.
    pub(super) fn new(positions: usize, longest: u16) -> Self {
        if longest <= <u8 as Grade>::MAX_DISTANCE {
            Self::Narrow(vec![<u8 as Grade>::NONE; positions])
        } else {
            Self::Wide(vec![<u16 as Grade>::NONE; positions])
        }
    }

    /// The number of positions.
    pub(super) fn len(&self) -> usize {
        with_grades!(self, grades => grades.len())
    }

    /// Whether they take two bytes.
    pub(super) fn are_wide(&self) -> bool {
        matches!(self, Self::Wide(_))
    }

    /// The code of a position.
    #[inline]
    pub(super) fn code(&self, place: usize) -> Code {
        with_grades!(self, grades => grades[place].to_code())
    }

    /// Whether a code has a grade of this width.
    pub(super) fn has_grade(&self, code: Code) -> bool {
        self.are_wide() || u8::of_code(code).is_some()
    }

    /// The longest distance.
    pub(super) fn longest(&self) -> u16 {
        fn of<G: Grade>(grades: &[G]) -> u16 {
            let parts = grades.par_chunks(1 << 16);
            parts.map(|part| longest(part.iter().copied())).max().unwrap_or(0)
        }
        with_grades!(self, grades => of(grades))
    }

    /// The same grades with two bytes.
    pub(super) fn widened(self) -> Self {
        match self {
            Self::Narrow(grades) => {
                Self::Wide(grades.into_par_iter().map(<u16 as Grade>::of_narrow).collect())
            }
            wide => wide,
        }
    }
}
