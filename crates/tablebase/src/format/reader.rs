//! Reading a table.

use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Decompressor;

use super::frame::{Access, Frame};
use super::metadata::Metadata;
use super::{Kind, Packing};
use crate::error::Result;
use crate::value::Code;

/// The most values that a block may have, so that a damaged number cannot ask for all memory.
const BLOCK_LIMIT: u32 = 1 << 22;

/// What a thread unpacks blocks with; zstd's part would take longer to make than a block to unpack.
struct Unpacker {
    zstd: Decompressor<'static>,
    packed: Vec<u8>,
}

thread_local! {
    static UNPACKER: RefCell<Unpacker> = RefCell::new(Unpacker {
        zstd: Decompressor::new().expect("zstd needs nothing but memory"),
        packed: Vec::new(),
    });
}

/// How many tables this program has opened.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// A table of one slice.
///
/// Opening reads and checks what the table says of itself; blocks are checked when they are read.
/// Files are never written in place here; a rebuilt table is a new file under the old name, and
/// what is open goes on with the old one. What happens when somebody else changes an open file
/// depends on the [`Access`].
#[derive(Debug)]
pub struct TableFile {
    frame: Frame,
    /// Differs between any two tables that this program has opened; for caches of blocks.
    id: u64,
    metadata: Metadata,
    packing: Packing,
    blocks: u64,
}

impl TableFile {
    /// Opens a table, memory-mapped, and checks its header.
    ///
    /// # Errors
    /// If the file cannot be read, is not a finished table of a version that is read, or is damaged
    /// in its header, its offset table or its metadata.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, Access::Mapped)
    }

    /// Opens a table and checks its header.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_with(path: &Path, access: Access) -> Result<Self> {
        let frame = Frame::open(path, Kind::TABLE, access)?;
        // The metadata of version 1 end where the zugzwangs begin, so that a zero makes them those of
        // version 2 with none counted.
        let added: &[u8] = if frame.version() < 2 { &[0] } else { &[] };
        let metadata: Metadata = frame.metadata(added)?;
        let packing = Packing::from_bits(metadata.bits)
            .ok_or_else(|| frame.senseless("values have a width that there is not"))?;
        if metadata.block_values == 0 || metadata.block_values > BLOCK_LIMIT {
            return Err(frame.senseless("blocks have a size that there is not"));
        }
        if metadata.statistics.distances.len() >= usize::from(u16::MAX) {
            return Err(frame.senseless("there are more distances than there can be"));
        }
        let blocks = metadata.values.div_ceil(metadata.block_values.into());
        let length = blocks.checked_mul(12).and_then(|length| length.checked_add(8));
        frame.check_index(length, "the offset table has another length than there are blocks")?;
        let id = OPENED.fetch_add(1, Ordering::Relaxed);
        Ok(Self { frame, id, metadata, packing, blocks })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        self.frame.path()
    }

    /// What the table says of itself.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The size of the file.
    pub fn bytes(&self) -> u64 {
        self.frame.length()
    }

    /// The checksum of the whole file, to compare with others: xxh3, 64 bits. Reads every byte.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub fn checksum(&self) -> Result<u64> {
        self.frame.checksum()
    }

    /// A checksum that differs where anything does, and needs no reading.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.frame.fingerprint()
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
        UNPACKER.with_borrow_mut(|unpacker| self.read_block_with(unpacker, block, bytes))
    }

    fn read_block_with(
        &self,
        Unpacker { zstd, packed }: &mut Unpacker,
        block: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let corrupt = |what: &str, offset: u64| {
            self.frame.corrupt(format!("block {block} of {}: {what}", self.blocks), offset)
        };
        let index = self.frame.index();
        let word = |at: usize| u64::from_le_bytes(index[at..at + 8].try_into().expect("8 bytes"));
        let entry = 8 * block as usize;
        let range = word(entry)..word(entry + 8);
        if !self.frame.is_in_body(&range) {
            let at = self.frame.prelude().index_offset + entry as u64;
            return Err(corrupt("its offsets are outside the file", at));
        }
        let begin = range.start;
        let packed = self.frame.body(range, packed)?;
        let checksum_at = 8 * (self.blocks as usize + 1) + 4 * block as usize;
        if (xxh3_64(packed) as u32).to_le_bytes() != index[checksum_at..checksum_at + 4] {
            return Err(corrupt("its checksum differs", begin));
        }
        let first = block * u64::from(self.metadata.block_values);
        let values = (self.metadata.values - first).min(self.metadata.block_values.into());
        let size = self.packing.bytes(values as usize);
        bytes.resize(size, 0);
        match zstd.decompress_to_buffer(packed, bytes) {
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
        self.packing.get(bytes, place).ok_or_else(|| {
            let what = format!("block {block}: value {place} is none that there is");
            self.frame.corrupt(what, 0)
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
