//! The first 64 bytes of a certificate.

use xxhash_rust::xxh3::xxh3_64;

/// The format version that is written and read.
pub const VERSION: u32 = 1;

/// The first bytes of every certificate.
const MAGIC: [u8; 8] = *b"FanoCert";

/// The finished mark of a whole file: the bytes `DONE`.
const FINISHED: u32 = 0x454e_4f44;

/// Where the parts of a certificate are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prelude {
    /// Where the index begins. The blocks fill the file from the prelude up to there.
    pub index_offset: u64,
    /// Where the header begins, behind the index. It fills the rest of the file.
    pub header_offset: u64,
    pub file_length: u64,
    /// xxh3 of everything from `index_offset` to the end.
    pub tail_checksum: u64,
}

/// Why bytes are not a prelude.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PreludeError {
    /// They begin with other bytes than a certificate.
    Magic,
    /// The version, which is not supported.
    Version(u32),
    /// What is wrong, and at which byte.
    Corrupt(&'static str, u64),
}

impl Prelude {
    /// The length in bytes.
    pub(super) const LENGTH: usize = 64;

    pub(super) fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&FINISHED.to_le_bytes());
        let words =
            [self.index_offset, self.header_offset, self.file_length, self.tail_checksum, 0];
        for (field, word) in bytes[16..56].chunks_exact_mut(8).zip(words) {
            field.copy_from_slice(&word.to_le_bytes());
        }
        let checksum = xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a prelude and checks all that it says of itself.
    pub(super) fn from_bytes(bytes: &[u8; Self::LENGTH]) -> Result<Self, PreludeError> {
        use PreludeError::Corrupt;
        let half = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        if bytes[..8] != MAGIC {
            return Err(PreludeError::Magic);
        }
        if half(8) != VERSION {
            return Err(PreludeError::Version(half(8)));
        }
        if Self::checksum(bytes) != xxh3_64(&bytes[..56]) {
            return Err(Corrupt("the prelude's checksum differs", 0));
        }
        if half(12) != FINISHED {
            return Err(Corrupt("it was never finished", 12));
        }
        if word(48) != 0 {
            return Err(Corrupt("the reserved bytes are not 0", 48));
        }
        Ok(Self {
            index_offset: word(16),
            header_offset: word(24),
            file_length: word(32),
            tail_checksum: word(40),
        })
    }

    /// The checksum of a prelude, which covers that of the tail and so the whole certificate.
    pub(super) fn checksum(bytes: &[u8; Self::LENGTH]) -> u64 {
        u64::from_le_bytes(bytes[56..].try_into().expect("8 bytes"))
    }
}
