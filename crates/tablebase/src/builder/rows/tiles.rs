//! Where the matrices of a unit in work are.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::frame_stripe::{FrameSource, FrameStripe, WantedRows};
use super::frames::{FrameFile, Overlaps};
use super::layout::Layout;
use crate::error::Result;
use crate::slice::PhaseSlice;

/// Part of a matrix: some rows of a panel.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub slice: PhaseSlice,
    pub plane: usize,
    pub panel: usize,
    pub rows: Range<usize>,
}

/// The matrices of a unit's slices.
///
/// This is the interface between the builder's passes and the place of the matrices. Passes take
/// one stripe at a time, change it and put it back. All that they need from other stripes are
/// tiles, which they transpose. With several processes, each has a store with its stripes, and
/// [`exchange`](super::exchange) sends what the others read.
pub(super) trait TileStore: Send + Sync {
    /// How the matrices of a slice are cut.
    fn layout(&self, slice: PhaseSlice) -> Layout;

    /// Takes a stripe to change it. Its tiles cannot be read until it is put back. Rows of a panel
    /// that are not `wanted` may have any words, and are not put back.
    fn take(
        &mut self,
        slice: PhaseSlice,
        stripe: usize,
        wanted: &WantedRows<'_>,
    ) -> Result<Vec<u64>>;

    /// Puts a stripe back that was taken. `changed` says whether it differs from what was taken.
    fn put(
        &mut self,
        slice: PhaseSlice,
        stripe: usize,
        data: Vec<u64>,
        changed: bool,
    ) -> Result<()>;

    /// Reads a tile, if need be into `buffer`.
    fn read<'t>(&'t self, tile: &Tile, buffer: &'t mut Vec<u64>) -> Result<&'t [u64]>;

    fn write(&mut self, tile: &Tile, words: &[u64]) -> Result<()>;

    /// Replaces some whole rows of all matrices. `planes` has them row by row. Panels of other
    /// processes are left out.
    fn write_rows(
        &mut self,
        slice: PhaseSlice,
        rows: Range<usize>,
        planes: &[Vec<u64>],
    ) -> Result<()>;
}

/// A [`TileStore`] in the memory of this process, and in a file for what does not fit. With several
/// processes, it has only the stripes of this one.
///
/// Passes visit all stripes in turn. So it is best to keep the same stripes in memory all the time.
pub(super) struct LocalTiles {
    slices: HashMap<PhaseSlice, SliceTiles>,
    /// The file, if some stripe is in it.
    file: Option<FrameFile>,
    /// Memory that the last stripe from the file has used.
    spare: Vec<u64>,
}

struct SliceTiles {
    layout: Layout,
    /// If some stripes are in the file, and overlaps are closed.
    overlaps: Option<Overlaps>,
    stripes: Vec<Stripe>,
}

/// A stripe, or where it is.
enum Stripe {
    InMemory(Vec<u64>),
    InFile(FrameStripe),
    /// In another process.
    Elsewhere,
}

impl LocalTiles {
    /// Zero matrices: the stripes of a process. As many as `memory` bytes allow are in memory, the
    /// others in a file in `work`. `overlaps_of` gives those of a slice whose overlaps are closed.
    pub(super) fn new(
        slices: &[(PhaseSlice, Layout)],
        rank: usize,
        mut memory: u64,
        work: &Path,
        overlaps_of: impl Fn(PhaseSlice) -> Option<Overlaps>,
    ) -> Result<Self> {
        let mut file = None;
        let mut all = HashMap::new();
        for &(slice, layout) in slices {
            // As many rows as the tiles that passes over the swapped slice read.
            let swapped = slices.iter().find(|(other, _)| *other == slice.swapped());
            let chunk = swapped.map_or(layout, |(_, layout)| *layout).swapped_rows(0).len();
            let mut stripes = Vec::new();
            for stripe in 0..layout.num_stripes() {
                let len = layout.stripe_len(stripe);
                let bytes = 8 * len as u64;
                stripes.push(if !layout.stripes_of(rank).contains(&stripe) {
                    Stripe::Elsewhere
                } else if bytes <= memory {
                    memory -= bytes;
                    Stripe::InMemory(vec![0; len])
                } else {
                    Stripe::InFile(FrameStripe::new(&layout, stripe, chunk))
                });
            }
            let is_in_file = stripes.iter().any(|stripe| matches!(stripe, Stripe::InFile(_)));
            if is_in_file && file.is_none() {
                file = Some(FrameFile::create(work)?);
            }
            let overlaps = if is_in_file { overlaps_of(slice) } else { None };
            all.insert(slice, SliceTiles { layout, overlaps, stripes });
        }
        Ok(Self { slices: all, file, spare: Vec::new() })
    }

