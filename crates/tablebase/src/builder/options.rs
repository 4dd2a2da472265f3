//! What to build, and how.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use thiserror::Error;

use crate::goal::Goal;
use crate::value::Metric;

/// What to build, and where.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_tablebase::{BuildOptions, Method, Metric};
/// let options = BuildOptions::new("tables", Board::tsivy(), RuleSet::STANDARD, 4)
///     .with_metric(Metric::Wdl)
///     .with_method(Method::Plain);
/// assert_eq!(options.goal.stones(), 4);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuildOptions {
    /// The directory of the tables. It is created if it is not there.
    pub dir: PathBuf,
    /// The board.
    pub board: Board,
    /// The rule set.
    pub rules: RuleSet,
    /// Which slices.
    pub goal: Goal,
    /// With or without distances. The default is with them.
    pub metric: Metric,
    /// How slices are solved. The files are the same, byte for byte.
    pub method: Method,
    /// The time from the beginning of a unit to its first checkpoint, and from one checkpoint to the
    /// next: three minutes by default. With `None` no checkpoint is written, but one that is there is
    /// used. The plain method has none.
    pub checkpoint: Option<Duration>,
    /// The memory in bytes that the build may take. With `None`, the default, that is what the
    /// system has available.
    pub memory: Option<u64>,
}

impl BuildOptions {
    /// The default of [`checkpoint`](Self::checkpoint).
    pub const CHECKPOINT: Duration = Duration::from_secs(180);

    /// Options with the defaults that the fields name.
    pub fn new(
        dir: impl Into<PathBuf>,
        board: Board,
        rules: RuleSet,
        goal: impl Into<Goal>,
    ) -> Self {
        Self {
            dir: dir.into(),
            board,
            rules,
            goal: goal.into(),
            metric: Metric::Dtw,
            method: Method::default(),
            checkpoint: Some(Self::CHECKPOINT),
            memory: None,
        }
    }

    /// Sets [`goal`](Self::goal).
    #[must_use]
    pub fn with_goal(self, goal: impl Into<Goal>) -> Self {
        Self { goal: goal.into(), ..self }
    }

    /// Sets [`metric`](Self::metric).
    #[must_use]
    pub fn with_metric(self, metric: Metric) -> Self {
        Self { metric, ..self }
    }

    /// Sets [`method`](Self::method).
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Sets [`checkpoint`](Self::checkpoint).
    #[must_use]
    pub fn with_checkpoint(self, checkpoint: Option<Duration>) -> Self {
        Self { checkpoint, ..self }
    }

    /// Sets [`memory`](Self::memory).
    #[must_use]
    pub fn with_memory(self, memory: Option<u64>) -> Self {
        Self { memory, ..self }
    }
}

/// How slices are solved.
///
/// [`Display`](fmt::Display) and [`FromStr`] use the names `rows` and `plain`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Method {
    /// Whole rows of positions at a time, as bits.
    #[default]
    Rows,
    /// One position at a time, by its turns: slow, and simple enough to be checked by reading.
    Plain,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 2] = [Self::Rows, Self::Plain];

    /// `rows` or `plain`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Plain => "plain",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is not the name of a method.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a method: rows or plain")]
pub struct ParseMethodError(String);

impl FromStr for Method {
    type Err = ParseMethodError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|method| method.name() == text);
        found.ok_or_else(|| ParseMethodError(text.to_owned()))
    }
}
