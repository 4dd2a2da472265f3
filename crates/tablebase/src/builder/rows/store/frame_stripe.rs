//! A stripe that is kept as frames in a file.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::frames::{Frame, FrameFile};
use super::layout::Layout;
use super::packed::{Overlap, Overlaps};
use crate::error::Result;

/// Which rows of a panel are wanted: whether any of a range is.
pub(super) type WantedRows<'w> = dyn Fn(usize, &Range<usize>) -> bool + Sync + 'w;

/// Where the frames of a slice are, and what is known of them.
#[derive(Clone, Copy)]
pub(super) struct FrameSource<'f> {
    pub file: &'f FrameFile,
    pub overlaps: Option<&'f Overlaps>,
}

/// A stripe of which every frame is in a file, or not there yet.
pub(super) struct FrameStripe {
    /// In the order of their words in the stripe.
    slots: Vec<Slot>,
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
    content: Content,
    /// Whether it was read when the stripe was taken.
    is_taken: bool,
}

enum Content {
    Zeros,
    /// Its words, some of which are still to be written.
    Unfinished(Vec<u64>),
    InFile(Frame),
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
        match &self.content {
            Content::Zeros => to.fill(0),
            Content::Unfinished(words) => to.copy_from_slice(words),
            Content::InFile(frame) => {
                source.file.read(*frame, to, self.overlap(source).as_ref())?;
            }
        }
        Ok(())
    }

    fn replace(&mut self, source: FrameSource<'_>, words: &[u64]) -> Result<()> {
        let last = match &self.content {
            Content::InFile(frame) => Some(*frame),
            Content::Zeros | Content::Unfinished(_) => None,
        };
        let frame = source.file.write(last, words, self.overlap(source).as_ref())?;
        self.content = Content::InFile(frame);
        Ok(())
    }

    /// Writes some rows. When the last one is written, the frame goes to the file.
    fn write(&mut self, source: FrameSource<'_>, rows: Range<usize>, words: &[u64]) -> Result<()> {
        if rows == self.rows {
            return self.replace(source, words);
        }
        let mut all = match &mut self.content {
            Content::Unfinished(all) => std::mem::take(all),
            Content::Zeros | Content::InFile(_) => {
                let mut all = vec![0; self.len()];
                self.read(source, &mut all)?;
                all
            }
        };
        let place = (rows.start - self.rows.start) * self.words.len();
        all[place..place + words.len()].copy_from_slice(words);
        if let Content::InFile(frame) = self.content {
            source.file.free(frame);
        }
        self.content = Content::Unfinished(all);
        if rows.end == self.rows.end { self.finish(source) } else { Ok(()) }
    }

    /// Packs a frame whose words were being collected.
    fn finish(&mut self, source: FrameSource<'_>) -> Result<()> {
        let Content::Unfinished(words) = &mut self.content else { return Ok(()) };
        let words = std::mem::take(words);
        let result = self.replace(source, &words);
        if result.is_err() {
            // A checkpoint may still be saved.
            self.content = Content::Unfinished(words);
        }
        result
    }
}

impl FrameStripe {
    /// Zeros. Frames have up to `chunk` rows, and begin at multiples of it.
    pub(super) fn new(layout: &Layout, stripe: usize, chunk: usize) -> Self {
        let planes = layout.planes();
        let mut slots = Vec::new();
        for panel in layout.stripe(stripe) {
            for plane in 0..planes {
                let Range { mut start, end } = layout.rows_of(panel);
                while start < end {
                    let rows = start..end.min((start / chunk + 1) * chunk);
                    start = rows.end;
                    let offset = layout.offset(panel, plane, rows.start);
                    let (words, content) = (layout.panel(panel), Content::Zeros);
                    slots.push(Slot {
                        panel,
                        plane,
                        rows,
                        words,
                        offset,
                        content,
                        is_taken: false,
                    });
                }
            }
        }
        let recent = (0..layout.stripe(stripe).len() * planes).map(|_| Mutex::default());
        Self { slots, recent: recent.collect(), planes }
    }

