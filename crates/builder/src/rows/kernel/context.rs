//! The input for work on rows: the rules and sets of a slice, of a unit, and of all.

use std::io;
use std::path::Path;
use std::sync::Arc;

use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::index::SliceIndex;
use fanorona_tablebase::orbits::Orbits;
use fanorona_tablebase::{Role, Slice, Unit};

use super::columns::{ColumnSets, Columns};
use crate::checkpoint::{ExtentFile, SliceSize};
use crate::context::BuildContext;
use crate::grades::Width;
use crate::rows::memory::RowsMemory;
use crate::rows::store::{
    Cells, KeptSlices, NewValues, Overlaps, SavedSlice, Store, Tiling, UnitMemory, UnitValues,
};
use crate::solved::width_after;
use crate::work::SliceRule;

/// The input for all slices.
pub(crate) struct RowsContext<'a> {
    pub build: BuildContext<'a>,
    pub cells: Cells,
    memory: &'a RowsMemory,
    columns: ColumnSets<'a>,
}

impl<'a> RowsContext<'a> {
    pub(crate) fn new(build: BuildContext<'a>, memory: &'a RowsMemory) -> Self {
        let cells = Cells::new(build.sets.group());
        Self { build, cells, memory, columns: ColumnSets::default() }
    }

    /// The input for a slice of a game played by `rules`.
    pub(crate) fn slice(&self, slice: Slice, rules: &RuleSet) -> SliceContext<'_, 'a> {
        let build = self.build;
        let board = build.sets.board();
        let rule = SliceRule::new(board, slice, rules);
        // Threads only read them.
        self.columns.find(build.sets, slice.opponent);
        let orbits = |stones| build.orbits(stones).count() as u64;
        let (order, processes) = (build.sets.group().order(), build.processes.count());
        let orbits = [slice.own, slice.opponent].map(orbits);
        let layout = Tiling::new(build.sizes, orbits, order, rule.planes(), processes);
        SliceContext {
            build,
            board,
            cells: &self.cells,
            slice,
            rule,
            layout,
            own: build.orbits(slice.own),
            after: Unit::holding(board, rules, slice).after_captures_of(slice),
            scratch_of_solved: self.memory.solved_in_files.then_some(build.scratch_dir),
            columns: &self.columns,
        }
    }

    /// The input for a unit of a game played by `rules`.
    pub(crate) fn unit(&self, unit: Unit, rules: &RuleSet) -> UnitContext<'_, 'a> {
        let slices = unit.slices().map(|slice| self.slice(slice, rules)).collect();
        UnitContext { all: self, unit, slices }
    }
}

pub(crate) struct UnitContext<'s, 'a> {
    all: &'s RowsContext<'a>,
    pub unit: Unit,
    pub slices: Vec<SliceContext<'s, 'a>>,
}

