//! Perft in all four ways of counting.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, DirectionRule, Position, RuleSet, StepKind, TurnInProgress};
use fanorona_perft::slow::{SlowGenerator, SlowTurn};
use fanorona_perft::{Counting, DivideLine, ParallelPerft, perft};
use fanorona_tests::strategies::{
    boards, boards_up_to, cases, cases_of_play, depth_within, mostly_small_boards, turns_up_to,
};
use proptest::prelude::*;

/// The count below each first turn.
fn divide(rules: &RuleSet, position: &Position, depth: u8, counting: Counting) -> Vec<DivideLine> {
    let never = AtomicBool::new(false);
    ParallelPerft::new(rules, counting, &never).divide(position, depth).expect("nobody stops it")
}

/// The count by the positions after each turn, nothing left out.
fn count(
    after_each: &dyn Fn(&Position) -> Vec<Position>,
    steps: &dyn Fn(&Position, u8) -> u128,
    position: &Position,
    depth: u8,
    counting: Counting,
) -> u128 {
    let below = |after: &Position| count(after_each, steps, after, depth - 1, counting);
    match counting {
        _ if depth == 0 => 1,
        Counting::Turns if depth == 1 => after_each(position).len() as u128,
        Counting::Turns => after_each(position).iter().map(below).sum(),
        Counting::Positions => {
            let after: HashSet<Position> = after_each(position).into_iter().collect();
            after.iter().map(below).sum()
        }
        Counting::Steps => steps(position, depth),
        Counting::Unique => {
            let mut level = HashSet::from([*position]);
            for _ in 0..depth {
                level = level.iter().flat_map(after_each).collect();
            }
            level.len() as u128
        }
    }
}

/// The count by the listing generator.
fn listed_perft(rules: &RuleSet, position: &Position, depth: u8, counting: Counting) -> u128 {
    let after_each = |position: &Position| {
        let turns = rules.turns(position);
        turns.iter().map(|turn| position.play_unchecked(turn)).collect()
    };
    let steps = |position: &Position, depth| {
        steps_below(rules, position, &TurnInProgress::new(rules, position), depth)
    };
    count(&after_each, &steps, position, depth, counting)
}

fn slow_perft(rules: &RuleSet, position: &Position, depth: u8, counting: Counting) -> u128 {
    let after_each = |position: &Position| {
        let turns = slow_turns(rules, position);
        turns.iter().map(|turn| turn.position_after(position).expect("the stones fit")).collect()
    };
    let steps = |position: &Position, depth| slow_steps(rules, position, depth);
    count(&after_each, &steps, position, depth, counting)
}

fn slow_turns(rules: &RuleSet, position: &Position) -> Vec<SlowTurn> {
    SlowGenerator::new(rules, &[]).turns(position, &mut { u64::MAX }).expect("relays end")
}

/// The sequences of steps: the beginnings of turns that have `depth` steps, and those that go on
/// after a turn. A turn that others continue ends with a step more, which is the choice to stop.
fn slow_steps(rules: &RuleSet, position: &Position, depth: u8) -> u128 {
    if depth == 0 {
        return 1;
    }
    let turns = slow_turns(rules, position);
    let mut begun = HashSet::new();
    for turn in &turns {
        begun.extend((1..=turn.steps.len()).map(|steps| (turn.origin, &turn.steps[..steps])));
    }
    let continued: HashSet<_> =
        begun.iter().map(|(origin, steps)| (*origin, &steps[..steps.len() - 1])).collect();
    let mut sum =
        begun.iter().filter(|(_, steps)| steps.len() == usize::from(depth)).count() as u128;
    for turn in &turns {
        let can_go_on = continued.contains(&(turn.origin, &turn.steps[..]));
        let steps = turn.steps.len() + usize::from(can_go_on);
        let left = usize::from(depth).checked_sub(steps);
        // Without a choice to stop, the last step is one of those above.
        if let Some(left) = left.filter(|left| *left > 0 || can_go_on) {
            let after = turn.position_after(position).expect("the stones fit");
            sum += slow_steps(rules, &after, left as u8);
        }
    }
    sum
}

