//! Where the matrices of a unit in work are.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use fanorona_storage::ScratchFile;
use rayon::prelude::*;
use zerocopy::IntoBytes;

use super::layout::Layout;
use crate::error::Result;
use crate::slice::PhaseSlice;

/// Part of a matrix: some rows of a panel.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
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
pub(crate) trait TileStore: Send + Sync {
    /// How the matrices of a slice are cut.
    fn layout(&self, slice: PhaseSlice) -> Layout;

    /// Takes a stripe to change it. Its tiles cannot be read until it is put back.
    fn take(&mut self, slice: PhaseSlice, stripe: usize) -> Result<Vec<u64>>;

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
pub(crate) struct LocalTiles {
    slices: HashMap<PhaseSlice, SliceTiles>,
    /// The file, if some stripe is in it.
    file: Option<ScratchFile>,
    /// Memory that the last stripe from the file has used.
    spare: Vec<u64>,
}

struct SliceTiles {
    layout: Layout,
    stripes: Vec<Stripe>,
}

/// A stripe, or where it is.
enum Stripe {
    InMemory(Vec<u64>),
    /// In the file, from this byte on.
    InFile(u64),
    /// In another process.
    Elsewhere,
}

impl LocalTiles {
    /// Zero matrices: the stripes of a process. As many as `memory` bytes allow are in memory, the
    /// others in a file in `work`.
    pub(crate) fn new(
        slices: &[(PhaseSlice, Layout)],
        rank: usize,
        memory: u64,
        work: &Path,
    ) -> Result<Self> {
        let (mut memory, mut file_bytes) = (memory, 0);
        let new_stripe = |layout: Layout, stripe: usize| {
            if !layout.stripes_of(rank).contains(&stripe) {
                return Stripe::Elsewhere;
            }
            let len = layout.stripe_len(stripe);
            let bytes = 8 * len as u64;
            if bytes <= memory {
                memory -= bytes;
                Stripe::InMemory(vec![0; len])
            } else {
                file_bytes += bytes;
                Stripe::InFile(file_bytes - bytes)
            }
        };
        let mut new_stripe = new_stripe;
        let slices = slices.iter().map(|&(slice, layout)| {
            let stripes = (0..layout.num_stripes()).map(|stripe| new_stripe(layout, stripe));
            (slice, SliceTiles { layout, stripes: stripes.collect() })
        });
        let slices = slices.collect();
        let file = match file_bytes {
            0 => None,
            bytes => {
                let file = ScratchFile::create(work)?;
                file.extend(bytes)?;
                Some(file)
            }
        };
        Ok(Self { slices, file, spare: Vec::new() })
    }

    /// The bytes of the stripes in memory.
    pub(crate) fn in_memory(&self) -> u64 {
        let stripes = self.slices.values().flat_map(|slice| &slice.stripes);
        let bytes = stripes.map(|stripe| match stripe {
            Stripe::InMemory(data) => size_of_val(&data[..]) as u64,
            Stripe::InFile(_) | Stripe::Elsewhere => 0,
        });
        bytes.sum()
    }

    fn file(&self) -> &ScratchFile {
        self.file.as_ref().expect("there is a file if a stripe is in it")
    }
}

impl TileStore for LocalTiles {
    fn layout(&self, slice: PhaseSlice) -> Layout {
        self.slices[&slice].layout
    }

