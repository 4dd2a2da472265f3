//! Errors of building, opening, probing and verifying tables.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fanorona_core::{Board, ErrorKind, RuleSet, SetupError, error_kinds};
use fanorona_storage::{FileError, Operation};
use thiserror::Error;

use crate::key::{ParseTableKeyError, TableKey};
use crate::selection::Goal;
use crate::slice::{ParseSliceError, Slice, Unit};
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
    Missing { slice: Slice, board: Board, rules: RuleSet, metric: Option<Metric>, dir: PathBuf },
    #[error("cannot open the table directory {}", .dir.display())]
    NoDirectory { dir: PathBuf, source: io::Error },
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{} holds the table {found}, not {expected}", .path.display())]
    Other { path: PathBuf, found: TableKey, expected: TableKey },
    #[error("the stones are not a position of {board}")]
    NotAPosition { board: Board, source: SetupError },
    #[error(
        "in the first phase of the vela, the value of stones of slice {slice} depends on the \
         colours: probe a position"
    )]
    ColoursMatter { slice: Slice },
    #[error(
        "{task} needs {} MiB of {resource}, and {} MiB can be used",
        .needed.div_ceil(1 << 20), .available >> 20
    )]
    Resources { task: Task, resource: Resource, needed: u64, available: u64 },
    #[error("another build is running in {}", .dir.display())]
    Busy { dir: PathBuf },
    #[error("slice {slice} has distances of more than {limit} turns, the limit of a table")]
    TooFar { slice: Slice, limit: u16 },
    #[error(
        "{} stones are too many for {board}: slice {slice} has too many positions", .slice.stones()
    )]
    TooLarge { slice: Slice, board: Board },
    #[error("the tables are for the board {expected}, but the position is on {found}")]
    OtherBoard { expected: Board, found: Board },
    #[error("the tables are of {found_board} under {found_rules}, not of {board} under {rules}")]
    OtherGame { board: Board, rules: RuleSet, found_board: Board, found_rules: RuleSet },
    /// The work was stopped by the caller's flag.
    #[error("stopped")]
    Stopped,
    /// Another process of the same build has failed. It has the error.
    #[error("process {process} of the build has failed")]
    OtherProcess { process: usize },
    #[error("process {process} is of another version than process 0, or has other options")]
    OtherBuild { process: usize },
    #[error("the method {method} works with one process only; several use the method rows")]
    OneProcess { method: &'static str },
    #[error("the processes of the build cannot exchange data")]
    Exchange(#[source] io::Error),
    #[error("the processes of the build do not share {}: process {process} sees other files", .dir.display())]
    NotShared { dir: PathBuf, process: usize },
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
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing { .. } => ErrorKind::MissingTable,
            Self::NoDirectory { source, .. } => source.kind().into(),
            Self::File(error) => error.kind().into(),
            Self::Other { .. } => ErrorKind::OtherFile,
            Self::NotAPosition { source, .. } => source.kind(),
            Self::ColoursMatter { .. } => ErrorKind::ColoursMatter,
            Self::Resources { resource: Resource::Memory, .. } => ErrorKind::MemoryLimit,
            Self::Resources { .. } => ErrorKind::OutOfDisk,
            Self::Busy { .. } => ErrorKind::Busy,
            Self::TooFar { .. } | Self::TooLarge { .. } => ErrorKind::TooLarge,
            Self::OtherBoard { .. } | Self::OtherGame { .. } => ErrorKind::OtherGame,
            Self::Stopped => ErrorKind::Interrupted,
            Self::OtherBuild { .. } | Self::OneProcess { .. } => ErrorKind::BadParameter,
            Self::OtherProcess { .. } | Self::Exchange(_) | Self::NotShared { .. } => ErrorKind::Io,
        }
    }

    /// Whether a table, or the part of it that is needed, is not here: it does not exist, or has still
    /// to be [fetched](fanorona_storage::Files).
    pub fn is_absent(&self) -> bool {
        match self {
            Self::Missing { .. } => true,
            Self::File(FileError::Io { source, .. }) => source.kind() == io::ErrorKind::WouldBlock,
            _ => false,
        }
    }

    /// Wraps an error of the system.
    pub fn io(operation: Operation, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let wrap = FileError::io(operation, path);
        move |source| wrap(source).into()
    }
}

/// Checks that a task has the memory or disk space that it needs, in bytes. Succeeds if it is
/// unknown how much is available.
///
/// # Errors
/// [`TableError::Resources`] if not.
pub fn check_room(
    task: Task,
    resource: Resource,
    needed: u64,
    available: Option<u64>,
) -> Result<()> {
    let Some(available) = available.filter(|available| needed > *available) else {
        return Ok(());
    };
    Err(TableError::Resources { task, resource, needed, available })
}

error_kinds! { BadParameter: ParseSliceError, ParseTableKeyError; }

/// The result of an operation on tables.
pub type Result<T, E = TableError> = std::result::Result<T, E>;
