//! Compressed parts of matrices in a temporary file.
//!
//! A *frame* is the part of one matrix of one panel in some rows. It is compressed by zstd, which
//! halves it. For the matrix of losses, more is known: places where the sets of the row and the
//! column overlap are closed, and rows that follow each other are much alike. So its frames have the
//! differences to the row above, and nothing at these places. This takes a quarter less space
//! still, and no time. LZ4 would be three times as fast, and take half as much again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fanorona_core::PointSet;
use fanorona_storage::{FileError, Operation, ScratchFile, checksum, compress, decompress};
use zerocopy::IntoBytes;

use super::layout::MAX_WIDTH;
use crate::error::Result;

/// The compression level of zstd. Low, because passes wait for it.
const LEVEL: i32 = 1;

/// The bytes of a page. Frames begin at pages.
const PAGE: u64 = if cfg!(test) { 1 << 4 } else { 1 << 12 };

/// A frame in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    offset: u64,
    len: u32,
    /// Whether it has differences.
    has_differences: bool,
    /// The checksum of its words.
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

    /// Writes the words of a frame, unless `last` has them. Its space can then be used again.
    /// `overlap` says which places are closed, if the matrix is one of losses.
    pub(super) fn write(
        &self,
        last: Option<Frame>,
        words: &[u64],
        overlap: Option<Overlap<'_>>,
    ) -> Result<Frame> {
        let checksum = checksum(words.as_bytes());
        if let Some(last) = last.filter(|last| last.checksum == checksum) {
            return Ok(last);
        }
        let differences = overlap.and_then(|overlap| overlap.differences(words));
        let has_differences = differences.is_some();
        let bytes = differences.as_deref().unwrap_or(words).as_bytes();
        let bytes = compress(bytes, LEVEL).map_err(FileError::io(Operation::Write, &self.dir))?;
        let len = bytes.len() as u32;
        let offset = PAGE * self.space().take(pages(len));
        let frame = Frame { offset, len, has_differences, checksum };
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
        overlap: Option<Overlap<'_>>,
    ) -> Result<()> {
        let mut bytes = vec![0; frame.len as usize];
        self.file.read(frame.offset, &mut bytes)?;
        let len = size_of_val(words);
        let is_whole = decompress(&bytes, words.as_mut_bytes()).is_ok_and(|found| found == len);
        if let Some(overlap) = overlap.filter(|_| frame.has_differences) {
            overlap.add_differences(words);
        }
        if !is_whole || checksum(words.as_bytes()) != frame.checksum {
            let what = "a temporary file has other bytes than were written".to_owned();
            return Err(
                FileError::Corrupt { path: self.dir.clone(), what, offset: frame.offset }.into()
            );
        }
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

/// Which places of a slice's matrices are no positions, because the sets of the row and the column
/// overlap.
pub(crate) struct Overlaps {
    /// The matrix of losses.
    pub plane: usize,
    /// The set of each row.
    own: Vec<PointSet>,
    /// For each point, the columns whose sets contain it.
    containing: Vec<Vec<u64>>,
}

impl Overlaps {
    /// The overlaps of a slice, given its matrix of losses, the set of each row, and for each point the
    /// columns that contain it.
    pub(crate) fn new(plane: usize, own: Vec<PointSet>, containing: Vec<Vec<u64>>) -> Self {
        Self { plane, own, containing }
    }
}

/// The [`Overlaps`] in a frame.
#[derive(Clone)]
pub(super) struct Overlap<'o> {
    pub overlaps: &'o Overlaps,
    /// The row of the matrix that is the first one of the frame.
    pub first: usize,
    pub words: Range<usize>,
}

