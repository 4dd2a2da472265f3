//! The log of rounds: which positions are decided in how many turns.
//!
//! Distances are not kept by position. For each distance there is a list of compressed *frames*. A
//! frame has the positions of one tile as bits: a tile is a band of rows in a panel. So a round
//! reads and writes only what it decides, and all distances together take little more than the
//! wins and losses.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::Arc;

use fanorona_storage::{Budget, Operation};
use fanorona_tablebase::{Result, TableError};

use super::layout::Tiling;
use super::log_frame::{FrameTile, decode, for_each_word, read_frame, write_frame};
use crate::checkpoint::{Extent, ExtentFile, damaged, of_system};

/// Compressed positions of a tile.
pub(crate) struct LogFrame {
    tile: FrameTile,
    len: u32,
    /// The chunk of its distance that has its bytes, and where they begin there.
    chunk: u32,
    first: u32,
}

impl LogFrame {
    pub(crate) fn band(&self) -> usize {
        self.tile.band as usize
    }
}

/// Frames that were added together, each [with its tile](write_frame): in memory, in the file, or both.
struct Chunk {
    bytes: Option<Box<[u8]>>,
    extent: Option<Extent>,
}

impl Chunk {
    /// Keeps bytes in memory if there is room, and otherwise in the file, which may have them already.
    fn new(
        bytes: Vec<u8>,
        extent: Option<Extent>,
        memory: &Budget,
        file: &ExtentFile,
    ) -> Result<Self> {
        let is_kept = memory.take(bytes.len() as u64);
        let mut chunk = Self { bytes: Some(bytes.into()), extent };
        if !is_kept {
            chunk.save(file)?;
            chunk.bytes = None;
        }
        Ok(chunk)
    }

    fn save(&mut self, file: &ExtentFile) -> Result<()> {
        if let (Some(bytes), None) = (&self.bytes, self.extent) {
            self.extent = Some(file.write(bytes)?);
        }
        Ok(())
    }

    fn free(self, memory: &Budget, file: &ExtentFile) {
        memory.give_back(self.bytes.map_or(0, |bytes| bytes.len() as u64));
        self.extent.into_iter().for_each(|extent| file.free(extent));
    }
}

#[derive(Default)]
struct Round {
    /// In order of their tiles.
    frames: Vec<LogFrame>,
    chunks: Vec<Chunk>,
}

impl Round {
    fn add(&mut self, chunks: Vec<Chunk>, frames: Vec<LogFrame>, memory: &Budget) {
        memory.overdraw(size_of_val(&frames[..]) as u64);
        let was = self.frames.len();
        self.chunks.extend(chunks);
        self.frames.extend(frames);
        let in_order = self.frames[was.saturating_sub(1)..].is_sorted_by_key(|frame| frame.tile);
        if !in_order {
            self.frames.sort_unstable_by_key(|frame| frame.tile);
        }
    }

    /// The frames of the next chunk of a checkpoint.
    fn frames_of(&self, distance: u16, all: &[u8], layout: &Tiling) -> io::Result<Vec<LogFrame>> {
        let (mut rest, mut frames, mut raw) = (all, Vec::new(), Vec::new());
        while !rest.is_empty() {
            let frame = read_frame(&mut rest).filter(|(other, ..)| *other == u32::from(distance));
            let (_, tile, bytes) = frame.ok_or_else(|| damaged("its log is damaged"))?;
            let (panel, band) = (tile.panel as usize, tile.band as usize);
            let first = band.saturating_mul(layout.band_rows);
            if panel >= layout.num_panels() || !layout.rows_of(panel).contains(&first) {
                return Err(damaged("it has positions outside of the slice"));
            }
            if !decode(bytes, layout.band_len(panel, band), &mut raw) {
                return Err(damaged("a frame does not decompress"));
            }
            let first = (all.len() - rest.len() - bytes.len()) as u32;
            let (len, chunk) = (bytes.len() as u32, self.chunks.len() as u32);
            frames.push(LogFrame { tile, len, chunk, first });
        }
        Ok(frames)
    }

    /// The bytes of a frame, if need be in a buffer.
    fn bytes<'b>(
        &'b self,
        &LogFrame { len, chunk, first, .. }: &LogFrame,
        file: &ExtentFile,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [u8]> {
        let Chunk { bytes, extent } = &self.chunks[chunk as usize];
        if let Some(bytes) = bytes {
            return Ok(&bytes[first as usize..][..len as usize]);
        }
        buffer.resize(len as usize, 0);
        file.read_part(extent.expect("it is in memory or in the file"), first, buffer)?;
        Ok(buffer)
    }
}

/// The chunks of each distance in the file of a checkpoint.
pub(crate) type SavedLog = Vec<(u16, Vec<Extent>)>;

/// The positions of a slice by distance.
pub(crate) struct RoundLog {
    /// For each distance, its frames.
    rounds: BTreeMap<u16, Round>,
    /// Of several logs. What does not fit goes to the file, except for lists of frames.
    memory: Arc<Budget>,
    file: Arc<ExtentFile>,
}

impl RoundLog {
    /// An empty log. Frames that do not fit in memory go to a file.
    pub(crate) fn new(memory: Arc<Budget>, file: Arc<ExtentFile>) -> Self {
        Self { rounds: BTreeMap::new(), memory, file }
    }

