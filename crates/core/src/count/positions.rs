//! Counting distinct positions.

use super::{Generate, Pile, generator};
use crate::board::Board;
use crate::point::PointSet;
use crate::position::Position;
use crate::rules::RuleSet;

/// Finds the positions that turns lead to, with the generator that perft counts with: for searches
/// that want successors of very many positions, one after the other.
///
/// Each is a pair of stones, those of the side that has moved first. Turns that lead to the same
/// position give it more than once.
///
/// ```
/// use fanorona_core::{Board, RuleSet, Successors};
/// let start = Board::tsivy().start();
/// let mut found = Vec::new();
/// Successors::new(&RuleSet::STANDARD, start.board()).find(&start, &mut found);
/// assert_eq!(found.len(), 5);
/// assert!(found.iter().all(|(own, opponent)| own & opponent == 0));
/// ```
pub struct Successors {
    rules: RuleSet,
    generator: Box<dyn Generate>,
    pile: Pile,
}

impl Successors {
    /// Finds positions of this board.
    pub fn new(rules: &RuleSet, board: Board) -> Self {
        Self { rules: *rules, generator: generator(rules, board), pile: Pile::new() }
    }

    /// Adds the position after each turn to `found`, in no particular order. The position is on the
    /// board that this was made for.
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
        list.iter().map(|&(own, opponent)| self.count(&position.passed(own, opponent), lists)).sum()
    }
}
