//! The means of an inquiry.

use std::path::PathBuf;
use std::time::Duration;

use fanorona_solver::Limits;

/// The share of the time for a position that the search for proofs gets. The rest is the engine's.
pub(super) const SHARE_OF_SEARCH: f64 = 0.6;

/// The part of the engine where nothing decides a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Opinion {
    /// Nothing.
    #[default]
    None,
    /// An estimate. What the engine proves within its time is left out, so that no value depends on the
    /// clock.
    Estimate,
    /// An estimate, or a proof if it follows all lines to their ends.
    Proof,
}

/// The means of an inquiry, for each position. By default, a search takes as long as it needs, and the
/// engine is not asked.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Means {
    /// The time of the search for proofs. The engine may take two thirds of it more, at most two
    /// seconds, and a certificate as long again. `None` is no limit.
    pub time: Option<Duration>,
    /// The most positions of the search. `None` is no limit.
    pub nodes: Option<u64>,
    /// The memory of the search in bytes. `None` is as much as its length asks for.
    pub memory: Option<usize>,
    /// Threads; 0 means one for each processor.
    pub threads: usize,
    /// The file in which the search is saved, and resumed from if it exists.
    pub resume: Option<PathBuf>,
    /// The part of the engine.
    pub opinion: Opinion,
    /// The time to search for the end of a line, where tables have no distances.
    pub line_time: Duration,
    /// Whether the search has to prove everything but what tables do, so that a certificate can be made
    /// of it.
    pub certify: bool,
    /// Where missing tables would be built. `None`: no tables are advised.
    pub build_in: Option<PathBuf>,
}

impl Means {
    /// These means, with a time for search and engine together.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self { time: Some(time.mul_f64(SHARE_OF_SEARCH)), ..self }
    }

    /// The limits of a search for proofs.
    pub(super) fn limits(&self) -> Limits {
        let mut limits = Limits::default().with_threads(self.threads);
        (limits.time, limits.nodes) = (self.time, self.nodes);
        limits.resume.clone_from(&self.resume);
        limits
    }
}
