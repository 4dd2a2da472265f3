//! Positions of a proof as pairs of sets.

use fanorona_core::{Board, PointSet, Position, Side, SymmetryGroup};

/// The stones of a position in which the prover is to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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

/// Converts between positions of one prover and canonical stones.
///
/// The canonical stones of a position are those of the symmetric image with the lowest own set and,
/// among these, the lowest opponent's set. One image stands for all: the rules do not tell them apart, so
/// what is proved of one by a turn is proved of the others by the images of that turn.
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

    /// The position with these stones, which are those of a position, and the prover to move.
    pub(crate) fn position(&self, Stones { own, opponent }: Stones) -> Position {
        self.with_mover(own, opponent, self.prover)
    }

    /// The position with these stones, which are those of a position, and the other side to move.
    pub(crate) fn position_after(&self, Stones { own, opponent }: Stones) -> Position {
        self.with_mover(opponent, own, self.prover.other())
    }

    fn with_mover(&self, own: PointSet, opponent: PointSet, mover: Side) -> Position {
        Position::from_mover(self.board, own, opponent, mover).expect("the stones of a position")
    }
}
