//! Listing and counting turns, with either generator.

use std::fmt;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Chain, Position, RuleSet, Stones, TurnRule};

use super::kernel::{CaptureQueue, Generate, generator};
use crate::counting::Counting;
use crate::node::{PerftNode, after};
use crate::stop::stopped;

/// Lists the positions that turns lead to, with the generator that perft counts with: for searches
/// that want the successors of very many positions, one after the other.
///
/// It is several times as fast as [`RuleSet::for_each_turn`] where positions have many turns.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::Successors;
/// let start = Board::tsivy().start();
/// let mut found = Vec::new();
/// Successors::new(&RuleSet::STANDARD, start.board()).find(&start, &mut found);
/// assert_eq!(found.len(), 5);
/// assert!(found.iter().all(|after| after.own.len() == 22 && after.opponent.len() < 22));
/// ```
pub struct Successors {
    rules: RuleSet,
    board: Board,
    generator: Box<dyn Generate>,
    /// By the number of plies that follow the turns of the queue's stones. The first one always is
    /// there.
    queues: Vec<CaptureQueue>,
    /// For the turns of a ply, by the number of plies that follow.
    lists: Vec<Vec<Stones>>,
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
    /// A lister for these rules, and for this board first.
    pub fn new(rules: &RuleSet, board: Board) -> Self {
        Self::with_generator(rules, board, generator(rules, board))
    }

    /// A lister that uses a generator for these rules and this board.
    pub(super) fn with_generator(
        rules: &RuleSet,
        board: Board,
        generator: Box<dyn Generate>,
    ) -> Self {
        let queues = vec![CaptureQueue::default()];
        Self { rules: *rules, board, generator, queues, lists: Vec::new() }
    }

    /// Takes the generator for the board of a position, if it has another one.
    fn turn_to(&mut self, position: &Position) {
        if position.board() != self.board {
            *self = Self::new(&self.rules, position.board());
        }
    }

    /// Adds the stones after each turn to `found`, as the side that makes it sees them, in no
    /// particular order. They come as often as there are turns to them.
    ///
    /// A position of another board than the last one costs a new generator, some microseconds.
    pub fn find(&mut self, position: &Position, found: &mut Vec<Stones>) {
        self.turn_to(position);
        if self.rules.is_settled(position) {
            self.generator.successors(&mut self.queues[0], Stones::of(position), found);
        } else {
            self.rules.for_each_turn(position, |turn| {
                found.push(Stones::of(&position.play_unchecked(turn)).swapped());
            });
        }
    }

    /// Counts the nodes `depth` plies below a node. If it is stopped, the result is meaningless.
    pub(crate) fn count(
        &mut self,
        node: &PerftNode,
        depth: u8,
        counting: Counting,
        stop: &AtomicBool,
    ) -> u128 {
        let Some(position) = node.position() else {
            return self.steps(node, depth, stop);
        };
        self.turn_to(position);
        match counting {
            Counting::Turns => self.turns(position, depth, stop),
            Counting::Positions => self.positions(position, depth, stop),
            Counting::Steps => self.steps(node, depth, stop),
            Counting::Unique => self.unique(position, depth, stop),
        }
    }

    fn turns(&mut self, position: &Position, depth: u8, stop: &AtomicBool) -> u128 {
        let mut count = self.add(position, depth, stop);
        for last in (0..self.queues.len()).rev() {
            count += self.generator.drain(&mut self.queues[..=last], stop);
        }
        count
    }

    /// Adds a position to the queues.
    fn add(&mut self, position: &Position, depth: u8, stop: &AtomicBool) -> u128 {
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
        let (rules, rule) = (self.rules, self.rules.turn_rule(position));
        let mut count = 0;
        if depth > 1 {
            rules.for_each_turn(position, |turn| {
                if !stopped(stop) {
                    count += self.add(&position.play_unchecked(turn), depth - 1, stop);
                }
            });
        } else if rule.chain == Chain::Single {
            count = first_steps(&rule, position);
        } else {
            rules.for_each_turn(position, |_| count += 1);
        }
        count
    }

    fn positions(&mut self, position: &Position, depth: u8, stop: &AtomicBool) -> u128 {
        let Some(depth_below) = depth.checked_sub(1) else {
            return 1;
        };
        if stopped(stop) {
            return 0;
        }
        let place = usize::from(depth_below);
        if self.lists.len() <= place {
            self.lists.resize_with(place + 1, Vec::new);
        }
        let mut list = std::mem::take(&mut self.lists[place]);
        self.find(position, &mut list);
        sort_and_dedup(&mut list);
        let count = match depth_below {
            0 => list.len() as u128,
            _ => list
                .iter()
                .map(|end| self.positions(&after(position, *end), depth_below, stop))
                .sum(),
        };
        list.clear();
        self.lists[place] = list;
        count
    }

    /// Where the rule has not settled, steps are listed one by one.
    fn steps(&mut self, node: &PerftNode, depth: u8, stop: &AtomicBool) -> u128 {
        match node.position() {
            _ if depth == 0 => 1,
            Some(position) if self.rules.is_settled(position) => {
                self.generator.steps(Stones::of(position), depth, stop)
            }
            Some(position) if depth == 1 => first_steps(&self.rules.turn_rule(position), position),
            _ if stopped(stop) => 0,
            _ => {
                let children = node.after_steps(&self.rules);
                children.iter().map(|child| self.steps(child, depth - 1, stop)).sum()
            }
        }
    }

    /// Visits the levels of the tree one after the other, each position once.
    fn unique(&mut self, position: &Position, depth: u8, stop: &AtomicBool) -> u128 {
        let mut level = vec![*position];
        let mut compact_at = 1 << 20;
        for _ in 0..depth {
            let mut found = Vec::new();
            for position in &level {
                if stopped(stop) {
                    return 0;
                }
                self.find(position, &mut found);
                // A level has many duplicates. Dropping them now and then bounds the memory.
                if found.len() >= compact_at {
                    sort_and_dedup(&mut found);
                    compact_at = compact_at.max(2 * found.len());
                }
            }
            sort_and_dedup(&mut found);
            level = found.into_iter().map(|stones| after(&level[0], stones)).collect();
        }
        level.len() as u128
    }
}

fn sort_and_dedup(stones: &mut Vec<Stones>) {
    stones.sort_unstable();
    stones.dedup();
}

/// The number of first steps of a position.
fn first_steps(rule: &TurnRule, position: &Position) -> u128 {
    let steps = rule.first_steps(position.board(), Stones::of(position));
    let kinds = steps.iter().flat_map(|steps| [steps.approach, steps.withdrawal, steps.quiet]);
    kinds.map(|stones| u128::from(stones.len())).sum()
}
