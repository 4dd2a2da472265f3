//! The content of a checkpoint's parts, as bytes.

use std::io::{self, Read, Write};
use std::ops::Range;

use super::layout::Layout;
use super::log::{FrameTile, RoundLog, decode, largest_frame};
use super::tiles::{Tile, TileStore};
use crate::builder::checkpoint::{damaged, read_items, read_number, write_items};
use crate::builder::context::MAX_DISTANCE;
use crate::builder::memory::rows_together;
use crate::slice::Slice;

/// The tiles of a part: some rows of all matrices, in some panels. They are a few megabytes each.
fn tiles(
    layout: Layout,
    slice: Slice,
    panels: &Range<usize>,
    rows: &Range<usize>,
) -> impl Iterator<Item = Tile> {
    let rows = rows.clone();
    panels.clone().flat_map(move |panel| {
        let rows = rows.clone();
        let together = rows_together(layout.panel(panel).len() as u64) as usize;
        (0..layout.planes()).flat_map(move |plane| {
            let end = rows.end;
            let parts = rows.clone().step_by(together);
            parts.map(move |first| Tile {
                slice,
                plane,
                panel,
                rows: first..end.min(first + together),
            })
        })
    })
}

/// Writes some rows of all matrices, in some panels.
pub(super) fn write_tiles(
    store: &dyn TileStore,
    slice: Slice,
    panels: &Range<usize>,
    rows: &Range<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    for tile in tiles(store.layout(slice), slice, panels, rows) {
        write_items(out, store.read(&tile, &mut buffer).map_err(io::Error::other)?)?;
    }
    Ok(())
}

/// Reads what [`write_tiles`] has written. Keeps the tiles in the panels of this process.
pub(super) fn read_tiles(
    store: &mut dyn TileStore,
    slice: Slice,
    panels: &Range<usize>,
    rows: &Range<usize>,
    own: &Range<usize>,
    input: &mut dyn Read,
) -> io::Result<()> {
    let (layout, mut words) = (store.layout(slice), Vec::new());
    for tile in tiles(layout, slice, panels, rows) {
        words.resize(tile.rows.len() * layout.panel(tile.panel).len(), 0);
        read_items(input, &mut words)?;
        if own.contains(&tile.panel) {
            store.write(&tile, &words).map_err(io::Error::other)?;
        }
    }
    Ok(())
}

/// Writes a frame of a log, after its distance, tile and length.
pub(super) fn write_frame(
    out: &mut dyn Write,
    distance: u16,
    (FrameTile { panel, band }, bytes): &(FrameTile, Vec<u8>),
) -> io::Result<()> {
    for number in [distance.into(), *panel, *band, bytes.len() as u32] {
        out.write_all(&u32::to_le_bytes(number))?;
    }
    out.write_all(bytes)
}

/// Writes the frames of a log, either all or those that the last checkpoint does not have.
/// `u32::MAX` follows the last one.
pub(super) fn write_log(log: &RoundLog, all: bool, out: &mut dyn Write) -> io::Result<()> {
    for distance in log.distances() {
        for frame in log.compressed(distance, all) {
            write_frame(out, distance, &frame.map_err(io::Error::other)?)?;
        }
    }
    out.write_all(&u32::MAX.to_le_bytes())
}

/// Reads what [`write_log`] has written. Keeps the frames in the panels of this process.
pub(super) fn read_log(
    log: &mut RoundLog,
    layout: Layout,
    own: &Range<usize>,
    input: &mut dyn Read,
) -> io::Result<()> {
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
        if own.contains(&in_panel) {
            frames.push((FrameTile { panel, band }, bytes));
        }
    }
}
