//! The log of rounds: which positions are decided in how many turns.
//!
//! Distances are not kept by position. For each distance there is a list of compressed *frames*. A
//! frame has the positions of one tile as bits: a tile is a band of rows in a panel. So a round
//! reads and writes only what it decides, and all distances together take little more than the
//! wins and losses.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fanorona_storage::{Operation, ScratchFile, compress, decompress};
use zerocopy::IntoBytes;

use super::layout::Layout;
use crate::error::{Result, TableError};

/// The compression level of zstd. Low, because the build waits for it.
const LEVEL: i32 = 1;

/// The tile of a frame: a band of a panel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct FrameTile {
    pub panel: u32,
    pub band: u32,
}

/// Compressed frames of each distance, with their tiles.
pub(crate) type Frames = BTreeMap<u16, Vec<(FrameTile, Vec<u8>)>>;

/// Compressed positions of a tile.
pub(crate) struct Frame {
    tile: FrameTile,
    /// Whether the last checkpoint has it.
    is_saved: bool,
    location: Location,
}

impl Frame {
    pub(crate) fn band(&self) -> usize {
        self.tile.band as usize
    }

    /// Whether the last checkpoint has it.
    pub(crate) fn is_saved(&self) -> bool {
        self.is_saved
    }
}

/// Where the bytes of a frame are.
#[derive(Clone, Copy)]
struct Location {
    /// The page of its distance; [`IN_FILE`] if it is in the file.
    page: u32,
    len: u32,
    /// Where it begins in the page or the file.
    offset: u64,
}

/// See [`Location::page`].
const IN_FILE: u32 = u32::MAX;

/// The bytes of a page. A frame that does not fit into one goes to the file.
const PAGE: usize = if cfg!(test) { 1 << 6 } else { 1 << 17 };

#[derive(Default)]
struct Round {
    /// In order of their tiles.
    frames: Vec<Frame>,
    /// The bytes of the frames in memory.
    pages: Vec<Vec<u8>>,
}

/// The memory that some logs may take together.
///
/// They take it in pages of one size, and pages that are free are used again. Small frames, each in
/// memory of its own, would leave gaps that are too small for others.
#[derive(Clone)]
pub(crate) struct LogMemory(Arc<Mutex<Pages>>);

struct Pages {
    /// The bytes that are not taken yet. Lists of frames can take more than there are.
    left: i64,
    /// Pages that were taken and are free.
    free: Vec<Vec<u8>>,
}

impl LogMemory {
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Arc::new(Mutex::new(Pages {
            left: i64::try_from(bytes).unwrap_or(i64::MAX),
            free: Vec::new(),
        })))
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty page, if there is room for one.
    fn page(&self) -> Option<Vec<u8>> {
        let mut pages = self.pages();
        if let Some(free) = pages.free.pop() {
            return Some(free);
        }
        pages.left = pages.left.checked_sub(PAGE as i64).filter(|left| *left >= 0)?;
        Some(Vec::with_capacity(PAGE))
    }

    /// Takes the memory of a list of some frames, which there has to be.
    fn list(&self, frames: usize) {
        self.pages().left -= (frames * size_of::<Frame>()) as i64;
    }

    /// Gives back what [`list`](Self::list) and [`page`](Self::page) have taken.
    fn give_back(&self, round: Round) {
        let mut pages = self.pages();
        pages.left += (round.frames.len() * size_of::<Frame>()) as i64;
        pages.free.extend(round.pages.into_iter().map(|mut page| {
            page.clear();
            page
        }));
    }
}

impl Round {
    /// Puts the bytes of a frame into memory, if there is room.
    fn put(&mut self, bytes: &[u8], memory: &LogMemory) -> Option<Location> {
        let has_room = |page: &Vec<u8>| page.len() + bytes.len() <= PAGE;
        if !self.pages.last().is_some_and(has_room) {
            if bytes.len() > PAGE {
                return None;
            }
            self.pages.push(memory.page()?);
        }
        let page = self.pages.last_mut().expect("it has room");
        let (offset, len) = (page.len() as u64, bytes.len() as u32);
        page.extend_from_slice(bytes);
        Some(Location { page: self.pages.len() as u32 - 1, len, offset })
    }
}

