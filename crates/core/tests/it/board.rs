//! Boards: sizes, links, lines, starts, names of points.

use std::collections::HashSet;

use fanorona_core::{Board, BoardError, Coordinates, Direction, Point, PointSet, Side};
use fanorona_tests::strategies::{boards, cases, nearly};
use proptest::prelude::*;

fn at(file: u8, rank: u8) -> Coordinates {
    Coordinates::new(file, rank).expect("it has a name")
}

/// The link rule, in coordinates.
fn neighbour(board: Board, from: Coordinates, direction: Direction) -> Option<Coordinates> {
    let (df, dr) = direction.delta();
    let (file, rank) = (i32::from(from.file()), i32::from(from.rank()));
    let strong = (file + rank) % 2 == 0;
    let (to_file, to_rank) = (file + df, rank + dr);
    let on_board = (0..i32::from(board.width())).contains(&to_file)
        && (0..i32::from(board.height())).contains(&to_rank);
    (on_board && (strong || df == 0 || dr == 0)).then(|| at(to_file as u8, to_rank as u8))
}

#[test]
fn sizes_are_odd_from_3_with_at_most_63_points() {
    let mut found = Vec::new();
    for width in 0..=255_u8 {
        for height in 0..=255_u8 {
            let odd = width % 2 == 1 && height % 2 == 1;
            let large = width >= 3 && height >= 3;
            let small = u32::from(width) * u32::from(height) <= 63;
            let board = Board::new(width, height);
            assert_eq!(board.is_ok(), odd && large && small, "{width}x{height}");
            if let Ok(board) = board {
                assert_eq!((board.width(), board.height()), (width, height));
                found.push(board);
            } else {
                let size = format!("there is no board {width}x{height}:");
                assert!(board.unwrap_err().to_string().starts_with(&size));
            }
        }
    }
    assert_eq!(Board::all().collect::<Vec<_>>(), found);
    assert_eq!(found.iter().collect::<HashSet<_>>().len(), found.len());
}

#[test]
fn traditional_boards() {
    let boards = [Board::telo(), Board::dimy(), Board::tsivy()];
    assert_eq!(boards.map(|board| board.to_string()), ["3x3", "5x5", "9x5"]);
    assert_eq!(boards.map(Board::num_points), [9, 25, 45]);
    assert_eq!(boards.map(Board::max_stones), [4, 12, 22]);
}

#[test]
fn names_of_boards_round_trip() {
    for board in Board::all() {
        assert_eq!(board.to_string().parse(), Ok(board));
    }
}

#[test]
fn texts_that_are_not_boards_are_named() {
    for text in ["", "9", "9x", "x5", "9x5x3", "9X5", "9 x 5", "-9x5", "+9x5", "9x5 ", "neun"] {
        let error = text.parse::<Board>().unwrap_err();
        assert_eq!(error, BoardError::Text(text.to_owned()));
        assert!(error.to_string().contains(&format!("'{text}'")), "{error}");
    }
    for text in ["0x0", "1x63", "8x5", "9x4", "9x9", "23x3", "257x5", "9x300"] {
        let error = text.parse::<Board>().unwrap_err();
        assert!(matches!(error, BoardError::Size { .. }), "{error:?}");
        assert!(error.to_string().contains(&format!("no board {text}:")), "{error}");
    }
    let beyond = "99999999999999999999999x5".parse::<Board>().unwrap_err();
    assert_eq!(beyond, BoardError::Size { width: u64::MAX, height: 5 });
}

#[test]
fn points_have_names() {
    for board in Board::all() {
        let mut names = HashSet::new();
        for (index, point) in board.all_points().iter().enumerate() {
            let at = board.coordinates(point);
            assert_eq!(point.index(), index);
            assert_eq!(PointSet::from(point).bits(), 1 << index);
            assert_eq!(
                usize::from(at.rank()) * usize::from(board.width()) + usize::from(at.file()),
                index
            );
            assert_eq!(board.point(at), Some(point));
            assert_eq!(at.to_string().parse(), Ok(at));
            names.insert(at.to_string());
        }
        assert_eq!(names.len(), board.num_points() as usize);
        let (width, height) = (board.width(), board.height());
        assert_eq!(board.point(at(width, 0)), None);
        assert_eq!(board.point(at(0, height)), None);
    }
    let board = Board::tsivy();
    let names = ["a1", "i1", "e3", "a5", "i5"];
    let indices = names.map(|name| board.point(name.parse().unwrap()).unwrap().index());
    assert_eq!(indices, [0, 8, 22, 36, 44]);
}

