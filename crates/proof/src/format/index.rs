//! The index: offsets and checksums of the blocks of a certificate.

use fanorona_core::PointSet;

use crate::stones::Stones;

/// An entry of the index, for one block.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexEntry {
    /// The offset of the block in the file.
    pub offset: u64,
    /// The checksum of its compressed bytes.
    pub checksum: u64,
    /// The stones of its first entry.
    pub first: Stones,
}

impl IndexEntry {
    /// The length in bytes.
    pub(super) const LENGTH: usize = 32;

    pub(super) fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        let words = [self.offset, self.checksum, self.first.own.bits(), self.first.opponent.bits()];
        for (field, word) in bytes.chunks_exact_mut(8).zip(words) {
            field.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; Self::LENGTH]) -> Self {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        let first =
            Stones { own: PointSet::from_bits(word(16)), opponent: PointSet::from_bits(word(24)) };
        Self { offset: word(0), checksum: word(8), first }
    }
}
