//! Positions of a proof as canonical stones.

use fanorona_core::{Board, Position, Side, Stones, SymmetryGroup};

/// Converts between positions of one prover and canonical stones, as the prover sees them.
///
/// One image stands for all: the rules do not tell them apart, so what is proved of one by a turn is
/// proved of the others by the images of that turn.
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
        self.group.canonical(Stones::of(position)).stones
    }

    /// The canonical stones of a position in which the other side is to move.
    pub(crate) fn stones_after(&self, after: &Position) -> Stones {
        debug_assert_ne!(after.to_move(), self.prover);
        self.group.canonical(Stones::of(after).swapped()).stones
    }

    /// The position with these stones, which are those of a position, and the prover to move.
    pub(crate) fn position(&self, stones: Stones) -> Position {
        self.with_mover(stones, self.prover)
    }

    /// The position with these stones, which are those of a position, and the other side to move.
    pub(crate) fn position_after(&self, stones: Stones) -> Position {
        self.with_mover(stones.swapped(), self.prover.other())
    }

    fn with_mover(&self, stones: Stones, mover: Side) -> Position {
        Position::from_mover(self.board, stones, mover).expect("the stones of a position")
    }
}
