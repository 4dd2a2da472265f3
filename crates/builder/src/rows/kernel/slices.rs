//! The values of a slice in memory, row by row.

use crate::grade_rows::GradeRows;
use crate::grades::Width;
use crate::matrix::Matrix;

/// Some rows of a slice. A row is an orbit of own sets, a column a set of the opponent.
pub(crate) struct SliceRows {
    pub win: Matrix<u64>,
    pub loss: Matrix<u64>,
    /// Positions that paikas can decide.
    pub open: Matrix<u64>,
    /// Positions that paikas cannot lose, because some capture is not known to lose, or because the
    /// side to move has no turn and that is a draw.
    /// `None` if the rules make no open position safe.
    pub safe: Option<Matrix<u64>>,
    /// Distances, if the build has them.
    pub grades: Option<GradeRows>,
}

impl SliceRows {
    /// Rows without any decided position. Without a width they have no distances.
    pub(crate) fn new(rows: usize, columns: usize, has_safe: bool, width: Option<Width>) -> Self {
        let matrix = || Matrix::new(rows, columns.div_ceil(64));
        let grades = width.map(|width| GradeRows::new(rows, columns, width));
        let safe = has_safe.then(matrix);
        Self { win: matrix(), loss: matrix(), open: matrix(), safe, grades }
    }
}
