//! The store of several processes. Each has some panels of every matrix.
//!
//! Captures decide whole rows, which are cut into panels and sent. Tables have whole rows, which are
//! put together from them. What passes read is kept up to date by
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
use super::shared_changes::exchange_changes;
use super::shared_table::SharedTable;
use super::tiles::{LOSS, Tile, Tiles, WIN};
use super::unit::{BlockWriter, DecidedRows, RowsOf, Store, UnitValues};
use crate::checkpoint::ExtentFile;
use crate::ranks::{Processes, to_bytes};

/// The values of a unit in several processes.
pub(crate) struct SharedStore<'a> {
    pub values: UnitValues,
    /// The values after paikas, for the stripes of this process. Passes receive only the rows that
    /// have changed.
    pub after: Tiles,
    pub cells: Cells,
    pub processes: Processes<'a>,
    pub scratch_dir: &'a Path,
}

impl SharedStore<'_> {
    /// Stores what a process has sent of its rows.
    fn store_sent(&mut self, slice: Slice, bytes: &[u8]) -> Result<()> {
        let layout = self.values.layout(slice);
        let mut message = Message::new(bytes);
        let rows = message.number()..message.number();
        for panel in layout.panels_of(self.processes.rank()) {
            let rows = layout.rows_in(panel, &rows);
            if rows.is_empty() {
                continue;
            }
            for plane in 0..layout.planes() {
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
            let rows = plane.chunks(layout.words()).skip(first).take(in_rows.len());
            rows.for_each(|row| words.extend_from_slice(&row[in_panel.clone()]));
        }
    }
    let mut bytes = to_bytes(&words);
    for (distance, frames) in due {
        let sent = frames.iter().filter(|(tile, _)| panels.contains(&(tile.panel as usize)));
        sent.for_each(|(tile, frame)| write_frame(&mut bytes, *distance, (*tile, frame)));
    }
    bytes
}

impl Store for SharedStore<'_> {
    fn values(&self) -> &UnitValues {
        &self.values
    }

    fn values_mut(&mut self) -> &mut UnitValues {
        &mut self.values
    }

    fn put_decided(&mut self, slice: Slice, decided: Result<DecidedRows>) -> Result<()> {
        let layout = self.values.layout(slice);
        let messages = decided.map(|decided| {
            let ranks = (0..self.processes.count()).into_par_iter();
            ranks.map(|rank| decided_message(&decided, &layout, layout.panels_of(rank))).collect()
        });
        let received = self.processes.exchange(messages)?;
        let stored = received.iter().try_for_each(|bytes| self.store_sent(slice, bytes));
        self.processes.all(stored)
    }

    fn take_input(&mut self, request: &InputRequest<'_>) -> Result<Option<StripeInput>> {
        let Self { values, after, cells, processes, .. } = self;
        exchange_changes(values, after, cells, *processes, request)
    }

    fn take_after(&mut self, slice: Slice, stripe: usize) -> Result<StripeInput> {
        let after = self.after.take(slice, stripe, &|_, _| true)?;
        Ok(StripeInput { stripe, panels: Vec::new(), after, has_changed: false })
    }

    fn give_back(&mut self, slice: Slice, input: StripeInput) -> Result<()> {
        let StripeInput { stripe, after, has_changed, .. } = input;
        match after.is_empty() {
            // Nothing was read.
            true => Ok(()),
            false => self.after.put(slice, stripe, after, has_changed.then_some(&|_, _| true)),
        }
    }

    fn end_passes(&mut self) {
        self.after = Tiles::default();
    }

    fn rows(&self, slice: Slice, rows_of: RowsOf<'_>, result: Result<()>) -> Result<[Vec<u64>; 2]> {
        let (layout, processes) = (self.values.layout(slice), self.processes);
        let own = layout.panels_of(processes.rank());
        let message = |rank| {
            let (mut words, mut buffer) = (Vec::new(), Vec::new());
            let rows = rows_of(rank);
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
            Ok(to_bytes(&words))
        };
        let received = processes.exchange_with(result, message)?;
        let rows = rows_of(processes.rank());
        let mut planes = [(); 2].map(|()| vec![0; rows.len() * layout.words()]);
        for (rank, bytes) in received.iter().enumerate() {
            let mut message = Message::new(bytes);
            for panel in layout.panels_of(rank) {
                let (words, in_panel) = (layout.panel(panel), layout.rows_in(panel, &rows));
                let first = in_panel.start.saturating_sub(rows.start);
                for plane in &mut planes {
                    let rows = plane.chunks_mut(layout.words()).skip(first).take(in_panel.len());
                    for row in rows {
                        let bytes = message.bytes(8 * words.len());
                        row[words.clone()].as_mut_bytes().copy_from_slice(bytes);
                    }
                }
            }
        }
        Ok(planes)
    }

    fn log<'l>(
        &'l self,
        slice: Slice,
        rows_of: RowsOf<'_>,
        result: Result<()>,
        received: &'l mut Option<RoundLog>,
    ) -> Result<&'l RoundLog> {
        let layout = self.values.layout(slice);
        let log = self.values.found(slice).expect("the build has distances");
        let message = |rank| {
            let rows = rows_of(rank);
            let band = layout.band_rows();
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
        for bytes in self.processes.exchange_with(result, message)? {
            Message::new(&bytes).add_frames(&mut frames);
        }
        let file = Arc::new(ExtentFile::scratch(self.scratch_dir, layout.sizes));
        let received = received.insert(RoundLog::new(Arc::new(Budget::new(u64::MAX)), file));
        frames.into_iter().try_for_each(|(distance, frames)| received.add(distance, frames))?;
        Ok(received)
    }

    fn new_table(&self, path: &Path) -> Result<Box<dyn BlockWriter + '_>> {
        Ok(Box::new(SharedTable::new(path, self.scratch_dir, self.processes)?))
    }
}
