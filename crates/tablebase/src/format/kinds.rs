//! File kinds and versions.

use fanorona_storage::{FileKind, PartialKind};

/// The format version of packed tables that is written. Versions from [`OLDEST_VERSION`] on are
/// read.
pub const VERSION: u32 = 2;

/// The oldest format version of packed tables that is read.
pub const OLDEST_VERSION: u32 = 1;

/// The format version of unpacked tables that is written and read.
pub const UNPACKED_VERSION: u32 = 1;

pub(super) const PACKED: FileKind =
    FileKind { name: "a table", magic: *b"FanoTabl", version: VERSION, oldest: OLDEST_VERSION };

pub(super) const UNPACKED: FileKind = FileKind {
    name: "a table",
    magic: *b"FanoUnpk",
    version: UNPACKED_VERSION,
    oldest: UNPACKED_VERSION,
};

/// The partial files of tables and checkpoints.
pub const PARTIAL: PartialKind = PartialKind::new("table");
