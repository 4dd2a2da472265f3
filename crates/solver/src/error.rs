//! What can go wrong with a search.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fanorona_core::{Board, RuleError};
use fanorona_storage::{Operation, ReplaceError};
use fanorona_tablebase::TableError;
use thiserror::Error;

/// An error of a search.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SolverError {
    /// The rule set cannot be used on the board.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// A table is damaged or cannot be read, or the tables are of another game.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// The memory for the search cannot be allocated.
    #[error("cannot allocate {} MiB of memory: {source}", .bytes >> 20)]
    Memory {
        /// How much was asked for.
        bytes: usize,
        /// The cause.
        source: io::Error,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    /// The position is on another board than the solver's.
    #[error("the solver is for the board {expected}, and the position is on {found}")]
    OtherBoard {
        /// The board of the solver.
        expected: Board,
        /// The board of the position.
        found: Board,
    },
    /// A file cannot be read or written.
    #[error("{} {}: {source}", .operation.in_words(), .path.display())]
    Io {
        /// The operation that failed.
        operation: Operation,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file is not a saved search, or it is damaged.
    #[error("{} is not a saved search, or it is damaged: {reason}", .path.display())]
    NotASavedSearch {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file has a search of something else.
    #[error("{} is a search with another {difference}: {saved}, not {wanted}", .path.display())]
    OtherSearch {
        /// The file.
        path: PathBuf,
        /// What differs.
        difference: Difference,
        /// What the file has.
        saved: String,
        /// What was asked for.
        wanted: String,
    },
    /// The stop flag was set before there was a result.
    #[error("stopped before there was a result")]
    Stopped,
    /// A limit of time or of positions was reached before there was a result.
    #[error("the limit of the search was reached before there was a result")]
    Limit,
}

/// What makes a saved search useless for another one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Difference {
    /// The rule set.
    RuleSet,
    /// The position.
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

impl From<ReplaceError> for SolverError {
    fn from(error: ReplaceError) -> Self {
        Self::Io { operation: error.operation, path: error.path, source: error.source }
    }
}

impl SolverError {
    /// Adds the file that cannot be read to an error of the system.
    pub(crate) fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { operation: Operation::Read, path, source }
    }
}

/// A search that could not be saved. It goes on, and its answer is not affected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{reason}")]
#[non_exhaustive]
pub struct NotSaved {
    /// The file.
    pub path: PathBuf,
    /// What failed, with the name of the file.
    pub reason: String,
}

impl NotSaved {
    pub(crate) fn new(path: &Path, error: &SolverError) -> Self {
        Self { path: path.to_owned(), reason: error.to_string() }
    }
}

/// A result with an error of the search.
pub type Result<T, E = SolverError> = std::result::Result<T, E>;
