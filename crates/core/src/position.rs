//! Positions: stones and the side to move; and stones as that side sees them.

use thiserror::Error;

use crate::board::Board;
use crate::point::Side;
use crate::point_set::PointSet;

/// Stones and a side to move that have not been checked: [`Position::try_from`] does that.
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
pub struct Position(Setup);

impl TryFrom<Setup> for Position {
    type Error = SetupError;

    fn try_from(setup: Setup) -> Result<Self, SetupError> {
        let Setup { board, white, black, .. } = setup;
        if !(white | black).is_subset(board.all_points()) {
            return Err(SetupError::OffBoard(board));
        }
        if let Some(point) = (white & black).first() {
            return Err(SetupError::Overlap(board.coordinates(point).to_string()));
        }
        let most = board.max_stones();
        for (side, set) in [(Side::White, white), (Side::Black, black)] {
            let stones = set.len();
            if stones > most {
                return Err(SetupError::TooMany { side, stones, most, board });
            }
        }
        if (white | black).is_empty() {
            return Err(SetupError::Empty);
        }
        Ok(Self(setup))
    }
}

impl From<Position> for Setup {
    fn from(position: Position) -> Self {
        position.0
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
        self.0.board
    }

    /// The side to move.
    pub fn to_move(&self) -> Side {
        self.0.to_move
    }

    /// The stones of one colour.
    pub fn stones(&self, side: Side) -> PointSet {
        match side {
            Side::White => self.0.white,
            Side::Black => self.0.black,
        }
    }

    /// The stones of the side to move.
    #[inline]
    pub fn own(&self) -> PointSet {
        self.stones(self.0.to_move)
    }

    /// The stones of the side that is not to move.
    #[inline]
    pub fn opponent(&self) -> PointSet {
        self.stones(self.0.to_move.other())
    }

    /// The points without a stone.
    #[inline]
    pub fn empty(&self) -> PointSet {
        self.0.board.all_points() - (self.0.white | self.0.black)
    }

    /// The same stones with the other side to move.
    #[must_use]
    pub fn with_other_to_move(&self) -> Self {
        Self(Setup { to_move: self.0.to_move.other(), ..self.0 })
    }

    /// Every stone with the other colour, and the other side to move. Except in the vela, where
    /// colours matter, it is the same game.
    #[must_use]
    pub fn with_colours_swapped(&self) -> Self {
        let Setup { white, black, to_move, .. } = self.0;
        Self(Setup { white: black, black: white, to_move: to_move.other(), ..self.0 })
    }

    /// The position after a turn that leaves these stones, as the side that made it sees them. It is
    /// not checked.
    #[inline]
    pub(crate) fn passed(&self, stones: Stones) -> Self {
        let (white, black) = by_colour(stones, self.0.to_move);
        Self(Setup { white, black, to_move: self.0.to_move.other(), ..self.0 })
    }

    /// The position with each colour's stones mapped by `map`, which permutes the points.
    pub(crate) fn mapped(&self, map: impl Fn(PointSet) -> PointSet) -> Self {
        Self(Setup { white: map(self.0.white), black: map(self.0.black), ..self.0 })
    }
}

/// The stones of a position as the side to move sees them: a [`Position`] without the board and the colours. They are ordered by `own`, then `opponent`.
///
/// ```
/// use fanorona_core::{Board, Position, Side, Stones};
/// let start = Board::tsivy().start();
/// let stones = Stones::of(&start);
/// assert_eq!((stones.own, stones.count()), (start.stones(Side::White), 44));
/// assert_eq!(Position::from_mover(start.board(), stones, Side::White)?, start);
/// # Ok::<(), fanorona_core::SetupError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stones {
    /// The stones of the side to move.
    pub own: PointSet,
    /// The stones of the other side.
    pub opponent: PointSet,
}

impl Stones {
    /// The stones of a position.
    #[inline]
    pub fn of(position: &Position) -> Self {
        Self { own: position.own(), opponent: position.opponent() }
    }

    /// The stones on the points whose bits are set; see [`PointSet::from_bits`].
    #[inline]
    pub const fn from_bits(own: u64, opponent: u64) -> Self {
        Self { own: PointSet::from_bits(own), opponent: PointSet::from_bits(opponent) }
    }

    /// The stones as the other side sees them.
    #[inline]
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { own: self.opponent, opponent: self.own }
    }

    /// The points with a stone.
    #[inline]
    pub fn occupied(self) -> PointSet {
        self.own | self.opponent
    }

    /// The number of stones of both sides.
    #[inline]
    pub fn count(self) -> u32 {
        self.occupied().len()
    }

    /// Both sets mapped, for example by a symmetry.
    #[inline]
    #[must_use]
    pub fn map(self, mut map: impl FnMut(PointSet) -> PointSet) -> Self {
        Self { own: map(self.own), opponent: map(self.opponent) }
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
