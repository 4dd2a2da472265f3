//! The values after paikas: what a pass over a stripe reads of the swapped slice, transposed.

use super::layout::Tiling;

/// The wins and losses of a segment's positions with the other side to move, row by row as in the
/// matrices. Only the rows that were asked for are up to date.
#[derive(Clone, Copy)]
pub(crate) struct AfterPanel<'d> {
    wins: &'d [u64],
    losses: &'d [u64],
}

impl<'d> AfterPanel<'d> {
    /// The segments of a stripe's panels, given its data: two matrices for each, as in
    /// [`Tiles`](super::tiles::Tiles).
    pub(crate) fn of_stripe(layout: &Tiling, stripe: usize, data: &'d [u64]) -> Vec<Self> {
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
pub(crate) fn panel_len(layout: &Tiling, stripe: usize) -> usize {
    2 * layout.rows * layout.panel(layout.stripe(stripe).start).len()
}