/// The sequences of steps that continue a turn, which began at `position`.
fn steps_below(rules: &RuleSet, position: &Position, turn: &TurnInProgress, depth: u8) -> u128 {
    if depth == 0 {
        return 1;
    }
    let choices = turn.next_steps();
    let stop = turn.finish().map_or(0, |finished| {
        let after = position.play_unchecked(&finished);
        // Where nothing can follow, the turn ends by itself, and that is no ply.
        let depth = if choices.is_empty() { depth } else { depth - 1 };
        steps_below(rules, &after, &TurnInProgress::new(rules, &after), depth)
    });
    let go_on = choices.into_iter().map(|(from, step)| {
        let mut next = turn.clone();
        next.make(from, step).expect("it was offered");
        steps_below(rules, position, &next, depth - 1)
    });
    stop + go_on.sum::<u128>()
}

#[test]
fn counts_have_names() {
    let names = Counting::ALL.map(Counting::name);
    assert_eq!(names, ["turns", "positions", "steps", "unique"]);
    assert_eq!(Counting::ALL.iter().collect::<HashSet<_>>().len(), 4);
}

#[test]
fn lines_add_up_where_it_is_said() {
    let position: Position = "6B2/7B1/9/3BW1B2/4B4 w".parse().expect("a position");
    for counting in Counting::ALL {
        let lines = divide(&RuleSet::STANDARD, &position, 1, counting);
        let sum: u128 = lines.iter().map(|line| line.nodes).sum();
        let whole = perft(&RuleSet::STANDARD, &position, 1, counting);
        assert_eq!(sum == whole, counting.lines_add_up());
    }
}

#[test]
fn starts_count_as_the_slow_reading_does() {
    for board in Board::all() {
        let start = board.start();
        for counting in Counting::ALL {
            for depth in 0..=3 {
                let found = perft(&RuleSet::STANDARD, &start, depth, counting);
                let expected = slow_perft(&RuleSet::STANDARD, &start, depth, counting);
                assert_eq!(found, expected, "{board}, depth {depth}, {counting:?}");
            }
        }
    }
}

/// Relays by the thousand, more than wait for their turn in the counting generator.
#[test]
fn ten_thousand_turns_count_as_they_are_listed() {
    let position = "W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w".parse().unwrap();
    for rules in [RuleSet::STANDARD, RuleSet::FORCED_RELAY] {
        for direction in
            [DirectionRule::NotTwiceRunning, DirectionRule::Strict, DirectionRule::Free]
        {
            let rules = RuleSet { direction, ..rules };
            for counting in Counting::ALL {
                for depth in 1..=2 {
                    let found = perft(&rules, &position, depth, counting);
                    let expected = listed_perft(&rules, &position, depth, counting);
                    assert_eq!(found, expected, "{rules}, depth {depth}, {counting}");
                }
            }
        }
    }
}

#[test]
fn traditional_boards_count_as_they_are_listed() {
    for board in [Board::telo(), Board::dimy(), Board::tsivy()] {
        for rules in RuleSet::PRESETS {
            if rules.check(board).is_err() {
                continue;
            }
            for counting in Counting::ALL {
                let found = perft(&rules, &board.start(), 5, counting);
                let expected = listed_perft(&rules, &board.start(), 5, counting);
                assert_eq!(found, expected, "{board}, {rules}, {counting}");
            }
        }
    }
}

