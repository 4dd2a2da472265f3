//! Which files are certificates.

use fanorona_storage::{FileKind, PartialKind};

/// The format version that is written.
pub const VERSION: u32 = 1;

/// Certificates are containers of this kind: the body are blocks, the metadata the header.
pub(super) const KIND: FileKind = FileKind { magic: *b"FanoCert", version: VERSION, oldest: 1 };

/// Names certificates that are being written.
pub(super) const PARTIAL: PartialKind = PartialKind::new("certificate");
