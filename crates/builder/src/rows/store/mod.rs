//! The matrices of a unit in work: how they are cut, where they are, and what processes send each
//! other.
//!
//! The life of a row here: it arrives when captures have decided it, and is cut into the panels of
//! the processes ([`layout`], [`tiles`]). A pass takes a stripe of panels, changes it and puts it
//! back, and reads the rows of the swapped slice that have changed, transposed ([`input`],
//! [`changes`]). With distances, the [`log`] records what each round decides. In the end the row is
//! put together again, to be written, and [`kept`] for the captures of larger slices.

mod changes;
mod frame_stripe;
mod frames;
mod input;
mod kept;
mod layout;
mod log;
mod log_frame;
mod matrix;
mod message;
mod packed;
mod reading;
mod rowset;
mod shared_changes;
mod table;
mod tiles;
mod unit;
mod unit_store;

use std::sync::Arc;

use fanorona_storage::Budget;
use fanorona_tablebase::{Metric, Slice};

pub(super) use self::changes::{Changes, SliceChanges, Wanted};
pub(super) use self::input::{AfterPanel, InputRequest, PanelInput, StripeInput};
pub(super) use self::kept::{
    KeptSlice, KeptSlices, KeptWriter, MIN_PACKED_WORDS, copy_to_memory, remove_copies,
};
pub(super) use self::layout::{MAX_PROCESSES, MAX_WIDTH, Tiling};
pub(super) use self::log::{FrameBuffers, RoundLog};
pub(super) use self::log_frame::{FrameTile, Frames, decode, encode, for_each_word};
pub(super) use self::matrix::{Cells, Shape};
pub(super) use self::packed::Overlaps;
pub(super) use self::rowset::RowSet;
pub(super) use self::table::Pack;
pub(super) use self::tiles::{LOSS, SAFE, Tile, Tiles, WIN};
pub(super) use self::unit::{DecidedRows, Distances, RowsOf, SavedSlice, UnitMemory, UnitValues};
use self::unit_store::After;
pub(super) use self::unit_store::Store;
use crate::checkpoint::ExtentFile;
use crate::context::BuildContext;

/// Where the values of a unit are, and how they are cut.
pub(super) struct NewValues<'n> {
    pub metric: Metric,
    /// For the matrices, then for the logs, in bytes.
    pub memory: u64,
    pub layouts: Vec<(Slice, Tiling)>,
    pub process: usize,
    /// For what does not fit in memory.
    pub file: Arc<ExtentFile>,
    /// Whether checkpoints are saved or restored.
    pub are_saved: bool,
    pub overlaps_of: Box<dyn Fn(Slice) -> Overlaps + 'n>,
}

impl NewValues<'_> {
    /// The values of a process, of which none is decided.
    pub(super) fn values(&self) -> UnitValues {
        self.values_within(&self.budget())
    }

    /// The memory of matrices and logs. Logs have some in addition, because small frames take more.
    fn budget(&self) -> Arc<Budget> {
        let log_at_least = self.file.sizes.log_at_least;
        let budget = Budget::new(self.memory.saturating_add(log_at_least));
        budget.overdraw(log_at_least);
        Arc::new(budget)
    }

    fn values_within(&self, budget: &Arc<Budget>) -> UnitValues {
        let Self { metric, layouts, process, file, are_saved, overlaps_of, .. } = self;
        let tiles = Tiles::new(layouts, *process, budget, file, *are_saved, overlaps_of);
        let log = || RoundLog::new(Arc::clone(budget), Arc::clone(file));
        let distances = |(slice, _): &(Slice, Tiling)| {
            metric.has_distances().then(|| (*slice, Distances { due: log(), found: log() }))
        };
        UnitValues { tiles, distances: layouts.iter().filter_map(distances).collect() }
    }

    /// A store with these values.
    pub(super) fn store<'a>(&self, context: BuildContext<'a>, cells: Cells) -> Store<'a> {
        let BuildContext { scratch_dir, processes, sizes, .. } = context;
        let budget = self.budget();
        let values = self.values_within(&budget);
        let after = match processes.is_alone() {
            true => After::Read(Vec::new()),
            false => {
                let of_after = |(slice, layout): &(Slice, Tiling)| (*slice, layout.of_after());
                let layouts: Vec<_> = self.layouts.iter().map(of_after).collect();
                let file = Arc::new(ExtentFile::scratch(scratch_dir, sizes));
                let overlaps = &self.overlaps_of;
                After::Kept(Tiles::new(&layouts, self.process, &budget, &file, false, overlaps))
            }
        };
        budget.give_back(sizes.log_at_least);
        Store { values, after, cells, processes, scratch_dir }
    }
}
