//! Errors of files, and the operations that failed.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// An error of reading or writing a file.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum FileError {
    /// The system refuses an operation on a file or a directory.
    #[error("{} {}", .operation.in_words(), .path.display())]
    Io { operation: Operation, path: PathBuf, source: io::Error },
    /// The file is of another kind than [`FileKind::name`](crate::FileKind::name).
    #[error("{} is not {name}: {why}", .path.display())]
    OtherKind { path: PathBuf, name: &'static str, why: String },
    /// The file has a format version that is not supported.
    #[error(
        "{} has format version {found}; supported are versions {oldest} to {newest}",
        .path.display()
    )]
    Version { path: PathBuf, found: u32, oldest: u32, newest: u32 },
    /// The file is damaged at an offset.
    #[error("{} is damaged: {what} (at byte {offset})", .path.display())]
    Corrupt { path: PathBuf, what: String, offset: u64 },
}

impl FileError {
    /// Wraps an error of an operation on a file or a directory.
    pub fn io(operation: Operation, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { operation, path, source }
    }

    /// The file or the directory.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::OtherKind { path, .. }
            | Self::Version { path, .. }
            | Self::Corrupt { path, .. } => path,
        }
    }

    /// The kind: [`Unsupported`](io::ErrorKind::Unsupported) is an unsupported version,
    /// [`InvalidData`](io::ErrorKind::InvalidData) any other fault of a file's content, and all
    /// others come from the system.
    pub fn kind(&self) -> io::ErrorKind {
        use io::ErrorKind::{InvalidData, Other, Unsupported};
        match self {
            Self::Io { source, .. } => match source.kind() {
                Unsupported | InvalidData => Other,
                kind => kind,
            },
            Self::OtherKind { .. } | Self::Corrupt { .. } => InvalidData,
            Self::Version { .. } => Unsupported,
        }
    }
}

/// The operation on a file or directory that failed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the words for messages say it")]
pub enum Operation {
    /// Opening a file, resolving its path, or checking that it may be written.
    Open,
    Read,
    Map,
    Create,
    Write,
    Rename,
    Remove,
    /// Syncing a directory after a rename. The new file is in place.
    SyncDirectory,
    CreateDirectory,
    ListDirectory,
}

impl Operation {
    /// The beginning of an error message, before the path: `cannot write`, for example.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Open => "cannot open",
            Self::Read => "cannot read",
            Self::Map => "cannot map",
            Self::Create => "cannot create a file in",
            Self::Write => "cannot write",
            Self::Rename => "cannot replace",
            Self::Remove => "cannot remove",
            Self::SyncDirectory => "cannot sync",
            Self::CreateDirectory => "cannot create the directory",
            Self::ListDirectory => "cannot list",
        }
    }
}
