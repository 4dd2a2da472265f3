//! Finding entries of certificates by their positions.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Canonical, Position, Symmetry, Turn};

use crate::certificate::Certificate;
use crate::claim::Claim;
use crate::discovery::{Entry, Limits, discover_stored};
use crate::error::{CertificateError, Flaw};
use crate::leaves::NamedSlices;
use crate::turns::nth_turn;

/// The entries of a proof of a certificate. The proof is followed when it is first asked, two
/// microseconds for each entry on one thread; then its entries stay in memory, 24 bytes each.
/// Threads can share it.
#[derive(Debug)]
pub struct Entries {
    /// The number of the proof in the certificate.
    number: usize,
    claim: Claim,
    /// Sorted by stones.
    followed: OnceLock<Box<[Entry]>>,
}

/// An entry that was found.
#[derive(Clone, Copy, Debug)]
pub struct FoundEntry {
    /// The distance to conversion in a proof of a win: after how many further entries, at most, a
    /// stone is captured or the proof ends. 0 in other proofs.
    pub distance: u32,
    entry: Entry,
    /// A symmetry that maps the position to the stones.
    by: Symmetry,
}

impl Entries {
    /// Those of each proof of a certificate, in its order.
    pub fn of(certificate: &Certificate) -> Vec<Self> {
        let proofs = certificate.proofs().iter().enumerate();
        let entries = |(number, proof): (usize, &crate::ProofSummary)| Self {
            number,
            claim: proof.claim,
            followed: OnceLock::new(),
        };
        proofs.map(entries).collect()
    }

    /// The claim of the proof.
    pub fn claim(&self) -> Claim {
        self.claim
    }

    /// Follows the proof, which otherwise the first search for an entry does.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub fn prepare(&self, certificate: &Certificate) -> Result<(), CertificateError> {
        self.all(certificate).map(|_| ())
    }

    /// Whether the proof has been followed.
    pub fn is_prepared(&self) -> bool {
        self.followed.get().is_some()
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
    ) -> Result<Option<FoundEntry>, CertificateError> {
        let entries = self.all(certificate)?;
        let found = entries.binary_search_by_key(&position.stones, |entry| entry.stones);
        Ok(found.ok().map(|index| {
            let entry = entries[index];
            let by = Symmetry::in_set(position.by).next().expect("a symmetry leads to the stones");
            FoundEntry { distance: entry.distance, entry, by }
        }))
    }

    /// Follows the proof the first time. Threads that ask at the same time all do so, because threads
    /// of a pool that wait for each other could wait for ever.
    fn all(&self, certificate: &Certificate) -> Result<&[Entry], CertificateError> {
        if let Some(entries) = self.followed.get() {
            return Ok(entries);
        }
        let reader = certificate.reader();
        let never = AtomicBool::new(false);
        let ends = NamedSlices::new(&reader.header().rules, &reader.header().tables);
        let limits = Limits::available(&never);
        let mut entries = discover_stored(reader, self.number, &ends, limits, |_| {})?;
        entries.sort_unstable_by_key(|entry| entry.stones);
        Ok(self.followed.get_or_init(|| entries.into()))
    }
}

impl FoundEntry {
    /// The turn of the position that was asked for: the image of the entry's turn. Of several turns
    /// that lead to the same position, the first. `certificate` is the one that the entry is of.
    ///
    /// # Errors
    /// [`CertificateError::DoesNotHold`] if the entry has no such turn.
    pub fn turn(
        &self,
        certificate: &Certificate,
        position: &Position,
    ) -> Result<Turn, CertificateError> {
        let (rules, board) = (certificate.rules(), certificate.board());
        let fails =
            |flaw| CertificateError::DoesNotHold { path: certificate.path().to_owned(), flaw };
        let stored = Position::from_mover(board, self.entry.stones, position.to_move())
            .expect("an image of a position");
        let missing = || fails(Flaw::NoSuchTurn { position: stored, turn: self.entry.turn });
        let turn = nth_turn(&rules, &stored, self.entry.turn).ok_or_else(missing)?;
        let after = stored.play_unchecked(&turn);
        let after = after.transformed(self.by.inverse()).ok_or_else(missing)?;
        let found = rules.try_for_each_turn(position, |turn| {
            let is_it = position.play_unchecked(turn) == after;
            if is_it { ControlFlow::Break(turn.clone()) } else { ControlFlow::Continue(()) }
        });
        found.break_value().ok_or_else(missing)
    }
}
