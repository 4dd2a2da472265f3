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
//! Where memory is short, rounds work on one stripe of columns after the other ([`after`]).
//!
//! Distances take the same passes in the order of distance, and one or two bytes per position
//! ([`grades`]).
//!
//! The files are the same as those of the plain builder, byte for byte. `docs/BUILDING.md`
//! describes the algorithm step by step.
//!
//! # A new rule option
//!
//! A rule option has to be added to four generators of turns, which the documentation of
//! `fanorona-core` lists. This and the dense builder are two of them. Their only inputs from the rules are the
//! [`TurnRule`](fanorona_core::TurnRule) of a slice, and whether a side without a turn draws. So a
//! new option has to be part of these, and has to be followed here in:
//! - [`captures`], if it changes which captures exist, how they continue, or what they capture:
//!   `CaptureWalk::go_on` makes one step, `DirectionsLeft::after` says which directions may follow,
//!   and `CaptureWalk::columns_left` says in which columns the turn may end. An option may use the
//!   own set and the path anywhere. Of the opponent's set it may use whether points are occupied,
//!   as masks of columns.
//! - `captures::decide`, if it changes which positions are `open`, lost or `safe` after captures;
//! - `memory::has_safe`, if it makes open positions `safe`;
//! - `rounds::paikas`, if it changes which paikas exist: `Paika::captures` forbids columns;
//! - [`zugzwang`], if it changes where a side can capture;
//! - `SliceContext::blocked_is_drawn`, if it changes the value of a side without a turn.
//!
//! Tables cannot support rules that depend on more than the stones and the side to move, such as
//! the history or a count of turns. The test `methods.rs` compares this builder with the plain one,
//! which uses the listing generator. To test a new option, add it to the strategy `options` in
//! `common.rs` beside that test.

mod after;
mod captures;
mod changes;
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
pub(super) use self::grades::{Grade, GradeFilter, longest};
pub(super) use self::state::RowsBuilder;
use super::checkpoint::CheckpointStore;
use super::context::SliceBuilder;
use super::progress::Part;
use super::schedule::is_needed;
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

    fn retain(&mut self, to_process: &[Unit]) {
        self.solved.retain(|slice, _| is_needed(*slice, to_process));
    }

    fn solve(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        let progress = self.context.progress;
        self.working.clear();
        let mut done = self.restore(unit, rules, checkpoints);
        let watch = Stopwatch::start();
        self.decide_unit(unit, rules, &mut done, checkpoints)?;
        progress.spent(unit, Part::Captures, watch.read());
        let watch = Stopwatch::start();
        self.transposing = Spent::default();
        self.solve_unit(unit, rules, &mut done, checkpoints)?;
        progress.spent(unit, Part::Rounds, watch.read() - self.transposing);
        progress.spent(unit, Part::Transposition, self.transposing);
        Ok(())
    }

    fn values(&self, slice: Slice, first: u64, codes: &mut [Code]) {
        self.codes(slice, first, codes);
    }

    fn write(&self, unit: Unit, key: &TableKey, path: &Path) -> Result<()> {
        self.write_slice(unit, key, path)
    }
}
