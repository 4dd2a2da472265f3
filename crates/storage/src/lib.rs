//! Files for the Fanorona crates: atomic replacement, containers with checksums, and a cache of
//! blocks. Knows nothing about the game.
//!
//! To replace a file in one step, and to read it:
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
//!
//! # Concepts
//!
//! - **Atomic replacement**: a file is written under a temporary name, synced, and renamed. Readers
//!   see the old file or the complete new one, even after a crash.
//! - A **container** is a file with four parts: a prelude of 64 bytes (magic, version, offsets,
//!   checksums), a body, an index of the body, and metadata. Tables and certificates are
//!   containers. Their formats define the body and the index.
//! - A **block** is a part of a body that is compressed by itself, with zstd, and has a checksum.
//! - [`Access`] says whether an open container is read, memory-mapped, or fetched from [`Files`] that
//!   are somewhere else.
//!
//! # Where things are
//!
//! | to | see |
//! |---|---|
//! | replace a file | [`write_atomically`]; [`AtomicFile`] gives more control |
//! | open a file that might be a pipe or a device | [`open_regular`] |
//! | find out whether two paths name one file | [`same_file`] |
//! | write and read containers | [`ContainerWriter`], [`Container`] |
//! | encode metadata | [`encode_metadata`], [`decode_metadata`] |
//! | compress blocks and compute checksums | [`compress`], [`decompress`], [`checksum`] |
//! | keep decompressed blocks in memory | [`BlockCache`] |
//! | cut a file into shards that are fetched and verified one by one | [`cut`], [`Shards`] |
//! | compute a hash that others can verify | [`Sha256`] |
//! | keep data on disk that does not fit in memory | [`ScratchFile`] |
//! | know how much memory and disk space there is | [`memory_available`], [`disk_available`] |
//! | limit the memory of some work | [`Budget`] |
//! | measure wall-clock and CPU time | [`Stopwatch`] |
//! | share large tables between threads | [`Zeroed`] |
//! | see a program | `examples/container.rs` in the crate's directory |

#![deny(unsafe_code)]

mod access;
mod block;
mod budget;
mod cache;
mod clock;
mod container;
mod error;
mod fetched;
mod metadata;
mod replace;
mod resources;
mod scratch;
mod sha256;
mod shards;
mod target;
mod zeroed;

pub use access::{Access, Files, Source};
pub use block::{checksum, compress, decompress};
pub use budget::Budget;
pub use cache::{BlockCache, BlockKey};
pub use clock::{Spent, Stopwatch};
pub use container::{Container, ContainerWriter, FileKind, PRELUDE};
pub use error::{FileError, Operation};
pub use fetched::{FetchedFile, FetchedFiles, ShardStore};
/// A [`ScratchFile`] that is mapped into memory.
pub use memmap2::Mmap as ScratchMap;
pub use metadata::{METADATA_LIMIT, decode, decode_metadata, encode, encode_metadata};
pub use replace::{AtomicFile, PartialKind, write_atomically};
pub use resources::{disk_available, memory_available};
pub use scratch::ScratchFile;
pub use sha256::Sha256;
pub use shards::{Shards, cut};
pub use target::{open_regular, same_file};
pub use zeroed::Zeroed;
