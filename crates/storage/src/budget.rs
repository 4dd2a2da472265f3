//! A budget of bytes.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The bytes that some work may use, on all threads together.
///
/// ```
/// use fanorona_storage::Budget;
///
/// let budget = Budget::new(100);
/// assert!(budget.take(60) && !budget.take(41) && budget.take(40));
/// budget.give_back(100);
/// assert!(budget.take(100));
/// // What cannot be done without can exceed the budget.
/// budget.overdraw(1);
/// budget.give_back(1);
/// assert!(!budget.take(1));
/// assert_eq!(budget.most(), 101);
/// ```
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    used: AtomicU64,
    most: AtomicU64,
}

impl Budget {
    /// A budget of which nothing is used.
    pub fn new(limit: u64) -> Self {
        Self { limit, used: AtomicU64::new(0), most: AtomicU64::new(0) }
    }

    /// Takes bytes if they are left, and otherwise none. Returns whether they were left.
    #[must_use]
    pub fn take(&self, bytes: u64) -> bool {
        let with = |used: u64| used.checked_add(bytes).filter(|used| *used <= self.limit);
        let before = self.used.fetch_update(Relaxed, Relaxed, with);
        before.inspect(|before| self.note(before + bytes)).is_ok()
    }

    /// Takes bytes even if they are not left.
    pub fn overdraw(&self, bytes: u64) {
        self.note(self.used.fetch_add(bytes, Relaxed) + bytes);
    }

    fn note(&self, used: u64) {
        self.most.fetch_max(used, Relaxed);
    }

    /// Gives bytes back that were taken.
    pub fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Relaxed);
    }

    /// All bytes, used or not.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The bytes in use.
    pub fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }

    /// The most bytes in use at one time.
    pub fn most(&self) -> u64 {
        self.most.load(Relaxed)
    }
}
