//! Limits of a search.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use fanorona_tablebase::memory_available;

/// The memory of a search if nothing else is chosen: 256 MiB.
pub const DEFAULT_MEMORY: usize = 256 << 20;

/// The time of a search if nothing else is chosen: a minute.
pub const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// The memory of a long search if nothing else is chosen: half of what is available to this program,
/// and at least [`DEFAULT_MEMORY`].
pub fn large_memory() -> usize {
    let available = memory_available().map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    available.map_or(DEFAULT_MEMORY, |bytes| DEFAULT_MEMORY.max(bytes / 2))
}

/// When a search stops without an answer, how many threads it uses, and where it is saved.
///
/// ```
/// use std::time::Duration;
/// use fanorona_solver::Limits;
/// let limits = Limits::default().with_time(Duration::from_secs(10)).with_threads(2);
/// assert_eq!((limits.nodes, limits.threads), (None, 2));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Limits {
    /// Stop after searching this many positions, all threads together.
    pub nodes: Option<u64>,
    /// Stop after this time.
    pub time: Option<Duration>,
    /// The number of threads. 0, the default, means one for each processor.
    pub threads: usize,
    /// Save the search in this file at its end and every few minutes, and resume it from there if
    /// the file exists. It must have the same rule set, position and tables.
    ///
    /// A file that cannot be read ends the analysis with an error. One that cannot be written does
    /// not: see [`SearchReport::not_saved`](crate::SearchReport::not_saved).
    ///
    /// The file is believed: see the [crate documentation](crate#saved-searches).
    pub resume: Option<PathBuf>,
    /// The time between saves, if not the usual one.
    pub(crate) save_interval: Option<Duration>,
}

impl Limits {
    /// Sets [`nodes`](Self::nodes).
    #[must_use]
    pub fn with_nodes(self, nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..self }
    }

    /// Sets [`time`](Self::time).
    #[must_use]
    pub fn with_time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// Sets [`threads`](Self::threads).
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Sets [`resume`](Self::resume).
    #[must_use]
    pub fn with_resume(self, file: impl Into<PathBuf>) -> Self {
        Self { resume: Some(file.into()), ..self }
    }

    /// The number of threads, at least one.
    pub(crate) fn num_threads(&self) -> usize {
        match self.threads {
            0 => thread::available_parallelism().map_or(1, |threads| threads.get()),
            threads => threads,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_memory_is_half_of_what_is_free_and_never_less_than_usual() {
        assert!(large_memory() >= DEFAULT_MEMORY);
        // What is free changes meanwhile.
        if memory_available().is_some_and(|free| free > 8 * DEFAULT_MEMORY as u64) {
            assert!(large_memory() > DEFAULT_MEMORY);
        }
    }
}
