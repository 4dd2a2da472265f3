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
pub enum TableError {
    /// A table does not exist.
    #[error(
        "no {} table for slice {slice} of {board} under {rules} in {}",
        .metric.map_or("wdl or dtw", Metric::name), .dir.display()
    )]
    Missing {
        /// The slice.
        slice: Slice,
        /// The board.
        board: Board,
        /// The rule set of the missing table, see [`Slice::rules`].
        rules: RuleSet,
        /// The metric that was needed; `None` if either would do.
        metric: Option<Metric>,
        /// The directory.
        dir: PathBuf,
    },
    /// The table directory cannot be opened.
    #[error("cannot open the table directory {}", .dir.display())]
    NoDirectory {
        /// The directory.
        dir: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Reading or writing failed.
    #[error("{} {}", .operation.in_words(), .path.display())]
    Io {
        /// What failed.
        operation: Operation,
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not a table.
    #[error("{} is not a table: {why}", .path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
        /// Why it is not one.
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
        /// The oldest version of such files that is supported.
        oldest: u32,
        /// The newest one.
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
    /// The file holds another table than its name says, or than was needed.
    #[error("{} holds the table {found}, not {expected}", .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// Which table it is.
        found: TableKey,
        /// Which table it should be.
        expected: TableKey,
    },
    /// An unpacked table was not made from the packed table beside it.
    #[error("{} was not made from the current {}", .path.display(), .packed.display())]
    Foreign {
        /// The unpacked table.
        path: PathBuf,
        /// The packed one.
        packed: PathBuf,
    },
    /// The stones are not a legal position.
    #[error("the stones are not a position of {board}")]
    NotAPosition {
        /// The board.
        board: Board,
        /// What is wrong with them.
        source: SetupError,
    },
    /// The stones may be a position in the first phase of the vela, where the value depends on who
    /// has which colour.
    #[error(
        "in the first phase of the vela, the value of stones of slice {slice} depends on the \
         colours: probe a position"
    )]
    ColoursMatter {
        /// The slice.
        slice: Slice,
    },
    /// There is too little memory or disk space.
    #[error(
        "{task} needs {} MiB of {resource}, and {} MiB can be used",
        .needed.div_ceil(1 << 20), .available >> 20
    )]
    Resources {
        /// The task that needs it.
        task: Task,
        /// Memory or disk.
        resource: Resource,
        /// The bytes that are needed.
        needed: u64,
        /// The bytes that are available, or that the caller allows.
        available: u64,
    },
    /// Another build is running in the directory.
    #[error("another build is running in {}", .dir.display())]
    Busy {
        /// The directory.
        dir: PathBuf,
    },
    /// A distance is too long for a table.
    #[error("slice {slice} has distances of more than {limit} turns, the limit of a table")]
    TooFar {
        /// The slice.
        slice: Slice,
        /// The longest distance that a table can hold, in turns.
        limit: u16,
    },
    /// The slice has more positions than can be numbered, or than the builder can number.
    #[error("slice {slice} of {board} has too many positions")]
    TooLarge {
        /// The slice.
        slice: Slice,
        /// The board.
        board: Board,
    },
    /// The position is on another board than the tables.
    #[error("the tables are for the board {expected}, but the position is on {found}")]
    OtherBoard {
        /// The tables' board.
        expected: Board,
        /// The position's board.
        found: Board,
    },
    /// The tables are of another board or rule set than what they are for.
    #[error("the tables are of {found_board} under {found_rules}, not of {board} under {rules}")]
    OtherGame {
        /// The board that is needed.
        board: Board,
        /// The rule set that is needed.
        rules: RuleSet,
        /// The board of the tables.
        found_board: Board,
        /// The rule set of the tables.
        found_rules: RuleSet,
    },
    /// The work was stopped by the caller's flag.
    #[error("stopped")]
    Stopped,
    /// Another process of the same build has failed. It has the error.
    #[error("process {rank} of the build has failed")]
    OtherRank {
        /// The number of the process.
        rank: usize,
    },
    /// A process of a build is of another version, or has other options.
    #[error("process {rank} is of another version than process 0, or has other options")]
    OtherBuild {
        /// The number of the process.
        rank: usize,
    },
    /// A method that works with one process only.
    #[error("the method {method} works with one process only; several use the method rows")]
    OneProcess {
        /// The name of the method.
        method: &'static str,
    },
    /// The processes of a build cannot exchange data.
    #[error("the processes of the build cannot exchange data")]
    Ranks(#[source] io::Error),
    /// The processes of a build do not see the same files.
    #[error("the processes of the build do not share {}: process {rank} sees other files", .dir.display())]
    NotShared {
        /// The directory.
        dir: PathBuf,
        /// The number of a process that sees other files than process 0.
        rank: usize,
    },
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
