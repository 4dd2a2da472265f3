//! Packed parts of matrices in a temporary file.
//!
//! A *frame* is the part of one matrix of one panel in some rows, [packed](super::packed).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fanorona_storage::{FileError, ScratchFile, checksum};

use super::packed::{Form, Overlap, PADDING, pack, unpack};
use crate::error::Result;

/// The bytes of a page. Frames begin at pages.
const PAGE: u64 = if cfg!(test) { 1 << 4 } else { 1 << 9 };

/// A frame in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    offset: u64,
    len: u32,
    form: Form,
    /// The checksum of its bytes.
    checksum: u64,
}

/// A file with frames. Threads can share it.
pub(super) struct FrameFile {
    file: ScratchFile,
    dir: PathBuf,
    space: Mutex<Space>,
}

impl FrameFile {
    /// An empty file in a directory.
    pub(super) fn create(dir: &Path) -> Result<Self> {
        let (file, space) = (ScratchFile::create(dir)?, Mutex::default());
        Ok(Self { file, dir: dir.to_owned(), space })
    }

    /// Writes the words of a frame. The space of the `last` one can then be used again.
    /// `overlap` says which places are no positions.
    pub(super) fn write(
        &self,
        last: Option<Frame>,
        words: &[u64],
        overlap: Option<&Overlap<'_>>,
    ) -> Result<Frame> {
        let (form, bytes) = pack(words, overlap);
        let checksum = checksum(&bytes);
        let len = bytes.len() as u32;
        let offset = PAGE * self.space().take(pages(len));
        let frame = Frame { offset, len, form, checksum };
        let written = self.file.write(offset, &bytes);
        if let Some(unused) = if written.is_ok() { last } else { Some(frame) } {
            self.free(unused);
        }
        written?;
        Ok(frame)
    }

    /// Reads the words of a frame. `overlap` is as it was when it was written.
    ///
    /// # Errors
    /// If the disk fails, or returns other bytes than were written.
    pub(super) fn read(
        &self,
        frame: Frame,
        words: &mut [u64],
        overlap: Option<&Overlap<'_>>,
    ) -> Result<()> {
        let len = frame.len as usize;
        let mut bytes = vec![0; len + PADDING];
        self.file.read(frame.offset, &mut bytes[..len])?;
        if checksum(&bytes[..len]) != frame.checksum {
            let what = "a temporary file has other bytes than were written".to_owned();
            return Err(
                FileError::Corrupt { path: self.dir.clone(), what, offset: frame.offset }.into()
            );
        }
        unpack(frame.form, &bytes, overlap, words);
        Ok(())
    }

    /// Gives back the space of a frame.
    pub(super) fn free(&self, frame: Frame) {
        self.space().give_back(frame.offset / PAGE, pages(frame.len));
    }

    /// The length of the file, in bytes.
    #[cfg(test)]
    fn len(&self) -> u64 {
        PAGE * self.space().end
    }

    fn space(&self) -> MutexGuard<'_, Space> {
        self.space.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pages(len: u32) -> u64 {
    u64::from(len).div_ceil(PAGE)
}

/// The space of a file, in pages. What is free is used again: the shortest of the ranges that are
/// long enough.
#[derive(Default)]
struct Space {
    /// Where the file ends.
    end: u64,
    /// The free ranges: for each of them the length by its start.
    free: BTreeMap<u64, u64>,
    /// The same, as lengths and starts.
    by_len: BTreeSet<(u64, u64)>,
}

impl Space {
    /// Takes some pages. Returns where they start.
    fn take(&mut self, len: u64) -> u64 {
        let Some(&(found, start)) = self.by_len.range((len, 0)..).next() else {
            self.end += len;
            return self.end - len;
        };
        self.remove(start, found);
        if found > len {
            self.add(start + len, found - len);
        }
        start
    }

    /// Makes some pages free that were taken.
    fn give_back(&mut self, mut start: u64, mut len: u64) {
        let before = self.free.range(..start).next_back().map(|(start, len)| (*start, *len));
        if let Some((other, before)) = before.filter(|(other, len)| other + len == start) {
            self.remove(other, before);
            (start, len) = (other, before + len);
        }
        if let Some(&after) = self.free.get(&(start + len)) {
            self.remove(start + len, after);
            len += after;
        }
        if start + len == self.end {
            self.end = start;
        } else {
            self.add(start, len);
        }
    }

    fn add(&mut self, start: u64, len: u64) {
        self.free.insert(start, len);
        self.by_len.insert((len, start));
    }

