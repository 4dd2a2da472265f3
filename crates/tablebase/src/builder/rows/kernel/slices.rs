//! The values of a slice in memory, row by row. In [`SliceRows`] a row is an own set. Solved slices
//! are transposed: their rows are the opponent's sets.

use std::collections::HashMap;
use std::path::Path;

use fanorona_core::SymmetryGroup;

use super::grades::Grades;
use crate::builder::grades::{Grade, Width, longest};
use crate::builder::rows::store::BitMatrix;
use crate::builder::solved::{SolvedGrades, SolvedRows};
use crate::error::Result;
use crate::slice::PhaseSlice;
use crate::value::Code;

/// Some rows of a slice. A row is an orbit of own sets, a column a set of the opponent.
pub(crate) struct SliceRows {
    pub win: BitMatrix,
    pub loss: BitMatrix,
    /// Positions that paikas can decide.
    pub open: BitMatrix,
    /// Positions that paikas cannot lose, because some capture is not known to lose, or because the
    /// side to move has no turn and that is a draw.
    /// `None` if the rules make no open position safe.
    pub safe: Option<BitMatrix>,
    /// Distances, if the build has them.
    pub grades: Option<GradeRows>,
}

/// Rows of grades.
pub(crate) enum GradeRows {
    Narrow(Grades<u8>),
    Wide(Grades<u16>),
}

/// Evaluates an expression with the grades of either width.
macro_rules! with_grades {
    ($rows:expr, $grades:ident => $value:expr) => {
        match $rows {
            $crate::builder::rows::kernel::GradeRows::Narrow($grades) => $value,
            $crate::builder::rows::kernel::GradeRows::Wide($grades) => $value,
        }
    };
}
pub(crate) use with_grades;

impl SliceRows {
    /// Rows without any decided position. Without a width they have no distances.
    pub(crate) fn new(
        rows: usize,
        columns: usize,
        group: &SymmetryGroup,
        has_safe: bool,
        width: Option<Width>,
    ) -> Self {
        let matrix = || BitMatrix::new(rows, columns, group);
        let grades = width.map(|width| GradeRows::new(rows, columns, width));
        let safe = has_safe.then(matrix);
        Self { win: matrix(), loss: matrix(), open: matrix(), safe, grades }
    }

    /// The value of a position of a solved slice.
    #[inline]
    pub(crate) fn code(&self, row: usize, column: usize) -> Code {
        match &self.grades {
            Some(grades) => grades.code(row, column),
            None => code(self.win.bit(row, column), self.loss.bit(row, column)),
        }
    }
}

/// The value of a position without distances.
#[inline]
pub(crate) fn code(is_win: bool, is_loss: bool) -> Code {
    Code(u16::from(is_loss) | u16::from(is_win) << 1)
}

impl GradeRows {
    /// Rows without any value.
    pub(crate) fn new(rows: usize, columns: usize, width: Width) -> Self {
        match width {
            Width::Narrow => Self::Narrow(Grades::new(rows, columns)),
            Width::Wide => Self::Wide(Grades::new(rows, columns)),
        }
    }

    /// The value of a position.
    #[inline]
    pub(crate) fn code(&self, row: usize, column: usize) -> Code {
        with_grades!(self, grades => grades.row(row)[column].to_code())
    }

    /// The longest distance; 0 if there is none.
    pub(crate) fn longest(&self) -> u16 {
        with_grades!(self, grades => longest(grades.all().iter().copied()))
    }

    /// Wraps transposed grades. If `scratch_dir` is a directory, they go to a file there.
    pub(crate) fn into_solved(self, scratch_dir: Option<&Path>) -> Result<SolvedGrades> {
        Ok(match self {
            Self::Narrow(grades) => SolvedGrades::Narrow(grades.into_solved(scratch_dir)?),
            Self::Wide(grades) => SolvedGrades::Wide(grades.into_solved(scratch_dir)?),
        })
    }
}

/// The solved slices that are kept.
pub(crate) type SolvedSlices = HashMap<PhaseSlice, SolvedSlice>;

/// A solved slice. A row of its matrices is an orbit of the opponent's sets, a column an own set.
pub(crate) enum SolvedSlice {
    /// Without distances.
    Values {
        win: SolvedRows<u64>,
        loss: SolvedRows<u64>,
    },
    Distances {
        grades: SolvedGrades,
        longest: u16,
    },
}

impl SolvedSlice {
    /// The wins and losses of a slice without distances.
    pub(crate) fn values(&self) -> (&SolvedRows<u64>, &SolvedRows<u64>) {
        match self {
            Self::Values { win, loss } => (win, loss),
            Self::Distances { .. } => unreachable!("the build has no distances"),
        }
    }

    /// The grades of a slice with distances.
    pub(crate) fn grades(&self) -> &SolvedGrades {
        match self {
            Self::Distances { grades, .. } => grades,
            Self::Values { .. } => unreachable!("the build has distances"),
        }
    }

    /// The longest distance. `None` without distances.
    pub(crate) fn longest(&self) -> Option<u16> {
        match self {
            Self::Values { .. } => None,
            Self::Distances { longest, .. } => Some(*longest),
        }
    }
}
