//! Files for the Fanorona crates, without any game in them.
//!
//! - [`AtomicFile`] and [`write_atomically`] replace a file in one step: readers see the old file
//!   or the whole new one, also after a crash.
//! - [`open_regular`] opens a regular file and refuses everything else without blocking.
//! - [`same_file`] says whether two paths name one file, also through links.
//!
//! ```
//! use std::io::{Read, Write};
//! use fanorona_storage::{PartialKind, open_regular, write_atomically};
//!
//! const REPORT: PartialKind = PartialKind::new("report");
//!
//! let dir = tempfile::tempdir()?;
//! let path = dir.path().join("report.html");
//! write_atomically(&path, REPORT, |out| out.write_all(b"<p>Hello</p>"))?;
//!
//! let mut text = String::new();
//! open_regular(&path)?.read_to_string(&mut text)?;
//! assert_eq!(text, "<p>Hello</p>");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]

mod access;
mod block;
mod cache;
mod container;
mod metadata;
mod open;
mod operation;
mod replace;
mod target;

pub use access::Access;
pub use block::{checksum, compress, decompress};
pub use cache::{BlockCache, BlockKey};
pub use container::{Container, ContainerError, ContainerWriter, FileKind, PRELUDE};
pub use metadata::{METADATA_LIMIT, MetadataError, decode_metadata, encode_metadata};
pub use open::open_regular;
pub use operation::Operation;
pub use replace::{
    AtomicFile, PartialKind, ReplaceError, check_replaceable, sync_directory, write_atomically,
};
pub use target::same_file;
