//! Stopping a count from another thread.

use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is never set.
pub(crate) static NEVER: AtomicBool = AtomicBool::new(false);

/// Whether a count must end now.
#[inline]
pub(crate) fn stopped(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}
