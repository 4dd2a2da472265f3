//! The state of the builder by rows.

use std::collections::HashMap;

use fanorona_core::{Board, RuleSet, TurnRule};

use super::after::LOSS;
use super::columns::{ColumnSets, Columns};
use super::frames::Overlaps;
use super::layout::Layout;
use super::log::{LogMemory, RoundLog};
use super::matrix::Cells;
use super::saved::SavedParts;
use super::slices::{SliceRows, SolvedSlice};
use super::tiles::{LocalTiles, TileStore};
use crate::builder::context::BuildContext;
use crate::builder::grades::Width;
use crate::builder::memory::LOG_AT_LEAST;
use crate::builder::work::SliceRule;
use crate::clock::Spent;
use crate::error::Result;
use crate::index::SliceIndex;
use crate::orbits::Orbits;
use crate::slice::{PhaseSlice, Role, Slice, Unit};
use crate::value::Metric;
use crate::zugzwang::Zugzwangs;

pub(in crate::builder) struct RowsBuilder<'a> {
    pub(super) context: BuildContext<'a>,
    pub(super) columns: &'a ColumnSets<'a>,
    pub(super) cells: Cells,
    pub(super) solved: HashMap<PhaseSlice, SolvedSlice>,
    /// The slice that was loaded last.
    pub(super) loaded: Option<(PhaseSlice, SliceRows)>,
    /// The current unit. It is kept until it is written.
    pub(super) working: Option<WorkingUnit>,
    /// The values after paikas that the last pass has read. Kept to use their memory again.
    pub(super) after: Vec<u64>,
    /// The zugzwangs of the slices of the current unit.
    pub(super) zugzwangs: HashMap<PhaseSlice, Zugzwangs>,
    /// The time of transposition since the rounds of the current unit began.
    pub(super) transposing: Spent,
}

pub(super) struct WorkingUnit {
    pub rules: RuleSet,
    pub store: Box<dyn TileStore>,
    /// The distances of each slice, if the build has them.
    pub distances: HashMap<PhaseSlice, Distances>,
    /// With several processes: the values after paikas, for the stripes of this one. Passes receive
    /// only the rows that have changed.
    pub after: Box<dyn TileStore>,
    /// The parts of the last checkpoint, which the next one keeps if they have not changed.
    pub saved: SavedParts,
}

/// The distances of a slice in work.
pub(super) struct Distances {
    /// Positions that wait for the round of their best capture.
    pub due: RoundLog,
    /// Positions that rounds have decided.
    pub found: RoundLog,
}

impl WorkingUnit {
    pub(super) fn found(&self, slice: PhaseSlice) -> Option<&RoundLog> {
        self.distances.get(&slice).map(|distances| &distances.found)
    }
}

impl<'a> RowsBuilder<'a> {
    /// A builder without any solved slices.
    pub(in crate::builder) fn new(context: BuildContext<'a>, columns: &'a ColumnSets<'a>) -> Self {
        let cells = Cells::new(context.sets.group());
        Self {
            context,
            columns,
            cells,
            solved: HashMap::new(),
            loaded: None,
            working: None,
            after: Vec::new(),
            zugzwangs: HashMap::new(),
            transposing: Spent::default(),
        }
    }

    pub(super) fn working(&self) -> &WorkingUnit {
        self.working.as_ref().expect("a unit is in work")
    }

    /// The current unit, to change it.
    pub(super) fn working_mut(&mut self) -> &mut WorkingUnit {
        self.working.as_mut().expect("a unit is in work")
    }

    /// The matrices of the current unit.
    pub(super) fn store(&self) -> &dyn TileStore {
        &*self.working().store
    }

    /// The matrices of the current unit.
    pub(super) fn store_mut(&mut self) -> &mut dyn TileStore {
        &mut *self.working_mut().store
    }

    /// How the matrices of a slice of the current unit are cut.
    pub(super) fn layout(&self, slice: PhaseSlice) -> Layout {
        self.store().layout(slice)
    }

    /// How the matrices of a slice are cut under some rules.
    pub(super) fn new_layout(&self, slice: PhaseSlice, rules: &RuleSet) -> Layout {
        let orbits = |stones| self.context.orbits(stones).count() as u64;
        let order = self.context.sets.group().order();
        let ranks = self.context.group.count();
        let planes = self.rule_of(slice, rules).planes();
        Layout::new(orbits(slice.own()), orbits(slice.opponent()), order, planes, ranks)
    }

