//! The parts of a checkpoint: what they have, and which of them have to be written again.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::log::{FrameTile, RoundLog, decode, largest_frame};
use super::resume::UnitProgress;
use super::state::{RowsBuilder, WorkingUnit};
use super::tiles::{Tile, TileStore, gather_rows};
use crate::builder::checkpoint::{PartFile, damaged, read_items, read_number, write_items};
use crate::builder::context::MAX_DISTANCE;
use crate::builder::memory::rows_together;
use crate::slice::{Slice, Unit};

/// The most parts with rows, or with frames of a log. With more of them, one part replaces all.
const MOST_ADDED: usize = if cfg!(test) { 4 } else { 64 };

/// What a part of a checkpoint has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Content {
    /// Some rows of all matrices of a slice, as captures have decided them.
    Rows { slice: Slice, rows: Range<usize> },
    /// A stripe of all matrices of a slice. Replaces these columns of the rows.
    Stripe { slice: Slice, stripe: usize },
    /// Frames of the log of positions that wait for their round.
    Due { slice: Slice },
    /// Frames of the log of positions that rounds have decided.
    Found { slice: Slice },
}

impl Content {
    pub(super) fn slice(&self) -> Slice {
        match self {
            Self::Rows { slice, .. } | Self::Stripe { slice, .. } => *slice,
            Self::Due { slice } | Self::Found { slice } => *slice,
        }
    }
}

/// A part of the next checkpoint.
pub(super) struct NextPart {
    pub content: Content,
    pub source: Source,
}

/// Where a part of the next checkpoint comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// The last checkpoint has it.
    Last(PartFile),
    /// It is written. A log writes the frames that the last checkpoint does not have.
    New,
    /// It is written, and replaces all parts with the same content.
    Whole,
}

/// The parts of the last checkpoint, and what has changed since.
#[derive(Default)]
pub(super) struct SavedParts {
    pub parts: Vec<(Content, PartFile)>,
    /// For each slice, the stripes that rounds have changed.
    changed: HashMap<Slice, Vec<bool>>,
}

impl SavedParts {
    pub(super) fn new(parts: Vec<(Content, PartFile)>) -> Self {
        Self { parts, changed: HashMap::new() }
    }

    /// Records that a round has changed a stripe.
    pub(super) fn stripe_changed(&mut self, slice: Slice, layout: &Layout, stripe: usize) {
        let stripes = self.changed.entry(slice).or_default();
        stripes.resize(layout.num_stripes(), false);
        stripes[stripe] = true;
    }

    fn of(&self, slice: Slice) -> impl Iterator<Item = &(Content, PartFile)> {
        self.parts.iter().filter(move |(content, _)| content.slice() == slice)
    }

    /// The parts of the next checkpoint with the matrices of a slice. `rows` are decided.
    fn next_matrices(&self, slice: Slice, layout: &Layout, rows: usize) -> Vec<NextPart> {
        let new = |content, source| NextPart { content, source };
        let changed = self.changed.get(&slice);
        let mut stripes = vec![None; layout.num_stripes()];
        let mut added = Vec::new();
        let mut end = 0;
        for (content, file) in self.of(slice) {
            match content {
                Content::Stripe { stripe, .. } => stripes[*stripe] = Some(Source::Last(*file)),
                Content::Rows { rows, .. } => {
                    end = rows.end;
                    added.push(new(content.clone(), Source::Last(*file)));
                }
                Content::Due { .. } | Content::Found { .. } => {}
            }
        }
        let all_there = stripes.iter().all(Option::is_some);
        if changed.is_none() && end < rows && !all_there {
            let mut begin = end;
            if added.len() >= MOST_ADDED {
                added.clear();
                begin = 0;
            }
            added.push(new(Content::Rows { slice, rows: begin..rows }, Source::New));
            return added;
        }
        // Rows that rounds have changed before they were saved are saved as stripes.
        let as_stripes = end < rows && !all_there;
        for (i, stripe) in stripes.iter_mut().enumerate() {
            if as_stripes || changed.is_some_and(|changed| changed[i]) {
                *stripe = Some(Source::New);
            }
        }
        if stripes.iter().all(Option::is_some) {
            added.clear();
        }
        let stripes = stripes.into_iter().enumerate();
        added.extend(
            stripes.filter_map(|(stripe, source)| {
                Some(new(Content::Stripe { slice, stripe }, source?))
            }),
        );
        added
    }

    /// The parts of the next checkpoint with a log.
    fn next_log(&self, content: &Content, log: &RoundLog) -> Vec<NextPart> {
        let last = self.of(content.slice()).filter(|(other, _)| other == content);
        let next = |source| NextPart { content: content.clone(), source };
        let mut parts: Vec<_> = last.map(|(_, file)| next(Source::Last(*file))).collect();
        if log.has_unsaved() {
            if parts.len() < MOST_ADDED {
                parts.push(next(Source::New));
            } else {
                parts = vec![next(Source::Whole)];
            }
        }
        parts
    }
}

impl WorkingUnit {
    /// The parts of the next checkpoint.
    pub(super) fn next_parts(&self, unit: Unit, done: &UnitProgress) -> Vec<NextPart> {
        let mut parts = Vec::new();
        for (slice, rows) in unit.slices().zip(&done.rows) {
            parts.extend(self.saved.next_matrices(slice, &self.store.layout(slice), *rows));
            if let Some(distances) = self.distances.get(&slice) {
                parts.extend(self.saved.next_log(&Content::Due { slice }, &distances.due));
                parts.extend(self.saved.next_log(&Content::Found { slice }, &distances.found));
            }
        }
        parts
    }

