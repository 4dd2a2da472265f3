//! The file kind of certificates, and the limits of their blocks.

use fanorona_storage::{FileKind, PartialKind};

use super::block::TURN_BYTES_LIMIT;

/// The version of the format that is read and written.
pub const VERSION: u32 = 3;

/// Certificates are containers of this kind. The body has the blocks, the metadata are the header.
pub(super) const KIND: FileKind =
    FileKind { name: "a certificate", magic: *b"FanoCert", version: VERSION, oldest: VERSION };

pub(super) const PARTIAL: PartialKind = PartialKind::new("certificate");

/// The entries of a block that is written, which are the most that a block may have. That limits the
/// memory for reading one.
pub(crate) const BLOCK_ENTRIES: u32 = 1 << 16;

/// The most compressed bytes of a block. A zstd frame of incompressible content is a few bytes longer
/// than the content.
pub(super) const BLOCK_BYTES_LIMIT: u64 = 2 * BLOCK_ENTRIES as u64 * TURN_BYTES_LIMIT as u64;

/// The bytes of the index for each block: its offset in the file, and the checksum of its bytes.
pub(super) const INDEX_ROW: usize = 16;
