//! Reading the values of a solved unit row by row.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::after::{LOSS, WIN};
use super::captures;
use super::grades::Grades;
use super::layout::Layout;
use super::log::{FrameBuffers, RoundLog};
use super::slices::{GradeRows, SliceRows};
use super::state::RowsBuilder;
use super::tiles::gather_rows;
use crate::builder::grades::{Grade, Width};
use crate::builder::memory::rows_together;
use crate::error::Result;
use crate::slice::Slice;
use crate::value::Code;

/// Reads the values of a slice of the unit that was solved last.
pub(super) struct RowReader<'r, 'a> {
    builder: &'r RowsBuilder<'a>,
    slice: Slice,
    /// Whether to find the positions without a capture.
    finds_open: bool,
    last: Option<Arc<Chunk>>,
}

/// Some rows of a slice.
pub(super) struct Chunk {
    first: usize,
    count: usize,
    values: SliceRows,
}

impl Chunk {
    pub(super) fn rows(&self) -> Range<usize> {
        self.first..self.first + self.count
    }

    /// The value of a position.
    #[inline]
    pub(super) fn code(&self, row: usize, column: usize) -> Code {
        self.values.code(row - self.first, column)
    }

    /// Whether a position has no capture, if the reader finds that.
    #[inline]
    pub(super) fn is_open(&self, row: usize, column: usize) -> bool {
        self.values.open.bit(row - self.first, column)
    }
}

impl<'r, 'a> RowReader<'r, 'a> {
    pub(super) fn new(builder: &'r RowsBuilder<'a>, slice: Slice, finds_open: bool) -> Self {
        Self { builder, slice, finds_open, last: None }
    }

    /// Reads some rows, and more after them that are likely to be read next.
    pub(super) fn read(&mut self, rows: Range<usize>) -> Result<Arc<Chunk>> {
        if let Some(last) = &self.last {
            let there = last.rows();
            if there.start <= rows.start && rows.end <= there.end {
                return Ok(last.clone());
            }
        }
        self.last = None;
        let layout = self.builder.layout(self.slice);
        let count = self.builder.context.orbits(self.slice.own).count();
        let together = rows_together(layout.words() as u64) as usize;
        let rows = rows.start..count.min(rows.end.max(rows.start + together));
        let chunk = Arc::new(self.chunk(layout, rows)?);
        self.last = Some(chunk.clone());
        Ok(chunk)
    }

    fn chunk(&self, layout: Layout, rows: Range<usize>) -> Result<Chunk> {
        let &Self { builder, slice, finds_open, .. } = self;
        let context = builder.context;
        let log = builder.working().found(slice);
        let columns = context.orbits(slice.opponent).num_numbers();
        let mut values = SliceRows::new(rows.len(), columns, context.sets.group(), false, None);
        let chunk = |values| Chunk { first: rows.start, count: rows.len(), values };
        if let Some(log) = log {
            let mut grades = GradeRows::new(
                rows.len(),
                columns,
                Width::for_distance(log.longest().unwrap_or(0)),
            );
            match &mut grades {
                GradeRows::Narrow(grades) => fill(layout, log, &rows, grades)?,
                GradeRows::Wide(grades) => fill(layout, log, &rows, grades)?,
            }
            values.grades = Some(grades);
        } else {
            let all = 0..rows.len();
            let (mut win, mut loss) = (Vec::new(), Vec::new());
            gather_rows(builder.store(), slice, WIN, rows.clone(), &mut win)?;
            gather_rows(builder.store(), slice, LOSS, rows.clone(), &mut loss)?;
            let to_win = values.win.rows_mut(all.clone());
            to_win.iter_mut().zip(win.iter().zip(&loss)).for_each(|(to, (w, l))| *to = w & !l);
            let to_loss = values.loss.rows_mut(all);
            to_loss.iter_mut().zip(win.iter().zip(&loss)).for_each(|(to, (w, l))| *to = l & !w);
        }
        if finds_open {
            let rules = builder.working().rules;
            let context = builder.slice_context(slice, &rules);
            let words = layout.words();
            let open = values.open.rows_mut(0..rows.len()).par_chunks_mut(words);
            open.zip(rows.clone()).for_each_init(Default::default, |buffers, (open, row)| {
                captures::find_quiet(&context, context.own.representative(row), open, buffers);
            });
        }
        Ok(chunk(values))
    }
}

/// Writes the distances of a log to the grades of some rows. The other positions are draws.
fn fill<G: Grade>(
    layout: Layout,
    log: &RoundLog,
    rows: &Range<usize>,
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
        for panel in 0..layout.num_panels() {
            let words = layout.panel(panel);
            for distance in log.distances() {
                let grade = G::of_code(Code(distance + 1)).expect("grades are wide enough");
                let bands = band..band + 1;
                log.for_each(distance, panel, bands, &layout, buffers, |_, place, mut word| {
                    let row = band * band_rows + place / words.len();
                    let column = 64 * (words.start + place % words.len());
                    let Some(row) = row.checked_sub(first) else { return };
                    let Some(grades) = grades.get_mut(row * columns..(row + 1) * columns) else {
                        return;
                    };
                    while word != 0 {
                        grades[column + word.trailing_zeros() as usize] = grade;
                        word &= word - 1;
                    }
                })?;
            }
        }
        Ok(())
    })
}
