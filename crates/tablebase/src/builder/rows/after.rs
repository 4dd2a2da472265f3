//! The values after paikas: what a pass over a stripe reads of the swapped slice, transposed.

use rayon::prelude::*;

use super::matrix::{Cells, Shape};
use super::rowset::RowSet;
use super::tiles::{Tile, TileStore};
use crate::error::Result;
use crate::slice::Slice;

/// The matrix of won positions in a [`TileStore`].
///
/// Positions with both bits are *closed*: paikas cannot decide them. They are draws, or wait for
/// the round of their distance, or are not positions because the sets overlap.
pub(super) const WIN: usize = 0;

/// The matrix of lost positions.
pub(super) const LOSS: usize = 1;

/// The matrix of positions that paikas cannot lose. Only some rules need it.
pub(super) const SAFE: usize = 2;

/// The wins and losses of a panel's positions with the other side to move, row by row as in the
/// panel. Only the rows that were asked for are up to date.
#[derive(Default)]
pub(super) struct AfterPanel {
    pub wins: Vec<u64>,
    pub losses: Vec<u64>,
}

impl AfterPanel {
    /// Reads the wins and losses after paikas from a panel of `slice`, for the rows of these sets.
    pub(super) fn read(
        &mut self,
        store: &dyn TileStore,
        cells: &Cells,
        slice: Slice,
        panel: usize,
        wins: &RowSet,
        losses: &RowSet,
    ) -> Result<()> {
        let layout = store.layout(slice);
        let width = layout.panel(panel).len();
        let len = layout.rows() * width;
        let swapped = slice.swapped();
        let from = store.layout(swapped);
        let rows = layout.swapped_rows(panel);
        let chunk = from.swapped_rows(0).len() * width;
        let mut targets = Vec::new();
        for (target, wanted) in [(&mut self.wins, wins), (&mut self.losses, losses)] {
            let is_wanted = !wanted.is_empty();
            if target.len() != len {
                // Panels of the swapped slice have another length. Longer ones would take memory
                // that is not planned.
                *target = Vec::new();
            }
            if is_wanted && target.is_empty() {
                *target = vec![0; len];
            }
            let target = if is_wanted { &mut target[..] } else { &mut [] };
            let mut chunks = target.chunks_mut(chunk);
            let chunks = (0..from.num_panels()).map(|_| chunks.next().unwrap_or_default());
            targets.push(chunks.collect::<Vec<_>>());
        }
        let losses_to = targets.pop().expect("two targets");
        let wins_to = targets.pop().expect("two targets");
        wins_to.into_par_iter().zip(losses_to).enumerate().try_for_each_init(
            <[Vec<u64>; 2]>::default,
            |[win, loss], (from_panel, (wins_to, losses_to))| {
                let words = from.panel(from_panel);
                let groups = |wanted: &RowSet| -> Vec<usize> {
                    let has = |word: &usize| wanted.has_group(*word, cells.per_word());
                    words.clone().filter(has).map(|word| word - words.start).collect()
                };
                let [wins, losses] = [groups(wins), groups(losses)];
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

    /// The wins or losses in one row, for a panel of this width.
    #[inline]
    pub(super) fn row(&self, wins: bool, row: usize, width: usize) -> &[u64] {
        let all = if wins { &self.wins } else { &self.losses };
        &all[row * width..][..width]
    }
}

/// What a pass reads for a panel.
#[derive(Default)]
pub(super) struct PanelInput {
    pub after: AfterPanel,
    /// The rows of `after` whose losses have changed since the last pass. Empty if wins are not
    /// sought.
    pub changed_losses: RowSet,
    /// Those whose wins have changed.
    pub changed_wins: RowSet,
    /// The rows that can have new wins because of that.
    pub win_candidates: RowSet,
    /// The rows that can have new losses.
    pub loss_candidates: RowSet,
}

impl PanelInput {
    /// No wins and losses, for a panel with a number of words.
    pub(super) fn zero(words: usize) -> Self {
        let after = AfterPanel { wins: vec![0; words], losses: vec![0; words] };
        Self { after, ..Self::default() }
    }

    /// Whether paikas can decide anything.
    pub(super) fn has_candidates(&self) -> bool {
        !self.win_candidates.is_empty() || !self.loss_candidates.is_empty()
    }
}
