//! Finding entries of certificates by their positions.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock};

use fanorona_core::{Canonical, Position, Stones, Symmetry, Turn};

use crate::claim::Claim;
use crate::error::{CertificateError, Flaw, Result};
use crate::format::Certificate;
use crate::leaves::SliceSet;
use crate::steps::{Leaf, Limits, Steps};
use crate::stored::{StoredEntry, StoredProof};
use crate::turns::{first_turn_to, nth_turn};

/// The entries of a proof of a certificate. Those with as many stones as a position or more are
/// followed when it is first asked for, two microseconds for each on one thread. They stay in memory,
/// 24 bytes each; until all were followed, up to 100 bytes for each that waits. Threads can share it.
#[derive(Debug)]
pub struct Entries {
    /// The number of the proof in the certificate.
    number: usize,
    claim: Claim,
    /// The followed entries by their number of stones, from 0. Sorted by stones.
    followed: Box<[OnceLock<Box<[StoredEntry]>>]>,
    /// How the entries with fewer stones are followed. `None` if nobody began, and while a thread has
    /// it.
    rest: Mutex<Option<StoredProof>>,
}

/// An entry that was found.
#[derive(Clone, Copy, Debug)]
pub struct FoundEntry {
    /// The distance to conversion in a proof of a win: after how many further entries, at most, a
    /// stone is captured or the proof ends. 0 in other proofs.
    pub distance: u32,
    entry: StoredEntry,
    /// A symmetry that maps the position to the stones.
    by: Symmetry,
}

impl Entries {
    /// Those of each proof of a certificate, in its order.
    pub fn of(certificate: &Certificate) -> Vec<Self> {
        let stones = Stones::of(&certificate.position()).count();
        let claims = certificate.proofs().iter().map(|proof| proof.claim);
        let entries = |(number, claim)| Self {
            number,
            claim,
            followed: (0..=stones).map(|_| OnceLock::new()).collect(),
            rest: Mutex::new(None),
        };
        claims.enumerate().map(entries).collect()
    }

    /// The claim of the proof.
    pub fn claim(&self) -> Claim {
        self.claim
    }