    /// Reads the frames with wanted rows. The words of the others are not changed.
    pub(super) fn take(
        &mut self,
        source: FrameSource<'_>,
        wanted: &WantedRows<'_>,
        mut data: &mut [u64],
    ) -> Result<()> {
        let mut end = 0;
        let split = self.slots.iter_mut().map(|slot| {
            let (_, rest) = std::mem::take(&mut data).split_at_mut(slot.offset - end);
            let (part, rest) = rest.split_at_mut(slot.len());
            (data, end) = (rest, slot.offset + slot.len());
            (slot, part)
        });
        split.collect::<Vec<_>>().into_par_iter().try_for_each(|(slot, part)| {
            slot.is_taken = wanted(slot.panel, &slot.rows);
            if slot.is_taken { slot.read(source, part) } else { Ok(()) }
        })
    }

    /// Writes the frames with changed rows of those that were taken.
    pub(super) fn put(
        &mut self,
        source: FrameSource<'_>,
        changed: &WantedRows<'_>,
        data: &[u64],
    ) -> Result<()> {
        self.forget_recent();
        let split = self.slots.iter_mut().map(|slot| {
            let part = &data[slot.offset..][..slot.len()];
            (slot, part)
        });
        split.collect::<Vec<_>>().into_par_iter().try_for_each(|(slot, part)| {
            let is_taken = std::mem::take(&mut slot.is_taken);
            let is_changed = is_taken && changed(slot.panel, &slot.rows);
            if is_changed { slot.replace(source, part) } else { Ok(()) }
        })
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

    /// Reads some rows of a matrix in a panel.
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
            match &slot.content {
                Content::Zeros => part.fill(0),
                Content::Unfinished(words) => copy(part, words),
                Content::InFile(_) => {
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
            slot.write(source, rows, part)?;
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

    #[derive(Clone, Debug)]
    enum Step {
        /// A panel and a matrix, the first row, the number of rows, and what makes the words.
        Write(usize, usize, usize, usize, u64),
        Read(usize, usize, usize, usize),
        Replace(usize, u64),
        Finish,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let (panel, plane, row, rows) = (0..2usize, 0..3usize, 0..104usize, 1..60usize);
        let step = prop_oneof![
            3 => (panel.clone(), plane.clone(), row.clone(), rows.clone(), any::<u64>())
                .prop_map(|(panel, plane, row, rows, bits)| Step::Write(panel, plane, row, rows, bits)),
            3 => (panel, plane, row, rows)
                .prop_map(|(panel, plane, row, rows)| Step::Read(panel, plane, row, rows)),
            1 => (any::<usize>(), any::<u64>()).prop_map(|(word, bits)| Step::Replace(word, bits)),
            1 => Just(Step::Finish),
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
            (20..200).step_by(7).map(move |sets| Layout::new(100, sets, 4, 3, ranks))
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
        ) {
            // With several processes, the first panel of some stripe has fewer rows than the others.
            let (layout, stripe) = match is_distributed {
                false => (Layout::new(100, 130, 4, 3, 1), 1),
                true => with_gap(),
            };
            let overlaps = overlaps(100, layout.words());
            let dir = tempfile::tempdir().unwrap();
            let file = FrameFile::create(dir.path()).unwrap();
            let source = FrameSource { file: &file, overlaps: Some(&overlaps) };
            let mut frames = FrameStripe::new(&layout, stripe, chunk);
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
                        frames.read(source, (panel, plane), &rows, &mut found).unwrap();
                        prop_assert_eq!(&found, &plain[from]);
                    }
                    Step::Replace(word, bits) => {
                        let (word, mut data) = (word % plain.len(), vec![bits; plain.len()]);
                        // All rows from one on.
                        let wanted = |_: usize, rows: &Range<usize>| rows.end > word % layout.rows();
                        frames.take(source, &wanted, &mut data).unwrap();
                        let Some(Slot { is_taken, .. }) = slot_of(&frames, word) else { continue };
                        prop_assert_eq!(data[word], if *is_taken { plain[word] } else { bits });
                        data[word] = !bits;
                        if *is_taken {
                            plain[word] = !bits;
                        }
                        frames.put(source, &wanted, &data).unwrap();
                    }
                    Step::Finish => {
                        frames.finish(source).unwrap();
                        let is_unfinished =
                            |slot: &Slot| matches!(slot.content, Content::Unfinished(_));
                        prop_assert!(!frames.slots.iter().any(is_unfinished));
                    }
                }
            }
            let mut found = vec![7; plain.len()];
            frames.take(source, &|_, _| true, &mut found).unwrap();
            for slot in &frames.slots {
                let words = slot.offset..slot.offset + slot.len();
                prop_assert_eq!(&found[words.clone()], &plain[words]);
            }
        }
    }
}
