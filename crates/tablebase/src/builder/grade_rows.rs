//! Matrices of grades, of either width.

use std::ops::Range;

use rayon::prelude::*;

use super::grades::{Grade, Width, longest};
use crate::value::Code;

/// A matrix of grades.
#[derive(Debug)]
pub(super) struct Grades<G> {
    columns: usize,
    data: Vec<G>,
}

impl<G: Grade> Grades<G> {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Self { columns, data: vec![G::NONE; rows * columns] }
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &[G] {
        &self.data[row * self.columns..][..self.columns]
    }

    /// All grades, row by row.
    pub(super) fn all(&self) -> &[G] {
        &self.data
    }

    pub(super) fn all_mut(&mut self) -> &mut [G] {
        &mut self.data
    }

    /// Some rows, contiguous.
    pub(super) fn rows_mut(&mut self, rows: Range<usize>) -> &mut [G] {
        &mut self.data[rows.start * self.columns..rows.end * self.columns]
    }

    /// Groups of `rows` rows, in parallel.
    pub(super) fn par_groups_mut(&mut self, rows: usize) -> rayon::slice::ChunksMut<'_, G> {
        self.data.par_chunks_mut(rows * self.columns)
    }

    /// The number of columns, and all grades.
    pub(super) fn into_parts(self) -> (usize, Vec<G>) {
        (self.columns, self.data)
    }
}

/// Something with grades, of either width.
pub(super) enum OfWidth<N, W> {
    Narrow(N),
    Wide(W),
}

/// Rows of grades.
pub(super) type GradeRows = OfWidth<Grades<u8>, Grades<u16>>;

/// Evaluates an expression with the grades of either width. With `map`, the result is of the same
/// width. With `optional`, grades and what the expression has are an [`Option`].
macro_rules! with_grades {
    (map $grades:expr, $found:ident => $value:expr) => {
        match $grades {
            $crate::builder::grade_rows::OfWidth::Narrow($found) => {
                $crate::builder::grade_rows::OfWidth::Narrow($value)
            }
            $crate::builder::grade_rows::OfWidth::Wide($found) => {
                $crate::builder::grade_rows::OfWidth::Wide($value)
            }
        }
    };
    (optional $grades:expr, $found:ident => $value:expr) => {
        match $grades {
            None => {
                let $found = None::<&mut $crate::builder::grade_rows::Grades<u8>>;
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
            $crate::builder::grade_rows::OfWidth::Narrow($found) => $value,
            $crate::builder::grade_rows::OfWidth::Wide($found) => $value,
        }
    };
}
pub(super) use with_grades;

impl GradeRows {
    /// Rows without any value.
    pub(super) fn new(rows: usize, columns: usize, width: Width) -> Self {
        match width {
            Width::Narrow => Self::Narrow(Grades::new(rows, columns)),
            Width::Wide => Self::Wide(Grades::new(rows, columns)),
        }
    }

    /// The value of a position.
    #[inline]
    pub(super) fn code(&self, row: usize, column: usize) -> Code {
        with_grades!(self, grades => grades.row(row)[column].to_code())
    }

    /// The longest distance; 0 if there is none.
    pub(super) fn longest(&self) -> u16 {
        fn of<G: Grade>(grades: &[G]) -> u16 {
            let parts = grades.par_chunks(1 << 16);
            parts.map(|part| longest(part.iter().copied())).max().unwrap_or(0)
        }
        with_grades!(self, grades => of(grades.all()))
    }

    pub(super) fn are_wide(&self) -> bool {
        matches!(self, Self::Wide(_))
    }

    /// Converts them to two bytes.
    pub(super) fn widen(&mut self) {
        if let Self::Narrow(Grades { columns, data }) = self {
            let data = data.par_iter().map(|grade| <u16 as Grade>::of(*grade)).collect();
            *self = Self::Wide(Grades { columns: *columns, data });
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
