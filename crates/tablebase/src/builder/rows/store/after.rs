//! The values after paikas: what a pass over a stripe reads of the swapped slice, transposed.

use std::borrow::Cow;

use rayon::prelude::*;

use super::layout::Layout;
use super::matrix::{Cells, Shape};
use super::rowset::RowSet;
use super::tiles::{Tile, TileStore};
use crate::error::Result;
use crate::slice::PhaseSlice;

/// The matrix of won positions in a [`TileStore`].
///
/// Positions with both bits are *closed*: paikas cannot decide them. They are draws, or wait for
/// the round of their distance, or are not positions because the sets overlap.
pub(crate) const WIN: usize = 0;

/// The matrix of lost positions.
pub(crate) const LOSS: usize = 1;

/// The matrix of positions that paikas cannot lose. Only some rules need it.
pub(crate) const SAFE: usize = 2;

/// The wins and losses of a segment's positions with the other side to move, row by row as in the
/// matrices. Only the rows that were asked for are up to date.
#[derive(Clone, Copy)]
pub(crate) struct AfterPanel<'d> {
    wins: &'d [u64],
    losses: &'d [u64],
}

impl<'d> AfterPanel<'d> {
    /// The segments of a stripe's panels, given its data: two matrices for each, as in a
    /// [`TileStore`].
    pub(crate) fn of_stripe(layout: &Layout, stripe: usize, data: &'d [u64]) -> Vec<Self> {
        let panels = data.chunks(panel_len(layout, stripe));
        let halves = panels.map(|panel| panel.split_at(panel.len() / 2));
        halves.map(|(wins, losses)| Self { wins, losses }).collect()
    }

    /// The wins or losses in one row, for a segment of this width.
    #[inline]
    pub(crate) fn row(&self, wins: bool, row: usize, width: usize) -> &'d [u64] {
        let all = if wins { self.wins } else { self.losses };
        &all[row * width..][..width]
    }
}

/// The words of both matrices for a panel of a stripe. The last one can have fewer.
fn panel_len(layout: &Layout, stripe: usize) -> usize {
    2 * layout.rows() * layout.panel(layout.stripe(stripe).start).len()
}

/// Reads the wins and losses after paikas for a stripe of `slice` from its swapped slice: for each
/// panel, the rows of the sets that `wanted` returns. `data` is what was read for some stripe
/// before. Only for one process, which has all rows of each segment.
pub(crate) fn read_stripe<'w>(
    store: &dyn TileStore,
    cells: &Cells,
    (slice, stripe): (PhaseSlice, usize),
    data: &mut Vec<u64>,
    wanted: impl Fn(usize) -> [Cow<'w, RowSet>; 2] + Sync,
) -> Result<()> {
    let layout = store.layout(slice);
    let len = layout.of_after().stripe_len(stripe);
    if data.len() != len {
        // Longer data would take memory that is not planned.
        *data = Vec::new();
        *data = vec![0; len];
    }
    let panels = data.par_chunks_mut(panel_len(&layout, stripe)).enumerate();
    panels.try_for_each(|(i, to)| {
        let [wins, losses] = wanted(i);
        read_panel(store, cells, slice, layout.stripe(stripe).start + i, [&wins, &losses], to)
    })
}

fn read_panel(
    store: &dyn TileStore,
    cells: &Cells,
    slice: PhaseSlice,
    panel: usize,
    wanted: [&RowSet; 2],
    to: &mut [u64],
) -> Result<()> {
    let layout = store.layout(slice);
    let width = layout.panel(panel).len();
    let swapped = slice.swapped();
    let from = store.layout(swapped);
    let rows = layout.swapped_rows(layout.segment_of(panel));
    let chunk = from.swapped_rows(0).len() * width;
    let (wins_to, losses_to) = to.split_at_mut(to.len() / 2);
    wins_to
        .par_chunks_mut(chunk)
        .zip(losses_to.par_chunks_mut(chunk))
        .enumerate()
        .try_for_each_init(
            <[Vec<u64>; 2]>::default,
            |[win, loss], (segment, (wins_to, losses_to))| {
                let from_panel = from.panel_at(segment, rows.start);
                let words = from.segment(segment);
                let groups = wanted.map(|wanted| -> Vec<usize> {
                    let has = |word: &usize| wanted.has_group(*word, cells.per_word());
                    words.clone().filter(has).map(|word| word - words.start).collect()
                });
                let [wins, losses] = groups;
                if wins.is_empty() && losses.is_empty() {
                    return Ok(());
                }
                let tile =
                    |plane| Tile { slice: swapped, plane, panel: from_panel, rows: rows.clone() };
                let win = store.read(&tile(WIN), win)?;
                let loss = store.read(&tile(LOSS), loss)?;
                let (from_width, groups) = (words.len(), width);
                let shape = Shape { from_width, groups, to_width: width, to_first: 0 };
                cells.transpose_tile(shape, &wins, |i| win[i] & !loss[i], wins_to);
                cells.transpose_tile(shape, &losses, |i| loss[i] & !win[i], losses_to);
                Ok(())
            },
        )
}
