//! Restores a unit in work from a checkpoint: the matrices whose rows are own sets, and the log of
//! rounds. Everything else follows from them, see `docs/BUILDING.md`.
//!
//! Each row is in the frames of its panels, in the file of its process. Another number of processes
//! copies it to the panels that it has then.

use std::io;
use std::ops::Range;

use fanorona_tablebase::{Result, Slice, TableError};

use super::kernel::UnitContext;
use super::store::{
    FrameTile, MAX_PROCESSES, RoundLog, Store, Tile, Tiles, Tiling, UnitValues, decode, encode,
    for_each_word,
};
use crate::checkpoint::{CheckpointStore, UnitProgress, damaged, of_system};

/// A unit in work as the last checkpoint restores it, if it exists and can be used. Otherwise it has no
/// decided position.
pub(crate) fn restore<'a>(
    context: &UnitContext<'_, 'a>,
    files: &mut CheckpointStore<'_>,
) -> Result<(Store<'a>, UnitProgress)> {
    let (unit, processes) = (context.unit, context.build().processes);
    let new = UnitProgress::new(context.sizes());
    let restored = files.restore(&new, |done, saved| {
        let count = saved.count();
        if !(1..=MAX_PROCESSES).contains(&count) {
            return Err(damaged("it has no files"));
        }
        let mut store = context.new_store(saved.file(), true);
        let values = &mut store.values;
        saved.read_each(|process, file, of_file| {
            if count == processes.count() {
                return values.restore(unit, of_file);
            }
            let from = context.saved_values([process, count], file, of_file)?;
            let mut slices = unit.slices();
            slices.try_for_each(|slice| copy_values(&from, values, slice, processes.index()))
        })?;
        let longest = values.distances.values().map(|found| found.found.longest()).max();
        let rounds = longest.map_or(done.rounds, |longest| longest.unwrap_or(0).into());
        Ok((store, rounds))
    })?;
    Ok(restored.unwrap_or_else(|| {
        let file = files.file();
        (context.new_store(file, file.is_kept()), new)
    }))
}

/// Copies the values of a slice that are in the panels of a process.
fn copy_values(
    from: &UnitValues,
    to: &mut UnitValues,
    slice: Slice,
    process: usize,
) -> io::Result<()> {
    let layout = to.layout(slice);
    let target = CopyTarget { from: from.layout(slice), layout, own: layout.panels_of(process) };
    let UnitValues { tiles, distances } = to;
    target.copy_tiles(&from.tiles, slice, tiles).map_err(of_table)?;
    if let (Some(from), Some(to)) = (from.distances.get(&slice), distances.get_mut(&slice)) {
        target.copy_log(&from.due, &mut to.due)?;
        target.copy_log(&from.found, &mut to.found)?;
    }
    Ok(())
}

fn of_table(error: TableError) -> io::Error {
    match error {
        TableError::File(error) => of_system(error),
        other => io::Error::other(other),
    }
}

/// Where values go: to the panels of a process.
struct CopyTarget {
    from: Tiling,
    layout: Tiling,
    own: Range<usize>,
}

impl CopyTarget {
    /// The panels of the process that have something of some words and rows, with all of their
    /// words.
    fn panels_with(
        &self,
        words: &Range<usize>,
        rows: &Range<usize>,
    ) -> impl Iterator<Item = (usize, Range<usize>)> {
        let panels = self.layout.panels_with(words, rows);
        let panels = panels.filter(|panel| self.own.contains(panel));
        panels.map(|panel| (panel, self.layout.panel(panel)))
    }

    fn copy_tiles(&self, all: &Tiles, slice: Slice, to: &mut Tiles) -> Result<()> {
        let (mut buffer, mut last) = (Vec::new(), Vec::new());
        for tile in all.tiles(slice) {
            let from_words = self.from.panel(tile.panel);
            let mut panels = self.panels_with(&from_words, &tile.rows).peekable();
            if panels.peek().is_none() {
                continue;
            }
            let words = all.read(&tile, &mut buffer)?;
            for (panel, to_words) in panels {
                let rows = self.layout.rows_in(panel, &tile.rows);
                let first = (rows.start - tile.rows.start) * from_words.len();
                let words = &words[first..first + rows.len() * from_words.len()];
                let tile = Tile { panel, rows, ..tile };
                if to_words == from_words {
                    to.write(&tile, words)?;
                    continue;
                }
                let mut new = to.read(&tile, &mut last)?.to_vec();
                copy_columns(words, &from_words, &mut new, &to_words);
                to.write(&tile, &new)?;
            }
        }
        Ok(())
    }

    fn copy_log(&self, all: &RoundLog, to: &mut RoundLog) -> io::Result<()> {
        let mut raw = Vec::new();
        for distance in all.distances() {
            let mut frames = Vec::new();
            for frame in all.compressed(distance, |_| true) {
                let (FrameTile { panel: in_panel, band }, bytes) = frame.map_err(of_table)?;
                let (in_panel, in_band) = (in_panel as usize, band as usize);
                let from_words = self.from.panel(in_panel);
                let first = in_band * self.from.band_rows;
                let len = self.from.band_len(in_panel, in_band);
                if !decode(&bytes, len, &mut raw) {
                    return Err(damaged("a frame does not decompress"));
                }
                for (panel, to_words) in self.panels_with(&from_words, &(first..first + 1)) {
                    let tile = FrameTile { panel: panel as u32, band };
                    let mut words = vec![0; len];
                    for_each_word(&raw, len, |index, word| words[index] = word);
                    let mut to = vec![0; self.layout.band_len(panel, in_band)];
                    copy_columns(&words, &from_words, &mut to, &to_words);
                    frames.extend(encode(&to).map(|bytes| (tile, bytes)));
                }
            }
            to.add(distance, frames).map_err(of_table)?;
        }
        Ok(())
    }
}

/// Copies the columns that two tiles have in common. The tiles have the same rows, and these words
/// of each.
fn copy_columns(from: &[u64], from_words: &Range<usize>, to: &mut [u64], to_words: &Range<usize>) {
    let common = from_words.start.max(to_words.start)..from_words.end.min(to_words.end);
    let rows = to.chunks_mut(to_words.len()).zip(from.chunks(from_words.len()));
    for (to, from) in rows {
        let from = &from[common.start - from_words.start..common.end - from_words.start];
        to[common.start - to_words.start..common.end - to_words.start].copy_from_slice(from);
    }
}
