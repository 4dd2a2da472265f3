//! Unpacked tables: a value for every place of a slice's index, to be looked up where it lies.

use std::path::Path;

use fanorona_core::{Board, RuleSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::frame::{Access, Frame};
use super::writer::{for_each_batch, write_file};
use super::{Kind, PRELUDE, Packing, TableFile};
use crate::error::{Result, TableError};
use crate::key::TableKey;
use crate::slice::Slice;
use crate::value::{Code, Metric};

/// Values that have a checksum together, and that a thread makes at a time.
const PART_VALUES: u32 = 1 << 20;

/// Parts that are made before they are written, and so held in memory.
const BATCH: u64 = 16;

/// What an unpacked table is for, and how its values lie. What it says of its positions is told by
/// the packed table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnpackedMetadata {
    /// The board, as `9x5`.
    pub board: Board,
    /// The rule set's name.
    pub rules: RuleSet,
    /// What the values are.
    pub metric: Metric,
    /// The slice.
    pub slice: Slice,
    /// How many bits a value has: 2, 8 or 16.
    pub bits: u8,
    /// How many values there are, by the slice's index.
    pub values: u64,
    /// How many values have a checksum together; the last ones may be fewer.
    pub part_values: u32,
    /// The checksum in the prelude of the packed table that the values are from.
    pub packed: u64,
}

impl UnpackedMetadata {
    /// Which table it is.
    pub fn key(&self) -> TableKey {
        let Self { board, rules, metric, slice, .. } = *self;
        TableKey { board, rules, slice, metric }
    }
}

/// An unpacked table of one slice.
///
/// It holds the value of every position, those with captures included, so that probing is finding
/// the place and reading it. Opening checks header, metadata and the parts' checksums themselves;
/// the values are compared with those by [`check`](Self::check) alone, for a part has a million of
/// them.
#[derive(Debug)]
pub struct UnpackedFile {
    frame: Frame,
    metadata: UnpackedMetadata,
    packing: Packing,
}

impl UnpackedFile {
    /// Opens an unpacked table and checks its header.
    ///
    /// # Errors
    /// If the file cannot be read, is not a finished unpacked table of this version, or is damaged
    /// outside its values.
    pub fn open(path: &Path, access: Access) -> Result<Self> {
        let frame = Frame::open(path, Kind::UNPACKED, access)?;
        let metadata: UnpackedMetadata = frame.metadata(&[])?;
        let packing = Packing::from_bits(metadata.bits)
            .ok_or_else(|| frame.senseless("values have a width that there is not"))?;
        let bytes = usize::try_from(metadata.values)
            .ok()
            .filter(|values| *values <= usize::MAX / 16)
            .map(|values| (PRELUDE + packing.bytes(values)) as u64);
        if bytes != Some(frame.prelude().index_offset) {
            return Err(frame.senseless("the values need another length than they have"));
        }
        // Four values of two bits share a byte, which no part does.
        if metadata.part_values == 0 || !metadata.part_values.is_multiple_of(4) {
            return Err(frame.senseless("parts have a size that there is not"));
        }
        let checksums = 8 * metadata.values.div_ceil(metadata.part_values.into());
        frame.check_index(Some(checksums), "there are not as many checksums as parts")?;
        Ok(Self { frame, metadata, packing })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        self.frame.path()
    }

    /// What the table says of itself.
    pub fn metadata(&self) -> &UnpackedMetadata {
        &self.metadata
    }

    /// The size of the file.
    pub fn bytes(&self) -> u64 {
        self.frame.length()
    }

    /// Refuses a table that was made from another packed one than this.
    pub(crate) fn check_source(&self, packed: &TableFile) -> Result<()> {
        if self.metadata.packed == packed.fingerprint() {
            return Ok(());
        }
        let (path, packed) = (self.path().to_owned(), packed.path().to_owned());
        Err(TableError::Foreign { path, packed })
    }

    /// The value at a place of the slice's index.
    ///
    /// # Errors
    /// If there is none, or if the file cannot be read any more.
    #[inline]
    pub(crate) fn code(&self, index: u64) -> Result<Code> {
        let found = match self.frame.mapped() {
            // The body has a byte for every value, or the file would not have been opened.
            Some(bytes) if index < self.metadata.values => {
                self.packing.get(&bytes[PRELUDE..], index as usize)
            }
            _ => return self.code_by_reading(index),
        };
        found.ok_or_else(|| self.no_value(index))
    }

    #[cold]
    fn code_by_reading(&self, index: u64) -> Result<Code> {
        if index >= self.metadata.values {
            return Err(self.no_value(index));
        }
        let in_byte = u64::from(8 / self.metadata.bits.min(8));
        let first = index / in_byte * in_byte;
        let begin = (PRELUDE + self.packing.bytes(first as usize)) as u64;
        let mut buffer = Vec::new();
        let length = self.packing.bytes(1) as u64;
        let bytes = self.frame.body(begin..begin + length, &mut buffer)?;
        self.packing.get(bytes, (index - first) as usize).ok_or_else(|| self.no_value(index))
    }

    #[cold]
    fn no_value(&self, index: u64) -> TableError {
        self.frame.corrupt(format!("value {index} is none that there is"), 0)
    }

    /// Compares the checksums of all values: reads every byte.
    ///
    /// # Errors
    /// The first damage.
    pub fn check(&self) -> Result<()> {
        let part_bytes = self.packing.bytes(self.metadata.part_values as usize) as u64;
        let end = self.frame.prelude().index_offset;
        let begins = (PRELUDE as u64..end).step_by(part_bytes as usize);
        let mut buffer = Vec::new();
        for (part, (begin, expected)) in begins.zip(self.frame.index().chunks(8)).enumerate() {
            let bytes = self.frame.body(begin..end.min(begin + part_bytes), &mut buffer)?;
            if xxh3_64(bytes).to_le_bytes() != *expected {
                let what = format!("the checksum of part {part} of its values differs");
                return Err(self.frame.corrupt(what, begin));
            }
        }
        Ok(())
    }
}

/// Writes an unpacked table beside the packed one that it is made from.
///
/// `fill` gives the values of the places that begin at its first argument, all of them.
pub(crate) fn write_unpacked(
    path: &Path,
    packed: &TableFile,
    fill: impl Fn(u64, &mut [Code]) -> Result<()> + Sync,
) -> Result<()> {
    let from = packed.metadata();
    let metadata = UnpackedMetadata {
        board: from.board,
        rules: from.rules,
        metric: from.metric,
        slice: from.slice,
        bits: from.bits,
        values: from.values,
        part_values: PART_VALUES,
        packed: packed.fingerprint(),
    };
    let packing = Packing::from_bits(from.bits).expect("the packed table was opened");
    let make = |first: u64, count: usize| {
        let mut codes = vec![Code::NONE; count];
        fill(first, &mut codes)?;
        debug_assert!(!codes.contains(&Code::NONE));
        let mut bytes = Vec::new();
        packing.pack(&mut codes, &mut bytes);
        Ok(bytes)
    };
    write_file(path, Kind::UNPACKED, &metadata, |put| {
        let mut checksums = Vec::new();
        for_each_batch(metadata.values, PART_VALUES.into(), BATCH, make, |parts, _| {
            parts.iter().try_for_each(|part: &Vec<u8>| {
                checksums.extend(xxh3_64(part).to_le_bytes());
                put(part)
            })
        })?;
        Ok(checksums)
    })
}
