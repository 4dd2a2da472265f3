//! Progress reports of a build.

use std::fmt;
use std::path::PathBuf;

use fanorona_core::named;
use fanorona_storage::Spent;
use fanorona_tablebase::Unit;
use fanorona_tablebase::format::{TableFile, WriteTimes};

/// An activity of the work on a unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Activity {
    /// Reading an existing table, because others depend on it or to check it.
    Load,
    /// Deciding positions by their captures.
    Captures,
    /// A round of paikas, numbered from 1. With distances, the round of the positions that are
    /// decided in this number of turns, starting at 0 or 1.
    Round(u32),
    /// Packing and writing.
    Write,
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load => f.pad("load"),
            Self::Captures => f.pad("captures"),
            Self::Round(round) => f.pad(&format!("round {round}")),
            Self::Write => f.pad("write"),
        }
    }
}

/// A part of the work, for measuring time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Part {
    /// Reading existing tables.
    Load,
    /// Deciding positions by their captures.
    Captures,
    /// Rounds of paikas without transposition, and counting zugzwangs.
    Rounds,
    /// Converting the rows of one side to the rows of the other, after captures and after every
    /// round.
    Transposition,
    /// Counting values.
    Count,
    /// Putting values into index order and packing them into bits. Threads pack and compress block by
    /// block, so the wall-clock time of both is divided by the time that threads spent on each.
    Pack,
    /// Compression.
    Compress,
    /// Writing compressed blocks, and waiting for the disk.
    Write,
}

named!(
    Part, "part of the work",
    Load "load", Captures "captures", Rounds "rounds", Transposition "transposition",
    Count "count", Pack "pack", Compress "compress", Write "write"
);

/// The progress of the work on a unit.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Stage {
    pub activity: Activity,
    /// The share of the activity that is done, from 0 to 1.
    pub share: f64,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.activity {
            Activity::Captures => write!(f, "{}, {:.0} % done", self.activity, 100.0 * self.share),
            activity => write!(f, "{activity}"),
        }
    }
}

/// An event of a unit's checkpoint.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub enum CheckpointEvent {
    /// It was written, in this number of bytes. Unchanged parts of the last checkpoint are not.
    Saved { stage: Stage, bytes: u64 },
    /// Work continues from it.
    Resumed { stage: Stage },
    /// The existing one cannot be used. The unit is built from the beginning.
    Unusable { path: PathBuf, why: String },
    /// It could not be written. The build continues without it. The error names the path.
    NotSaved { why: String },
}

impl fmt::Display for CheckpointEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Saved { stage, bytes } => write!(f, "checkpoint at {stage}, {bytes} bytes"),
            Self::Resumed { stage } => write!(f, "continues from a checkpoint at {stage}"),
            Self::Unusable { path, why } => {
                write!(f, "starts again, because {} cannot be used: {why}", path.display())
            }
            Self::NotSaved { why } => write!(f, "continues without a checkpoint: {why}"),
        }
    }
}

/// Receives the progress of [`build`](crate::build) and [`unpack`](crate::unpack).
///
/// All methods do nothing by default, and `()` implements the trait. Methods are called from
/// several threads.
pub trait Progress: Sync {
    /// An activity of a unit begins, which will process this number of entries.
    fn begin(&self, unit: Unit, activity: Activity, entries: u64) {
        let _ = (unit, activity, entries);
    }

    /// More entries of the activity are done.
    fn advance(&self, entries: u64) {
        let _ = entries;
    }

    /// A part of the work on a unit took this time. Called one or more times for each part.
    fn spent(&self, unit: Unit, part: Part, spent: Spent) {
        let _ = (unit, part, spent);
    }

    /// Something happened to a unit's checkpoint.
    fn checkpoint(&self, unit: Unit, event: &CheckpointEvent) {
        let _ = (unit, event);
    }

    /// A slice's table, packed or unpacked, is complete: it was written now, or existed.
    fn finished(&self, table: &TableFile, written: bool) {
        let _ = (table, written);
    }
}

impl Progress for () {}

/// Reports the times of writing a table.
pub(super) fn report_write_times(progress: &dyn Progress, unit: Unit, times: WriteTimes) {
    progress.spent(unit, Part::Pack, times.pack);
    progress.spent(unit, Part::Compress, times.compress);
    progress.spent(unit, Part::Write, times.write);
}