    /// The bytes of the stripes in memory.
    pub(super) fn in_memory(&self) -> u64 {
        let stripes = self.slices.values().flat_map(|slice| &slice.stripes);
        let bytes = stripes.map(|stripe| match stripe {
            Stripe::InMemory(data) => size_of_val(&data[..]) as u64,
            Stripe::InFile(_) | Stripe::Elsewhere => 0,
        });
        bytes.sum()
    }

    /// Ends what is done in part, before the memory is needed for stripes.
    fn settle(&mut self) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        for tiles in self.slices.values_mut() {
            let source = FrameSource { file, overlaps: tiles.overlaps.as_ref() };
            tiles.stripes.par_iter_mut().try_for_each(|stripe| match stripe {
                Stripe::InFile(frames) => frames.finish(source),
                Stripe::InMemory(_) | Stripe::Elsewhere => Ok(()),
            })?;
        }
        Ok(())
    }
}

/// Where the frames of a slice are.
fn source<'f>(file: &'f Option<FrameFile>, overlaps: &'f Option<Overlaps>) -> FrameSource<'f> {
    let file = file.as_ref().expect("there is a file if a stripe is in it");
    FrameSource { file, overlaps: overlaps.as_ref() }
}

impl TileStore for LocalTiles {
    fn layout(&self, slice: PhaseSlice) -> Layout {
        self.slices[&slice].layout
    }

    fn take(
        &mut self,
        slice: PhaseSlice,
        stripe: usize,
        wanted: &WantedRows<'_>,
    ) -> Result<Vec<u64>> {
        self.settle()?;
        let SliceTiles { layout, overlaps, stripes } =
            self.slices.get_mut(&slice).expect("a slice of the unit");
        match &mut stripes[stripe] {
            Stripe::InMemory(data) => Ok(std::mem::take(data)),
            Stripe::InFile(frames) => {
                let mut data = std::mem::take(&mut self.spare);
                data.resize(layout.stripe_len(stripe), 0);
                frames.take(source(&self.file, overlaps), wanted, &mut data)?;
                Ok(data)
            }
            Stripe::Elsewhere => unreachable!("{NOT_HERE}"),
        }
    }

    fn put(
        &mut self,
        slice: PhaseSlice,
        stripe: usize,
        new: Vec<u64>,
        changed: bool,
    ) -> Result<()> {
        let SliceTiles { overlaps, stripes, .. } =
            self.slices.get_mut(&slice).expect("a slice of the unit");
        match &mut stripes[stripe] {
            Stripe::InMemory(data) => *data = new,
            Stripe::InFile(frames) => {
                if changed {
                    frames.put(source(&self.file, overlaps), &new)?;
                }
                self.spare = new;
            }
            Stripe::Elsewhere => unreachable!("{NOT_HERE}"),
        }
        Ok(())
    }

    fn read<'t>(&'t self, tile: &Tile, buffer: &'t mut Vec<u64>) -> Result<&'t [u64]> {
        let &Tile { slice, plane, panel, ref rows } = tile;
        let SliceTiles { layout, overlaps, stripes } = &self.slices[&slice];
        let len = rows.len() * layout.panel(panel).len();
        match &stripes[layout.stripe_of(panel)] {
            Stripe::InMemory(data) => Ok(&data[layout.offset(panel, plane, rows.start)..][..len]),
            Stripe::InFile(frames) => {
                buffer.resize(len, 0);
                frames.read(source(&self.file, overlaps), (panel, plane), rows, buffer)?;
                Ok(buffer)
            }
            Stripe::Elsewhere => unreachable!("{NOT_HERE}"),
        }
    }

    fn write(&mut self, tile: &Tile, words: &[u64]) -> Result<()> {
        let tiles = self.slices.get_mut(&tile.slice).expect("of the unit");
        let stripe = &mut tiles.stripes[tiles.layout.stripe_of(tile.panel)];
        write_at(stripe, &self.file, &tiles.overlaps, &tiles.layout, tile, words)
    }

