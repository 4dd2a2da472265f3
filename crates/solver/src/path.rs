//! The nodes from the first one of a search to the one that it is at.

use crate::memory::{LONGEST_TAIL, Tail};
use crate::node::{Key, Node};

/// The multiplier of the hash of a tail: any odd number that looks random.
const BASE: u64 = 0x5851_f42d_4c95_7f2d;

/// Nodes in the order in which they were reached.
pub(crate) struct Path {
    steps: Vec<Step>,
    /// The powers of the base.
    powers: [u64; LONGEST_TAIL as usize + 1],
}

#[derive(Clone, Copy)]
struct Step {
    node: Node,
    key: Key,
    /// The hash of all nodes before this one.
    before: u64,
    /// How many nodes are before the first one with as many stones as this.
    start: usize,
}

impl Path {
    pub(crate) fn new() -> Self {
        let mut powers = [1; LONGEST_TAIL as usize + 1];
        for i in 1..powers.len() {
            powers[i] = BASE.wrapping_mul(powers[i - 1]);
        }
        Self { steps: Vec::new(), powers }
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The key of the node at this ply.
    pub(crate) fn key(&self, ply: usize) -> Key {
        self.steps[ply].key
    }

    pub(crate) fn push(&mut self, node: Node, key: Key) {
        let same = |last: &&Step| last.node.stones() == node.stones();
        let start = self.steps.last().filter(same).map_or(self.len(), |last| last.start);
        self.steps.push(Step { node, key, before: self.hash(), start });
    }

    pub(crate) fn pop(&mut self) {
        self.steps.pop();
    }

    /// The hash of all nodes.
    fn hash(&self) -> u64 {
        self.steps
            .last()
            .map_or(0, |last| last.before.wrapping_mul(BASE).wrapping_add(last.key.check))
    }

    /// The ply of a node that has as many stones as the last one.
    #[inline]
    pub(crate) fn find(&self, node: Node) -> Option<usize> {
        let start = self.steps.last()?.start;
        let found = self.steps[start..].iter().rposition(|step| step.node == node);
        found.map(|ply| start + ply)
    }

    /// The tail from this ply on; [`Tail::NONE`] if it is too long, or empty.
    pub(crate) fn tail(&self, ply: usize) -> Tail {
        let len = self.len() - ply;
        if len == 0 || len > LONGEST_TAIL as usize {
            return Tail::NONE;
        }
        let older = self.steps[ply].before.wrapping_mul(self.powers[len]);
        let hash = self.hash().wrapping_sub(older);
        // The low bits of a sum of products are the weakest.
        Tail { len: len as u32, hash: hash >> (64 - Tail::HASH_BITS) }
    }

    /// The ply where this tail begins, if the path ends with it.
    #[inline]
    pub(crate) fn ends_with(&self, tail: Tail) -> Option<usize> {
        let ply = self.len().checked_sub(tail.len as usize)?;
        (tail.len > 0 && self.tail(ply) == tail).then_some(ply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona_core::PointSet;

    fn node(i: u64) -> Node {
        let [own, opponent] = [i, 1 << 20].map(PointSet::from_bits);
        Node::new(own, opponent, true, false)
    }

    fn path(nodes: &[u64]) -> Path {
        let mut path = Path::new();
        nodes.iter().for_each(|i| path.push(node(*i), node(*i).key()));
        path
    }

    #[test]
    fn a_tail_is_known_whatever_is_before_it() {
        let tail = path(&[1, 2, 4, 8, 16]).tail(2);
        assert_eq!(path(&[1, 2, 4, 8, 16]).ends_with(tail), Some(2));
        assert_eq!(path(&[32, 4, 8, 16]).ends_with(tail), Some(1));
        assert_eq!(path(&[4, 8, 16]).ends_with(tail), Some(0));
        for other in [&[8, 16][..], &[4, 8], &[1, 2, 8, 4, 16], &[1, 2, 4, 8, 16, 32], &[]] {
            assert_eq!(path(other).ends_with(tail), None, "{other:?}");
        }
        // A tail of nothing, and one that is too long, are none.
        assert_eq!(path(&[1, 2]).tail(2), Tail::NONE);
        let long: Vec<u64> = (1..100).collect();
        assert_eq!(path(&long).tail(0), Tail::NONE);
        assert_eq!(path(&long).ends_with(Tail::NONE), None);
        assert_eq!(path(&long).tail(40).len, 59);
    }

    #[test]
    fn a_node_is_found_among_those_with_as_many_stones() {
        let mut path = path(&[3, 5, 1, 2, 4]);
        assert_eq!((path.find(node(4)), path.find(node(1))), (Some(4), Some(2)));
        // It has another number of stones, and so can never come again.
        assert_eq!((path.find(node(5)), path.find(node(8))), (None, None));
        path.pop();
        assert_eq!((path.find(node(4)), path.len()), (None, 4));
    }
}
