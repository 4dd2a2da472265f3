//! A stripe, cut into frames. Its words are in memory, or only in the file.

use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use fanorona_tablebase::Result;
use rayon::prelude::*;

use super::frames::Frame;
use super::layout::Layout;
use super::packed::{Overlap, Overlaps};
use crate::checkpoint::{ExtentFile, damaged};

pub(super) type WantedRows<'w> = dyn Fn(usize, &Range<usize>) -> bool + Sync + 'w;

/// Where the frames of a slice are, and what is known of them.
#[derive(Clone, Copy)]
pub(super) struct FrameSource<'f> {
    pub file: &'f ExtentFile,
    pub overlaps: Option<&'f Overlaps>,
}

/// A stripe. A frame that is not in the file yet has zeros there.
pub(super) struct FrameStripe {
    /// In the order of their words in the stripe.
    slots: Vec<Slot>,
    /// The words, if they are in memory. They are taken while a pass works on them.
    data: Option<Vec<u64>>,
    /// For each matrix of a panel, the frame that was read last in part.
    recent: Vec<Mutex<Option<Recent>>>,
    planes: usize,
}

/// The number of a frame, and its words.
type Recent = (usize, Vec<u64>);

/// Some rows of a matrix in a panel.
struct Slot {
    panel: usize,
    plane: usize,
    rows: Range<usize>,
    words: Range<usize>,
    /// Where its words begin in the stripe. A panel with fewer rows leaves a gap before the next one.
    offset: usize,
    /// `None` if its words in the file are zeros.
    frame: Option<Frame>,
    /// Its words, some of which are still to be written. Only if the stripe is not in memory.
    unfinished: Option<Vec<u64>>,
    /// Whether the words in memory differ from those of the frame.
    is_changed: bool,
    /// Whether it was read when the stripe was taken.
    is_taken: bool,
}

impl Slot {
    fn len(&self) -> usize {
        self.rows.len() * self.words.len()
    }

    fn overlap<'f>(&self, source: FrameSource<'f>) -> Option<Overlap<'f>> {
        let overlaps = source.overlaps?;
        Some(Overlap { overlaps, first: self.rows.start, words: self.words.clone() })
    }

    fn read(&self, source: FrameSource<'_>, to: &mut [u64]) -> Result<()> {
        match (&self.unfinished, &self.frame) {
            (Some(words), _) => to.copy_from_slice(words),
            (None, Some(frame)) => {
                frame.read(source.file, self.overlap(source).as_ref(), to)?;
            }
            (None, None) => to.fill(0),
        }
        Ok(())
    }

    fn replace(&mut self, source: FrameSource<'_>, words: &[u64]) -> Result<()> {
        let frame = Frame::write(source.file, words, self.overlap(source).as_ref())?;
        if let Some(last) = self.frame.replace(frame) {
            last.free(source.file);
        }
        self.unfinished = None;
        self.is_changed = false;
        Ok(())
    }

    /// Writes some rows. When the last one is written, the frame goes to the file.
    fn write(&mut self, source: FrameSource<'_>, rows: Range<usize>, words: &[u64]) -> Result<()> {
        if rows == self.rows {
            return self.replace(source, words);
        }
        let mut all = match self.unfinished.take() {
            Some(all) => all,
            None => {
                let mut all = vec![0; self.len()];
                self.read(source, &mut all)?;
                all
            }
        };
        let place = (rows.start - self.rows.start) * self.words.len();
        all[place..place + words.len()].copy_from_slice(words);
        self.unfinished = Some(all);
        if rows.end == self.rows.end { self.finish(source) } else { Ok(()) }
    }

    /// Packs a frame whose words were being collected.
    fn finish(&mut self, source: FrameSource<'_>) -> Result<()> {
        let Some(words) = self.unfinished.take() else { return Ok(()) };
        let result = self.replace(source, &words);
        if result.is_err() {
            // A checkpoint may still be saved.
            self.unfinished = Some(words);
        }
        result
    }
}

