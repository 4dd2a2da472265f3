//! Errors of building, opening, probing and verifying tables.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fanorona_core::{Board, RuleSet, SetupError};
use fanorona_storage::{ContainerError, Operation, ReplaceError};
use thiserror::Error;

use crate::goal::Goal;
use crate::key::TableKey;
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// An error of building, opening, probing or verifying tables.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum TableError {
    #[error(
        "no {} table for slice {slice} of {board} under {rules} in {}",
        .metric.map_or("wdl or dtw", Metric::name), .dir.display()
    )]
    Missing {
        slice: Slice,
        board: Board,
        /// The rule set of the missing table, see [`Slice::rules`].
        rules: RuleSet,
        /// The metric that was needed; `None` if either would do.
        metric: Option<Metric>,
        dir: PathBuf,
    },
    #[error("cannot open the table directory {}", .dir.display())]
    NoDirectory { dir: PathBuf, source: io::Error },
    #[error("{} {}", .operation.in_words(), .path.display())]
    Io { operation: Operation, path: PathBuf, source: io::Error },
    #[error("{} is not a table: {why}", .path.display())]
    NotATable { path: PathBuf, why: String },
    #[error(
        "{} has format version {found}; supported are versions {oldest} to {newest}",
        .path.display()
    )]
    Version { path: PathBuf, found: u32, oldest: u32, newest: u32 },
    #[error("{} is damaged: {what} (at byte {offset})", .path.display())]
    Corrupt { path: PathBuf, what: String, offset: u64 },
    #[error("{} holds the table {found}, not {expected}", .path.display())]
    Other { path: PathBuf, found: TableKey, expected: TableKey },
    #[error("{} was not made from the current {}", .path.display(), .packed.display())]
    Foreign { path: PathBuf, packed: PathBuf },
    #[error("the stones are not a position of {board}")]
    NotAPosition { board: Board, source: SetupError },
    /// The stones may be a position in the first phase of the vela, where the value depends on who
    /// has which colour.
    #[error(
        "in the first phase of the vela, the value of stones of slice {slice} depends on the \
         colours: probe a position"
    )]
    ColoursMatter { slice: Slice },
    #[error(
        "{task} needs {} MiB of {resource}, and {} MiB can be used",
        .needed.div_ceil(1 << 20), .available >> 20
    )]
    Resources {
        task: Task,
        resource: Resource,
        /// In bytes.
        needed: u64,
        /// In bytes; what there is, or what the caller allows.
        available: u64,
    },
    #[error("another build is running in {}", .dir.display())]
    Busy { dir: PathBuf },
    #[error("slice {slice} has distances of more than {limit} turns, the limit of a table")]
    TooFar { slice: Slice, limit: u16 },
    #[error("slice {slice} of {board} has too many positions")]
    TooLarge { slice: Slice, board: Board },
    #[error("the tables are for the board {expected}, but the position is on {found}")]
    OtherBoard { expected: Board, found: Board },
    #[error("the tables are of {found_board} under {found_rules}, not of {board} under {rules}")]
    OtherGame { board: Board, rules: RuleSet, found_board: Board, found_rules: RuleSet },
    #[error("stopped")]
    Stopped,
    #[error("process {rank} of the build has failed")]
    OtherRank { rank: usize },
    #[error("process {rank} is of another version than process 0, or has other options")]
    OtherBuild { rank: usize },
    #[error("the method {method} works with one process only; several use the method rows")]
    OneProcess { method: &'static str },
    #[error("the processes of the build cannot exchange data")]
    Ranks(#[source] io::Error),
    #[error("the processes of the build do not share {}: process {rank} sees other files", .dir.display())]
    NotShared { dir: PathBuf, rank: usize },
}

/// A task that needs memory and disk space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Task {
    /// Building tables.
    Build(Goal),
    /// Unpacking tables.
    Unpack {
        /// The number of stones of the largest slice that is read.
        stones: u32,
    },
    /// Verifying every value.
    Verify {
        /// The unit for which the most is needed, with the smaller units that it depends on.
        unit: Unit,
    },
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Build(goal) => write!(f, "building {goal}"),
            Self::Unpack { stones } => write!(f, "unpacking slices up to {stones} stones"),
            Self::Verify { unit } => write!(f, "verifying every value of {unit}"),
        }
    }
}

/// A resource that a task can have too little of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Resource {
    /// Main memory.
    Memory,
    /// Space on the file system of the tables.
    Disk,
    /// The same, including checkpoints. Without these there would be enough.
    DiskWithCheckpoints,
    /// Space on the file system of temporary files. With more memory, less is needed.
    DiskForWork,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::DiskWithCheckpoints => "disk (checkpoints included)",
            Self::DiskForWork => "disk for temporary files",
        })
    }
}

impl TableError {
    /// Wraps an error of the system.
    pub(crate) fn io(operation: Operation, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { operation, path, source }
    }
}

impl From<ContainerError> for TableError {
    fn from(error: ContainerError) -> Self {
        match error {
            ContainerError::Io { operation, path, source } => Self::Io { operation, path, source },
            ContainerError::OtherKind { path, why } => Self::NotATable { path, why },
            ContainerError::Version { path, found, oldest, newest } => {
                Self::Version { path, found, oldest, newest }
            }
            ContainerError::Corrupt { path, what, offset } => Self::Corrupt { path, what, offset },
            // `ContainerError` is non-exhaustive.
            other => Self::Io {
                operation: Operation::Read,
                path: other.path().to_owned(),
                source: io::Error::other(other),
            },
        }
    }
}

impl From<ReplaceError> for TableError {
    fn from(error: ReplaceError) -> Self {
        let ReplaceError { operation, path, source, .. } = error;
        Self::Io { operation, path, source }
    }
}

/// The result of an operation on tables.
pub type Result<T> = std::result::Result<T, TableError>;
