//! The solver by rows.

use std::path::Path;

use fanorona_core::RuleSet;
use fanorona_tablebase::format::TableFile;
use fanorona_tablebase::{Code, Result, Slice, TableKey, Unit, Zugzwangs};

use super::kernel::{RowsContext, SliceContext, UnitContext};
use super::memory::RowsMemory;
use super::solve::solve;
use super::store::{KeptSlices, Store, copy_to_memory, remove_copies};
use super::table::{copy_values, load, solved_of, write};
use crate::backend::{Loaded, Solved, Solver};
use crate::checkpoint::CheckpointStore;
use crate::context::BuildContext;

/// Solves units by rows, and keeps solved slices.
pub(super) struct RowsSolver<'a> {
    context: RowsContext<'a>,
    solved: KeptSlices,
}

impl<'a> RowsSolver<'a> {
    /// A solver without any solved slices.
    pub(super) fn new(context: BuildContext<'a>, memory: &'a RowsMemory) -> Self {
        Self { context: RowsContext::new(context, memory), solved: KeptSlices::new() }
    }
}

impl Solver for RowsSolver<'_> {
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
        is_needed: bool,
    ) -> Result<Box<dyn Loaded + 's>> {
        let metadata = table.metadata();
        let slice = metadata.key().slice;
        let unit_context = self.context.unit(unit, &metadata.rules);
        let context = self.context.slice(slice, &metadata.rules);
        let longest = context.build.begin_load(unit, table)?;
        let memory = unit_context.memory().copies;
        copy_to_memory(&mut self.solved, memory, |after| unit.captures_into(after), |_| true);
        let mut store = unit_context.store_to_load(slice);
        load(&context, &mut store, &self.solved, table, longest)?;
        remove_copies(&mut self.solved);
        if is_needed {
            self.solved.insert(slice, solved_of(&context, &store.values)?);
        }
        Ok(Box::new(RowsSlice { context, store }))
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
        Ok(Box::new(RowsUnit { context, store, zugzwangs }))
    }
}

struct RowsSlice<'s, 'a> {
    context: SliceContext<'s, 'a>,
    store: Store<'a>,
}

impl Loaded for RowsSlice<'_, '_> {
    fn values(&self, first: u64, codes: &mut [Code]) -> Result<()> {
        copy_values(&self.context, &self.store, first, codes)
    }
}

struct RowsUnit<'s, 'a> {
    context: UnitContext<'s, 'a>,
    store: Store<'a>,
    zugzwangs: Vec<Zugzwangs>,
}

impl Solved for RowsUnit<'_, '_> {
    fn write(&self, key: &TableKey, path: &Path) -> Result<()> {
        let mut slices = self.context.slices.iter().zip(&self.zugzwangs);
        let slice = slices.find(|(context, _)| context.slice == key.slice);
        let (context, zugzwangs) = slice.expect("a slice of the unit");
        write(context, &self.store, *zugzwangs, key, path)
    }
}
