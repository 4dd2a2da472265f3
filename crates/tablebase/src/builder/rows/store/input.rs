//! The input of a pass over a stripe: the changes after paikas, and the rows that they can change.

use super::rowset::RowSet;

/// The input of a pass over a stripe.
pub(crate) struct StripeInput {
    pub panels: Vec<PanelInput>,
    /// The values after paikas: for each panel its wins, then its losses. Empty if nothing is read.
    pub after: Vec<u64>,
    /// Whether they have changed since the last pass. Only for several processes.
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
        near: impl Fn(&RowSet) -> RowSet,
        changed_wins: &RowSet,
        changed_losses: RowSet,
    ) -> Self {
        let win_candidates = near(&changed_losses);
        let loss_candidates = near(changed_wins);
        Self { changed_losses, win_candidates, loss_candidates }
    }

    fn has_candidates(&self) -> bool {
        !self.win_candidates.is_empty() || !self.loss_candidates.is_empty()
    }
}