    fn take(&mut self, slice: PhaseSlice, stripe: usize) -> Result<Vec<u64>> {
        let tiles = self.slices.get_mut(&slice).expect("a slice of the unit");
        match &mut tiles.stripes[stripe] {
            Stripe::InMemory(data) => Ok(std::mem::take(data)),
            &mut Stripe::InFile(offset) => {
                let len = tiles.layout.stripe_len(stripe);
                let mut data = std::mem::take(&mut self.spare);
                data.resize(len, 0);
                self.file().read(offset, data.as_mut_bytes())?;
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
        let tiles = self.slices.get_mut(&slice).expect("a slice of the unit");
        match &mut tiles.stripes[stripe] {
            Stripe::InMemory(data) => *data = new,
            &mut Stripe::InFile(offset) => {
                if changed {
                    self.file().write(offset, new.as_bytes())?;
                }
                self.spare = new;
            }
            Stripe::Elsewhere => unreachable!("{NOT_HERE}"),
        }
        Ok(())
    }

    fn read<'t>(&'t self, tile: &Tile, buffer: &'t mut Vec<u64>) -> Result<&'t [u64]> {
        let &Tile { slice, plane, panel, ref rows } = tile;
        let SliceTiles { layout, stripes } = &self.slices[&slice];
        let place = layout.offset(panel, plane, rows.start);
        let len = rows.len() * layout.panel(panel).len();
        match &stripes[layout.stripe_of(panel)] {
            Stripe::InMemory(data) => Ok(&data[place..place + len]),
            Stripe::InFile(offset) => {
                buffer.resize(len, 0);
                self.file().read(offset + 8 * place as u64, buffer.as_mut_bytes())?;
                Ok(buffer)
            }
            Stripe::Elsewhere => unreachable!("{NOT_HERE}"),
        }
    }

    fn write(&mut self, tile: &Tile, words: &[u64]) -> Result<()> {
        let &Tile { slice, plane, panel, ref rows } = tile;
        let SliceTiles { layout, stripes } = self.slices.get_mut(&slice).expect("of the unit");
        let place = layout.offset(panel, plane, rows.start);
        let stripe = layout.stripe_of(panel);
        write_at(&mut stripes[stripe], self.file.as_ref(), place, words)
    }

    fn write_rows(
        &mut self,
        slice: PhaseSlice,
        rows: Range<usize>,
        planes: &[Vec<u64>],
    ) -> Result<()> {
        let SliceTiles { layout, stripes } = self.slices.get_mut(&slice).expect("of the unit");
        let file = self.file.as_ref();
        stripes.par_iter_mut().enumerate().try_for_each_init(Vec::new, |tile, (stripe, place)| {
            if matches!(place, Stripe::Elsewhere) {
                return Ok(());
            }
            for panel in layout.stripe(stripe) {
                let words = layout.panel(panel);
                let in_panel = layout.rows_in(panel, &rows);
                if in_panel.is_empty() {
                    continue;
                }
                let all_words = layout.words();
                let of_all = (in_panel.start - rows.start) * all_words
                    ..(in_panel.end - rows.start) * all_words;
                for (plane, all) in planes.iter().enumerate() {
                    tile.clear();
                    for row in all[of_all.clone()].chunks(all_words) {
                        tile.extend_from_slice(&row[words.clone()]);
                    }
                    write_at(place, file, layout.offset(panel, plane, in_panel.start), tile)?;
                }
            }
            Ok(())
        })
    }
}

/// Why a stripe is not asked for.
const NOT_HERE: &str = "passes visit the stripes of their process";

/// Writes words of a stripe.
fn write_at(
    stripe: &mut Stripe,
    file: Option<&ScratchFile>,
    begin: usize,
    words: &[u64],
) -> Result<()> {
    match stripe {
        Stripe::InMemory(data) => data[begin..begin + words.len()].copy_from_slice(words),
        Stripe::InFile(offset) => {
            let file = file.expect("there is a file if a stripe is in it");
            file.write(*offset + 8 * begin as u64, words.as_bytes())?;
        }
        Stripe::Elsewhere => unreachable!("{NOT_HERE}"),
    }
    Ok(())
}

/// Copies some rows of a matrix, row by row, into `out`. One process has all of them.
pub(crate) fn gather_rows(
    store: &dyn TileStore,
    slice: PhaseSlice,
    plane: usize,
    rows: Range<usize>,
    out: &mut Vec<u64>,
) -> Result<()> {
    let layout = store.layout(slice);
    out.resize(rows.len() * layout.words(), 0);
    let mut buffer = Vec::new();
    for panel in 0..layout.num_panels() {
        let tile = Tile { slice, plane, panel, rows: rows.clone() };
        let (tile, words) = (store.read(&tile, &mut buffer)?, layout.panel(panel));
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
            let mut store = LocalTiles::new(&[(slice, layout)], 0, memory, dir.path()).unwrap();
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
            let mut data = store.take(slice, 1).unwrap();
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
