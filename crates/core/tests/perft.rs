//! Perft in all four ways of counting.

mod oracle;
mod strategies;

use std::collections::HashSet;

use fanorona_core::{Board, Counting, Position, RuleSet, StepKind, divide, perft};
use oracle::Game;
use proptest::prelude::*;
use strategies::{boards, cases, depth_within, mostly_small_boards, scenes, turns_up_to};

fn slow_perft(rules: &RuleSet, position: &Position, depth: u32, counting: Counting) -> u128 {
    let game = Game::read(&position.to_string());
    match counting {
        Counting::Turns => game.perft_turns(rules, depth),
        Counting::Positions => game.perft_positions(rules, depth),
        Counting::Steps => game.perft_steps(rules, depth),
        Counting::Unique => game.perft_unique(rules, depth),
    }
}

#[test]
fn counts_have_names() {
    let names = Counting::ALL.map(|(name, _)| name);
    assert_eq!(names, ["turns", "positions", "steps", "unique"]);
    assert_eq!(Counting::ALL.map(|(_, c)| c).iter().collect::<HashSet<_>>().len(), 4);
}

#[test]
fn starts_count_as_the_slow_reading_does() {
    for board in Board::all() {
        let start = board.start();
        for (_, counting) in Counting::ALL {
            for depth in 0..=3 {
                let found = perft(&RuleSet::STANDARD, &start, depth, counting);
                let expected = slow_perft(&RuleSet::STANDARD, &start, depth, counting);
                assert_eq!(found, expected, "{board}, depth {depth}, {counting:?}");
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
    fn counts_are_those_of_the_slow_reading((rules, position) in scenes(mostly_small_boards())) {
        prop_assume!(turns_up_to(300, &rules, &position).is_some());
        let depth = depth_within(30, 4, &rules, &position);
        prop_assume!(perft(&rules, &position, depth, Counting::Turns) < 1000);
        for (_, counting) in Counting::ALL {
            let found = perft(&rules, &position, depth, counting);
            let expected = slow_perft(&rules, &position, depth, counting);
            prop_assert_eq!(found, expected, "depth {}, {:?}, {}", depth, counting, rules);
        }
    }

    #[test]
    fn a_divided_count_adds_up((rules, position) in scenes(mostly_small_boards())) {
        prop_assume!(turns_up_to(2000, &rules, &position).is_some());
        let depth = depth_within(100, 4, &rules, &position);
        for counting in [Counting::Turns, Counting::Steps] {
            let divided = divide(&rules, &position, depth, counting);
            let sum: u128 = divided.iter().map(|(_, count)| count).sum();
            prop_assert_eq!(sum, perft(&rules, &position, depth, counting), "{:?}", counting);
            prop_assert!(divide(&rules, &position, 0, counting).is_empty());
        }
        for counting in [Counting::Turns, Counting::Positions, Counting::Unique] {
            let divided = divide(&rules, &position, depth, counting);
            let turns: Vec<_> = divided.iter().map(|(turn, _)| turn.clone()).collect();
            prop_assert_eq!(&turns, &rules.turns(&position));
            for (turn, count) in divided {
                let after = position.play_unchecked(&turn);
                prop_assert_eq!(count, perft(&rules, &after, depth - 1, counting));
            }
        }
    }

    #[test]
    fn steps_are_divided_by_the_first_step((rules, position) in scenes(boards())) {
        let turns = turns_up_to(1000, &rules, &position);
        prop_assume!(turns.is_some());
        let mut begin: Vec<_> = turns.unwrap().iter().map(|t| (t.origin(), t.steps()[0])).collect();
        begin.dedup();
        let divided = divide(&rules, &position, 1, Counting::Steps);
        prop_assert!(divided.iter().all(|(turn, count)| turn.steps().len() == 1 && *count == 1));
        let found: Vec<_> = divided.iter().map(|(turn, _)| (turn.origin(), turn.steps()[0])).collect();
        prop_assert_eq!(found, begin);
        for (turn, _) in divided {
            let to = position.board().neighbour(turn.origin(), turn.steps()[0].direction);
            prop_assert_eq!(Some(turn.destination()), to);
            prop_assert_eq!(turn.captured() == 0, turn.steps()[0].kind == StepKind::Paika);
        }
    }

    #[test]
    fn successors_are_the_distinct_positions_in_order((rules, position) in scenes(boards())) {
        let turns = turns_up_to(1000, &rules, &position);
        prop_assume!(turns.is_some());
        let mut seen = HashSet::new();
        let mut expected: Vec<Position> =
            turns.unwrap().iter().map(|turn| position.play_unchecked(turn)).collect();
        expected.retain(|after| seen.insert(*after));
        prop_assert_eq!(rules.successors(&position), expected);
    }
}