impl<'s, 'a> UnitContext<'s, 'a> {
    pub(crate) fn build(&self) -> BuildContext<'a> {
        self.all.build
    }

    pub(crate) fn slice(&self, slice: Slice) -> &SliceContext<'s, 'a> {
        let found = self.slices.iter().find(|context| context.slice == slice);
        found.expect("a slice of the unit")
    }

    pub(crate) fn sizes(&self) -> Vec<SliceSize> {
        let size = |context: &SliceContext<'_, '_>| SliceSize {
            rows: context.own.count(),
            entries: context.index().len(),
        };
        self.slices.iter().map(size).collect()
    }

    /// The values of this process, of which none is decided, in matrices that `cut` makes of the usual
    /// ones.
    fn new_values(
        &self,
        cut: impl Fn(Tiling) -> Tiling,
        file: &Arc<ExtentFile>,
        are_saved: bool,
    ) -> NewValues<'_> {
        let layouts = self.slices.iter().map(|context| (context.slice, cut(context.layout)));
        NewValues {
            metric: self.build().metric,
            memory: self.memory().in_work,
            layouts: layouts.collect(),
            process: self.build().processes.index(),
            file: Arc::clone(file),
            are_saved,
            overlaps_of: Box::new(|slice| self.slice(slice).overlaps()),
        }
    }

    /// A store without any decided position. A file has what does not fit in memory. `are_saved` says
    /// whether checkpoints are saved or restored.
    pub(crate) fn new_store(&self, file: &Arc<ExtentFile>, are_saved: bool) -> Store<'a> {
        let new = self.new_values(|layout| layout, file, are_saved);
        new.store(self.build(), self.all.cells.clone())
    }

    /// A store for the values of one slice, to load it. The memory is for that slice.
    pub(crate) fn store_to_load(&self, loaded: Slice) -> Store<'a> {
        let build = self.build();
        // With distances, there is only the log.
        let planes = if build.metric.has_distances() { 0 } else { 2 };
        let file = Arc::new(ExtentFile::scratch(build.scratch_dir, build.sizes));
        let mut new = self.new_values(|layout| layout.with_planes(planes), &file, false);
        new.layouts.sort_by_key(|(slice, _)| *slice != loaded);
        new.store(build, self.all.cells.clone())
    }

    pub(crate) fn memory(&self) -> UnitMemory {
        self.all.memory.unit(self.unit)
    }

    /// The values that the file of a checkpoint has: of one of some processes.
    pub(crate) fn saved_values(
        &self,
        [process, processes]: [usize; 2],
        file: &Arc<ExtentFile>,
        saved: Vec<SavedSlice>,
    ) -> io::Result<UnitValues> {
        let new = self.new_values(|layout| layout.for_processes(processes), file, true);
        let mut values = NewValues { process, memory: 0, ..new }.values();
        values.restore(self.unit, saved)?;
        Ok(values)
    }
}

pub(crate) struct SliceContext<'s, 'a> {
    pub build: BuildContext<'a>,
    pub board: Board,
    pub cells: &'s Cells,
    pub slice: Slice,
    pub rule: SliceRule,
    /// How its matrices are cut.
    pub layout: Tiling,
    pub own: &'a Orbits,
    after: Vec<Slice>,
    /// The directory for solved slices. `None` if they stay in memory.
    pub scratch_of_solved: Option<&'a Path>,
    columns: &'s ColumnSets<'a>,
}

impl<'s, 'a> SliceContext<'s, 'a> {
    /// The columns of the sets of a number of stones, which [`find_columns`](Self::find_columns) has
    /// computed before.
    pub(crate) fn columns(&self, stones: u8) -> &'s Columns<'a> {
        self.columns.get(stones)
    }

    /// The columns of the sets of a number of stones. The first call computes them and must not be
    /// made from a parallel section, see [`Columns::prepare_ranks`].
    pub(crate) fn find_columns(&self, stones: u8) -> &'s Columns<'a> {
        self.columns.find(self.build.sets, stones)
    }

    /// The columns of the slice: the opponent's sets.
    pub(crate) fn opponents(&self) -> &'s Columns<'a> {
        self.columns(self.slice.opponent)
    }

    /// The places of its matrices that are no positions.
    fn overlaps(&self) -> Overlaps {
        self.overlaps_of(self.own, self.opponents())
    }

    /// The places of its transposed matrices that are no positions.
    pub(crate) fn overlaps_of_solved(&self) -> Overlaps {
        let columns = self.find_columns(self.slice.own);
        self.overlaps_of(self.build.orbits(self.slice.opponent), columns)
    }

    fn overlaps_of(&self, rows: &Orbits, columns: &Columns<'_>) -> Overlaps {
        let sets = (0..rows.count()).map(|row| rows.representative(row)).collect();
        let points = self.board.all_points().iter();
        Overlaps::new(sets, points.map(|point| columns.containing(point).to_vec()).collect())
    }

    pub(crate) fn index(&self) -> SliceIndex<'a> {
        self.build.index(self.slice)
    }

    /// The slice after a capture that leaves the opponent a number of stones.
    pub(crate) fn after(&self, left: u8) -> Slice {
        let role: Option<Role> = self.after.first().and_then(|after| after.role);
        Slice::new(left, self.slice.own).with_role(role)
    }

    /// The width of grades that the slice needs for the values after its captures, and for distances
    /// up to `known`. `None` if the build has no distances.
    pub(crate) fn width(&self, solved: &KeptSlices, known: u16) -> Option<Width> {
        let width = || width_after(solved, self.after.iter().copied(), known);
        self.build.metric.has_distances().then(width)
    }
}
