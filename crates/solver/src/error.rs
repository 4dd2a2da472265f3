//! What can go wrong with a proof search.

use std::io;
use std::path::{Path, PathBuf};

use fanorona_core::Board;
use fanorona_storage::ReplaceError;
use fanorona_tablebase::TableError;
use thiserror::Error;

/// An error of the search.
#[derive(Debug, Error)]
pub enum SolverError {
    /// A table is damaged or cannot be read.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// There is not so much memory.
    #[error("{mib} MiB of memory cannot be had: {source}; ask for less")]
    Memory {
        /// How much was asked for, MiB.
        mib: usize,
        /// What the system said.
        source: io::Error,
    },
    /// A thread cannot be started.
    #[error("a thread cannot be started: {0}")]
    Thread(io::Error),
    /// A position of another board.
    #[error("the solver is for the board {expected}, and the position is on {found}")]
    OtherBoard {
        /// The solver's board.
        expected: Board,
        /// The position's.
        found: Board,
    },
    /// Reading or writing a file failed.
    #[error("{doing} {}: {source}", .path.display())]
    Io {
        /// What was being done, as in "cannot write".
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that no search was kept in, or that is damaged.
    #[error(
        "{} is not a search that was kept, or it is damaged: {why}; delete it to begin again",
        .path.display()
    )]
    NotAState {
        /// The file.
        path: PathBuf,
        /// How one can tell.
        why: String,
    },
    /// A search of something else.
    #[error(
        "{} is a search with another {what}: {saved}, not {wanted}; give what it is for, or another \
         file",
        .path.display()
    )]
    OtherState {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// What is in the file.
        saved: String,
        /// What was asked for.
        wanted: String,
    },
    /// Somebody asked to stop, or a limit was reached, before what was asked for was found.
    #[error("stopped before it was found out")]
    Stopped,
}

impl From<ReplaceError> for SolverError {
    fn from(error: ReplaceError) -> Self {
        Self::Io { doing: error.operation.in_words(), path: error.path, source: error.source }
    }
}

impl SolverError {
    /// Wraps what the system said of a file.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}

/// A search that could not be kept in its file. It goes on, and its answer is not affected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{why}")]
#[non_exhaustive]
pub struct NotSaved {
    /// The file.
    pub path: PathBuf,
    /// What failed, with the file's name.
    pub why: String,
}

impl NotSaved {
    pub(crate) fn new(path: &Path, error: &SolverError) -> Self {
        Self { path: path.to_owned(), why: error.to_string() }
    }
}

/// The result of what can go wrong with a proof search.
pub type Result<T, E = SolverError> = std::result::Result<T, E>;
