//! The memory of an expansion.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::CertificateError;

/// Counts the bytes that an expansion holds, and refuses more than a limit.
#[derive(Debug)]
pub(super) struct Account {
    limit: u64,
    held: AtomicU64,
    /// At one time.
    most: AtomicU64,
    /// The positions found so far, for the error.
    positions: AtomicU64,
}

impl Account {
    pub(super) fn new(limit: u64) -> Self {
        let [held, most, positions] = [0; 3].map(AtomicU64::new);
        Self { limit, held, most, positions }
    }

    /// Takes bytes. If that is refused, none are taken.
    pub(super) fn take(&self, bytes: u64) -> Result<(), CertificateError> {
        let held = self.held.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if held > self.limit {
            self.give_back(bytes);
            let (positions, limit) = (self.positions.load(Ordering::Relaxed), self.limit);
            return Err(CertificateError::ExpansionMemory { positions, limit });
        }
        self.most.fetch_max(held, Ordering::Relaxed);
        Ok(())
    }

    /// Gives bytes back that were taken.
    pub(super) fn give_back(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Counts positions that were found.
    pub(super) fn found(&self, positions: u64) {
        self.positions.fetch_add(positions, Ordering::Relaxed);
    }

    /// The most bytes held at one time.
    pub(super) fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_kept() {
        let account = Account::new(100);
        account.take(60).unwrap();
        account.found(7);
        let error = account.take(41).unwrap_err();
        assert!(matches!(error, CertificateError::ExpansionMemory { positions: 7, limit: 100 }));
        account.take(40).unwrap();
        account.give_back(100);
        account.take(100).unwrap();
        assert_eq!(account.most(), 100);
    }
}
