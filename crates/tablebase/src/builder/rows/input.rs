//! The input of a pass over a stripe: the changes after paikas, and the rows that they can change.

use std::ops::Range;

use super::paikas::neighbours;
use super::rowset::RowSet;
use super::state::SliceContext;

/// If more than one in this number of rows has changed, passes look at all rows.
const DENSE: usize = 16;

/// The input of a pass over a stripe.
pub(super) struct StripeInput {
    pub panels: Vec<PanelInput>,
    /// The values after paikas: for each panel its wins, then its losses. Empty if nothing is read.
    pub after: Vec<u64>,
    /// Whether they have changed since the last pass. Only for several processes.
    pub has_changed: bool,
}

impl StripeInput {
    /// Whether paikas can decide anything.
    pub(super) fn has_candidates(&self) -> bool {
        self.panels.iter().any(PanelInput::has_candidates)
    }
}

/// The changes that a pass reads for a panel.
#[derive(Default)]
pub(super) struct PanelInput {
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
    pub(super) fn new(
        context: &SliceContext<'_, '_>,
        changed_wins: &RowSet,
        changed_losses: RowSet,
    ) -> Self {
        let win_candidates = near(context, &changed_losses);
        let loss_candidates = near(context, changed_wins);
        Self { changed_losses, win_candidates, loss_candidates }
    }

    /// Whether some of these rows can have new wins or losses.
    pub(super) fn has_candidates_in(&self, rows: &Range<usize>) -> bool {
        self.win_candidates.has_any(rows) || self.loss_candidates.has_any(rows)
    }

    fn has_candidates(&self) -> bool {
        !self.win_candidates.is_empty() || !self.loss_candidates.is_empty()
    }
}

/// The rows that are a step away from a set of rows; all of them if that is quicker.
pub(super) fn near(context: &SliceContext<'_, '_>, rows: &RowSet) -> RowSet {
    let count = context.own.count();
    match rows.is_dense(count, DENSE) {
        true => RowSet::All,
        false => rows.related(count, |row| neighbours(context, row)),
    }
}