    /// A unit without any decided position.
    pub(super) fn new_working_unit(&self, unit: Unit, rules: &RuleSet) -> Result<WorkingUnit> {
        let BuildContext { plan, work, metric, .. } = self.context;
        let layouts: Vec<_> =
            unit.phase_slices().map(|slice| (slice, self.new_layout(slice, rules))).collect();
        let memory = plan.unit(unit);
        let group = self.context.group;
        let overlaps = |slice: PhaseSlice| {
            let (own, board) = (self.context.orbits(slice.own()), self.context.sets.board());
            Some(Overlaps::new(LOSS, board, own, self.find_columns(slice.opponent())))
        };
        let (rank, bytes) = (group.rank(), memory.tiles);
        let store = Box::new(LocalTiles::new(&layouts, rank, bytes, work, overlaps)?);
        let after = match group.is_alone() {
            true => Vec::new(),
            false => layouts.iter().map(|(slice, layout)| (*slice, layout.of_after())).collect(),
        };
        let rest = memory.tiles.saturating_sub(store.in_memory());
        let after = Box::new(LocalTiles::new(&after, rank, rest, work, |_| None)?);
        let log_memory = LogMemory::new(memory.log.saturating_add(LOG_AT_LEAST));
        let log = || RoundLog::new(log_memory.clone(), work);
        let distances = || Distances { due: log(), found: log() };
        let distances = match metric {
            Metric::Wdl => HashMap::new(),
            Metric::Dtw => unit.phase_slices().map(|slice| (slice, distances())).collect(),
        };
        Ok(WorkingUnit { rules: *rules, store, after, distances, saved: SavedParts::default() })
    }

    /// The columns of the sets of a number of stones. The first call computes them and must not be
    /// made from a parallel section, see [`Columns::prepare_ranks`].
    pub(super) fn find_columns(&self, stones: u8) -> &'a Columns<'a> {
        self.columns.find(self.context.sets, stones)
    }

    /// Some rows of a slice without any decided position. Without a width they have no distances.
    pub(super) fn new_rows(
        &self,
        slice: PhaseSlice,
        rules: &RuleSet,
        rows: usize,
        width: Option<Width>,
    ) -> SliceRows {
        let columns = self.context.orbits(slice.opponent()).num_numbers();
        let has_safe = self.rule_of(slice, rules).has_safe();
        SliceRows::new(rows, columns, self.context.sets.group(), has_safe, width)
    }

    /// The width of grades that a slice needs for the values after its captures, and for distances
    /// up to `known`. `None` if the build has no distances.
    pub(super) fn width_of(&self, slice: PhaseSlice, rules: &RuleSet, known: u16) -> Option<Width> {
        let after_captures = slice.after_captures(self.context.sets.board(), rules).into_iter();
        let longest = after_captures.filter_map(|after| self.solved.get(&after)?.longest());
        let longest = longest.fold(known, u16::max);
        (self.context.metric == Metric::Dtw).then(|| Width::for_distance(longest))
    }

    pub(super) fn rule_of(&self, slice: PhaseSlice, rules: &RuleSet) -> SliceRule {
        SliceRule::new(self.context.sets.board(), slice, rules)
    }

    /// The input for deciding the rows of a slice.
    pub(super) fn slice_context(&self, slice: PhaseSlice, rules: &RuleSet) -> SliceContext<'_, 'a> {
        let board = self.context.sets.board();
        let SliceRule { turn: rule, blocked_is_drawn } = self.rule_of(slice, rules);
        let after = slice.after_captures(board, rules);
        SliceContext {
            build: self.context,
            board,
            cells: &self.cells,
            slice,
            rule,
            blocked_is_drawn,
            role_after: after.first().and_then(|after| after.role),
            own: self.context.orbits(slice.own()),
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
    pub slice: PhaseSlice,
    pub rule: TurnRule,
    /// Whether a side without a turn draws. Otherwise it loses.
    pub blocked_is_drawn: bool,
    /// The role in the slices after captures.
    role_after: Option<Role>,
    pub own: &'a Orbits,
    columns: &'s ColumnSets<'a>,
    solved: &'s HashMap<PhaseSlice, SolvedSlice>,
}

impl<'s, 'a> SliceContext<'s, 'a> {
    /// The columns of the sets of a number of stones.
    pub(super) fn columns(&self, stones: u8) -> &'s Columns<'a> {
        self.columns.get(stones)
    }

    /// The columns of the slice: the opponent's sets.
    pub(super) fn opponents(&self) -> &'s Columns<'a> {
        self.columns(self.slice.opponent())
    }

    pub(super) fn index(&self) -> SliceIndex<'a> {
        self.build.index(self.slice.slice)
    }

    /// The slice after a capture that leaves the opponent a number of stones.
    pub(super) fn solved_with(&self, left: u8) -> &'s SolvedSlice {
        let slice = Slice { own: left, opponent: self.slice.own() };
        &self.solved[&PhaseSlice { slice, role: self.role_after }]
    }
}