    /// Records that a checkpoint has everything.
    pub(super) fn set_saved(&mut self, parts: Vec<(Content, PartFile)>) {
        self.saved = SavedParts::new(parts);
        for distances in self.distances.values_mut() {
            distances.due.set_saved();
            distances.found.set_saved();
        }
    }

    /// Reads a part. `rows` are the decided rows of its slice.
    pub(super) fn read_part(
        &mut self,
        content: &Content,
        rows: usize,
        input: &mut dyn Read,
    ) -> io::Result<()> {
        let layout = self.store.layout(content.slice());
        match content {
            Content::Rows { slice, rows } => read_rows(&mut *self.store, *slice, rows, input),
            Content::Stripe { slice, stripe } => {
                let store = &mut self.store;
                let mut data = store.take(*slice, *stripe).map_err(io::Error::other)?;
                for panel in layout.stripe(*stripe) {
                    for plane in 0..layout.planes() {
                        let place = layout.offset(panel, plane, 0);
                        let len = rows * layout.panel(panel).len();
                        read_items(input, &mut data[place..place + len])?;
                    }
                }
                store.put(*slice, *stripe, data, true).map_err(io::Error::other)
            }
            Content::Due { slice } | Content::Found { slice } => {
                let distances = self.distances.get_mut(slice);
                let distances = distances.ok_or_else(|| damaged("it has distances"))?;
                let log = match content {
                    Content::Due { .. } => &mut distances.due,
                    _ => &mut distances.found,
                };
                read_log(log, layout, input)
            }
        }
    }
}

impl RowsBuilder<'_> {
    /// Writes a part of which the last checkpoint has another version, or none.
    pub(super) fn write_part(
        &self,
        part: &NextPart,
        rows: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match &part.content {
            Content::Rows { slice, rows } => write_rows(self.store(), *slice, rows, out),
            Content::Stripe { slice, stripe } => {
                let (layout, slice, mut buffer) = (self.layout(*slice), *slice, Vec::new());
                for panel in layout.stripe(*stripe) {
                    for plane in 0..layout.planes() {
                        let tile = Tile { slice, plane, panel, rows: 0..rows };
                        let words = self.store().read(&tile, &mut buffer);
                        write_items(out, words.map_err(io::Error::other)?)?;
                    }
                }
                Ok(())
            }
            Content::Due { slice } | Content::Found { slice } => {
                let distances = &self.working().distances[slice];
                let log = match part.content {
                    Content::Due { .. } => &distances.due,
                    _ => &distances.found,
                };
                write_log(log, part.source == Source::Whole, out)
            }
        }
    }
}

/// The ranges of rows that are written together.
fn chunks(layout: &Layout, rows: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let together = rows_together(layout.words() as u64) as usize;
    let Range { start, end } = *rows;
    (start..end).step_by(together).map(move |first| first..end.min(first + together))
}

fn write_rows(
    store: &dyn TileStore,
    slice: Slice,
    rows: &Range<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (layout, mut buffer) = (store.layout(slice), Vec::new());
    for some in chunks(&layout, rows) {
        for plane in 0..layout.planes() {
            let gathered = gather_rows(store, slice, plane, some.clone(), &mut buffer);
            gathered.map_err(io::Error::other)?;
            write_items(out, &buffer)?;
        }
    }
    Ok(())
}

fn read_rows(
    store: &mut dyn TileStore,
    slice: Slice,
    rows: &Range<usize>,
    input: &mut dyn Read,
) -> io::Result<()> {
    let layout = store.layout(slice);
    let mut planes = vec![Vec::new(); layout.planes()];
    for some in chunks(&layout, rows) {
        for words in &mut planes {
            words.resize(some.len() * layout.words(), 0);
            read_items(input, words)?;
        }
        store.write_rows(slice, some, &planes).map_err(io::Error::other)?;
    }
    Ok(())
}

/// Writes the frames of each distance, each after its tile and length, and then `u32::MAX`.
fn write_log(log: &RoundLog, all: bool, out: &mut dyn Write) -> io::Result<()> {
    for distance in log.distances() {
        for frame in log.compressed(distance, all) {
            let (FrameTile { panel, band }, bytes) = frame.map_err(io::Error::other)?;
            for number in [u32::from(distance), panel, band, bytes.len() as u32] {
                out.write_all(&number.to_le_bytes())?;
            }
            out.write_all(&bytes)?;
        }
    }
    out.write_all(&u32::MAX.to_le_bytes())
}

fn read_log(log: &mut RoundLog, layout: Layout, input: &mut dyn Read) -> io::Result<()> {
    let (panels, bands) = (layout.num_panels(), layout.bands().len());
    let (mut raw, mut frames) = (Vec::new(), Vec::new());
    let mut last = None;
    loop {
        let distance = match u16::try_from(read_number(input)?) {
            Ok(distance @ 0..=MAX_DISTANCE) => Some(distance),
            Ok(_) => return Err(damaged("it has a distance that is too long")),
            Err(_) => None,
        };
        // All frames of a distance are added together.
        if let Some(complete) = last.filter(|last| distance != Some(*last)) {
            log.add(complete, frames.drain(..)).map_err(io::Error::other)?;
        }
        last = distance;
        if distance.is_none() {
            return Ok(());
        }
        let [panel, band, len] = [read_number(input)?, read_number(input)?, read_number(input)?];
        let (in_panel, in_band) = (panel as usize, band as usize);
        if in_panel >= panels || in_band >= bands || len as usize > largest_frame(&layout) {
            return Err(damaged("it has positions outside of the slice"));
        }
        let mut bytes = vec![0; len as usize];
        input.read_exact(&mut bytes)?;
        if !decode(&bytes, layout.band_len(in_panel, in_band), &mut raw) {
            return Err(damaged("a frame does not decompress"));
        }
        frames.push((FrameTile { panel, band }, bytes));
    }
}
