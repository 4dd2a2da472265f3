//! What can go wrong with tables.

use std::io;
use std::path::{Path, PathBuf};

use fanorona_core::{Board, RuleSet, SetupError};
use thiserror::Error;

use crate::builder::BuildOptions;
use crate::builder::estimate::advice;
use crate::slice::Slice;
use crate::value::Metric;

/// An error of building, opening or probing tables. Each names the file, slice or place, and what
/// would be right.
#[derive(Debug, Error)]
pub enum TableError {
    /// The slice has no table here.
    #[error(
        "there is no {} table for slice {slice} of {board} under {rules} in {}: {}",
        .metric.map_or("wdl or dtw", Metric::name), .dir.display(),
        advice(&BuildOptions::new(
            .dir, *.board, *.rules, .slice.stones(), .metric.unwrap_or(Metric::Wdl)
        ))
    )]
    Missing {
        /// The slice.
        slice: Slice,
        /// The board.
        board: Board,
        /// The rule set that the table would be for.
        rules: RuleSet,
        /// The metric asked for, or any.
        metric: Option<Metric>,
        /// The directory.
        dir: PathBuf,
    },
    /// Reading or writing failed.
    #[error("{doing} {}: {source}{}", .path.display(), room(source))]
    Io {
        /// What was being done, as in "cannot write".
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Not one of our files.
    #[error("{} is not a table of this program: {why}", .path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
        /// How one can tell.
        why: String,
    },
    /// A format of another time.
    #[error(
        "{} has format version {found}, and this program reads versions {oldest} to {newest}: {} it \
         again, or use the program that wrote it",
        .path.display(), remedy(.path)
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
    #[error(
        "{} is damaged: {what} (at byte {offset}); delete it and {} it again",
        .path.display(), remedy(.path)
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Which part, and how one can tell.
        what: String,
        /// Where in the file.
        offset: u64,
    },
    /// A table with another content than its name says, or than was asked for.
    #[error("{} is a table for {found}, where one for {expected} should be", .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What it is for.
        found: String,
        /// What it should be for.
        expected: String,
    },
    /// An unpacked table that was made from another packed one than the one beside it.
    #[error(
        "{} was unpacked from another table than {}, as that is now: unpack it again with 'fanorona \
         unpack', or delete it",
        .path.display(), .packed.display()
    )]
    Foreign {
        /// The unpacked table.
        path: PathBuf,
        /// The packed one.
        packed: PathBuf,
    },
    /// Stones that no position has.
    #[error("the stones are no position of {board}: {why}")]
    NotAPosition {
        /// The board.
        board: Board,
        /// What is wrong with them.
        why: SetupError,
    },
    /// The first phase of the vela.
    #[error(
        "slice {slice} is in the first phase of the vela, where the victor may not capture; tables \
         are for its second phase, which is played by free-capture"
    )]
    VelaPhase1 {
        /// The slice.
        slice: Slice,
    },
    /// More than there is room for.
    #[error("{what} needs {needed} MiB of {kind}, and there are {available} MiB{advice}")]
    Resources {
        /// What was asked for.
        what: String,
        /// Memory or disk.
        kind: &'static str,
        /// Needed, MiB.
        needed: u64,
        /// Available, MiB.
        available: u64,
        /// What could be done, after a separator.
        advice: &'static str,
    },
    /// Another build has the directory.
    #[error("another build is at work in {}: wait for it, or choose another directory", .dir.display())]
    Busy {
        /// The directory.
        dir: PathBuf,
    },
    /// A distance that the builder by rows has no number for.
    #[error(
        "slice {slice} has distances of more than {} turns, which the builder by rows cannot \
         count; build it with --method plain",
        crate::builder::LONGEST_BY_ROWS
    )]
    TooFar {
        /// The slice.
        slice: Slice,
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
    #[error("stopped; the slices that were finished are kept")]
    Stopped,
}

/// What to do where there is no room.
fn room(error: &io::Error) -> &'static str {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};

    match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => {
            "; make room and build again: what was finished is kept"
        }
        _ => "",
    }
}

/// What makes a file anew, for the messages above.
fn remedy(path: &Path) -> &'static str {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.ends_with(crate::UNPACKED_ENDING) { "unpack" } else { "build" }
}

impl TableError {
    /// Wraps what the system said of a file.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}

/// The result of what can go wrong with tables.
pub type Result<T> = std::result::Result<T, TableError>;
