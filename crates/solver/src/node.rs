//! Positions as the search sees them: one node for all that are alike.

use fanorona_core::PointSet;

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

#[cfg(test)]
mod tests {
    use super::*;

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
