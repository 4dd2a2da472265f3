//! One step of a proof: a turn of the prover, all replies, and what has to follow.

use std::ops::ControlFlow;
use std::path::Path;

use fanorona_core::{PointSet, Position, RuleSet};

use crate::claim::Claim;
use crate::error::{CertificateError, Flaw};
use crate::format::Reader;
use crate::leaves::{Ends, Leaf};
use crate::stones::{Canonicalizer, Stones};

type Result<T> = std::result::Result<T, CertificateError>;

/// The steps of one proof. Checks turns and leaves, and says which positions must be entries.
pub(crate) struct Steps<'a, E> {
    path: &'a Path,
    rules: RuleSet,
    pub(crate) claim: Claim,
    pub(crate) canonicalizer: Canonicalizer,
    /// Where the proof may end.
    ends: &'a E,
}

/// Memory that steps share: the positions after earlier turns, and those after replies. A position
/// can have several hundred thousand turns.
#[derive(Default)]
pub(crate) struct Buffers {
    earlier: Vec<(PointSet, PointSet)>,
    answers: Vec<(PointSet, PointSet)>,
}

impl<'a, E: Ends> Steps<'a, E> {
    /// The steps of a proof of a certificate, by its number.
    pub(crate) fn new(reader: &'a Reader, proof: usize, ends: &'a E) -> Self {
        let header = reader.header();
        let claim = header.proofs[proof].claim;
        Self::of(reader.path(), &header.rules, &header.position, claim, ends)
    }

    /// The steps of a proof of a claim about a position. The path is for errors.
    pub(crate) fn of(
        path: &'a Path,
        rules: &RuleSet,
        position: &Position,
        claim: Claim,
        ends: &'a E,
    ) -> Self {
        let canonicalizer = Canonicalizer::new(position.board(), claim.side);
        Self { path, rules: *rules, claim, canonicalizer, ends }
    }

    /// Calls `open` with the entries that the proof of a position begins with.
    pub(crate) fn begin(
        &self,
        position: &Position,
        buffers: &mut Buffers,
        mut open: impl FnMut(Stones),
    ) -> Result<()> {
        if position.to_move() == self.claim.side && self.ends.leaf(position)? == Leaf::No {
            open(self.canonicalizer.stones(position));
            return Ok(());
        }
        self.answer(position, buffers, open)
    }

    /// Plays the turn of an entry, and calls `open` with the entries that must follow: after each
    /// reply that is no leaf, in ascending order of the sets after it.
    pub(crate) fn follow(
        &self,
        stones: Stones,
        turn: u32,
        buffers: &mut Buffers,
        open: impl FnMut(Stones),
    ) -> Result<()> {
        let position = self.position(stones)?;
        let earlier = &mut buffers.earlier;
        earlier.clear();
        let found = self.rules.try_for_each_turn(&position, |played| {
            let after = position.play_unchecked(played);
            if earlier.len() == turn as usize {
                return ControlFlow::Break(after);
            }
            earlier.push((after.own(), after.opponent()));
            ControlFlow::Continue(())
        });
        let ControlFlow::Break(after) = found else {
            return Err(self.fails(Flaw::NoSuchTurn { position, turn }));
        };
        if earlier.contains(&(after.own(), after.opponent())) {
            return Err(self.fails(Flaw::DuplicateTurn { position, turn }));
        }
        self.answer(&after, buffers, open)
    }

    /// Calls `open` with the positions that must be entries if the opponent is to move here.
    fn answer(
        &self,
        after: &Position,
        buffers: &mut Buffers,
        mut open: impl FnMut(Stones),
    ) -> Result<()> {
        if self.is_leaf(after)? {
            return Ok(());
        }
        let answers = &mut buffers.answers;
        answers.clear();
        self.rules.for_each_turn(after, |turn| {
            let answer = after.play_unchecked(turn);
            answers.push((answer.own(), answer.opponent()));
        });
        answers.sort_unstable();
        answers.dedup();
        for (own, opponent) in answers.iter().copied() {
            let answer = self.position(Stones { own, opponent })?;
            if !self.is_leaf(&answer)? {
                open(self.canonicalizer.stones(&answer));
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
    pub(crate) fn position(&self, stones: Stones) -> Result<Position> {
        let position = self.canonicalizer.position(stones);
        position.map_err(|why| self.fails(Flaw::NotAPosition { why }))
    }

    pub(crate) fn fails(&self, flaw: Flaw) -> CertificateError {
        CertificateError::DoesNotHold { path: self.path.to_owned(), flaw }
    }

    /// The error of a proof that needs an entry with these stones and has none.
    pub(crate) fn no_entry(&self, stones: Stones) -> CertificateError {
        match self.position(stones) {
            Ok(position) => self.fails(Flaw::NoEntry { position }),
            Err(error) => error,
        }
    }

    /// The certificate's path.
    pub(crate) fn path(&self) -> &Path {
        self.path
    }
}
