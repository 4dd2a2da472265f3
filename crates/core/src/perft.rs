//! Perft: how many ways play can go, for checking generators against each other.

use crate::board::Board;
use crate::generate::{Relaying, allowed_first_steps};
use crate::point::{PointSet, points};
use crate::position::Position;
use crate::rules::{RuleSet, TurnRule};
use crate::turn::{Step, StepKind, Turn};

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Counting {
    /// Sequences of complete turns. Two turns that differ in a step, or in approach or withdrawal,
    /// are two, even if the same position results. A finished game has none.
    Turns,
    /// As `Turns`, but turns of one node that lead to the same position count once.
    Positions,
    /// Sequences of single steps: a paika or a capturing step is one ply, and so is stopping a
    /// relay that could go on; a relay that cannot go on ends by itself.
    Steps,
    /// Distinct positions after exactly so many turns, over the whole tree.
    Unique,
}

impl Counting {
    /// All four, with the names that they go by.
    pub const ALL: [(&'static str, Self); 4] = [
        ("turns", Self::Turns),
        ("positions", Self::Positions),
        ("steps", Self::Steps),
        ("unique", Self::Unique),
    ];
}

/// Counts what lies `depth` plies below a position; at depth 0 that is 1.
///
/// The time grows with the count, and for [`Counting::Unique`] the memory too: 16 bytes for each
/// position of the deepest two levels.
///
/// ```
/// use fanorona_core::{Board, Counting, RuleSet, perft};
/// let start = Board::tsivy().start();
/// assert_eq!(perft(&RuleSet::STANDARD, &start, 3, Counting::Turns), 724);
/// assert_eq!(perft(&RuleSet::STANDARD, &start, 3, Counting::Steps), 64);
/// ```
pub fn perft(rules: &RuleSet, position: &Position, depth: u32, counting: Counting) -> u128 {
    match counting {
        Counting::Turns => turns(rules, position, depth),
        Counting::Positions => positions(rules, position, depth),
        Counting::Steps => steps(rules, position, depth),
        Counting::Unique => unique(rules, position, depth),
    }
}

/// The count below each first turn, or for [`Counting::Steps`] below each first step, given as a
/// turn of that step alone. Empty at depth 0.
///
/// The counts add up to that of [`perft`], except for `Positions`, where turns to the same position
/// each have a line, and `Unique`, where what several turns reach is in the line of each.
pub fn divide(
    rules: &RuleSet,
    position: &Position,
    depth: u32,
    counting: Counting,
) -> Vec<(Turn, u128)> {
    let Some(depth_below) = depth.checked_sub(1) else {
        return Vec::new();
    };
    if counting == Counting::Steps {
        return divide_steps(rules, position, depth_below);
    }
    let count = |turn: Turn| {
        let nodes = perft(rules, &position.play_unchecked(&turn), depth_below, counting);
        (turn, nodes)
    };
    rules.turns(position).into_iter().map(count).collect()
}

fn turns(rules: &RuleSet, position: &Position, depth: u32) -> u128 {
    let mut count = 0;
    match depth {
        0 => count = 1,
        1 => rules.for_each_turn(position, |_| count += 1),
        _ => rules.for_each_turn(position, |turn| {
            count += turns(rules, &position.play_unchecked(turn), depth - 1);
        }),
    }
    count
}

impl RuleSet {
    /// The distinct positions that the legal turns lead to, in the order in which their first
    /// turns are listed.
    pub fn successors(&self, position: &Position) -> Vec<Position> {
        let mut seen = std::collections::HashSet::new();
        let mut successors = Vec::new();
        self.for_each_turn(position, |turn| {
            let after = position.play_unchecked(turn);
            if seen.insert((after.own(), after.opponent())) {
                successors.push(after);
            }
        });
        successors
    }
}

fn positions(rules: &RuleSet, position: &Position, depth: u32) -> u128 {
    match depth {
        0 => 1,
        1 => rules.successors(position).len() as u128,
        _ => {
            rules.successors(position).iter().map(|after| positions(rules, after, depth - 1)).sum()
        }
    }
}

/// The whole levels of the tree, one after the other, each position once.
fn unique(rules: &RuleSet, position: &Position, depth: u32) -> u128 {
    let key = |p: &Position| (p.own(), p.opponent());
    let mut level = vec![*position];
    for _ in 0..depth {
        let mut next = Vec::new();
        for position in &level {
            rules.for_each_turn(position, |turn| next.push(position.play_unchecked(turn)));
            // A level's duplicates are many; dropping them now and then keeps memory in bounds.
            if next.len() >= 2 * level.len().max(1 << 20) && next.len() == next.capacity() {
                next.sort_unstable_by_key(key);
                next.dedup();
            }
        }
        next.sort_unstable_by_key(key);
        next.dedup();
        level = next;
    }
    level.len() as u128
}

/// What a step leads to: a turn's end, or the middle of a relay.
enum After {
    Turn(PointSet, PointSet),
    Relay(Relaying),
}

fn after_step(board: Board, rule: &TurnRule, stone: Relaying, step: Step) -> After {
    let stone = stone.after(board, step, rule);
    if step.kind != StepKind::Paika && stone.can_go_on(board, rule) {
        After::Relay(stone)
    } else {
        After::Turn(stone.others | stone.at, stone.opponent)
    }
}

fn steps(rules: &RuleSet, position: &Position, depth: u32) -> u128 {
    let Some(depth_below) = depth.checked_sub(1) else {
        return 1;
    };
    divide_steps(rules, position, depth_below).into_iter().map(|(_, count)| count).sum()
}

fn divide_steps(rules: &RuleSet, position: &Position, depth_below: u32) -> Vec<(Turn, u128)> {
    let (board, own, opponent) = (position.board(), position.own(), position.opponent());
    let rule = rules.turn_rule(position);
    let first_steps = allowed_first_steps(board, own, opponent, &rule);
    let mut counts = Vec::new();
    for origin in points(own) {
        let stone = Relaying::new(own, opponent, origin.set());
        for set in first_steps {
            let kinds = [
                (set.approach, StepKind::Approach),
                (set.withdrawal, StepKind::Withdrawal),
                (set.quiet, StepKind::Paika),
            ];
            for (_, kind) in kinds.into_iter().filter(|(set, _)| set & origin.set() != 0) {
                let step = Step { direction: set.direction, kind };
                let after = after_step(board, &rule, stone, step);
                let moved = stone.after(board, step, &rule);
                let turn = Turn {
                    origin,
                    destination: points(moved.at).next().expect("the stone is somewhere"),
                    captured: opponent & !moved.opponent,
                    steps: [step].into_iter().collect(),
                };
                counts.push((turn, below(rules, position, &rule, after, depth_below)));
            }
        }
    }
    counts
}

/// Counts the steps below a turn's end or the middle of a relay.
fn below(rules: &RuleSet, before: &Position, rule: &TurnRule, after: After, depth: u32) -> u128 {
    let board = before.board();
    match after {
        _ if depth == 0 => 1,
        After::Turn(own, opponent) => steps(rules, &before.passed(own, opponent), depth),
        After::Relay(stone) => {
            let stop = if stone.may_stop(board, rule) {
                let end = After::Turn(stone.others | stone.at, stone.opponent);
                below(rules, before, rule, end, depth - 1)
            } else {
                0
            };
            let go_on = stone.next_steps(board).map(|step| {
                let after = after_step(board, rule, stone, step);
                below(rules, before, rule, after, depth - 1)
            });
            stop + go_on.sum::<u128>()
        }
    }
}
