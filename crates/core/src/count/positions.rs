//! Counting distinct positions.

use super::{Generate, Pile, generator};
use crate::board::Board;
use crate::point::PointSet;
use crate::position::Position;
use crate::rules::RuleSet;

/// Finds the positions that turns lead to.
///
/// They are pairs of stones, those of the side that has moved first: see `Position::passed`.
pub(crate) struct Successors {
    rules: RuleSet,
    generator: Box<dyn Generate>,
    pile: Pile,
}

impl Successors {
    /// Finds positions of this board.
    pub fn new(rules: &RuleSet, board: Board) -> Self {
        Self { rules: *rules, generator: generator(rules, board), pile: Pile::new() }
    }

    /// Adds the position after each turn to `found`.
    pub fn find(&mut self, position: &Position, found: &mut Vec<(PointSet, PointSet)>) {
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

    /// Counts the sequences of `depth` turns below a position, where the turns of one position that
    /// lead to the same one count once. The lists, one for each ply, are there to be used again.
    pub fn count(&mut self, position: &Position, lists: &mut [Vec<(PointSet, PointSet)>]) -> u128 {
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
        list.iter().map(|&(own, opponent)| self.count(&position.passed(own, opponent), lists)).sum()
    }
}