    fn remove(&mut self, start: u64, len: u64) {
        self.free.remove(&start);
        self.by_len.remove(&(len, start));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::layout::MAX_WIDTH;
    use super::super::packed::tests::overlaps;
    use super::*;

    fn in_dir<T>(test: impl FnOnce(&Path) -> T) -> T {
        test(tempfile::tempdir().unwrap().path())
    }

    proptest! {
        /// Ranges that are taken do not overlap, and the free ones are all others.
        #[test]
        fn space_is_used_once(steps in prop::collection::vec((any::<bool>(), 1..20u64), 1..300)) {
            let (mut space, mut taken) = (Space::default(), Vec::<(u64, u64)>::new());
            for (takes, number) in steps {
                if takes || taken.is_empty() {
                    taken.push((space.take(number), number));
                } else {
                    let (start, len) = taken.swap_remove(number as usize % taken.len());
                    space.give_back(start, len);
                }
                let free = space.free.iter().map(|(start, len)| (*start, *len));
                let mut all: Vec<_> = free.chain(taken.iter().copied()).collect();
                all.sort_unstable();
                let mut end = 0;
                for (start, len) in all {
                    prop_assert_eq!(start, end);
                    end += len;
                }
                prop_assert_eq!(end, space.end);
                let by_len: BTreeSet<_> = space.free.iter().map(|(at, len)| (*len, *at)).collect();
                prop_assert_eq!(&by_len, &space.by_len);
                // Neighbours are one range.
                prop_assert!(space.free.iter().all(|(at, len)| !space.free.contains_key(&(at + len))));
            }
            for (start, len) in taken {
                space.give_back(start, len);
            }
            prop_assert_eq!((space.end, space.free.len()), (0, 0));
        }

        /// The last words written are read, and the space of those that they replace is used again.
        #[test]
        fn frames_are_read_as_written(
            writes in prop::collection::vec((0..8usize, any::<u64>(), any::<bool>()), 1..100),
        ) {
            in_dir(|dir| {
                let file = FrameFile::create(dir).unwrap();
                let overlaps = overlaps(20, MAX_WIDTH);
                let overlap = |i: usize| Overlap { overlaps: &overlaps, first: 3 * i, words: 0..MAX_WIDTH };
                let mut all = vec![None; 8];
                for (i, bits, has_overlap) in writes {
                    let words: Vec<u64> = (0..10 * MAX_WIDTH as u64)
                        .map(|word| bits.rotate_left((word * word % 61) as u32) & word)
                        .collect();
                    let with = has_overlap.then(|| overlap(i));
                    let last = all[i].take().map(|(frame, _, _)| frame);
                    let frame = file.write(last, &words, with.as_ref()).unwrap();
                    all[i] = Some((frame, words, with));
                    for (frame, words, with) in all.iter().flatten() {
                        let mut found = vec![7; words.len()];
                        file.read(*frame, &mut found, with.as_ref()).unwrap();
                        prop_assert_eq!(&found, words);
                    }
                }
                let frames: Vec<_> = all.into_iter().flatten().map(|(frame, _, _)| frame).collect();
                let used: u64 = frames.iter().map(|frame| pages(frame.len)).sum();
                let free: u64 = file.space().free.values().sum();
                prop_assert_eq!(PAGE * (used + free), file.len());
                frames.into_iter().for_each(|frame| file.free(frame));
                prop_assert_eq!(file.len(), 0);
                Ok(())
            })?;
        }
    }

    #[test]
    fn damaged_frames_are_errors() {
        in_dir(|dir| {
            let file = FrameFile::create(dir).unwrap();
            let overlaps = overlaps(50, 2);
            let overlap = Overlap { overlaps: &overlaps, first: 0, words: 0..2 };
            let words: Vec<u64> = (0..100).collect();
            for overlap in [None, Some(&overlap)] {
                let frame = file.write(None, &words, overlap).unwrap();
                let mut found = vec![0; 100];
                let mut bytes = vec![0; frame.len as usize];
                file.file.read(frame.offset, &mut bytes).unwrap();
                for i in 0..bytes.len() {
                    let mut damaged = bytes.clone();
                    damaged[i] ^= 0x10;
                    file.file.write(frame.offset, &damaged).unwrap();
                    let error = file.read(frame, &mut found, overlap).unwrap_err();
                    assert!(error.to_string().contains("temporary file"), "{error}");
                }
                file.file.write(frame.offset, &bytes).unwrap();
                file.read(frame, &mut found, overlap).unwrap();
                assert_eq!(found, words);
            }
        });
    }
}
