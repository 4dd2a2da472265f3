//! Finding entries of certificates.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, SymmetryGroup, Turn};

use super::answer::BookEntry;
use crate::certificate::Certificate;
use crate::claim::Claim;
use crate::discovery::{Entry, Limits, discover_stored};
use crate::error::{CertificateError, Flaw};
use crate::format::{ProofSummary, Reader};
use crate::leaves::NamedSlices;
use crate::stones::Stones;
use crate::turns::nth_turn;

/// A proof of a book.
#[derive(Debug)]
pub(super) struct Proof {
    /// The index of its certificate.
    pub certificate: usize,
    /// Its number in the certificate.
    number: usize,
    pub claim: Claim,
    followed: Followed,
}

/// The sorted entries of a proof, once it was followed.
#[derive(Debug, Default)]
struct Followed(OnceLock<Box<[Entry]>>);

impl Followed {
    /// Follows the proof the first time. Threads that ask at the same time all do so, because
    /// threads of a pool that wait for each other could wait for ever.
    fn entries(&self, reader: &Reader, proof: usize) -> Result<&[Entry], CertificateError> {
        if let Some(entries) = self.0.get() {
            return Ok(entries);
        }
        let never = AtomicBool::new(false);
        let ends = NamedSlices::new(&reader.header().rules, &reader.header().tables);
        let limits = Limits::available(&never);
        let mut entries = discover_stored(reader, proof, &ends, limits, |_| {})?;
        entries.sort_unstable_by_key(|entry| entry.stones);
        Ok(self.0.get_or_init(|| entries.into()))
    }
}

/// A position in which the prover is to move, as proofs store it.
pub(super) struct Wanted {
    stones: Stones,
    /// The symmetries that map the position to the stones, as in
    /// [`Canonical::by`](fanorona_core::Canonical::by).
    by: u8,
}

impl Wanted {
    pub(super) fn new(group: &SymmetryGroup, position: &Position) -> Self {
        let found = group.canonical(position.own(), position.opponent());
        Self { stones: Stones { own: found.own, opponent: found.opponent }, by: found.by }
    }
}

impl Proof {
    /// The proofs of a certificate, which has an index.
    pub(super) fn all(index: usize, certificate: &Certificate) -> Vec<Self> {
        let proof = |(number, proof): (usize, &ProofSummary)| {
            let (claim, followed) = (proof.claim, Followed::default());
            Self { certificate: index, number, claim, followed }
        };
        certificate.proofs().iter().enumerate().map(proof).collect()
    }

    /// The entry of a position, if there is one.
    pub(super) fn find(
        &self,
        certificates: &[Certificate],
        wanted: &Wanted,
    ) -> Result<Option<Entry>, CertificateError> {
        let reader = certificates[self.certificate].reader();
        let entries = self.followed.entries(reader, self.number)?;
        let found = entries.binary_search_by_key(&wanted.stones, |entry| entry.stones);
        Ok(found.ok().map(|index| entries[index]))
    }

    /// An entry as an answer: its turn is that of the position that was asked for.
    pub(super) fn answer(
        &self,
        certificate: &Certificate,
        position: &Position,
        (wanted, entry): (&Wanted, Entry),
    ) -> Result<BookEntry, CertificateError> {
        let turn = turn_of(certificate, position, wanted, entry.turn)?;
        let distance = self.claim.is_win().then_some(entry.distance);
        let (kind, certificate) = (self.claim.kind, self.certificate);
        Ok(BookEntry { turn, kind, distance, certificate })
    }
}

/// The turn of a position that is the image of a turn of its entry.
fn turn_of(
    certificate: &Certificate,
    position: &Position,
    wanted: &Wanted,
    number: u32,
) -> Result<Turn, CertificateError> {
    let (rules, board) = (certificate.rules(), certificate.board());
    let fails = |flaw| CertificateError::DoesNotHold { path: certificate.path().to_owned(), flaw };
    let Stones { own, opponent } = wanted.stones;
    let stored = Position::from_mover(board, own, opponent, position.to_move())
        .expect("an image of a position");
    let missing = || fails(Flaw::NoSuchTurn { position: stored, turn: number });
    let turn = nth_turn(&rules, &stored, number).ok_or_else(missing)?;
    let after = stored.play_unchecked(&turn);
    let back = board.symmetries()[wanted.by.trailing_zeros() as usize].inverse();
    let after = after.transformed(back).ok_or_else(missing)?;
    let found = rules.try_for_each_turn(position, |turn| {
        let is_it = position.play_unchecked(turn) == after;
        if is_it { ControlFlow::Break(turn.clone()) } else { ControlFlow::Continue(()) }
    });
    found.break_value().ok_or_else(missing)
}
