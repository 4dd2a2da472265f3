//! How far an expansion has come.

use std::sync::atomic::{AtomicU64, Ordering};

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

/// Counts what is done, and reports it.
pub(super) struct Meter<'a> {
    entries: AtomicU64,
    positions: AtomicU64,
    ranked: AtomicU64,
    replies: AtomicU64,
    report: &'a (dyn Fn(ExpansionProgress) + Sync),
}

impl<'a> Meter<'a> {
    pub(super) fn new(report: &'a (dyn Fn(ExpansionProgress) + Sync)) -> Self {
        let [entries, positions, ranked, replies] = [0; 4].map(AtomicU64::new);
        Self { entries, positions, ranked, replies, report }
    }

    /// Takes note that this number of entries of all certificates is checked.
    pub(super) fn checked(&self, entries: u64) {
        self.entries.fetch_max(entries, Ordering::Relaxed);
        self.report();
    }

    /// Counts positions that are done.
    pub(super) fn done(&self, positions: usize) {
        self.positions.fetch_add(positions as u64, Ordering::Relaxed);
        self.report();
    }

    /// Counts positions that have got a rank.
    pub(super) fn ranked(&self, positions: u64) {
        self.ranked.fetch_add(positions, Ordering::Relaxed);
        self.report();
    }

    /// Counts replies to chosen turns.
    pub(super) fn replied(&self, replies: u64) {
        self.replies.fetch_add(replies, Ordering::Relaxed);
    }

    pub(super) fn positions(&self) -> u64 {
        self.positions.load(Ordering::Relaxed)
    }

    pub(super) fn replies(&self) -> u64 {
        self.replies.load(Ordering::Relaxed)
    }

    fn report(&self) {
        let [entries, positions, ranked] = [&self.entries, &self.positions, &self.ranked]
            .map(|count| count.load(Ordering::Relaxed));
        (self.report)(ExpansionProgress { entries, positions, ranked });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn counts_are_reported_together() {
        let reports = Mutex::new(Vec::new());
        let report = |now: ExpansionProgress| reports.lock().unwrap().push(now);
        let meter = Meter::new(&report);
        meter.checked(7);
        // Threads report in any order.
        meter.checked(5);
        meter.ranked(20);
        meter.done(3);
        meter.replied(40);
        meter.done(4);
        assert_eq!((meter.positions(), meter.replies()), (7, 40));
        let counts = reports.lock().unwrap();
        let counts: Vec<_> =
            counts.iter().map(|now| (now.entries, now.positions, now.ranked)).collect();
        assert_eq!(counts, [(7, 0, 0), (7, 0, 0), (7, 0, 20), (7, 3, 20), (7, 7, 20)]);
    }
}
