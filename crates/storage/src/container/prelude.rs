//! The fixed part at the beginning of a container.

use xxhash_rust::xxh3::xxh3_64;

use crate::metadata::METADATA_LIMIT;

/// A kind of container: its name, its magic and its versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileKind {
    /// The name of such a file in messages, with an article: `a table`.
    pub name: &'static str,
    /// The first eight bytes of every file.
    pub magic: [u8; 8],
    /// The format version that is written, after the magic. It is also the newest that is read.
    pub version: u32,
    /// The oldest format version that is read.
    pub oldest: u32,
}

/// The length of the prelude in bytes. The body of a container begins after it.
pub const PRELUDE: usize = 64;

/// The mark of a finished file: the bytes `DONE`.
const FINISHED: u32 = 0x454e_4f44;
/// The offset of the reserved bytes, which are 0.
const RESERVED_AT: usize = 48;
/// The number of bytes that the prelude's checksum covers.
pub(super) const CHECKED: usize = 56;
/// The limit of the index in bytes. A longer one is refused before it is read.
const INDEX_LIMIT: u64 = 1 << 30;

/// The fields of a prelude. All numbers are little-endian. After the magic and the version come the mark
/// of a finished file and the fields here; reserved bytes, which are 0; and the checksum of it all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Prelude {
    pub version: u32,
    /// The offset of the index, which follows the body.
    pub index_offset: u64,
    /// The offset of the metadata, which follow the index.
    pub metadata_offset: u64,
    pub file_length: u64,
    /// xxh3 of everything from `index_offset` to the end.
    pub tail_checksum: u64,
}

impl Prelude {
    pub(super) fn to_bytes(self, magic: [u8; 8]) -> [u8; PRELUDE] {
        let mut bytes = [0; PRELUDE];
        bytes[..8].copy_from_slice(&magic);
        bytes[8..12].copy_from_slice(&self.version.to_le_bytes());
        bytes[12..16].copy_from_slice(&FINISHED.to_le_bytes());
        let words = [self.index_offset, self.metadata_offset, self.file_length, self.tail_checksum];
        for (field, word) in bytes[16..].chunks_exact_mut(8).zip(words) {
            field.copy_from_slice(&word.to_le_bytes());
        }
        let checksum = checksum(&bytes);
        bytes[CHECKED..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Decodes the fields, and checks that they are consistent for a file of this length. The error is a
    /// message and an offset. The caller has to check magic, version and checksum.
    pub(super) fn from_bytes(bytes: &[u8; PRELUDE], length: u64) -> Result<Self, (String, u64)> {
        let [index_offset, metadata_offset, file_length, tail_checksum, reserved] =
            [16, 24, 32, 40, RESERVED_AT].map(|at| word(bytes, at));
        let is_ordered = PRELUDE as u64 <= index_offset
            && index_offset <= metadata_offset
            && metadata_offset <= file_length;
        let (what, offset) = if half(bytes, 12) != FINISHED {
            ("it was never finished".to_owned(), 12)
        } else if file_length != length || usize::try_from(length).is_err() {
            (format!("it has {length} bytes and should have {file_length}"), length)
        } else if !is_ordered {
            ("the offsets of index and metadata are out of order".to_owned(), 16)
        } else if metadata_offset - index_offset > INDEX_LIMIT {
            ("the index is too long".to_owned(), index_offset)
        } else if length - metadata_offset > METADATA_LIMIT as u64 {
            ("the metadata are too long".to_owned(), metadata_offset)
        } else if reserved != 0 {
            ("the reserved bytes are not 0".to_owned(), RESERVED_AT as u64)
        } else {
            let version = half(bytes, 8);
            return Ok(Self { version, index_offset, metadata_offset, file_length, tail_checksum });
        };
        Err((what, offset))
    }
}

pub(super) fn word(bytes: &[u8; PRELUDE], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

pub(super) fn half(bytes: &[u8; PRELUDE], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

/// The checksum that a prelude should have.
pub(super) fn checksum(prelude: &[u8; PRELUDE]) -> u64 {
    xxh3_64(&prelude[..CHECKED])
}
