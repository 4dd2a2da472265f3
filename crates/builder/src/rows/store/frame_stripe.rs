//! A stripe, cut into frames. Its words are in memory, or only in the file.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use fanorona_tablebase::{Result, Slice};
use rayon::prelude::*;

use super::frames::{Frame, Tile};
use super::layout::Tiling;
use super::packed::{Overlap, Overlaps};
use crate::checkpoint::{ExtentFile, damaged};

pub(super) type WantedRows<'w> = dyn Fn(usize, &Range<usize>) -> bool + Sync + 'w;

/// Where frames are, and what is known of them.
#[derive(Clone)]
pub(super) struct FrameSource {
    pub file: Arc<ExtentFile>,
    pub overlaps: Option<Arc<Overlaps>>,
}

/// A stripe. A frame that is not in the file yet has zeros there.
pub(super) struct FrameStripe {
    source: FrameSource,
    /// In the order of their words in the stripe.
    slots: Vec<Slot>,
    /// The words, if they are in memory. They are taken while a pass works on them.
    data: Option<Vec<u64>>,
    /// For each matrix of a panel, the slot that was read or written last in part. Only if the stripe
    /// is not in memory.
    unpacked: Vec<Mutex<Option<Unpacked>>>,
}

/// The index of a slot, and its words.
type Unpacked = (usize, Vec<u64>);

/// The words of a slot in a stripe that is in memory or taken, or unpacked to be changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotState {
    /// Any words: it was not read when the stripe was taken.
    NotRead,
    /// Those of the frame.
    Same,
    /// Newer ones.
    Changed,
}

/// Some rows of a matrix in a panel.
struct Slot {
    panel: usize,
    plane: usize,
    /// The number of the matrix in the stripe.
    matrix: usize,
    rows: Range<usize>,
    words: Range<usize>,
    /// Where its words begin in the stripe. A panel with fewer rows leaves a gap before the next one.
    offset: usize,
    /// `None` if its words in the file are zeros.
    frame: Option<Frame>,
    state: SlotState,
}

impl Slot {
    fn len(&self) -> usize {
        self.rows.len() * self.words.len()
    }

    /// Its words in the stripe.
    fn place(&self) -> Range<usize> {
        self.offset..self.offset + self.len()
    }

    /// Those of its words that are in a tile of its matrix.
    fn words_in(&self, tile: &Tile) -> Range<usize> {
        let place = |row: usize| (row - self.rows.start) * self.words.len();
        place(self.rows.start.max(tile.rows.start))..place(self.rows.end.min(tile.rows.end))
    }

    fn overlap<'f>(&self, source: &'f FrameSource) -> Option<Overlap<'f>> {
        let overlaps = source.overlaps.as_deref()?;
        Some(Overlap { overlaps, first: self.rows.start, words: self.words.clone() })
    }

    /// Reads the words in the file.
    fn read(&self, source: &FrameSource, to: &mut [u64]) -> Result<()> {
        match &self.frame {
            Some(frame) => frame.read(&source.file, self.overlap(source).as_ref(), to),
            None => {
                to.fill(0);
                Ok(())
            }
        }
    }

    fn write(&mut self, source: &FrameSource, words: &[u64]) -> Result<()> {
        let frame = Frame::write(&source.file, words, self.overlap(source).as_ref())?;
        if let Some(last) = self.frame.replace(frame) {
            last.free(&source.file);
        }
        self.state = SlotState::Same;
        Ok(())
    }
}

impl FrameStripe {
    /// Zeros. Frames have up to `chunk` rows, and begin at multiples of it.
    pub(super) fn new(
        layout: &Tiling,
        stripe: usize,
        chunk: usize,
        source: FrameSource,
        is_in_memory: bool,
    ) -> Self {
        let (mut slots, mut matrices) = (Vec::new(), 0);
        for panel in layout.stripe(stripe) {
            for plane in 0..layout.planes {
                let Range { mut start, end } = layout.rows_of(panel);
                while start < end {
                    let rows = start..end.min((start / chunk + 1) * chunk);
                    start = rows.end;
                    slots.push(Slot {
                        panel,
                        plane,
                        matrix: matrices,
                        offset: layout.offset(panel, plane, rows.start),
                        rows,
                        words: layout.panel(panel),
                        frame: None,
                        state: SlotState::Same,
                    });
                }
                matrices += 1;
            }
        }
        let data = is_in_memory.then(|| vec![0; layout.stripe_len(stripe)]);
        let unpacked = (0..matrices).map(|_| Mutex::default()).collect();
        Self { source, slots, data, unpacked }
    }

    /// The words, if they are in memory.
    pub(super) fn data(&self) -> Option<&[u64]> {
        self.data.as_deref()
    }

