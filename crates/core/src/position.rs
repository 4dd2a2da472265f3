//! Positions: stones and the side to move.

use thiserror::Error;

use crate::board::Board;
use crate::point::Side;
use crate::point_set::PointSet;
use crate::stones::Stones;

/// Stones and a side to move that have not been checked.
///
/// Fill in the fields, then make a [`Position`] of it with `Position::try_from`.
///
/// ```
/// use fanorona_core::{Board, Position, PointSet, Setup, Side};
/// let board = Board::telo();
/// let [a1, c3] = [(0, 0), (2, 2)].map(|(file, rank)| board.point_at(file, rank).unwrap().into());
/// let setup = Setup { board, white: a1, black: c3, to_move: Side::White };
/// assert_eq!(Position::try_from(setup)?.to_string(), "2B/3/W2 w");
/// assert!(Position::try_from(Setup { black: PointSet::EMPTY, white: PointSet::EMPTY, ..setup }).is_err());
/// # Ok::<(), fanorona_core::SetupError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Setup {
    pub board: Board,
    pub white: PointSet,
    pub black: PointSet,
    pub to_move: Side,
}

/// The error of a [`Setup`] that is not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum SetupError {
    #[error("a stone stands outside the board {0}")]
    OffBoard(Board),
    #[error("white and black stand on the same point {0}")]
    Overlap(String),
    #[error("{side} has {stones} stones, but a side has at most {most} on the board {board}")]
    TooMany { side: Side, stones: u32, most: u32, board: Board },
    #[error("there is no stone on the board")]
    Empty,
}

/// A position: the stones of both sides and the side to move, checked.
///
/// All stones are on different points of the board, no side has more than it started with, and
/// there is at least one stone. One side may have no stones: it has lost. No rule set needs the
/// history of the game, so a position has none.
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
    /// The position with the given stones of the side to move and of its opponent.
    ///
    /// # Errors
    /// If it is not a position, as for a [`Setup`].
    pub fn from_mover(board: Board, stones: Stones, to_move: Side) -> Result<Self, SetupError> {
        let (white, black) = by_colour(stones, to_move);
        Self::try_from(Setup { board, white, black, to_move })
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The side to move.
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

    /// The stones of the side that is not to move.
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

    /// Every stone with the other colour, and the other side to move. Except in the vela, where
    /// colours matter, it is the same game.
    #[must_use]
    pub fn with_colours_swapped(&self) -> Self {
        Self { white: self.black, black: self.white, to_move: self.to_move.other(), ..*self }
    }

    /// The position after a turn that leaves these stones, as the side that made it sees them. It is
    /// not checked.
    #[inline]
    pub(crate) fn passed(&self, stones: Stones) -> Self {
        let (white, black) = by_colour(stones, self.to_move);
        Self { board: self.board, white, black, to_move: self.to_move.other() }
    }

    /// The position with each colour's stones mapped by `map`, which permutes the points.
    pub(crate) fn mapped(&self, map: impl Fn(PointSet) -> PointSet) -> Self {
        Self { white: map(self.white), black: map(self.black), ..*self }
    }
}

impl Stones {
    /// The stones of a position.
    #[inline]
    pub fn of(position: &Position) -> Self {
        Self { own: position.own(), opponent: position.opponent() }
    }
}

/// A mover's and an opponent's stones as White's and Black's.
#[inline]
fn by_colour(Stones { own, opponent }: Stones, to_move: Side) -> (PointSet, PointSet) {
    match to_move {
        Side::White => (own, opponent),
        Side::Black => (opponent, own),
    }
}
