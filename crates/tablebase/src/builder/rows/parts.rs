//! The content of a checkpoint's parts, as bytes.

use std::io::{self, Read, Write};
use std::ops::Range;

use super::layout::Layout;
use super::log::{FrameTile, RoundLog, decode, largest_frame};
use super::tiles::{Tile, TileStore, gather_rows};
use crate::builder::checkpoint::{damaged, read_items, read_number, write_items};
use crate::builder::context::MAX_DISTANCE;
use crate::builder::memory::rows_together;
use crate::slice::Slice;

/// Writes a stripe of all matrices: its first rows.
pub(super) fn write_stripe(
    store: &dyn TileStore,
    slice: Slice,
    stripe: usize,
    rows: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (layout, mut buffer) = (store.layout(slice), Vec::new());
    for panel in layout.stripe(stripe) {
        for plane in 0..layout.planes() {
            let tile = Tile { slice, plane, panel, rows: 0..rows };
            write_items(out, store.read(&tile, &mut buffer).map_err(io::Error::other)?)?;
        }
    }
    Ok(())
}

/// Reads what [`write_stripe`] has written.
pub(super) fn read_stripe(
    store: &mut dyn TileStore,
    slice: Slice,
    stripe: usize,
    rows: usize,
    input: &mut dyn Read,
) -> io::Result<()> {
    let layout = store.layout(slice);
    let mut data = store.take(slice, stripe).map_err(io::Error::other)?;
    for panel in layout.stripe(stripe) {
        for plane in 0..layout.planes() {
            let place = layout.offset(panel, plane, 0);
            let len = rows * layout.panel(panel).len();
            read_items(input, &mut data[place..place + len])?;
        }
    }
    store.put(slice, stripe, data, true).map_err(io::Error::other)
}

/// The ranges of rows that are written together.
fn chunks(layout: &Layout, rows: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let together = rows_together(layout.words() as u64) as usize;
    let Range { start, end } = *rows;
    (start..end).step_by(together).map(move |first| first..end.min(first + together))
}

/// Writes some rows of all matrices.
pub(super) fn write_rows(
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

/// Reads what [`write_rows`] has written.
pub(super) fn read_rows(
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

/// Writes the frames of a log, either all or those that the last checkpoint does not have: each
/// after its distance, tile and length. `u32::MAX` follows the last one.
pub(super) fn write_log(log: &RoundLog, all: bool, out: &mut dyn Write) -> io::Result<()> {
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

/// Reads what [`write_log`] has written.
pub(super) fn read_log(log: &mut RoundLog, layout: Layout, input: &mut dyn Read) -> io::Result<()> {
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