    /// Each slot with its words in the stripe.
    fn split<'s>(
        slots: &'s mut [Slot],
        mut data: &'s mut [u64],
    ) -> Vec<(&'s mut Slot, &'s mut [u64])> {
        let mut at = 0;
        let split = slots.iter_mut().map(|slot| {
            let Range { start, end } = slot.place();
            let (part, rest) = std::mem::take(&mut data)[start - at..].split_at_mut(end - start);
            (data, at) = (rest, end);
            (slot, part)
        });
        split.collect()
    }

    /// Takes the words. If they are not in memory, reads the frames with wanted rows; the words of the
    /// others are those of `spare`, whose memory is used.
    pub(super) fn take(
        &mut self,
        wanted: &WantedRows<'_>,
        spare: &mut Vec<u64>,
    ) -> Result<Vec<u64>> {
        if let Some(data) = &mut self.data {
            return Ok(std::mem::take(data));
        }
        self.settle()?;
        let mut data = std::mem::take(spare);
        data.resize(self.slots.last().map_or(0, |slot| slot.place().end), 0);
        let split = Self::split(&mut self.slots, &mut data).into_par_iter();
        split.try_for_each(|(slot, part)| {
            let is_wanted = wanted(slot.panel, &slot.rows);
            slot.state = if is_wanted { SlotState::Same } else { SlotState::NotRead };
            if is_wanted { slot.read(&self.source, part) } else { Ok(()) }
        })?;
        Ok(data)
    }

    /// Puts the words back, of which rows that are `changed` may differ. If they are not kept in
    /// memory, writes the frames with changed rows, and leaves the memory in `spare`.
    pub(super) fn put(
        &mut self,
        changed: Option<&WantedRows<'_>>,
        new: Vec<u64>,
        spare: &mut Vec<u64>,
    ) -> Result<()> {
        if let Some(changed) = changed {
            let read = self.slots.par_iter_mut().filter(|slot| slot.state == SlotState::Same);
            let changed = read.filter(|slot| changed(slot.panel, &slot.rows));
            changed.for_each(|slot| slot.state = SlotState::Changed);
        }
        match &mut self.data {
            Some(data) => *data = new,
            None => {
                write_changed(&self.source, &mut self.slots, &new)?;
                *spare = new;
            }
        }
        Ok(())
    }

    /// Writes what the file does not have.
    pub(super) fn save(&mut self) -> Result<()> {
        match &self.data {
            Some(data) => write_changed(&self.source, &mut self.slots, data),
            None => self.settle(),
        }
    }

    /// The frames, in the order of their words.
    pub(super) fn frames(&self) -> impl Iterator<Item = Option<Frame>> {
        self.slots.iter().map(|slot| slot.frame)
    }

    /// Goes on with frames of a checkpoint, which it checks.
    pub(super) fn restore(
        &mut self,
        frames: &mut impl Iterator<Item = Option<Frame>>,
    ) -> io::Result<()> {
        let FrameSource { file, overlaps } = &self.source;
        for slot in &mut self.slots {
            slot.frame = frames.next().ok_or_else(|| damaged("it has too few frames"))?;
        }
        let packed = self.slots.par_iter().filter_map(|slot| Some((slot, slot.frame?)));
        packed.try_for_each(|(slot, frame)| frame.check(file, slot.len(), overlaps.is_some()))?;
        let Some(data) = &mut self.data else { return Ok(()) };
        let split = Self::split(&mut self.slots, data).into_par_iter();
        split.try_for_each(|(slot, part)| slot.read(&self.source, part)).map_err(io::Error::other)
    }

    /// The tiles of a slice that frames have.
    pub(super) fn tiles(&self, slice: Slice) -> impl Iterator<Item = Tile> {
        let slots = self.slots.iter().filter(|slot| slot.frame.is_some());
        slots.map(move |&Slot { panel, plane, ref rows, .. }| Tile {
            slice,
            plane,
            panel,
            rows: rows.clone(),
        })
    }

    /// The slots that have something of a tile.
    fn slots_with(&self, &Tile { panel, plane, ref rows, .. }: &Tile) -> Range<usize> {
        let before =
            |slot: &Slot| (slot.panel, slot.plane, slot.rows.end) <= (panel, plane, rows.start);
        let until =
            |slot: &Slot| (slot.panel, slot.plane, slot.rows.start) < (panel, plane, rows.end);
        self.slots.partition_point(before)..self.slots.partition_point(until)
    }

    /// Reads a tile that is not in memory.
    pub(super) fn read(&self, tile: &Tile, mut to: &mut [u64]) -> Result<()> {
        let mut parts = Vec::new();
        for i in self.slots_with(tile) {
            let place = self.slots[i].words_in(tile);
            let (part, rest) = std::mem::take(&mut to).split_at_mut(place.len());
            to = rest;
            parts.push((i, place, part));
        }
        parts.into_par_iter().try_for_each(|(i, place, part)| self.read_words(i, place, part))
    }

    /// Reads some words of a slot.
    fn read_words(&self, i: usize, place: Range<usize>, to: &mut [u64]) -> Result<()> {
        let slot = &self.slots[i];
        let mut last = self.unpacked[slot.matrix].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, words)) = last.as_ref().filter(|(last, _)| *last == i) {
            to.copy_from_slice(&words[place]);
            return Ok(());
        }
        if place.len() == slot.len() || slot.frame.is_none() {
            drop(last);
            return slot.read(&self.source, to);
        }
        let mut words = vec![0; slot.len()];
        slot.read(&self.source, &mut words)?;
        to.copy_from_slice(&words[place]);
        // Changed words stay until they are packed.
        if last.as_ref().is_none_or(|(last, _)| self.slots[*last].state != SlotState::Changed) {
            *last = Some((i, words));
        }
        Ok(())
    }

    /// Replaces a tile.
    pub(super) fn write(&mut self, tile: &Tile, mut words: &[u64]) -> Result<()> {
        for i in self.slots_with(tile) {
            let place = self.slots[i].words_in(tile);
            let (part, rest) = words.split_at(place.len());
            words = rest;
            let all = match &mut self.data {
                Some(data) => &mut data[self.slots[i].place()],
                None => self.unpack(i)?,
            };
            all[place].copy_from_slice(part);
            self.slots[i].state = SlotState::Changed;
        }
        Ok(())
    }

    /// The words of a slot that is not in memory, to change them.
    fn unpack(&mut self, i: usize) -> Result<&mut [u64]> {
        let Self { source, slots, unpacked, .. } = self;
        let last = unpacked[slots[i].matrix].get_mut().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|(last, _)| *last != i) {
            pack(source, slots, last)?;
            let mut words = vec![0; slots[i].len()];
            slots[i].read(source, &mut words)?;
            *last = Some((i, words));
        }
        let (_, words) = last.as_mut().expect("it is unpacked");
        Ok(words)
    }

    /// Packs what is unpacked, and frees its memory.
    pub(super) fn settle(&mut self) -> Result<()> {
        let Self { source, slots, unpacked, .. } = self;
        let mut unpacked = unpacked.iter_mut().map(Mutex::get_mut);
        unpacked
            .try_for_each(|last| pack(source, slots, last.unwrap_or_else(PoisonError::into_inner)))
    }
}

