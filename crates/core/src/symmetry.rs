//! The symmetries of a board that keep its links.

use crate::board::Board;
use crate::point::{Coordinates, Point, PointSet, points};
use crate::position::Position;

/// A mapping of a board onto itself that keeps every link.
///
/// Every board has four, square boards eight. The game is the same after any of them, but for the
/// names of the points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Symmetry {
    /// Nothing moves.
    Identity,
    /// Files in the opposite order.
    MirrorFiles,
    /// Ranks in the opposite order.
    MirrorRanks,
    /// Turned by 180°.
    HalfTurn,
    /// Files and ranks exchanged: a1 stays.
    MirrorDiagonal,
    /// Turned by 90° clockwise.
    TurnRight,
    /// Turned by 90° counter-clockwise.
    TurnLeft,
    /// Files and ranks exchanged and both reversed: the two corners that share an edge with a1 stay.
    MirrorAntidiagonal,
}

impl Symmetry {
    /// All eight, those of every board first.
    pub const ALL: [Self; 8] = [
        Self::Identity,
        Self::MirrorFiles,
        Self::MirrorRanks,
        Self::HalfTurn,
        Self::MirrorDiagonal,
        Self::TurnRight,
        Self::TurnLeft,
        Self::MirrorAntidiagonal,
    ];

    /// The symmetry that undoes this one.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Self::TurnRight => Self::TurnLeft,
            Self::TurnLeft => Self::TurnRight,
            other => other,
        }
    }

    /// Where a point of the board goes.
    ///
    /// The last four are for square boards alone; on others what they give is without meaning.
    pub fn apply(self, board: Board, point: Point) -> Point {
        let Coordinates { file, rank } = board.coordinates(point);
        let (last_file, last_rank) = (board.width() - 1, board.height() - 1);
        let (file, rank) = match self {
            Self::Identity => (file, rank),
            Self::MirrorFiles => (last_file - file, rank),
            Self::MirrorRanks => (file, last_rank - rank),
            Self::HalfTurn => (last_file - file, last_rank - rank),
            Self::MirrorDiagonal => (rank, file),
            Self::TurnRight => (rank, last_file - file),
            Self::TurnLeft => (last_rank - rank, file),
            Self::MirrorAntidiagonal => (last_rank - rank, last_file - file),
        };
        Point(rank * board.width() + file)
    }

    /// Where the points of a set go; about a nanosecond a point.
    pub fn apply_to_set(self, board: Board, set: PointSet) -> PointSet {
        points(set).fold(0, |mapped, point| mapped | self.apply(board, point).set())
    }
}

impl Board {
    /// The symmetries of this board: four, or eight if it is square.
    pub fn symmetries(self) -> &'static [Symmetry] {
        &Symmetry::ALL[..if self.width() == self.height() { 8 } else { 4 }]
    }
}

impl Position {
    /// The position seen through a symmetry of its board.
    #[must_use]
    pub fn transformed(&self, symmetry: Symmetry) -> Self {
        debug_assert!(self.board().symmetries().contains(&symmetry));
        self.mapped(|set| symmetry.apply_to_set(self.board(), set))
    }
}
