//! The values of a slice in memory, row by row.

use fanorona_core::SymmetryGroup;

use crate::builder::grade_rows::GradeRows;
use crate::builder::grades::Width;
use crate::builder::rows::store::BitMatrix;
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
            None => Code::of_bits(self.win.bit(row, column), self.loss.bit(row, column)),
        }
    }
}
