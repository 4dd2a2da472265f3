//! Unpacked tables: uncompressed values of every index of a slice.

use std::ops::Range;
use std::path::Path;

use fanorona_core::{Board, RuleSet};
use fanorona_storage::{
    Access, BlockCache, BlockKey, Container, ContainerWriter, FileError, PRELUDE, checksum,
};
use serde::{Deserialize, Serialize};

use super::kinds::{PARTIAL, UNPACKED};
use super::metadata::Metadata;
use super::packing::Packing;
use super::reader::TableFile;
use super::writer::{finish_container, in_batches};
use crate::error::{Result, TableError};
use crate::key::TableKey;
use crate::slice::{Role, Slice, encoded_counts};
use crate::value::{Code, Metric};

/// Values per checksum. A thread makes this number of values at a time.
const PART_VALUES: u32 = if cfg!(test) { 16 } else { 1 << 20 };

/// The number of parts that are made in memory before they are written.
const BATCH: u64 = if cfg!(test) { 3 } else { 16 };

/// The most values per part, so that a damaged number cannot allocate all memory.
const PART_LIMIT: u32 = 1 << 22;

/// The number of bytes that are read and cached together if a file is not mapped.
const PAGE: u64 = 1 << 12;

/// The metadata of an unpacked table: its identity and how values are packed. Counts and distances
/// are in the packed table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnpackedMetadata {
    /// The board. Its text in files is as in `9x5`.
    pub board: Board,
    /// The rule set. Its name is stored in files.
    pub rules: RuleSet,
    /// Whether values have distances.
    pub metric: Metric,
    /// In the first phase of the vela with the role that White has by the rules.
    #[serde(with = "encoded_counts")]
    pub slice: Slice,
    /// Bits per value: 2, 8 or 16.
    pub bits: u8,
    /// The number of values: the length of the slice's index.
    pub values: u64,
    /// Values per checksum. The last part may have fewer.
    pub part_values: u32,
    /// The checksum of the prelude of the packed table that the values are from.
    pub packed: u64,
}

impl UnpackedMetadata {
    /// The identity of the table.
    pub fn key(&self) -> TableKey {
        let Self { board, rules, metric, slice, .. } = *self;
        TableKey { board, rules, slice, metric }
    }
}

/// An unpacked table of one slice.
///
/// It holds the value of every position, including those with captures. A probe computes the index
/// and reads the value. Opening checks the header, the metadata, and that the list of checksums is
/// intact. Only [`check`](Self::check) compares the values with their checksums, because each
/// covers a million values.
#[derive(Debug)]
pub struct UnpackedFile {
    file: Container,
    metadata: UnpackedMetadata,
    packing: Packing,
    /// The largest code that is possible.
    max_code: Code,
}

