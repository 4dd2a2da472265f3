//! The symmetries of a board that keep its links.

use std::cmp::Ordering;

use arrayvec::ArrayVec;

use crate::board::Board;
use crate::named;
use crate::point::Point;
use crate::point_set::PointSet;
use crate::position::{Position, Stones};

/// A symmetry of a board: a mapping of its points that keeps every link.
///
/// Each has a number, `symmetry as usize`, which is its index in [`Symmetry::ALL`] and in
/// [`Board::symmetries`]. A set of symmetries is a `u8` with one bit for each number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Symmetry {
    /// The identity.
    Identity,
    /// Mirrors the files.
    MirrorFiles,
    /// Mirrors the ranks.
    MirrorRanks,
    /// Rotates by 180°.
    HalfTurn,
    /// Mirrors along the diagonal through a1: exchanges files and ranks.
    MirrorDiagonal,
    /// Rotates by 90° clockwise.
    TurnRight,
    /// Rotates by 90° counter-clockwise.
    TurnLeft,
    /// Files and ranks exchanged and both reversed: the two corners that share an edge with a1
    /// stay.
    MirrorAntidiagonal,
}

named!(
    Symmetry, "symmetry",
    Identity "identity", MirrorFiles "mirror-files", MirrorRanks "mirror-ranks",
    HalfTurn "half-turn", MirrorDiagonal "mirror-diagonal", TurnRight "turn-right",
    TurnLeft "turn-left", MirrorAntidiagonal "mirror-antidiagonal"
);

impl Symmetry {
    /// The symmetry with this number, of which only the lowest three bits count.
    #[inline]
    pub const fn numbered(number: usize) -> Self {
        match number % 8 {
            0 => Self::Identity,
            1 => Self::MirrorFiles,
            2 => Self::MirrorRanks,
            3 => Self::HalfTurn,
            4 => Self::MirrorDiagonal,
            5 => Self::TurnRight,
            6 => Self::TurnLeft,
            _ => Self::MirrorAntidiagonal,
        }
    }

    /// The symmetries of a set, in the order of their numbers.
    #[inline]
    pub fn in_set(set: u8) -> impl Iterator<Item = Self> + Clone {
        PointSet::from_bits(set.into()).iter().map(|number| Self::numbered(number.index()))
    }

    /// The set with this symmetry alone.
    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The symmetry that does what `first` does and after it what this one does.
    #[inline]
    #[must_use]
    pub const fn after(self, first: Self) -> Self {
        // The lowest two bits of a number are mirrors of files and ranks. The third is the diagonal
        // mirror, which comes after them: to bring it there, files and ranks are exchanged.
        let (then, first) = (self as usize, first as usize);
        let mirrors = if first & 4 == 0 { then } else { then >> 1 & 1 | then << 1 };
        Self::numbered(then & 4 ^ first ^ mirrors & 3)
    }

    /// The inverse symmetry.
    #[inline]
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

    /// The image of a set of points of the board under a symmetry of the board.
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
    /// The image of the position under a symmetry; `None` if it is not a symmetry of the board.
    #[must_use]
    pub fn transformed(&self, symmetry: Symmetry) -> Option<Self> {
        let board = self.board();
        symmetry.is_of(board).then(|| self.mapped(|set| symmetry.map_set(board, set)))
    }
}

/// The symmetries of a board as tables, for callers that map many sets: an image takes eight reads
/// of memory. The tables have 64 or 128 KiB.
#[derive(Clone, Debug)]
pub struct SymmetryGroup {
    num_points: u32,
    /// Pairs of ranks that a mirror exchanges: the points of the lower one, and the distance from them
    /// to those of the other.
    rank_swaps: ArrayVec<(u64, u32), 10>,
    /// For each symmetry, the images of the points in each byte of a set.
    images: Vec<[[u64; 256]; 8]>,
}

