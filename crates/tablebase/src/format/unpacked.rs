//! Unpacked tables: a value for every index of a slice, to be read where it is.

use std::path::Path;

use fanorona_core::{Board, RuleSet};
use fanorona_storage::{Access, BlockCache, BlockKey, Container, PRELUDE, checksum};
use serde::{Deserialize, Serialize};

use super::kinds::UNPACKED;
use super::packing::Packing;
use super::reader::TableFile;
use super::writer::{Batches, write_container};
use crate::error::{Result, TableError};
use crate::key::TableKey;
use crate::slice::Slice;
use crate::value::{Code, Metric};

/// Values that have a checksum together, and that a thread makes at a time.
const PART_VALUES: u32 = if cfg!(test) { 16 } else { 1 << 20 };

/// Parts that are made before they are written, and so held in memory.
const BATCH: u64 = if cfg!(test) { 3 } else { 16 };

/// The most values that a part may have, so that a damaged number cannot ask for all memory.
const PART_LIMIT: u32 = 1 << 22;

/// Bytes that are read together where a file is not mapped.
const PAGE: u64 = 1 << 12;

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
/// It holds the value of every position, also of those with captures, so that probing is computing
/// the index and reading the value. Opening checks header and metadata and the checksums of the
/// values themselves. The values are compared with these only by [`check`](Self::check), because a
/// checksum is of a million values.
#[derive(Debug)]
pub struct UnpackedFile {
    file: Container,
    metadata: UnpackedMetadata,
    packing: Packing,
    /// No value in the file is larger.
    max_code: Code,
}

