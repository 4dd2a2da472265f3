//! How far long work has come, and whether it has to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::error::{Result, TableError};

/// The number of entries of a table that long work reads at a time.
pub(crate) const PART: u64 = 1 << 17;

/// [`TableError::Stopped`] if the flag is set.
///
/// # Errors
/// If it is set.
pub fn check_stop(stop: &AtomicBool) -> Result<()> {
    if stop.load(Relaxed) { Err(TableError::Stopped) } else { Ok(()) }
}

/// How far work has come, for another thread that shows it: that of
/// [`verify`](crate::verify()), [`find`](crate::find()) or
/// [`value_matrices`](crate::value_matrices).
#[derive(Debug, Default)]
pub struct WorkProgress {
    done: AtomicU64,
    total: AtomicU64,
}

impl WorkProgress {
    /// The part of the work that is done, from 0 to 1. All parts of the work count the same, so the time
    /// left follows from it roughly.
    pub fn fraction(&self) -> f64 {
        match self.total.load(Relaxed) {
            0 => 0.0,
            total => (self.done.load(Relaxed) as f64 / total as f64).min(1.0),
        }
    }

    pub(crate) fn add(&self, work: u64) {
        self.done.fetch_add(work, Relaxed);
    }

    pub(crate) fn set_total(&self, total: u64) {
        self.total.store(total, Relaxed);
    }
}

/// Where work reports, and where it learns that it has to stop.
#[derive(Clone, Copy)]
pub(crate) struct Watch<'a> {
    pub stop: &'a AtomicBool,
    pub progress: &'a WorkProgress,
}

impl Watch<'_> {
    /// Notes that more of the work is done. An error if the stop flag is set.
    pub(crate) fn done(self, work: u64) -> Result<()> {
        self.progress.add(work);
        check_stop(self.stop)
    }
}
