//! The index: offsets and checksums of the blocks of a certificate.

use fanorona_core::PointSet;

use super::kind::Form;
use crate::stones::Stones;

/// An entry of the index, for one block.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexEntry {
    /// The offset of the block in the file.
    pub offset: u64,
    /// The checksum of its compressed bytes.
    pub checksum: u64,
    /// The stones of its first entry; `None` if the certificate stores only turns.
    pub first: Option<Stones>,
}

impl IndexEntry {
    /// The length in bytes.
    pub(super) fn length(form: Form) -> usize {
        match form {
            Form::Entries => 4 * 8,
            Form::Turns => 2 * 8,
        }
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        let first = self.first.map(|first| [first.own.bits(), first.opponent.bits()]);
        let words = [self.offset, self.checksum].into_iter().chain(first.into_iter().flatten());
        words.flat_map(u64::to_le_bytes).collect()
    }

    /// An entry from the bytes of the form's [`length`](Self::length).
    pub(super) fn from_bytes(bytes: &[u8], form: Form) -> Self {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
        let set = |at| PointSet::from_bits(word(at));
        let first = match form {
            Form::Entries => Some(Stones { own: set(16), opponent: set(24) }),
            Form::Turns => None,
        };
        Self { offset: word(0), checksum: word(8), first }
    }
}
