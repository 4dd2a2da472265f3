//! One step of a proof: a turn of the prover, all replies, and what has to follow.

use std::ops::ControlFlow;
use std::path::Path;

use fanorona_core::{Position, RuleSet, Stones};

use crate::canonicalizer::Canonicalizer;
use crate::claim::Claim;
use crate::error::{CertificateError, Flaw};
use crate::format::Reader;
use crate::leaves::{Ends, Leaf};
use crate::turns::successors;

type Result<T> = std::result::Result<T, CertificateError>;

/// The steps of one proof. Checks turns and leaves, and says which positions must be entries.
pub(crate) struct Steps<'a, E> {
    /// The certificate, for errors. `None` while it is made.
    path: Option<&'a Path>,
    pub(crate) rules: RuleSet,
    pub(crate) claim: Claim,
    canonicalizer: Canonicalizer,
    /// Where the proof may end.
    ends: &'a E,
}

/// Memory that steps share: the positions after earlier turns, and those after replies. A position
/// can have several hundred thousand turns.
#[derive(Default)]
pub(crate) struct StepBuffers {
    earlier: Vec<Stones>,
    replies: Vec<Position>,
}

impl<'a, E: Ends> Steps<'a, E> {
    /// The steps of a proof that is made.
    pub(crate) fn new(rules: &RuleSet, position: &Position, claim: Claim, ends: &'a E) -> Self {
        let canonicalizer = Canonicalizer::new(position.board(), claim.side);
        Self { path: None, rules: *rules, claim, canonicalizer, ends }
    }

    /// The steps of a proof of a certificate, by its number.
    pub(crate) fn of_proof(reader: &'a Reader, proof: usize, ends: &'a E) -> Self {
        let header = reader.header();
        let steps = Self::new(&header.rules, &header.position, header.proofs[proof].claim, ends);
        Self { path: Some(reader.path()), ..steps }
    }

    /// Calls `open` with the entries that the proof of a position begins with.
    pub(crate) fn begin(
        &self,
        position: &Position,
        buffers: &mut StepBuffers,
        mut open: impl FnMut(Stones),
    ) -> Result<()> {
        if position.to_move() == self.claim.side {
            if !self.is_leaf(position)? {
                open(self.canonicalizer.stones(position));
            }
            return Ok(());
        }
        self.replies(position, buffers, open)
    }

    /// Plays the turn of an entry, and calls `open` with the entries that must follow: after each
    /// reply that is no leaf, in ascending order of the sets after it.
    pub(crate) fn follow(
        &self,
        stones: Stones,
        turn: u32,
        buffers: &mut StepBuffers,
        open: impl FnMut(Stones),
    ) -> Result<()> {
        let position = self.position(stones);
        let earlier = &mut buffers.earlier;
        earlier.clear();
        let found = self.rules.try_for_each_turn(&position, |played| {
            let after = position.play_unchecked(played);
            if earlier.len() == turn as usize {
                return ControlFlow::Break(after);
            }
            earlier.push(Stones::of(&after));
            ControlFlow::Continue(())
        });
        let ControlFlow::Break(after) = found else {
            return Err(self.fails(Flaw::NoSuchTurn { position, turn }));
        };
        if earlier.contains(&Stones::of(&after)) {
            return Err(self.fails(Flaw::DuplicateTurn { position, turn }));
        }
        self.replies(&after, buffers, open)
    }

    /// Calls `open` with the positions that must be entries if the other side is to move here: none at
    /// a leaf.
    pub(crate) fn replies(
        &self,
        after: &Position,
        buffers: &mut StepBuffers,
        mut open: impl FnMut(Stones),
    ) -> Result<()> {
        if self.is_leaf(after)? {
            return Ok(());
        }
        successors(&self.rules, after, &mut buffers.replies);
        for reply in &buffers.replies {
            if !self.is_leaf(reply)? {
                open(self.canonicalizer.stones(reply));
            }
        }
        Ok(())
    }

    /// Whether a position is a leaf. A leaf that is worse than the claim is an error.
    fn is_leaf(&self, position: &Position) -> Result<bool> {
        match self.ends.leaf(position)? {
            Leaf::No => Ok(false),
            Leaf::Unchecked => Ok(true),
            Leaf::Value(value) if self.claim.is_met_by(value, position.to_move()) => Ok(true),
            Leaf::Value(value) => Err(self.fails(Flaw::BadLeaf { position: *position, value })),
        }
    }

    /// The position with these stones and the prover to move.
    pub(crate) fn position(&self, stones: Stones) -> Position {
        self.canonicalizer.position(stones)
    }

    pub(crate) fn fails(&self, flaw: Flaw) -> CertificateError {
        match self.path {
            Some(path) => CertificateError::DoesNotHold { path: path.to_owned(), flaw },
            None => CertificateError::NoProof { flaw },
        }
    }

    /// The error of a proof that needs an entry with these stones and has none.
    pub(crate) fn no_entry(&self, stones: Stones) -> CertificateError {
        self.fails(Flaw::NoEntry { position: self.position(stones) })
    }

    /// The error of a proof that needs more memory for its entries than there is.
    pub(crate) fn too_large(&self, entries: u64, limit: u64) -> CertificateError {
        match self.path {
            Some(path) => CertificateError::EntryMemory { path: path.to_owned(), entries, limit },
            None => {
                let [positions, limit] = [entries, limit].map(|number| number as usize);
                CertificateError::MemoryLimit { positions, limit }
            }
        }
    }
}
