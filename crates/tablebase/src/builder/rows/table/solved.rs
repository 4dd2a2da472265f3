//! Solved slices, as those need them that capture into them: with rows for the opponent's sets.
//! Several processes send each other what they have, so that each has everything.

use std::ops::Range;

use rayon::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::builder::grade_rows::{GradeRows, Grades, with_grades};
use crate::builder::grades::{Grade, Width};
use crate::builder::ranks::{Processes, share};
use crate::builder::rows::kernel::{SliceContext, SliceRows, members};
use crate::builder::rows::store::{
    BitMatrix, FrameBuffers, LOSS, Layout, RoundLog, Shape, Tile, Tiles, UnitValues, WIN,
};
use crate::builder::solved::{SolvedRows, SolvedSlice};
use crate::error::Result;
use crate::value::Code;

/// The values of a slice of a solved unit.
pub(crate) fn solved_of_unit(
    context: &SliceContext<'_, '_>,
    values: &UnitValues,
) -> Result<SolvedSlice> {
    let (slice, scratch_dir) = (context.slice, context.scratch_of_solved);
    let Some(log) = values.found(slice) else {
        let words = values.layout(slice.swapped()).words();
        let rows = |plane, other| {
            SolvedRows::new(words, transposed(context, &values.tiles, plane, other)?, scratch_dir)
        };
        return Ok(SolvedSlice::Values { win: rows(WIN, LOSS)?, loss: rows(LOSS, WIN)? });
    };
    let longest = context.build.processes.max(log.longest().unwrap_or(0).into())? as u16;
    let rows = context.build.orbits(slice.opponent).count();
    let columns = context.own.count() * context.build.sets.group().order();
    let mut all = GradeRows::new(rows, columns, Width::for_distance(longest));
    with_grades!(&mut all, grades => fill_transposed(context, log, grades)?);
    SolvedSlice::of_grades(all, longest, scratch_dir)
}

/// The transposed bits of a matrix that are not bits of the other one.
fn transposed(
    context: &SliceContext<'_, '_>,
    tiles: &Tiles,
    plane: usize,
    other: usize,
) -> Result<Vec<u64>> {
    let (slice, cells, processes) = (context.slice, context.cells, context.build.processes);
    let (layout, swapped) = (tiles.layout(slice), tiles.layout(slice.swapped()));
    let words = swapped.words();
    let mut data = vec![0; swapped.rows() * words];
    let own = layout.panels_of(processes.rank());
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
                    let bits = tiles.read(&tile(plane), first)?;
                    let others = tiles.read(&tile(other), second)?;
                    let shape = Shape {
                        from_width: width,
                        row_groups: rows.len() / layout.cells(),
                        to_width: words,
                        to_first: rows.start / layout.cells(),
                    };
                    cells.transpose_tile(shape, &all, |i| bits[i] & !others[i], to);
                }
            }
            Ok(())
        },
    );
    processes.agree(result)?;
    share_rows(processes, &layout, &mut data, words, |rows| rows / layout.cells())?;
    Ok(data)
}

/// Writes the distances of a log to transposed grades. The other positions are draws.
fn fill_transposed<G: Grade + FromBytes + IntoBytes + Immutable>(
    context: &SliceContext<'_, '_>,
    log: &RoundLog,
    grades: &mut Grades<G>,
) -> Result<()> {
    let (layout, cells, processes) = (context.layout, context.cells, context.build.processes);
    let (order, columns) = (64 / layout.cells(), grades.columns());
    let rows_of_segment = layout.swapped_rows(0).len();
    let own = layout.panels_of(processes.rank());
    let segments = grades.par_groups_mut(rows_of_segment).enumerate();
    let result = segments.try_for_each_init(FrameBuffers::default, |buffers, (segment, rows)| {
        rows.fill(G::DRAW);
        let (words, first) = (layout.segment(segment), layout.swapped_rows(segment).start);
        let panels = layout.panels_with(&words, &(0..layout.rows()));
        let panels: Vec<_> = panels.filter(|panel| own.contains(panel)).collect();
        for distance in log.distances() {
            let grade = G::of_code(Code(distance + 1)).expect("grades are wide enough");
            let mut fill = |band: usize, index: usize, word: u64| {
                let row = band * layout.band_rows() + index / words.len();
                let column = 64 * (words.start + index % words.len());
                for bit in members(word) {
                    let column = column + bit;
                    let to = (column / order - first) * columns + row * order;
                    rows[to + cells.inverse(column % order)] = grade;
                }
            };
            let bands = 0..layout.bands().len();
            for panel in &panels {
                log.for_each(distance, *panel, bands.clone(), &layout, buffers, &mut fill)?;
            }
        }
        Ok(())
    });
    processes.agree(result)?;
    share_rows(processes, &layout, grades.all_mut(), columns, |rows| rows * order)
}