    /// Follows the whole proof, so that no search for an entry has to.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub fn prepare(&self, certificate: &Certificate) -> Result<()> {
        match self.is_prepared() {
            true => Ok(()),
            false => self.follow_to(certificate, 0),
        }
    }

    /// Whether the whole proof has been followed.
    pub fn is_prepared(&self) -> bool {
        // Entries with more stones are followed before.
        self.followed[0].get().is_some()
    }

    /// Whether no more than this number of entries have as many stones as a position or more, so that it
    /// is soon found or known to be none. Follows little more than that.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub fn is_near(&self, certificate: &Certificate, stones: u32, most: usize) -> Result<bool> {
        let mut entries = 0;
        for (count, followed) in self.followed.iter().enumerate().skip(stones as usize).rev() {
            if followed.get().is_none() {
                self.follow_to(certificate, count)?;
            }
            entries += followed.get().map_or(0, |followed| followed.len());
            if entries > most {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The entry of a position in which the prover is to move, if there is one. The position is
    /// given by its [canonical form](fanorona_core::SymmetryGroup::canonical); `certificate` is the
    /// one that these entries are of.
    ///
    /// # Errors
    /// If the certificate is damaged or cannot be read, or its proof cannot be followed.
    pub fn find(
        &self,
        certificate: &Certificate,
        position: &Canonical,
    ) -> Result<Option<FoundEntry>> {
        let entries = self.followed_for(certificate, position.stones)?;
        let found = entries.binary_search_by_key(&position.stones, |entry| entry.stones);
        Ok(found.ok().map(|index| {
            let entry = entries[index];
            let by = Symmetry::in_set(position.by).next().expect("a symmetry leads to the stones");
            FoundEntry { distance: entry.distance, entry, by }
        }))
    }

    /// The entries with as many stones as these, which are followed the first time.
    fn followed_for(&self, certificate: &Certificate, stones: Stones) -> Result<&[StoredEntry]> {
        let count = stones.count() as usize;
        // No turn adds stones to those of the certificate's position.
        let Some(followed) = self.followed.get(count) else { return Ok(&[]) };
        if followed.get().is_none() {
            // Where a proof may end, it has no entries.
            let position = Position::from_mover(certificate.board(), stones, self.claim.side);
            let position = position.expect("an image of a position");
            let header = &certificate.header;
            let is_over = header.rules.outcome(&position).is_some();
            let slice = SliceSet::named(header).slice_with_tables(&header.rules, &position);
            if is_over || slice.is_some() {
                return Ok(&[]);
            }
            self.follow_to(certificate, count)?;
        }
        Ok(followed.get().expect("it was followed"))
    }

    /// Follows the proof down to a number of stones.
    fn follow_to(&self, certificate: &Certificate, stones: usize) -> Result<()> {
        let never = AtomicBool::new(false);
        let (rules, slices) = (&certificate.header.rules, SliceSet::named(&certificate.header));
        let ends = |position: &Position| match slices.slice_with_tables(rules, position) {
            Some(_) => Ok(Leaf::Unchecked),
            None => Ok(Leaf::No),
        };
        let steps = Steps::of_proof(certificate, self.number, &ends, Limits::available(&never));
        // A thread that finds nothing to continue begins anew, because threads of a pool that wait for
        // each other could wait for ever.
        let begun = self.rest.try_lock().ok().and_then(|mut rest| rest.take());
        let mut proof = match begun {
            Some(begun) => begun,
            None => StoredProof::begin(certificate, self.number, &steps)?,
        };
        let mut result = Ok(());
        while proof.queue.open > stones && result.is_ok() {
            result = proof.next_layer(certificate, &steps, &mut |_| {}).map(|entries| {
                let mut entries = entries.unwrap_or_default();
                entries.sort_unstable_by_key(|entry| entry.stones);
                self.followed[proof.queue.open].get_or_init(|| entries.into());
            });
        }
        // What could not be read may be there next time. Other errors come again.
        let can_go_on = matches!(result, Ok(()) | Err(CertificateError::File(_)));
        if can_go_on
            && proof.queue.open > 0
            && let Ok(mut rest) = self.rest.try_lock()
            && rest.as_ref().is_none_or(|rest| rest.queue.open > proof.queue.open)
        {
            *rest = Some(proof);
        }
        result
    }
}

impl FoundEntry {
    /// The turn of the position that was asked for: the image of the entry's turn. Of several turns
    /// that lead to the same position, the first. `certificate` is the one that the entry is of.
    ///
    /// # Errors
    /// [`CertificateError::DoesNotHold`] if the entry has no such turn.
    pub fn turn(&self, certificate: &Certificate, position: &Position) -> Result<Turn> {
        let (rules, board) = (certificate.rules(), certificate.board());
        let fails =
            |flaw| CertificateError::DoesNotHold { path: certificate.path().to_owned(), flaw };
        let stored = Position::from_mover(board, self.entry.stones, position.to_move())
            .expect("an image of a position");
        let missing = || fails(Flaw::NoSuchTurn { position: stored, turn: self.entry.turn });
        let turn = nth_turn(&rules, &stored, self.entry.turn).ok_or_else(missing)?;
        let after = stored.play_unchecked(&turn);
        let after = after.transformed(self.by.inverse()).ok_or_else(missing)?;
        first_turn_to(&rules, position, &after).map(|(_, turn)| turn).ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::SymmetryGroup;
    use rayon::prelude::*;

    use super::*;

    const FILE: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/proofs/5x3-free-capture.proof");

    fn find(entries: &Entries, certificate: &Certificate, stones: Stones) -> Option<(u32, u32)> {
        let by = SymmetryGroup::new(certificate.board()).canonical(stones).by;
        let found = entries.find(certificate, &Canonical { stones, by }).unwrap();
        found.map(|found| (found.entry.turn, found.distance))
    }

    /// All entries of the first proof.
    fn all(certificate: &Certificate) -> Vec<StoredEntry> {
        let entries = &Entries::of(certificate)[0];
        entries.prepare(certificate).unwrap();
        assert!(entries.is_prepared());
        entries.followed.iter().flat_map(|of| of.get().unwrap()).copied().collect()
    }

    #[test]
    fn a_search_follows_only_what_it_needs() {
        let certificate = Certificate::open(FILE).unwrap();
        let entries = &Entries::of(&certificate)[0];
        let followed = || entries.followed.iter().filter(|of| of.get().is_some()).count();
        let start = Stones::of(&certificate.position());
        let more = Stones::from_bits(start.own.bits() | 1 << 7, start.opponent.bits());
        assert_eq!((find(entries, &certificate, more), followed()), (None, 0));
        for entry in all(&certificate).iter().rev() {
            let found = find(entries, &certificate, entry.stones);
            assert_eq!(found, Some((entry.turn, entry.distance)));
            assert_eq!(followed(), (start.count() - entry.stones.count() + 1) as usize);
        }
        assert!(!entries.is_prepared());
        // The game is over there, so nothing is followed for it.
        assert_eq!(find(entries, &certificate, Stones::from_bits(1, 0)), None);
        assert!(!entries.is_prepared());
        entries.prepare(&certificate).unwrap();
        assert!(entries.is_prepared() && entries.rest.lock().unwrap().is_none());
    }

    #[test]
    fn threads_ask_at_the_same_time() {
        let certificate = Certificate::open(FILE).unwrap();
        let entries = &Entries::of(&certificate)[0];
        all(&certificate).par_iter().with_max_len(1).for_each(|entry| {
            let found = find(entries, &certificate, entry.stones);
            assert_eq!(found, Some((entry.turn, entry.distance)));
        });
    }
}
