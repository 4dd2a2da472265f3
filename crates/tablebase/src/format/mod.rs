//! The file formats of tables, packed and unpacked. Their description for those who write other
//! readers is `docs/FORMAT.md` in this crate's folder; it and this module change together.

#[cfg(test)]
mod choice;
mod frame;
mod metadata;
mod packing;
mod reader;
mod unpacked;
mod writer;

pub use frame::Access;
pub(crate) use metadata::Counter;
pub use metadata::{Metadata, Statistics};
pub(crate) use packing::Packing;
pub use reader::TableFile;
pub(crate) use unpacked::write_unpacked;
pub use unpacked::{UnpackedFile, UnpackedMetadata};
pub(crate) use writer::{PARTIAL, WriteTimes, write_table};

/// The format version that is written; all from [`OLDEST_VERSION`] on are read.
pub const VERSION: u32 = 2;

/// The first format version.
pub const OLDEST_VERSION: u32 = 1;

/// The version of the format of unpacked tables that is written and read.
pub const UNPACKED_VERSION: u32 = 1;

/// What tells one kind of file from another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// The first bytes of every file.
    pub magic: [u8; 8],
    /// The version that is written, which follows.
    pub version: u32,
    /// The first version that is read.
    pub oldest: u32,
}

impl Kind {
    pub(crate) const TABLE: Self =
        Self { magic: *b"FanoTabl", version: VERSION, oldest: OLDEST_VERSION };
    pub(crate) const UNPACKED: Self =
        Self { magic: *b"FanoUnpk", version: UNPACKED_VERSION, oldest: UNPACKED_VERSION };
}

/// The fixed part at the beginning of a file, in bytes.
pub(crate) const PRELUDE: usize = 64;

/// What the finished mark is in a file that is whole.
pub(crate) const FINISHED: u32 = 0x454e_4f44;

/// Metadata larger than this are refused before they are read.
pub(crate) const METADATA_LIMIT: usize = 1 << 20;

/// The ending of a table's name.
pub(crate) const EXTENSION: &str = "fano";

/// The prelude's fields behind magic and version, all little endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prelude {
    pub finished: u32,
    /// Where the offset table begins, or whatever says of the body how it is to be read and
    /// checked; the body fills the file up to there.
    pub index_offset: u64,
    /// Where the metadata begin, behind the offset table and the block checksums.
    pub metadata_offset: u64,
    pub file_length: u64,
    /// xxh3 of everything from `index_offset` to the end.
    pub tail_checksum: u64,
}

impl Prelude {
    pub(crate) fn to_bytes(self, kind: Kind) -> [u8; PRELUDE] {
        let mut bytes = [0; PRELUDE];
        bytes[..8].copy_from_slice(&kind.magic);
        bytes[8..12].copy_from_slice(&kind.version.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.finished.to_le_bytes());
        let words =
            [self.index_offset, self.metadata_offset, self.file_length, self.tail_checksum, 0];
        for (place, word) in bytes[16..56].chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    pub(crate) fn version(bytes: &[u8; PRELUDE]) -> u32 {
        u32::from_le_bytes(bytes[8..12].try_into().expect("4 bytes"))
    }

    /// The fields; magic, version and checksum are the caller's to check.
    pub(crate) fn from_bytes(bytes: &[u8; PRELUDE]) -> Self {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        Self {
            finished: u32::from_le_bytes(bytes[12..16].try_into().expect("4 bytes")),
            index_offset: word(16),
            metadata_offset: word(24),
            file_length: word(32),
            tail_checksum: word(40),
        }
    }
}
