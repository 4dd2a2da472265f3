//! Perft on all threads, with an ear for Ctrl-C.

use fanorona_core::{Counting, PerftNode, Position, RuleSet, next_level};
use rayon::prelude::*;

use crate::interrupt;

/// Subtrees of this depth at least are counted in one go, which takes well under a second.
const LEAF_DEPTH: u32 = 3;

/// Deeper ones are too, if the root's tree of that depth counts no more than this: to begin a count
/// costs as much as thousands of nodes.
const LEAF_NODES: u128 = 50_000;

/// Positions whose successors are looked for in one go.
const LEVEL_CHUNK: usize = 1 << 14;

/// Counts what lies `depth` plies below a position; `None` if it was interrupted.
pub fn below(rules: &RuleSet, position: &Position, depth: u32, counting: Counting) -> Option<u128> {
    if counting == Counting::Unique {
        let mut level = vec![*position];
        for _ in 0..depth {
            level = level_below(rules, &level)?;
        }
        return Some(level.len() as u128);
    }
    below_node(rules, &PerftNode::new(position), depth, counting)
}

/// The depth of the subtrees of a node's tree that are counted in one go.
fn leaf_depth(rules: &RuleSet, node: &PerftNode, depth: u32, counting: Counting) -> u32 {
    let small = |&leaf: &u32| node.count(rules, leaf, counting) <= LEAF_NODES;
    (LEAF_DEPTH + 1..=depth).take_while(small).last().unwrap_or(LEAF_DEPTH)
}

/// The same below a node, for all countings but `Unique`, which has no sum over the children.
pub fn below_node(
    rules: &RuleSet,
    node: &PerftNode,
    depth: u32,
    counting: Counting,
) -> Option<u128> {
    debug_assert_ne!(counting, Counting::Unique);
    let leaf = leaf_depth(rules, node, depth, counting);
    sum_of_leaves(rules, node, depth, counting, leaf)
}

/// The count below a node as the sum of the counts of subtrees of depth `leaf`.
fn sum_of_leaves(
    rules: &RuleSet,
    node: &PerftNode,
    depth: u32,
    counting: Counting,
    leaf: u32,
) -> Option<u128> {
    if interrupt::requested() {
        None
    } else if depth <= leaf {
        Some(node.count(rules, depth, counting))
    } else {
        let children = node.children(rules, counting).into_par_iter();
        children.map(|child| sum_of_leaves(rules, &child, depth - 1, counting, leaf)).sum()
    }
}

/// The level below a level of distinct positions; `None` if it was interrupted.
pub fn level_below(rules: &RuleSet, level: &[Position]) -> Option<Vec<Position>> {
    if interrupt::requested() {
        return None;
    }
    if level.len() <= LEVEL_CHUNK {
        return Some(next_level(rules, level));
    }
    let (left, right) = level.split_at(level.len() / 2);
    let (left, right) = rayon::join(|| level_below(rules, left), || level_below(rules, right));
    Some(union(left?, right?))
}

/// The union of two sorted lists of distinct positions.
fn union(left: Vec<Position>, right: Vec<Position>) -> Vec<Position> {
    let key = |p: &Position| (p.own(), p.opponent());
    let mut all = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(l), Some(r)) = (left.peek(), right.peek()) {
        let order = key(l).cmp(&key(r));
        if order.is_eq() {
            right.next();
        }
        all.extend(if order.is_gt() { right.next() } else { left.next() });
    }
    all.extend(left);
    all.extend(right);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona_core::{Board, perft};

    #[test]
    fn parts_add_up() {
        let (rules, start) = (RuleSet::STANDARD, Board::telo().start());
        for (_, counting) in Counting::ALL {
            let expected = perft(&rules, &start, 8, counting);
            assert_eq!(below(&rules, &start, 8, counting), Some(expected));
        }
    }

    #[test]
    fn halves_of_a_level_join() {
        let rules = RuleSet::STANDARD;
        let mut level = vec![Board::dimy().start()];
        while level.len() <= 2 * LEVEL_CHUNK {
            level = level_below(&rules, &level).expect("nobody interrupts");
        }
        assert_eq!(level_below(&rules, &level), Some(next_level(&rules, &level)));
    }
}
