//! Keeping solved slices for those that capture into them.

use std::ops::Range;

use rayon::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::builder::grades::{Grade, Width};
use crate::builder::ranks::{Group, share};
use crate::builder::rows::state::RowsBuilder;
use crate::builder::rows::store::after::{LOSS, WIN};
use crate::builder::rows::store::grades::Grades;
use crate::builder::rows::store::layout::Layout;
use crate::builder::rows::store::log::{FrameBuffers, RoundLog};
use crate::builder::rows::store::matrix::{BitMatrix, Shape};
use crate::builder::rows::store::slices::{GradeRows, SliceRows, SolvedDistances, SolvedSlice};
use crate::builder::rows::store::tiles::Tile;
use crate::builder::solved::SolvedRows;
use crate::error::Result;
use crate::slice::PhaseSlice;
use crate::value::Code;

impl RowsBuilder<'_> {
    /// Keeps the values of a slice of the unit that was solved, in transposed form. Several processes
    /// send each other what they have, so that each keeps everything.
    pub(crate) fn keep_solved(&mut self, slice: PhaseSlice) -> Result<()> {
        let work = self.context.work_of_solved();
        let solved = match self.working().found(slice) {
            None => {
                let words = self.layout(slice.swapped()).words();
                let rows = |plane, other| {
                    SolvedRows::new(words, self.transposed(slice, plane, other)?, work)
                };
                SolvedSlice::Values { win: rows(WIN, LOSS)?, loss: rows(LOSS, WIN)? }
            }
            Some(log) => {
                let longest = self.context.group.max(log.longest().unwrap_or(0).into())? as u16;
                let grades = self.transposed_grades(slice, log, longest)?;
                SolvedSlice::Distances(SolvedDistances {
                    grades: grades.into_solved(work)?,
                    longest,
                })
            }
        };
        self.solved.insert(slice, solved);
        Ok(())
    }

    /// The transposed bits of a matrix that are not bits of the other one.
    fn transposed(&self, slice: PhaseSlice, plane: usize, other: usize) -> Result<Vec<u64>> {
        let (store, cells) = (self.store(), &self.cells);
        let (layout, swapped) = (store.layout(slice), store.layout(slice.swapped()));
        let words = swapped.words();
        let mut data = vec![0; swapped.rows() * words];
        let group = self.context.group;
        let own = layout.panels_of(group.rank());
        let rows_of_segment = layout.swapped_rows(0).len() * words;
        let segments = data.par_chunks_mut(rows_of_segment).enumerate();
        let result = segments.try_for_each_init(
            <[Vec<u64>; 2]>::default,
            |[first, second], (segment, to)| -> Result<()> {
                let width = layout.segment(segment).len();
                let all: Vec<_> = (0..width).collect();
                // As many rows as the segments of the swapped slice have columns.
                for to_segment in 0..swapped.num_segments() {
                    let rows = swapped.swapped_rows(to_segment);
                    let panels = layout.panels_with(&layout.segment(segment), &rows);
                    for panel in panels.filter(|panel| own.contains(panel)) {
                        let rows = layout.rows_in(panel, &rows);
                        let tile = |plane| Tile { slice, plane, panel, rows: rows.clone() };
                        let bits = store.read(&tile(plane), first)?;
                        let others = store.read(&tile(other), second)?;
                        let shape = Shape {
                            from_width: width,
                            groups: rows.len() / layout.cells(),
                            to_width: words,
                            to_first: rows.start / layout.cells(),
                        };
                        cells.transpose_tile(shape, &all, |i| bits[i] & !others[i], to);
                    }
                }
                Ok(())
            },
        );
        group.agree(result)?;
        share_rows(group, &layout, &mut data, words, |rows| rows / layout.cells())?;
        Ok(data)
    }

    fn transposed_grades(
        &self,
        slice: PhaseSlice,
        log: &RoundLog,
        longest: u16,
    ) -> Result<GradeRows> {
        let layout = self.layout(slice);
        let order = self.context.sets.group().order();
        let rows = self.context.orbits(slice.opponent()).count();
        let columns = self.context.orbits(slice.own()).count() * order;
        let mut grades = GradeRows::new(rows, columns, Width::for_distance(longest));
        match &mut grades {
            GradeRows::Narrow(grades) => self.fill_transposed(layout, log, grades)?,
            GradeRows::Wide(grades) => self.fill_transposed(layout, log, grades)?,
        }
        Ok(grades)
    }

    /// Writes the distances of a log to transposed grades. The other positions are draws.
    fn fill_transposed<G: Grade + FromBytes + IntoBytes + Immutable>(
        &self,
        layout: Layout,
        log: &RoundLog,
        grades: &mut Grades<G>,
    ) -> Result<()> {
        let (cells, group) = (&self.cells, self.context.group);
        let (order, columns) = (64 / layout.cells(), grades.columns());
        let rows_of_segment = layout.swapped_rows(0).len();
        let own = layout.panels_of(group.rank());
        let segments = grades.par_groups_mut(rows_of_segment).enumerate();
        let result =
            segments.try_for_each_init(FrameBuffers::default, |buffers, (segment, rows)| {
                rows.fill(G::DRAW);
                let (words, first) = (layout.segment(segment), layout.swapped_rows(segment).start);
                let panels = layout.panels_with(&words, &(0..layout.rows()));
                let panels: Vec<_> = panels.filter(|panel| own.contains(panel)).collect();
                for distance in log.distances() {
                    let grade = G::of_code(Code(distance + 1)).expect("grades are wide enough");
                    let mut fill = |band: usize, place: usize, mut word: u64| {
                        let row = band * layout.band_rows() + place / words.len();
                        let column = 64 * (words.start + place % words.len());
                        while word != 0 {
                            let column = column + word.trailing_zeros() as usize;
                            let to = (column / order - first) * columns + row * order;
                            rows[to + cells.inverse(column % order)] = grade;
                            word &= word - 1;
                        }
                    };
                    let bands = 0..layout.bands().len();
                    for panel in &panels {
                        log.for_each(distance, *panel, bands.clone(), &layout, buffers, &mut fill)?;
                    }
                }
                Ok(())
            });
        group.agree(result)?;
        share_rows(group, &layout, grades.all_mut(), columns, |rows| rows * order)
    }

    /// The rows of a slice that a process loads: whole groups.
    pub(crate) fn rows_loaded(&self, slice: PhaseSlice, rank: usize) -> Range<usize> {
        let (all, cells) = (self.context.orbits(slice.own()).count(), self.cells.per_word());
        let Range { start, end } = share(all.div_ceil(cells), rank, self.context.group.count());
        all.min(start * cells)..all.min(end * cells)
    }

    /// Keeps the values of a slice of which this process has loaded some rows. Several processes send
    /// each other what they have loaded.
    pub(crate) fn keep_loaded(&mut self, slice: PhaseSlice, rows: SliceRows) -> Result<()> {
        let work = self.context.work_of_solved();
        let solved = match &rows.grades {
            None => {
                let kept = |from| {
                    let (words, data) = self.transposed_loaded(slice, from)?;
                    SolvedRows::new(words, data, work)
                };
                SolvedSlice::Values { win: kept(&rows.win)?, loss: kept(&rows.loss)? }
            }
            Some(grades) => {
                let longest = self.context.group.max(grades.longest().into())? as u16;
                let grades = match grades {
                    GradeRows::Narrow(from) => {
                        GradeRows::Narrow(self.transposed_loaded_grades(slice, from)?)
                    }
                    GradeRows::Wide(from) => {
                        GradeRows::Wide(self.transposed_loaded_grades(slice, from)?)
                    }
                };
                SolvedSlice::Distances(SolvedDistances {
                    grades: grades.into_solved(work)?,
                    longest,
                })
            }
        };
        self.solved.insert(slice, solved);
        self.loaded = Some((slice, rows));
        Ok(())
    }

    /// The transposed matrix of all rows of a slice, of which this process has loaded some, and the
    /// words of its rows.
    fn transposed_loaded(&self, slice: PhaseSlice, from: &BitMatrix) -> Result<(usize, Vec<u64>)> {
        let (group, cells) = (self.context.group, self.cells.per_word());
        let words_of = |rank| {
            let Range { start, end } = self.rows_loaded(slice, rank);
            start.div_ceil(cells)..end.div_ceil(cells)
        };
        let words = words_of(group.count() - 1).end;
        let rows = from.words() * cells;
        let mut to = BitMatrix::with_words(rows, words);
        self.cells.transpose(from, &mut to, words_of(group.rank()).start);
        let mut data = to.into_data();
        group.share(&mut data, words, |rank| [0..rows, words_of(rank)])?;
        Ok((words, data))
    }

    /// As [`transposed_loaded`](Self::transposed_loaded), for distances.
    fn transposed_loaded_grades<G: Grade + FromBytes + IntoBytes + Immutable>(
        &self,
        slice: PhaseSlice,
        from: &Grades<G>,
    ) -> Result<Grades<G>> {
        let (group, symmetries) = (self.context.group, self.context.sets.group());
        let order = symmetries.order();
        let columns_of = |rank| {
            let Range { start, end } = self.rows_loaded(slice, rank);
            start * order..end * order
        };
        let columns = columns_of(group.count() - 1).end;
        let rows = from.columns() / order;
        let mut to = Grades::new(rows, columns);
        from.transpose(symmetries, &self.cells, &mut to, columns_of(group.rank()).start);
        group.share(to.all_mut(), columns, |rank| [0..rows, columns_of(rank)])?;
        Ok(to)
    }
}

/// Sends what this process has of some rows to the others, and receives what they have. The rows
/// are the columns of a slice with some layout, and have this length. `column` is where the column of
/// one of the slice's rows begins.
fn share_rows<T: FromBytes + IntoBytes + Immutable>(
    group: Group<'_>,
    layout: &Layout,
    data: &mut [T],
    len: usize,
    column: impl Fn(usize) -> usize,
) -> Result<()> {
    let count = data.len() / len;
    for panel in 0..layout.most_panels() {
        let part_of = |rank| {
            let Some(panel) = layout.panels_of(rank).nth(panel) else { return [0..0, 0..0] };
            let rows = layout.swapped_rows(layout.segment_of(panel));
            let Range { start, end } = layout.rows_of(panel);
            let columns = len.min(column(start))..len.min(column(end));
            [count.min(rows.start)..count.min(rows.end), columns]
        };
        group.share(data, len, part_of)?;
    }
    Ok(())
}
