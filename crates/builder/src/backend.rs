//! The interface of backends: the ways to solve units.
//!
//! A [`Backend`] says what it can build, and plans some work. Its [`Plan`] says what the work takes,
//! and starts a [`Solver`]. Each backend has a folder; only [`method`](super::method) names them.

use std::path::Path;

use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::format::TableFile;
use fanorona_tablebase::{Code, Result, Slice, TableKey, Unit};

use super::checkpoint::CheckpointStore;
use super::context::BuildContext;
use super::memory::Memory;
use super::work::{Step, Work};

/// A way to solve units.
pub(super) trait Backend: Sync {
    /// Whether it can do some work, if it can number the positions.
    fn can(&self, work: Work<'_>) -> bool;

    /// Checks that it can number the positions of a slice, beyond what a table needs.
    fn check(&self, board: Board, slice: Slice) -> Result<()>;

    /// Plans the memory of some work in these steps: all units are those of one phase. Without a number of
    /// available bytes, it may use any.
    fn plan(&self, work: Work<'_>, steps: &[Step], available: Option<u64>) -> Box<dyn Plan>;
}

/// How a backend does some work. It keeps what its solver has to know.
pub(super) trait Plan {
    /// The memory and temporary files.
    fn memory(&self) -> Memory;

    /// Seconds of one thread for a slice. A rough guess, by which backends are compared, too.
    fn seconds(&self, slice: Slice) -> f64;

    /// The most bytes of the checkpoints of a unit at any time. 0 if the backend has none.
    fn checkpoint(&self, _: Unit) -> u64 {
        0
    }

    /// Makes a solver without any solved slices.
    fn start<'a>(&'a self, context: BuildContext<'a>) -> Box<dyn Solver + 'a>;
}

/// Solves or loads units, and keeps solved slices.
pub(super) trait Solver: Sync {
    /// Whether a slice was loaded or solved, and kept.
    fn has(&self, slice: Slice) -> bool;

    /// Drops the slices that are not needed.
    fn retain(&mut self, is_needed: &dyn Fn(Slice) -> bool);

    /// Loads a slice's values from its table. Smaller units must be solved or loaded. Keeps it if later
    /// units need it.
    fn load<'s>(
        &'s mut self,
        unit: Unit,
        table: &TableFile,
        is_needed: bool,
    ) -> Result<Box<dyn Loaded + 's>>;

    /// Computes the values of a unit of a game played by `rules`. Slices that captures lead to must be
    /// solved or loaded. Keeps the slices of the unit that later ones need. Continues from a
    /// checkpoint if one exists, and may save checkpoints.
    fn solve<'s>(
        &'s mut self,
        unit: Unit,
        rules: &RuleSet,
        is_needed: &dyn Fn(Slice) -> bool,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<Box<dyn Solved + 's>>;
}

pub(super) trait Loaded: Sync {
    /// Copies the values from index `first` on to `codes`.
    fn values(&self, first: u64, codes: &mut [Code]) -> Result<()>;
}

pub(super) trait Solved {
    /// Writes the table of a slice of the unit.
    fn write(&self, key: &TableKey, path: &Path) -> Result<()>;
}
