//! Matrices of grades, of either width.

use std::path::Path;

use fanorona_tablebase::{Code, Result};
use rayon::prelude::*;

use super::grades::{Grade, Width, longest};
use super::matrix::Matrix;

pub(super) enum GradeRows {
    Narrow(Matrix<u8>),
    Wide(Matrix<u16>),
}

/// Evaluates an expression with the grades of either width. With `optional`, grades and what the
/// expression has are an [`Option`].
macro_rules! with_grades {
    (optional $grades:expr, $found:ident => $value:expr) => {
        match $grades {
            None => {
                let $found = None::<&mut $crate::matrix::Matrix<u8>>;
                $value
            }
            Some(all) => with_grades!(all, grades => {
                let $found = Some(grades);
                $value
            }),
        }
    };
    ($grades:expr, $found:ident => $value:expr) => {
        match $grades {
            $crate::grade_rows::GradeRows::Narrow($found) => $value,
            $crate::grade_rows::GradeRows::Wide($found) => $value,
        }
    };
}
pub(super) use with_grades;

impl GradeRows {
    /// Rows without any value.
    pub(super) fn new(rows: usize, columns: usize, width: Width) -> Self {
        match width {
            Width::Narrow => Self::Narrow(Matrix::new(rows, columns)),
            Width::Wide => Self::Wide(Matrix::new(rows, columns)),
        }
    }

    /// The value of a position.
    #[inline]
    pub(super) fn code(&self, row: usize, column: usize) -> Code {
        with_grades!(self, grades => grades.row(row)[column].to_code())
    }

    /// The longest distance; 0 if there is none.
    pub(super) fn longest(&self) -> u16 {
        with_grades!(self, grades => {
            let parts = grades.all().par_chunks(1 << 16);
            parts.map(|part| longest(part.iter().copied())).max().unwrap_or(0)
        })
    }

    pub(super) fn are_wide(&self) -> bool {
        matches!(self, Self::Wide(_))
    }

    /// Moves them to a file, if a directory is given.
    pub(super) fn moved_to(self, dir: Option<&Path>) -> Result<Self> {
        Ok(match self {
            Self::Narrow(grades) => Self::Narrow(grades.moved_to(dir)?),
            Self::Wide(grades) => Self::Wide(grades.moved_to(dir)?),
        })
    }

    /// Converts them to two bytes.
    pub(super) fn widen(&mut self) {
        if let Self::Narrow(grades) = self {
            let data = grades.all().par_iter().map(|grade| <u16 as Grade>::of(*grade)).collect();
            *self = Self::Wide(Matrix::of(grades.width(), data));
        }
    }
}

/// Each of `count` rows of some length, or as often nothing.
pub(super) fn optional_rows<T>(
    rows: Option<&mut [T]>,
    len: usize,
    count: usize,
) -> Vec<Option<&mut [T]>> {
    match rows {
        None => (0..count).map(|_| None).collect(),
        Some(rows) => rows.chunks_mut(len).map(Some).collect(),
    }
}
