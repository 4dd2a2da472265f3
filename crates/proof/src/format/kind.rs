//! The file kind of certificates.

use fanorona_storage::{FileKind, PartialKind};

/// The format version that is written.
pub const VERSION: u32 = 1;

/// Certificates are containers of this kind. The body has the blocks, the metadata are the header.
pub(super) const KIND: FileKind = FileKind { magic: *b"FanoCert", version: VERSION, oldest: 1 };

/// The temporary files of certificates.
pub(super) const PARTIAL: PartialKind = PartialKind::new("certificate");
