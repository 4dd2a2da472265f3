//! The path of the search: the nodes from the root to the current one.

use crate::node::{Key, Node};
use crate::transposition::{MAX_SUFFIX, PathSuffix};

/// The base of the rolling hash: an odd number without a pattern.
const BASE: u64 = 0x5851_f42d_4c95_7f2d;

/// The nodes from the root to the current one.
pub(crate) struct Path {
    steps: Vec<Step>,
    /// The powers of [`BASE`].
    powers: [u64; MAX_SUFFIX as usize + 1],
}

#[derive(Clone, Copy)]
struct Step {
    node: Node,
    key: Key,
    /// The hash of the nodes before this one.
    before: u64,
    /// The ply of the first node with the same number of stones. Stones never come back, so no
    /// node before it can be repeated.
    start: usize,
    stones: u32,
}

impl Path {
    pub(crate) fn new() -> Self {
        let mut powers = [1; MAX_SUFFIX as usize + 1];
        for i in 1..powers.len() {
            powers[i] = BASE.wrapping_mul(powers[i - 1]);
        }
        Self { steps: Vec::new(), powers }
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The key of the node at a ply.
    pub(crate) fn key(&self, ply: usize) -> Key {
        self.steps[ply].key
    }

    pub(crate) fn push(&mut self, node: Node, key: Key) {
        let stones = node.stones().count();
        let same = |last: &&Step| last.stones == stones;
        let start = self.steps.last().filter(same).map_or(self.len(), |last| last.start);
        self.steps.push(Step { node, key, before: self.hash(), start, stones });
    }

    /// The number of stones of the last node.
    #[inline]
    pub(crate) fn last_stones(&self) -> Option<u32> {
        self.steps.last().map(|last| last.stones)
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

    /// The ply of a node, if it is on the path and has as many stones as the last node.
    #[inline]
    pub(crate) fn find(&self, node: Node) -> Option<usize> {
        let start = self.steps.last()?.start;
        let found = self.steps[start..].iter().rposition(|step| step.node == node);
        found.map(|ply| start + ply)
    }

    /// The suffix from this ply on; [`PathSuffix::NONE`] if it is empty, or too long to be stored.
    pub(crate) fn suffix(&self, ply: usize) -> PathSuffix {
        let len = self.len() - ply;
        if len == 0 || len > MAX_SUFFIX as usize {
            return PathSuffix::NONE;
        }
        let older = self.steps[ply].before.wrapping_mul(self.powers[len]);
        let hash = self.hash().wrapping_sub(older);
        // The low bits of a sum of products are the weakest.
        PathSuffix { len: len as u32, hash: hash >> (64 - PathSuffix::HASH_BITS) }
    }

    /// The ply where this suffix begins, if the path ends with it.
    #[inline]
    pub(crate) fn ends_with(&self, suffix: PathSuffix) -> Option<usize> {
        let ply = self.len().checked_sub(suffix.len as usize)?;
        (suffix.len > 0 && self.suffix(ply) == suffix).then_some(ply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona_core::Stones;

    fn node(i: u64) -> Node {
        Node::new(Stones::from_bits(i, 1 << 20), true, false)
    }

    fn path(nodes: &[u64]) -> Path {
        let mut path = Path::new();
        nodes.iter().for_each(|i| path.push(node(*i), node(*i).key()));
        path
    }

    #[test]
    fn a_suffix_matches_whatever_is_before_it() {
        let suffix = path(&[1, 2, 4, 8, 16]).suffix(2);
        assert_eq!(path(&[1, 2, 4, 8, 16]).ends_with(suffix), Some(2));
        assert_eq!(path(&[32, 4, 8, 16]).ends_with(suffix), Some(1));
        assert_eq!(path(&[4, 8, 16]).ends_with(suffix), Some(0));
        for other in [&[8, 16][..], &[4, 8], &[1, 2, 8, 4, 16], &[1, 2, 4, 8, 16, 32], &[]] {
            assert_eq!(path(other).ends_with(suffix), None, "{other:?}");
        }
        // Neither an empty suffix nor one that is too long.
        assert_eq!(path(&[1, 2]).suffix(2), PathSuffix::NONE);
        let long: Vec<u64> = (1..100).collect();
        assert_eq!(path(&long).suffix(0), PathSuffix::NONE);
        assert_eq!(path(&long).ends_with(PathSuffix::NONE), None);
        assert_eq!(path(&long).suffix(40).len, 59);
    }

    #[test]
    fn a_node_is_found_among_those_with_the_same_number_of_stones() {
        let mut path = path(&[3, 5, 1, 2, 4]);
        assert_eq!((path.find(node(4)), path.find(node(1))), (Some(4), Some(2)));
        // It has another number of stones, so it cannot be repeated.
        assert_eq!((path.find(node(5)), path.find(node(8))), (None, None));
        path.pop();
        assert_eq!((path.find(node(4)), path.len()), (None, 4));
    }
}
