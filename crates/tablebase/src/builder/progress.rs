//! What a build reports while it runs.

use std::fmt;
use std::path::PathBuf;

use crate::clock::Spent;
use crate::format::{TableFile, UnpackedFile, WriteTimes};
use crate::slice::Unit;

/// What a builder is doing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Phase {
    /// Reading a table that is there already, because others depend on it or to check it.
    Load,
    /// Deciding positions by their captures.
    Captures,
    /// A round of paikas, numbered from 1; with distances, the round of positions that are decided
    /// in this number of turns, from 0 or 1.
    Round(u32),
    /// Packing and writing.
    Write,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load => f.pad("load"),
            Self::Captures => f.pad("captures"),
            Self::Round(round) => f.pad(&format!("round {round}")),
            Self::Write => f.pad("write"),
        }
    }
}

/// What the time of a build is spent on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Part {
    /// Reading a table that is there already.
    Load,
    /// Deciding positions by their captures.
    Captures,
    /// Rounds of paikas without transposition; and counting zugzwangs, which needs the rows of both
    /// sides.
    Rounds,
    /// Passing from one side's rows to the other's, after captures and after every round.
    Transposition,
    /// Counting values.
    Count,
    /// Bringing values into the order of the index and packing them into bits. A thread packs a
    /// block and compresses it before it goes to the next one, so the two parts overlap. Their time
    /// by the clock is divided in the ratio of their threads' time.
    Pack,
    /// Compression.
    Compress,
    /// Writing compressed blocks, and waiting for the disk.
    Write,
}

impl Part {
    /// All parts, in the order of work.
    pub const ALL: [Self; 8] = [
        Self::Load,
        Self::Captures,
        Self::Rounds,
        Self::Transposition,
        Self::Count,
        Self::Pack,
        Self::Compress,
        Self::Write,
    ];

    /// `load`, `captures`, `rounds` and so on.
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Captures => "captures",
            Self::Rounds => "rounds",
            Self::Transposition => "transposition",
            Self::Count => "count",
            Self::Pack => "pack",
            Self::Compress => "compress",
            Self::Write => "write",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How far work on a unit has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stage {
    /// The phase.
    pub phase: Phase,
    /// How much of the phase is done, from 0 to 1.
    pub share: f64,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.phase {
            Phase::Captures => write!(f, "{}, {:.0} % done", self.phase, 100.0 * self.share),
            phase => write!(f, "{phase}"),
        }
    }
}

/// What happened to the checkpoint of a unit.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum CheckpointEvent {
    /// It was written.
    Saved {
        /// What it has saved.
        stage: Stage,
        /// The size of the file.
        bytes: u64,
    },
    /// Work continues from it.
    Resumed {
        /// Where work continues.
        stage: Stage,
    },
    /// There is one that cannot be used. The unit is built from the beginning.
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// It could not be written, and the build continues without it.
    NotSaved(UnsavedCheckpoint),
}

/// A checkpoint that could not be written.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UnsavedCheckpoint {
    /// The unit whose work it would have saved.
    pub unit: Unit,
    /// The file.
    pub path: PathBuf,
    /// The kind of the error, for example [`StorageFull`](std::io::ErrorKind::StorageFull).
    pub kind: std::io::ErrorKind,
    /// The error in words, without the path of the file.
    pub why: String,
}

impl fmt::Display for CheckpointEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Saved { stage, bytes } => write!(f, "checkpoint at {stage}, {bytes} bytes"),
            Self::Resumed { stage } => write!(f, "continues from a checkpoint at {stage}"),
            Self::Unusable { path, why } => {
                write!(f, "starts again, because {} cannot be used: {why}", path.display())
            }
            Self::NotSaved(UnsavedCheckpoint { path, why, .. }) => {
                write!(f, "continues without a checkpoint, because {} ", path.display())?;
                write!(f, "cannot be written: {why}")
            }
        }
    }
}

/// Receives what a build reports. Methods are called from several threads.
pub trait Progress: Sync {
    /// A phase of a unit begins, which will go through this number of entries.
    fn begin(&self, unit: Unit, phase: Phase, entries: u64) {
        let _ = (unit, phase, entries);
    }

    /// More entries of the phase are done.
    fn advance(&self, entries: u64) {
        let _ = entries;
    }

    /// A part of the work on a unit took this time; called once or more often for each part.
    fn spent(&self, unit: Unit, part: Part, spent: Spent) {
        let _ = (unit, part, spent);
    }

    /// A unit's checkpoint was written or found, or could not be.
    fn checkpoint(&self, unit: Unit, event: &CheckpointEvent) {
        let _ = (unit, event);
    }

    /// A slice's table is there: written now, or found.
    fn finished(&self, table: &TableFile, written: bool) {
        let _ = (table, written);
    }

    /// An unpacked table is there: written now, or found.
    fn unpacked(&self, table: &UnpackedFile, written: bool) {
        let _ = (table, written);
    }
}

impl Progress for () {}

/// Reports what writing a table took.
pub(super) fn report_write_times(progress: &dyn Progress, unit: Unit, times: WriteTimes) {
    progress.spent(unit, Part::Pack, times.pack);
    progress.spent(unit, Part::Compress, times.compress);
    progress.spent(unit, Part::Write, times.write);
}
