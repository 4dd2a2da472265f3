//! Perft on all threads, with an ear for Ctrl-C.

use fanorona_core::{Board, Counting, PerftCounter, PerftNode, PerftTable, Position, RuleSet, next_level};
use rayon::prelude::*;

use crate::interrupt;

/// Positions whose successors are looked for in one go.
const LEVEL_CHUNK: usize = 1 << 14;

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
    /// Counts what lies `depth` plies below a node; `None` if it was interrupted.
    pub fn below(&self, node: &PerftNode, depth: u32) -> Option<u128> {
        self.count(&mut self.counter(node.board()), node, depth)
    }

    fn count(&self, counter: &mut PerftCounter, node: &PerftNode, depth: u32) -> Option<u128> {
        if interrupt::requested() {
            return None;
        }
        if depth <= self.leaf_depth() {
            return Some(counter.count(node, depth));
        }
        if let Some(count) = self.table.and_then(|table| table.get(node, depth)) {
            return Some(count);
        }
        let children = node.children(self.rules, self.counting);
        let counts = children.par_iter().map_init(
            || self.counter(node.board()),
            |counter, child| self.count(counter, child, depth - 1),
        );
        let count = counts.sum::<Option<u128>>()?;
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

    /// Subtrees of this depth are counted in one go, which takes well under a second.
    fn leaf_depth(&self) -> u32 {
        match self.counting {
            Counting::Steps => 6,
            _ => 3,
        }
    }
}

/// Counts what lies `depth` plies below a position; `None` if it was interrupted.
pub fn below(rules: &RuleSet, position: &Position, depth: u32, counting: Counting) -> Option<u128> {
    if counting == Counting::Unique {
        let mut level = vec![*position];
        for _ in 0..depth {
            level = level_below(rules, &level)?;
        }
        return Some(level.len() as u128);
    }
    Trees { rules, counting, table: None }.below(&PerftNode::new(position), depth)
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
