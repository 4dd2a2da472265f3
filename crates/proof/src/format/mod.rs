//! The file format of certificates, version 1. Its description for those who write other checkers is
//! `docs/CERTIFICATE.md` in this crate's folder; it and this module change together.

mod block;
mod header;
mod reader;
mod writer;

pub(super) use block::Entry;
pub use header::NamedTable;
pub(super) use header::{Header, ProofHeader};
pub(super) use reader::Reader;
pub(super) use writer::write;

use fanorona_core::PointSet;

/// The format version that is written and read.
pub const VERSION: u32 = 1;

/// The first bytes of every certificate.
const MAGIC: [u8; 8] = *b"FanoCert";

/// The fixed part at the beginning of a file, in bytes.
const PRELUDE: usize = 64;

/// What the finished mark is in a file that is whole: the bytes `DONE`.
const FINISHED: u32 = 0x454e_4f44;

/// What the index says of one block, in bytes.
const INDEX_ENTRY: usize = 32;

/// The prelude's fields behind magic and version, all little endian.
#[derive(Clone, Copy, Debug)]
struct Prelude {
    finished: u32,
    /// Where the index begins; blocks fill the file up to there.
    index_offset: u64,
    /// Where the header begins, behind the index.
    header_offset: u64,
    file_length: u64,
    /// xxh3 of everything from `index_offset` to the end.
    tail_checksum: u64,
}

impl Prelude {
    fn to_bytes(self) -> [u8; PRELUDE] {
        let mut bytes = [0; PRELUDE];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.finished.to_le_bytes());
        let words =
            [self.index_offset, self.header_offset, self.file_length, self.tail_checksum, 0];
        for (place, word) in bytes[16..56].chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The fields; magic, version and checksum are the caller's to check.
    fn from_bytes(bytes: &[u8; PRELUDE]) -> Self {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        Self {
            finished: u32::from_le_bytes(bytes[12..16].try_into().expect("4 bytes")),
            index_offset: word(16),
            header_offset: word(24),
            file_length: word(32),
            tail_checksum: word(40),
        }
    }
}

/// What the index says of a block.
#[derive(Clone, Copy, Debug)]
struct IndexEntry {
    /// Where it begins.
    offset: u64,
    /// xxh3 of its bytes in the file.
    checksum: u64,
    /// The stones of its first entry.
    first: crate::stones::Stones,
}

impl IndexEntry {
    fn to_bytes(self) -> [u8; INDEX_ENTRY] {
        let mut bytes = [0; INDEX_ENTRY];
        let words = [self.offset, self.checksum, self.first.own.bits(), self.first.opponent.bits()];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        let first = crate::stones::Stones {
            own: PointSet::from_bits(word(16)),
            opponent: PointSet::from_bits(word(24)),
        };
        Self { offset: word(0), checksum: word(8), first }
    }
}
