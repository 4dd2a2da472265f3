//! Options of a build.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use thiserror::Error;

use crate::goal::Goal;
use crate::value::Metric;

/// What to build, where and how.
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
    /// The directory of the tables. It is created if it does not exist.
    pub dir: PathBuf,
    /// The board.
    pub board: Board,
    /// The rule set.
    pub rules: RuleSet,
    /// The slices to build.
    pub goal: Goal,
    /// Whether tables have distances. The default is [`Metric::Dtw`].
    pub metric: Metric,
    /// How slices are solved. All methods write the same files, byte for byte.
    pub method: Method,
    /// The interval between the checkpoints of a unit, three minutes by default. With `None`, no
    /// checkpoint is written, but an existing one is used. The plain method has no checkpoints.
    pub checkpoint: Option<Duration>,
    /// The memory in bytes that the build may use. With `None`, the default, it may use all memory
    /// that the system has available. With little memory it takes longer.
    /// [`Estimate`](crate::Estimate) has the least and the most memory that it can use.
    pub memory: Option<u64>,
}

impl BuildOptions {
    /// The default of [`checkpoint`](Self::checkpoint).
    pub const CHECKPOINT: Duration = Duration::from_secs(180);

    /// Options with the defaults described at the fields.
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
/// [`Display`](fmt::Display) and [`FromStr`] use the names `auto`, `rows`, `dense` and `plain`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum Method {
    /// Begins by rows, and changes to the dense builder when that is faster, or when memory is not
    /// enough otherwise.
    #[default]
    Auto,
    /// Solves whole rows of positions at a time, as bits. A row is one side's set of stones.
    Rows,
    /// Solves whole rows of positions at a time, as bits. A row is a set of occupied points, which
    /// is better if few points are empty.
    Dense,
    /// Solves one position at a time, from its turns. Slow, and simple enough to be checked by
    /// reading.
    Plain,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Rows, Self::Dense, Self::Plain];

    /// `auto`, `rows`, `dense` or `plain`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Rows => "rows",
            Self::Dense => "dense",
            Self::Plain => "plain",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error of a text that is not the name of a method.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a method: auto, rows, dense or plain")]
pub struct ParseMethodError(String);

impl FromStr for Method {
    type Err = ParseMethodError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|method| method.name() == text);
        found.ok_or_else(|| ParseMethodError(text.to_owned()))
    }
}
