//! Perft and divide, on one thread.

use fanorona_core::{MovingStone, Position, RuleSet, Turn, TurnInProgress};

use crate::counting::Counting;
use crate::generator::{Successors, TurnCounter};
use crate::node::PerftNode;
use crate::steps::{self, AfterStep};
use crate::stop::{NEVER, Stop};

/// Counts what lies `depth` plies below a position; at depth 0 that is 1.
///
/// Perft ("performance test") is the usual way to check a generator: two programs that follow the
/// same rules count the same. The time grows with the count. The memory is some kilobytes for each
/// ply that is reached, except for [`Counting::Unique`]: up to a hundred bytes for each position of
/// the deepest level. ([`Levels`](crate::Levels) counts those in bounded memory.)
///
/// This function cannot be stopped; [`PerftCounter`](crate::PerftCounter) and
/// [`ParallelPerft`](crate::ParallelPerft) can.
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
/// `cargo bench -p fanorona-perft` measures these by the clock, and `fanorona perft --depth 7
/// --threads 1` the first.
///
/// # Example
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::{Counting, perft};
/// let start = Board::tsivy().start();
/// assert_eq!(perft(&RuleSet::STANDARD, &start, 3, Counting::Turns), 724);
/// assert_eq!(perft(&RuleSet::STANDARD, &start, 3, Counting::Steps), 64);
/// ```
pub fn perft(rules: &RuleSet, position: &Position, depth: u8, counting: Counting) -> u128 {
    count(rules, position, depth, counting, &Stop::new(&NEVER))
}

/// Counts as [`perft`] does, unless it is stopped; then the result is any number.
pub(crate) fn count(
    rules: &RuleSet,
    position: &Position,
    depth: u8,
    counting: Counting,
    stop: &Stop<'_>,
) -> u128 {
    match counting {
        Counting::Turns => TurnCounter::new(rules, position.board()).count(position, depth, stop),
        Counting::Positions => {
            let mut lists = vec![Vec::new(); usize::from(depth)];
            Successors::new(rules, position.board()).count(position, &mut lists, stop)
        }
        Counting::Steps => steps::count(rules, position, depth, stop),
        Counting::Unique => unique(rules, position, depth, stop),
    }
}

/// Visits the levels of the tree one after the other, each position once.
fn unique(rules: &RuleSet, position: &Position, depth: u8, stop: &Stop<'_>) -> u128 {
    let mut successors = Successors::new(rules, position.board());
    let mut level = vec![*position];
    for _ in 0..depth {
        if stop.check() || level.is_empty() {
            break;
        }
        level = successors.next_level(&level, stop);
    }
    level.len() as u128
}

/// A branch at the root of the tree: a first turn, or for [`Counting::Steps`] a first step.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The turn. For [`Counting::Steps`] it is a turn of the first step alone, which the rules may
    /// want to go on.
    pub turn: Turn,
    /// The node that it leads to.
    pub node: PerftNode,
}

/// The branches at a position, in the order of [`RuleSet::turns`]: what a divided count has lines
/// for. A caller can count below each of them on its own, with a table or on many threads.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::{Counting, branches};
/// let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
/// let branches = branches(&rules, &start, Counting::Turns);
/// let nodes: Vec<u128> =
///     branches.iter().map(|branch| branch.node.count(&rules, 2, Counting::Turns)).collect();
/// assert_eq!(nodes, [127, 30, 77, 54, 436]);
/// ```
pub fn branches(rules: &RuleSet, position: &Position, counting: Counting) -> Vec<Branch> {
    if counting != Counting::Steps {
        let branch = |turn: Turn| {
            let node = PerftNode::new(&position.play_unchecked(&turn));
            Branch { turn, node }
        };
        return rules.turns(position).into_iter().map(branch).collect();
    }
    let (board, own, opponent) = (position.board(), position.own(), position.opponent());
    let rule = rules.turn_rule(position);
    let branch = |(origin, step)| {
        let mut turn = TurnInProgress::new(rules, position);
        turn.make(origin, step).expect("the step was listed");
        let stone = MovingStone::new(own, opponent, origin);
        let after = AfterStep::new(board, &rule, stone, step);
        let turn = turn.so_far().expect("it has a step");
        Branch { turn, node: PerftNode::after_step(position, after) }
    };
    rule.each_first_step(board, own, opponent).map(branch).collect()
}

/// A line of a divided count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DivideLine {
    /// The turn; see [`Branch::turn`].
    pub turn: Turn,
    /// The count below it.
    pub nodes: u128,
}

/// The count below each first turn, or for [`Counting::Steps`] below each first step. Empty at
/// depth 0.
///
/// Two programs that count differently differ in a line; following that line finds the position
/// where they differ. The lines add up to [`perft`] for [some ways of
/// counting](Counting::lines_add_up). [`ParallelPerft::divide`](crate::ParallelPerft::divide) does it
/// on all threads.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::{Counting, divide};
/// let start = Board::tsivy().start();
/// let lines = divide(&RuleSet::STANDARD, &start, 3, Counting::Turns);
/// let first = lines[0].turn.text(start.board()).to_string();
/// assert_eq!((first.as_str(), lines[0].nodes), ("d2-e3A", 127));
/// ```
pub fn divide(
    rules: &RuleSet,
    position: &Position,
    depth: u8,
    counting: Counting,
) -> Vec<DivideLine> {
    let Some(depth_below) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let line = |Branch { turn, node }: Branch| {
        let nodes = node.count(rules, depth_below, counting);
        DivideLine { turn, nodes }
    };
    branches(rules, position, counting).into_iter().map(line).collect()
}
