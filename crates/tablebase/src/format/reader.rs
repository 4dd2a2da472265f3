//! Reading tables.

use std::cell::Cell;
use std::path::Path;

use fanorona_storage::{Access, BlockCache, BlockKey, Container, PRELUDE, checksum, decompress};

use super::metadata::{LAYOUT_BYTES, Metadata, PACKED_VERSION, TABLE};
use super::packing::Packing;
use crate::error::{Result, TableError};
use crate::key::Layout;
use crate::slice::Role;
use crate::value::Code;

/// The most values per block, so that a damaged number cannot allocate all memory.
const BLOCK_LIMIT: u32 = 1 << 22;

thread_local! {
    /// A buffer for compressed blocks of files that are not mapped.
    static COMPRESSED: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A table of one slice, packed or unpacked.
///
/// Opening reads and checks the header, the offsets and checksums of the blocks, and the metadata.
/// Each block is checked when it is read; but the values of an unpacked table that is mapped are read
/// without that, and only [`check`](Self::check) compares their checksums. A table that is built again
/// is a new file under the old name. What happens if another program changes an open file depends on
/// the [`Access`].
#[derive(Debug)]
pub struct TableFile {
    file: Container,
    metadata: Metadata,
    packing: Packing,
    /// The largest code that the metadata allow.
    max_code: Code,
    blocks: u64,
}

impl TableFile {
    /// Opens a table with [`Access::READ`].
    ///
    /// # Errors
    /// If the file cannot be read, is not a complete table of a supported version, or is damaged in
    /// its header, its offset table or its metadata.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Access::READ)
    }

    /// Opens a table, reading or mapping it.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, access: Access) -> Result<Self> {
        let file = Container::open(path, TABLE, access)?;
        // Version 2 ends before the layout, version 1 before the zugzwangs. Appended zeros stand for
        // a packed table without zugzwangs.
        let missing = match file.version() {
            1 => 1 + LAYOUT_BYTES,
            PACKED_VERSION => LAYOUT_BYTES,
            _ => 0,
        };
        let mut metadata: Metadata = file.metadata(&[0; 1 + LAYOUT_BYTES][..missing])?;
        metadata.slice.role = Role::of_white(&metadata.rules);
        let corrupt = |what: &str| Err(file.corrupt_metadata(what).into());
        let Some(packing) = Packing::from_bits(metadata.bits) else {
            return corrupt("the number of bits per value is not 2, 8 or 16");
        };
        if metadata.block_values == 0 || metadata.block_values > BLOCK_LIMIT {
            return corrupt("the number of values per block is out of range");
        }
        let distances = metadata.statistics.distances.len();
        if distances > usize::from(Code::MAX_DISTANCE) + 1 {
            return corrupt("there are too many distances");
        }
        // The code of a distance is the distance plus 1.
        let has_distances = metadata.metric.has_distances();
        let max_code = if has_distances { Code(distances as u16) } else { Code::WIN };
        if metadata.layout == Layout::Unpacked {
            let bytes = usize::try_from(metadata.values)
                .ok()
                .filter(|values| *values <= usize::MAX / 16)
                .map(|values| (PRELUDE + packing.bytes(values)) as u64);
            if bytes != Some(file.body().end) {
                return corrupt("the values do not have the length that the metadata say");
            }
            // Four values of 2 bits share a byte.
            if !metadata.block_values.is_multiple_of(4) || !metadata.captures_stored {
                return corrupt("an unpacked table has all values, in blocks of whole bytes");
            }
        }
        let blocks = metadata.blocks();
        let length = blocks.checked_mul(12).and_then(|length| length.checked_add(8));
        if length != Some(file.index_length()) {
            return corrupt("the length of the offset table does not match the number of blocks");
        }
        Ok(Self { file, metadata, packing, max_code, blocks })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The metadata of the table.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The offset of the metadata, which are the end of the file.
    pub fn metadata_offset(&self) -> u64 {
        self.file.metadata_offset()
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.file.file_length()
    }

    /// The checksum of the whole file: XXH3 with 64 bits. Reads every byte.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn checksum(&self) -> Result<u64> {
        Ok(self.file.checksum()?)
    }

    /// The stored checksum of the prelude, which covers all other checksums. Reads nothing.
    pub fn fingerprint(&self) -> u64 {
        self.file.fingerprint()
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    fn values_in(&self, block: u64) -> usize {
        let block_values = u64::from(self.metadata.block_values);
        // At most 2^22.
        (self.metadata.values - block * block_values).min(block_values) as usize
    }

    /// The value at an index, from a block in the cache or the file.
    ///
    /// # Errors
    /// If the block is damaged, or the index is past the end.
    #[inline]
    pub fn code(&self, index: u64, cache: &BlockCache) -> Result<Code> {
        if index >= self.metadata.values {
            return Err(self.no_value(self.blocks, 0));
        }
        if let Some(bytes) = self.values_in_place() {
            return match self.packing.get(bytes, index as usize) {
                Some(code) if code.0 <= self.max_code.0 => Ok(code),
                _ => Err(self.no_value(self.block_of(index), 0)),
            };
        }
        self.with_block(self.block_of(index), true, cache, |block| block.code(index))?
    }

    /// The bytes of all values, if the table is unpacked and mapped.
    #[inline]
    pub(crate) fn values_in_place(&self) -> Option<&[u8]> {
        match self.metadata.layout {
            // The body has room for every value, or the file would not have been opened.
            Layout::Unpacked => self.file.mapped().map(|bytes| &bytes[PRELUDE..]),
            Layout::Packed => None,
        }
    }

    /// The number of the block with the value at an index.
    #[inline]
    pub fn block_of(&self, index: u64) -> u64 {
        index / u64::from(self.metadata.block_values)
    }

    /// Calls `read` with a block, from the cache or the file. If it is not in the cache and `is_kept`,
    /// it is put there.
    #[inline]
    pub(crate) fn with_block<T>(
        &self,
        number: u64,
        is_kept: bool,
        cache: &BlockCache,
        read: impl FnOnce(Block<'_>) -> T,
    ) -> Result<T> {
        let key = BlockKey { file: self.file.id(), block: number };
        let load = |bytes: &mut Vec<u8>| self.read_block(number, bytes);
        cache.with(key, is_kept, load, |bytes| read(Block { file: self, number, bytes }))
    }

    /// Compares the checksum of a block and decompresses it, if it is packed.
    fn read_block(&self, block: u64, bytes: &mut Vec<u8>) -> Result<()> {
        let corrupt = |what: &str, offset: u64| {
            self.file.corrupt(format!("block {block} of {}: {what}", self.blocks), offset)
        };
        if block >= self.blocks {
            return Err(corrupt("it does not exist", self.file.body().end).into());
        }
        let entry = 8 * block;
        let offset = |at| Ok::<_, TableError>(u64::from_le_bytes(self.file.index(at)?));
        let range = offset(entry)?..offset(entry + 8)?;
        let body = self.file.body();
        if range.start < body.start || range.end < range.start || range.end > body.end {
            return Err(corrupt("its offsets are outside the blocks", body.end + entry).into());
        }
        let expected: [u8; 4] = self.file.index(8 * (self.blocks + 1) + 4 * block)?;
        let (begin, size) = (range.start, self.packing.bytes(self.values_in(block)));
        let is_packed = self.metadata.layout == Layout::Packed;
        if !is_packed {
            let all_before = block * u64::from(self.metadata.block_values);
            let begins = (PRELUDE + self.packing.bytes(all_before as usize)) as u64;
            if range != (begins..begins + size as u64) {
                return Err(
                    corrupt("its offsets are not where its values are", body.end + entry).into()
                );
            }
        }
        let mut buffer = COMPRESSED.take();
        let read = self.file.read(range, &mut buffer).and_then(|compressed| {
            if (checksum(compressed) as u32).to_le_bytes() != expected {
                return Err(corrupt("its checksum differs", begin));
            }
            if !is_packed {
                bytes.clear();
                bytes.extend_from_slice(compressed);
                return Ok(());
            }
            bytes.resize(size, 0);
            match decompress(compressed, bytes) {
                Ok(length) if length == size => Ok(()),
                Ok(length) => {
                    Err(corrupt(&format!("it decompresses to {length} bytes, not {size}"), begin))
                }
                Err(error) => Err(corrupt(&format!("it does not decompress: {error}"), begin)),
            }
        });
        COMPRESSED.set(buffer);
        Ok(read?)
    }

    /// The value at an offset of a decompressed block.
    #[inline]
    fn code_in(&self, block: u64, bytes: &[u8], offset: usize) -> Result<Code> {
        match self.packing.get(bytes, offset) {
            Some(code) if code.0 <= self.max_code.0 => Ok(code),
            _ => Err(self.no_value(block, offset)),
        }
    }

    #[cold]
    fn no_value(&self, block: u64, offset: usize) -> TableError {
        let what = format!("block {block}: value {offset} is impossible");
        self.file.corrupt(what, 0).into()
    }

    /// Reads `count` values from an index on.
    ///
    /// # Errors
    /// If a block is damaged, or there are fewer values.
    pub fn codes(&self, first: u64, count: u64) -> Result<Vec<Code>> {
        if first.checked_add(count).is_none_or(|end| end > self.metadata.values) {
            return Err(self.no_value(self.blocks, 0));
        }
        let block_values = u64::from(self.metadata.block_values);
        let mut codes = Vec::with_capacity(count as usize);
        while (codes.len() as u64) < count {
            let index = first + codes.len() as u64;
            let missing = count as usize - codes.len();
            let block = self.read_codes(index / block_values)?;
            codes.extend(block.into_iter().skip((index % block_values) as usize).take(missing));
        }
        Ok(codes)
    }

    /// Reads the values of a block.
    ///
    /// # Errors
    /// If the block is damaged or does not exist.
    pub fn read_codes(&self, block: u64) -> Result<Vec<Code>> {
        let mut bytes = Vec::new();
        self.read_block(block, &mut bytes)?;
        (0..self.values_in(block)).map(|offset| self.code_in(block, &bytes, offset)).collect()
    }

    /// Checks that every block has the right checksum and decompresses. Reads every byte.
    ///
    /// # Errors
    /// The error of the first damaged block.
    pub fn check(&self) -> Result<()> {
        let mut bytes = Vec::new();
        (0..self.blocks).try_for_each(|block| self.read_block(block, &mut bytes))
    }
}

/// A decompressed block.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    file: &'a TableFile,
    number: u64,
    bytes: &'a [u8],
}

impl Block<'_> {
    /// The value at an index of the table, which is in this block.
    #[inline]
    pub(crate) fn code(&self, index: u64) -> Result<Code> {
        let first = self.number * u64::from(self.file.metadata.block_values);
        self.file.code_in(self.number, self.bytes, (index - first) as usize)
    }
}
