//! How a running search is ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The flags of one search, shared by the session, the search and its timer.
#[derive(Debug)]
pub(super) struct Control {
    stop: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// The answer may be given as soon as it is found.
    released: bool,
    /// The answer is found, and the search is over.
    finished: bool,
}

impl Control {
    /// A search whose answer may be given when it is found, or, if not `released`, later.
    pub(super) fn new(released: bool) -> Self {
        let state = Mutex::new(State { released, finished: false });
        Self { stop: AtomicBool::new(false), state, changed: Condvar::new() }
    }

    /// The flag that ends the search.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Ends the search, and lets it answer.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.release();
    }

    /// Lets the search answer when it ends.
    pub(super) fn release(&self) {
        self.state().released = true;
        self.changed.notify_all();
    }

    /// Whether the answer is given or about to be.
    pub(super) fn is_ending(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.state().finished
    }

    /// Waits until the answer may be given, and says that the search is over.
    pub(super) fn finish(&self) {
        let mut state = self.state();
        while !state.released {
            state = self.changed.wait(state).unwrap_or_else(|lock| lock.into_inner());
        }
        state.finished = true;
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until the search is over, and stops it at a time.
    pub(super) fn stop_at(&self, deadline: Instant) {
        let mut state = self.state();
        while !state.finished {
            let left = deadline.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                drop(state);
                self.stop();
                return;
            }
            let waited = self.changed.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(|lock| lock.into_inner());
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The flags of a thread that panicked are as good as any.
        self.state.lock().unwrap_or_else(|lock| lock.into_inner())
    }
}
