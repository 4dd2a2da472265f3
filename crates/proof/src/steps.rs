//! One step of a proof: a turn of the prover, all replies, and what has to follow.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet, Stones, SymmetryGroup, Value};
use fanorona_tablebase::memory_available;

use crate::claim::Claim;
use crate::error::{CertificateError, Flaw, Result, check_stop};
use crate::format::Certificate;
use crate::turns::successors;

/// Where a proof may end: whether a position in which the game is not over is a leaf.
pub(crate) type Ends<'a> = dyn Fn(&Position) -> Result<Leaf> + Sync + 'a;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaf {
    /// It is not a leaf.
    No,
    /// It has this value for the side to move.
    Value(Value),
    /// It is a leaf, but its value is left to another check.
    Unchecked,
}

/// The [`Ends`] of a proof that goes on to the end of the game.
pub(crate) fn nowhere(_: &Position) -> Result<Leaf> {
    Ok(Leaf::No)
}

/// Limits of following a proof.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'a> {
    /// The most memory for the entries, in bytes.
    pub memory: u64,
    pub stop: &'a AtomicBool,
    /// The most entries that are followed together.
    pub together: usize,
}

impl<'a> Limits<'a> {
    pub(crate) fn new(memory: u64, stop: &'a AtomicBool) -> Self {
        Self { memory, stop, together: 1 << 14 }
    }

    /// The memory that is available now.
    pub(crate) fn available(stop: &'a AtomicBool) -> Self {
        Self::new(memory_available().unwrap_or(u64::MAX), stop)
    }
}

/// The work that takes the steps, for errors.
enum Work<'a> {
    Making,
    Checking(&'a Path),
    /// Goes on from leaves of these certificates, without believing tables.
    Expanding(Vec<PathBuf>),
}

/// The steps of one proof. Checks turns and leaves, and says which positions must be entries.
///
/// One of the positions that symmetries map to each other stands for all: the rules do not tell them
/// apart, so what is proved of one by a turn is proved of the others by the images of that turn. Its
/// stones are given as the prover sees them.
pub(crate) struct Steps<'a> {
    work: Work<'a>,
    pub rules: RuleSet,
    pub claim: Claim,
    board: Board,
    group: SymmetryGroup,
    ends: &'a Ends<'a>,
    pub limits: Limits<'a>,
}

/// Memory that steps share: the positions after earlier turns, and those after replies. A position
/// can have several hundred thousand turns.
#[derive(Default)]
pub(crate) struct StepBuffers {
    earlier: Vec<Stones>,
    /// The different positions after the replies of the last step. None if the game was over.
    pub replies: Vec<Position>,
}

impl<'a> Steps<'a> {
    /// The steps of a proof that is made.
    pub(crate) fn new(
        rules: &RuleSet,
        board: Board,
        claim: Claim,
        ends: &'a Ends<'a>,
        limits: Limits<'a>,
    ) -> Self {
        let (work, group) = (Work::Making, SymmetryGroup::new(board));
        Self { work, rules: *rules, claim, board, group, ends, limits }
    }

    /// The steps of a proof of a certificate, by its number.
    pub(crate) fn of_proof(
        certificate: &'a Certificate,
        proof: usize,
        ends: &'a Ends<'a>,
        limits: Limits<'a>,
    ) -> Self {
        let header = &certificate.header;
        let claim = header.proofs[proof].claim;
        let steps = Self::new(&header.rules, header.board(), claim, ends, limits);
        Self { work: Work::Checking(certificate.path()), ..steps }
    }

    /// The same steps on behalf of several certificates.
    pub(crate) fn expanding(self, paths: Vec<PathBuf>) -> Self {
        Self { work: Work::Expanding(paths), ..self }
    }

    /// Calls `open` with the entries that the proof of a position begins with.
    pub(crate) fn begin(&self, position: &Position, mut open: impl FnMut(Stones)) -> Result<()> {
        if position.to_move() != self.claim.side {
            return self.replies(position, &mut StepBuffers::default(), open);
        }
        if !self.is_leaf(position)? {
            open(self.stones(position));
        }
        Ok(())
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
        buffers.replies.clear();
        if self.is_leaf(after)? {
            return Ok(());
        }
        successors(&self.rules, after, &mut buffers.replies);
        for reply in &buffers.replies {
            if !self.is_leaf(reply)? {
                open(self.stones(reply));
            }
        }
        Ok(())
    }

    /// Whether a position is a leaf. A leaf that is worse than the claim is an error.
    pub(crate) fn is_leaf(&self, position: &Position) -> Result<bool> {
        let value = match self.rules.outcome(position) {
            Some(outcome) => outcome.value_for(position.to_move()),
            None => match (self.ends)(position)? {
                Leaf::No => return Ok(false),
                Leaf::Unchecked => return Ok(true),
                Leaf::Value(value) => value,
            },
        };
        if self.claim.is_met_by(value, position.to_move()) {
            return Ok(true);
        }
        Err(self.fails(Flaw::BadLeaf { position: *position, value }))
    }

    /// The canonical stones of a position in which the prover is to move.
    pub(crate) fn stones(&self, position: &Position) -> Stones {
        debug_assert_eq!(position.to_move(), self.claim.side);
        self.group.canonical(Stones::of(position)).stones
    }

    /// The canonical stones of a position in which the other side is to move.
    pub(crate) fn stones_after(&self, after: &Position) -> Stones {
        debug_assert_ne!(after.to_move(), self.claim.side);
        self.group.canonical(Stones::of(after).swapped()).stones
    }

    /// The position with these stones and the prover to move.
    pub(crate) fn position(&self, stones: Stones) -> Position {
        Position::from_mover(self.board, stones, self.claim.side).expect("stones of a position")
    }

    /// The position with these stones and the other side to move.
    pub(crate) fn position_after(&self, stones: Stones) -> Position {
        let mover = self.claim.side.other();
        Position::from_mover(self.board, stones.swapped(), mover).expect("stones of a position")
    }

    pub(crate) fn check_stop(&self) -> Result<()> {
        check_stop(self.limits.stop)
    }

    pub(crate) fn fails(&self, flaw: Flaw) -> CertificateError {
        match &self.work {
            Work::Making => CertificateError::NoProof { flaw },
            Work::Checking(path) => {
                CertificateError::DoesNotHold { path: (*path).to_owned(), flaw }
            }
            Work::Expanding(paths) => CertificateError::Unproved { paths: paths.clone(), flaw },
        }
    }

    /// The error of a proof that needs more memory than its limit after this number of entries.
    pub(crate) fn too_large(&self, entries: u64) -> CertificateError {
        let limit = self.limits.memory;
        match &self.work {
            Work::Checking(path) => {
                CertificateError::EntryMemory { path: (*path).to_owned(), entries, limit }
            }
            Work::Making | Work::Expanding(_) => {
                let [positions, limit] = [entries, limit].map(|number| number as usize);
                CertificateError::MemoryLimit { positions, limit }
            }
        }
    }
}
