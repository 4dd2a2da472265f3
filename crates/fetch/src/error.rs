//! The error of downloads.

use std::io;
use std::path::PathBuf;

use fanorona_storage::{FileError, Sha256};
use thiserror::Error;

/// An error of fetching a file. Unless it says otherwise, a later download goes on from what has
/// arrived.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum FetchError {
    /// A text is not the address of a file.
    #[error(
        "'{address}' is not the address of a file, as in https://example.org/tables/9x5_standard.json"
    )]
    Address { address: String },
    /// The server cannot be reached, or the connection has ended too early.
    #[error("cannot fetch {address}: {source}")]
    Connection { address: String, source: io::Error },
    /// The server does not send the file.
    #[error("cannot fetch {address}: the server answers with status {status}")]
    Status { address: String, status: u16 },
    /// The server has another address for the file.
    #[error("{address} sends on to {to}, which is not followed")]
    Elsewhere { address: String, to: String },
    /// The server is silent.
    #[error("cannot fetch {address}: nothing has arrived for {seconds} s")]
    Silent { address: String, seconds: u64 },
    /// The server has ended the file too early.
    #[error("{address} ends after {found} bytes; there should be {bytes}")]
    Short { address: String, found: u64, bytes: u64 },
    /// The file is larger than it may be. Nothing of it is kept.
    #[error("{address} has more than {bytes} bytes, which is not right; nothing was kept")]
    TooLarge { address: String, bytes: u64 },
    /// The file has wrong bytes. Nothing of it is kept.
    #[error(
        "{address} has wrong bytes: its SHA-256 is {found}, and should be {expected}; nothing was kept"
    )]
    Wrong { address: String, found: Sha256, expected: Sha256 },
    /// There is another file with this name, which stays.
    #[error("{} is there, but is not the file that would be fetched", .path.display())]
    OtherFile { path: PathBuf },
    /// Another process fetches this file.
    #[error("another process fetches {}", .path.display())]
    Busy { path: PathBuf },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The caller has stopped the work.
    #[error("stopped")]
    Stopped,
}

impl FetchError {
    /// The kind: [`InvalidInput`](io::ErrorKind::InvalidInput) is a bad address,
    /// [`NotFound`](io::ErrorKind::NotFound) a file that the server does not have,
    /// [`InvalidData`](io::ErrorKind::InvalidData) a wrong file, [`AlreadyExists`](io::ErrorKind::AlreadyExists)
    /// another one of the same name, [`ResourceBusy`](io::ErrorKind::ResourceBusy) another process,
    /// [`Interrupted`](io::ErrorKind::Interrupted) the caller's stop. All others come from the system or
    /// from the network.
    pub fn kind(&self) -> io::ErrorKind {
        use io::ErrorKind as Kind;
        match self {
            Self::Address { .. } => Kind::InvalidInput,
            Self::Status { status: 404 | 410, .. } => Kind::NotFound,
            Self::TooLarge { .. } | Self::Wrong { .. } => Kind::InvalidData,
            Self::Silent { .. } => Kind::TimedOut,
            Self::OtherFile { .. } => Kind::AlreadyExists,
            Self::Busy { .. } => Kind::ResourceBusy,
            Self::Stopped => Kind::Interrupted,
            Self::File(error) => error.kind(),
            Self::Connection { .. }
            | Self::Status { .. }
            | Self::Elsewhere { .. }
            | Self::Short { .. } => Kind::Other,
        }
    }

    /// Whether another try can be worth while.
    pub(crate) fn is_interruption(&self) -> bool {
        matches!(self, Self::Connection { .. } | Self::Silent { .. } | Self::Short { .. })
    }
}
