//! Positions as the search sees them: one node for all that are alike.

use fanorona_core::{Board, PointSet, Symmetry};

/// The topmost bit of a set of points, which no board has a point for.
const MARK: u64 = 1 << 63;

/// A position and a question about it, up to symmetry and, where the rules treat them alike, the
/// names of the colours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Node {
    /// The stones of the side to move; marked if that side attacks.
    own: u64,
    /// The other side's stones; marked if Black moves and that matters.
    opponent: u64,
}

impl Node {
    /// A node of stones as they stand.
    pub(crate) fn new(own: PointSet, opponent: PointSet, attacks: bool, black_moves: bool) -> Self {
        let mark = |marked| if marked { MARK } else { 0 };
        Self { own: own.bits() | mark(attacks), opponent: opponent.bits() | mark(black_moves) }
    }

    /// The stones of the side to move.
    pub(crate) fn own(self) -> PointSet {
        PointSet::from_bits(self.own & !MARK)
    }

    /// The stones of the side that waits.
    pub(crate) fn opponent(self) -> PointSet {
        PointSet::from_bits(self.opponent & !MARK)
    }

    /// Whether the side to move is the one that attacks.
    pub(crate) fn attacks(self) -> bool {
        self.own & MARK != 0
    }

    /// Whether Black moves; never set where colours do not matter.
    pub(crate) fn black_moves(self) -> bool {
        self.opponent & MARK != 0
    }

    /// The stones of both sides.
    pub(crate) fn stones(self) -> u32 {
        (self.own() | self.opponent()).len()
    }

    /// The key under which the node is remembered.
    pub(crate) fn key(self) -> Key {
        // Three rounds of a Feistel network, which is a bijection: no two nodes have the same key.
        let (mut left, mut right) = (self.own, self.opponent);
        right ^= mix(left ^ 0x9e37_79b9_7f4a_7c15);
        left ^= mix(right ^ 0xc2b2_ae3d_27d4_eb4f);
        right ^= mix(left ^ 0x1656_67b1_9e37_79f9);
        Key { place: left, check: right }
    }
}

/// A scrambled node, 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    /// Where the node is remembered.
    pub place: u64,
    /// What it is recognized by there.
    pub check: u64,
}

fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

/// Maps sets of points by the symmetries of a board, and finds the representative among positions
/// that are alike.
pub(crate) struct Symmetries {
    points: u32,
    width: u32,
    height: u32,
    /// On square boards the mirror at the diagonal, by the sets' bytes.
    diagonal: Option<Box<[[u64; 256]; 8]>>,
}

impl Symmetries {
    pub(crate) fn of(board: Board) -> Self {
        let is_square = board.width() == board.height();
        let diagonal = is_square.then(|| {
            let mut mapped = Box::new([[0; 256]; 8]);
            for (byte, sets) in mapped.iter_mut().enumerate() {
                for (low, image) in sets.iter_mut().enumerate() {
                    let set = PointSet::from_bits((low as u64) << (8 * byte));
                    let mirror = Symmetry::MirrorDiagonal;
                    let mapped = mirror.apply_to_set(board, set & board.all_points());
                    *image = mapped.expect("the board is square").bits();
                }
            }
            mapped
        });
        let (width, height) = (board.width().into(), board.height().into());
        Self { points: board.num_points(), width, height, diagonal }
    }

    fn half_turn(&self, set: u64) -> u64 {
        set.reverse_bits() >> (64 - self.points)
    }

    fn mirror_ranks(&self, set: u64) -> u64 {
        let rank = (1 << self.width) - 1;
        (0..self.height).fold(0, |image, i| {
            image | (set >> (i * self.width) & rank) << ((self.height - 1 - i) * self.width)
        })
    }

    /// The images by the four symmetries of every board.
    fn images(&self, set: u64) -> [u64; 4] {
        let mirrored = self.mirror_ranks(set);
        [set, mirrored, self.half_turn(set), self.half_turn(mirrored)]
    }

    /// The smallest image of a pair of sets by those four.
    fn least(&self, own: u64, opponent: u64) -> (u64, u64) {
        let own = self.images(own);
        let least = own.into_iter().min().expect("there are four");
        if own.iter().filter(|image| **image == least).count() == 1 {
            // The usual case: one symmetry does it, and only that is applied to the other set.
            let opponent = match own.iter().position(|image| *image == least) {
                Some(0) => opponent,
                Some(1) => self.mirror_ranks(opponent),
                Some(2) => self.half_turn(opponent),
                _ => self.half_turn(self.mirror_ranks(opponent)),
            };
            return (least, opponent);
        }
        let pairs = own.into_iter().zip(self.images(opponent));
        pairs.min().expect("there are four")
    }

    /// The representative of all pairs of sets that are alike.
    pub(crate) fn canonical(&self, own: PointSet, opponent: PointSet) -> (PointSet, PointSet) {
        let (own, opponent) = self.canonical_bits(own.bits(), opponent.bits());
        (PointSet::from_bits(own), PointSet::from_bits(opponent))
    }

    fn canonical_bits(&self, own: u64, opponent: u64) -> (u64, u64) {
        let least = self.least(own, opponent);
        match &self.diagonal {
            None => least,
            Some(diagonal) => {
                let map = |set: u64| {
                    let bytes = set.to_le_bytes().into_iter().zip(diagonal.iter());
                    bytes.fold(0, |image, (byte, sets)| image | sets[usize::from(byte)])
                };
                least.min(self.least(map(own), map(opponent)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_that_are_alike_have_one_representative() {
        for name in ["3x3", "5x5", "9x5", "5x3", "3x21", "21x3", "7x7"] {
            let board: Board = name.parse().expect("a board");
            let symmetries = Symmetries::of(board);
            let mut seed = 1_u64;
            for _ in 0..200 {
                let mut random = || {
                    seed = mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
                    PointSet::from_bits(seed) & board.all_points()
                };
                // Sets with few points are often symmetric.
                let own = random() & random() & random();
                let opponent = (random() & random()) - own;
                let expected = board
                    .symmetries()
                    .iter()
                    .map(|s| {
                        [own, opponent].map(|set| s.apply_to_set(board, set).expect("it has it"))
                    })
                    .map(|[own, opponent]| (own, opponent))
                    .min();
                assert_eq!(Some(symmetries.canonical(own, opponent)), expected, "{name}");
            }
        }
    }

    #[test]
    fn keys_tell_nodes_apart() {
        let mut checks = std::collections::HashSet::new();
        for own in 0..64 {
            for opponent in 0..64 {
                for (attacks, black_moves) in [(false, false), (true, false), (false, true)] {
                    let [own, opponent] = [own, opponent].map(PointSet::from_bits);
                    let node = Node::new(own, opponent, attacks, black_moves);
                    assert_eq!((node.own(), node.opponent()), (own, opponent));
                    assert_eq!((node.attacks(), node.black_moves()), (attacks, black_moves));
                    assert!(checks.insert(node.key().check));
                }
            }
        }
    }
}
