//! Solved slices, as those need them that capture into them: with rows for the opponent's sets.
//! Several processes send each other what they have, so that each has everything.

use std::ops::Range;
use std::sync::Arc;

use fanorona_tablebase::{Code, Result, check_stop};
use rayon::prelude::*;

use crate::bits::members;
use crate::grade_rows::{GradeRows, with_grades};
use crate::grades::{Grade, Width};
use crate::matrix::{Item, Matrix};
use crate::processes::Processes;
use crate::rows::kernel::SliceContext;
use crate::rows::memory::kept_together;
use crate::rows::store::{
    FrameBuffers, KeptSlice, KeptWriter, LOSS, MIN_PACKED_WORDS, RoundLog, Shape, Tile, Tiles,
    Tiling, UnitValues, WIN,
};
use crate::solved::SolvedSlice;

pub(crate) fn solved_of(context: &SliceContext<'_, '_>, values: &UnitValues) -> Result<KeptSlice> {
    let Some(log) = values.found(context.slice) else {
        return solved_of_tiles(context, &values.tiles);
    };
    let longest = context.build.processes.max(log.longest().unwrap_or(0).into())? as u16;
    let rows = context.build.orbits(context.slice.opponent).count();
    let columns = context.own.count() * context.build.sets.group().order();
    let mut all = GradeRows::new(rows, columns, Width::for_distance(longest));
    with_grades!(&mut all, grades => fill_transposed(context, log, grades)?);
    SolvedSlice::of_grades(all, longest, context.scratch_of_solved)
}

/// The values of a slice without distances: wins that are no losses, and losses that are no wins.
fn solved_of_tiles(context: &SliceContext<'_, '_>, tiles: &Tiles) -> Result<KeptSlice> {
    let slice = context.slice;
    let (layout, swapped) = (tiles.layout(slice), tiles.layout(slice.swapped()));
    let words = swapped.words;
    let scratch_dir = context.scratch_of_solved.filter(|_| words >= MIN_PACKED_WORDS);
    let overlaps = scratch_dir.map(|_| Arc::new(context.overlaps_of_solved()));
    let writer = || KeptWriter::new(words, scratch_dir.zip(overlaps.as_ref()));
    let mut kept = context.build.processes.all(writer().and_then(|win| Ok([win, writer()?])))?;
    // What goes to a file is transposed some segments at a time.
    let most = match scratch_dir {
        Some(_) => kept_together(&layout, &swapped),
        None => layout.num_segments(),
    };
    let mut rows = [Vec::new(), Vec::new()];
    for first in (0..layout.num_segments()).step_by(most) {
        check_stop(context.build.stop)?;
        let segments = first..layout.num_segments().min(first + most);
        transpose(context, tiles, &segments, &mut rows)?;
        let mut planes = kept.iter_mut().zip(&mut rows);
        let added = planes.try_for_each(|(kept, rows)| kept.add(rows));
        context.build.processes.all(added)?;
    }
    let [win, loss] = kept;
    Ok(SolvedSlice::Values { win: win.finish()?, loss: loss.finish()? })
}