impl UnpackedFile {
    /// Opens an unpacked table.
    ///
    /// # Errors
    /// If the file cannot be read, is not a finished unpacked table of this version, or is damaged
    /// outside its values.
    pub fn open(path: impl AsRef<Path>, access: Access) -> Result<Self> {
        let file = Container::open(path, UNPACKED, access)?;
        let metadata: UnpackedMetadata = file.metadata(&[])?;
        let corrupt = |what: &str| Err(file.corrupt_metadata(what).into());
        let Some(packing) = Packing::from_bits(metadata.bits) else {
            return corrupt("values have a width that there is not");
        };
        let bytes = usize::try_from(metadata.values)
            .ok()
            .filter(|values| *values <= usize::MAX / 16)
            .map(|values| (PRELUDE + packing.bytes(values)) as u64);
        if bytes != Some(file.body().end) {
            return corrupt("the values need another length than they have");
        }
        // Four values of two bits share a byte, which no part does.
        let part_values = metadata.part_values;
        if part_values == 0 || part_values > PART_LIMIT || !part_values.is_multiple_of(4) {
            return corrupt("parts have a size that there is not");
        }
        let checksums = 8 * metadata.values.div_ceil(part_values.into());
        if file.index().len() as u64 != checksums {
            return corrupt("there are not as many checksums as parts");
        }
        let max_code = match metadata.metric {
            Metric::Wdl => Code::WIN,
            Metric::Dtw => Code(Code::MAX_DISTANCE + 1),
        };
        Ok(Self { file, metadata, packing, max_code })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// What the table says about itself.
    pub fn metadata(&self) -> &UnpackedMetadata {
        &self.metadata
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.file.file_length()
    }

    /// Refuses a table that was made from another packed one, and values that this cannot have.
    pub(crate) fn checked_against(self, packed: &TableFile) -> Result<Self> {
        let path = self.path().to_owned();
        if self.metadata.packed != packed.fingerprint() {
            return Err(TableError::Foreign { path, packed: packed.path().to_owned() });
        }
        let (found, expected) = (&self.metadata, packed.metadata());
        if (found.values, found.bits) != (expected.values, expected.bits) {
            let what = "it has not as many values, or not of the width, as the table it is from";
            return Err(TableError::Corrupt { path, what: what.to_owned(), offset: 0 });
        }
        Ok(Self { max_code: packed.max_code(), ..self })
    }

    /// The value at an index of the slice. Where the file is not mapped, the cache keeps what is
    /// read.
    ///
    /// # Errors
    /// If there is none, or if the file cannot be read any more.
    #[inline]
    pub(crate) fn code(&self, index: u64, cache: &BlockCache) -> Result<Code> {
        let found = match self.file.mapped() {
            // The body has room for every value, or the file would not have been opened.
            Some(bytes) if index < self.metadata.values => {
                self.packing.get(&bytes[PRELUDE..], index as usize)
            }
            _ => return self.code_by_reading(index, cache),
        };
        match found {
            Some(code) if code.0 <= self.max_code.0 => Ok(code),
            _ => Err(self.no_value(index)),
        }
    }

    #[inline(never)]
    fn code_by_reading(&self, index: u64, cache: &BlockCache) -> Result<Code> {
        if index >= self.metadata.values {
            return Err(self.no_value(index));
        }
        let body = self.file.body();
        let values_in_page = PAGE * 8 / u64::from(self.metadata.bits);
        let block = index / values_in_page;
        let load = |bytes: &mut Vec<u8>| {
            let begin = body.start + block * PAGE;
            self.file.read(begin..body.end.min(begin + PAGE), bytes).map(drop)
        };
        let get = |bytes: &[u8]| self.packing.get(bytes, (index % values_in_page) as usize);
        let key = BlockKey { file: self.file.id(), block };
        match cache.with(key, load, get)? {
            Some(code) if code.0 <= self.max_code.0 => Ok(code),
            _ => Err(self.no_value(index)),
        }
    }

    /// `count` values from an index on.
    ///
    /// # Errors
    /// If there are fewer, or if the file cannot be read any more.
    pub(crate) fn codes(&self, first: u64, count: u64) -> Result<Vec<Code>> {
        let end = first.checked_add(count).filter(|end| *end <= self.metadata.values);
        let Some(end) = end else { return Err(self.no_value(self.metadata.values)) };
        // Four values of two bits share a byte.
        let aligned = first / 4 * 4;
        let bytes = |values: u64| (PRELUDE + self.packing.bytes(values as usize)) as u64;
        let mut buffer = Vec::new();
        let bytes = self.file.read(bytes(aligned)..bytes(end), &mut buffer)?;
        (first..end)
            .map(|index| match self.packing.get(bytes, (index - aligned) as usize) {
                Some(code) if code.0 <= self.max_code.0 => Ok(code),
                _ => Err(self.no_value(index)),
            })
            .collect()
    }

    #[cold]
    fn no_value(&self, index: u64) -> TableError {
        self.file.corrupt(format!("value {index} is none that can be there"), 0).into()
    }

    /// Compares the checksums of all values: reads every byte.
    ///
    /// # Errors
    /// The first damage.
    pub fn check(&self) -> Result<()> {
        let part_bytes = self.packing.bytes(self.metadata.part_values as usize) as u64;
        let body = self.file.body();
        let begins = body.clone().step_by(part_bytes as usize);
        let mut buffer = Vec::new();
        for (part, (begin, expected)) in begins.zip(self.file.index().chunks(8)).enumerate() {
            let bytes = self.file.read(begin..body.end.min(begin + part_bytes), &mut buffer)?;
            if checksum(bytes).to_le_bytes() != *expected {
                let what = format!("the checksum of part {part} of its values differs");
                return Err(self.file.corrupt(what, begin).into());
            }
        }
        Ok(())
    }
}

/// Writes an unpacked table beside the packed one that it is made from.
///
/// `fill` gives the values from the index of its first argument on, all of them.
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
    write_container(path, UNPACKED, &metadata, |out| {
        let mut checksums = Vec::new();
        let batches =
            Batches { values: metadata.values, part_values: PART_VALUES.into(), parts: BATCH };
        batches.for_each(make, |parts: &[Vec<u8>], _| {
            parts.iter().try_for_each(|part| {
                checksums.extend(checksum(part).to_le_bytes());
                Ok(out.write(part)?)
            })
        })?;
        Ok(checksums)
    })
}
