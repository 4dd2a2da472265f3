//! Positions of a proof as pairs of sets.

use std::cmp::{Ordering, Reverse};

use fanorona_core::{Board, PointSet, Position, SetupError, Side, SymmetryGroup};

/// The stones of a position in which the prover is to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Stones {
    /// The prover's stones.
    pub own: PointSet,
    pub opponent: PointSet,
}

impl Stones {
    /// The number of stones of both sides.
    pub(crate) fn count(self) -> u32 {
        self.own.len() + self.opponent.len()
    }
}

impl Ord for Stones {
    /// The order in files: more stones first, so that captures lead to later entries.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |stones: &Self| (Reverse(stones.count()), stones.own, stones.opponent);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Stones {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Converts between positions of one prover and canonical stones.
///
/// The canonical stones of a position are those of the symmetric image with the lowest own set and,
/// among these, the lowest opponent's set.
#[derive(Debug)]
pub(crate) struct Canonicalizer {
    board: Board,
    prover: Side,
    group: SymmetryGroup,
}

impl Canonicalizer {
    pub(crate) fn new(board: Board, prover: Side) -> Self {
        Self { board, prover, group: SymmetryGroup::new(board) }
    }

    /// The canonical stones of a position in which the prover is to move.
    pub(crate) fn stones(&self, position: &Position) -> Stones {
        debug_assert_eq!(position.to_move(), self.prover);
        let canonical = self.group.canonical(position.own(), position.opponent());
        Stones { own: canonical.own, opponent: canonical.opponent }
    }

    /// The canonical stones of a position in which the other side is to move. They are `own` for
    /// the prover.
    pub(crate) fn stones_after(&self, after: &Position) -> Stones {
        debug_assert_ne!(after.to_move(), self.prover);
        let (own, opponent) = self.group.canonical_sets(after.opponent(), after.own());
        Stones { own, opponent }
    }

    /// The position with these stones and the other side to move.
    ///
    /// # Errors
    /// If the stones are not a position.
    pub(crate) fn position_after(&self, stones: Stones) -> Result<Position, SetupError> {
        Position::from_mover(self.board, stones.opponent, stones.own, self.prover.other())
    }

    /// The position with these stones and the prover to move.
    ///
    /// # Errors
    /// If the stones are not a position.
    pub(crate) fn position(&self, stones: Stones) -> Result<Position, SetupError> {
        Position::from_mover(self.board, stones.own, stones.opponent, self.prover)
    }
}
