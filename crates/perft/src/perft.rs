//! Perft: how many ways play can go, for checking generators against each other.

use fanorona_core::{MovingStone, Position, RuleSet, Turn, TurnInProgress};

use crate::counting::Counting;
use crate::generator::{Successors, TurnCounter};
use crate::steps::{self, AfterStep};

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
/// `cargo bench -p fanorona-perft` measures these by the clock, and `fanorona perft --depth 7
/// --threads 1` the first.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::{Counting, perft};
/// let start = Board::tsivy().start();
/// assert_eq!(perft(&RuleSet::STANDARD, &start, 3, Counting::Turns), 724);
/// assert_eq!(perft(&RuleSet::STANDARD, &start, 3, Counting::Steps), 64);
/// ```
pub fn perft(rules: &RuleSet, position: &Position, depth: u32, counting: Counting) -> u128 {
    match counting {
        Counting::Turns => {
            let mut counter = TurnCounter::new(rules, position.board());
            counter.add(position, depth);
            counter.finish()
        }
        Counting::Positions => positions(rules, position, depth),
        Counting::Steps => steps::count(rules, position, depth),
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

fn positions(rules: &RuleSet, position: &Position, depth: u32) -> u128 {
    let mut lists = vec![Vec::new(); depth as usize];
    Successors::new(rules, position.board()).count(position, &mut lists)
}

/// Visits the levels of the tree one after the other, each position once.
fn unique(rules: &RuleSet, position: &Position, depth: u32) -> u128 {
    let mut successors = Successors::new(rules, position.board());
    let mut level = vec![*position];
    for _ in 0..depth {
        level = successors.next_level(&level);
    }
    level.len() as u128
}

fn divide_steps(rules: &RuleSet, position: &Position, depth_below: u32) -> Vec<(Turn, u128)> {
    let (board, own, opponent) = (position.board(), position.own(), position.opponent());
    let rule = rules.turn_rule(position);
    let count = |(origin, step)| {
        let mut turn = TurnInProgress::new(rules, position);
        turn.make(origin, step).expect("the step was listed");
        let stone = MovingStone::new(own, opponent, origin);
        let after = AfterStep::new(board, &rule, stone, step);
        let nodes = steps::count_after(rules, position, &rule, after, depth_below);
        (turn.so_far().expect("it has a step"), nodes)
    };
    rule.each_first_step(board, own, opponent).map(count).collect()
}
