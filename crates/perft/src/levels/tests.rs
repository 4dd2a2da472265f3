//! Levels of orbits are the levels of positions.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet, Stones};
use fanorona_tests::strategies::{
    boards, boards_up_to, cases, cases_of_play, depth_within, turns_up_to,
};
use proptest::prelude::*;

use super::*;
use crate::counter::perft;
use crate::counting::Counting;

/// The number of a position's canonical image, computed in a simple way.
fn least_image(position: &Position) -> Stones {
    let images = position.board().symmetries().iter().map(|s| position.transformed(*s).unwrap());
    images.map(|image| Stones::of(&image)).min().expect("there are symmetries")
}

fn levels_are_right(rules: &RuleSet, start: Position, depth: u8) -> Result<(), TestCaseError> {
    let mut finder = OrbitFinder::new(rules, start.board(), start.to_move());
    let mut orbits = vec![finder.orbit(Symmetry::Identity.bit(), Stones::of(&start))];
    let mut to_move = start.to_move();
    let mut level = HashSet::from([start]);
    for depth in 0..=depth {
        let positions: u32 = orbits.iter().map(|orbit| finder.positions(*orbit)).sum();
        prop_assert_eq!(positions as usize, level.len(), "{}, depth {}", rules, depth);
        let classes: HashSet<_> = level.iter().map(least_image).collect();
        prop_assert_eq!(orbits.len(), classes.len(), "{}, depth {}", rules, depth);

        let mut next = Vec::new();
        orbits.iter().for_each(|orbit| finder.successors(*orbit, &mut next));
        Orbit::sort_and_join(&mut next);
        to_move = to_move.other();
        finder = OrbitFinder::new(rules, start.board(), to_move);
        orbits = next;
        let turns = |from: &Position| {
            rules.turns(from).into_iter().map(|t| from.play_unchecked(&t)).collect::<Vec<_>>()
        };
        level = level.iter().flat_map(turns).collect();
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn levels_of_orbits_are_those_of_positions((rules, start) in cases_of_play(boards())) {
        prop_assume!(turns_up_to(300, &rules, &start).is_some());
        let depth = depth_within(100, 5, &rules, &start);
        levels_are_right(&rules, start, depth)?;
    }

    #[test]
    fn on_small_boards_too((rules, start) in cases_of_play(boards_up_to(15))) {
        let depth = depth_within(300, 12, &rules, &start);
        levels_are_right(&rules, start, depth)?;
    }

    #[test]
    fn parts_make_the_orbit((rules, start) in cases_of_play(boards())) {
        let orbit = OrbitFinder::new(&rules, start.board(), start.to_move())
            .orbit(Symmetry::Identity.bit(), Stones::of(&start));
        let (number, images) = orbit.parts();
        prop_assert!(number >> 101 == 0 && images != 0);
        prop_assert_eq!(Orbit::from_parts(number, images), orbit);
    }
}

fn sizes(rules: &RuleSet, start: &Position, depth: u32, memory: usize) -> Vec<LevelSize> {
    let options = LevelOptions { memory, ..LevelOptions::default() };
    let mut levels = Levels::new(rules, start, &options);
    let never = AtomicBool::new(false);
    let sizes = (1..=depth).map(|_| levels.advance(Keep::Positions, &never).unwrap());
    sizes.map(|size| size.expect("it is not stopped")).collect()
}

/// Lists of 64 orbits are written out by the hundred, and merged in several goes.
#[test]
fn little_memory_gives_the_same_counts() {
    for rules in RuleSet::PRESETS {
        let start = Board::tsivy().start();
        let much = sizes(&rules, &start, 5, 1 << 24);
        assert_eq!(sizes(&rules, &start, 5, 0), much, "{rules}");
        assert_eq!(sizes(&rules, &start, 5, 1 << 17), much, "{rules}");
        for (depth, size) in (1..).zip(&much) {
            let expected = perft(&rules, &start, depth, Counting::Unique);
            assert_eq!(size.positions, expected, "{rules}, depth {depth}");
            assert!(size.canonical <= size.positions);
        }
    }
}

#[test]
fn a_symmetric_start_has_few_canonical_positions() {
    let start = "B2/1W1/2B w".parse().unwrap();
    let size = sizes(&RuleSet::FREE_CAPTURE, &start, 1, 0)[0];
    assert_eq!(size.positions, perft(&RuleSet::FREE_CAPTURE, &start, 1, Counting::Unique));
    assert!(size.canonical < size.positions, "{size:?}");
}
