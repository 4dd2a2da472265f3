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

/// The matrix of won positions of a slice.
///
/// Positions with both bits are *closed*: paikas cannot decide them. They are draws, or wait for
/// the round of their distance, or are not positions because the sets overlap.
pub(crate) const WIN: usize = 0;

/// The matrix of lost positions.
pub(crate) const LOSS: usize = 1;

/// The matrix of positions that paikas cannot lose. Only some rules need it.
pub(crate) const SAFE: usize = 2;

/// The stripes of a process, of the matrices of a unit's slices: in memory, and in a file what does
/// not fit.
///
/// A pass takes one stripe at a time, changes it and puts it back. Passes visit all stripes in turn.
/// So it is best to keep the same stripes in memory all the time.
#[derive(Default)]
pub(crate) struct Tiles {
    slices: HashMap<PhaseSlice, SliceTiles>,
    /// The file, if some stripe is in it.
    file: Option<ScratchFile>,
    /// Memory that the last stripe from the file has used.
    spare: Vec<u64>,
}

struct SliceTiles {
    layout: Layout,
    stripes: Vec<Stripe>,
    /// Whether passes have changed a stripe since the last checkpoint.
    changed: Vec<bool>,
}

/// A stripe, or where it is.
enum Stripe {
    InMemory(Vec<u64>),
    /// In the file, from this byte on.
    InFile(u64),
    /// In another process.
    Elsewhere,
}

impl Tiles {
    /// Zero matrices. As many stripes as `memory` bytes allow are in memory, the others in a file in
    /// `scratch_dir`.
    pub(crate) fn new(
        slices: &[(PhaseSlice, Layout)],
        rank: usize,
        memory: u64,
        scratch_dir: &Path,
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
            let changed = vec![false; layout.num_stripes()];
            (slice, SliceTiles { layout, stripes: stripes.collect(), changed })
        });
        let slices = slices.collect();
        let file = match file_bytes {
            0 => None,
            bytes => {
                let file = ScratchFile::create(scratch_dir)?;
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

    /// How the matrices of a slice are cut.
    pub(crate) fn layout(&self, slice: PhaseSlice) -> Layout {
        self.slices[&slice].layout
    }

    /// Takes a stripe to change it. Its tiles cannot be read until it is put back.
    pub(crate) fn take(&mut self, slice: PhaseSlice, stripe: usize) -> Result<Vec<u64>> {
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

    /// Puts a stripe back that was taken. `changed` says whether it differs from what was taken.
    pub(crate) fn put(
        &mut self,
        slice: PhaseSlice,
        stripe: usize,
        new: Vec<u64>,
        changed: bool,
    ) -> Result<()> {
        let tiles = self.slices.get_mut(&slice).expect("a slice of the unit");
        tiles.changed[stripe] |= changed;
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

    /// Reads a tile, if need be into `buffer`.
    pub(crate) fn read<'t>(&'t self, tile: &Tile, buffer: &'t mut Vec<u64>) -> Result<&'t [u64]> {
        let &Tile { slice, plane, panel, ref rows } = tile;
        let SliceTiles { layout, stripes, .. } = &self.slices[&slice];
        let begin = layout.offset(panel, plane, rows.start);
        let len = rows.len() * layout.panel(panel).len();
        match &stripes[layout.stripe_of(panel)] {
            Stripe::InMemory(data) => Ok(&data[begin..begin + len]),
            Stripe::InFile(offset) => {
                buffer.resize(len, 0);
                self.file().read(offset + 8 * begin as u64, buffer.as_mut_bytes())?;
                Ok(buffer)
            }
            Stripe::Elsewhere => unreachable!("{NOT_HERE}"),
        }
    }

    pub(crate) fn write(&mut self, tile: &Tile, words: &[u64]) -> Result<()> {
        let &Tile { slice, plane, panel, ref rows } = tile;
        let SliceTiles { layout, stripes, .. } = self.slices.get_mut(&slice).expect("of the unit");
        let begin = layout.offset(panel, plane, rows.start);
        let stripe = layout.stripe_of(panel);
        write_at(&mut stripes[stripe], self.file.as_ref(), begin, words)
    }

    /// Replaces some whole rows of all matrices. `planes` has them row by row. Panels of other
    /// processes are left out.
    pub(crate) fn write_rows(
        &mut self,
        slice: PhaseSlice,
        rows: Range<usize>,
        planes: &[Vec<u64>],
    ) -> Result<()> {
        let SliceTiles { layout, stripes, .. } = self.slices.get_mut(&slice).expect("of the unit");
        let file = self.file.as_ref();
        stripes.par_iter_mut().enumerate().try_for_each_init(Vec::new, |tile, (index, stripe)| {
            if matches!(stripe, Stripe::Elsewhere) {
                return Ok(());
            }
            for panel in layout.stripe(index) {
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
                    write_at(stripe, file, layout.offset(panel, plane, in_panel.start), tile)?;
                }
            }
            Ok(())
        })
    }

    /// Copies some rows of a matrix, row by row. Only for a process that has all of them.
    pub(crate) fn whole_rows(
        &self,
        slice: PhaseSlice,
        plane: usize,
        rows: Range<usize>,
    ) -> Result<Vec<u64>> {
        let layout = self.layout(slice);
        let mut all = vec![0; rows.len() * layout.words()];
        let mut buffer = Vec::new();
        for panel in 0..layout.num_panels() {
            let tile = Tile { slice, plane, panel, rows: rows.clone() };
            let (tile, words) = (self.read(&tile, &mut buffer)?, layout.panel(panel));
            for (row, part) in all.chunks_mut(layout.words()).zip(tile.chunks(words.len())) {
                row[words.clone()].copy_from_slice(part);
            }
        }
        Ok(all)
    }

    /// For each stripe of a slice, whether passes have changed it since the last checkpoint.
    pub(crate) fn changed(&self, slice: PhaseSlice) -> &[bool] {
        &self.slices[&slice].changed
    }

    /// Records that the last checkpoint has all stripes as they are.
    pub(crate) fn set_saved(&mut self) {
        self.slices.values_mut().for_each(|slice| slice.changed.fill(false));
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
            let mut store = Tiles::new(&[(slice, layout)], 0, memory, dir.path()).unwrap();
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
            let begin = layout.offset(2, 1, 50);
            assert_eq!(data[begin], word(50, layout.panel(2).start, 1));
            data[begin] = 7;
            store.put(slice, 1, data, true).unwrap();
            let out = store.whole_rows(slice, 1, 49..52).unwrap();
            let mut expected: Vec<_> = (49..52)
                .flat_map(|row| (0..layout.words()).map(move |i| word(row, i, 1)))
                .collect();
            expected[layout.words() + layout.panel(2).start] = 7;
            assert_eq!(out, expected);
        }
    }
}