/// The positions of a slice by distance.
pub(crate) struct RoundLog {
    /// For each distance, its frames.
    rounds: BTreeMap<u16, Round>,
    /// The bytes that may still be kept in memory. The others go to the file.
    memory: LogMemory,
    scratch_dir: PathBuf,
    file: Option<ScratchFile>,
    file_bytes: u64,
}

impl RoundLog {
    /// An empty log. Frames that do not fit in memory go to a file in `scratch_dir`.
    pub(crate) fn new(memory: LogMemory, scratch_dir: &Path) -> Self {
        let (rounds, scratch_dir) = (BTreeMap::new(), scratch_dir.to_owned());
        Self { rounds, memory, scratch_dir, file: None, file_bytes: 0 }
    }

    /// Adds compressed frames of a distance.
    pub(crate) fn add(
        &mut self,
        distance: u16,
        new: impl IntoIterator<Item = (FrameTile, Vec<u8>)>,
    ) -> Result<()> {
        let round = self.rounds.entry(distance).or_default();
        let was = round.frames.len();
        let mut to_file: Vec<u8> = Vec::new();
        for (tile, bytes) in new {
            let location = round.put(&bytes, &self.memory).unwrap_or_else(|| {
                let offset = self.file_bytes + to_file.len() as u64;
                to_file.extend_from_slice(&bytes);
                Location { page: IN_FILE, len: bytes.len() as u32, offset }
            });
            round.frames.push(Frame { tile, is_saved: false, location });
        }
        let frames = &mut round.frames;
        self.memory.list(frames.len() - was);
        let in_order = frames[was.saturating_sub(1)..].is_sorted_by_key(|frame| frame.tile);
        if !in_order {
            frames.sort_unstable_by_key(|frame| frame.tile);
        }
        if frames.is_empty() {
            self.rounds.remove(&distance);
        }
        if !to_file.is_empty() {
            if self.file.is_none() {
                self.file = Some(ScratchFile::create(&self.scratch_dir)?);
            }
            let file = self.file.as_ref().expect("created before");
            file.write(self.file_bytes, &to_file)?;
            self.file_bytes += to_file.len() as u64;
        }
        Ok(())
    }

    /// The longest distance of a position.
    pub(crate) fn longest(&self) -> Option<u16> {
        self.rounds.last_key_value().map(|(distance, _)| *distance)
    }

    /// Forgets the positions with a distance.
    pub(crate) fn remove(&mut self, distance: u16) {
        if let Some(round) = self.rounds.remove(&distance) {
            self.memory.give_back(round);
        }
    }

    /// Whether a panel has positions with a distance.
    pub(crate) fn has_panel(&self, distance: u16, panel: usize) -> bool {
        !self.frames_in(distance, panel, 0..usize::MAX).is_empty()
    }

    fn frames_of(&self, distance: u16) -> &[Frame] {
        self.rounds.get(&distance).map_or(&[], |round| &round.frames)
    }

    fn frames_in(&self, distance: u16, panel: usize, bands: Range<usize>) -> &[Frame] {
        let frames = self.frames_of(distance);
        let key = |band: usize| FrameTile {
            panel: panel as u32,
            band: u32::try_from(band).unwrap_or(u32::MAX),
        };
        let index = |band| frames.partition_point(|frame| frame.tile < key(band));
        &frames[index(bands.start)..index(bands.end)]
    }

    /// Visits the positions with a distance in some bands of a panel: the band, the index of a word
    /// in its tile, and the word.
    pub(crate) fn for_each(
        &self,
        distance: u16,
        panel: usize,
        bands: Range<usize>,
        layout: &Layout,
        buffers: &mut FrameBuffers,
        mut visit: impl FnMut(usize, usize, u64),
    ) -> Result<()> {
        for frame in self.frames_in(distance, panel, bands) {
            let bytes = self.bytes(distance, frame, &mut buffers.compressed)?;
            let band = frame.tile.band as usize;
            let words = layout.band_len(panel, band);
            if !decode(bytes, words, &mut buffers.raw) {
                let error = io::Error::from(ErrorKind::InvalidData);
                return Err(TableError::io(Operation::Read, &self.scratch_dir)(error));
            }
            for_each_word(&buffers.raw, words, |index, word| visit(band, index, word));
        }
        Ok(())
    }

