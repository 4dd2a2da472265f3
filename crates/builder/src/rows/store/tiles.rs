//! Where the matrices of a unit in work are.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use fanorona_storage::Budget;
use fanorona_tablebase::{Result, Slice};
use rayon::prelude::*;

use super::frame_stripe::{FrameSource, FrameStripe, WantedRows};
pub(crate) use super::frames::{Frame, Tile};
use super::layout::Tiling;
use super::packed::Overlaps;
use crate::checkpoint::{ExtentFile, damaged};

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
/// not fit. A checkpoint brings the file up to date.
///
/// A pass takes one stripe at a time, changes it and puts it back. Passes visit all stripes in turn.
/// So it is best to keep the same stripes in memory all the time.
#[derive(Default)]
pub(crate) struct Tiles {
    slices: HashMap<Slice, SliceTiles>,
    /// Memory that the last stripe from the file has used.
    spare: Vec<u64>,
}

struct SliceTiles {
    layout: Tiling,
    /// `None` if it is in another process.
    stripes: Vec<Option<FrameStripe>>,
}

impl SliceTiles {
    fn own(&self) -> impl Iterator<Item = &FrameStripe> {
        self.stripes.iter().flatten()
    }
}

impl Tiles {
    /// Zero matrices. As many stripes as `memory` allows are in memory, the others in the file.
    /// `are_saved` says whether checkpoints are saved or restored.
    pub(super) fn new(
        layouts: &[(Slice, Tiling)],
        process: usize,
        memory: &Budget,
        file: &Arc<ExtentFile>,
        are_saved: bool,
        overlaps_of: impl Fn(Slice) -> Overlaps,
    ) -> Self {
        let slices = layouts.iter().map(|&(slice, layout)| {
            let swapped = layouts.iter().find(|(other, _)| *other == slice.swapped());
            let chunk = swapped.map_or(layout, |(_, layout)| *layout).swapped_frame_rows();
            let overlaps = LazyCell::new(|| Arc::new(overlaps_of(slice)));
            let own = layout.stripes_of(process);
            let stripes = (0..layout.num_stripes()).map(|stripe| {
                own.contains(&stripe).then(|| {
                    let fits = memory.take(8 * layout.stripe_len(stripe) as u64);
                    let is_packed = are_saved || !fits;
                    let overlaps = is_packed.then(|| Arc::clone(&overlaps));
                    let source = FrameSource { file: Arc::clone(file), overlaps };
                    FrameStripe::new(&layout, stripe, chunk, source, fits)
                })
            });
            let stripes = stripes.collect();
            (slice, SliceTiles { layout, stripes })
        });
        Self { slices: slices.collect(), spare: Vec::new() }
    }

    fn stripes_mut(&mut self) -> impl Iterator<Item = &mut FrameStripe> {
        self.slices.values_mut().flat_map(|tiles| tiles.stripes.iter_mut().flatten())
    }

    fn stripe_mut(&mut self, slice: Slice, stripe: usize) -> (&mut FrameStripe, &mut Vec<u64>) {
        let tiles = self.slices.get_mut(&slice).expect(OF_UNIT);
        (tiles.stripes[stripe].as_mut().expect(HERE), &mut self.spare)
    }

    /// Brings the file up to date.
    pub(crate) fn save(&mut self) -> Result<()> {
        self.stripes_mut().try_for_each(FrameStripe::save)
    }

    /// The frames of a slice. `None` stands for zeros.
    pub(crate) fn frames(&self, slice: Slice) -> Vec<Option<Frame>> {
        self.slices[&slice].own().flat_map(FrameStripe::frames).collect()
    }

    /// Goes on with the frames of a slice that a checkpoint has.
    pub(crate) fn restore(&mut self, slice: Slice, frames: Vec<Option<Frame>>) -> io::Result<()> {
        let mut frames = frames.into_iter();
        let tiles = self.slices.get_mut(&slice).expect(OF_UNIT);
        tiles.stripes.iter_mut().flatten().try_for_each(|stripe| stripe.restore(&mut frames))?;
        match frames.next() {
            None => Ok(()),
            Some(_) => Err(damaged("it has too many frames")),
        }
    }

