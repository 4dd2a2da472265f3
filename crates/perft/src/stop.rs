//! Stopping a count from another thread.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that is never set.
pub(crate) static NEVER: AtomicBool = AtomicBool::new(false);

/// The state of the stop flag, as seen by one count.
///
/// Once the flag has been seen, the count stays stopped, even if the flag is cleared: parts of the
/// tree have been left out by then.
#[derive(Debug)]
pub(crate) struct Stop<'a> {
    flag: &'a AtomicBool,
    seen: Cell<bool>,
}

impl<'a> Stop<'a> {
    pub(crate) fn new(flag: &'a AtomicBool) -> Self {
        Self { flag, seen: Cell::new(false) }
    }

    /// Reads the flag. Returns whether the count must end now.
    #[inline]
    pub(crate) fn check(&self) -> bool {
        if self.flag.load(Ordering::Relaxed) {
            self.seen.set(true);
        }
        self.seen.get()
    }

    /// The count; `None` if a check has stopped it.
    pub(crate) fn result<T>(&self, count: T) -> Option<T> {
        (!self.seen.get()).then_some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_has_seen_the_flag_stays_stopped() {
        let flag = AtomicBool::new(false);
        let stop = Stop::new(&flag);
        assert!(!stop.check());
        flag.store(true, Ordering::Relaxed);
        assert_eq!(stop.result(1), Some(1), "nothing was left out yet");
        assert!(stop.check());
        flag.store(false, Ordering::Relaxed);
        assert!(stop.check());
        assert_eq!(stop.result(1), None);
    }
}
