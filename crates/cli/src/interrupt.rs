//! Ctrl-C: a flag that long computations check from time to time. The signals with which batch
//! systems and `mpirun` end a program, SIGTERM and SIGHUP, do the same.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

static STOP: AtomicBool = AtomicBool::new(false);

/// Handles Ctrl-C from now on: the first one sets the flag, a second one ends the program at once.
pub(crate) fn install() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
    })
    .context("cannot handle Ctrl-C")
}

/// Whether Ctrl-C was pressed.
pub(crate) fn requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// The flag, for the crates that check it.
pub(crate) fn flag() -> &'static AtomicBool {
    &STOP
}
