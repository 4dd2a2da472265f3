//! Counting distinct positions.

use super::{Generate, Pile, generator};
use crate::after;
use std::fmt;

use fanorona_core::{Board, PointSet, Position, RuleSet};

/// Finds the positions that turns lead to, with the generator that perft counts with: for searches
/// that want successors of very many positions, one after the other.
///
/// Each is a pair of stones, those of the side that has moved first. Turns that lead to the same
/// position give it more than once.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::Successors;
/// let start = Board::tsivy().start();
/// let mut found = Vec::new();
/// Successors::new(&RuleSet::STANDARD, start.board()).find(&start, &mut found);
/// assert_eq!(found.len(), 5);
/// assert!(found.iter().all(|(own, opponent)| !own.intersects(*opponent)));
/// ```
pub struct Successors {
    rules: RuleSet,
    board: Board,
    generator: Box<dyn Generate>,
    pile: Pile,
}

impl fmt::Debug for Successors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Successors")
            .field("rules", &self.rules)
            .field("board", &self.board)
            .finish_non_exhaustive()
    }
}

impl Successors {
    /// Finds successors under these rules, on this board first.
    pub fn new(rules: &RuleSet, board: Board) -> Self {
        Self { rules: *rules, board, generator: generator(rules, board), pile: Pile::new() }
    }

    /// Adds the position after each turn to `found`, in no particular order. A position of another
    /// board than the last one costs a new generator, some microseconds.
    pub fn find(&mut self, position: &Position, found: &mut Vec<(PointSet, PointSet)>) {
        if position.board() != self.board {
            *self = Self::new(&self.rules, position.board());
        }
        if self.rules.is_settled(position) {
            let (own, opponent) = (position.own(), position.opponent());
            self.generator.successors(&mut self.pile, own, opponent, found);
        } else {
            self.rules.for_each_turn(position, |turn| {
                let after = position.play_unchecked(turn);
                found.push((after.opponent(), after.own()));
            });
        }
    }

    /// The distinct positions one turn after any of these, which share the side to move; in the
    /// order of the mover's stones, then the opponent's.
    pub(crate) fn next_level(&mut self, level: &[Position]) -> Vec<Position> {
        let Some(one) = level.first() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut compact_at = 1 << 20;
        for position in level {
            self.find(position, &mut found);
            // A level has many duplicates. Dropping them now and then bounds the memory.
            if found.len() >= compact_at {
                found.sort_unstable();
                found.dedup();
                compact_at = compact_at.max(2 * found.len());
            }
        }
        found.sort_unstable_by_key(|&(own, opponent)| (opponent, own));
        found.dedup();
        found.into_iter().map(|(own, opponent)| after(one, own, opponent)).collect()
    }

    /// Counts the sequences of `depth` turns below a position, where the turns of one position that
    /// lead to the same one count once. The lists, one for each ply, are there to be used again.
    pub(crate) fn count(
        &mut self,
        position: &Position,
        lists: &mut [Vec<(PointSet, PointSet)>],
    ) -> u128 {
        let Some((list, lists)) = lists.split_last_mut() else {
            return 1;
        };
        list.clear();
        self.find(position, list);
        list.sort_unstable();
        list.dedup();
        if lists.is_empty() {
            return list.len() as u128;
        }
        list.iter().map(|&(own, opponent)| self.count(&after(position, own, opponent), lists)).sum()
    }
}
