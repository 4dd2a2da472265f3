//! The store of a unit in work, of all processes of the build.
//!
//! One process has all rows, and reads what passes need anew for each stripe. Each of several processes
//! has some panels of every matrix. Captures decide whole rows, which are cut into panels and sent.
//! Tables have whole rows, which are put together from them. What passes read is kept up to date by
//! [messages with changes](super::shared_changes).

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use fanorona_storage::Budget;
use fanorona_tablebase::{Result, Slice};
use rayon::prelude::*;
use zerocopy::IntoBytes;

use super::input::{InputRequest, StripeInput};
use super::layout::Tiling;
use super::log::RoundLog;
use super::log_frame::{Frames, write_frame};
use super::matrix::Cells;
use super::message::Message;
use super::reading::{read_all, read_input};
use super::shared_changes::exchange_changes;
use super::table::BlockWriter;
use super::tiles::{LOSS, Tile, Tiles, WIN};
use super::unit::{DecidedRows, RowsOf, UnitValues};
use crate::checkpoint::ExtentFile;
use crate::processes::Processes;

/// The values of a unit in work.
///
/// Captures put decided rows into it. Passes take what they read, and the stripes that they change.
/// Writers get rows and logs. A function with a `result`, or with a [`Result`] as input, is called by
/// all processes at the same time; if some process passes an error, all have one.
pub(crate) struct Store<'a> {
    pub values: UnitValues,
    pub(super) after: After,
    pub(super) cells: Cells,
    pub(super) processes: Processes<'a>,
    pub(super) scratch_dir: &'a Path,
}

/// The values after paikas, which passes read.
pub(super) enum After {
    /// One process reads them. This is what was read last, to use its memory again.
    Read(Vec<u64>),
    /// Several keep them for their stripes, and receive only the rows that have changed.
    Kept(Tiles),
}

