//! The input of a pass over a stripe: the values after paikas, which are those of the swapped slice,
//! transposed, and the rows that their changes can change.

use std::ops::Range;

use fanorona_tablebase::Slice;

use super::changes::{SliceChanges, Wanted};
use super::layout::Tiling;
use super::rowset::RowSet;

#[derive(Clone, Copy)]
pub(crate) struct InputRequest<'r> {
    pub slice: Slice,
    /// The index of the stripe among those of the process.
    pub step: usize,
    pub sought: Wanted,
    /// The changes of the swapped slice since the last pass.
    pub changed: &'r SliceChanges,
    /// The rows that are a step away from some rows.
    pub near: &'r (dyn Fn(&RowSet) -> RowSet + Sync),
}

/// The input of a pass over a stripe.
pub(crate) struct StripeInput {
    pub stripe: usize,
    pub panels: Vec<PanelInput>,
    /// The values after paikas: for each panel its wins, then its losses. Empty if nothing is read.
    pub after: Vec<u64>,
    /// Whether they have changed since the last pass, if the store keeps them.
    pub has_changed: bool,
}

impl StripeInput {
    /// Whether paikas can decide anything.
    pub(crate) fn has_candidates(&self) -> bool {
        self.panels.iter().any(PanelInput::has_candidates)
    }
}

/// The changes that a pass reads for a panel.
#[derive(Default)]
pub(crate) struct PanelInput {
    /// The rows whose losses after paikas have changed since the last pass. Empty if wins are not
    /// sought.
    pub changed_losses: RowSet,
    /// The rows that can have new wins because of that.
    pub win_candidates: RowSet,
    /// The rows that can have new losses.
    pub loss_candidates: RowSet,
}

impl PanelInput {
    /// The changes of a panel's rows after paikas, and the rows that they can change.
    pub(crate) fn new(
        request: &InputRequest<'_>,
        changed_wins: &RowSet,
        changed_losses: RowSet,
    ) -> Self {
        let win_candidates = (request.near)(&changed_losses);
        let loss_candidates = (request.near)(changed_wins);
        Self { changed_losses, win_candidates, loss_candidates }
    }

    /// Whether some of these rows can have new wins or losses.
    pub(crate) fn has_candidates_in(&self, rows: &Range<usize>) -> bool {
        self.win_candidates.has_some_of(rows) || self.loss_candidates.has_some_of(rows)
    }

    fn has_candidates(&self) -> bool {
        !self.win_candidates.is_empty() || !self.loss_candidates.is_empty()
    }
}

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