    /// The bytes of a frame of a distance, if need be in a buffer.
    fn bytes<'b>(
        &'b self,
        distance: u16,
        frame: &Frame,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [u8]> {
        let Location { page, len, offset } = frame.location;
        if page == IN_FILE {
            buffer.resize(len as usize, 0);
            let file = self.file.as_ref().expect("there is a file if a frame is in it");
            file.read(offset, buffer)?;
            return Ok(buffer);
        }
        Ok(&self.rounds[&distance].pages[page as usize][offset as usize..][..len as usize])
    }

    /// The distances in order.
    pub(crate) fn distances(&self) -> impl Iterator<Item = u16> {
        self.rounds.keys().copied()
    }

    /// Whether there are frames that the last checkpoint does not have.
    pub(crate) fn has_unsaved(&self) -> bool {
        self.rounds.values().flat_map(|round| &round.frames).any(|frame| !frame.is_saved)
    }

    /// Records that the last checkpoint has all frames.
    pub(crate) fn set_saved(&mut self) {
        let frames = self.rounds.values_mut().flat_map(|round| &mut round.frames);
        frames.for_each(|frame| frame.is_saved = true);
    }

    /// Some compressed frames of a distance, with their tiles.
    pub(crate) fn compressed(
        &self,
        distance: u16,
        is_wanted: impl Fn(&Frame) -> bool,
    ) -> impl Iterator<Item = Result<(FrameTile, Vec<u8>)>> {
        let frames = self.frames_of(distance).iter();
        frames.filter(move |frame| is_wanted(frame)).map(move |frame| {
            let mut buffer = Vec::new();
            Ok((frame.tile, self.bytes(distance, frame, &mut buffer)?.to_vec()))
        })
    }
}

/// Writes a frame of a log, after its distance, tile and length.
pub(crate) fn write_frame(
    out: &mut dyn Write,
    distance: u16,
    (FrameTile { panel, band }, bytes): &(FrameTile, Vec<u8>),
) -> io::Result<()> {
    for number in [distance.into(), *panel, *band, bytes.len() as u32] {
        out.write_all(&u32::to_le_bytes(number))?;
    }
    out.write_all(bytes)
}

/// Buffers that a thread uses for its frames.
#[derive(Default)]
pub(crate) struct FrameBuffers {
    compressed: Vec<u8>,
    /// A bit for each word of the tile that is not zero, then these words.
    raw: Vec<u64>,
}

/// Visits the words of a tile that are not zero, with their index. The tile has this number of
/// words, and [`decode`] has decompressed them.
pub(crate) fn for_each_word(raw: &[u64], words: usize, mut visit: impl FnMut(usize, u64)) {
    let (present, mut rest) = raw.split_at(words.div_ceil(64));
    for (i, present) in present.iter().enumerate() {
        let mut present = *present;
        while present != 0 {
            visit(64 * i + present.trailing_zeros() as usize, rest[0]);
            present &= present - 1;
            rest = &rest[1..];
        }
    }
}

/// Compresses the words of a tile. `None` if all are zero.
pub(crate) fn encode(words: &[u64]) -> Option<Vec<u8>> {
    if words.iter().all(|word| *word == 0) {
        return None;
    }
    let mut raw = vec![0u64; words.len().div_ceil(64)];
    for (i, word) in words.iter().enumerate() {
        if *word != 0 {
            raw[i / 64] |= 1 << (i % 64);
            raw.push(*word);
        }
    }
    Some(compress(raw.as_bytes(), LEVEL).expect("compressing into memory does not fail"))
}

/// Decompresses a frame of a tile with a number of words. Returns whether it is valid.
pub(crate) fn decode(bytes: &[u8], words: usize, raw: &mut Vec<u64>) -> bool {
    let bitmap = words.div_ceil(64);
    raw.resize(bitmap + words, 0);
    let Ok(len) = decompress(bytes, raw.as_mut_bytes()) else { return false };
    if len % 8 != 0 || len / 8 < bitmap {
        return false;
    }
    raw.truncate(len / 8);
    let (found, rest) = raw.split_at(bitmap);
    let past_the_end = !words.is_multiple_of(64) && found[bitmap - 1] >> (words % 64) != 0;
    let count: u32 = found.iter().map(|word| word.count_ones()).sum();
    !past_the_end && count as usize == rest.len()
}

