//! The state of the builder by rows.

use std::collections::HashMap;

use fanorona_core::{Board, NoTurns, PointSet, Position, RuleSet, Side, TurnRule};

use super::after::After;
use super::columns::{ColumnSets, Columns};
use super::matrix::Cells;
use super::slices::{SolvedSlice, Width, WorkingSlice};
use crate::builder::context::BuildContext;
use crate::builder::memory::{RoundMemory, has_safe};
use crate::clock::Spent;
use crate::error::Result;
use crate::index::SliceIndex;
use crate::orbits::Orbits;
use crate::slice::Slice;
use crate::value::Metric;
use crate::zugzwang::Zugzwangs;

/// The builder by rows.
pub(in crate::builder) struct RowsBuilder<'a> {
    pub(super) context: BuildContext<'a>,
    pub(super) columns: &'a ColumnSets<'a>,
    pub(super) cells: Cells,
    pub(super) solved: HashMap<Slice, SolvedSlice>,
    /// The slices of the current unit. They are kept until they are written.
    pub(super) working: HashMap<Slice, WorkingSlice>,
    /// The zugzwangs of these slices.
    pub(super) zugzwangs: HashMap<Slice, Zugzwangs>,
    /// What the rounds of the current unit read.
    pub(super) after: After,
    /// The time of transposition since the rounds of the current unit began.
    pub(super) transposing: Spent,
}

impl<'a> RowsBuilder<'a> {
    /// A builder without any solved slices.
    pub(in crate::builder) fn new(context: BuildContext<'a>, columns: &'a ColumnSets<'a>) -> Self {
        let cells = Cells::new(context.sets.group());
        let (solved, working, zugzwangs) = Default::default();
        let (after, transposing) = (After::new(RoundMemory::Kept), Spent::default());
        Self { context, columns, cells, solved, working, zugzwangs, after, transposing }
    }

    /// The columns of the sets of a number of stones. The first call computes them and must not be
    /// made from a parallel section, see [`Columns::prepare_adding`].
    pub(super) fn find_columns(&self, stones: u8) -> &'a Columns<'a> {
        self.columns.find(self.context.sets, stones)
    }

    /// A slice without any decided position. Without a width it has no distances.
    pub(super) fn new_working_slice(
        &self,
        slice: Slice,
        rules: &RuleSet,
        width: Option<Width>,
    ) -> Result<WorkingSlice> {
        let (own, opponent) = (self.context.orbits(slice.own), self.context.orbits(slice.opponent));
        let (rows, columns) = (own.count(), opponent.num_numbers());
        if width == Some(Width::Wide) {
            self.check_memory(rows as u64 * columns as u64)?;
        }
        let group = self.context.sets.group();
        Ok(WorkingSlice::new(rows, columns, group, has_safe(rules), width))
    }

    /// The width of grades that a slice needs for the values after its captures, and for distances
    /// up to `known`. `None` if the build has no distances.
    pub(super) fn width_of(&self, slice: Slice, known: u16) -> Option<Width> {
        let after_captures = slice.after_captures().filter_map(|after| {
            let distances = self.solved.get(&after)?.distances.as_ref()?;
            Some(distances.longest)
        });
        let longest = after_captures.fold(known, u16::max);
        (self.context.metric == Metric::Dtw).then(|| Width::for_distance(longest))
    }

    /// Checks that a number of bytes is available beyond the estimate and beyond what wide grades
    /// take now.
    pub(super) fn check_memory(&self, more: u64) -> Result<()> {
        let solved: u64 = self.solved.values().map(SolvedSlice::extra_bytes).sum();
        let working: u64 = self.working.values().map(WorkingSlice::extra_bytes).sum();
        self.context.memory.check_more(solved + working + more)
    }

    /// The input for deciding the rows of a slice.
    pub(super) fn slice_context(&self, slice: Slice, rules: &RuleSet) -> SliceContext<'_, 'a> {
        let board = self.context.sets.board();
        let own = self.context.orbits(slice.own);
        // The rule for a turn depends only on the numbers of stones, so any position of the slice
        // will do.
        let some = own.representative(0);
        let free = (board.all_points() - some).iter().take(slice.opponent.into());
        let opponent: PointSet = free.collect();
        let position = Position::from_mover(board, some, opponent, Side::White)
            .expect("the slice is on the board");
        SliceContext {
            build: self.context,
            board,
            cells: &self.cells,
            slice,
            rule: rules.turn_rule(&position),
            blocked_is_drawn: rules.no_turns == NoTurns::Draw,
            own,
            columns: self.columns,
            solved: &self.solved,
        }
    }
}

/// The input for deciding the rows of one slice.
pub(super) struct SliceContext<'s, 'a> {
    pub build: BuildContext<'a>,
    pub board: Board,
    pub cells: &'s Cells,
    pub slice: Slice,
    pub rule: TurnRule,
    /// Whether a side without a turn draws. Otherwise it loses.
    pub blocked_is_drawn: bool,
    /// The orbits of own sets.
    pub own: &'a Orbits,
    columns: &'s ColumnSets<'a>,
    solved: &'s HashMap<Slice, SolvedSlice>,
}

impl<'s, 'a> SliceContext<'s, 'a> {
    /// The columns of the sets of a number of stones.
    pub(super) fn columns(&self, stones: u8) -> &'s Columns<'a> {
        self.columns.get(stones)
    }

    /// The columns of the slice: the opponent's sets.
    pub(super) fn opponents(&self) -> &'s Columns<'a> {
        self.columns(self.slice.opponent)
    }

    /// The index of the slice.
    pub(super) fn index(&self) -> SliceIndex<'a> {
        self.build.index(self.slice)
    }

    /// The slice after a capture that leaves the opponent a number of stones.
    pub(super) fn solved_with(&self, left: u8) -> &'s SolvedSlice {
        &self.solved[&Slice { own: left, opponent: self.slice.own }]
    }
}