/// The rows of a slice that a process loads: whole words of the transposed matrix.
pub(crate) fn rows_loaded(context: &SliceContext<'_, '_>, rank: usize) -> Range<usize> {
    let (all, cells) = (context.own.count(), context.cells.per_word());
    let Range { start, end } = share(all.div_ceil(cells), rank, context.build.processes.count());
    all.min(start * cells)..all.min(end * cells)
}

/// The values of a slice of which this process has loaded some rows.
pub(crate) fn solved_of_loaded(
    context: &SliceContext<'_, '_>,
    rows: &SliceRows,
) -> Result<SolvedSlice> {
    let scratch_dir = context.scratch_of_solved;
    let Some(all) = &rows.grades else {
        let kept = |from| {
            let (words, data) = transposed_loaded(context, from)?;
            SolvedRows::new(words, data, scratch_dir)
        };
        return Ok(SolvedSlice::Values { win: kept(&rows.win)?, loss: kept(&rows.loss)? });
    };
    let longest = context.build.processes.max(all.longest().into())? as u16;
    let all = with_grades!(map all, from => transposed_grades(context, from)?);
    SolvedSlice::of_grades(all, longest, scratch_dir)
}

/// The transposed matrix of all rows of a slice, of which this process has loaded some, and the words
/// of its rows.
fn transposed_loaded(
    context: &SliceContext<'_, '_>,
    from: &BitMatrix,
) -> Result<(usize, Vec<u64>)> {
    let (processes, cells) = (context.build.processes, context.cells.per_word());
    let words_of = |rank| {
        let Range { start, end } = rows_loaded(context, rank);
        start.div_ceil(cells)..end.div_ceil(cells)
    };
    let words = words_of(processes.count() - 1).end;
    let rows = from.words() * cells;
    let mut to = BitMatrix::with_words(rows, words);
    context.cells.transpose(from, &mut to, words_of(processes.rank()).start);
    let mut data = to.into_data();
    processes.share(&mut data, words, |rank| [0..rows, words_of(rank)])?;
    Ok((words, data))
}

/// As [`transposed_loaded`], for distances: cell `j` of row `i` becomes cell `i` of row `j`.
fn transposed_grades<G: Grade + FromBytes + IntoBytes + Immutable>(
    context: &SliceContext<'_, '_>,
    from: &Grades<G>,
) -> Result<Grades<G>> {
    // The rows of the new matrix that share a cache line of the old one.
    const BAND: usize = 16;
    let (processes, cells) = (context.build.processes, context.cells);
    let order = context.build.sets.group().order();
    let columns_of = |rank| {
        let Range { start, end } = rows_loaded(context, rank);
        start * order..end * order
    };
    let columns = columns_of(processes.count() - 1).end;
    let rows = from.columns() / order;
    let mut to = Grades::new(rows, columns);
    let first = columns_of(processes.rank()).start;
    to.par_groups_mut(BAND).enumerate().for_each(|(band, target)| {
        for (i, from) in from.all().chunks(from.columns()).enumerate() {
            for (j, row) in target.chunks_mut(columns).enumerate() {
                let cell = &from[(band * BAND + j) * order..][..order];
                for (k, grade) in cell.iter().enumerate() {
                    row[first + i * order + cells.inverse(k)] = *grade;
                }
            }
        }
    });
    processes.share(to.all_mut(), columns, |rank| [0..rows, columns_of(rank)])?;
    Ok(to)
}

/// Sends what this process has of some rows to the others, and receives what they have. The rows
/// are the columns of a slice with some layout, and have this length. `column` is where the column of
/// one of the slice's rows begins.
fn share_rows<T: FromBytes + IntoBytes + Immutable>(
    processes: Processes<'_>,
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
        processes.share(data, len, part_of)?;
    }
    Ok(())
}
