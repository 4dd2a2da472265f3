//! The symmetries of a board that keep its links.

use crate::board::Board;
use crate::names::named;
use crate::point::Point;
use crate::point_set::PointSet;
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

named!(
    Symmetry, "symmetry",
    Identity "identity", MirrorFiles "mirror-files", MirrorRanks "mirror-ranks",
    HalfTurn "half-turn", MirrorDiagonal "mirror-diagonal", TurnRight "turn-right",
    TurnLeft "turn-left", MirrorAntidiagonal "mirror-antidiagonal"
);

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

    /// Whether this is a symmetry of the board: the last four are for square boards only.
    pub fn is_of(self, board: Board) -> bool {
        board.symmetries().contains(&self)
    }

    /// The image of a point; `None` if this is not a symmetry of the board, or the board does not
    /// have the point.
    pub fn apply(self, board: Board, point: Point) -> Option<Point> {
        (self.is_of(board) && board.all_points().contains(point)).then(|| self.map(board, point))
    }

    /// The image of a set of points, at about a nanosecond a point; `None` if this is not a
    /// symmetry of the board, or the board does not have all the points. [`SymmetryGroup::apply`]
    /// is faster for many sets.
    pub fn apply_to_set(self, board: Board, set: PointSet) -> Option<PointSet> {
        (self.is_of(board) && set.is_subset(board.all_points())).then(|| self.map_set(board, set))
    }

    fn map_set(self, board: Board, set: PointSet) -> PointSet {
        set.iter().map(|point| self.map(board, point)).collect()
    }

    /// The image of a point of the board under a symmetry of the board.
    fn map(self, board: Board, point: Point) -> Point {
        let (file, rank) = (point.0 % board.width(), point.0 / board.width());
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
}

impl Board {
    /// The symmetries of this board: four, or eight if it is square.
    pub fn symmetries(self) -> &'static [Symmetry] {
        &Symmetry::ALL[..if self.width() == self.height() { 8 } else { 4 }]
    }
}

impl Position {
    /// The image of the position under a symmetry; `None` if it is no symmetry of the board.
    #[must_use]
    pub fn transformed(&self, symmetry: Symmetry) -> Option<Self> {
        let board = self.board();
        symmetry.is_of(board).then(|| self.mapped(|set| symmetry.map_set(board, set)))
    }
}

/// The symmetries of a board as tables, for callers that map many sets. They are numbered as in
/// [`Board::symmetries`], so 0 is the identity.
///
/// ```
/// use fanorona_core::{Board, PointSet, SymmetryGroup};
/// let group = SymmetryGroup::new(Board::tsivy());
/// assert_eq!(group.order(), 4);
/// let set = PointSet::from_bits(0b1011);
/// for g in 0..group.order() {
///     assert_eq!(group.apply(group.inverse(g), group.apply(g, set)), set);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct SymmetryGroup {
    /// For each symmetry, the images of the points in each byte of a set.
    images: Vec<[[u64; 256]; 8]>,
    /// For each symmetry and each other one that is done first, the one that does what both do.
    products: Vec<Vec<u8>>,
    /// For each symmetry, the one that undoes it.
    inverses: Vec<u8>,
}

/// The canonical form of a pair of sets: the least of its images under the symmetries of the board,
/// by the first set, then the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Canonical {
    /// The first set, for a position the mover's stones.
    pub own: PointSet,
    /// The second set, for a position the opponent's stones.
    pub opponent: PointSet,
    /// The symmetries that map the pair to this form: bit `g` is the symmetry with index `g`.
    /// More than one if the pair is symmetric itself.
    pub by: u8,
}

impl SymmetryGroup {
    /// The symmetries of a board.
    pub fn new(board: Board) -> Self {
        let symmetries = board.symmetries();
        let images = symmetries.iter().map(|symmetry| {
            std::array::from_fn(|byte| {
                std::array::from_fn(|bits| {
                    let set = PointSet::from_bits((bits as u64) << (8 * byte)) & board.all_points();
                    symmetry.map_set(board, set).bits()
                })
            })
        });
        // Two points that no symmetry but the identity keeps tell symmetries apart.
        let marks = [Point(0), Point(1)];
        let seen_as = |symmetry: &Symmetry| marks.map(|p| symmetry.map(board, p));
        let number = |seen: [Point; 2]| {
            let found = symmetries.iter().position(|symmetry| seen_as(symmetry) == seen);
            found.expect("a group is closed") as u8
        };
        let product = |then: &Symmetry, first| number(seen_as(first).map(|p| then.map(board, p)));
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
        PointSet::from_bits(image(&self.images[symmetry], set.bits()))
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

    /// The canonical form of two sets, such as the stones of a position: equal for two pairs if
    /// and only if a symmetry maps one to the other.
    #[inline]
    pub fn canonical(&self, own: PointSet, opponent: PointSet) -> Canonical {
        let (own, opponent) = (own.bits(), opponent.bits());
        let (mut least, mut by) = ((own, opponent), 1);
        for (images, bit) in self.images[1..].iter().zip(1..) {
            let own = image(images, own);
            if own > least.0 {
                continue;
            }
            let opponent = image(images, opponent);
            let order = (own, opponent).cmp(&least);
            if order.is_lt() {
                (least, by) = ((own, opponent), 1 << bit);
            } else if order.is_eq() {
                by |= 1 << bit;
            }
        }
        let [own, opponent] = [least.0, least.1].map(PointSet::from_bits);
        Canonical { own, opponent, by }
    }
}

#[inline]
fn image(images: &[[u64; 256]; 8], set: u64) -> u64 {
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
                let [own, opponent] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f]
                    .map(|factor| PointSet::from_bits(i.wrapping_mul(factor)) & all);
                let opponent = opponent - own;
                let image = |s: &Symmetry| (s.map_set(board, own), s.map_set(board, opponent));
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
                    for p in board.all_points() {
                        assert_eq!(both.map(board, p), then.map(board, first.map(board, p)));
                    }
                }
            }
        }
    }
}
