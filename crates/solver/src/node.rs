//! The nodes of the search: positions up to symmetry.

use fanorona_core::Stones;

/// The highest bit of a set of points, which no board uses.
const MARK: u64 = 1 << 63;

/// A position with a question about it. Positions that differ only by a symmetry of the board are one
/// node; so are positions with the colours swapped, if the rules treat both colours alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Node {
    /// The stones of the side to move, with [`MARK`] if that side is the attacker.
    own: u64,
    /// The opponent's stones, with [`MARK`] if Black moves and the colours matter.
    opponent: u64,
}

impl Node {
    /// A node with these stones, which are in canonical form.
    pub(crate) fn new(stones: Stones, attacks: bool, black_moves: bool) -> Self {
        let mark = |marked| if marked { MARK } else { 0 };
        let Stones { own, opponent } = stones;
        Self { own: own.bits() | mark(attacks), opponent: opponent.bits() | mark(black_moves) }
    }

    /// The stones.
    pub(crate) fn stones(self) -> Stones {
        Stones::from_bits(self.own & !MARK, self.opponent & !MARK)
    }

    /// Whether the attacker is to move.
    pub(crate) fn attacks(self) -> bool {
        self.own & MARK != 0
    }

    /// Whether Black is to move. Always false where colours do not matter.
    pub(crate) fn black_moves(self) -> bool {
        self.opponent & MARK != 0
    }

    /// A hash that costs less than the [`key`](Self::key).
    pub(crate) fn short_hash(self) -> u16 {
        let mixed = self.own ^ self.opponent.rotate_left(32);
        (mixed.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 48) as u16
    }

    /// The key of the node in the transposition table.
    pub(crate) fn key(self) -> Key {
        // Three rounds of a Feistel network. It is a bijection, so no two nodes have the same key.
        let (mut left, mut right) = (self.own, self.opponent);
        right ^= mix(left ^ 0x9e37_79b9_7f4a_7c15);
        left ^= mix(right ^ 0xc2b2_ae3d_27d4_eb4f);
        right ^= mix(left ^ 0x1656_67b1_9e37_79f9);
        Key { bucket: left, check: right }
    }
}

/// The hash of a node, without collisions: 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    /// Selects the bucket of the transposition table.
    pub bucket: u64,
    /// Recognizes the node in its bucket.
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
    fn different_nodes_have_different_keys() {
        let mut checks = std::collections::HashSet::new();
        for own in 0..64 {
            for opponent in 0..64 {
                for (attacks, black_moves) in [(false, false), (true, false), (false, true)] {
                    let stones = Stones::from_bits(own, opponent);
                    let node = Node::new(stones, attacks, black_moves);
                    assert_eq!(node.stones(), stones);
                    assert_eq!((node.attacks(), node.black_moves()), (attacks, black_moves));
                    assert!(checks.insert(node.key().check));
                }
            }
        }
    }
}
