//! Messages between the processes of a build: the rows that captures have decided, and the rows that
//! are written. [Changes](super::exchange_changes) are elsewhere.
//!
//! Each process has some panels of every matrix. Captures decide whole rows, which are cut into
//! panels. Tables have whole rows, which are put together from them.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use zerocopy::IntoBytes;

use super::after::{LOSS, WIN};
use super::layout::Layout;
use super::log::{FrameTile, LogMemory, RoundLog};
use super::tiles::Tile;
use crate::builder::checkpoint::read_number;
use crate::builder::ranks::{to_bytes, to_numbers};
use crate::builder::rows::checkpoint::parts::write_frame;
use crate::builder::rows::state::{RowsBuilder, WorkingUnit};
use crate::error::Result;
use crate::slice::PhaseSlice;

/// Rows that captures have decided.
pub(crate) struct DecidedRows {
    pub rows: Range<usize>,
    /// For each matrix, the rows.
    pub planes: Vec<Vec<u64>>,
    /// Positions that wait for the round of their distance, in order of distances and tiles.
    pub due: Vec<(u16, (FrameTile, Vec<u8>))>,
}

impl WorkingUnit {
    /// Adds frames of positions that wait for their round.
    pub(crate) fn add_due(
        &mut self,
        slice: PhaseSlice,
        mut frames: Vec<(u16, (FrameTile, Vec<u8>))>,
    ) -> Result<()> {
        let Some(distances) = self.distances.get_mut(&slice) else { return Ok(()) };
        for same in frames.chunk_by_mut(|(a, _), (b, _)| a == b) {
            let distance = same[0].0;
            let taken = same.iter_mut().map(|(_, (tile, bytes))| (*tile, std::mem::take(bytes)));
            distances.due.add(distance, taken)?;
        }
        Ok(())
    }

    /// Stores what another process, or this one, has sent of its rows.
    fn store_sent(&mut self, slice: PhaseSlice, panels: Range<usize>, bytes: &[u8]) -> Result<()> {
        let layout = self.store.layout(slice);
        let mut input = Input(bytes);
        let rows = input.number()..input.number();
        for panel in panels {
            let rows = layout.rows_in(panel, &rows);
            if rows.is_empty() {
                continue;
            }
            for plane in 0..layout.planes() {
                let words = input.numbers(rows.len() * layout.panel(panel).len());
                let tile = Tile { slice, plane, panel, rows: rows.clone() };
                self.store.write(&tile, &words)?;
            }
        }
        let mut frames = Vec::new();
        while !input.is_empty() {
            frames.push(input.frame());
        }
        self.add_due(slice, frames)
    }
}

/// Reads what another process has sent. Processes are of one program, so there is nothing to check.
pub(crate) struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn bytes(&mut self, len: usize) -> &'b [u8] {
        let (bytes, rest) = self.0.split_at(len);
        self.0 = rest;
        bytes
    }

    pub(crate) fn number(&mut self) -> usize {
        u64::from_ne_bytes(self.bytes(8).try_into().expect("8 bytes")) as usize
    }

    fn numbers(&mut self, count: usize) -> Vec<u64> {
        to_numbers(self.bytes(8 * count))
    }

    fn frame(&mut self) -> (u16, (FrameTile, Vec<u8>)) {
        let mut number = || read_number(&mut self.0).expect("a whole frame");
        let [distance, panel, band, len] = [(); 4].map(|()| number());
        (distance as u16, (FrameTile { panel, band }, self.bytes(len as usize).to_vec()))
    }
}

impl DecidedRows {
    /// The message for the process with some panels.
    fn message(&self, layout: &Layout, panels: Range<usize>) -> Vec<u8> {
        let mut words = vec![self.rows.start as u64, self.rows.end as u64];
        for panel in panels.clone() {
            let (in_panel, rows) = (layout.panel(panel), layout.rows_in(panel, &self.rows));
            let first = rows.start.saturating_sub(self.rows.start);
            for plane in &self.planes {
                let rows = plane.chunks(layout.words()).skip(first).take(rows.len());
                rows.for_each(|row| words.extend_from_slice(&row[in_panel.clone()]));
            }
        }
        let is_there = |tile: &FrameTile| panels.contains(&(tile.panel as usize));
        let mut bytes = to_bytes(&words);
        for (distance, frame) in self.due.iter().filter(|(_, (tile, _))| is_there(tile)) {
            write_frame(&mut bytes, *distance, frame).expect(TO_MEMORY);
        }
        bytes
    }
}

