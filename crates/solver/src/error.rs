//! Errors of searches.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fanorona_core::{Board, ErrorKind, RuleError, with_causes};
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
    OtherSearch { path: PathBuf, difference: Difference, saved: String, wanted: String },
    #[error("stopped before there was a result")]
    Stopped,
    #[error("the limit of the search was reached before there was a result")]
    Limit,
}

/// The part in which a saved search differs from the one it should resume.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub enum Difference {
    RuleSet,
    Position,
    /// The tables: facts of the search rest on their values.
    Tables,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RuleSet => "rule set",
            Self::Position => "position",
            Self::Tables => "set of tables",
        })
    }
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

/// A search that could not be saved. It goes on, and its answer is not affected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{reason}")]
#[non_exhaustive]
pub struct NotSaved {
    /// The file in which the search should be saved.
    pub path: PathBuf,
    /// The message of the error, with the name of the file.
    pub reason: String,
}

impl NotSaved {
    pub(crate) fn new(path: &Path, error: &SolverError) -> Self {
        Self { path: path.to_owned(), reason: with_causes(error) }
    }
}

/// A result with an error of the search.
pub type Result<T, E = SolverError> = std::result::Result<T, E>;
