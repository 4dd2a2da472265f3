//! The solver by rows.

use std::path::Path;

use fanorona_core::RuleSet;

use super::kernel::{RowsContext, SliceContext, SliceRows, UnitContext};
use super::memory::RowsMemory;
use super::solve::solve;
use super::store::Store;
use super::table::{load, write};
use crate::builder::backend::{Loaded, Solved, Solver};
use crate::builder::checkpoint::CheckpointStore;
use crate::builder::context::BuildContext;
use crate::builder::solved::SolvedSlices;
use crate::error::Result;
use crate::format::TableFile;
use crate::key::TableKey;
use crate::slice::{Slice, Unit};
use crate::value::Code;
use crate::zugzwang::Zugzwangs;

/// Solves units by rows, and keeps solved slices.
pub(super) struct RowsSolver<'a> {
    context: RowsContext<'a>,
    solved: SolvedSlices,
}

impl<'a> RowsSolver<'a> {
    /// A solver without any solved slices.
    pub(super) fn new(context: BuildContext<'a>, memory: &'a RowsMemory) -> Self {
        Self { context: RowsContext::new(context, memory), solved: SolvedSlices::new() }
    }
}

impl Solver for RowsSolver<'_> {
    fn has(&self, slice: Slice) -> bool {
        self.solved.contains_key(&slice)
    }

    fn retain(&mut self, is_needed: &dyn Fn(Slice) -> bool) {
        self.solved.retain(|slice, _| is_needed(*slice));
    }

    fn load<'s>(&'s mut self, unit: Unit, table: &TableFile) -> Result<Box<dyn Loaded + 's>> {
        let metadata = table.metadata();
        let context = self.context.slice(metadata.key().slice, &metadata.rules);
        let longest = context.build.begin_load(unit, table)?;
        let (rows, solved) = load(&context, &self.solved, table, longest)?;
        self.solved.insert(context.slice, solved);
        Ok(Box::new(LoadedSlice { context, rows }))
    }

    fn solve<'s>(
        &'s mut self,
        unit: Unit,
        rules: &RuleSet,
        is_needed: &dyn Fn(Slice) -> bool,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<Box<dyn Solved + 's>> {
        let context = self.context.unit(unit, rules);
        let (store, zugzwangs) = solve(&context, &mut self.solved, is_needed, checkpoints)?;
        Ok(Box::new(SolvedUnit { context, store, zugzwangs }))
    }
}

/// A slice that was loaded.
struct LoadedSlice<'s, 'a> {
    context: SliceContext<'s, 'a>,
    rows: SliceRows,
}

impl Loaded for LoadedSlice<'_, '_> {
    fn values(&self, first: u64, codes: &mut [Code]) {
        let SliceContext { build, slice, .. } = self.context;
        let (opponent, mut codes) = (build.orbits(slice.opponent), codes.iter_mut());
        self.context.index().for_each_rank(first, codes.len() as u64, |row, rank| {
            let code = codes.next().expect("as many codes as values");
            *code = self.rows.code(row, opponent.number_of_rank(rank) as usize);
        });
    }
}

/// A unit that was solved.
struct SolvedUnit<'s, 'a> {
    context: UnitContext<'s, 'a>,
    store: Box<dyn Store + 'a>,
    zugzwangs: Vec<Zugzwangs>,
}

impl Solved for SolvedUnit<'_, '_> {
    fn write(&self, key: &TableKey, path: &Path) -> Result<()> {
        let mut slices = self.context.slices.iter().zip(&self.zugzwangs);
        let slice = slices.find(|(context, _)| context.slice == key.slice);
        let (context, zugzwangs) = slice.expect("a slice of the unit");
        write(context, &*self.store, *zugzwangs, key, path)
    }
}
