//! Errors of reading containers.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::operation::Operation;

/// An error of opening or reading a container.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// Opening or reading failed.
    #[error("{} {}", .operation.in_words(), .path.display())]
    Io {
        /// The operation that failed.
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
        /// Why it is not of the expected kind.
        why: String,
    },
    /// The file has a format version that is not supported.
    #[error(
        "{} has format version {found}; supported are versions {oldest} to {newest}",
        .path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The oldest supported version.
        oldest: u32,
        /// The newest supported version.
        newest: u32,
    },
    /// The file is damaged.
    #[error("{} is damaged: {what} (at byte {offset})", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Which part is damaged, and in what way.
        what: String,
        /// The offset of that part in the file.
        offset: u64,
    },
}

impl ContainerError {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::OtherKind { path, .. }
            | Self::Version { path, .. }
            | Self::Corrupt { path, .. } => path,
        }
    }
}
