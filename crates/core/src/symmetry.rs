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

/// The symmetries of a board as tables, for callers that map many sets. They are numbered as in
/// [`Board::symmetries`], so 0 is the identity.
///
/// ```
/// use fanorona_core::{Board, SymmetryGroup};
/// let group = SymmetryGroup::new(Board::tsivy());
/// assert_eq!(group.order(), 4);
/// for g in 0..group.order() {
///     assert_eq!(group.apply(group.inverse(g), group.apply(g, 0b1011)), 0b1011);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct SymmetryGroup {
    /// For each symmetry, the images of the points in each byte of a set.
    images: Vec<[[PointSet; 256]; 8]>,
    /// For each symmetry and each other one that is done first, the one that does what both do.
    products: Vec<Vec<u8>>,
    /// For each symmetry, the one that undoes it.
    inverses: Vec<u8>,
}

/// The position that stands for all that are the same but for symmetry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Canonical {
    pub own: PointSet,
    pub opponent: PointSet,
    /// The symmetries that lead to it, by their numbers among the board's; several if it looks the
    /// same from several sides.
    pub by: u8,
}

impl SymmetryGroup {
    /// The symmetries of a board.
    pub fn new(board: Board) -> Self {
        let symmetries = board.symmetries();
        let images = symmetries.iter().map(|symmetry| {
            std::array::from_fn(|byte| {
                std::array::from_fn(|bits| {
                    let set = (bits as PointSet) << (8 * byte) & board.all_points();
                    symmetry.apply_to_set(board, set)
                })
            })
        });
        // Two points that no symmetry but the identity keeps tell symmetries apart.
        let marks = [Point(0), Point(1)];
        let seen_as = |symmetry: &Symmetry| marks.map(|p| symmetry.apply(board, p));
        let number = |seen: [Point; 2]| {
            let found = symmetries.iter().position(|symmetry| seen_as(symmetry) == seen);
            found.expect("a group is closed") as u8
        };
        let product = |then: &Symmetry, first| number(seen_as(first).map(|p| then.apply(board, p)));
        let products = symmetries
            .iter()
            .map(|then| symmetries.iter().map(|first| product(then, first)).collect());
        let inverses = symmetries.iter().map(|s| number(seen_as(&s.inverse())));
        Self {
            images: images.collect(),
            products: products.collect(),
            inverses: inverses.collect(),
        }
    }

    /// How many symmetries there are: 4, or 8 on a square board.
    pub fn order(&self) -> usize {
        self.images.len()
    }

    /// The image of a set of the board's points.
    #[inline]
    pub fn apply(&self, symmetry: usize, set: PointSet) -> PointSet {
        image(&self.images[symmetry], set)
    }

    /// The symmetry that undoes one.
    #[inline]
    pub fn inverse(&self, symmetry: usize) -> usize {
        usize::from(self.inverses[symmetry])
    }

    /// The symmetry that does what `first` and `then` do one after the other.
    pub fn product(&self, then: usize, first: usize) -> usize {
        usize::from(self.products[then][first])
    }

    /// Of all images of a pair of sets that with the least first set, and of those that with the least
    /// second one: one for all that are the same but for symmetry.
    #[inline]
    pub fn least(&self, first: PointSet, second: PointSet) -> (PointSet, PointSet) {
        let least = self.canonical(first, second);
        (least.own, least.opponent)
    }

    /// The same of the stones at a position, with the symmetries that lead to it.
    #[inline]
    pub(crate) fn canonical(&self, own: PointSet, opponent: PointSet) -> Canonical {
        let mut least = Canonical { own, opponent, by: 1 };
        for (images, bit) in self.images[1..].iter().zip(1..) {
            let own = image(images, own);
            if own > least.own {
                continue;
            }
            let opponent = image(images, opponent);
            let order = (own, opponent).cmp(&(least.own, least.opponent));
            if order.is_lt() {
                least = Canonical { own, opponent, by: 1 << bit };
            } else if order.is_eq() {
                least.by |= 1 << bit;
            }
        }
        least
    }
}

#[inline]
fn image(images: &[[PointSet; 256]; 8], set: PointSet) -> PointSet {
    let bytes = images.iter().zip(set.to_le_bytes());
    bytes.fold(0, |sum, (images, byte)| sum | images[usize::from(byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_those_of_the_symmetries() {
        for board in Board::all() {
            let group = SymmetryGroup::new(board);
            let symmetries = board.symmetries();
            let all = board.all_points();
            for i in 0..200_u64 {
                let own = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & all;
                let opponent = i.wrapping_mul(0xc2b2_ae3d_27d4_eb4f) & all & !own;
                let image =
                    |s: &Symmetry| (s.apply_to_set(board, own), s.apply_to_set(board, opponent));
                let least = symmetries.iter().map(image).min().expect("there are symmetries");
                let by = (0..).zip(symmetries).filter(|(_, s)| image(s) == least);
                let by = by.fold(0, |by, (number, _): (u8, _)| by | 1 << number);
                let expected = Canonical { own: least.0, opponent: least.1, by };
                assert_eq!(group.canonical(own, opponent), expected, "{board}");
            }
        }
    }

    #[test]
    fn products_and_inverses_do_what_they_should() {
        for board in Board::all() {
            let (group, symmetries) = (SymmetryGroup::new(board), board.symmetries());
            for (i, then) in symmetries.iter().enumerate() {
                assert_eq!(symmetries[group.inverse(i)], then.inverse());
                for (j, first) in symmetries.iter().enumerate() {
                    let both = symmetries[group.product(i, j)];
                    for p in points(board.all_points()) {
                        assert_eq!(both.apply(board, p), then.apply(board, first.apply(board, p)));
                    }
                }
            }
        }
    }
}
