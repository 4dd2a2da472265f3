//! Positions: stones and the side to move.

use thiserror::Error;

use crate::board::Board;
use crate::point::Side;
use crate::point_set::PointSet;

/// Stones and a side to move that nobody has checked yet.
///
/// Fill it in as you like, then make a [`Position`] of it with `Position::try_from`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// The board.
    pub board: Board,
    /// White's stones.
    pub white: PointSet,
    /// Black's stones.
    pub black: PointSet,
    /// Whose turn it is.
    pub to_move: Side,
}

/// Why a [`Setup`] is no position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A stone stands beside the board.
    #[error("a stone stands outside the board {0}")]
    OffBoard(Board),
    /// Two stones on one point.
    #[error("white and black stand on the same point {0}")]
    Overlap(String),
    /// More stones than the side started with.
    #[error("{side} has {stones} stones, and no side has more than {most} on the board {board}")]
    TooMany {
        /// Whose stones.
        side: Side,
        /// How many there are.
        stones: u32,
        /// How many there may be.
        most: u32,
        /// The board.
        board: Board,
    },
    /// An empty board.
    #[error("there is no stone on the board")]
    Empty,
}

/// A position: stones of both sides and the side to move, checked.
///
/// Stones stand on different points of the board, no side has more than it started with, and at
/// least one stone stands. One side may be without stones: then it has lost. That is all there is
/// to a position; no rule set needs the history of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    board: Board,
    white: PointSet,
    black: PointSet,
    to_move: Side,
}

impl TryFrom<Setup> for Position {
    type Error = SetupError;

    fn try_from(setup: Setup) -> Result<Self, SetupError> {
        let Setup { board, white, black, to_move } = setup;
        if !(white | black).is_subset(board.all_points()) {
            return Err(SetupError::OffBoard(board));
        }
        if let Some(point) = (white & black).first() {
            return Err(SetupError::Overlap(board.coordinates(point).to_string()));
        }
        for (side, stones) in [(Side::White, white), (Side::Black, black)] {
            if stones.len() > board.max_stones() {
                return Err(SetupError::TooMany {
                    side,
                    stones: stones.len(),
                    most: board.max_stones(),
                    board,
                });
            }
        }
        if (white | black).is_empty() {
            return Err(SetupError::Empty);
        }
        Ok(Self { board, white, black, to_move })
    }
}

impl From<Position> for Setup {
    fn from(position: Position) -> Self {
        let Position { board, white, black, to_move } = position;
        Self { board, white, black, to_move }
    }
}

impl Position {
    /// The position of a mover's own stones and the opponent's.
    ///
    /// # Errors
    /// If it is no position, as for a [`Setup`].
    pub fn from_mover(
        board: Board,
        own: PointSet,
        opponent: PointSet,
        to_move: Side,
    ) -> Result<Self, SetupError> {
        let (white, black) = by_colour(own, opponent, to_move);
        Self::try_from(Setup { board, white, black, to_move })
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Whose turn it is.
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// The stones of one colour.
    pub fn stones(&self, side: Side) -> PointSet {
        match side {
            Side::White => self.white,
            Side::Black => self.black,
        }
    }

    /// The stones of the side to move.
    #[inline]
    pub fn own(&self) -> PointSet {
        self.stones(self.to_move)
    }

    /// The stones of the side that waits.
    #[inline]
    pub fn opponent(&self) -> PointSet {
        self.stones(self.to_move.other())
    }

    /// The points without a stone.
    #[inline]
    pub fn empty(&self) -> PointSet {
        self.board.all_points() - (self.white | self.black)
    }

    /// The same stones with the other side to move.
    #[must_use]
    pub fn with_other_to_move(&self) -> Self {
        Self { to_move: self.to_move.other(), ..*self }
    }

    /// Every stone with the other colour, and the other side to move: the same game for those who
    /// do not care what the players are called.
    #[must_use]
    pub fn with_colours_swapped(&self) -> Self {
        Self { white: self.black, black: self.white, to_move: self.to_move.other(), ..*self }
    }

    /// The position in which the mover's stones are `own`, the opponent's are `opponent`, and the
    /// turn has passed on; for callers that have applied a legal turn or a symmetry.
    #[inline]
    pub(crate) fn passed(&self, own: PointSet, opponent: PointSet) -> Self {
        let (white, black) = by_colour(own, opponent, self.to_move);
        Self { board: self.board, white, black, to_move: self.to_move.other() }
    }

    /// The position with each colour's stones mapped by `map`, which permutes the points.
    pub(crate) fn mapped(&self, map: impl Fn(PointSet) -> PointSet) -> Self {
        Self { white: map(self.white), black: map(self.black), ..*self }
    }
}

/// A mover's and an opponent's stones as White's and Black's.
#[inline]
fn by_colour(own: PointSet, opponent: PointSet, to_move: Side) -> (PointSet, PointSet) {
    match to_move {
        Side::White => (own, opponent),
        Side::Black => (opponent, own),
    }
}
