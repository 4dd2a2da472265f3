//! What the processes of a build send each other: the rows that captures have decided, and the
//! changes that the next pass reads.
//!
//! Each process has some stripes of every matrix. Captures decide whole rows, which are cut into
//! the parts of each stripe. A pass over a stripe reads rows of the swapped slice, transposed. Its
//! process keeps these, and receives the ones that have changed since its last pass.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use zerocopy::IntoBytes;

use super::after::{LOSS, WIN};
use super::changes::Changes;
use super::input::{PanelInput, StripeInput};
use super::layout::Layout;
use super::log::{FrameTile, LogMemory, RoundLog};
use super::matrix::Shape;
use super::parts::write_frame;
use super::rounds::{SliceChanges, Sought};
use super::rowset::RowSet;
use super::state::{RowsBuilder, WorkingUnit};
use super::tiles::Tile;
use crate::builder::checkpoint::read_number;
use crate::builder::ranks::{to_bytes, to_numbers};
use crate::error::Result;
use crate::slice::Slice;

/// Rows that captures have decided.
pub(super) struct DecidedRows {
    pub rows: Range<usize>,
    /// For each matrix, the rows.
    pub planes: Vec<Vec<u64>>,
    /// Positions that wait for the round of their distance, in order of distances and tiles.
    pub due: Vec<(u16, (FrameTile, Vec<u8>))>,
}

