//! The progress of the work on a unit, and how a checkpoint saves it: as the matrices whose rows
//! are own sets, and the log of rounds.
//!
//! Everything else follows from them.
//! - Everything counts as changed. The next rounds then process more rows and find no more.
//! - Without distances, any state is a good one between two rounds: a value that is set is correct,
//!   and rounds find the others.
//! - With distances, the round with the longest distance of a decided position is repeated. It may
//!   have been interrupted. Rounds before it are complete. Later rounds may have run without
//!   finding anything, and find nothing again. So no number in the file determines the next round,
//!   and none can be wrong.

use std::io::{self, Read, Write};

use fanorona_core::RuleSet;
use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::log::{FrameTile, RoundLog, decode, largest_frame};
use super::state::{RowsBuilder, WorkingUnit};
use super::tiles::Tile;
use crate::builder::checkpoint::{CheckpointStore, damaged, read_items, read_number, write_items};
use crate::builder::context::MAX_DISTANCE;
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
            let header = Header { rows: done.rows.clone(), rounds: done.rounds };
            checkpoints.save(self.stage(unit, done), &header, |out| {
                for (slice, rows) in unit.slices().zip(&done.rows) {
                    self.save_slice(slice, *rows, out)?;
                }
                Ok(())
            });
        }
        stopped
    }

    /// Writes the first rows of a slice to a checkpoint.
    fn save_slice(&self, slice: Slice, rows: usize, out: &mut dyn Write) -> io::Result<()> {
        let (layout, mut buffer) = (self.layout(slice), Vec::new());
        for (panel, plane) in tiles(layout) {
            let tile = Tile { slice, plane, panel, rows: 0..rows };
            write_items(out, self.store().read(&tile, &mut buffer).map_err(io::Error::other)?)?;
        }
        if let Some(distances) = self.working().distances.get(&slice) {
            save_log(&distances.due, out)?;
            save_log(&distances.found, out)?;
        }
        Ok(())
    }

    /// Restores the checkpoint of a unit, if one exists and can be used. Returns the progress.
    pub(super) fn restore(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        checkpoints: &CheckpointStore<'_>,
    ) -> Result<UnitProgress> {
        let restored = checkpoints.restore(|header: Header, input| {
            self.check_header(unit, &header)?;
            let mut working = self.new_working_unit(unit, rules).map_err(io::Error::other)?;
            for (slice, rows) in unit.slices().zip(&header.rows) {
                restore_slice(&mut working, slice, *rows, input)?;
            }
            let done = self.progress_of(unit, header, &working)?;
            let stage = self.stage(unit, &done);
            Ok(((done, working), stage))
        });
        let (done, working) = match restored {
            Some(restored) => restored,
            None => (UnitProgress::new(unit), self.new_working_unit(unit, rules)?),
        };
        self.working = Some(working);
        Ok(done)
    }

    /// Checks a header before anything else is read.
    fn check_header(&self, unit: Unit, header: &Header) -> io::Result<()> {
        let slices: Vec<_> = unit.slices().collect();
        if header.rows.len() != slices.len() {
            return Err(damaged("it has another number of slices than the unit"));
        }
        for (slice, rows) in slices.into_iter().zip(&header.rows) {
            if *rows > self.context.orbits(slice.own).count() {
                return Err(damaged(format!("it has more rows than slice {slice}")));
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
        working: &WorkingUnit,
    ) -> io::Result<UnitProgress> {
        let Header { rows, rounds } = header;
        let all = unit.slices().map(|slice| self.context.orbits(slice.own).count());
        let captures_are_done = all.eq(rows.iter().copied());
        let longest = working.distances.values().map(|distances| distances.found.longest()).max();
        let rounds = match longest {
            Some(longest) => longest.unwrap_or(0).into(),
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

/// The panels and matrices of a layout, in the order of checkpoints.
fn tiles(layout: Layout) -> impl Iterator<Item = (usize, usize)> {
    let planes = layout.planes();
    (0..layout.num_panels()).flat_map(move |panel| (0..planes).map(move |plane| (panel, plane)))
}

/// Reads the first rows of a slice from a checkpoint.
fn restore_slice(
    working: &mut WorkingUnit,
    slice: Slice,
    rows: usize,
    input: &mut dyn Read,
) -> io::Result<()> {
    let layout = working.store.layout(slice);
    for stripe in 0..layout.num_stripes() {
        let mut data = working.store.take(slice, stripe).map_err(io::Error::other)?;
        for panel in layout.stripe(stripe) {
            for plane in 0..layout.planes() {
                let place = layout.offset(panel, plane, 0);
                let len = rows * layout.panel(panel).len();
                read_items(input, &mut data[place..place + len])?;
            }
        }
        working.store.put(slice, stripe, data, true).map_err(io::Error::other)?;
    }
    if let Some(distances) = working.distances.get_mut(&slice) {
        restore_log(&mut distances.due, layout, input)?;
        restore_log(&mut distances.found, layout, input)?;
    }
    Ok(())
}

/// Writes the frames of each distance, each after its tile and length, and then `u32::MAX`.
fn save_log(log: &RoundLog, out: &mut dyn Write) -> io::Result<()> {
    for distance in log.distances() {
        let frames = log.compressed(distance);
        out.write_all(&u32::from(distance).to_le_bytes())?;
        out.write_all(&(frames.len() as u32).to_le_bytes())?;
        for frame in frames {
            let (FrameTile { panel, band }, bytes) = frame.map_err(io::Error::other)?;
            for number in [panel, band, bytes.len() as u32] {
                out.write_all(&number.to_le_bytes())?;
            }
            out.write_all(&bytes)?;
        }
    }
    out.write_all(&u32::MAX.to_le_bytes())
}

fn restore_log(log: &mut RoundLog, layout: Layout, input: &mut dyn Read) -> io::Result<()> {
    let (panels, bands) = (layout.num_panels(), layout.rows().div_ceil(layout.band_rows()));
    let mut raw = Vec::new();
    loop {
        let distance = match u16::try_from(read_number(input)?) {
            Ok(distance @ 0..=MAX_DISTANCE) => distance,
            Ok(_) => return Err(damaged("it has a distance that is too long")),
            Err(_) => return Ok(()),
        };
        for _ in 0..read_number(input)? {
            let [panel, band, len] =
                [read_number(input)?, read_number(input)?, read_number(input)?];
            let (in_panel, in_band) = (panel as usize, band as usize);
            if in_panel >= panels || in_band >= bands || len as usize > largest_frame(&layout) {
                return Err(damaged("it has positions outside of the slice"));
            }
            let mut bytes = vec![0; len as usize];
            input.read_exact(&mut bytes)?;
            if !decode(&bytes, layout.band_len(in_panel, in_band), &mut raw) {
                return Err(damaged("a frame does not decompress"));
            }
            let tile = FrameTile { panel, band };
            log.add(distance, [(tile, bytes)]).map_err(io::Error::other)?;
        }
    }
}
