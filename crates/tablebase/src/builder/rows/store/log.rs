//! The log of rounds: which positions are decided in how many turns.
//!
//! Distances are not kept by position. For each distance there is a list of compressed *frames*. A
//! frame has the positions of one tile as bits: a tile is a band of rows in a panel. So a round
//! reads and writes only what it decides, and all distances together take little more than the
//! wins and losses.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fanorona_storage::Operation;

use super::layout::Layout;
use super::log_frame::{FrameTile, decode, for_each_word, read_frame, write_frame};
use crate::builder::checkpoint::{Extent, ExtentFile, Numbers, damaged, of_system};
use crate::builder::context::MAX_DISTANCE;
use crate::error::{Result, TableError};

/// Compressed positions of a tile.
pub(crate) struct Frame {
    tile: FrameTile,
    len: u32,
    location: Location,
}

impl Frame {
    pub(crate) fn band(&self) -> usize {
        self.tile.band as usize
    }
}

/// Where the bytes of a frame are: the number of a page or an extent of its distance, and where they
/// begin there.
#[derive(Clone, Copy)]
enum Location {
    /// Only in memory.
    New {
        page: u32,
        first: u32,
    },
    /// In memory. An extent has them, too.
    Saved {
        page: u32,
        first: u32,
    },
    InFile {
        extent: u32,
        first: u32,
    },
}

/// The bytes of a page. A frame that does not fit into one goes to the file.
const PAGE: usize = if cfg!(test) { 1 << 6 } else { 1 << 17 };

/// The bytes of an extent with frames, if it has more than one.
const EXTENT_AT_MOST: usize = if cfg!(test) { 1 << 8 } else { 16 << 20 };

#[derive(Default)]
struct Round {
    /// In order of their tiles.
    frames: Vec<Frame>,
    /// The bytes of the frames in memory.
    pages: Vec<Vec<u8>>,
    /// The frames in the file, each [with its tile](write_frame).
    extents: Vec<Extent>,
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
    /// Puts the bytes of a frame into memory, if there is room. Returns the page and where they begin.
    fn put(&mut self, bytes: &[u8], memory: &LogMemory) -> Option<[u32; 2]> {
        let has_room = |page: &Vec<u8>| page.len() + bytes.len() <= PAGE;
        if !self.pages.last().is_some_and(has_room) {
            if bytes.len() > PAGE {
                return None;
            }
            self.pages.push(memory.page()?);
        }
        let page = self.pages.last_mut().expect("it has room");
        let first = page.len() as u32;
        page.extend_from_slice(bytes);
        Some([self.pages.len() as u32 - 1, first])
    }

    /// Writes an extent with frames.
    fn write(&mut self, frames: &mut Vec<u8>, file: &ExtentFile) -> Result<()> {
        if !frames.is_empty() {
            self.extents.push(file.write(frames)?);
            frames.clear();
        }
        Ok(())
    }

    /// Places frames of a distance, in memory or in the file.
    fn place(
        &mut self,
        distance: u16,
        new: impl IntoIterator<Item = (FrameTile, Vec<u8>)>,
        memory: &LogMemory,
        file: &ExtentFile,
    ) -> Result<Vec<Frame>> {
        let mut to_file: Vec<u8> = Vec::new();
        let mut placed = Vec::new();
        for (tile, bytes) in new {
            let location = match self.put(&bytes, memory) {
                Some([page, first]) => Location::New { page, first },
                None => {
                    if to_file.len() + bytes.len() > EXTENT_AT_MOST {
                        self.write(&mut to_file, file)?;
                    }
                    write_frame(&mut to_file, distance, (tile, &bytes));
                    let first = (to_file.len() - bytes.len()) as u32;
                    Location::InFile { extent: self.extents.len() as u32, first }
                }
            };
            placed.push(Frame { tile, len: bytes.len() as u32, location });
        }
        self.write(&mut to_file, file)?;
        Ok(placed)
    }

    /// Adds frames that were placed.
    fn add(&mut self, placed: Vec<Frame>, memory: &LogMemory) {
        let was = self.frames.len();
        memory.list(placed.len());
        self.frames.extend(placed);
        let in_order = self.frames[was.saturating_sub(1)..].is_sorted_by_key(|frame| frame.tile);
        if !in_order {
            self.frames.sort_unstable_by_key(|frame| frame.tile);
        }
    }

