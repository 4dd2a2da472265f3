//! The order of a slice's positions in a proof of a win: how soon a stone is captured or the game ends.

use std::collections::HashMap;

use super::account::Account;
use crate::error::CertificateError;
use crate::fast_hash::FastHash;
use crate::memory::map_bytes;

type Result<T> = std::result::Result<T, CertificateError>;

/// Ranks of positions of one slice with the prover to move.
///
/// A position has a rank if one of the recommended turns leads only to positions of lower rank, to
/// positions with fewer stones, and to the end of the game. So the rank decreases from position to
/// position as long as no stone is captured.
#[derive(Debug, Default)]
pub(super) struct Order {
    ranks: HashMap<u64, Rank, FastHash>,
    /// The memory that they took.
    bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rank {
    pub rank: u32,
    /// A turn that leads only to lower ranks in the slice: the number of the position after it among
    /// those after all turns.
    pub turn: u32,
}

impl Order {
    /// Gives positions their ranks. A rank stays once it is given: others were found by it, and must
    /// stay above it.
    pub(super) fn add(&mut self, found: &[(u64, Rank)], account: &Account) -> Result<()> {
        self.reserve(found.len(), account)?;
        for (key, rank) in found {
            self.ranks.entry(*key).or_insert(*rank);
        }
        Ok(())
    }

    /// Makes room for ranks, and takes the memory.
    fn reserve(&mut self, more: usize, account: &Account) -> Result<()> {
        let keys = self.ranks.len() + more;
        if keys > self.ranks.capacity() {
            let bytes = map_bytes::<u64, Rank>(keys);
            account.take(bytes)?;
            self.ranks.reserve(more);
            account.give_back(self.bytes);
            self.bytes = bytes;
        }
        Ok(())
    }

    pub(super) fn len(&self) -> u64 {
        self.ranks.len() as u64
    }

    /// The rank of a position; `None` if it has none.
    pub(super) fn get(&self, key: u64) -> Option<Rank> {
        self.ranks.get(&key).copied()
    }

    /// Drops the ranks and gives their memory back.
    pub(super) fn drop_from(self, account: &Account) {
        account.give_back(self.bytes);
    }
}
