//! The memory of an expansion.

use std::sync::atomic::{AtomicU64, Ordering};

use fanorona_storage::Budget;

use crate::error::CertificateError;

/// The memory that an expansion may take, and the positions found so far, for the error.
#[derive(Debug)]
pub(super) struct Account {
    pub budget: Budget,
    positions: AtomicU64,
}

impl Account {
    pub(super) fn new(limit: u64) -> Self {
        Self { budget: Budget::new(limit), positions: AtomicU64::new(0) }
    }

    /// Takes bytes. If that is refused, none are taken.
    pub(super) fn take(&self, bytes: u64) -> Result<(), CertificateError> {
        let (positions, limit) = (self.positions.load(Ordering::Relaxed), self.budget.limit());
        let refused = CertificateError::ExpansionMemory { positions, limit };
        self.budget.take(bytes).then_some(()).ok_or(refused)
    }

    /// Gives bytes back that were taken.
    pub(super) fn give_back(&self, bytes: u64) {
        self.budget.give_back(bytes);
    }

    /// Counts positions that were found.
    pub(super) fn found(&self, positions: u64) {
        self.positions.fetch_add(positions, Ordering::Relaxed);
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
        assert_eq!(account.budget.most(), 100);
    }
}
