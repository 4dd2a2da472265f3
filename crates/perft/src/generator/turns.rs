//! Counting sequences of turns.

use fanorona_core::{Board, Chain, Position, RuleSet, Stones};

use super::queue::CaptureQueue;
use super::select::{Generate, generator};
use crate::stop::Stop;

/// Counts sequences of turns below one position after the other.
pub(crate) struct TurnCounter {
    rules: RuleSet,
    generator: Box<dyn Generate>,
    /// By the number of plies that follow the turns of the queue's stones.
    queues: Vec<CaptureQueue>,
}

impl TurnCounter {
    /// A counter for positions of this board.
    pub(crate) fn new(rules: &RuleSet, board: Board) -> Self {
        Self::with_generator(rules, generator(rules, board))
    }

    /// A counter that uses a generator for these rules.
    pub(super) fn with_generator(rules: &RuleSet, generator: Box<dyn Generate>) -> Self {
        Self { rules: *rules, generator, queues: Vec::new() }
    }

    /// Counts the sequences of `depth` turns that begin at a position. A count that is stopped is
    /// too small.
    pub(crate) fn count(&mut self, position: &Position, depth: u8, stop: &Stop<'_>) -> u128 {
        let mut count = self.add(position, depth, stop);
        for last in (0..self.queues.len()).rev() {
            count += self.generator.drain(&mut self.queues[..=last], stop);
        }
        count
    }

    /// Adds a position to the queues.
    fn add(&mut self, position: &Position, depth: u8, stop: &Stop<'_>) -> u128 {
        if depth == 0 {
            return 1;
        }
        if self.rules.is_settled(position) {
            let plies = usize::from(depth);
            if self.queues.len() < plies {
                self.queues.resize_with(plies, CaptureQueue::default);
            }
            let queues = &mut self.queues[..plies];
            return self.generator.add(queues, Stones::of(position), stop);
        }
        if depth == 1 {
            return turns(&self.rules, position).into();
        }
        let mut count = 0;
        let rules = self.rules;
        rules.for_each_turn(position, |turn| {
            if !stop.check() {
                count += self.add(&position.play_unchecked(turn), depth - 1, stop);
            }
        });
        count
    }
}

/// The number of turns of a position, under any rule.
pub(crate) fn turns(rules: &RuleSet, position: &Position) -> u64 {
    let mut count = 0;
    let rule = rules.turn_rule(position);
    if rule.chain == Chain::Single {
        for steps in rule.first_steps(position.board(), Stones::of(position)) {
            for stones in [steps.approach, steps.withdrawal, steps.quiet] {
                count += u64::from(stones.len());
            }
        }
    } else {
        rules.for_each_turn(position, |_| count += 1);
    }
    count
}
