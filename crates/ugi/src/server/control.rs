//! How a running search is ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

/// The flags of one search, shared by the session and the search.
#[derive(Debug)]
pub(super) struct Control {
    stop: AtomicBool,
    state: Mutex<State>,
    released: Condvar,
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
        Self { stop: AtomicBool::new(false), state, released: Condvar::new() }
    }

    /// The flag that ends the search.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Ends the search, and lets it answer.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.state().released = true;
        self.released.notify_all();
    }

    /// Whether the answer is given or about to be.
    pub(super) fn is_ending(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.state().finished
    }

    /// Waits until the answer may be given, and says that the search is over.
    pub(super) fn finish(&self) {
        let mut state = self.state();
        while !state.released {
            state = self.released.wait(state).unwrap_or_else(|lock| lock.into_inner());
        }
        state.finished = true;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The flags of a thread that panicked are as good as any.
        self.state.lock().unwrap_or_else(|lock| lock.into_inner())
    }
}
