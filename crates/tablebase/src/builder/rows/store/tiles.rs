//! Where the matrices of a unit in work are.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::frame_stripe::{FrameSource, FrameStripe, WantedRows};
use super::frames::FrameFile;
use super::layout::Layout;
use super::packed::Overlaps;
use crate::error::Result;
use crate::slice::Slice;

/// Part of a matrix: some rows of a panel.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub slice: Slice,
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
    slices: HashMap<Slice, SliceTiles>,
    /// The file, if some stripe is in it.
    file: Option<FrameFile>,
    /// Memory that the last stripe from the file has used.
    spare: Vec<u64>,
}

struct SliceTiles {
    layout: Layout,
    /// If some stripes are in the file.
    overlaps: Option<Overlaps>,
    stripes: Vec<Stripe>,
    /// Whether passes have changed a stripe since the last checkpoint.
    changed: Vec<bool>,
}

/// A stripe, or where it is.
enum Stripe {
    InMemory(Vec<u64>),
    InFile(FrameStripe),
    /// In another process.
    Elsewhere,
}

impl Tiles {
    /// Zero matrices. As many stripes as `memory` bytes allow are in memory, the others in a file in
    /// `scratch_dir`.
    pub(crate) fn new(
        slices: &[(Slice, Layout)],
        rank: usize,
        mut memory: u64,
        scratch_dir: &Path,
        overlaps_of: impl Fn(Slice) -> Overlaps,
    ) -> Result<Self> {
        let (mut file, mut all) = (None, HashMap::new());
        for &(slice, layout) in slices {
            let swapped = slices.iter().find(|(other, _)| *other == slice.swapped());
            let chunk = swapped.map_or(layout, |(_, layout)| *layout).swapped_frame_rows();
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
                file = Some(FrameFile::create(scratch_dir)?);
            }
            let overlaps = is_in_file.then(|| overlaps_of(slice));
            let changed = vec![false; stripes.len()];
            all.insert(slice, SliceTiles { layout, overlaps, stripes, changed });
        }
        Ok(Self { slices: all, file, spare: Vec::new() })
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

    /// How the matrices of a slice are cut.
    pub(crate) fn layout(&self, slice: Slice) -> Layout {
        self.slices[&slice].layout
    }

