//! The nodes of the tree that perft counts.

use fanorona_core::{Board, MovingStone, Position, RuleSet};

use crate::after;
use crate::counting::Counting;
use crate::perft::perft;
use crate::steps::{self, AfterStep};

/// A node of the tree that [`perft`] counts: a position or, for [`Counting::Steps`], the middle of a
/// relay. The count of a node is the sum of its children's, one ply less deep, so a caller can
/// spread the work over threads, or stop it. (`Unique` has no such sum: see [`next_level`].)
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

    /// The board.
    pub fn board(&self) -> Board {
        self.position.board()
    }

    /// The position, if the node is one.
    pub fn position(&self) -> Option<&Position> {
        self.relay.is_none().then_some(&self.position)
    }

    /// The nodes one ply below. For `Unique` they are those of `Positions`.
    pub fn children(&self, rules: &RuleSet, counting: Counting) -> Vec<Self> {
        let Self { position, relay } = self;
        let board = position.board();
        if counting != Counting::Steps {
            return match counting {
                Counting::Turns => {
                    let mut children = Vec::new();
                    rules.for_each_turn(position, |turn| {
                        children.push(Self::new(&position.play_unchecked(turn)));
                    });
                    children
                }
                _ => rules.successors(position).iter().map(Self::new).collect(),
            };
        }
        let rule = rules.turn_rule(position);
        let node = |after_step| match after_step {
            AfterStep::TurnOver(own, opponent) => Self::new(&after(position, own, opponent)),
            AfterStep::Relay(stone) => Self { position: *position, relay: Some(stone) },
        };
        if let Some(stone) = relay {
            return AfterStep::in_relay(board, &rule, *stone).map(node).collect();
        }
        let (own, opponent) = (position.own(), position.opponent());
        rule.each_first_step(board, own, opponent)
            .map(|(origin, step)| {
                let stone = MovingStone::new(own, opponent, origin);
                node(AfterStep::new(board, &rule, stone, step))
            })
            .collect()
    }

    /// Counts what lies `depth` plies below.
    pub fn count(&self, rules: &RuleSet, depth: u32, counting: Counting) -> u128 {
        match self.relay {
            None => perft(rules, &self.position, depth, counting),
            Some(stone) => {
                let rule = rules.turn_rule(&self.position);
                steps::count_after(rules, &self.position, &rule, AfterStep::Relay(stone), depth)
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
        for (_, rules) in RuleSet::PRESETS {
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
