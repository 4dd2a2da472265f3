//! Stopping long work.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Result, TableError};

/// [`TableError::Stopped`] if the flag is set.
///
/// # Errors
/// If it is set.
pub fn check_stop(stop: &AtomicBool) -> Result<()> {
    if stop.load(Ordering::Relaxed) { Err(TableError::Stopped) } else { Ok(()) }
}
