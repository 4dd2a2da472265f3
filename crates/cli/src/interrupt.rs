//! Ctrl-C: a flag that long work checks from time to time.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

static STOP: AtomicBool = AtomicBool::new(false);

/// From here on, the first Ctrl-C sets the flag, and a second one ends the program at once.
pub(crate) fn install() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
    })
    .context("Ctrl-C cannot be handled")
}

/// Whether the work should stop.
pub(crate) fn requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// The flag itself, for the crates that check it.
pub(crate) fn flag() -> &'static AtomicBool {
    &STOP
}