    /// Adds compressed frames of a distance: all of them, or none if there is an error.
    pub(crate) fn add(
        &mut self,
        distance: u16,
        new: impl IntoIterator<Item = (FrameTile, Vec<u8>)>,
    ) -> Result<()> {
        let (mut new_chunks, mut frames) = (Vec::<Vec<u8>>::new(), Vec::new());
        let before = self.rounds.get(&distance).map_or(0, |round| round.chunks.len());
        let most = self.file.sizes.log_chunk;
        for (tile, bytes) in new {
            let has_room = |chunk: &Vec<u8>| chunk.len() + bytes.len() <= most;
            if !new_chunks.last().is_some_and(has_room) {
                new_chunks.push(Vec::new());
            }
            let chunk = (before + new_chunks.len() - 1) as u32;
            let all = new_chunks.last_mut().expect("it has room");
            write_frame(all, distance, (tile, &bytes));
            let (len, first) = (bytes.len() as u32, (all.len() - bytes.len()) as u32);
            frames.push(LogFrame { tile, len, chunk, first });
        }
        let mut chunks = Vec::new();
        for bytes in new_chunks {
            match Chunk::new(bytes, None, &self.memory, &self.file) {
                Ok(chunk) => chunks.push(chunk),
                Err(error) => {
                    chunks.into_iter().for_each(|chunk| chunk.free(&self.memory, &self.file));
                    return Err(error);
                }
            }
        }
        if !frames.is_empty() {
            self.rounds.entry(distance).or_default().add(chunks, frames, &self.memory);
        }
        Ok(())
    }

    /// Brings the file up to date, for a checkpoint.
    pub(crate) fn save(&mut self) -> Result<()> {
        let mut chunks = self.rounds.values_mut().flat_map(|round| &mut round.chunks);
        chunks.try_for_each(|chunk| chunk.save(&self.file))
    }

    /// Where the file has each distance, after it was [saved](Self::save).
    pub(crate) fn saved(&self) -> SavedLog {
        let extent = |chunk: &Chunk| chunk.extent.expect("it was saved");
        let rounds = self.rounds.iter();
        rounds.map(|(at, round)| (*at, round.chunks.iter().map(extent).collect())).collect()
    }

    /// Goes on with what the file of a checkpoint has.
    pub(crate) fn restore(&mut self, layout: &Tiling, saved: SavedLog) -> io::Result<()> {
        for (distance, extents) in saved {
            if distance > self.file.sizes.max_distance {
                return Err(damaged("it has a distance that is too long"));
            }
            let mut round = Round::default();
            for extent in extents {
                self.file.claim(extent)?;
                let mut bytes = vec![0; extent.len()];
                self.file.read(extent, &mut bytes).map_err(of_system)?;
                let frames = round.frames_of(distance, &bytes, layout)?;
                let chunk = Chunk::new(bytes, Some(extent), &self.memory, &self.file);
                round.add(vec![chunk.map_err(io::Error::other)?], frames, &self.memory);
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
        if let Some(Round { frames, chunks }) = self.rounds.remove(&distance) {
            self.memory.give_back(size_of_val(&frames[..]) as u64);
            chunks.into_iter().for_each(|chunk| chunk.free(&self.memory, &self.file));
        }
    }

    pub(crate) fn has_panel(&self, distance: u16, panel: usize) -> bool {
        !self.frames_in(distance, panel, 0..usize::MAX).is_empty()
    }

    fn frames_of(&self, distance: u16) -> &[LogFrame] {
        self.rounds.get(&distance).map_or(&[], |round| &round.frames)
    }

    fn frames_in(&self, distance: u16, panel: usize, bands: Range<usize>) -> &[LogFrame] {
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
        layout: &Tiling,
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

    pub(crate) fn distances(&self) -> impl Iterator<Item = u16> {
        self.rounds.keys().copied()
    }

    /// Some compressed frames of a distance, with their tiles.
    pub(crate) fn compressed(
        &self,
        distance: u16,
        is_wanted: impl Fn(&LogFrame) -> bool,
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
    use crate::sizes::Sizes;

    #[test]
    fn frames_are_found_by_tile_and_distance() {
        let dir = fanorona_tests::directory().unwrap();
        // Three panels of two words, and four bands.
        let layout = Tiling::new(&Sizes::SMALL, [128, 96], 4, 2, 1);
        let words = layout.band_len(0, 0);
        let tile = |panel: u32, band: u32| {
            let mut tile = vec![0u64; words];
            tile[(panel * 7 + band) as usize] = 1 << panel;
            tile[words - 1] = u64::from(band) + 1;
            tile
        };
        for memory in [0, 300, 1 << 20] {
            let file = Arc::new(ExtentFile::scratch(dir.path(), &Sizes::SMALL));
            let mut log = RoundLog::new(Arc::new(Budget::new(memory)), file.clone());
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
            let kept = |log: &RoundLog| -> usize {
                let chunks = log.rounds.values().flat_map(|round| &round.chunks);
                chunks.flat_map(|chunk| &chunk.bytes).map(|bytes| bytes.len()).sum()
            };
            assert!(kept(&log) <= memory as usize && (kept(&log) > 0) == (memory > 0));
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
                let saved = log.saved();
                for memory in [0, 300, 1 << 20] {
                    let mut other = RoundLog::new(Arc::new(Budget::new(memory)), file.clone());
                    other.restore(&layout, saved.clone()).unwrap();
                    assert_eq!(frames(&other), frames(&log));
                    other.save().unwrap();
                    assert_eq!(file.written(), written);
                    assert_eq!(other.saved(), saved);
                }
                let smaller = Tiling::new(&Sizes::SMALL, [64, 96], 4, 2, 1);
                let mut other = RoundLog::new(Arc::new(Budget::new(0)), file.clone());
                let refused = other.restore(&smaller, saved).unwrap_err();
                assert!(refused.to_string().contains("outside"), "{refused}");
            }
            log.remove(3);
            assert_eq!(log.distances().collect::<Vec<_>>(), [1]);
            log.remove(1);
            assert_eq!(log.memory.used(), 0);
        }
        assert_eq!(encode(&[0; 100]), None);
    }
}