fn write_changed(source: &FrameSource, slots: &mut [Slot], words: &[u64]) -> Result<()> {
    let changed = slots.par_iter_mut().filter(|slot| slot.state == SlotState::Changed);
    changed.try_for_each(|slot| slot.write(source, &words[slot.place()]))
}

/// Packs a slot that was unpacked. If that fails, nothing changes: a checkpoint may still be saved.
fn pack(source: &FrameSource, slots: &mut [Slot], last: &mut Option<Unpacked>) -> Result<()> {
    if let Some((i, words)) = last
        && slots[*i].state == SlotState::Changed
    {
        slots[*i].write(source, words)?;
    }
    *last = None;
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::packed::tests::overlaps;
    use super::*;
    use crate::sizes::Sizes;

    #[derive(Clone, Debug)]
    enum Step {
        /// A panel and a matrix, the first row, the number of rows, and what makes the words.
        Write(usize, usize, usize, usize, u64),
        Read(usize, usize, usize, usize),
        Replace(usize, u64),
        /// Saves it, and goes on with a stripe that is restored, in memory or not.
        Save(bool),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let (panel, plane, row, rows) = (0..2usize, 0..3usize, 0..104usize, 1..60usize);
        let step = prop_oneof![
            3 => (panel.clone(), plane.clone(), row.clone(), rows.clone(), any::<u64>())
                .prop_map(|(panel, plane, row, rows, bits)| Step::Write(panel, plane, row, rows, bits)),
            3 => (panel, plane, row, rows)
                .prop_map(|(panel, plane, row, rows)| Step::Read(panel, plane, row, rows)),
            1 => (any::<usize>(), any::<u64>()).prop_map(|(word, bits)| Step::Replace(word, bits)),
            1 => any::<bool>().prop_map(Step::Save),
        ];
        prop::collection::vec(step, 1..60)
    }

    /// The slot that has a word of the stripe. `None` in a gap.
    fn slot_of(frames: &FrameStripe, word: usize) -> Option<&Slot> {
        frames.slots.iter().find(|slot| slot.place().contains(&word))
    }

    /// A layout for several processes, and a stripe of two panels with a gap between them.
    fn with_gap() -> (Tiling, usize) {
        let layouts = (2..9).flat_map(|processes| {
            (20..200)
                .step_by(7)
                .map(move |sets| Tiling::new(&Sizes::SMALL, [100, sets], 4, 3, processes))
        });
        let stripes = layouts
            .flat_map(|layout| (0..layout.num_stripes()).map(move |stripe| (layout, stripe)));
        let has_gap = |(layout, stripe): &(Tiling, usize)| {
            let mut panels = layout.stripe(*stripe);
            let rows = |panel| layout.rows_of(panel).len();
            matches!((panels.next(), panels.next()), (Some(a), Some(b)) if rows(a) < rows(b))
        };
        stripes.into_iter().find(has_gap).expect("some stripe has a gap")
    }

    proptest! {
        /// A stripe in a file has the words that one in memory would have, whatever rows are
        /// written and read, and whether overlaps are closed or not.
        #[test]
        fn a_stripe_is_as_in_memory(
            steps in steps(), chunk in 1..120usize, is_distributed in any::<bool>(),
            is_in_memory in any::<bool>(),
        ) {
            // With several processes, the first panel of some stripe has fewer rows than the others.
            let (layout, stripe) = match is_distributed {
                false => (Tiling::new(&Sizes::SMALL, [100, 130], 4, 3, 1), 1),
                true => with_gap(),
            };
            let overlaps = overlaps(100, layout.words);
            let dir = fanorona_tests::directory().unwrap();
            let file = Arc::new(ExtentFile::scratch(dir.path(), &Sizes::SMALL));
            let source = FrameSource { file: file.clone(), overlaps: Some(Arc::new(overlaps)) };
            let new = |is_in_memory| {
                FrameStripe::new(&layout, stripe, chunk, source.clone(), is_in_memory)
            };
            let mut frames = new(is_in_memory);
            let mut plain = vec![0; layout.stripe_len(stripe)];
            let first = layout.stripe(stripe).start;
            // A tile, and its words in the stripe.
            let tile_at = |panel, plane, row, count| {
                let panel = first + panel;
                let Range { start, end } = layout.rows_of(panel);
                let first = start + row % (end - start);
                let rows = first..end.min(first + count);
                let begin = layout.offset(panel, plane, first);
                let words = begin..begin + rows.len() * layout.panel(panel).len();
                (Tile { slice: "1v1".parse().unwrap(), plane, panel, rows }, words)
            };
            for step in steps {
                match step {
                    Step::Write(panel, plane, row, count, bits) => {
                        let (tile, to) = tile_at(panel, plane, row, count);
                        for (i, word) in plain[to.clone()].iter_mut().enumerate() {
                            // All ones, every other time. So they have all overlaps.
                            let ones = (bits & 1).wrapping_neg();
                            *word = ones | bits.rotate_left(i as u32 % 61);
                        }
                        frames.write(&tile, &plain[to]).unwrap();
                    }
                    Step::Read(panel, plane, row, count) => {
                        let (tile, from) = tile_at(panel, plane, row, count);
                        let mut found = vec![7; from.len()];
                        match frames.data() {
                            Some(data) => found.copy_from_slice(&data[from.clone()]),
                            None => frames.read(&tile, &mut found).unwrap(),
                        }
                        prop_assert_eq!(&found, &plain[from]);
                    }
                    Step::Replace(word, bits) => {
                        let word = word % plain.len();
                        // All rows from one on.
                        let wanted = |_: usize, rows: &Range<usize>| rows.end > word % layout.rows;
                        let mut spare = vec![bits; plain.len()];
                        let in_memory = frames.data().is_some();
                        let mut data = frames.take(&wanted, &mut spare).unwrap();
                        let is_there = slot_of(&frames, word).map(|slot| match in_memory {
                            true => wanted(slot.panel, &slot.rows),
                            false => slot.state == SlotState::Same,
                        });
                        if in_memory || is_there == Some(true) {
                            prop_assert_eq!(data[word], plain[word]);
                        } else if is_there == Some(false) {
                            prop_assert_eq!(data[word], bits);
                        }
                        if is_there == Some(true) {
                            (data[word], plain[word]) = (!bits, !bits);
                        }
                        frames.put(Some(&wanted), data, &mut spare).unwrap();
                        prop_assert_eq!(spare.len(), plain.len(), "the memory can be used again");
                    }
                    Step::Save(is_in_memory) => {
                        frames.save().unwrap();
                        let saved: Vec<_> = frames.frames().collect();
                        let written = file.written();
                        frames.save().unwrap();
                        prop_assert_eq!(file.written(), written, "nothing has changed");
                        frames = new(is_in_memory);
                        frames.restore(&mut saved.into_iter()).unwrap();
                    }
                }
            }
            let found = frames.take(&|_, _| true, &mut vec![7; plain.len()]).unwrap();
            for slot in &frames.slots {
                prop_assert_eq!(&found[slot.place()], &plain[slot.place()]);
            }
        }
    }
}