/// The most compressed bytes of a frame that [`decode`] accepts.
pub(crate) fn largest_frame(layout: &Layout) -> usize {
    let words = layout.band_rows() * layout.width();
    zstd::zstd_safe::compress_bound(8 * (words + words.div_ceil(64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_by_tile_and_distance() {
        let dir = tempfile::tempdir().unwrap();
        // Three panels of two words, and four bands.
        let layout = Layout::new(128, 96, 4, 2, 1);
        let words = layout.band_len(0, 0);
        let tile = |panel: u32, band: u32| {
            let mut tile = vec![0u64; words];
            tile[(panel * 7 + band) as usize] = 1 << panel;
            tile[words - 1] = u64::from(band) + 1;
            tile
        };
        for memory in [0, 300, 1 << 20] {
            let mut log = RoundLog::new(LogMemory::new(memory), dir.path());
            for distance in [3, 1] {
                for panel in [2, 0, 1] {
                    let bands = (0..4).map(|band| {
                        let bytes = encode(&tile(panel, band)).expect("it is not zero");
                        (FrameTile { panel, band }, bytes)
                    });
                    log.add(distance, bands).unwrap();
                }
            }
            assert_eq!(log.file.is_some(), memory < 1 << 20);
            let pages = |log: &RoundLog| -> usize {
                log.rounds.values().map(|round| round.pages.len()).sum()
            };
            assert!(pages(&log) * PAGE <= memory as usize && (pages(&log) > 0) == (memory > 0));
            log.add(9, []).unwrap();
            assert_eq!((log.longest(), log.has_panel(3, 2)), (Some(3), true));
            assert!(!log.has_panel(3, 3) && !log.has_panel(2, 0));
            let mut buffers = FrameBuffers::default();
            for panel in 0..3 {
                let mut found = Vec::new();
                let visit = |band, index, word| found.push((band, index, word));
                log.for_each(1, panel as usize, 1..3, &layout, &mut buffers, visit).unwrap();
                let expected = [1, 2].into_iter().flat_map(|band| {
                    let words = tile(panel, band as u32).into_iter().enumerate();
                    words.filter(|(_, word)| *word != 0).map(move |(i, word)| (band, i, word))
                });
                assert_eq!(found, expected.collect::<Vec<_>>());
            }
            let unsaved = |log: &RoundLog, all| {
                log.compressed(3, |frame| all || !frame.is_saved).map(Result::unwrap).count()
            };
            assert_eq!((log.has_unsaved(), unsaved(&log, false)), (true, 12));
            log.set_saved();
            assert_eq!(
                (log.has_unsaved(), unsaved(&log, false), unsaved(&log, true)),
                (false, 0, 12)
            );
            log.add(3, [(FrameTile { panel: 1, band: 2 }, encode(&tile(1, 2)).unwrap())]).unwrap();
            assert_eq!((log.has_unsaved(), unsaved(&log, false)), (true, 1));
            let before = pages(&log);
            log.remove(3);
            assert_eq!(log.distances().collect::<Vec<_>>(), [1]);
            // Free pages are used again.
            let free = || log.memory.pages().free.len();
            assert_eq!(free() + pages(&log), before);
            let was = free();
            log.add(5, [(FrameTile { panel: 0, band: 0 }, vec![0; 8])]).unwrap();
            assert_eq!(log.memory.pages().free.len(), was.saturating_sub(1));
        }
        assert_eq!(encode(&[0; 100]), None);
    }

    #[test]
    fn damaged_frames_are_refused() {
        let mut raw = Vec::new();
        let good = encode(&[0, 5, 0, 7]).unwrap();
        assert!(decode(&good, 4, &mut raw));
        assert!(!decode(&good, 3, &mut raw) && !decode(&good, 100, &mut raw));
        assert!(!decode(&good[..good.len() - 1], 4, &mut raw));
        let of = |words: &[u64]| compress(words.as_bytes(), LEVEL).unwrap();
        for bad in [&[][..], &[3, 1], &[1], &[1, 2, 3], &[1 << 4, 1]] {
            assert!(!decode(&of(bad), 4, &mut raw), "{bad:?}");
        }
    }
}
