//! Reading a table.

use std::cell::RefCell;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Decompressor;

use super::metadata::Metadata;
use super::writer::metadata_format;
use super::{FINISHED, MAGIC, METADATA_LIMIT, PRELUDE, Packing, Prelude, VERSION};
use crate::error::{Result, TableError};
use crate::value::Code;

/// The most values that a block may have, so that a damaged number cannot ask for all memory.
const BLOCK_LIMIT: u32 = 1 << 22;

thread_local! {
    /// What zstd works with: making it anew for each block would take longer than unpacking one.
    static UNPACKER: RefCell<Decompressor<'static>> =
        RefCell::new(Decompressor::new().expect("zstd needs nothing but memory"));
}

/// How many tables this program has opened.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// A table of one slice, memory-mapped.
///
/// Opening reads and checks what the table says of itself; blocks are checked when they are read.
/// The file must not be cut short while it is open: the system then ends the program. (Files are
/// never written in place here; a rebuilt table is a new file under the old name, and what is open
/// goes on with the old one.)
#[derive(Debug)]
pub struct TableFile {
    path: PathBuf,
    /// Differs between any two tables that this program has opened; for caches of blocks.
    id: u64,
    map: Mmap,
    metadata: Metadata,
    packing: Packing,
    blocks: u64,
    index_offset: usize,
}

impl TableFile {
    /// Opens a table and checks its header.
    ///
    /// # Errors
    /// If the file cannot be read, is not a finished table of this version, or is damaged in its
    /// header, its offset table or its metadata.
    pub fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(TableError::io("cannot open", path))?;
        let length = file.metadata().map_err(TableError::io("cannot read", path))?.len();
        let mut bytes = [0; PRELUDE];
        let not_a_table =
            |why: &str| TableError::NotATable { path: path.to_owned(), why: why.to_owned() };
        if length < PRELUDE as u64 {
            return Err(not_a_table(&format!("it has {length} bytes, fewer than a header")));
        }
        file.read_exact(&mut bytes).map_err(TableError::io("cannot read", path))?;
        if bytes[..8] != MAGIC {
            return Err(not_a_table("it begins with other bytes"));
        }
        let version = Prelude::version(&bytes);
        if version != VERSION {
            return Err(TableError::Version { path: path.to_owned(), found: version });
        }
        let corrupt = |what: &str, offset: u64| TableError::Corrupt {
            path: path.to_owned(),
            what: what.to_owned(),
            offset,
        };
        if xxh3_64(&bytes[..56]).to_le_bytes() != bytes[56..] {
            return Err(corrupt("the header's checksum differs", 0));
        }
        let prelude = Prelude::from_bytes(&bytes);
        if prelude.finished != FINISHED {
            return Err(corrupt("it was never finished", 12));
        }
        if prelude.file_length != length {
            let what = format!("it has {length} bytes and should have {}", prelude.file_length);
            return Err(corrupt(&what, length));
        }
        #[expect(unsafe_code, reason = "memory mapping")]
        // SAFETY: the map is read-only, and tables are replaced by renaming, never written in
        // place; that nobody else changes or shortens the file is the condition documented above.
        let map = unsafe { Mmap::map(&file) }.map_err(TableError::io("cannot map", path))?;
        let Some(tail) =
            usize::try_from(prelude.index_offset).ok().and_then(|offset| map.get(offset..))
        else {
            return Err(corrupt("the offset table is outside the file", 16));
        };
        if xxh3_64(tail) != prelude.tail_checksum {
            let what = "the checksum of offset table and metadata differs";
            return Err(corrupt(what, prelude.index_offset));
        }
        let metadata = usize::try_from(prelude.metadata_offset)
            .ok()
            .and_then(|offset| map.get(offset..))
            .filter(|bytes| bytes.len() <= METADATA_LIMIT)
            .and_then(|bytes| {
                bincode::serde::decode_from_slice::<Metadata, _>(bytes, metadata_format()).ok()
            })
            .map(|(metadata, _)| metadata)
            .ok_or_else(|| corrupt("the metadata make no sense", prelude.metadata_offset))?;
        let sense = |what: &str| corrupt(what, prelude.metadata_offset);
        let packing = Packing::from_bits(metadata.bits)
            .ok_or_else(|| sense("values have a width that there is not"))?;
        if metadata.block_values == 0 || metadata.block_values > BLOCK_LIMIT {
            return Err(sense("blocks have a size that there is not"));
        }
        let blocks = metadata.values.div_ceil(metadata.block_values.into());
        let index_length = prelude.metadata_offset.checked_sub(prelude.index_offset);
        let expected = blocks.checked_mul(12).and_then(|length| length.checked_add(8));
        if expected.is_none() || expected != index_length {
            return Err(sense("the offset table has another length than there are blocks"));
        }
        let index_offset = prelude.index_offset as usize;
        let id = OPENED.fetch_add(1, Ordering::Relaxed);
        Ok(Self { path: path.to_owned(), id, map, metadata, packing, blocks, index_offset })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the table says of itself.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The size of the file.
    pub fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// The checksum of the whole file, to compare with others: xxh3, 64 bits. Reads every byte.
    pub fn checksum(&self) -> u64 {
        xxh3_64(&self.map)
    }

