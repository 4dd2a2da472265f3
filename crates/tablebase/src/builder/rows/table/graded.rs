//! Reading the rows of a solved unit, to write its tables.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::builder::grades::{Grade, Width};
use crate::builder::memory::rows_together;
use crate::builder::rows::kernel::bits::members;
use crate::builder::rows::kernel::captures;
use crate::builder::rows::state::RowsBuilder;
use crate::builder::rows::store::grades::Grades;
use crate::builder::rows::store::layout::Layout;
use crate::builder::rows::store::log::{FrameBuffers, RoundLog};
use crate::builder::rows::store::matrix::BitMatrix;
use crate::builder::rows::store::slices::GradeRows;
use crate::error::Result;
use crate::slice::PhaseSlice;
use crate::value::Code;

/// Reads some rows at a time, and keeps the last ones.
pub(crate) struct RowReader<T> {
    /// The number of rows of the slice.
    count: usize,
    /// The rows that are read together.
    together: usize,
    /// Rows that are read together end at a multiple of this number.
    band: usize,
    last: Option<Arc<Chunk<T>>>,
}

/// Some rows of a slice.
pub(crate) struct Chunk<T> {
    pub rows: Range<usize>,
    pub values: T,
}

impl<T> RowReader<T> {
    pub(crate) fn new(builder: &RowsBuilder<'_>, slice: PhaseSlice) -> Self {
        let layout = builder.layout(slice);
        let count = builder.context.orbits(slice.own()).count();
        let together = rows_together(layout.words() as u64) as usize;
        let together = together.max(rayon::current_num_threads());
        // The log has whole bands.
        let band = if builder.working().found(slice).is_some() { layout.band_rows() } else { 1 };
        Self { count, together, band, last: None }
    }

    /// Some rows, and more after them that are likely to be read next. `read` reads them.
    pub(crate) fn read(
        &mut self,
        rows: Range<usize>,
        read: impl FnOnce(Range<usize>) -> Result<T>,
    ) -> Result<Arc<Chunk<T>>> {
        if let Some(last) = &self.last
            && last.rows.start <= rows.start
            && rows.end <= last.rows.end
        {
            return Ok(last.clone());
        }
        // Its memory is used for the next rows.
        self.last = None;
        let end = rows.end.max(rows.start + self.together).next_multiple_of(self.band);
        let rows = rows.start..self.count.min(end);
        let chunk = Arc::new(Chunk { rows: rows.clone(), values: read(rows)? });
        self.last = Some(chunk.clone());
        Ok(chunk)
    }
}

/// The values of some rows of a slice with distances.
pub(crate) struct GradedRows {
    grades: GradeRows,
    /// Positions without a capture, if others are not stored.
    open: Option<BitMatrix>,
}

impl GradedRows {
    /// Reads some rows from a log. If not `all` are stored, only positions without a capture are.
    pub(crate) fn read(
        builder: &RowsBuilder<'_>,
        slice: PhaseSlice,
        log: &RoundLog,
        rows: Range<usize>,
        all: bool,
    ) -> Result<Self> {
        let (layout, context) = (builder.layout(slice), builder.context);
        let columns = context.orbits(slice.opponent()).num_numbers();
        let width = Width::for_distance(log.longest().unwrap_or(0));
        let find_open = || {
            let mut open = BitMatrix::new(rows.len(), columns, context.sets.group());
            let context = builder.slice_context(slice, &builder.working().rules);
            let words = open.words();
            let each = open.rows_mut(0..rows.len()).par_chunks_mut(words).zip(rows.clone());
            each.for_each_init(Default::default, |buffers, (open, row)| {
                captures::find_quiet(&context, context.own.representative(row), open, buffers);
            });
            open
        };
        let open = (!all).then(find_open);
        let mut grades = GradeRows::new(rows.len(), columns, width);
        match &mut grades {
            GradeRows::Narrow(grades) => fill(layout, log, &rows, open.as_ref(), grades)?,
            GradeRows::Wide(grades) => fill(layout, log, &rows, open.as_ref(), grades)?,
        }
        Ok(Self { grades, open })
    }

    /// The value of a position; [`Code::NONE`] if it is not stored.
    #[inline]
    pub(crate) fn code(&self, row: usize, column: usize) -> Code {
        if self.open.as_ref().is_some_and(|open| !open.bit(row, column)) {
            return Code::NONE;
        }
        match &self.grades {
            GradeRows::Narrow(grades) => grades.row(row)[column].to_code(),
            GradeRows::Wide(grades) => grades.row(row)[column].to_code(),
        }
    }
}

/// Writes the distances of a log to the grades of some rows; if `open` is given, only of those
/// positions. The others are draws.
fn fill<G: Grade>(
    layout: Layout,
    log: &RoundLog,
    rows: &Range<usize>,
    open: Option<&BitMatrix>,
    grades: &mut Grades<G>,
) -> Result<()> {
    let columns = grades.columns();
    let band_rows = layout.band_rows();
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
                log.for_each(distance, panel, bands, &layout, buffers, |_, place, mut bits| {
                    let row = band * band_rows + place / words.len();
                    let word = words.start + place % words.len();
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
