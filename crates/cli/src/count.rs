//! Perft on all threads, with an ear for Ctrl-C.

use fanorona_core::{Board, Counting, PerftCounter, PerftNode, PerftTable, Position, RuleSet};
use rayon::prelude::*;

use crate::interrupt;
use crate::unique::{Levels, Room};

/// Subtrees of this depth at least are counted in one go, which takes well under a second.
const LEAF_DEPTH: u32 = 3;

/// Deeper ones are too, if the root's tree of that depth counts no more than this: small trees are
/// counted faster than they are handed to another thread.
const LEAF_NODES: u128 = 50_000;

/// Trees below nodes, and what is counted in them.
#[derive(Clone, Copy)]
pub struct Trees<'t> {
    pub rules: &'t RuleSet,
    /// Not `Unique`, which has no sum over the children of a node.
    pub counting: Counting,
    /// Where counts are kept, for the same rules and counting.
    pub table: Option<&'t PerftTable>,
}

impl Trees<'_> {
    /// Counts what lies `depth` plies below a node; `None` if it was interrupted. A count that passes
    /// 128 bits is `u128::MAX`.
    pub fn below(&self, node: &PerftNode, depth: u32) -> Option<u128> {
        let mut counter = self.counter(node.board());
        let small = |leaf: &u32| counter.count(node, *leaf) <= LEAF_NODES;
        let leaf = (LEAF_DEPTH + 1..=depth).take_while(small).last().unwrap_or(LEAF_DEPTH);
        self.sum_of_leaves(&mut counter, node, depth, leaf)
    }

    /// The count below a node as the sum of the counts of subtrees of depth `leaf`.
    fn sum_of_leaves(
        &self,
        counter: &mut PerftCounter,
        node: &PerftNode,
        depth: u32,
        leaf: u32,
    ) -> Option<u128> {
        if interrupt::requested() {
            return None;
        }
        if depth <= leaf {
            return Some(counter.count(node, depth));
        }
        if let Some(count) = self.table.and_then(|table| table.get(node, depth)) {
            return Some(count);
        }
        let children = node.children(self.rules, self.counting);
        let counts = children.par_iter().map_init(
            || self.counter(node.board()),
            |counter, child| self.sum_of_leaves(counter, child, depth - 1, leaf),
        );
        // With a table, depths can be so great that 128 bits are too few.
        let count = counts.try_reduce(|| 0, |sum, count| Some(u128::saturating_add(sum, count)))?;
        if let Some(table) = self.table {
            table.insert(node, depth, count);
        }
        Some(count)
    }

    fn counter(&self, board: Board) -> PerftCounter<'_> {
        match self.table {
            Some(table) => PerftCounter::with_table(table),
            None => PerftCounter::new(self.rules, board, self.counting),
        }
    }
}

/// Counts what lies `depth` plies below a position; `None` if it was interrupted.
///
/// # Errors
/// If unique positions cannot be sorted on disk.
pub fn below(
    rules: &RuleSet,
    position: &Position,
    depth: u32,
    counting: Counting,
) -> anyhow::Result<Option<u128>> {
    if counting == Counting::Unique {
        return unique(rules, position, depth, &Room::default());
    }
    Ok(Trees { rules, counting, table: None }.below(&PerftNode::new(position), depth))
}

/// The same for unique positions.
///
/// # Errors
/// If they cannot be sorted on disk.
pub fn unique(
    rules: &RuleSet,
    position: &Position,
    depth: u32,
    room: &Room,
) -> anyhow::Result<Option<u128>> {
    let mut levels = Levels::new(rules, position, room);
    let mut count = Some(1);
    for level in 1..=depth {
        count = levels.next(level == depth)?.map(|size| size.positions);
        if count.is_none() {
            break;
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona_core::perft;

    #[test]
    fn parts_add_up() {
        let (rules, start) = (RuleSet::STANDARD, Board::telo().start());
        for (_, counting) in Counting::ALL {
            let expected = perft(&rules, &start, 8, counting);
            assert_eq!(below(&rules, &start, 8, counting).unwrap(), Some(expected));
        }
    }

    #[test]
    fn a_table_changes_nothing() {
        let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
        for (counting, depth) in
            [(Counting::Turns, 6), (Counting::Positions, 5), (Counting::Steps, 8)]
        {
            let table = PerftTable::new(rules, start.board(), counting, depth, 1 << 20, 0).unwrap();
            let trees = Trees { rules: &rules, counting, table: Some(&table) };
            let expected = perft(&rules, &start, depth, counting);
            for _ in 0..2 {
                assert_eq!(trees.below(&PerftNode::new(&start), depth), Some(expected));
            }
            assert!(table.hits() > 0);
        }
    }
}