#[test]
fn ways_of_counting_differ_where_they_should() {
    // Two relays around different sides lead to the same position.
    let position: Position = "6B2/7B1/9/3BW1B2/4B4 w".parse().unwrap();
    let count = |counting| perft(&RuleSet::STANDARD, &position, 1, counting);
    assert_eq!(count(Counting::Turns), 25);
    assert_eq!(count(Counting::Positions), 24);
    assert_eq!(count(Counting::Unique), 24);
    assert!(count(Counting::Steps) < 24);
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn counts_are_those_of_the_slow_reading((rules, position) in cases_of_play(mostly_small_boards())) {
        prop_assume!(turns_up_to(300, &rules, &position).is_some());
        let depth = depth_within(30, 4, &rules, &position);
        prop_assume!(perft(&rules, &position, depth, Counting::Turns) < 1000);
        for counting in Counting::ALL {
            let found = perft(&rules, &position, depth, counting);
            let expected = slow_perft(&rules, &position, depth, counting);
            prop_assert_eq!(found, expected, "depth {}, {:?}, {}", depth, counting, rules);
        }
    }

    #[test]
    fn counts_are_those_of_the_listing((rules, position) in cases_of_play(boards())) {
        prop_assume!(turns_up_to(1000, &rules, &position).is_some());
        let most = depth_within(400, 6, &rules, &position);
        for counting in Counting::ALL {
            for depth in [1, most] {
                let found = perft(&rules, &position, depth, counting);
                let expected = listed_perft(&rules, &position, depth, counting);
                prop_assert_eq!(found, expected, "depth {}, {}, {}", depth, counting, rules);
            }
        }
    }

    #[test]
    fn whole_games_count_as_they_are_listed((rules, position) in cases_of_play(boards_up_to(15))) {
        let depth = depth_within(1000, 20, &rules, &position);
        let found = perft(&rules, &position, depth, Counting::Turns);
        let expected = listed_perft(&rules, &position, depth, Counting::Turns);
        prop_assert_eq!(found, expected, "depth {}, {}", depth, rules);
    }

    #[test]
    fn a_divided_count_adds_up((rules, position) in cases_of_play(mostly_small_boards())) {
        prop_assume!(turns_up_to(2000, &rules, &position).is_some());
        let depth = depth_within(100, 4, &rules, &position);
        for counting in [Counting::Turns, Counting::Steps] {
            let divided = divide(&rules, &position, depth, counting);
            let sum: u128 = divided.iter().map(|line| line.nodes).sum();
            prop_assert_eq!(sum, perft(&rules, &position, depth, counting), "{:?}", counting);
            prop_assert!(divide(&rules, &position, 0, counting).is_empty());
        }
        for counting in [Counting::Turns, Counting::Positions, Counting::Unique] {
            let divided = divide(&rules, &position, depth, counting);
            let turns: Vec<_> = divided.iter().map(|line| line.turn.clone()).collect();
            prop_assert_eq!(&turns, &rules.turns(&position));
            for DivideLine { turn, nodes } in divided {
                let after = position.play_unchecked(&turn);
                prop_assert_eq!(nodes, perft(&rules, &after, depth - 1, counting));
            }
        }
    }

    #[test]
    fn steps_are_divided_by_the_first_step((rules, position) in cases_of_play(boards())) {
        let turns = turns_up_to(1000, &rules, &position);
        prop_assume!(turns.is_some());
        let mut begin: Vec<_> = turns.unwrap().iter().map(|t| (t.origin(), t.steps()[0])).collect();
        begin.dedup();
        let divided = divide(&rules, &position, 1, Counting::Steps);
        prop_assert!(divided.iter().all(|line| line.turn.steps().len() == 1 && line.nodes == 1));
        let found: Vec<_> = divided.iter().map(|line| (line.turn.origin(), line.turn.steps()[0])).collect();
        prop_assert_eq!(found, begin);
        for DivideLine { turn, .. } in divided {
            let to = position.board().neighbour(turn.origin(), turn.steps()[0].direction);
            prop_assert_eq!(Some(turn.destination()), to);
            prop_assert_eq!(turn.captured().is_empty(), turn.steps()[0].kind == StepKind::Paika);
        }
    }

    #[test]
    fn successors_are_the_distinct_positions_in_order((rules, position) in cases_of_play(boards())) {
        let turns = turns_up_to(1000, &rules, &position);
        prop_assume!(turns.is_some());
        let mut seen = HashSet::new();
        let mut expected: Vec<Position> =
            turns.unwrap().iter().map(|turn| position.play_unchecked(turn)).collect();
        expected.retain(|after| seen.insert(*after));
        prop_assert_eq!(rules.successors(&position), expected);
    }
}
