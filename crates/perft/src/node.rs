//! The nodes of the tree that perft counts.

use fanorona_core::{Board, MovingStone, Position, RuleSet, Stones};

use crate::after::after;
use crate::counting::Counting;
use crate::perft;
use crate::steps::{self, AfterStep};
use crate::stop::{NEVER, Stop};

/// A node of the tree that [`perft`](crate::perft()) counts: a position or, for
/// [`Counting::Steps`], the middle of a relay.
///
/// The count of a node is the sum of its children's, one ply less deep, so a caller can spread the
/// work. (`Unique` has no such sum: see [`Levels`](crate::Levels).)
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::{Counting, PerftNode};
/// let root = PerftNode::new(&Board::tsivy().start());
/// let children = root.children(&RuleSet::STANDARD, Counting::Turns);
/// let counts = children.iter().map(|node| node.count(&RuleSet::STANDARD, 2, Counting::Turns));
/// assert_eq!(counts.sum::<u128>(), 724);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PerftNode {
    /// Where the turn begins.
    position: Position,
    /// The moving stone, in the middle of a relay.
    relay: Option<MovingStone>,
}

impl PerftNode {
    /// The node of a position.
    pub fn new(position: &Position) -> Self {
        Self { position: *position, relay: None }
    }

    /// The node that a step leads to, in a turn that began at `before`.
    pub(crate) fn after_step(before: &Position, step: AfterStep) -> Self {
        match step {
            AfterStep::TurnOver(stones) => Self::new(&after(before, stones)),
            AfterStep::Relay(stone) => Self { position: *before, relay: Some(stone) },
        }
    }

    /// The board of its position.
    pub fn board(&self) -> Board {
        self.position.board()
    }

    /// The position; `None` in the middle of a relay.
    pub fn position(&self) -> Option<&Position> {
        self.relay.is_none().then_some(&self.position)
    }

    /// The nodes one ply below. For `Unique` they are those of `Positions`.
    pub fn children(&self, rules: &RuleSet, counting: Counting) -> Vec<Self> {
        let Self { position, relay } = self;
        let board = position.board();
        match counting {
            Counting::Turns => {
                let mut children = Vec::new();
                rules.for_each_turn(position, |turn| {
                    children.push(Self::new(&position.play_unchecked(turn)));
                });
                children
            }
            Counting::Positions | Counting::Unique => {
                rules.successors(position).iter().map(Self::new).collect()
            }
            Counting::Steps => {
                let rule = rules.turn_rule(position);
                let node = |step| Self::after_step(position, step);
                if let Some(stone) = relay {
                    return AfterStep::in_relay(board, &rule, *stone).map(node).collect();
                }
                let stones = Stones::of(position);
                rule.each_first_step(board, stones)
                    .map(|(origin, step)| {
                        let stone = MovingStone::new(stones, origin);
                        node(AfterStep::new(board, &rule, stone, step))
                    })
                    .collect()
            }
        }
    }

    /// Counts the nodes `depth` plies below, as [`perft`](crate::perft()) does.
    pub fn count(&self, rules: &RuleSet, depth: u8, counting: Counting) -> u128 {
        self.count_stoppable(rules, depth, counting, &Stop::new(&NEVER))
    }

    /// Counts. If it is stopped, the result is meaningless.
    pub(crate) fn count_stoppable(
        &self,
        rules: &RuleSet,
        depth: u8,
        counting: Counting,
        stop: &Stop<'_>,
    ) -> u128 {
        match self.relay {
            None => perft::count(rules, &self.position, depth, counting, stop),
            Some(stone) => {
                let rule = rules.turn_rule(&self.position);
                let after = AfterStep::Relay(stone);
                steps::count_after(rules, &self.position, &rule, after, depth, stop)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_counts_what_its_children_do() {
        let start = Board::tsivy().start();
        for rules in RuleSet::PRESETS {
            for counting in [Counting::Turns, Counting::Positions, Counting::Steps] {
                let mut level = vec![PerftNode::new(&start)];
                for depth in (0..4).rev() {
                    let children = level.iter().flat_map(|node| node.children(&rules, counting));
                    level = children.collect();
                    let counts = level.iter().map(|node| node.count(&rules, depth, counting));
                    assert_eq!(counts.sum::<u128>(), perft(&rules, &start, 4, counting));
                }
            }
        }
    }
}