impl UnpackedFile {
    /// Opens an unpacked table.
    ///
    /// # Errors
    /// If the file cannot be read, is not a complete unpacked table of this version, or is damaged
    /// outside its values.
    pub fn open(path: impl AsRef<Path>, access: Access) -> Result<Self> {
        let file = Container::open(path, UNPACKED, access)?;
        let mut metadata: UnpackedMetadata = file.metadata(&[])?;
        metadata.slice.role = Role::of_white(&metadata.rules);
        let corrupt = |what: &str| Err(file.corrupt_metadata(what).into());
        let Some(packing) = Packing::from_bits(metadata.bits) else {
            return corrupt("the number of bits per value is not 2, 8 or 16");
        };
        let bytes = usize::try_from(metadata.values)
            .ok()
            .filter(|values| *values <= usize::MAX / 16)
            .map(|values| (PRELUDE + packing.bytes(values)) as u64);
        if bytes != Some(file.body().end) {
            return corrupt("the values do not have the length that the metadata say");
        }
        // Four 2-bit values share a byte, so a part must begin at a multiple of 4.
        let part_values = metadata.part_values;
        if part_values == 0 || part_values > PART_LIMIT || !part_values.is_multiple_of(4) {
            return corrupt("the number of values per part is out of range");
        }
        let checksums = 8 * metadata.values.div_ceil(part_values.into());
        if file.index_length() != checksums {
            return corrupt("the number of checksums does not match the number of parts");
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

    /// The metadata of the table.
    pub fn metadata(&self) -> &UnpackedMetadata {
        &self.metadata
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.file.file_length()
    }

    /// Checks that the table was made from `packed`, and limits its values to those of `packed`.
    ///
    /// # Errors
    /// If it was not, or has other numbers of values.
    pub fn checked_against(self, packed: &TableFile) -> Result<Self> {
        let path = self.path().to_owned();
        if self.metadata.packed != packed.fingerprint() {
            return Err(TableError::Foreign { path, packed: packed.path().to_owned() });
        }
        let (found, expected) = (&self.metadata, packed.metadata());
        if (found.values, found.bits) != (expected.values, expected.bits) {
            let what = "the number or width of its values differs from the packed table's";
            return Err(FileError::Corrupt { path, what: what.to_owned(), offset: 0 }.into());
        }
        Ok(Self { max_code: packed.max_code(), ..self })
    }

    /// The value at an index of the slice. If the file is not mapped, pages of it go through the
    /// cache.
    ///
    /// # Errors
    /// If the index is past the end, the value is impossible, or the file cannot be read.
    #[inline]
    pub fn code(&self, index: u64, cache: &BlockCache) -> Result<Code> {
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
        match cache.with(key, true, load, get)? {
            Some(code) if code.0 <= self.max_code.0 => Ok(code),
            _ => Err(self.no_value(index)),
        }
    }

    /// Reads `count` values from an index on.
    ///
    /// # Errors
    /// If there are fewer values, a value is impossible, or the file cannot be read.
    pub fn codes(&self, first: u64, count: u64) -> Result<Vec<Code>> {
        let end = first.checked_add(count).filter(|end| *end <= self.metadata.values);
        let Some(end) = end else { return Err(self.no_value(self.metadata.values)) };
        // Four 2-bit values share a byte.
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
        self.file.corrupt(format!("value {index} is impossible"), 0).into()
    }

    /// Compares the checksums of all values. Reads every byte.
    ///
    /// # Errors
    /// The error of the first damaged part.
    pub fn check(&self) -> Result<()> {
        let part_bytes = self.packing.bytes(self.metadata.part_values as usize) as u64;
        let body = self.file.body();
        let begins = body.clone().step_by(part_bytes as usize);
        let mut buffer = Vec::new();
        for (part, begin) in begins.enumerate() {
            let expected: [u8; 8] = self.file.index(8 * part as u64)?;
            let bytes = self.file.read(begin..body.end.min(begin + part_bytes), &mut buffer)?;
            if checksum(bytes).to_le_bytes() != expected {
                let what = format!("the checksum of part {part} of its values differs");
                return Err(self.file.corrupt(what, begin).into());
            }
        }
        Ok(())
    }
}

/// The bytes of the unpacked table of a packed one, without prelude and metadata.
pub fn unpacked_bytes(packed: &Metadata) -> u64 {
    let packing = Packing::from_bits(packed.bits).expect("the packed table was opened");
    let checksums = 8 * packed.values.div_ceil(PART_VALUES.into());
    packing.bytes(packed.values as usize) as u64 + checksums
}

/// Writes an unpacked table beside the packed one that it is made from.
///
/// `fill` writes the values from the index in its first argument on. It must not leave any
/// [`Code::NONE`].
///
/// # Errors
/// If the file cannot be written.
pub fn write_unpacked(
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
    let make = |values: Range<u64>| {
        let mut codes = vec![Code::NONE; (values.end - values.start) as usize];
        fill(values.start, &mut codes)?;
        debug_assert!(!codes.contains(&Code::NONE));
        let mut bytes = Vec::new();
        packing.pack(&mut codes, &mut bytes);
        Ok(bytes)
    };
    let mut out = ContainerWriter::create(path, UNPACKED, PARTIAL)?;
    let mut checksums = Vec::new();
    in_batches(0..metadata.values, PART_VALUES.into(), BATCH, make, |parts, _| {
        parts.iter().try_for_each(|part| {
            checksums.extend(checksum(part).to_le_bytes());
            Ok(out.write(part)?)
        })
    })?;
    finish_container(out, path, &checksums, &metadata)
}