    /// Writes the frames that are only in memory.
    fn save(&mut self, distance: u16, file: &ExtentFile) -> Result<()> {
        let (mut to_file, mut saved) = (Vec::new(), 0);
        for i in 0..=self.frames.len() {
            if to_file.len() > EXTENT_AT_MOST || i == self.frames.len() {
                self.write(&mut to_file, file)?;
                for frame in &mut self.frames[saved..i] {
                    if let Location::New { page, first } = frame.location {
                        frame.location = Location::Saved { page, first };
                    }
                }
                saved = i;
            }
            if let Some(Frame { tile, len, location: Location::New { page, first } }) =
                self.frames.get(i)
            {
                let bytes = &self.pages[*page as usize][*first as usize..][..*len as usize];
                write_frame(&mut to_file, distance, (*tile, bytes));
            }
        }
        Ok(())
    }

    /// Places the frames of the next extent of a checkpoint, in memory or where they are.
    fn restore(
        &mut self,
        distance: u16,
        all: &[u8],
        layout: &Layout,
        memory: &LogMemory,
    ) -> io::Result<Vec<Frame>> {
        let (mut rest, mut placed, mut raw) = (all, Vec::new(), Vec::new());
        while !rest.is_empty() {
            let frame = read_frame(&mut rest).filter(|(other, ..)| *other == u32::from(distance));
            let (_, tile, bytes) = frame.ok_or_else(|| damaged("its log is damaged"))?;
            let (panel, band) = (tile.panel as usize, tile.band as usize);
            let first = band.saturating_mul(layout.band_rows());
            if panel >= layout.num_panels() || !layout.rows_of(panel).contains(&first) {
                return Err(damaged("it has positions outside of the slice"));
            }
            if !decode(bytes, layout.band_len(panel, band), &mut raw) {
                return Err(damaged("a frame does not decompress"));
            }
            let location = match self.put(bytes, memory) {
                Some([page, first]) => Location::Saved { page, first },
                None => {
                    let first = (all.len() - rest.len() - bytes.len()) as u32;
                    Location::InFile { extent: self.extents.len() as u32, first }
                }
            };
            placed.push(Frame { tile, len: bytes.len() as u32, location });
        }
        Ok(placed)
    }

    /// The bytes of a frame, if need be in a buffer.
    fn bytes<'b>(
        &'b self,
        frame: &Frame,
        file: &ExtentFile,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [u8]> {
        let len = frame.len as usize;
        match frame.location {
            Location::New { page, first } | Location::Saved { page, first } => {
                Ok(&self.pages[page as usize][first as usize..][..len])
            }
            Location::InFile { extent, first } => {
                buffer.resize(len, 0);
                file.read_part(self.extents[extent as usize], first, buffer)?;
                Ok(buffer)
            }
        }
    }
}

/// The positions of a slice by distance.
pub(crate) struct RoundLog {
    /// For each distance, its frames.
    rounds: BTreeMap<u16, Round>,
    /// The bytes that may still be kept in memory. The others go to the file.
    memory: LogMemory,
    file: Arc<ExtentFile>,
}

impl RoundLog {
    /// An empty log. Frames that do not fit in memory go to a file.
    pub(crate) fn new(memory: LogMemory, file: Arc<ExtentFile>) -> Self {
        Self { rounds: BTreeMap::new(), memory, file }
    }

    /// Adds compressed frames of a distance: all of them, or none if there is an error.
    pub(crate) fn add(
        &mut self,
        distance: u16,
        new: impl IntoIterator<Item = (FrameTile, Vec<u8>)>,
    ) -> Result<()> {
        let round = self.rounds.entry(distance).or_default();
        let was = round.extents.len();
        let placed = round.place(distance, new, &self.memory, &self.file);
        if placed.is_err() {
            round.extents.drain(was..).for_each(|extent| self.file.free(extent));
        }
        let result = placed.map(|placed| round.add(placed, &self.memory));
        if round.frames.is_empty() {
            self.remove(distance);
        }
        result
    }

    /// Brings the file up to date, for a checkpoint.
    pub(crate) fn save(&mut self) -> Result<()> {
        self.rounds.iter_mut().try_for_each(|(distance, round)| round.save(*distance, &self.file))
    }

    /// Adds the extents to the index of a checkpoint.
    pub(crate) fn add_to(&self, index: &mut Vec<u64>) {
        index.push(self.rounds.len() as u64);
        for (distance, round) in &self.rounds {
            index.extend([u64::from(*distance), round.extents.len() as u64]);
            round.extents.iter().for_each(|extent| extent.add_to(index));
        }
    }

    /// Goes on with the extents that an index lists.
    pub(crate) fn restore(&mut self, layout: &Layout, index: &mut Numbers<'_>) -> io::Result<()> {
        let rounds = index.list(|index| {
            let distance = u16::try_from(index.next()?).ok();
            let distance = distance.filter(|distance| *distance <= MAX_DISTANCE);
            let too_long = || damaged("it has a distance that is too long");
            Ok((distance.ok_or_else(too_long)?, index.list(Extent::read_from)?))
        })?;
        for (distance, extents) in rounds {
            let mut round = Round::default();
            for extent in extents {
                self.file.claim(extent)?;
                let mut bytes = vec![0; extent.len()];
                self.file.read(extent, &mut bytes).map_err(of_system)?;
                let placed = round.restore(distance, &bytes, layout, &self.memory)?;
                round.extents.push(extent);
                round.add(placed, &self.memory);
            }
            if round.frames.is_empty() || self.rounds.insert(distance, round).is_some() {
                return Err(damaged("its log is damaged"));
            }
        }
        Ok(())
    }