impl Overlap<'_> {
    /// Sets `taken` to the places of a row of the frame where the sets overlap. Rows that fill up
    /// the last group have none.
    #[inline]
    fn row<'t>(&self, row: usize, taken: &'t mut [u64; MAX_WIDTH]) -> &'t [u64] {
        let taken = &mut taken[..self.words.len()];
        taken.fill(0);
        if let Some(own) = self.overlaps.own.get(self.first + row) {
            for point in own.iter() {
                let containing = &self.overlaps.containing[point.index()][self.words.clone()];
                taken.iter_mut().zip(containing).for_each(|(taken, more)| *taken |= more);
            }
        }
        taken
    }

    /// The differences of each row to the one above. Where the sets overlap, a row counts as equal
    /// to the one above. `None` if some of these places are not set, so that they would be lost.
    fn differences(&self, words: &[u64]) -> Option<Vec<u64>> {
        let (mut above, mut taken) = ([0; MAX_WIDTH], [0; MAX_WIDTH]);
        let (mut differences, mut lost) = (Vec::with_capacity(words.len()), 0);
        for (row, words) in words.chunks(self.words.len()).enumerate() {
            let taken = self.row(row, &mut taken);
            let all = words.iter().zip(taken).zip(&mut above);
            differences.extend(all.map(|((word, taken), above)| {
                lost |= taken & !word;
                let difference = (word ^ *above) & !taken;
                *above ^= difference;
                difference
            }));
        }
        (lost == 0).then_some(differences)
    }

    /// Undoes [`differences`](Self::differences).
    fn add_differences(&self, words: &mut [u64]) {
        let (mut above, mut taken) = ([0; MAX_WIDTH], [0; MAX_WIDTH]);
        for (row, words) in words.chunks_mut(self.words.len()).enumerate() {
            let taken = self.row(row, &mut taken);
            for ((word, taken), above) in words.iter_mut().zip(taken).zip(&mut above) {
                *above ^= *word;
                *word = *above | taken;
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Some overlaps with this number of rows and words.
    pub(in super::super) fn overlaps(rows: usize, words: usize) -> Overlaps {
        let random = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let own = (0..rows as u64).map(|row| PointSet::from_bits(1 << (row % 9) | 1 << (row % 7)));
        let containing = (0..9).map(|point| {
            (0..words as u64).map(|word| random(point << 32 | word) & random(word)).collect()
        });
        Overlaps { plane: 1, own: own.collect(), containing: containing.collect() }
    }

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

        /// What was written last is read, and the space of what it replaces is used again.
        #[test]
        fn frames_are_read_as_written(
            writes in prop::collection::vec((0..8usize, any::<u64>(), 0..3u8), 1..100),
        ) {
            in_dir(|dir| {
                let file = FrameFile::create(dir).unwrap();
                let overlaps = overlaps(20, MAX_WIDTH);
                let overlap = |i: usize| Overlap { overlaps: &overlaps, first: 3 * i, words: 0..MAX_WIDTH };
                let mut all = vec![None; 8];
                for (i, bits, kind) in writes {
                    let mut words: Vec<u64> = (0..10 * MAX_WIDTH as u64)
                        .map(|word| bits.rotate_left((word * word % 61) as u32) & word)
                        .collect();
                    let mut taken = [0; MAX_WIDTH];
                    for (row, words) in words.chunks_mut(MAX_WIDTH).enumerate() {
                        let taken = overlap(i).row(row, &mut taken);
                        words.iter_mut().zip(taken).for_each(|(word, taken)| *word |= taken);
                    }
                    if kind == 1 {
                        // A place that would be lost.
                        words.fill(0);
                    }
                    let with = (kind > 0).then(|| overlap(i));
                    let last = all[i].take().map(|(frame, _, _)| frame);
                    let frame = file.write(last, &words, with).unwrap();
                    all[i] = Some((frame, words, kind));
                    for (i, frame) in all.iter().enumerate() {
                        let Some((frame, words, kind)) = frame else { continue };
                        let mut found = vec![7; words.len()];
                        let with = (*kind > 0).then(|| overlap(i));
                        file.read(*frame, &mut found, with).unwrap();
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

    /// Words that have not changed are not written again.
    #[test]
    fn equal_frames_stay_where_they_are() {
        in_dir(|dir| {
            let file = FrameFile::create(dir).unwrap();
            let frame = file.write(None, &[1, 2, 3], None).unwrap();
            let same = file.write(Some(frame), &[1, 2, 3], None).unwrap();
            assert_eq!((same.offset, same.checksum), (frame.offset, frame.checksum));
            let other = file.write(Some(same), &[1, 2, 4], None).unwrap();
            assert_ne!((other.offset, other.checksum), (frame.offset, frame.checksum));
            let again = file.write(Some(other), &[1, 2, 5], None).unwrap();
            assert_eq!(again.offset, frame.offset);
        });
    }

    #[test]
    fn damaged_frames_are_errors() {
        in_dir(|dir| {
            let file = FrameFile::create(dir).unwrap();
            let words: Vec<u64> = (0..100).collect();
            let overlaps = overlaps(50, 2);
            let overlap = Overlap { overlaps: &overlaps, first: 0, words: 0..2 };
            let mut closed = vec![u64::MAX; 100];
            closed[7] = 0;
            let frames = [
                (file.write(None, &words, None).unwrap(), None),
                (file.write(None, &closed, Some(overlap.clone())).unwrap(), Some(overlap)),
            ];
            for ((frame, overlap), expected) in frames.into_iter().zip([&words, &closed]) {
                let mut found = vec![0; 100];
                let mut bytes = vec![0; frame.len as usize];
                file.file.read(frame.offset, &mut bytes).unwrap();
                let mut errors = 0;
                for i in 0..bytes.len() {
                    let mut damaged = bytes.clone();
                    damaged[i] ^= 0x10;
                    file.file.write(frame.offset, &damaged).unwrap();
                    // Some bits have no meaning.
                    match file.read(frame, &mut found, overlap.clone()) {
                        Ok(()) => assert_eq!(&found, expected, "byte {i}"),
                        Err(_) => errors += 1,
                    }
                }
                assert!(2 * errors > bytes.len(), "{errors} of {}", bytes.len());
                file.file.write(frame.offset, &bytes).unwrap();
                file.read(frame, &mut found, overlap.clone()).unwrap();
                // Another length.
                assert!(file.read(frame, &mut found[1..], overlap.clone()).is_err());
                found.push(0);
                let error = file.read(frame, &mut found, overlap).unwrap_err();
                assert!(error.to_string().contains("temporary file"), "{error}");
            }
        });
    }
}
