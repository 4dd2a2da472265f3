//! A unit in work: the values of a process, and the interface of the stores that keep them.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use fanorona_tablebase::{Result, Slice, Unit};
use serde::{Deserialize, Serialize};

use super::changes::Wanted;
use super::layout::Tiling;
use super::log::{RoundLog, SavedLog};
use super::log_frame::Frames;
use super::tiles::{Frame, Tiles};
use crate::checkpoint::damaged;

/// The memory of a unit in work, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct UnitMemory {
    /// For copies of solved slices in files, while captures read them.
    pub copies: u64,
    /// For its matrices, and then for its log of rounds. Stripes and frames that do not fit go to a file.
    pub in_work: u64,
}

/// The values of a unit in work that a process has: of its panels.
pub(crate) struct UnitValues {
    pub tiles: Tiles,
    pub distances: HashMap<Slice, Distances>,
}

/// A slice in the file of a checkpoint.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedSlice {
    frames: Vec<Option<Frame>>,
    /// The positions that wait, and those that are decided, if the build has distances.
    logs: Option<[SavedLog; 2]>,
}

/// The distances of a slice in work.
pub(crate) struct Distances {
    /// Positions that wait for the round of their best capture.
    pub due: RoundLog,
    /// Positions that rounds have decided.
    pub found: RoundLog,
}

impl UnitValues {
    pub(crate) fn layout(&self, slice: Slice) -> Tiling {
        self.tiles.layout(slice)
    }

    /// The positions that rounds have decided, if the build has distances.
    pub(crate) fn found(&self, slice: Slice) -> Option<&RoundLog> {
        self.distances.get(&slice).map(|distances| &distances.found)
    }

    /// Whether captures decide positions of a panel in a round.
    pub(crate) fn is_due(&self, slice: Slice, panel: usize, sought: Wanted) -> bool {
        match (sought, self.distances.get(&slice)) {
            (Wanted::Distance(distance), Some(found)) => found.due.has_panel(distance, panel),
            _ => false,
        }
    }

    /// Whether captures decide positions of a stripe in a round.
    pub(crate) fn is_any_due(&self, slice: Slice, stripe: usize, sought: Wanted) -> bool {
        self.layout(slice).stripe(stripe).any(|panel| self.is_due(slice, panel, sought))
    }

    /// Brings the file up to date for a checkpoint. Returns what it has of each slice.
    pub(crate) fn save(&mut self, unit: Unit) -> Result<Vec<SavedSlice>> {
        self.tiles.save()?;
        let logs = self.distances.values_mut().flat_map(|log| [&mut log.due, &mut log.found]);
        logs.into_iter().try_for_each(RoundLog::save)?;
        let saved = |slice| {
            let logs = self.distances.get(&slice).map(|log| [log.due.saved(), log.found.saved()]);
            SavedSlice { frames: self.tiles.frames(slice), logs }
        };
        Ok(unit.slices().map(saved).collect())
    }

    /// Goes on with what the file of a checkpoint has.
    pub(crate) fn restore(&mut self, unit: Unit, saved: Vec<SavedSlice>) -> io::Result<()> {
        if saved.len() != unit.slices().count() {
            return Err(damaged("its index has other slices"));
        }
        for (slice, SavedSlice { frames, logs }) in unit.slices().zip(saved) {
            self.tiles.restore(slice, frames)?;
            let layout = self.layout(slice);
            match (self.distances.get_mut(&slice), logs) {
                (Some(Distances { due, found }), Some([saved_due, saved_found])) => {
                    due.restore(&layout, saved_due)?;
                    found.restore(&layout, saved_found)?;
                }
                (None, None) => {}
                _ => return Err(damaged("its index is of another metric")),
            }
        }
        Ok(())
    }

    /// Adds frames of positions that wait for their round.
    pub(crate) fn add_due(&mut self, slice: Slice, frames: Frames) -> Result<()> {
        let Some(Distances { due, .. }) = self.distances.get_mut(&slice) else { return Ok(()) };
        frames.into_iter().try_for_each(|(distance, frames)| due.add(distance, frames))
    }
}

pub(crate) struct DecidedRows {
    pub rows: Range<usize>,
    /// For each matrix, the rows.
    pub planes: Vec<Vec<u64>>,
    /// Positions that wait for the round of their distance.
    pub due: Frames,
}

/// For each process, the rows that it asks for.
pub(crate) type RowsOf<'r> = &'r (dyn Fn(usize) -> Range<usize> + Sync);
