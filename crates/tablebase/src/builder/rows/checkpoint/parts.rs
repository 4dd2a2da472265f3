//! The content of a checkpoint's parts, as bytes.

use std::io::{self, Read, Write};
use std::ops::Range;

use super::saved::Content;
use crate::builder::checkpoint::{damaged, read_items, read_number, write_items};
use crate::builder::context::MAX_DISTANCE;
use crate::builder::rows::memory::rows_together;
use crate::builder::rows::store::{
    FrameTile, Layout, RoundLog, Tile, Tiles, decode, encode, for_each_word, largest_frame,
    write_frame,
};
use crate::slice::Slice;

/// The tiles of a part: some rows of all matrices, in some panels. They are a few megabytes each.
fn tiles(
    layout: Layout,
    slice: Slice,
    panels: &Range<usize>,
    rows: &Range<usize>,
) -> impl Iterator<Item = Tile> {
    let all_rows = rows.clone();
    panels.clone().flat_map(move |panel| {
        let rows = layout.rows_in(panel, &all_rows);
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
pub(crate) fn write_tiles(
    all: &Tiles,
    slice: Slice,
    panels: &Range<usize>,
    rows: &Range<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    for tile in tiles(all.layout(slice), slice, panels, rows) {
        write_items(out, all.read(&tile, &mut buffer).map_err(io::Error::other)?)?;
    }
    Ok(())
}

/// Where what is read from a part goes: to the panels of a process.
pub(crate) struct Target<'t> {
    pub layout: Layout,
    pub own: &'t Range<usize>,
}

impl Target<'_> {
    /// The panels of the process that have something of some words and rows, with all of their
    /// words.
    pub(crate) fn panels_with(
        &self,
        words: &Range<usize>,
        rows: &Range<usize>,
    ) -> impl Iterator<Item = (usize, Range<usize>)> {
        let panels = self.layout.panels_with(words, rows);
        let panels = panels.filter(|panel| self.own.contains(panel));
        panels.map(|panel| (panel, self.layout.panel(panel)))
    }
}

fn intersection(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.max(b.start)..a.end.min(b.end)
}

/// Copies the columns that two tiles have in common. The tiles have the same rows, and these words
/// of each.
fn copy_columns(from: &[u64], from_words: &Range<usize>, to: &mut [u64], to_words: &Range<usize>) {
    let common = intersection(from_words, to_words);
    let rows = to.chunks_mut(to_words.len()).zip(from.chunks(from_words.len()));
    for (to, from) in rows {
        let from = &from[common.start - from_words.start..common.end - from_words.start];
        to[common.start - to_words.start..common.end - to_words.start].copy_from_slice(from);
    }
}

/// Reads what [`write_tiles`] has written.
pub(crate) fn read_tiles(
    all: &mut Tiles,
    target: &Target<'_>,
    &Content { slice, ranks, ref panels, .. }: &Content,
    rows: &Range<usize>,
    input: &mut dyn Read,
) -> io::Result<()> {
    let from = target.layout.for_ranks(ranks);
    let (mut words, mut buffer) = (Vec::new(), Vec::new());
    for tile in tiles(from, slice, panels, rows) {
        let from_words = from.panel(tile.panel);
        words.resize(tile.rows.len() * from_words.len(), 0);
        read_items(input, &mut words)?;
        for (panel, to_words) in target.panels_with(&from_words, &tile.rows) {
            let rows = target.layout.rows_in(panel, &tile.rows);
            let first = (rows.start - tile.rows.start) * from_words.len();
            let words = &words[first..first + rows.len() * from_words.len()];
            let tile = Tile { panel, rows, ..tile };
            if to_words == from_words {
                all.write(&tile, words).map_err(io::Error::other)?;
                continue;
            }
            let mut to = all.read(&tile, &mut buffer).map_err(io::Error::other)?.to_vec();
            copy_columns(words, &from_words, &mut to, &to_words);
            all.write(&tile, &to).map_err(io::Error::other)?;
        }
    }
    Ok(())
}

/// Writes the frames of a log, either all or those that the last checkpoint does not have.
/// `u32::MAX` follows the last one.
pub(crate) fn write_log(log: &RoundLog, all: bool, out: &mut dyn Write) -> io::Result<()> {
    for distance in log.distances() {
        for frame in log.compressed(distance, |frame| all || !frame.is_saved()) {
            write_frame(out, distance, &frame.map_err(io::Error::other)?)?;
        }
    }
    out.write_all(&u32::MAX.to_le_bytes())
}

/// Reads what [`write_log`] has written, for a number of processes.
pub(crate) fn read_log(
    log: &mut RoundLog,
    target: &Target<'_>,
    ranks: usize,
    input: &mut dyn Read,
) -> io::Result<()> {
    let from = target.layout.for_ranks(ranks);
    let panels = from.num_panels();
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
        let first = in_band.saturating_mul(from.band_rows());
        let is_there = in_panel < panels && from.rows_of(in_panel).contains(&first);
        if !is_there || len as usize > largest_frame(&from) {
            return Err(damaged("it has positions outside of the slice"));
        }
        let mut bytes = vec![0; len as usize];
        input.read_exact(&mut bytes)?;
        let len = from.band_len(in_panel, in_band);
        if !decode(&bytes, len, &mut raw) {
            return Err(damaged("a frame does not decompress"));
        }
        let from_words = from.panel(in_panel);
        for (panel, to_words) in target.panels_with(&from_words, &(first..first + 1)) {
            let tile = FrameTile { panel: panel as u32, band };
            if to_words == from_words {
                frames.push((tile, std::mem::take(&mut bytes)));
                continue;
            }
            let mut words = vec![0; len];
            for_each_word(&raw, len, |index, word| words[index] = word);
            let mut to = vec![0; target.layout.band_len(panel, in_band)];
            copy_columns(&words, &from_words, &mut to, &to_words);
            frames.extend(encode(&to).map(|bytes| (tile, bytes)));
        }
    }
}