    /// A number that no other table of this program has.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The block that holds a value, and the value's place in it.
    #[inline]
    pub(crate) fn locate(&self, index: u64) -> (u64, usize) {
        let values = u64::from(self.metadata.block_values);
        (index / values, (index % values) as usize)
    }

    /// Unpacks a block into `bytes`, having compared its checksum.
    ///
    /// # Errors
    /// If the block is damaged.
    pub(crate) fn read_block(&self, block: u64, bytes: &mut Vec<u8>) -> Result<()> {
        let corrupt = |what: &str, offset: u64| TableError::Corrupt {
            path: self.path.clone(),
            what: format!("block {block} of {}: {what}", self.blocks),
            offset,
        };
        let word = |at: usize| u64::from_le_bytes(self.map[at..at + 8].try_into().expect("8"));
        let entry = self.index_offset + 8 * block as usize;
        let (begin, end) = (word(entry), word(entry + 8));
        let packed = self.map[..self.index_offset]
            .get(begin as usize..end as usize)
            .ok_or_else(|| corrupt("its offsets are outside the file", entry as u64))?;
        let checksum_at = self.index_offset + 8 * (self.blocks as usize + 1) + 4 * block as usize;
        if (xxh3_64(packed) as u32).to_le_bytes() != self.map[checksum_at..checksum_at + 4] {
            return Err(corrupt("its checksum differs", begin));
        }
        let first = block * u64::from(self.metadata.block_values);
        let values = (self.metadata.values - first).min(self.metadata.block_values.into());
        let size = self.packing.bytes(values as usize);
        bytes.resize(size, 0);
        match UNPACKER.with_borrow_mut(|unpacker| unpacker.decompress_to_buffer(packed, bytes)) {
            Ok(length) if length == size => Ok(()),
            Ok(length) => Err(corrupt(&format!("it unpacks to {length} bytes, not {size}"), begin)),
            Err(error) => Err(corrupt(&format!("it does not unpack: {error}"), begin)),
        }
    }

    /// The value at a place of an unpacked block.
    ///
    /// # Errors
    /// If the bits there are no value.
    #[inline]
    pub(crate) fn value_in(&self, block: u64, bytes: &[u8], place: usize) -> Result<Code> {
        self.packing.get(bytes, place).ok_or_else(|| TableError::Corrupt {
            path: self.path.clone(),
            what: format!("block {block}: value {place} is none that there is"),
            offset: 0,
        })
    }

    /// The values of `count` places from `first` on.
    pub(crate) fn codes(&self, first: u64, count: u64) -> Result<Vec<Code>> {
        let mut codes = Vec::with_capacity(count as usize);
        while (codes.len() as u64) < count {
            let (block, place) = self.locate(first + codes.len() as u64);
            let missing = count as usize - codes.len();
            codes.extend(self.read_codes(block)?.into_iter().skip(place).take(missing));
        }
        Ok(codes)
    }

    /// Unpacks a block into values, having compared its checksum.
    pub(crate) fn read_codes(&self, block: u64) -> Result<Vec<Code>> {
        let mut bytes = Vec::new();
        self.read_block(block, &mut bytes)?;
        let first = block * u64::from(self.metadata.block_values);
        let values = (self.metadata.values - first).min(self.metadata.block_values.into());
        (0..values as usize).map(|place| self.value_in(block, &bytes, place)).collect()
    }

    /// Compares the checksum of every block.
    ///
    /// # Errors
    /// The first damage.
    pub fn check(&self) -> Result<()> {
        let mut bytes = Vec::new();
        (0..self.blocks).try_for_each(|block| self.read_block(block, &mut bytes))
    }
}