    /// Takes a stripe to change it. Its tiles cannot be read until it is put back. Rows of a panel
    /// that are not `wanted` may have any words, and are not put back.
    pub(crate) fn take(
        &mut self,
        slice: Slice,
        stripe: usize,
        wanted: &WantedRows<'_>,
    ) -> Result<Vec<u64>> {
        self.settle()?;
        let SliceTiles { layout, overlaps, stripes, .. } =
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

    /// Puts a stripe back that was taken. Only rows of a panel that are `changed`, if any, differ from
    /// what was taken.
    pub(crate) fn put(
        &mut self,
        slice: Slice,
        stripe: usize,
        new: Vec<u64>,
        changed: Option<&WantedRows<'_>>,
    ) -> Result<()> {
        let tiles = self.slices.get_mut(&slice).expect("a slice of the unit");
        tiles.changed[stripe] |= changed.is_some();
        match &mut tiles.stripes[stripe] {
            Stripe::InMemory(data) => *data = new,
            Stripe::InFile(frames) => {
                if let Some(changed) = changed {
                    frames.put(source(&self.file, &tiles.overlaps), changed, &new)?;
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
        let SliceTiles { layout, overlaps, stripes, .. } = &self.slices[&slice];
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

    pub(crate) fn write(&mut self, tile: &Tile, words: &[u64]) -> Result<()> {
        let tiles = self.slices.get_mut(&tile.slice).expect("of the unit");
        let stripe = &mut tiles.stripes[tiles.layout.stripe_of(tile.panel)];
        write_at(stripe, &self.file, &tiles.overlaps, &tiles.layout, tile, words)
    }

    /// Replaces some whole rows of all matrices. `planes` has them row by row. Panels of other
    /// processes are left out.
    pub(crate) fn write_rows(
        &mut self,
        slice: Slice,
        rows: Range<usize>,
        planes: &[Vec<u64>],
    ) -> Result<()> {
        let SliceTiles { layout, overlaps, stripes, .. } =
            self.slices.get_mut(&slice).expect("of the unit");
        let file = &self.file;
        stripes.par_iter_mut().enumerate().try_for_each_init(Vec::new, |words, (index, stripe)| {
            if matches!(stripe, Stripe::Elsewhere) {
                return Ok(());
            }
            for panel in layout.stripe(index) {
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
                    write_at(stripe, file, overlaps, layout, &tile, words)?;
                }
            }
            Ok(())
        })
    }

    /// Copies some rows of a matrix, row by row. Only for a process that has all of them.
    pub(crate) fn whole_rows(
        &self,
        slice: Slice,
        plane: usize,
        rows: Range<usize>,
    ) -> Result<Vec<u64>> {
        let layout = self.layout(slice);
        let mut all = vec![0; rows.len() * layout.words()];
        let panels =
            (0..layout.num_panels()).into_par_iter().map_init(Vec::new, |buffer, panel| {
                let tile = Tile { slice, plane, panel, rows: rows.clone() };
                Ok((panel, self.read(&tile, buffer)?.to_vec()))
            });
        for (panel, tile) in panels.collect::<Result<Vec<_>>>()? {
            let words = layout.panel(panel);
            for (row, part) in all.chunks_mut(layout.words()).zip(tile.chunks(words.len())) {
                row[words.clone()].copy_from_slice(part);
            }
        }
        Ok(all)
    }

    /// For each stripe of a slice, whether passes have changed it since the last checkpoint.
    pub(crate) fn changed(&self, slice: Slice) -> &[bool] {
        &self.slices[&slice].changed
    }

    /// Records that the last checkpoint has all stripes as they are.
    pub(crate) fn set_saved(&mut self) {
        self.slices.values_mut().for_each(|slice| slice.changed.fill(false));
    }
}

/// Why a stripe is not asked for.
const NOT_HERE: &str = "passes visit the stripes of their process";

/// Where the frames of a slice are.
fn source<'f>(file: &'f Option<FrameFile>, overlaps: &'f Option<Overlaps>) -> FrameSource<'f> {
    let file = file.as_ref().expect("there is a file if a stripe is in it");
    FrameSource { file, overlaps: overlaps.as_ref() }
}

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

#[cfg(test)]
mod tests {
    use super::super::packed::tests::overlaps;
    use super::*;

    /// Rows that are written are those that are read, wherever the stripes are.
    #[test]
    fn rows_are_kept_in_memory_and_in_files() {
        let dir = tempfile::tempdir().unwrap();
        let slice = Slice::new(3, 2);
        let layout = Layout::new(100, 130, 4, 2, 1);
        for memory in [0, layout.bytes() / 3, layout.bytes()] {
            let overlaps = |_| overlaps(100, layout.words());
            let mut store =
                Tiles::new(&[(slice, layout)], 0, memory, dir.path(), overlaps).unwrap();
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
            let begin = layout.offset(2, 1, 50);
            assert_eq!(data[begin], word(50, layout.panel(2).start, 1));
            data[begin] = 7;
            let changed = |panel: usize, rows: &Range<usize>| panel == 2 && rows.contains(&50);
            store.put(slice, 1, data, Some(&changed)).unwrap();
            let out = store.whole_rows(slice, 1, 49..52).unwrap();
            let mut expected: Vec<_> = (49..52)
                .flat_map(|row| (0..layout.words()).map(move |i| word(row, i, 1)))
                .collect();
            expected[layout.words() + layout.panel(2).start] = 7;
            assert_eq!(out, expected);
        }
    }
}