    fn write_rows(
        &mut self,
        slice: PhaseSlice,
        rows: Range<usize>,
        planes: &[Vec<u64>],
    ) -> Result<()> {
        let SliceTiles { layout, overlaps, stripes } =
            self.slices.get_mut(&slice).expect("of the unit");
        let file = &self.file;
        stripes.par_iter_mut().enumerate().try_for_each_init(Vec::new, |words, (stripe, place)| {
            if matches!(place, Stripe::Elsewhere) {
                return Ok(());
            }
            for panel in layout.stripe(stripe) {
                let of_row = layout.panel(panel);
                let in_panel = layout.rows_in(panel, &rows);
                if in_panel.is_empty() {
                    continue;
                }
                let all_words = layout.words();
                let of_all = (in_panel.start - rows.start) * all_words
                    ..(in_panel.end - rows.start) * all_words;
                for (plane, all) in planes.iter().enumerate() {
                    words.clear();
                    for row in all[of_all.clone()].chunks(all_words) {
                        words.extend_from_slice(&row[of_row.clone()]);
                    }
                    let tile = Tile { slice, plane, panel, rows: in_panel.clone() };
                    write_at(place, file, overlaps, layout, &tile, words)?;
                }
            }
            Ok(())
        })
    }
}

/// Why a stripe is not asked for.
const NOT_HERE: &str = "passes visit the stripes of their process";

/// Writes a tile to its stripe.
fn write_at(
    stripe: &mut Stripe,
    file: &Option<FrameFile>,
    overlaps: &Option<Overlaps>,
    layout: &Layout,
    &Tile { plane, panel, ref rows, .. }: &Tile,
    words: &[u64],
) -> Result<()> {
    match stripe {
        Stripe::InMemory(data) => {
            data[layout.offset(panel, plane, rows.start)..][..words.len()].copy_from_slice(words);
        }
        Stripe::InFile(frames) => {
            frames.write(source(file, overlaps), (panel, plane), rows, words)?;
        }
        Stripe::Elsewhere => unreachable!("{NOT_HERE}"),
    }
    Ok(())
}

/// Copies some rows of a matrix, row by row, into `out`. One process has all of them.
pub(super) fn gather_rows(
    store: &dyn TileStore,
    slice: PhaseSlice,
    plane: usize,
    rows: Range<usize>,
    out: &mut Vec<u64>,
) -> Result<()> {
    let layout = store.layout(slice);
    out.resize(rows.len() * layout.words(), 0);
    let panels = (0..layout.num_panels()).into_par_iter().map_init(Vec::new, |buffer, panel| {
        let tile = Tile { slice, plane, panel, rows: rows.clone() };
        Ok((panel, store.read(&tile, buffer)?.to_vec()))
    });
    for (panel, tile) in panels.collect::<Result<Vec<_>>>()? {
        let words = layout.panel(panel);
        for (row, part) in out.chunks_mut(layout.words()).zip(tile.chunks(words.len())) {
            row[words.clone()].copy_from_slice(part);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that are written are those that are read, wherever the stripes are.
    #[test]
    fn rows_are_kept_in_memory_and_in_files() {
        let dir = tempfile::tempdir().unwrap();
        let slice = PhaseSlice::from("3v2".parse::<crate::Slice>().unwrap());
        let layout = Layout::new(100, 130, 4, 2, 1);
        for memory in [0, layout.bytes() / 3, layout.bytes()] {
            let mut store =
                LocalTiles::new(&[(slice, layout)], 0, memory, dir.path(), |_| None).unwrap();
            assert_eq!(store.file.is_some(), memory < layout.bytes());
            let word = |row: usize, i: usize, plane: usize| (row << 20 | i << 1 | plane) as u64;
            for rows in [0..32, 32..64, 64..layout.rows()] {
                let planes = [0, 1].map(|plane| {
                    let words = |row| (0..layout.words()).map(move |i| word(row, i, plane));
                    rows.clone().flat_map(words).collect()
                });
                store.write_rows(slice, rows, &planes).unwrap();
            }
            // A stripe that is changed.
            let mut data = store.take(slice, 1, &|_, _| true).unwrap();
            let place = layout.offset(2, 1, 50);
            assert_eq!(data[place], word(50, layout.panel(2).start, 1));
            data[place] = 7;
            store.put(slice, 1, data, true).unwrap();
            let mut out = Vec::new();
            gather_rows(&store, slice, 1, 49..52, &mut out).unwrap();
            let mut expected: Vec<_> = (49..52)
                .flat_map(|row| (0..layout.words()).map(move |i| word(row, i, 1)))
                .collect();
            expected[layout.words() + layout.panel(2).start] = 7;
            assert_eq!(out, expected);
        }
    }
}
