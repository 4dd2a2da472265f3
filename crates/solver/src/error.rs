//! Errors of searches.

use std::io;
use std::path::{Path, PathBuf};

use fanorona_core::{Board, ErrorKind, RuleError};
use fanorona_storage::{FileError, Operation};
use fanorona_tablebase::TableError;
use thiserror::Error;

/// An error of a search.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum SolverError {
    /// The rule set cannot be used on the board.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// A table is damaged or cannot be read, or the tables are of another game.
    #[error(transparent)]
    Tables(#[from] TableError),
    #[error("cannot allocate {} MiB of memory: {source}", .bytes >> 20)]
    Memory { bytes: usize, source: io::Error },
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    #[error("the solver is for the board {expected}, and the position is on {found}")]
    OtherBoard { expected: Board, found: Board },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{} is not a saved search, or it is damaged: {reason}", .path.display())]
    NotASavedSearch { path: PathBuf, reason: String },
    #[error("{} is a search with another {difference}: {saved}, not {wanted}", .path.display())]
    OtherSearch { path: PathBuf, difference: &'static str, saved: String, wanted: String },
    #[error("stopped before there was a result")]
    Stopped,
    #[error("the limit of the search was reached before there was a result")]
    Limit,
}

impl SolverError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Rules(error) => error.kind(),
            Self::Tables(error) => error.kind(),
            Self::Memory { .. } | Self::Thread(_) => ErrorKind::OutOfMemory,
            Self::OtherBoard { .. } => ErrorKind::OtherGame,
            Self::File(error) => error.kind().into(),
            Self::NotASavedSearch { .. } => ErrorKind::DamagedFile,
            Self::OtherSearch { .. } => ErrorKind::OtherFile,
            Self::Limit => ErrorKind::Unproved,
            Self::Stopped => ErrorKind::Interrupted,
        }
    }

    /// Adds the file that cannot be read to an error of the system.
    pub(crate) fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let wrap = FileError::io(Operation::Read, path);
        move |source| wrap(source).into()
    }
}

/// A result with an error of the search.
pub type Result<T, E = SolverError> = std::result::Result<T, E>;