#[test]
fn texts_that_are_not_points_are_named() {
    for text in ["", "e", "3", "3e", "E3", "e0", "e03", "e+3", "e-3", "e3 ", "e256", "é3", "e٣"] {
        let error = text.parse::<Coordinates>().unwrap_err();
        assert_eq!(error.text, text);
        assert!(error.to_string().contains(&format!("'{text}'")), "{error}");
    }
}

#[test]
fn links_follow_the_rule() {
    for board in Board::all() {
        for direction in Direction::ALL {
            let mut linked = PointSet::EMPTY;
            for point in board.all_points() {
                let expected = neighbour(board, board.coordinates(point), direction);
                let found = board.neighbour(point, direction).map(|to| board.coordinates(to));
                assert_eq!(found, expected, "{board} {point:?} {direction:?}");
                linked.extend(expected.map(|_| point));
            }
            assert_eq!(board.linked(direction), linked, "{board} {direction:?}");
        }
    }
}

#[test]
fn directions_come_in_opposite_pairs() {
    for direction in Direction::ALL {
        let (df, dr) = direction.delta();
        assert_eq!(direction.opposite().delta(), (-df, -dr));
    }
    let deltas: HashSet<_> = Direction::ALL.iter().map(|d| d.delta()).collect();
    assert_eq!(deltas.len(), 8);
}

#[test]
fn starts_are_as_printed() {
    let starts = [
        ("3x3", "BBB/B1W/WWW w"),
        ("5x3", "BBBBB/BW1BW/WWWWW w"),
        ("3x5", "BBB/BBB/B1W/WWW/WWW w"),
        ("5x5", "BBBBB/BBBBB/BW1BW/WWWWW/WWWWW w"),
        ("7x5", "BBBBBBB/BBBBBBB/BWB1WBW/WWWWWWW/WWWWWWW w"),
        ("9x5", "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w"),
        ("11x3", "BBBBBBBBBBB/BWBWB1WBWBW/WWWWWWWWWWW w"),
    ];
    for (board, start) in starts {
        assert_eq!(board.parse::<Board>().unwrap().start().to_string(), start);
    }
}

#[test]
fn starts_are_fair() {
    for board in Board::all() {
        let start = board.start();
        assert_eq!(start.to_move(), Side::White);
        assert_eq!(start.stones(Side::White).len(), board.max_stones());
        assert_eq!(start.stones(Side::Black).len(), board.max_stones());
        let turned =
            start.transformed(fanorona_core::Symmetry::HalfTurn).expect("every board has it");
        assert_eq!(turned.with_colours_swapped().with_other_to_move(), start);
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn sets_shift_point_by_point(board in boards(), any in any::<u64>(), d in 0..8_usize) {
        let (set, direction) = (PointSet::from_bits(any) & board.all_points(), Direction::ALL[d]);
        let expected = set.iter()
            .filter_map(|point| board.neighbour(point, direction))
            .collect::<PointSet>();
        prop_assert_eq!(board.shift(set, direction), expected);
    }

    #[test]
    fn lines_are_walked_stone_by_stone(
        board in boards(),
        any in any::<u64>(),
        at in any::<prop::sample::Index>(),
        d in 0..8_usize,
    ) {
        let (stones, direction) = (PointSet::from_bits(any) & board.all_points(), Direction::ALL[d]);
        let all: Vec<Point> = board.all_points().iter().collect();
        let mut at = *at.get(&all);
        let start = PointSet::from(at);
        let mut line = PointSet::EMPTY;
        while let Some(next) = board.neighbour(at, direction).filter(|p| stones.contains(*p)) {
            line |= next;
            at = next;
        }
        prop_assert_eq!(board.line(start, direction, stones), line);
    }

    #[test]
    fn no_text_breaks_the_reader_of_boards(
        text in prop_oneof![any::<String>(), nearly(boards().prop_map(|b| b.to_string()))],
    ) {
        match text.parse::<Board>() {
            Ok(board) => prop_assert_eq!(board.to_string().parse(), Ok(board)),
            Err(BoardError::Text(named)) => prop_assert_eq!(named, text),
            Err(BoardError::Size { width, height }) => {
                let size = width.checked_mul(height).is_some_and(|points| points <= 63);
                prop_assert!(!size || width % 2 == 0 || height % 2 == 0 || width.min(height) < 3);
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn no_text_breaks_the_reader_of_points(
        text in prop_oneof![any::<String>(), "[a-z][0-9]{1,3}", nearly("[a-i][1-5]")],
    ) {
        match text.parse::<Coordinates>() {
            Ok(at) => prop_assert_eq!(at.to_string(), text),
            Err(error) => prop_assert_eq!(error.text, text),
        }
    }
}
