//! The progress of the work on a unit, and how a checkpoint saves it: as the matrices whose rows
//! are own sets.
//!
//! Everything else follows from them.
//! - The transposed matrices are computed again.
//! - All rows count as changed. The next round then processes more rows and finds no more, because
//!   a round finds everything that follows from what was known before it.
//! - With distances, the next round is the one after the longest distance of a decided position.
//!   Later rounds may have run without finding anything. They find nothing again, because nothing
//!   has become known since. So no number in the file determines the next round, and none can be
//!   wrong.
//! - The filters of a row follow from its grades, because captures that wait for their round still
//!   have theirs.

use std::io;

use fanorona_core::RuleSet;
use serde::{Deserialize, Serialize};

use super::slices::{Distances, Width, WorkingSlice};
use super::state::RowsBuilder;
use crate::builder::checkpoint::{CheckpointStore, damaged};
use crate::builder::progress::{Phase, Stage};
use crate::error::Result;
use crate::slice::{Slice, Unit};
use crate::stop::check_stop;

/// The progress of the work on a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct UnitProgress {
    /// For each slice of the unit, the number of rows that captures have decided.
    pub rows: Vec<usize>,
    /// The number of complete rounds. They begin when all rows are decided.
    pub rounds: u32,
}

impl UnitProgress {
    /// No progress.
    pub(super) fn new(unit: Unit) -> Self {
        Self { rows: vec![0; unit.slices().count()], rounds: 0 }
    }
}

/// The header of a checkpoint.
#[derive(Serialize, Deserialize)]
struct Header {
    /// For each slice of the unit, the number of saved rows.
    rows: Vec<usize>,
    /// For each slice, whether its grades have two bytes.
    wide: Vec<bool>,
    /// The number of complete rounds without distances. Only used in messages.
    rounds: u32,
}

impl RowsBuilder<'_> {
    /// Saves a checkpoint if one is due or the build is being stopped.
    ///
    /// # Errors
    /// [`TableError::Stopped`](crate::TableError::Stopped) if it is being stopped.
    pub(super) fn save_if_due(
        &self,
        unit: Unit,
        done: &UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        let stopped = check_stop(self.context.stop);
        let has_begun = done.rows.iter().any(|rows| *rows > 0);
        if has_begun && (checkpoints.is_due() || stopped.is_err()) {
            let is_wide = |slice: Slice| {
                let distances = self.working.get(&slice).and_then(|found| found.distances.as_ref());
                distances.map(Distances::width) == Some(Width::Wide)
            };
            let header = Header {
                rows: done.rows.clone(),
                wide: unit.slices().map(is_wide).collect(),
                rounds: done.rounds,
            };
            checkpoints.save(self.stage(unit, done), &header, |out| {
                for (slice, rows) in unit.slices().zip(&done.rows) {
                    if let Some(working) = self.working.get(&slice) {
                        working.write(*rows, out)?;
                    }
                }
                Ok(())
            });
        }
        stopped
    }

    /// Restores the checkpoint of a unit, if one exists and can be used. Returns the progress.
    pub(super) fn restore(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        checkpoints: &CheckpointStore<'_>,
    ) -> UnitProgress {
        let restored = checkpoints.restore(|header: Header, input| {
            self.check_header(unit, &header)?;
            let mut slices: Vec<(Slice, WorkingSlice)> = Vec::new();
            for ((slice, rows), wide) in unit.slices().zip(&header.rows).zip(&header.wide) {
                if *rows > 0 {
                    let width = self
                        .width_of(slice, 0)
                        .map(|least| if *wide { Width::Wide } else { least });
                    let mut working =
                        self.new_working_slice(slice, rules, width).map_err(io::Error::other)?;
                    working.read(*rows, input)?;
                    slices.push((slice, working));
                }
            }
            let done = self.progress_of(unit, header, &slices)?;
            let stage = self.stage(unit, &done);
            Ok(((done, slices), stage))
        });
        let Some((done, slices)) = restored else { return UnitProgress::new(unit) };
        self.working.extend(slices);
        done
    }

    /// Checks a header before anything else is read.
    fn check_header(&self, unit: Unit, header: &Header) -> io::Result<()> {
        let slices: Vec<_> = unit.slices().collect();
        if header.rows.len() != slices.len() || header.wide.len() != slices.len() {
            return Err(damaged("it has another number of slices than the unit"));
        }
        for ((slice, rows), wide) in slices.into_iter().zip(&header.rows).zip(&header.wide) {
            if *rows > self.context.orbits(slice.own).count() {
                return Err(damaged(format!("it has more rows than slice {slice}")));
            }
            let least = self.width_of(slice, 0);
            if *wide && least.is_none() || !wide && least == Some(Width::Wide) {
                return Err(damaged(format!("slice {slice} needs grades of another width")));
            }
        }
        // Every round except the last decides a position.
        if u64::from(header.rounds) > self.context.entries(unit) {
            return Err(damaged("it has more rounds than the unit has positions"));
        }
        Ok(())
    }

    /// The progress that the restored values show.
    fn progress_of(
        &self,
        unit: Unit,
        header: Header,
        slices: &[(Slice, WorkingSlice)],
    ) -> io::Result<UnitProgress> {
        let Header { rows, rounds, .. } = header;
        let all = unit.slices().map(|slice| self.context.orbits(slice.own).count());
        let captures_are_done = all.eq(rows.iter().copied());
        let longest = slices.iter().filter_map(|(_, working)| working.longest_decided()).max();
        let has_distances = slices.iter().any(|(_, working)| working.distances.is_some());
        let rounds = match longest {
            Some(longest) => u32::from(longest) + 1,
            None if has_distances => 0,
            None => rounds,
        };
        if rounds > 0 && !captures_are_done {
            return Err(damaged("it has rounds before captures are decided"));
        }
        Ok(UnitProgress { rows, rounds })
    }

    /// The progress in terms of phases.
    fn stage(&self, unit: Unit, done: &UnitProgress) -> Stage {
        if done.rounds > 0 {
            return Stage { phase: Phase::Round(done.rounds), share: 1.0 };
        }
        let entries = unit.slices().zip(&done.rows);
        let entries: u64 =
            entries.map(|(slice, rows)| *rows as u64 * self.context.index(slice).columns()).sum();
        let share = entries as f64 / self.context.entries(unit) as f64;
        Stage { phase: Phase::Captures, share }
    }
}