    /// The tiles of a slice that frames in the file have.
    pub(crate) fn tiles(&self, slice: Slice) -> impl Iterator<Item = Tile> {
        self.slices[&slice].own().flat_map(move |stripe| stripe.tiles(slice))
    }

    /// How the matrices of a slice are cut.
    pub(crate) fn layout(&self, slice: Slice) -> Tiling {
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
        // Its memory is needed for stripes.
        self.stripes_mut().par_bridge().try_for_each(FrameStripe::settle)?;
        let (stripe, spare) = self.stripe_mut(slice, stripe);
        stripe.take(wanted, spare)
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
        let (stripe, spare) = self.stripe_mut(slice, stripe);
        stripe.put(changed, new, spare)
    }

    /// Reads a tile, if need be into `buffer`.
    pub(crate) fn read<'t>(&'t self, tile: &Tile, buffer: &'t mut Vec<u64>) -> Result<&'t [u64]> {
        let &Tile { slice, plane, panel, ref rows } = tile;
        let SliceTiles { layout, stripes } = &self.slices[&slice];
        let len = rows.len() * layout.panel(panel).len();
        let stripe = stripes[layout.stripe_of(panel)].as_ref().expect(HERE);
        if let Some(data) = stripe.data() {
            return Ok(&data[layout.offset(panel, plane, rows.start)..][..len]);
        }
        buffer.resize(len, 0);
        stripe.read(tile, buffer)?;
        Ok(buffer)
    }

    pub(crate) fn write(&mut self, tile: &Tile, words: &[u64]) -> Result<()> {
        let stripe = self.layout(tile.slice).stripe_of(tile.panel);
        self.stripe_mut(tile.slice, stripe).0.write(tile, words)
    }

    /// Replaces some whole rows of all matrices. `planes` has them row by row. Panels of other
    /// processes are left out.
    pub(crate) fn write_rows(
        &mut self,
        slice: Slice,
        rows: Range<usize>,
        planes: &[Vec<u64>],
    ) -> Result<()> {
        let SliceTiles { layout, stripes } = self.slices.get_mut(&slice).expect(OF_UNIT);
        stripes.par_iter_mut().enumerate().try_for_each_init(Vec::new, |words, (i, stripe)| {
            let Some(stripe) = stripe else { return Ok(()) };
            for panel in layout.stripe(i) {
                let (of_panel, in_panel) = (layout.panel(panel), layout.rows_in(panel, &rows));
                if in_panel.is_empty() {
                    continue;
                }
                for (plane, all) in planes.iter().enumerate() {
                    let all = all.chunks(layout.words).skip(in_panel.start - rows.start);
                    words.clear();
                    for row in all.take(in_panel.len()) {
                        words.extend_from_slice(&row[of_panel.clone()]);
                    }
                    stripe.write(&Tile { slice, plane, panel, rows: in_panel.clone() }, words)?;
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
        let mut all = vec![0; rows.len() * layout.words];
        let panels =
            (0..layout.num_panels()).into_par_iter().map_init(Vec::new, |buffer, panel| {
                let tile = Tile { slice, plane, panel, rows: rows.clone() };
                Ok((panel, self.read(&tile, buffer)?.to_vec()))
            });
        for (panel, tile) in panels.collect::<Result<Vec<_>>>()? {
            let words = layout.panel(panel);
            for (row, part) in all.chunks_mut(layout.words).zip(tile.chunks(words.len())) {
                row[words.clone()].copy_from_slice(part);
            }
        }
        Ok(all)
    }
}

/// Why a slice is there.
const OF_UNIT: &str = "a slice of the unit";

/// Why a stripe is there.
const HERE: &str = "passes visit the stripes of their process";
