//! The builder by rows: solves whole rows of positions at a time, with one bit per position.
//!
//! It is based on three ideas.
//! - A paika does not change the opponent's stones, so it acts on whole *rows* of positions, 64 or
//!   more per instruction ([`rounds`]).
//! - So does a capture, between rows of different slices ([`captures`]).
//! - Only one row of each orbit is kept. The columns of an orbit are adjacent in one *cell*. The
//!   row of any other set is a kept row with the bits of each cell permuted. To convert the rows of
//!   one side to the rows of the other, transpose a matrix of cells ([`matrix`]).
//!
//! The matrices of a unit are cut into stripes of columns ([`layout`]). A round works on one stripe
//! after the other. What does not fit in memory is in a file ([`tiles`]).
//!
//! Distances take the same passes in the order of distance, and a log of what each round decides
//! ([`mod@log`]).
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
//! - [`capture_tree`], if it changes which captures exist, how they continue, or what they capture:
//!   `CaptureWalk::go_on` makes one step, and `DirectionsLeft::after`, which the dense builder uses
//!   too, says which directions may follow. `captures::Input::find_sets_left` says with which sets of the opponent the turn may
//!   end. An option may use the own set and the path anywhere. Of the opponent's set it may use
//!   whether points are occupied, as masks of sets.
//! - `captures::decide`, if it changes which positions are `open`, lost or `safe` after captures;
//! - `work::SliceRule`, if it makes open positions `safe`, or changes the value of a side without a
//!   turn;
//! - `paikas::paikas`, if it changes which paikas exist: `Paika::captures` forbids columns;
//! - [`zugzwang`], if it changes where a side can capture;
//! - `PhaseSlice::after_captures`, if it changes which slices captures lead to.
//!
//! The two slices of a unit can have different rules, as in the first phase of the vela. So the rule is
//! always that of a slice, not of the unit.
//!
//! Tables cannot support rules that depend on more than the stones and the side to move, such as
//! the history or a count of turns. The test `methods.rs` compares this builder with the plain one,
//! which uses the listing generator. To test a new option, add it to the strategy `options` in
//! `common.rs` beside that test.

mod after;
mod bits;
mod capture_tree;
mod captures;
mod changes;
mod colex;
mod columns;
mod count;
mod decide;
mod exchange;
mod exchange_changes;
mod frame_stripe;
mod frames;
mod grades;
mod input;
mod layout;
mod load;
mod log;
mod matrix;
mod pack;
mod paikas;
mod parts;
mod reader;
mod resume;
mod rounds;
mod rowset;
mod saved;
mod slices;
mod solve;
mod solved;
mod state;
mod tiles;
mod write;
mod zugzwang;

use std::path::Path;

use fanorona_core::RuleSet;

pub(super) use self::columns::{ColumnSets, check_columns};
pub(super) use self::layout::Layout;
pub(super) use self::state::RowsBuilder;
use super::checkpoint::CheckpointStore;
use super::context::SliceBuilder;
use super::progress::Part;
use crate::clock::{Spent, Stopwatch};
use crate::error::Result;
use crate::format::TableFile;
use crate::key::TableKey;
use crate::slice::{PhaseSlice, Unit};
use crate::value::Code;

impl SliceBuilder for RowsBuilder<'_> {
    fn load(&mut self, unit: Unit, table: &TableFile) -> Result<()> {
        self.load_slice(unit, table)
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
        let progress = self.context.progress;
        (self.working, self.loaded) = (None, None);
        let mut done = self.restore(unit, rules, checkpoints)?;
        let watch = Stopwatch::start();
        self.decide_unit(unit, rules, &mut done, checkpoints)?;
        progress.spent(unit, Part::Captures, watch.read());
        let watch = Stopwatch::start();
        self.transposing = Spent::default();
        self.solve_unit(unit, rules, is_needed, &mut done, checkpoints)?;
        progress.spent(unit, Part::Rounds, watch.read() - self.transposing);
        progress.spent(unit, Part::Transposition, self.transposing);
        Ok(())
    }

    fn values(&self, slice: PhaseSlice, first: u64, codes: &mut [Code]) {
        self.loaded_codes(slice, first, codes);
    }

    fn write(&self, unit: Unit, key: &TableKey, path: &Path) -> Result<()> {
        self.write_slice(unit, key, path)
    }
}
