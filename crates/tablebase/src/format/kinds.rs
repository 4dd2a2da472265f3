//! The kind of file and its versions.

use fanorona_storage::{FileKind, PartialKind};

use crate::key::Layout;

/// The latest format version of tables, that of unpacked ones. Versions from [`OLDEST_VERSION`] on are
/// read.
pub const VERSION: u32 = 3;

/// The version that packed tables are written in. Version 3 would add a byte that says that they are
/// packed.
pub(super) const PACKED_VERSION: u32 = 2;

/// The oldest format version of tables that is read.
pub const OLDEST_VERSION: u32 = 1;

pub(super) const TABLE: FileKind =
    FileKind { name: "a table", magic: *b"FanoTabl", version: VERSION, oldest: OLDEST_VERSION };

/// The kind with the version that a layout is written in.
pub(super) fn written(layout: Layout) -> FileKind {
    match layout {
        Layout::Packed => FileKind { version: PACKED_VERSION, ..TABLE },
        Layout::Unpacked => TABLE,
    }
}

/// The partial files of tables and checkpoints.
pub const PARTIAL: PartialKind = PartialKind::new("table");
