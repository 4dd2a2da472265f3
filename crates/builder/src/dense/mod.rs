//! The dense builder: solves whole rows of positions at a time, for boards with few empty points.
//!
//! A row is a set of *occupied points*. Its columns are the ways to choose one side's stones among them, in
//! colexicographic order ([`columns`]). One walk over the paths of a capturing stone finds the captures of
//! all columns ([`captures`]). A paika removes a stone and adds it elsewhere; both keep the order of
//! columns ([`rounds`], [`bits`]). Only one row of each orbit is computed, and copied to the rows of the
//! images ([`images`]), so that paikas find every row in place.
//!
//! For each side to move, the columns can be own sets or the opponent's: the order of one is the
//! reverse of the other. Work is done in columns of own sets. The values that others read are kept
//! in columns of the opponent's sets, which are the own sets of the side that moves there.
//!
//! `docs/BUILDING.md` describes the algorithm. This builder does not know the first phase of the vela.

mod captures;
mod columns;
mod entries;
mod images;
mod load;
mod plan;
mod plane;
mod resume;
mod rounds;
mod select;
mod solve;
mod state;
mod turn_ends;
mod unit;
mod write;
mod zugzwang;

use fanorona_core::RuleSet;
use fanorona_storage::Stopwatch;
use fanorona_tablebase::format::TableFile;
use fanorona_tablebase::{Result, Slice, Unit};

pub(super) use self::plan::Dense;
use self::state::DenseSolver;
use super::backend::{Loaded, Solved, Solver};
use super::checkpoint::CheckpointStore;
use super::progress::Part;

impl Solver for DenseSolver<'_> {
    fn has(&self, slice: Slice) -> bool {
        self.solved.contains_key(&slice)
    }

    fn retain(&mut self, is_needed: &dyn Fn(Slice) -> bool) {
        self.solved.retain(|slice, _| is_needed(*slice));
    }

    fn load<'s>(
        &'s mut self,
        unit: Unit,
        table: &TableFile,
        _: bool,
    ) -> Result<Box<dyn Loaded + 's>> {
        Ok(Box::new(self.load_slice(unit, table)?))
    }

    fn solve<'s>(
        &'s mut self,
        unit: Unit,
        rules: &RuleSet,
        is_needed: &dyn Fn(Slice) -> bool,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<Box<dyn Solved + 's>> {
        let progress = self.context.progress;
        let mut working = self.begin(unit, rules, checkpoints)?;
        let watch = Stopwatch::start();
        working.decide(checkpoints)?;
        progress.spent(unit, Part::Captures, watch.read());
        let watch = Stopwatch::start();
        working.solve(is_needed, checkpoints)?;
        progress.spent(unit, Part::Rounds, watch.read());
        Ok(Box::new(working))
    }
}
