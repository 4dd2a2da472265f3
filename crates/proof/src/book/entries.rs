//! Finding entries of certificates, with a cache of unpacked blocks.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use fanorona_core::{Position, SymmetryGroup, Turn};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::answer::BookEntry;
use crate::certificate::Certificate;
use crate::claim::Claim;
use crate::contents;
use crate::discovery::Limits;
use crate::error::{CertificateError, Flaw};
use crate::format::{Entry, Form, ProofSummary, Reader};
use crate::stones::Stones;
use crate::turns::nth_turn;

/// A block: the index of its certificate and its number in the file.
type BlockKey = (usize, usize);

type Block = Arc<[Entry]>;

/// Weighs blocks by their bytes.
#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<BlockKey, Block> for Bytes {
    fn weight(&self, _: &BlockKey, block: &Block) -> u64 {
        size_of_val::<[Entry]>(block) as u64
    }
}

/// Unpacked blocks of limited size, shared by threads.
#[derive(Debug)]
pub(super) struct Blocks(Cache<BlockKey, Block, Bytes>);

impl Blocks {
    /// A cache of this size, in bytes.
    pub(super) fn new(bytes: usize) -> Self {
        // Certificates of this crate have 1,024 entries per block.
        let blocks = (bytes / (1024 * size_of::<Entry>())).max(1);
        Self(Cache::with_weighter(blocks, bytes as u64, Bytes))
    }

    fn get(
        &self,
        certificate: (usize, &Certificate),
        proof: usize,
        block: usize,
    ) -> Result<Block, CertificateError> {
        let (index, certificate) = certificate;
        self.0.get_or_insert_with(&(index, block), || {
            certificate.reader().entries(proof, block).map(Block::from)
        })
    }
}

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

/// The sorted entries of a proof of which only the turns are stored, once it was followed.
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
        let entries = contents::entries(reader, proof, Limits::available(&never))?;
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
        blocks: &Blocks,
        wanted: &Wanted,
    ) -> Result<Option<Entry>, CertificateError> {
        let find = |entries: &[Entry]| {
            let found = entries.binary_search_by_key(&wanted.stones, |entry| entry.stones);
            found.ok().map(|index| entries[index])
        };
        let certificate = &certificates[self.certificate];
        if certificate.form() == Form::Turns {
            return Ok(find(self.followed.entries(certificate.reader(), self.number)?));
        }
        let Some(block) = certificate.reader().block_with(self.number, wanted.stones) else {
            return Ok(None);
        };
        Ok(find(&blocks.get((self.certificate, certificate), self.number, block)?))
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
        .map_err(|why| fails(Flaw::NotAPosition { why }))?;
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
