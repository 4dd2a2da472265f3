//! The input for deciding the rows of a slice.

use std::collections::HashMap;

use fanorona_core::{Board, TurnRule};

use super::columns::{ColumnSets, Columns};
use crate::builder::context::BuildContext;
use crate::builder::rows::store::matrix::Cells;
use crate::builder::rows::store::slices::SolvedSlice;
use crate::index::SliceIndex;
use crate::orbits::Orbits;
use crate::slice::{PhaseSlice, Role, Slice};

/// The input for deciding the rows of one slice.
pub(crate) struct SliceContext<'s, 'a> {
    pub(crate) build: BuildContext<'a>,
    pub(crate) board: Board,
    pub(crate) cells: &'s Cells,
    pub(crate) slice: PhaseSlice,
    pub(crate) rule: TurnRule,
    /// Whether a side without a turn draws. Otherwise it loses.
    pub(crate) blocked_is_drawn: bool,
    /// The role in the slices after captures.
    pub(crate) role_after: Option<Role>,
    pub(crate) own: &'a Orbits,
    pub(crate) columns: &'s ColumnSets<'a>,
    pub(crate) solved: &'s HashMap<PhaseSlice, SolvedSlice>,
}

impl<'s, 'a> SliceContext<'s, 'a> {
    /// The columns of the sets of a number of stones.
    pub(crate) fn columns(&self, stones: u8) -> &'s Columns<'a> {
        self.columns.get(stones)
    }

    /// The columns of the slice: the opponent's sets.
    pub(crate) fn opponents(&self) -> &'s Columns<'a> {
        self.columns(self.slice.opponent())
    }

    pub(crate) fn index(&self) -> SliceIndex<'a> {
        self.build.index(self.slice.slice)
    }

    /// The slice after a capture that leaves the opponent a number of stones.
    pub(crate) fn solved_with(&self, left: u8) -> &'s SolvedSlice {
        let slice = Slice { own: left, opponent: self.slice.own() };
        &self.solved[&PhaseSlice { slice, role: self.role_after }]
    }
}
