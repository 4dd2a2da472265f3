//! Perft: how many ways play can go, for checking generators against each other.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::Board;
use crate::count::{self, Counter, Successors};
use crate::generate::{Relaying, allowed_first_steps};
use crate::point::{Point, PointSet, points};
use crate::position::Position;
use crate::rules::{Chain, RuleSet, TurnRule};
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

/// A text that names no way of counting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is not counted: turns, positions, steps and unique are")]
pub struct ParseCountingError(pub String);

impl FromStr for Counting {
    type Err = ParseCountingError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|(name, _)| *name == text);
        named.map(|(_, counting)| counting).ok_or_else(|| ParseCountingError(text.to_owned()))
    }
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Self::ALL.into_iter().find(|(_, counting)| counting == self);
        f.pad(named.map_or("", |(name, _)| name))
    }
}

/// Counts what lies `depth` plies below a position; at depth 0 that is 1.
///
/// The time grows with the count, and for [`Counting::Unique`] the memory too: up to a hundred bytes
/// for each position of the deepest level.
///
/// # Speed
/// The last ply is counted and not listed, and the steps of many positions are worked on at once.
/// Measured on one thread of a 2-core virtual machine (AMD EPYC, 21 November 2026, processor time, no
/// flags for the machine), in millions a second, from the start of 9x5 under the standard rules:
///
/// | what | depth | rate |
/// |---|---|---|
/// | `Turns` | 7 | 160, eight times as fast as [`RuleSet::for_each_turn`] lists them |
/// | `Positions` | 6 | 48 |
/// | `Steps` | 11 | 150 |
/// | `Turns` under `free-capture` | 6 | 260 |
/// | `Turns` under `forced-relay`, where only the ends of relays count | 7 | 66 |
/// | `Turns` of an endgame with many paikas | 8 | 490 |
///
/// `cargo bench -p fanorona-core` measures these by the clock, and `fanorona perft --depth 7
/// --threads 1` the first.
///
/// ```
/// use fanorona_core::{Board, Counting, RuleSet, perft};
/// let start = Board::tsivy().start();
/// assert_eq!(perft(&RuleSet::STANDARD, &start, 3, Counting::Turns), 724);
/// assert_eq!(perft(&RuleSet::STANDARD, &start, 3, Counting::Steps), 64);
/// ```
pub fn perft(rules: &RuleSet, position: &Position, depth: u32, counting: Counting) -> u128 {
    match counting {
        Counting::Turns => {
            let mut counter = Counter::new(rules, position.board());
            counter.add(position, depth);
            counter.finish()
        }
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
    let mut lists = vec![Vec::new(); depth as usize];
    Successors::new(rules, position.board()).count(position, &mut lists)
}

/// The whole levels of the tree, one after the other, each position once.
fn unique(rules: &RuleSet, position: &Position, depth: u32) -> u128 {
    let mut level = vec![*position];
    for _ in 0..depth {
        level = next_level(rules, &level);
    }
    level.len() as u128
}

/// The distinct positions one turn after any of these, in the order of the mover's stones, then the
/// opponent's: what [`Counting::Unique`] counts, for callers that spread the work. Half of a level
/// and the other half give two lists whose union is the next level.
///
/// The positions of a level have the same board and the same side to move.
pub fn next_level(rules: &RuleSet, level: &[Position]) -> Vec<Position> {
    let Some(one) = level.first() else {
        return Vec::new();
    };
    let mut successors = Successors::new(rules, one.board());
    let mut found = Vec::new();
    let mut many = 1 << 20;
    for position in level {
        debug_assert_eq!((position.board(), position.to_move()), (one.board(), one.to_move()));
        successors.find(position, &mut found);
        // A level's duplicates are many; dropping them now and then keeps memory in bounds.
        if found.len() >= many {
            found.sort_unstable();
            found.dedup();
            many = many.max(2 * found.len());
        }
    }
    let by_mover = |&(own, opponent): &(PointSet, PointSet)| (opponent, own);
    found.sort_unstable_by_key(by_mover);
    found.dedup();
    found.into_iter().map(|(own, opponent)| one.passed(own, opponent)).collect()
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
    if rules.is_settled(position) {
        return count::steps(rules, position, depth);
    }
    if rules.turn_rule(position).chain != Chain::Single {
        let counts = divide_steps(rules, position, depth_below);
        return counts.into_iter().map(|(_, count)| count).sum();
    }
    // Every turn is a step.
    if depth_below == 0 {
        return count::turns(rules, position).into();
    }
    let mut count = 0;
    rules.for_each_turn(position, |turn| {
        count += steps(rules, &position.play_unchecked(turn), depth_below);
    });
    count
}

fn divide_steps(rules: &RuleSet, position: &Position, depth_below: u32) -> Vec<(Turn, u128)> {
    let (board, opponent) = (position.board(), position.opponent());
    let rule = rules.turn_rule(position);
    let mut counts = Vec::new();
    for (origin, stone, step) in first_steps(position, &rule) {
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
    counts
}

/// The steps with which a turn can begin, each with its stone.
fn first_steps(position: &Position, rule: &TurnRule) -> Vec<(Point, Relaying, Step)> {
    let (board, own, opponent) = (position.board(), position.own(), position.opponent());
    let sets = allowed_first_steps(board, own, opponent, rule);
    let mut steps = Vec::new();
    for origin in points(own) {
        let stone = Relaying::new(own, opponent, origin.set());
        for set in &sets {
            let kinds = [
                (set.approach, StepKind::Approach),
                (set.withdrawal, StepKind::Withdrawal),
                (set.quiet, StepKind::Paika),
            ];
            for (_, kind) in kinds.into_iter().filter(|(set, _)| set & origin.set() != 0) {
                steps.push((origin, stone, Step { direction: set.direction, kind }));
            }
        }
    }
    steps
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

/// A node of the tree that [`perft`] counts: a position or, for [`Counting::Steps`], the middle of a
/// relay. The count of a node is the sum of its children's, one ply less deep, so a caller can
/// spread the work over threads, or stop it. (`Unique` has no such sum: see [`next_level`].)
///
/// ```
/// use fanorona_core::{Board, Counting, PerftNode, RuleSet};
/// let root = PerftNode::new(&Board::tsivy().start());
/// let children = root.children(&RuleSet::STANDARD, Counting::Turns);
/// let counts = children.iter().map(|node| node.count(&RuleSet::STANDARD, 2, Counting::Turns));
/// assert_eq!(counts.sum::<u128>(), 724);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PerftNode {
    /// Where the turn begins.
    position: Position,
    relay: Option<Relaying>,
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
        let node = |after| match after {
            After::Turn(own, opponent) => Self::new(&position.passed(own, opponent)),
            After::Relay(stone) => Self { position: *position, relay: Some(stone) },
        };
        let Some(stone) = relay else {
            let first = first_steps(position, &rule).into_iter();
            return first.map(|(_, s, step)| node(after_step(board, &rule, s, step))).collect();
        };
        let stop = stone
            .may_stop(board, &rule)
            .then_some(After::Turn(stone.others | stone.at, stone.opponent));
        let go_on = stone.next_steps(board).map(|step| after_step(board, &rule, *stone, step));
        stop.into_iter().chain(go_on).map(node).collect()
    }

    /// Counts what lies `depth` plies below.
    pub fn count(&self, rules: &RuleSet, depth: u32, counting: Counting) -> u128 {
        match self.relay {
            None => perft(rules, &self.position, depth, counting),
            Some(stone) => {
                let rule = rules.turn_rule(&self.position);
                below(rules, &self.position, &rule, After::Relay(stone), depth)
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

    #[test]
    fn parts_of_a_level_give_the_next() {
        let rules = RuleSet::STANDARD;
        let level = next_level(&rules, &next_level(&rules, &[Board::dimy().start()]));
        let mut parts: Vec<_> = level.chunks(7).flat_map(|part| next_level(&rules, part)).collect();
        parts.sort_unstable_by_key(|p| (p.own(), p.opponent()));
        parts.dedup();
        assert_eq!(parts, next_level(&rules, &level));
    }

    #[test]
    fn countings_are_read_and_written() {
        for (name, counting) in Counting::ALL {
            assert_eq!(name.parse(), Ok(counting));
            assert_eq!(counting.to_string(), name);
        }
        assert!("moves".parse::<Counting>().is_err());
    }
}
