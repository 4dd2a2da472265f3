//! The positions of a proof: stones of the side that proves, and of its opponent.

use std::cmp::{Ordering, Reverse};

use fanorona_core::{Board, PointSet, Position, SetupError, Side, SymmetryGroup};

/// The stones at a position where the side that proves is to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Stones {
    pub own: PointSet,
    pub opponent: PointSet,
}

impl Stones {
    /// How many stones there are.
    pub(crate) fn count(self) -> u32 {
        self.own.len() + self.opponent.len()
    }
}

impl Ord for Stones {
    /// More stones first: so play goes forward in a file, but for paikas.
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

/// From positions to stones and back, for one side that proves. Of the positions that are the same
/// by a symmetry of the board, one stands for all: the one with the least own set, and of those with
/// the least opponent's set.
#[derive(Debug)]
pub(crate) struct View {
    board: Board,
    prover: Side,
    group: SymmetryGroup,
}

impl View {
    pub(crate) fn new(board: Board, prover: Side) -> Self {
        Self { board, prover, group: SymmetryGroup::new(board) }
    }

    /// The stones of a position in which the side that proves is to move.
    pub(crate) fn stones(&self, position: &Position) -> Stones {
        debug_assert_eq!(position.to_move(), self.prover);
        let (own, opponent) = (position.own(), position.opponent());
        let canonical = self.group.canonical(own, opponent);
        Stones { own: canonical.own, opponent: canonical.opponent }
    }

    /// The position with these stones, or why there is none.
    pub(crate) fn position(&self, stones: Stones) -> Result<Position, SetupError> {
        Position::from_mover(self.board, stones.own, stones.opponent, self.prover)
    }
}
