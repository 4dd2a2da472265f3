//! The builder by rows: a bit for each position, whole rows at a time.
//!
//! Three ideas carry it.
//! - A paika leaves the opponent's stones where they are, so it acts on whole *rows* of positions,
//!   hundreds at one instruction ([`rounds`]).
//! - So does a capture, between rows of different slices ([`captures`]).
//! - Only one row of each orbit is kept. The columns of the sets that symmetries map to each other
//!   are side by side in one *cell*, so that the row of any other set is a kept row with the bits of
//!   each cell permuted. Passing from one side's rows to the other's is transposing a matrix of
//!   cells ([`matrix`]).
//!
//! Distances take the same passes in the order of distance, and a byte or two for each position
//! ([`grades`]).
//!
//! The files are those of the plain builder, byte for byte.
//!
//! # A new rule option
//!
//! This is one of the three generators of turns that a rule option has to reach; `fanorona-core`
//! names all of them. It asks the rules for the [`TurnRule`](fanorona_core::TurnRule) of a slice and
//! nothing else, so an option has to show there, and here in:
//! - [`captures`], if it changes which captures there are, how they continue, or what they take:
//!   `CaptureWalk::go_on` is a step, `DirectionsLeft::after` says which directions may follow, and
//!   `CaptureWalk::columns_left` in which columns the turn may end. An option may ask about the
//!   mover's set and the path at any place. About the opponent's set it may ask whether points are
//!   occupied, as masks of columns.
//! - `captures::decide`, if it changes what captures leave to paikas: which positions are `open`,
//!   lost or `safe`;
//! - `rounds::paikas`, if it changes which paikas there are: `Paika::captures` forbids columns;
//! - [`zugzwang`], if it changes where a side can capture;
//! - `SliceContext::blocked_is_drawn`, if it changes what a side without a turn has.
//!
//! A rule that depends on more than the stones and the side to move (a history, a count of turns)
//! has no place in tables. The test `methods.rs` compares this builder with the plain one, which
//! uses the listing generator; an option joins by being in the strategy `options()` there.

mod captures;
mod columns;
mod count;
mod decide;
mod grades;
mod load;
mod matrix;
mod resume;
mod rounds;
mod slices;
mod solve;
mod state;
mod write;
mod zugzwang;

use std::path::Path;

use fanorona_core::RuleSet;

pub(super) use self::columns::ColumnSets;
pub(super) use self::state::RowsBuilder;
use super::checkpoint::CheckpointStore;
use super::context::SliceBuilder;
use super::progress::Part;
use crate::clock::{Spent, Stopwatch};
use crate::error::Result;
use crate::format::TableFile;
use crate::key::TableKey;
use crate::slice::{Slice, Unit};
use crate::value::Code;

impl SliceBuilder for RowsBuilder<'_> {
    fn load(&mut self, unit: Unit, table: &TableFile) -> Result<()> {
        self.load_slice(unit, table)
    }

    fn retain(&mut self, is_needed: &dyn Fn(Slice) -> bool) {
        self.solved.retain(|slice, _| is_needed(*slice));
    }

    fn solve(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        let progress = self.context.progress;
        self.working.clear();
        let mut done = self.restore(unit, checkpoints);
        let watch = Stopwatch::start();
        self.decide_unit(unit, rules, &mut done, checkpoints)?;
        progress.spent(unit, Part::Captures, watch.read());
        let watch = Stopwatch::start();
        self.transposing = Spent::default();
        self.solve_unit(unit, rules, &mut done, checkpoints)?;
        progress.spent(unit, Part::Rounds, watch.read() - self.transposing);
        progress.spent(unit, Part::Transposition, self.transposing);
        if unit.stronger().stones() == self.context.max_stones {
            unit.slices().for_each(|slice| drop(self.solved.remove(&slice)));
        }
        Ok(())
    }

    fn values(&self, slice: Slice, first: u64, codes: &mut [Code]) {
        self.codes(slice, first, codes);
    }

    fn write(&self, unit: Unit, key: &TableKey, path: &Path) -> Result<()> {
        self.write_slice(unit, key, path)
    }
}
