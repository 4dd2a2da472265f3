//! The stones of a position as the side to move sees them.

use crate::point_set::PointSet;

/// The stones of a position as the side to move sees them: a [`Position`](crate::Position)
/// without the board and the colours. They are ordered by `own`, then `opponent`.
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
