//! The input and the limits that all solvers share.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_storage::Stopwatch;
use fanorona_tablebase::format::{Metadata, Packing, Statistics, TableFile};
use fanorona_tablebase::index::SliceIndex;
use fanorona_tablebase::orbits::{OrbitSets, Orbits};
use fanorona_tablebase::{
    Layout, Metric, Result, Slice, TableError, TableKey, Task, Unit, captures_are_stored,
};

use super::processes::Processes;
use super::progress::{Activity, Part, Progress};
use super::sizes::Sizes;

#[derive(Clone, Copy)]
pub(super) struct BuildContext<'a> {
    pub sets: &'a OrbitSets,
    pub sizes: &'static Sizes,
    pub metric: Metric,
    /// The available memory in bytes; `None` if unknown.
    pub memory: Option<u64>,
    /// The task that needs the memory, for errors.
    pub task: Task,
    /// The directory for what does not fit in memory.
    pub scratch_dir: &'a Path,
    pub progress: &'a dyn Progress,
    pub stop: &'a AtomicBool,
    pub processes: Processes<'a>,
}

impl<'a> BuildContext<'a> {
    pub(super) fn index(&self, slice: Slice) -> SliceIndex<'a> {
        SliceIndex::new(self.sets, slice).expect("sizes are checked before work begins")
    }

    /// The orbits of the sets of a number of stones.
    pub(super) fn orbits(&self, stones: u8) -> &'a Orbits {
        self.sets.of(stones).expect("sizes are checked before work begins")
    }

    /// Reports that an activity begins, which goes through all entries of a unit.
    pub(super) fn begin(&self, unit: Unit, activity: Activity) {
        let entries = unit.slices().map(|slice| self.index(slice).len()).sum();
        self.progress.begin(unit, activity, entries);
    }

    /// Reports that a table is loaded. Returns its longest distance.
    pub(super) fn begin_load(&self, unit: Unit, table: &TableFile) -> Result<u16> {
        let metadata = table.metadata();
        // Values that are not stored are recomputed.
        let passes = if metadata.captures_stored { 1 } else { 2 };
        self.progress.begin(unit, Activity::Load, passes * metadata.values);
        check_distances(table, self.sizes)
    }

    /// Reports that a table is written, and counts its values. Returns its metadata.
    pub(super) fn begin_write(
        &self,
        key: &TableKey,
        count: impl FnOnce() -> Result<Statistics>,
    ) -> Result<Metadata> {
        let TableKey { board, rules, slice, metric } = *key;
        let (unit, values) = (key.unit(), self.index(slice).len());
        self.progress.begin(unit, Activity::Write, values);
        let watch = Stopwatch::start();
        let statistics = count()?;
        self.progress.spent(unit, Part::Count, watch.read());
        let largest = statistics.distances.len().min(u16::MAX.into()) as u16;
        Ok(Metadata {
            board,
            rules,
            metric,
            slice,
            bits: Packing::for_codes(metric, largest).bits(),
            values,
            block_values: BLOCK_VALUES,
            captures_stored: captures_are_stored(board, &rules, slice),
            layout: Layout::Packed,
            statistics,
        })
    }
}

/// Checks that the distances of a table are within the limit. Returns the longest.
pub(super) fn check_distances(table: &TableFile, sizes: &Sizes) -> Result<u16> {
    let (metadata, limit) = (table.metadata(), sizes.max_distance);
    let longest = metadata.statistics.distances.len().saturating_sub(1);
    let longest = u16::try_from(longest).ok().filter(|longest| *longest <= limit);
    longest.ok_or(TableError::TooFar { slice: metadata.slice, limit })
}

/// Values per block: what a probe has to decompress to read one value.
const BLOCK_VALUES: u32 = 8192;