    /// The longest distance of a position.
    pub(crate) fn longest(&self) -> Option<u16> {
        self.rounds.last_key_value().map(|(distance, _)| *distance)
    }

    /// Forgets the positions with a distance.
    pub(crate) fn remove(&mut self, distance: u16) {
        if let Some(mut round) = self.rounds.remove(&distance) {
            round.extents.drain(..).for_each(|extent| self.file.free(extent));
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
        let Some(round) = self.rounds.get(&distance) else { return Ok(()) };
        for frame in self.frames_in(distance, panel, bands) {
            let bytes = round.bytes(frame, &self.file, &mut buffers.compressed)?;
            let band = frame.tile.band as usize;
            let words = layout.band_len(panel, band);
            if !decode(bytes, words, &mut buffers.raw) {
                let error = io::Error::from(ErrorKind::InvalidData);
                return Err(TableError::io(Operation::Read, self.file.path())(error));
            }
            for_each_word(&buffers.raw, words, |index, word| visit(band, index, word));
        }
        Ok(())
    }

    /// The distances in order.
    pub(crate) fn distances(&self) -> impl Iterator<Item = u16> {
        self.rounds.keys().copied()
    }

    /// Some compressed frames of a distance, with their tiles.
    pub(crate) fn compressed(
        &self,
        distance: u16,
        is_wanted: impl Fn(&Frame) -> bool,
    ) -> impl Iterator<Item = Result<(FrameTile, Vec<u8>)>> {
        let rounds = self.rounds.get(&distance).into_iter();
        let frames = rounds.flat_map(|round| round.frames.iter().map(move |frame| (round, frame)));
        frames.filter(move |(_, frame)| is_wanted(frame)).map(move |(round, frame)| {
            let mut buffer = Vec::new();
            Ok((frame.tile, round.bytes(frame, &self.file, &mut buffer)?.to_vec()))
        })
    }
}

/// Buffers that a thread uses for its frames.
#[derive(Default)]
pub(crate) struct FrameBuffers {
    compressed: Vec<u8>,
    /// A bit for each word of the tile that is not zero, then these words.
    raw: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::super::log_frame::encode;
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
            let file = Arc::new(ExtentFile::scratch(dir.path()));
            let mut log = RoundLog::new(LogMemory::new(memory), file.clone());
            for distance in [3, 1] {
                for panel in [2, 0, 1] {
                    let bands = (0..4).map(|band| {
                        let bytes = encode(&tile(panel, band)).expect("it is not zero");
                        (FrameTile { panel, band }, bytes)
                    });
                    log.add(distance, bands).unwrap();
                }
            }
            assert_eq!(file.written() > 0, memory < 1 << 20);
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
            let frames = |log: &RoundLog| -> Vec<_> {
                let of = |distance| log.compressed(distance, |_| true).map(Result::unwrap);
                log.distances().flat_map(of).collect()
            };
            assert_eq!(frames(&log).len(), 24);
            // What is saved is written once, and another log can go on with it.
            for added in [None, Some(tile(1, 2))] {
                let added = added.map(|words| encode(&words).expect("it is not zero"));
                let added = added.map(|bytes| (FrameTile { panel: 1, band: 2 }, bytes));
                log.add(3, added).unwrap();
                log.save().unwrap();
                let written = file.written();
                log.save().unwrap();
                assert_eq!(file.written(), written);
                let mut index = Vec::new();
                log.add_to(&mut index);
                for memory in [0, 300, 1 << 20] {
                    let mut other = RoundLog::new(LogMemory::new(memory), file.clone());
                    let mut numbers = Numbers::new(&index);
                    other.restore(&layout, &mut numbers).unwrap();
                    numbers.end().unwrap();
                    assert_eq!(frames(&other), frames(&log));
                    other.save().unwrap();
                    assert_eq!(file.written(), written);
                    let mut again = Vec::new();
                    other.add_to(&mut again);
                    assert_eq!(again, index);
                }
                let smaller = Layout::new(64, 96, 4, 2, 1);
                let mut other = RoundLog::new(LogMemory::new(0), file.clone());
                let refused = other.restore(&smaller, &mut Numbers::new(&index)).unwrap_err();
                assert!(refused.to_string().contains("outside"), "{refused}");
            }
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
}