impl WorkingUnit {
    /// Adds frames of positions that wait for their round.
    pub(super) fn add_due(
        &mut self,
        slice: Slice,
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
    fn store_sent(&mut self, slice: Slice, panels: Range<usize>, bytes: &[u8]) -> Result<()> {
        let layout = self.store.layout(slice);
        let mut input = Input(bytes);
        let rows = input.number()..input.number();
        for panel in panels {
            for plane in 0..layout.planes() {
                let words = input.numbers(rows.len() * layout.panel(panel).len());
                let tile = Tile { slice, plane, panel, rows: rows.clone() };
                self.store.write(&tile, &words)?;
            }
        }
        let mut frames = Vec::new();
        while !input.0.is_empty() {
            frames.push(input.frame());
        }
        self.add_due(slice, frames)
    }
}

/// Reads what another process has sent. Processes are of one program, so there is nothing to check.
struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
    fn bytes(&mut self, len: usize) -> &'b [u8] {
        let (bytes, rest) = self.0.split_at(len);
        self.0 = rest;
        bytes
    }

    fn number(&mut self) -> usize {
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
    /// What the process with some panels has to know.
    fn message(&self, layout: &Layout, panels: Range<usize>) -> Vec<u8> {
        let mut words = vec![self.rows.start as u64, self.rows.end as u64];
        for panel in panels.clone() {
            let in_panel = layout.panel(panel);
            for plane in &self.planes {
                let rows = plane.chunks(layout.words());
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

/// The bit of a row's number that says that its wins are sent, not its losses.
const ARE_WINS: u64 = 1 << 63;

/// The bits of a row's number below that of its panel.
const PANEL_SHIFT: u32 = 40;

impl RowsBuilder<'_> {
    /// Stores rows that captures have decided, in the stripes of all processes.
    pub(super) fn store_decided(
        &mut self,
        slice: Slice,
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

    /// Sends the other processes the changes that passes over a slice read, for one stripe of each:
    /// the first, second and so on of its own. `changed` are the changes of the swapped slice since
    /// the last pass. Returns what the others have sent, for [`receive`](Self::receive).
    pub(super) fn exchange_changes(
        &self,
        slice: Slice,
        step: usize,
        sought: Sought,
        changed: &SliceChanges,
    ) -> Result<Vec<Vec<u8>>> {
        let layout = self.layout(slice);
        let message = |rank| match layout.stripes_of(rank).nth(step) {
            Some(stripe) => self.changes_for(slice, layout.stripe(stripe), sought, changed),
            None => Ok(Vec::new()),
        };
        self.context.group.exchange_with(Ok(()), message)
    }

    /// What a pass over a stripe reads, brought up to date by what all processes have sent.
    pub(super) fn receive(
        &mut self,
        slice: Slice,
        stripe: usize,
        sought: Sought,
        changed: &SliceChanges,
        received: &[Vec<u8>],
    ) -> Result<StripeInput> {
        let layout = self.layout(slice);
        let in_after = layout.with_planes(2);
        let (panels, rows) = (layout.stripe(stripe), layout.rows());
        // Rows without any win or loss are not sent. If everything counts as changed, they do too:
        // positions without a turn are lost although nothing has changed.
        let none = |changes: &Changes, wanted| match wanted && changes.are_all() {
            true => RowSet::All,
            false => RowSet::Some(vec![0; rows.div_ceil(64)]),
        };
        let mut sets: Vec<_> = panels
            .clone()
            .map(|_| {
                let wins = none(&changed.wins, sought.losses());
                [none(&changed.losses, sought.wins()), wins]
            })
            .collect();
        let has_changed = received.iter().any(|bytes| !bytes.is_empty());
        let has_all = sets.iter().flatten().any(|rows| *rows == RowSet::All);
        let is_read = has_changed || has_all || self.is_any_due(slice, stripe, sought);
        let mut after = Vec::new();
        if is_read {
            after = self.working_mut().after.take(slice, stripe)?;
        }
        for bytes in received {
            let mut message = Input(bytes);
            while !message.0.is_empty() {
                let header = message.number() as u64;
                let panel = ((header & !ARE_WINS) >> PANEL_SHIFT) as usize;
                let row = (header & ((1 << PANEL_SHIFT) - 1)) as usize;
                let matrix = usize::from(header & ARE_WINS == 0);
                let place = in_after.offset(panel, matrix, row);
                let to = &mut after[place..place + layout.panel(panel).len()];
                let bytes = message.bytes(size_of_val(to));
                to.as_mut_bytes().copy_from_slice(bytes);
                sets[panel - panels.start][1 - matrix].insert(row);
            }
        }
        let context = self.slice_context(slice, &self.working().rules);
        let panels = sets.into_par_iter();
        let panels = panels.map(|[losses, wins]| PanelInput::new(&context, &wins, losses));
        let panels = panels.collect();
        Ok(StripeInput { panels, after, has_changed })
    }

    /// Gives back what a pass over a stripe has read.
    pub(super) fn put_after(
        &mut self,
        slice: Slice,
        stripe: usize,
        after: Vec<u64>,
        has_changed: bool,
    ) -> Result<()> {
        match self.context.group.is_alone() {
            true => self.after = after,
            // Nothing was read.
            false if after.is_empty() => {}
            false => self.working_mut().after.put(slice, stripe, after, has_changed)?,
        }
        Ok(())
    }

    /// The rows of the swapped slice that have changed in the panels of this process and that passes
    /// over some panels of a slice read, transposed: for each a number and its words.
    fn changes_for(
        &self,
        slice: Slice,
        panels: Range<usize>,
        sought: Sought,
        changed: &SliceChanges,
    ) -> Result<Vec<u8>> {
        let swapped = slice.swapped();
        let (layout, from) = (self.layout(slice), self.layout(swapped));
        let own = from.panels_of(self.context.group.rank());
        let rows_of = |changes: &Changes, panel, wanted| match wanted {
            true => changes.rows_in(panel, from.cells()),
            false => RowSet::default(),
        };
        let tiles = panels.into_par_iter().flat_map(|panel| {
            let losses = rows_of(&changed.losses, panel, sought.wins());
            let wins = rows_of(&changed.wins, panel, sought.losses());
            let rows = Arc::new([losses, wins]);
            own.clone().into_par_iter().map(move |from_panel| (panel, from_panel, rows.clone()))
        });
        let sent = tiles.map_init(
            <(Vec<u64>, [Vec<u64>; 2])>::default,
            |(transposed, [first, second]), (panel, from_panel, rows)| {
                let (words, width) = (from.panel(from_panel), layout.panel(panel).len());
                let tile = |plane| Tile {
                    slice: swapped,
                    plane,
                    panel: from_panel,
                    rows: layout.swapped_rows(panel),
                };
                let mut out = Vec::new();
                let kinds = [([LOSS, WIN], 0), ([WIN, LOSS], ARE_WINS)];
                for (rows, ([is, is_not], kind)) in rows.iter().zip(kinds) {
                    let has = |word: &usize| rows.has_group(*word, from.cells());
                    let groups: Vec<_> = words.clone().filter(has).collect();
                    if groups.is_empty() {
                        continue;
                    }
                    let is = self.store().read(&tile(is), first)?;
                    let is_not = self.store().read(&tile(is_not), second)?;
                    let shape = Shape {
                        from_width: words.len(),
                        groups: width,
                        to_width: width,
                        to_first: 0,
                    };
                    transposed.resize(words.len() * from.cells() * width, 0);
                    let places: Vec<_> = groups.iter().map(|word| word - words.start).collect();
                    let word = |i: usize| is[i] & !is_not[i];
                    self.cells.transpose_tile(shape, &places, word, transposed);
                    for group in groups {
                        let in_group = group * from.cells()..(group + 1) * from.cells();
                        for row in in_group.filter(|row| rows.contains(*row)) {
                            let place = (row - words.start * from.cells()) * width;
                            let row_words = &transposed[place..place + width];
                            // Bits are only ever added, so there are none at the receiver either.
                            if row_words.iter().any(|word| *word != 0) {
                                out.push(kind | (panel as u64) << PANEL_SHIFT | row as u64);
                                out.extend_from_slice(row_words);
                            }
                        }
                    }
                }
                Ok(out)
            },
        );
        let sent = sent.collect::<Result<Vec<_>>>()?;
        let mut bytes = Vec::with_capacity(8 * sent.iter().map(Vec::len).sum::<usize>() + 1);
        // Each part is freed when it is copied.
        sent.into_iter().for_each(|words| bytes.extend_from_slice(words.as_bytes()));
        Ok(bytes)
    }

    /// The won and lost positions of some rows: those that `rows_of` gives for this process. The
    /// other processes read theirs at the same time.
    pub(super) fn fetch_rows(
        &self,
        slice: Slice,
        rows_of: impl Fn(usize) -> Range<usize> + Sync,
        result: Result<()>,
    ) -> Result<[Vec<u64>; 2]> {
        let (group, layout, store) = (self.context.group, self.layout(slice), self.store());
        let own = layout.panels_of(group.rank());
        let message = |rank| {
            let (mut words, mut buffer) = (Vec::new(), Vec::new());
            for panel in own.clone() {
                for plane in [WIN, LOSS] {
                    let tile = Tile { slice, plane, panel, rows: rows_of(rank) };
                    words.extend_from_slice(store.read(&tile, &mut buffer)?);
                }
            }
            Ok(to_bytes(&words))
        };
        let received = group.exchange_with(result, message)?;
        let rows = rows_of(group.rank()).len();
        let mut planes = [(); 2].map(|()| vec![0; rows * layout.words()]);
        for (rank, bytes) in received.iter().enumerate() {
            let mut input = Input(bytes);
            for panel in layout.panels_of(rank) {
                let words = layout.panel(panel);
                for plane in &mut planes {
                    for row in plane.chunks_mut(layout.words()) {
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
    pub(super) fn fetch_log(
        &self,
        slice: Slice,
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
            while !input.0.is_empty() {
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
