//! The file kind of certificates, and their two forms.

use fanorona_storage::{FileKind, PartialKind};

use super::block::ENTRY_BYTES_LIMIT;
use super::turn_block::TURN_BYTES_LIMIT;

/// The newest format version.
pub const VERSION: u32 = 2;

/// What a certificate stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Form {
    /// Entries with their positions, sorted: format version 1. A [`Book`](crate::Book) reads only
    /// the blocks that it is asked for.
    Entries,
    /// Only the turns, in the order in which the proof discovers their positions: format version
    /// 2. It takes a tenth of the space. A [`Book`](crate::Book) follows the whole proof the first
    /// time it needs it, and keeps the entries in memory.
    Turns,
}

impl Form {
    /// All forms, by version.
    const ALL: [Self; 2] = [Self::Entries, Self::Turns];

    /// The form of a supported format version.
    pub(super) fn of_version(version: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.version() == version)
    }

    /// The format version.
    pub fn version(self) -> u32 {
        match self {
            Self::Entries => 1,
            Self::Turns => 2,
        }
    }

    /// Certificates are containers of this kind. The body has the blocks, the metadata are the
    /// header.
    pub(super) fn kind(self) -> FileKind {
        FileKind { name: "a certificate", magic: *b"FanoCert", version: self.version(), oldest: 1 }
    }

    /// The number of entries in a block that is written.
    pub(crate) fn block_entries(self) -> u32 {
        match self {
            Self::Entries => 1 << 10,
            Self::Turns => 1 << 16,
        }
    }

    /// The most entries of a block, which limits the memory that it takes.
    pub(super) fn block_entries_limit(self) -> u32 {
        match self {
            Self::Entries => 1 << 12,
            Self::Turns => 1 << 16,
        }
    }

    /// The most bytes of an entry before compression.
    pub(super) fn entry_bytes_limit(self) -> usize {
        match self {
            Self::Entries => ENTRY_BYTES_LIMIT,
            Self::Turns => TURN_BYTES_LIMIT,
        }
    }

    /// The most compressed bytes of a block. A zstd frame of incompressible content is a few bytes
    /// longer than the content.
    pub(super) fn block_bytes_limit(self) -> u64 {
        2 * u64::from(self.block_entries_limit()) * self.entry_bytes_limit() as u64
    }
}

/// The temporary files of certificates.
pub(super) const PARTIAL: PartialKind = PartialKind::new("certificate");
