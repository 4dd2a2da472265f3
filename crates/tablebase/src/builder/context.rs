//! What every builder is given.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::RuleSet;

use super::checkpoint::CheckpointStore;
use super::progress::Progress;
use crate::error::{Resource, Result, TableError, Task};
use crate::format::{Metadata, Packing, Statistics, TableFile};
use crate::index::SliceIndex;
use crate::key::{TableKey, captures_are_stored};
use crate::orbits::{OrbitSets, Orbits};
use crate::resources::check_room;
use crate::slice::{Slice, Unit};
use crate::value::{Code, Metric};

/// A way to solve slices, which keeps solved slices in memory.
pub(super) trait SliceBuilder: Sync {
    /// Takes a slice's values from its table. Smaller units are solved or loaded.
    fn load(&mut self, unit: Unit, table: &TableFile) -> Result<()>;

    /// Forgets the slices that are not needed.
    fn retain(&mut self, is_needed: &dyn Fn(Slice) -> bool);

    /// Finds the values of a unit. Smaller units are solved or loaded. May save checkpoints, and
    /// continues from one that is there.
    fn solve(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()>;

    /// The values of the places from `first` on, of the slice that was loaded last.
    fn values(&self, slice: Slice, first: u64, codes: &mut [Code]);

    /// Writes a slice of the unit that was solved last.
    fn write(&self, unit: Unit, key: &TableKey, path: &Path) -> Result<()>;
}

/// What a builder works with, whatever its method.
#[derive(Clone, Copy)]
pub(super) struct BuildContext<'a> {
    pub sets: &'a OrbitSets,
    pub metric: Metric,
    /// The most stones of a slice of this build: no slice captures into those with as many.
    pub max_stones: u32,
    pub memory: MemoryBudget,
    pub progress: &'a dyn Progress,
    pub stop: &'a AtomicBool,
}

impl<'a> BuildContext<'a> {
    /// The index of a slice.
    pub(super) fn index(&self, slice: Slice) -> SliceIndex<'a> {
        SliceIndex::new(self.sets, slice).expect("sizes are checked before work begins")
    }

    /// The orbits of the sets of a number of stones.
    pub(super) fn orbits(&self, stones: u8) -> &'a Orbits {
        self.sets.of(stones).expect("sizes are checked before work begins")
    }

    /// The number of entries of a unit's slices.
    pub(super) fn entries(&self, unit: Unit) -> u64 {
        unit.slices().map(|slice| self.index(slice).len()).sum()
    }
}

/// The memory of a build.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryBudget {
    pub task: Task,
    /// Bytes that were estimated.
    pub needed: u64,
    /// Bytes that there are; `None` if nobody knows.
    pub available: Option<u64>,
}

impl MemoryBudget {
    /// Checks that there are more bytes than were estimated.
    pub(super) fn check_more(&self, bytes: u64) -> Result<()> {
        let needed = self.needed.saturating_add(bytes);
        check_room(self.task, Resource::Memory, needed, self.available)
    }
}

/// The longest distance after which another turn can be counted. Low in this crate's tests, which
/// then reach it.
pub(super) const MAX_DISTANCE: u16 = if cfg!(test) { 400 } else { Code::NONE.0 - 3 };

/// Checks that the distances of a table leave one for the turn before. Returns the longest.
pub(super) fn check_distances(table: &TableFile) -> Result<u16> {
    let metadata = table.metadata();
    let longest = metadata.statistics.distances.len().saturating_sub(1);
    match u16::try_from(longest) {
        Ok(longest @ ..=MAX_DISTANCE) => Ok(longest),
        _ => Err(TableError::TooFar { slice: metadata.slice, limit: MAX_DISTANCE }),
    }
}

/// The values of `count` places of a table from `first` on. They are those that the header counts,
/// so that all builders understand them alike.
///
/// # Errors
/// If the table cannot be read, or holds a value that its header does not count.
pub(super) fn checked_codes(table: &TableFile, first: u64, count: u64) -> Result<Vec<Code>> {
    let metadata = table.metadata();
    let largest = match metadata.metric {
        Metric::Wdl => Code::WIN,
        Metric::Dtw => Code(metadata.statistics.distances.len().min(u16::MAX.into()) as u16),
    };
    let codes = table.codes(first, count)?;
    match codes.iter().position(|code| code.0 > largest.0) {
        None => Ok(codes),
        Some(place) => Err(TableError::Corrupt {
            path: table.path().to_owned(),
            what: format!("value {} is one that the header does not count", first + place as u64),
            offset: 0,
        }),
    }
}

/// How many values are packed together: what a probe unpacks to read one.
const BLOCK_VALUES: u32 = 8192;

/// The metadata of a new table, which are the same whatever the method.
pub(super) fn new_metadata(key: &TableKey, values: u64, statistics: Statistics) -> Metadata {
    let TableKey { board, rules, slice, metric } = *key;
    let largest = statistics.distances.len().min(u16::MAX.into()) as u16;
    Metadata {
        board,
        rules,
        metric,
        slice,
        bits: Packing::for_codes(metric, largest).bits(),
        values,
        block_values: BLOCK_VALUES,
        captures_stored: captures_are_stored(board, &rules, slice),
        statistics,
    }
}
