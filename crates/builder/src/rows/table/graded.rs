//! The rows of a slice with distances, to write its table.

use std::ops::Range;

use fanorona_tablebase::format::{Metadata, pack_codes};
use fanorona_tablebase::{Code, Result};
use rayon::prelude::*;

use crate::bits::members;
use crate::grade_rows::{GradeRows, with_grades};
use crate::grades::{Grade, Width};
use crate::matrix::Matrix;
use crate::rows::kernel::{SliceContext, captures};
use crate::rows::store::{FrameBuffers, RoundLog, Tiling};

pub(crate) struct GradedRows {
    rows: Range<usize>,
    grades: GradeRows,
    /// Positions without a capture, if others are not stored.
    open: Option<Matrix<u64>>,
}

impl GradedRows {
    /// Reads some rows from a log. If not `all` are stored, only positions without a capture are.
    pub(crate) fn read(
        context: &SliceContext<'_, '_>,
        rows: Range<usize>,
        all: bool,
        log: &RoundLog,
    ) -> Result<Self> {
        let columns = context.opponents().count();
        let find_open = || {
            let mut open = Matrix::new(rows.len(), context.opponents().words());
            let each = open.par_groups_mut(1).zip(rows.clone());
            each.for_each_init(Default::default, |buffers, (open, row)| {
                captures::find_quiet(context, context.own.representative(row), open, buffers);
            });
            open
        };
        let open = (!all).then(find_open);
        let width = Width::for_distance(log.longest().unwrap_or(0));
        let mut grades = GradeRows::new(rows.len(), columns, width);
        with_grades!(&mut grades, to => fill(context.layout, log, &rows, open.as_ref(), to)?);
        Ok(Self { rows, grades, open })
    }

    /// The bytes of a block.
    pub(crate) fn pack(
        &self,
        context: &SliceContext<'_, '_>,
        metadata: &Metadata,
        values: Range<u64>,
    ) -> Result<Vec<u8>> {
        let (index, columns) = (context.index(), context.opponents());
        pack_codes(metadata, values, |first, codes| {
            let mut codes = codes.iter_mut();
            index.for_each_rank(first, codes.len() as u64, |row, rank| {
                let code = codes.next().expect("as many codes as values");
                *code = self.code(row - self.rows.start, columns.of_rank(rank as usize));
            });
            Ok(())
        })
    }

    /// The value of a position; [`Code::NONE`] if it is not stored.
    #[inline]
    pub(crate) fn code(&self, row: usize, column: usize) -> Code {
        match &self.open {
            Some(open) if !open.bit(row, column) => Code::NONE,
            _ => self.grades.code(row, column),
        }
    }
}

/// Writes the distances of a log to the grades of some rows; if `open` is given, only of those
/// positions. The others are draws.
fn fill<G: Grade>(
    layout: Tiling,
    log: &RoundLog,
    rows: &Range<usize>,
    open: Option<&Matrix<u64>>,
    grades: &mut Matrix<G>,
) -> Result<()> {
    let columns = grades.width();
    let band_rows = layout.band_rows;
    // Bands that are partly read begin before the first row, or end after the last one.
    let first_band = rows.start / band_rows;
    let in_first = (band_rows - rows.start % band_rows).min(rows.len());
    let (head, tail) = grades.all_mut().split_at_mut(in_first * columns);
    let parts = [head].into_par_iter().chain(tail.par_chunks_mut(band_rows * columns));
    parts.enumerate().try_for_each_init(FrameBuffers::default, |buffers, (i, grades)| {
        grades.fill(G::DRAW);
        let band = first_band + i;
        let first = rows.start.max(band * band_rows);
        for segment in 0..layout.num_segments() {
            let panel = layout.panel_at(segment, band * band_rows);
            let words = layout.segment(segment);
            for distance in log.distances() {
                let grade = G::of_code(Code(distance + 1)).expect("grades are wide enough");
                let bands = band..band + 1;
                log.for_each(distance, panel, bands, &layout, buffers, |_, index, mut bits| {
                    let row = band * band_rows + index / words.len();
                    let word = words.start + index % words.len();
                    if !rows.contains(&row) {
                        return;
                    }
                    if let Some(open) = open {
                        bits &= open.row(row - rows.start)[word];
                    }
                    let grades = &mut grades[(row - first) * columns + 64 * word..];
                    for bit in members(bits) {
                        grades[bit] = grade;
                    }
                })?;
            }
        }
        Ok(())
    })
}
