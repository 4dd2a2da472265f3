//! How far work on a unit has come, and how a checkpoint keeps it: as the matrices by the mover's
//! sets.
//!
//! Everything else follows from them.
//! - The matrices by the opponent's sets are transposed again.
//! - Which rows have changed need not be known. If all rows are taken to have changed, a round looks
//!   at more of them and finds no more, because a round finds everything that follows from what was
//!   known before it.
//! - The next round, where distances are wanted, is the one after the longest distance of a position
//!   that is decided. There may have been rounds after that which found nothing. They find nothing
//!   again, because nothing has become known in them. So no number in the file says which round is
//!   next, and none can be wrong.
//! - Which capture values a row has follows from the grades: of those that wait for their round,
//!   none is gone.

use std::io;

use serde::{Deserialize, Serialize};

use super::slices::{Distances, Width, WorkingSlice};
use super::state::RowsBuilder;
use crate::builder::checkpoint::{CheckpointStore, damaged};
use crate::builder::progress::{Phase, Stage};
use crate::error::Result;
use crate::slice::{Slice, Unit};
use crate::stop::check_stop;

/// How far work on a unit has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct UnitProgress {
    /// For each slice of the unit, how many rows captures have decided.
    pub rows: Vec<usize>,
    /// How many rounds are done. They begin when all rows are decided.
    pub rounds: u32,
}

impl UnitProgress {
    /// Nothing is done yet.
    pub(super) fn new(unit: Unit) -> Self {
        Self { rows: vec![0; unit.slices().count()], rounds: 0 }
    }
}

/// The header of a checkpoint.
#[derive(Serialize, Deserialize)]
struct Header {
    /// For each slice of the unit, how many rows are there.
    rows: Vec<usize>,
    /// For each slice, whether its grades have two bytes.
    wide: Vec<bool>,
    /// How many rounds are done without distances. This is for people only, who are told where work
    /// continues.
    rounds: u32,
}

impl RowsBuilder<'_> {
    /// Saves a checkpoint if it is time for one, or if the build is to stop, which it then does.
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

    /// Continues from the checkpoint of a unit, if there is one that can be used, or begins.
    pub(super) fn restore(
        &mut self,
        unit: Unit,
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
                        self.new_working_slice(slice, width).map_err(io::Error::other)?;
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

    /// Checks what a header says before anything is read.
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
        // Every round decides a position, or it is the last.
        if u64::from(header.rounds) > self.context.entries(unit) {
            return Err(damaged("it has more rounds than the unit has positions"));
        }
        Ok(())
    }

    /// How far work has come by the values that are there.
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

    /// What work has come to, in terms of phases.
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
