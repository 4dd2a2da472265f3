//! Levels of orbits are the levels of positions.

use std::collections::HashSet;

use fanorona_core::{PointSet, Position, RuleSet};
use fanorona_perft::{Orbit, OrbitFinder};
use fanorona_tests::strategies::{
    boards, boards_up_to, cases, cases_of_play, depth_within, turns_up_to,
};
use proptest::prelude::*;

/// The number that stands for a position and all its images, in the slow way.
fn least_image(position: &Position) -> (PointSet, PointSet) {
    let images = position.board().symmetries().iter().map(|s| position.transformed(*s).unwrap());
    images.map(|image| (image.own(), image.opponent())).min().expect("there are symmetries")
}

fn levels_are_right(rules: &RuleSet, start: Position, depth: u32) -> Result<(), TestCaseError> {
    let mut finder = OrbitFinder::new(rules, &start);
    let mut orbits = vec![finder.start()];
    let mut level = HashSet::from([start]);
    for depth in 0..=depth {
        let positions: u32 = orbits.iter().map(|orbit| finder.positions(*orbit)).sum();
        prop_assert_eq!(positions as usize, level.len(), "{}, depth {}", rules, depth);
        let classes: HashSet<_> = level.iter().map(least_image).collect();
        prop_assert_eq!(orbits.len(), classes.len(), "{}, depth {}", rules, depth);

        let mut next = Vec::new();
        orbits.iter().for_each(|orbit| finder.successors(*orbit, &mut next));
        Orbit::sort_and_join(&mut next);
        finder.pass();
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
        let orbit = OrbitFinder::new(&rules, &start).start();
        let (number, images) = orbit.parts();
        prop_assert!(number >> 101 == 0 && images != 0);
        prop_assert_eq!(Orbit::from_parts(number, images), orbit);
    }
}