/// The canonical form of stones: the least of their images under the symmetries of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Canonical {
    /// The least image.
    pub stones: Stones,
    /// The [set of symmetries](Symmetry) that map the stones to it: more than one if the stones are
    /// symmetric themselves.
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
        let (width, height) = (u32::from(board.width()), u32::from(board.height()));
        let lowest = (1_u64 << width) - 1;
        let swap = |rank| (lowest << (rank * width), (height - 1 - 2 * rank) * width);
        Self {
            num_points: board.num_points(),
            rank_swaps: (0..height / 2).map(swap).collect(),
            images: images.collect(),
        }
    }

    /// The number of symmetries: 4, or 8 on a square board.
    pub fn order(&self) -> usize {
        self.images.len()
    }

    /// The symmetries, as [`Board::symmetries`] has them.
    #[inline]
    pub fn symmetries(&self) -> &'static [Symmetry] {
        &Symmetry::ALL[..self.order()]
    }

    /// The image of a set. Points that the board does not have are dropped.
    ///
    /// # Panics
    /// If it is not a symmetry of the board.
    #[inline]
    pub fn apply(&self, symmetry: Symmetry, set: PointSet) -> PointSet {
        PointSet::from_bits(image(&self.images[symmetry as usize], set.bits()))
    }

    /// The canonical form of stones: equal for two positions if and only if a symmetry maps one to
    /// the other. Costs 10 to 20 nanoseconds, somewhat less if the symmetries are not used.
    #[inline(always)]
    pub fn canonical(&self, stones: Stones) -> Canonical {
        let (own, opponent) = (stones.own.bits(), stones.opponent.bits());
        let mut least = self.least_by_mirrors(own, opponent);
        if let Some(diagonal) = self.images.get(Symmetry::MirrorDiagonal as usize) {
            let (own, opponent) = (image(diagonal, own), image(diagonal, opponent));
            least = or_after_diagonal(least, self.least_by_mirrors(own, opponent));
        }
        let ((own, opponent), by) = least;
        Canonical { stones: Stones::from_bits(own, opponent), by }
    }

    /// The least image of a set, and the [set of symmetries](Symmetry) that map to it. Costs some
    /// nanoseconds.
    #[inline(always)]
    pub fn least(&self, set: PointSet) -> (PointSet, u8) {
        let mut least = least_of(self.images_by_mirrors(set.bits()));
        if let Some(diagonal) = self.images.get(Symmetry::MirrorDiagonal as usize) {
            let mirrored = self.images_by_mirrors(image(diagonal, set.bits()));
            least = or_after_diagonal(least, least_of(mirrored));
        }
        (PointSet::from_bits(least.0), least.1)
    }

    /// The least image of two sets by the first four symmetries, and those that map to it.
    #[inline(always)]
    fn least_by_mirrors(&self, own: u64, opponent: u64) -> ((u64, u64), u8) {
        // All four images of both sets cost less than a branch that is often mispredicted.
        let (own, opponent) = (self.images_by_mirrors(own), self.images_by_mirrors(opponent));
        let pairs: [_; 4] =
            std::array::from_fn(|i| u128::from(own[i]) << 64 | u128::from(opponent[i]));
        let (least, by) = least_of(pairs);
        (((least >> 64) as u64, least as u64), by)
    }

    /// The images of a set by the first four symmetries, in their order.
    #[inline]
    fn images_by_mirrors(&self, set: u64) -> [u64; 4] {
        let mirrored = self.mirror_ranks(set);
        [set, self.half_turn(mirrored), mirrored, self.half_turn(set)]
    }

    #[inline]
    fn half_turn(&self, set: u64) -> u64 {
        set.reverse_bits() >> (64 - self.num_points)
    }

    #[inline]
    fn mirror_ranks(&self, set: u64) -> u64 {
        self.rank_swaps.iter().fold(set, |set, (lower, distance)| {
            let differ = (set ^ set >> distance) & lower;
            set ^ differ ^ differ << distance
        })
    }
}

/// For each set of the first four symmetries, the set of those that do the same after the diagonal
/// mirror: `MirrorDiagonal`, `TurnLeft`, `TurnRight` and `MirrorAntidiagonal`.
const AFTER_DIAGONAL: [u8; 16] = {
    let mut sets = [0; 16];
    let mut set = 0;
    while set < sets.len() {
        let by = set as u8;
        sets[set] = (by & 0b1001) << 4 | (by & 0b0010) << 5 | (by & 0b0100) << 3;
        set += 1;
    }
    sets
};

/// The least of two images, and the symmetries that map to it. Those of `mirrored` come after the
/// diagonal mirror: on a square board that makes the other half, in the same order.
#[inline(always)]
fn or_after_diagonal<T: Ord>((least, by): (T, u8), mirrored: (T, u8)) -> (T, u8) {
    let by_turns = AFTER_DIAGONAL[usize::from(mirrored.1)];
    match mirrored.0.cmp(&least) {
        Ordering::Less => (mirrored.0, by_turns),
        Ordering::Equal => (least, by | by_turns),
        Ordering::Greater => (least, by),
    }
}

/// The least of four images, and the set of the numbers of those that are equal to it.
#[inline(always)]
fn least_of<T: Copy + Ord>(images: [T; 4]) -> (T, u8) {
    let least = images[0].min(images[1]).min(images[2].min(images[3]));
    (least, (0..4).fold(0, |by, i| by | u8::from(images[i] == least) << i))
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
            for i in 0..400_u64 {
                let [mut own, opponent] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f]
                    .map(|factor| PointSet::from_bits(i.wrapping_mul(factor)) & all);
                if i % 2 == 1 {
                    // Sets with few points, and unions of images, are often symmetric.
                    let few = i.wrapping_mul(0x1656_67b1_9e37_79f9).rotate_left(i as u32);
                    own = own & opponent & PointSet::from_bits(few);
                    if i % 4 == 1 {
                        let symmetry = symmetries[i as usize % symmetries.len()];
                        own = own | symmetry.map_set(board, own);
                    }
                }
                let opponent = opponent - own;
                let opponent = if i % 3 == 0 { PointSet::EMPTY } else { opponent };
                let given = Stones { own, opponent };
                let image = |s: &Symmetry| given.map(|set| s.map_set(board, set));
                let stones = symmetries.iter().map(image).min().expect("there are symmetries");
                let by = symmetries.iter().filter(|s| image(s) == stones);
                let by = by.fold(0, |by, symmetry| by | symmetry.bit());
                assert_eq!(group.canonical(given), Canonical { stones, by }, "{board}");
                let Canonical { stones: least, by } =
                    group.canonical(Stones { opponent: PointSet::EMPTY, ..given });
                assert_eq!(group.least(own), (least.own, by), "{board}");
            }
        }
    }

    #[test]
    fn products_and_inverses_do_what_they_should() {
        for (number, symmetry) in Symmetry::ALL.into_iter().enumerate() {
            assert_eq!(Symmetry::numbered(number), symmetry);
            assert_eq!(symmetry.after(symmetry.inverse()), Symmetry::Identity);
        }
        for board in Board::all() {
            for then in board.symmetries() {
                for first in board.symmetries() {
                    let both = then.after(*first);
                    for p in board.all_points() {
                        assert_eq!(both.map(board, p), then.map(board, first.map(board, p)));
                    }
                }
            }
        }
    }
}