impl FrameStripe {
    /// Zeros. Frames have up to `chunk` rows, and begin at multiples of it.
    pub(super) fn new(layout: &Layout, stripe: usize, chunk: usize, is_in_memory: bool) -> Self {
        let planes = layout.planes();
        let mut slots = Vec::new();
        for panel in layout.stripe(stripe) {
            for plane in 0..planes {
                let Range { mut start, end } = layout.rows_of(panel);
                while start < end {
                    let rows = start..end.min((start / chunk + 1) * chunk);
                    start = rows.end;
                    let offset = layout.offset(panel, plane, rows.start);
                    slots.push(Slot {
                        panel,
                        plane,
                        rows,
                        words: layout.panel(panel),
                        offset,
                        frame: None,
                        unfinished: None,
                        is_changed: false,
                        is_taken: false,
                    });
                }
            }
        }
        let recent = (0..layout.stripe(stripe).len() * planes).map(|_| Mutex::default());
        let data = is_in_memory.then(|| vec![0; layout.stripe_len(stripe)]);
        Self { slots, data, recent: recent.collect(), planes }
    }

    /// The words, if they are in memory.
    pub(super) fn data(&self) -> Option<&[u64]> {
        self.data.as_deref()
    }

    /// Each frame with its words in the stripe.
    fn split<'s>(
        slots: &'s mut [Slot],
        mut data: &'s mut [u64],
    ) -> Vec<(&'s mut Slot, &'s mut [u64])> {
        let mut end = 0;
        let split = slots.iter_mut().map(|slot| {
            let (_, rest) = std::mem::take(&mut data).split_at_mut(slot.offset - end);
            let (part, rest) = rest.split_at_mut(slot.len());
            (data, end) = (rest, slot.offset + slot.len());
            (slot, part)
        });
        split.collect()
    }

    /// Takes the words. If they are not in memory, reads the frames with wanted rows into `buffer`; the
    /// words of the others are not changed.
    pub(super) fn take(
        &mut self,
        source: FrameSource<'_>,
        wanted: &WantedRows<'_>,
        buffer: impl FnOnce() -> Vec<u64>,
    ) -> Result<Vec<u64>> {
        if let Some(data) = &mut self.data {
            return Ok(std::mem::take(data));
        }
        let mut data = buffer();
        let split = Self::split(&mut self.slots, &mut data).into_par_iter();
        split.try_for_each(|(slot, part)| {
            slot.is_taken = wanted(slot.panel, &slot.rows);
            if slot.is_taken { slot.read(source, part) } else { Ok(()) }
        })?;
        Ok(data)
    }

    /// Puts the words back, of which rows that are `changed` may differ. Writes the frames with changed
    /// rows if the words are not kept in memory; then returns them, to use the memory again.
    pub(super) fn put(
        &mut self,
        source: FrameSource<'_>,
        changed: Option<&WantedRows<'_>>,
        new: Vec<u64>,
    ) -> Result<Option<Vec<u64>>> {
        self.forget_recent();
        let is_changed =
            |slot: &Slot| changed.is_some_and(|changed| changed(slot.panel, &slot.rows));
        if let Some(data) = &mut self.data {
            *data = new;
            self.slots.par_iter_mut().for_each(|slot| slot.is_changed |= is_changed(slot));
            return Ok(None);
        }
        self.slots.par_iter_mut().try_for_each(|slot| {
            let is_taken = std::mem::take(&mut slot.is_taken);
            let part = slot.offset..slot.offset + slot.len();
            if is_taken && is_changed(slot) { slot.replace(source, &new[part]) } else { Ok(()) }
        })?;
        Ok(Some(new))
    }

    /// Writes what the file does not have.
    pub(super) fn save(&mut self, source: FrameSource<'_>) -> Result<()> {
        let Some(data) = &self.data else { return self.finish(source) };
        let changed = self.slots.par_iter_mut().filter(|slot| slot.is_changed);
        changed.try_for_each(|slot| {
            let part = slot.offset..slot.offset + slot.len();
            slot.replace(source, &data[part])
        })
    }

    /// The frames, in the order of their words.
    pub(super) fn frames(&self) -> impl Iterator<Item = Option<Frame>> {
        self.slots.iter().map(|slot| slot.frame)
    }

    /// Goes on with frames of a checkpoint, which it checks.
    pub(super) fn restore(
        &mut self,
        source: FrameSource<'_>,
        frames: &mut impl Iterator<Item = Option<Frame>>,
    ) -> io::Result<()> {
        for slot in &mut self.slots {
            slot.frame = frames.next().ok_or_else(|| damaged("it has too few frames"))?;
        }
        let check = |slot: &Slot| match slot.frame {
            Some(frame) => frame.check(source.file, slot.len(), source.overlaps.is_some()),
            None => Ok(()),
        };
        self.slots.par_iter().try_for_each(check)?;
        let Some(data) = &mut self.data else { return Ok(()) };
        let split = Self::split(&mut self.slots, data).into_par_iter();
        split.try_for_each(|(slot, part)| slot.read(source, part).map_err(io::Error::other))
    }

    /// The frames that are not zeros: panels, matrices and rows.
    pub(super) fn tiles(&self) -> impl Iterator<Item = (usize, usize, Range<usize>)> {
        let slots = self.slots.iter().filter(|slot| slot.frame.is_some());
        slots.map(|slot| (slot.panel, slot.plane, slot.rows.clone()))
    }

    /// The frames that have something of some rows of a matrix in a panel.
    fn slots_with(&self, panel: usize, plane: usize, rows: &Range<usize>) -> Range<usize> {
        let place = |row| {
            self.slots.partition_point(|slot| {
                (slot.panel, slot.plane, slot.rows.end) <= (panel, plane, row)
            })
        };
        let first = place(rows.start);
        let of_matrix = |slot: &&Slot| (slot.panel, slot.plane) == (panel, plane);
        let is_in = |slot: &&Slot| of_matrix(slot) && slot.rows.start < rows.end;
        first..first + self.slots[first..].iter().take_while(is_in).count()
    }

    /// Reads some rows of a matrix in a panel, if they are not in memory.
    pub(super) fn read(
        &self,
        source: FrameSource<'_>,
        (panel, plane): (usize, usize),
        rows: &Range<usize>,
        mut to: &mut [u64],
    ) -> Result<()> {
        let slots = self.slots_with(panel, plane, rows);
        let parts: Vec<_> = slots
            .map(|i| {
                let (slot, wanted) = (&self.slots[i], common(&self.slots[i].rows, rows));
                let len = wanted.len() * slot.words.len();
                let (part, rest) = std::mem::take(&mut to).split_at_mut(len);
                to = rest;
                (i, slot, wanted, part)
            })
            .collect();
        parts.into_par_iter().try_for_each(|(i, slot, wanted, part)| {
            if wanted == slot.rows {
                return slot.read(source, part);
            }
            let place = (wanted.start - slot.rows.start) * slot.words.len();
            let copy = |part: &mut [u64], words: &[u64]| {
                part.copy_from_slice(&words[place..place + part.len()]);
            };
            match (&slot.unfinished, &slot.frame) {
                (Some(words), _) => copy(part, words),
                (None, None) => part.fill(0),
                (None, Some(_)) => {
                    let matrix = (slot.panel - self.slots[0].panel) * self.planes + slot.plane;
                    let mut recent =
                        self.recent[matrix].lock().unwrap_or_else(PoisonError::into_inner);
                    let words = match recent.take() {
                        Some((last, words)) if last == i => words,
                        _ => {
                            let mut words = vec![0; slot.len()];
                            slot.read(source, &mut words)?;
                            words
                        }
                    };
                    copy(part, &words);
                    *recent = Some((i, words));
                }
            }
            Ok(())
        })
    }

    /// Replaces some rows of a matrix in a panel.
    pub(super) fn write(
        &mut self,
        source: FrameSource<'_>,
        (panel, plane): (usize, usize),
        rows: &Range<usize>,
        mut words: &[u64],
    ) -> Result<()> {
        self.forget_recent();
        let slots = self.slots_with(panel, plane, rows);
        for slot in &mut self.slots[slots] {
            let rows = common(&slot.rows, rows);
            let (part, rest) = words.split_at(rows.len() * slot.words.len());
            words = rest;
            match &mut self.data {
                Some(data) => {
                    let first = (rows.start - slot.rows.start) * slot.words.len();
                    data[slot.offset + first..][..part.len()].copy_from_slice(part);
                    slot.is_changed = true;
                }
                None => slot.write(source, rows, part)?,
            }
        }
        Ok(())
    }

    /// Packs what is unfinished, and frees the memory of what was read in part.
    pub(super) fn finish(&mut self, source: FrameSource<'_>) -> Result<()> {
        self.forget_recent();
        self.slots.par_iter_mut().try_for_each(|slot| slot.finish(source))
    }

    fn forget_recent(&mut self) {
        for recent in &mut self.recent {
            *recent.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.max(b.start)..a.end.min(b.end)
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
        frames.slots.iter().find(|slot| (slot.offset..slot.offset + slot.len()).contains(&word))
    }

    /// A layout for several processes, and a stripe of two panels with a gap between them.
    fn with_gap() -> (Layout, usize) {
        let layouts = (2..9).flat_map(|ranks| {
            (20..200)
                .step_by(7)
                .map(move |sets| Layout::new(&Sizes::SMALL, [100, sets], 4, 3, ranks))
        });
        let stripes = layouts
            .flat_map(|layout| (0..layout.num_stripes()).map(move |stripe| (layout, stripe)));
        let has_gap = |(layout, stripe): &(Layout, usize)| {
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
                false => (Layout::new(&Sizes::SMALL, [100, 130], 4, 3, 1), 1),
                true => with_gap(),
            };
            let overlaps = overlaps(100, layout.words());
            let dir = fanorona_tests::directory().unwrap();
            let file = ExtentFile::scratch(dir.path(), &Sizes::SMALL);
            let source = FrameSource { file: &file, overlaps: Some(&overlaps) };
            let mut frames = FrameStripe::new(&layout, stripe, chunk, is_in_memory);
            let mut plain = vec![0; layout.stripe_len(stripe)];
            let first = layout.stripe(stripe).start;
            let rows_of = |panel, row, count| {
                let Range { start, end } = layout.rows_of(panel);
                let first = start + row % (end - start);
                first..end.min(first + count)
            };
            let place = |panel, plane, rows: &Range<usize>| {
                let begin = layout.offset(panel, plane, rows.start);
                begin..begin + rows.len() * layout.panel(panel).len()
            };
            for step in steps {
                match step {
                    Step::Write(panel, plane, row, count, bits) => {
                        let (panel, rows) = (first + panel, rows_of(first + panel, row, count));
                        let to = place(panel, plane, &rows);
                        for (i, word) in plain[to.clone()].iter_mut().enumerate() {
                            // All ones, every other time. So they have all overlaps.
                            let ones = (bits & 1).wrapping_neg();
                            *word = ones | bits.rotate_left(i as u32 % 61);
                        }
                        frames.write(source, (panel, plane), &rows, &plain[to]).unwrap();
                    }
                    Step::Read(panel, plane, row, count) => {
                        let (panel, rows) = (first + panel, rows_of(first + panel, row, count));
                        let from = place(panel, plane, &rows);
                        let mut found = vec![7; from.len()];
                        match frames.data() {
                            Some(data) => found.copy_from_slice(&data[from.clone()]),
                            None => frames.read(source, (panel, plane), &rows, &mut found).unwrap(),
                        }
                        prop_assert_eq!(&found, &plain[from]);
                    }
                    Step::Replace(word, bits) => {
                        let word = word % plain.len();
                        // All rows from one on.
                        let wanted = |_: usize, rows: &Range<usize>| rows.end > word % layout.rows();
                        let buffer = || vec![bits; plain.len()];
                        let in_memory = frames.data().is_some();
                        let mut data = frames.take(source, &wanted, buffer).unwrap();
                        let is_there = slot_of(&frames, word).map(|slot| match in_memory {
                            true => wanted(slot.panel, &slot.rows),
                            false => slot.is_taken,
                        });
                        if in_memory || is_there == Some(true) {
                            prop_assert_eq!(data[word], plain[word]);
                        } else if is_there == Some(false) {
                            prop_assert_eq!(data[word], bits);
                        }
                        if is_there == Some(true) {
                            (data[word], plain[word]) = (!bits, !bits);
                        }
                        let left = frames.put(source, Some(&wanted), data).unwrap();
                        prop_assert_eq!(left.is_none(), in_memory);
                    }
                    Step::Save(is_in_memory) => {
                        frames.save(source).unwrap();
                        let saved: Vec<_> = frames.frames().collect();
                        let written = file.written();
                        frames.save(source).unwrap();
                        prop_assert_eq!(file.written(), written, "nothing has changed");
                        frames = FrameStripe::new(&layout, stripe, chunk, is_in_memory);
                        frames.restore(source, &mut saved.into_iter()).unwrap();
                    }
                }
            }
            let found = frames.take(source, &|_, _| true, || vec![7; plain.len()]).unwrap();
            for slot in &frames.slots {
                let words = slot.offset..slot.offset + slot.len();
                prop_assert_eq!(&found[words.clone()], &plain[words]);
            }
        }
    }
}