impl Store<'_> {
    /// Stores rows that captures have decided, in the panels of all processes.
    pub(crate) fn put_decided(&mut self, slice: Slice, decided: Result<DecidedRows>) -> Result<()> {
        if self.processes.is_alone() {
            let DecidedRows { rows, planes, due } = decided?;
            self.values.add_due(slice, due)?;
            return self.values.tiles.write_rows(slice, rows, &planes);
        }
        let layout = self.values.layout(slice);
        let messages = decided.map(|decided| {
            let processes = (0..self.processes.count()).into_par_iter();
            processes
                .map(|process| decided_message(&decided, &layout, layout.panels_of(process)))
                .collect()
        });
        let received = self.processes.exchange(messages)?;
        let stored = received.iter().try_for_each(|bytes| self.store_sent(slice, bytes));
        self.processes.all(stored)
    }

    /// The input of a pass over a stripe of this process; `None` if it has fewer stripes. All
    /// processes call this at the same time. An error can be one of this process that the others do
    /// not know of yet.
    pub(crate) fn take_input(&mut self, request: &InputRequest<'_>) -> Result<Option<StripeInput>> {
        let Self { values, after, cells, processes, .. } = self;
        match after {
            After::Read(last) => read_input(values, cells, last, request),
            After::Kept(after) => exchange_changes(values, after, cells, *processes, request),
        }
    }

    /// All values after paikas for a stripe of this process, as passes have last read them.
    pub(crate) fn take_after(&mut self, slice: Slice, stripe: usize) -> Result<StripeInput> {
        let after = match &mut self.after {
            After::Read(last) => read_all(&self.values.tiles, &self.cells, last, (slice, stripe))?,
            After::Kept(after) => after.take(slice, stripe, &|_, _| true)?,
        };
        Ok(StripeInput { stripe, panels: Vec::new(), after, has_changed: false })
    }

    /// Gives back what was taken.
    pub(crate) fn give_back(&mut self, slice: Slice, input: StripeInput) -> Result<()> {
        let StripeInput { stripe, after: data, has_changed, .. } = input;
        match &mut self.after {
            After::Read(last) => *last = data,
            // Nothing was read.
            After::Kept(_) if data.is_empty() => {}
            After::Kept(after) => {
                after.put(slice, stripe, data, has_changed.then_some(&|_, _| true))?;
            }
        }
        Ok(())
    }

    /// Frees what passes have read. No other pass follows.
    pub(crate) fn end_passes(&mut self) {
        self.after = After::Read(Vec::new());
    }

    /// The won and lost positions of the rows that `rows_of` gives for this process.
    pub(crate) fn rows(&self, slice: Slice, rows_of: RowsOf<'_>) -> Result<[Vec<u64>; 2]> {
        let (layout, processes) = (self.values.layout(slice), self.processes);
        if processes.is_alone() {
            let rows = |plane| self.values.tiles.whole_rows(slice, plane, rows_of(0));
            return Ok([rows(WIN)?, rows(LOSS)?]);
        }
        let own = layout.panels_of(processes.index());
        let message = |process| {
            let (mut words, mut buffer) = (Vec::new(), Vec::new());
            let rows = rows_of(process);
            for panel in own.clone() {
                let rows = layout.rows_in(panel, &rows);
                if rows.is_empty() {
                    continue;
                }
                for plane in [WIN, LOSS] {
                    let tile = Tile { slice, plane, panel, rows: rows.clone() };
                    words.extend_from_slice(self.values.tiles.read(&tile, &mut buffer)?);
                }
            }
            Ok(words.as_bytes().to_vec())
        };
        let received = processes.exchange_with(message)?;
        let rows = rows_of(processes.index());
        let mut planes = [(); 2].map(|()| vec![0; rows.len() * layout.words]);
        for (process, bytes) in received.iter().enumerate() {
            let mut message = Message::new(bytes);
            for panel in layout.panels_of(process) {
                let (words, in_panel) = (layout.panel(panel), layout.rows_in(panel, &rows));
                let first = in_panel.start.saturating_sub(rows.start);
                for plane in &mut planes {
                    let rows = plane.chunks_mut(layout.words).skip(first).take(in_panel.len());
                    for row in rows {
                        let bytes = message.bytes(8 * words.len());
                        row[words.clone()].as_mut_bytes().copy_from_slice(bytes);
                    }
                }
            }
        }
        Ok(planes)
    }

    /// A log that has the positions of these rows that rounds have decided, if need be in `received`.
    pub(crate) fn log<'l>(
        &'l self,
        slice: Slice,
        rows_of: RowsOf<'_>,
        received: &'l mut Option<RoundLog>,
    ) -> Result<&'l RoundLog> {
        let layout = self.values.layout(slice);
        let log = self.values.found(slice).expect("the build has distances");
        if self.processes.is_alone() {
            return Ok(log);
        }
        let message = |process| {
            let rows = rows_of(process);
            let band = layout.band_rows;
            let bands = rows.start / band..rows.end.div_ceil(band);
            let mut bytes = Vec::new();
            for distance in log.distances() {
                for frame in log.compressed(distance, |frame| bands.contains(&frame.band())) {
                    let (tile, frame) = frame?;
                    write_frame(&mut bytes, distance, (tile, &frame));
                }
            }
            Ok(bytes)
        };
        let mut frames = Frames::new();
        for bytes in self.processes.exchange_with(message)? {
            Message::new(&bytes).add_frames(&mut frames);
        }
        let file = Arc::new(ExtentFile::scratch(self.scratch_dir, layout.sizes));
        let received = received.insert(RoundLog::new(Arc::new(Budget::new(u64::MAX)), file));
        frames.into_iter().try_for_each(|(distance, frames)| received.add(distance, frames))?;
        Ok(received)
    }

    pub(crate) fn new_table(&self, path: &Path) -> Result<BlockWriter<'_>> {
        BlockWriter::new(path, self.processes)
    }

    /// Stores what a process has sent of its rows.
    fn store_sent(&mut self, slice: Slice, bytes: &[u8]) -> Result<()> {
        let layout = self.values.layout(slice);
        let mut message = Message::new(bytes);
        let rows = message.number()..message.number();
        for panel in layout.panels_of(self.processes.index()) {
            let rows = layout.rows_in(panel, &rows);
            if rows.is_empty() {
                continue;
            }
            for plane in 0..layout.planes {
                let words = message.numbers(rows.len() * layout.panel(panel).len());
                let tile = Tile { slice, plane, panel, rows: rows.clone() };
                self.values.tiles.write(&tile, &words)?;
            }
        }
        let mut due = Frames::new();
        message.add_frames(&mut due);
        self.values.add_due(slice, due)
    }
}

fn decided_message(decided: &DecidedRows, layout: &Tiling, panels: Range<usize>) -> Vec<u8> {
    let DecidedRows { rows, planes, due } = decided;
    let mut words = vec![rows.start as u64, rows.end as u64];
    for panel in panels.clone() {
        let (in_panel, in_rows) = (layout.panel(panel), layout.rows_in(panel, rows));
        let first = in_rows.start.saturating_sub(rows.start);
        for plane in planes {
            let rows = plane.chunks(layout.words).skip(first).take(in_rows.len());
            rows.for_each(|row| words.extend_from_slice(&row[in_panel.clone()]));
        }
    }
    let mut bytes = words.as_bytes().to_vec();
    for (distance, frames) in due {
        let sent = frames.iter().filter(|(tile, _)| panels.contains(&(tile.panel as usize)));
        sent.for_each(|(tile, frame)| write_frame(&mut bytes, *distance, (*tile, frame)));
    }
    bytes
}
