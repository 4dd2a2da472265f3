//! Symmetries of boards, and the invariants under them and under a change of colours.

use std::collections::HashSet;

use fanorona_core::{Board, Direction, PointSet, Position, Stones, Symmetry};
use fanorona_perft::{Counting, perft};
use fanorona_tests::strategies::{
    boards, cases, cases_of_play, depth_within, mostly_small_boards, set_ups, turns_up_to,
};
use proptest::prelude::*;

#[test]
fn boards_have_four_symmetries_and_square_ones_eight() {
    for board in Board::all() {
        let square = board.width() == board.height();
        assert_eq!(board.symmetries().len(), if square { 8 } else { 4 });
        let maps: HashSet<Vec<usize>> = board
            .symmetries()
            .iter()
            .map(|s| {
                board.all_points().iter().map(|p| s.apply(board, p).unwrap().index()).collect()
            })
            .collect();
        assert_eq!(maps.len(), board.symmetries().len(), "two symmetries of {board} are the same");
    }
}

#[test]
fn points_outside_the_board_have_no_image() {
    let (telo, tsivy) = (Board::telo(), Board::tsivy());
    let far = tsivy.point_at(8, 4).unwrap();
    for symmetry in Symmetry::ALL {
        assert_eq!(symmetry.apply(telo, far), None, "{symmetry}");
        let images = telo.all_points().iter().map(|point| symmetry.apply(telo, point));
        assert_eq!(images.collect::<Option<PointSet>>(), Some(telo.all_points()));
        let of_all = symmetry.is_of(tsivy);
        assert_eq!(symmetry.apply(tsivy, far).is_some(), of_all, "{symmetry}");
        assert_eq!(tsivy.start().transformed(symmetry).is_some(), of_all, "{symmetry}");
    }
}

#[test]
fn symmetries_keep_every_link() {
    for board in Board::all() {
        let neighbours =
            |point| Direction::ALL.into_iter().filter_map(move |d| board.neighbour(point, d));
        for &symmetry in board.symmetries() {
            let mut image = PointSet::EMPTY;
            for point in board.all_points() {
                let mapped = symmetry.apply(board, point).unwrap();
                image |= mapped;
                let expected: HashSet<_> = neighbours(mapped).collect();
                let found: HashSet<_> =
                    neighbours(point).map(|n| symmetry.apply(board, n).unwrap()).collect();
                assert_eq!(found, expected, "{symmetry:?} of {board}");
                assert_eq!(symmetry.inverse().apply(board, mapped), Some(point), "{symmetry:?}");
            }
            assert_eq!(image, board.all_points());
        }
    }
}

#[test]
fn symmetries_match_their_names() {
    // With stones on b1 and c2, all eight images differ.
    let position: Position = "5/5/5/2B2/1W3 w".parse().unwrap();
    let images = [
        (Symmetry::Identity, "5/5/5/2B2/1W3 w"),
        (Symmetry::MirrorFiles, "5/5/5/2B2/3W1 w"),
        (Symmetry::MirrorRanks, "1W3/2B2/5/5/5 w"),
        (Symmetry::HalfTurn, "3W1/2B2/5/5/5 w"),
        (Symmetry::MirrorDiagonal, "5/5/1B3/W4/5 w"),
        (Symmetry::TurnRight, "5/W4/1B3/5/5 w"),
        (Symmetry::TurnLeft, "5/5/3B1/4W/5 w"),
        (Symmetry::MirrorAntidiagonal, "5/4W/3B1/5/5 w"),
    ];
    for (symmetry, image) in images {
        assert_eq!(position.transformed(symmetry).unwrap().to_string(), image, "{symmetry:?}");
    }
    assert_eq!(images.map(|(symmetry, _)| symmetry), Symmetry::ALL);
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn symmetries_are_undone(position in boards().prop_flat_map(set_ups)) {
        for &symmetry in position.board().symmetries() {
            let image = position.transformed(symmetry).unwrap();
            prop_assert_eq!(image.transformed(symmetry.inverse()), Some(position));
            prop_assert_eq!(image.to_move(), position.to_move());
        }
        prop_assert_eq!(position.with_colours_swapped().with_colours_swapped(), position);
    }

    #[test]
    fn the_game_is_the_same_from_every_side((rules, position) in cases_of_play(mostly_small_boards())) {
        prop_assume!(turns_up_to(2000, &rules, &position).is_some());
        let depth = depth_within(100, 4, &rules, &position);
        let swapped = (rules.with_colours_swapped(), position.with_colours_swapped());
        for counting in Counting::ALL {
            let expected = perft(&rules, &position, depth, counting);
            prop_assert_eq!(perft(&swapped.0, &swapped.1, depth, counting), expected);
            for &symmetry in position.board().symmetries() {
                let image = position.transformed(symmetry).unwrap();
                prop_assert_eq!(perft(&rules, &image, depth, counting), expected, "{:?}", symmetry);
            }
        }
    }

    #[test]
    fn turns_go_with_the_symmetry((rules, position) in cases_of_play(boards())) {
        prop_assume!(turns_up_to(2000, &rules, &position).is_some());
        let after = |position: &Position| -> Vec<Position> {
            let turns = rules.turns(position);
            turns.iter().map(|turn| position.play_unchecked(turn)).collect()
        };
        for &symmetry in position.board().symmetries() {
            let mut of_image = after(&position.transformed(symmetry).unwrap());
            let mut image_of: Vec<Position> =
                after(&position).iter().map(|after| after.transformed(symmetry).unwrap()).collect();
            of_image.sort_by_key(Stones::of);
            image_of.sort_by_key(Stones::of);
            prop_assert_eq!(of_image, image_of, "{:?}", symmetry);
        }
    }
}