/// Sets `to` to the transposed wins and losses of some segments.
fn transpose(
    context: &SliceContext<'_, '_>,
    tiles: &Tiles,
    segments: &Range<usize>,
    to: &mut [Vec<u64>; 2],
) -> Result<()> {
    let (slice, cells, processes) = (context.slice, context.cells, context.build.processes);
    let (layout, swapped) = (tiles.layout(slice), tiles.layout(slice.swapped()));
    let words = swapped.words;
    let first = layout.swapped_rows(segments.start).start;
    let rows = layout.swapped_rows(segments.end - 1).end - first;
    to.iter_mut().for_each(|rows_to| rows_to.resize(rows * words, 0));
    let own = layout.panels_of(processes.index());
    let of_segment = layout.swapped_rows(0).len() * words;
    let [wins, losses] = to;
    let both = wins.par_chunks_mut(of_segment).zip(losses.par_chunks_mut(of_segment));
    let result = both.zip(segments.clone()).try_for_each_init(
        <[Vec<u64>; 2]>::default,
        |[win, loss], ((wins, losses), segment)| -> Result<()> {
            let width = layout.segment(segment).len();
            let all: Vec<_> = (0..width).collect();
            // As many rows as the segments of the swapped slice have columns.
            for to_segment in 0..swapped.num_segments() {
                let rows = swapped.swapped_rows(to_segment);
                let panels = layout.panels_with(&layout.segment(segment), &rows);
                for panel in panels.filter(|panel| own.contains(panel)) {
                    let rows = layout.rows_in(panel, &rows);
                    let tile = |plane| Tile { slice, plane, panel, rows: rows.clone() };
                    let win = tiles.read(&tile(WIN), win)?;
                    let loss = tiles.read(&tile(LOSS), loss)?;
                    let shape = Shape {
                        from_width: width,
                        row_groups: rows.len() / layout.cells,
                        to_width: words,
                        to_first: rows.start / layout.cells,
                    };
                    cells.transpose_tile(shape, &all, |i| win[i] & !loss[i], wins);
                    cells.transpose_tile(shape, &all, |i| loss[i] & !win[i], losses);
                }
            }
            Ok(())
        },
    );
    processes.all(result)?;
    for rows in to {
        let column = |row| row / layout.cells;
        share_rows(processes, &layout, segments, rows, words, column)?;
    }
    Ok(())
}

/// Writes the distances of a log to transposed grades. The other positions are draws.
fn fill_transposed<G: Grade>(
    context: &SliceContext<'_, '_>,
    log: &RoundLog,
    grades: &mut Matrix<G>,
) -> Result<()> {
    let (layout, cells, processes) = (context.layout, context.cells, context.build.processes);
    let (order, columns) = (64 / layout.cells, grades.width());
    let rows_of_segment = layout.swapped_rows(0).len();
    let own = layout.panels_of(processes.index());
    let segments = grades.par_groups_mut(rows_of_segment).enumerate();
    let result = segments.try_for_each_init(FrameBuffers::default, |buffers, (segment, rows)| {
        rows.fill(G::DRAW);
        let (words, first) = (layout.segment(segment), layout.swapped_rows(segment).start);
        let panels = layout.panels_with(&words, &(0..layout.rows));
        let panels: Vec<_> = panels.filter(|panel| own.contains(panel)).collect();
        for distance in log.distances() {
            let grade = G::of_code(Code(distance + 1)).expect("grades are wide enough");
            let mut fill = |band: usize, index: usize, word: u64| {
                let row = band * layout.band_rows + index / words.len();
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
    processes.all(result)?;
    let all = 0..layout.num_segments();
    share_rows(processes, &layout, &all, grades.all_mut(), columns, |row| row * order)
}

/// Sends what this process has of some rows to the others, and receives what they have. The rows
/// are the columns of some segments of a slice with some layout, and have this length. `column` is
/// where the column of one of the slice's rows begins.
fn share_rows<T: Item>(
    processes: Processes<'_>,
    layout: &Tiling,
    segments: &Range<usize>,
    data: &mut [T],
    len: usize,
    column: impl Fn(usize) -> usize,
) -> Result<()> {
    let (first, count) = (layout.swapped_rows(segments.start).start, data.len() / len);
    let panels = |process| {
        let is_in = |panel: &usize| segments.contains(&layout.segment_of(*panel));
        layout.panels_of(process).filter(is_in)
    };
    let most = (0..processes.count()).map(|process| panels(process).count()).max().unwrap_or(0);
    for panel in 0..most {
        let part_of = |process| {
            let Some(panel) = panels(process).nth(panel) else { return [0..0, 0..0] };
            let rows = layout.swapped_rows(layout.segment_of(panel));
            let Range { start, end } = layout.rows_of(panel);
            let columns = len.min(column(start))..len.min(column(end));
            [count.min(rows.start - first)..count.min(rows.end - first), columns]
        };
        processes.share(data, len, layout.sizes.rows, part_of)?;
    }
    Ok(())
}
