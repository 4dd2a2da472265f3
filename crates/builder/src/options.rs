//! Options of a build.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{Goal, Metric};

use super::method::Method;

/// The goal, the place and the method of a build.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_builder::{BuildOptions, Method};
/// use fanorona_tablebase::Metric;
/// let options = BuildOptions::new("tables", Board::tsivy(), RuleSet::STANDARD, 4)
///     .with_metric(Metric::Wdl)
///     .with_method(Method::Plain);
/// assert_eq!(options.goal.stones(), 4);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct BuildOptions {
    /// The directory of the tables. It is created if it does not exist.
    pub dir: PathBuf,
    pub board: Board,
    pub rules: RuleSet,
    /// The slices to build.
    pub goal: Goal,
    /// Whether tables have distances. The default is [`Metric::Dtw`].
    pub metric: Metric,
    /// How slices are solved. All methods write the same files, byte for byte. With `None`, the
    /// default, the method that takes the least time for the goal, among those for which memory is
    /// enough. [`Estimate`](crate::Estimate) has the method that is chosen.
    ///
    /// The first phase of the vela has no dense method; rows take its place.
    pub method: Option<Method>,
    /// The interval between the checkpoints of a unit, three minutes by default. With `None`, no
    /// checkpoint is written, but an existing one is used. The plain method has no checkpoints.
    pub checkpoint: Option<Duration>,
    /// The memory in bytes that the build may use. With `None`, the default, it may use all memory
    /// that the system has available. What does not fit in memory is in files, and the build takes
    /// longer. [`Estimate`](crate::Estimate) has the least and the most memory that it
    /// can use.
    pub memory: Option<u64>,
    /// The directory of temporary files, which have no names. With `None`, the default, it is
    /// [`dir`](Self::dir). With enough memory there are none. What checkpoints keep is in `dir`.
    pub scratch_dir: Option<PathBuf>,
    /// Works in the smallest parts, for tests.
    #[doc(hidden)]
    pub in_small_parts: bool,
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
            method: None,
            checkpoint: Some(Self::CHECKPOINT),
            memory: None,
            scratch_dir: None,
            in_small_parts: false,
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
    pub fn with_method(self, method: impl Into<Option<Method>>) -> Self {
        Self { method: method.into(), ..self }
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

    /// Sets [`scratch_dir`](field@Self::scratch_dir).
    #[must_use]
    pub fn with_scratch_dir(self, scratch_dir: Option<PathBuf>) -> Self {
        Self { scratch_dir, ..self }
    }

    /// Sets [`in_small_parts`](Self::in_small_parts).
    #[doc(hidden)]
    #[must_use]
    pub fn in_small_parts(self) -> Self {
        Self { in_small_parts: true, ..self }
    }

    /// The directory of temporary files.
    pub(crate) fn scratch_dir(&self) -> &Path {
        self.scratch_dir.as_deref().unwrap_or(&self.dir)
    }
}
