//! The memory and the progress of an expansion.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fanorona_storage::Budget;

use crate::error::{CertificateError, Result};

/// How far a check without believing tables has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct ExpansionProgress {
    /// The entries of the certificates that are checked.
    pub entries: u64,
    /// The positions of the expansion that are done, all proofs together.
    pub positions: u64,
    /// The positions that have got a rank, all proofs of wins together. Those of a slice get their
    /// ranks before they are done. Some are not needed later.
    pub ranked: u64,
}

/// The memory that an expansion may take, and counts of what is done, which it reports.
pub(super) struct Account<'a> {
    pub budget: Budget,
    /// The positions of the present group that were found, for the error.
    found: AtomicU64,
    entries: AtomicU64,
    positions: AtomicU64,
    ranked: AtomicU64,
    replies: AtomicU64,
    report: &'a (dyn Fn(ExpansionProgress) + Sync),
}

impl<'a> Account<'a> {
    pub(super) fn new(limit: u64, report: &'a (dyn Fn(ExpansionProgress) + Sync)) -> Self {
        let [found, entries, positions, ranked, replies] = [0; 5].map(AtomicU64::new);
        Self { budget: Budget::new(limit), found, entries, positions, ranked, replies, report }
    }

    /// Takes bytes. If that is refused, none are taken.
    pub(super) fn take(&self, bytes: u64) -> Result<()> {
        let (positions, limit) = (self.found.load(Relaxed), self.budget.limit());
        let refused = CertificateError::ExpansionMemory { positions, limit };
        self.budget.take(bytes).then_some(()).ok_or(refused)
    }

    pub(super) fn give_back(&self, bytes: u64) {
        self.budget.give_back(bytes);
    }

    pub(super) fn begin_group(&self) {
        self.found.store(0, Relaxed);
    }

    pub(super) fn found(&self, positions: u64) {
        self.found.fetch_add(positions, Relaxed);
    }

    /// Takes note that this number of entries of all certificates is checked.
    pub(super) fn checked(&self, entries: u64) {
        self.entries.fetch_max(entries, Relaxed);
        self.report();
    }

    pub(super) fn done(&self, positions: usize) {
        self.positions.fetch_add(positions as u64, Relaxed);
        self.report();
    }

    pub(super) fn ranked(&self, positions: u64) {
        self.ranked.fetch_add(positions, Relaxed);
        self.report();
    }

    pub(super) fn replied(&self, replies: usize) {
        self.replies.fetch_add(replies as u64, Relaxed);
    }

    pub(super) fn replies(&self) -> u64 {
        self.replies.load(Relaxed)
    }

    pub(super) fn progress(&self) -> ExpansionProgress {
        let [entries, positions, ranked] =
            [&self.entries, &self.positions, &self.ranked].map(|count| count.load(Relaxed));
        ExpansionProgress { entries, positions, ranked }
    }

    fn report(&self) {
        (self.report)(self.progress());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn the_limit_is_kept() {
        let account = Account::new(100, &|_| {});
        account.take(60).unwrap();
        account.found(7);
        let error = account.take(41).unwrap_err();
        assert!(matches!(error, CertificateError::ExpansionMemory { positions: 7, limit: 100 }));
        account.take(40).unwrap();
        account.give_back(100);
        account.take(100).unwrap();
        assert_eq!(account.budget.most(), 100);
    }

    #[test]
    fn counts_are_reported_together() {
        let reports = Mutex::new(Vec::new());
        let report = |now: ExpansionProgress| reports.lock().unwrap().push(now);
        let account = Account::new(0, &report);
        account.checked(7);
        // Threads report in any order.
        account.checked(5);
        account.ranked(20);
        account.done(3);
        account.replied(40);
        account.done(4);
        assert_eq!((account.progress().positions, account.replies()), (7, 40));
        let counts = reports.lock().unwrap();
        let counts: Vec<_> =
            counts.iter().map(|now| (now.entries, now.positions, now.ranked)).collect();
        assert_eq!(counts, [(7, 0, 0), (7, 0, 0), (7, 0, 20), (7, 3, 20), (7, 7, 20)]);
    }
}
