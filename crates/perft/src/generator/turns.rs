//! Counting sequences of turns.

use super::{Generate, Pile, generator};
use fanorona_core::{Board, Chain, Position, RuleSet};

/// Counts sequences of turns, over as many positions as are added.
pub(crate) struct TurnCounter {
    rules: RuleSet,
    generator: Box<dyn Generate>,
    /// By the number of plies that follow the turns of the pile's relays.
    piles: Vec<Pile>,
    count: u128,
}

impl TurnCounter {
    /// A counter for positions of this board.
    pub(crate) fn new(rules: &RuleSet, board: Board) -> Self {
        let generator = generator(rules, board);
        Self { rules: *rules, generator, piles: Vec::new(), count: 0 }
    }

    /// Adds the sequences of `depth` turns that begin at this position.
    pub(crate) fn add(&mut self, position: &Position, depth: u32) {
        if depth == 0 {
            self.count += 1;
        } else if self.rules.is_settled(position) {
            let plies = depth as usize;
            while self.piles.len() < plies {
                self.piles.push(Pile::new());
            }
            let piles = &mut self.piles[..plies];
            self.count += self.generator.add(piles, position.own(), position.opponent());
        } else if depth == 1 {
            self.count += u128::from(turns(&self.rules, position));
        } else {
            let rules = self.rules;
            rules.for_each_turn(position, |turn| {
                self.add(&position.play_unchecked(turn), depth - 1);
            });
        }
    }

    /// The count of all that was added, after which it begins anew.
    pub(crate) fn finish(&mut self) -> u128 {
        for last in (0..self.piles.len()).rev() {
            self.count += self.generator.drain(&mut self.piles[..=last]);
        }
        std::mem::take(&mut self.count)
    }
}

/// The number of turns of a position, whatever its rule.
pub(crate) fn turns(rules: &RuleSet, position: &Position) -> u64 {
    let mut count = 0;
    let rule = rules.turn_rule(position);
    if rule.chain == Chain::Single {
        let (own, opponent) = (position.own(), position.opponent());
        for steps in rule.first_steps(position.board(), own, opponent) {
            for stones in [steps.approach, steps.withdrawal, steps.quiet] {
                count += u64::from(stones.len());
            }
        }
    } else {
        rules.for_each_turn(position, |_| count += 1);
    }
    count
}