/// Why writing a message is no error.
const TO_MEMORY: &str = "writing to memory does not fail";

impl RowsBuilder<'_> {
    /// Stores rows that captures have decided, in the stripes of all processes.
    pub(crate) fn store_decided(
        &mut self,
        slice: PhaseSlice,
        decided: Result<DecidedRows>,
    ) -> Result<()> {
        let group = self.context.group;
        let layout = self.layout(slice);
        let working = self.working_mut();
        if group.is_alone() {
            let DecidedRows { rows, planes, due } = decided?;
            working.add_due(slice, due)?;
            return working.store.write_rows(slice, rows, &planes);
        }
        let messages = decided.map(|decided| {
            let ranks = (0..group.count()).into_par_iter();
            ranks.map(|rank| decided.message(&layout, layout.panels_of(rank))).collect()
        });
        let panels = layout.panels_of(group.rank());
        let received = group.exchange(messages)?;
        let store = |bytes: &Vec<u8>| working.store_sent(slice, panels.clone(), bytes);
        group.agree(received.iter().try_for_each(store))
    }

    /// The won and lost positions of some rows: those that `rows_of` gives for this process. The
    /// other processes read theirs at the same time.
    pub(crate) fn fetch_rows(
        &self,
        slice: PhaseSlice,
        rows_of: impl Fn(usize) -> Range<usize> + Sync,
        result: Result<()>,
    ) -> Result<[Vec<u64>; 2]> {
        let (group, layout, store) = (self.context.group, self.layout(slice), self.store());
        let own = layout.panels_of(group.rank());
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
                    words.extend_from_slice(store.read(&tile, &mut buffer)?);
                }
            }
            Ok(to_bytes(&words))
        };
        let received = group.exchange_with(result, message)?;
        let rows = rows_of(group.rank());
        let mut planes = [(); 2].map(|()| vec![0; rows.len() * layout.words()]);
        for (rank, bytes) in received.iter().enumerate() {
            let mut input = Input(bytes);
            for panel in layout.panels_of(rank) {
                let (words, in_panel) = (layout.panel(panel), layout.rows_in(panel, &rows));
                let first = in_panel.start.saturating_sub(rows.start);
                for plane in &mut planes {
                    let rows = plane.chunks_mut(layout.words()).skip(first).take(in_panel.len());
                    for row in rows {
                        let bytes = input.bytes(8 * words.len());
                        row[words.clone()].as_mut_bytes().copy_from_slice(bytes);
                    }
                }
            }
        }
        Ok(planes)
    }

    /// The log of the rounds that decided positions of some rows: those that `rows_of` gives for
    /// this process. The other processes read theirs at the same time.
    pub(crate) fn fetch_log(
        &self,
        slice: PhaseSlice,
        rows_of: impl Fn(usize) -> Range<usize> + Sync,
        result: Result<()>,
    ) -> Result<RoundLog> {
        let (group, layout) = (self.context.group, self.layout(slice));
        let log = self.working().found(slice).expect("the build has distances");
        let message = |rank| {
            let rows = rows_of(rank);
            let band = layout.band_rows();
            let bands = rows.start / band..rows.end.div_ceil(band);
            let mut bytes = Vec::new();
            for distance in log.distances() {
                for frame in log.compressed_in(distance, bands.clone()) {
                    write_frame(&mut bytes, distance, &frame?).expect(TO_MEMORY);
                }
            }
            Ok(bytes)
        };
        let mut frames = BTreeMap::<u16, Vec<_>>::new();
        for bytes in group.exchange_with(result, message)? {
            let mut input = Input(&bytes);
            while !input.is_empty() {
                let (distance, frame) = input.frame();
                frames.entry(distance).or_default().push(frame);
            }
        }
        let mut fetched = RoundLog::new(LogMemory::new(u64::MAX), self.context.work);
        for (distance, frames) in frames {
            fetched.add(distance, frames)?;
        }
        Ok(fetched)
    }
}
