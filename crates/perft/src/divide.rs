//! Divide: the counts below each first turn, on one thread.

use fanorona_core::{MovingStone, Position, RuleSet, Stones, Turn, TurnInProgress};

use crate::counting::Counting;
use crate::node::PerftNode;
use crate::steps::AfterStep;

/// A branch at the root of the tree: a first turn, or for [`Counting::Steps`] a first step.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The turn. For [`Counting::Steps`] it is a turn of the first step alone, which the rules may
    /// require to continue.
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
    let (board, stones) = (position.board(), Stones::of(position));
    let rule = rules.turn_rule(position);
    let branch = |(origin, step)| {
        let mut turn = TurnInProgress::new(rules, position);
        turn.make(origin, step).expect("the step was listed");
        let stone = MovingStone::new(stones, origin);
        let after = AfterStep::new(board, &rule, stone, step);
        let turn = turn.so_far().expect("it has a step");
        Branch { turn, node: PerftNode::after_step(position, after) }
    };
    rule.each_first_step(board, stones).map(branch).collect()
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
/// where they differ. The lines add up to [`perft`](crate::perft()) for [some ways of
/// counting](Counting::lines_add_up). [`ParallelPerft::divide`](crate::ParallelPerft::divide) does
/// it on all threads.
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
