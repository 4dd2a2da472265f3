//! What can go wrong with tables.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fanorona_core::{Board, RuleSet, SetupError};
use fanorona_storage::{Operation, ReplaceError};
use thiserror::Error;

use crate::goal::Goal;
use crate::key::TableKey;
use crate::slice::{FirstPhaseError, Slice};
use crate::value::Metric;

/// An error of building, opening, probing or verifying tables.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// A table is not there.
    #[error(
        "no {} table for slice {slice} of {board} under {rules} in {}",
        .metric.map_or("wdl or dtw", Metric::name), .dir.display()
    )]
    Missing {
        /// The slice.
        slice: Slice,
        /// The board.
        board: Board,
        /// The rule set that the table would be for: that of the slice.
        rules: RuleSet,
        /// The metric that was asked for; `None` if either will do.
        metric: Option<Metric>,
        /// The directory.
        dir: PathBuf,
    },
    /// The directory of the tables cannot be opened.
    #[error("cannot open the directory of tables {}", .dir.display())]
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
        /// The first version of such files that is read.
        oldest: u32,
        /// The last one.
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
    /// A table with another content than its name says, or than was asked for.
    #[error("{} holds the table {found}, not {expected}", .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// Which table it is.
        found: TableKey,
        /// Which table it should be.
        expected: TableKey,
    },
    /// An unpacked table that was made from another packed one than the one beside it.
    #[error("{} was not unpacked from {} as that is now", .path.display(), .packed.display())]
    Foreign {
        /// The unpacked table.
        path: PathBuf,
        /// The packed one.
        packed: PathBuf,
    },
    /// Stones that no position has.
    #[error("the stones are no position of {board}")]
    NotAPosition {
        /// The board.
        board: Board,
        /// What is wrong with them.
        source: SetupError,
    },
    /// The first phase of the vela.
    #[error("{}", FirstPhaseError { slice: *slice })]
    VelaPhase1 {
        /// The slice.
        slice: Slice,
    },
    /// More memory or disk is needed than there is.
    #[error(
        "{task} needs {} MiB of {resource}, and {} MiB are available",
        .needed.div_ceil(1 << 20), .available >> 20
    )]
    Resources {
        /// What was asked for.
        task: Task,
        /// Memory or disk.
        resource: Resource,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are available.
        available: u64,
    },
    /// Another build is at work in the directory.
    #[error("another build is at work in {}", .dir.display())]
    Busy {
        /// The directory.
        dir: PathBuf,
    },
    /// A distance that cannot be counted.
    #[error("slice {slice} has distances of more than {limit} turns, which cannot be counted")]
    TooFar {
        /// The slice.
        slice: Slice,
        /// The longest distance that can be counted.
        limit: u16,
    },
    /// More positions than an index can number.
    #[error("slice {slice} of {board} has more positions than a table can hold")]
    TooLarge {
        /// The slice.
        slice: Slice,
        /// The board.
        board: Board,
    },
    /// A position of another board.
    #[error("the tables are for the board {expected}, and the position is on {found}")]
    OtherBoard {
        /// The tables' board.
        expected: Board,
        /// The position's.
        found: Board,
    },
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}

/// Work that needs memory and disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Task {
    /// Building tables.
    Build(Goal),
    /// Unpacking tables.
    Unpack {
        /// The most stones of a slice whose values are needed.
        stones: u32,
    },
    /// Verifying every value.
    Verify {
        /// The most stones of a slice.
        stones: u32,
    },
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Build(goal) => write!(f, "building {goal}"),
            Self::Unpack { stones } => write!(f, "unpacking slices to {stones} stones"),
            Self::Verify { stones } => write!(f, "verifying every value to {stones} stones"),
        }
    }
}

/// What a task can have too little of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Resource {
    /// Main memory.
    Memory,
    /// Space on the file system of the tables.
    Disk,
    /// The same, where there would be enough without checkpoints.
    DiskWithCheckpoints,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::DiskWithCheckpoints => "disk (checkpoints included)",
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

impl From<FirstPhaseError> for TableError {
    fn from(FirstPhaseError { slice, .. }: FirstPhaseError) -> Self {
        Self::VelaPhase1 { slice }
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
