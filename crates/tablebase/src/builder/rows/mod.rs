//! The builder by rows: solves whole rows of positions at a time, with one bit per position.
//!
//! It is based on three ideas.
//! - A paika does not change the opponent's stones, so it acts on whole *rows* of positions, 64 or
//!   more per instruction ([`pass`](kernel)).
//! - So does a capture, between rows of different slices ([`captures`](kernel)).
//! - Only one row of each orbit is kept. The columns of an orbit are adjacent in one *cell*. The
//!   row of any other set is a kept row with the bits of each cell permuted. To convert the rows of
//!   one side to the rows of the other, transpose a matrix of cells ([`matrix`](store)).
//!
//! The matrices of a unit are cut into stripes of columns ([`layout`](store)). A round works on one
//! stripe after the other. What does not fit in memory is in a file ([`tiles`](store)), and several
//! processes have some of the stripes each. A [`Store`](store::Store) hides where they are.
//!
//! Distances take the same passes in the order of distance, and a log of what each round decides
//! ([`log`](store)).
//!
//! The files are the same as those of the plain builder, byte for byte. `docs/BUILDING.md`
//! describes the algorithm step by step.
//!
//! # A new rule option
//!
//! A rule option has to be added to four generators of turns, which the documentation of
//! `fanorona-core` lists. This and the [dense builder](super::dense) are two of them. Their only
//! inputs from the rules are the [`TurnRule`](fanorona_core::TurnRule) of a slice, whether a side
//! without a turn draws, and which slices captures lead to. So a new option has to be part of these,
//! and has to be followed here in:
//! - `kernel/capture_tree.rs`, if it changes which captures exist, how they continue, or what they
//!   capture: `CaptureWalk::go_on` makes one step, and `DirectionsLeft::after`, which the dense
//!   builder uses too, says which directions may follow. `captures::Input::find_sets_left` says with
//!   which sets of the opponent the turn may end. An option may use the own set and the path
//!   anywhere. Of the opponent's set it may use whether points are occupied, as masks of sets.
//! - `captures::decide`, if it changes which positions are `open`, lost or `safe` after captures;
//! - `work::SliceRule`, if it makes open positions `safe`, or changes the value of a side without a
//!   turn;
//! - `paikas::paikas`, if it changes which paikas exist: `Paika::captures` forbids columns;
//! - `table/zugzwang.rs`, if it changes where a side can capture;
//! - `PhaseSlice::after_captures`, if it changes which slices captures lead to.
//!
//! The two slices of a unit can have different rules, as in the first phase of the vela. So the rule is
//! always that of a slice, not of the unit.
//!
//! Tables cannot support rules that depend on more than the stones and the side to move, such as
//! the history or a count of turns. The test `methods.rs` compares this builder with the plain one,
//! which uses the listing generator. To test a new option, add it to the strategy `options` in
//! `common.rs` beside that test.

mod checkpoint;
mod kernel;
mod solve;
mod store;
mod table;

use std::path::Path;

use fanorona_core::RuleSet;

pub(super) use self::kernel::{ColumnSets, check_columns};
use self::kernel::{RowsContext, SliceRows, SolvedSlices};
use self::solve::{SolvedUnit, solve};
pub(super) use self::store::Layout;
use self::table::{copy_codes, load, write};
use super::checkpoint::CheckpointStore;
use super::context::{BuildContext, SliceBuilder};
use super::progress::Phase;
use crate::error::Result;
use crate::format::TableFile;
use crate::key::TableKey;
use crate::slice::{PhaseSlice, Unit};
use crate::value::Code;

/// Solves units by rows.
pub(super) struct RowsBuilder<'a> {
    context: RowsContext<'a>,
    solved: SolvedSlices,
    /// The unit that was solved last, and its rules.
    unit: Option<(SolvedUnit<'a>, RuleSet)>,
    /// The rows of the slice that was loaded last.
    loaded: Option<(PhaseSlice, SliceRows)>,
}

impl<'a> RowsBuilder<'a> {
    /// A builder without any solved slices.
    pub(super) fn new(context: BuildContext<'a>, columns: &'a ColumnSets<'a>) -> Self {
        let (context, solved) = (RowsContext::new(context, columns), SolvedSlices::new());
        Self { context, solved, unit: None, loaded: None }
    }
}

impl SliceBuilder for RowsBuilder<'_> {
    fn load(&mut self, unit: Unit, table: &TableFile) -> Result<()> {
        (self.unit, self.loaded) = (None, None);
        let metadata = table.metadata();
        let context = self.context.slice(metadata.key().phase_slice(), &metadata.rules);
        // Values that are not stored are recomputed.
        let passes = if metadata.captures_stored { 1 } else { 2 };
        context.build.progress.begin(unit, Phase::Load, passes * context.index().len());
        let (loaded, solved) = load(&context, &self.solved, table)?;
        self.solved.insert(context.slice, solved);
        self.loaded = Some((context.slice, loaded));
        Ok(())
    }

    fn has(&self, slice: PhaseSlice) -> bool {
        self.solved.contains_key(&slice)
    }

    fn retain(&mut self, is_needed: &dyn Fn(PhaseSlice) -> bool) {
        self.solved.retain(|slice, _| is_needed(*slice));
    }

    fn solve(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        is_needed: &dyn Fn(PhaseSlice) -> bool,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        (self.unit, self.loaded) = (None, None);
        let context = self.context.unit(unit, rules);
        let solved = solve(&context, &mut self.solved, is_needed, checkpoints)?;
        self.unit = Some((solved, *rules));
        Ok(())
    }

    fn values(&self, slice: PhaseSlice, first: u64, codes: &mut [Code]) {
        let (loaded, rows) = self.loaded.as_ref().expect("a slice was loaded");
        assert_eq!(*loaded, slice, "the slice was loaded last");
        let build = self.context.build;
        copy_codes(rows, &build.index(slice.slice), build.orbits(slice.opponent()), first, codes);
    }

    fn write(&self, unit: Unit, key: &TableKey, path: &Path) -> Result<()> {
        let (SolvedUnit { store, zugzwangs }, rules) =
            self.unit.as_ref().expect("a unit was solved");
        let of_unit = self.context.unit(unit, rules);
        let mut slices = of_unit.slices.iter().zip(zugzwangs);
        let slice = slices.find(|(context, _)| context.slice == key.phase_slice());
        let (context, zugzwangs) = slice.expect("a slice of the unit");
        write(context, &**store, *zugzwangs, unit, key, path)
    }
}
