//! What can go wrong when a container is read.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::operation::Operation;

/// A container that cannot be opened or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// Opening or reading failed.
    #[error("{} {}", .operation.in_words(), .path.display())]
    Io {
        /// What failed.
        operation: Operation,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is of another kind.
    #[error("{} is of another kind: {why}", .path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// How that shows.
        why: String,
    },
    /// The file has a format version that is not read.
    #[error(
        "{} has format version {found}, and versions {oldest} to {newest} can be read",
        .path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The first version that is read.
        oldest: u32,
        /// The last version that is read.
        newest: u32,
    },
    /// The bytes are not those that were written.
    #[error("{} is damaged: {what} (at byte {offset})", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Which part is damaged, and how that shows.
        what: String,
        /// The offset of that part in the file.
        offset: u64,
    },
}
