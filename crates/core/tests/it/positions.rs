//! Positions: invalid set-ups, and texts in both directions.

use fanorona_core::{
    Board, Coordinates, ParsePositionError, PointSet, Position, Setup, SetupError, Side, Stones,
};
use fanorona_tests::strategies::{boards, cases, nearly, set_ups};
use proptest::prelude::*;

/// The set of the points with these indices.
fn set<const N: usize>(indices: [u32; N]) -> PointSet {
    PointSet::from_bits(indices.into_iter().fold(0, |bits, index| bits | 1 << index))
}

fn start_of_9x5() -> Setup {
    Board::tsivy().start().into()
}

#[test]
fn invalid_set_ups_are_refused() {
    let start = start_of_9x5();
    let off_board = Setup { black: start.black | set([45]), ..start };
    let overlap = Setup { black: start.black | set([9]), ..start };
    let many = Setup { white: start.white | set([22]), ..start };
    let too_many = |side| SetupError::TooMany { side, stones: 23, most: 22, board: start.board };
    let many_black =
        Setup { white: start.white - set([0]), black: start.black | set([22]), ..start };
    let wrong = [
        (off_board, SetupError::OffBoard(start.board), "outside the board 9x5"),
        (overlap, SetupError::Overlap("a2".into()), "on the same point a2"),
        (many, too_many(Side::White), "white has 23 stones"),
        (many_black, too_many(Side::Black), "black has 23 stones"),
        (
            Setup { white: PointSet::EMPTY, black: PointSet::EMPTY, ..start },
            SetupError::Empty,
            "no stone",
        ),
    ];
    for (setup, expected, says) in wrong {
        let error = Position::try_from(setup).unwrap_err();
        assert_eq!(error, expected);
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn own_stones_follow_from_the_side_to_move() {
    let start = Board::tsivy().start();
    let stones = Stones::of(&start);
    let Stones { own, opponent } = stones;
    assert_eq!((own, opponent), (start.stones(Side::White), start.stones(Side::Black)));
    assert_eq!((stones.occupied(), stones.count()), (own | opponent, 44));
    let board = start.board();
    assert_eq!(Position::from_mover(board, stones, Side::White), Ok(start));
    let swapped = Position::from_mover(board, stones, Side::Black).unwrap();
    assert_eq!(swapped, start.with_colours_swapped());
    assert_eq!(swapped.stones(Side::Black), own);
    assert_eq!(Stones::of(&start.with_other_to_move()), stones.swapped());
    assert_eq!(
        Position::from_mover(board, stones.map(|_| set([0])), Side::White),
        Err(SetupError::Overlap("a1".into()))
    );
}

#[test]
fn other_spellings_are_read() {
    let start = Board::tsivy().start();
    let spellings = [
        "BBBBBBBBB/BBBBBBBBB/BWBW.BWBW/WWWWWWWWW/WWWWWWWWW w",
        "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w 0 1",
        "  BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW   w  17 ",
        "bbbbbbbbb/BBBBBBBBB/bWbW1bWbW/WWWWWWWWW/wwwwwwwww w",
    ];
    for text in spellings {
        assert_eq!(text.parse(), Ok(start), "{text}");
    }
    for board in Board::all() {
        let (width, height) = (board.width(), board.height());
        for text in [format!("{board}"), format!(" {width}X{height}\n")] {
            assert_eq!(text.parse(), Ok(board.start()), "{text}");
        }
    }
    let lone: Position = "9/9/4W4/9/9 b".parse().unwrap();
    for text in ["9/9/....W..../9/9 b", "9/9/2..W1.2/9/9 b", "45/9/13W1111/9/9 b 3 4 5"] {
        assert_eq!(text.parse(), Ok(lone), "{text}");
    }
    let wide: Position = "3...393/91W91/939 w".parse().unwrap();
    assert_eq!(wide.to_string(), "993/91W91/993 w");
    assert_eq!(wide.own(), set([31]));
}

#[test]
fn texts_that_are_not_positions_are_refused() {
    use ParsePositionError as E;
    let uneven = |rank, found| E::UnevenRanks { rank, found, expected: 9 };
    let setup = E::Setup;
    let nowhere = |width, height| {
        let reason = format!("{width}x{height}").parse::<Board>().unwrap_err();
        E::Board { width, height, reason }
    };
    let wrong = [
        ("BBX6/9/9/9/9 w", E::Character { rank: 5, found: 'X' }, "rank 5 of the position has 'X'"),
        ("9/9/9/9/4x4 w", E::Character { rank: 1, found: 'x' }, "rank 1 of the position has 'x'"),
        ("9/9/4é4/9/9 w", E::Character { rank: 3, found: 'é' }, "rank 3 of the position has 'é'"),
        ("9/9/90/9/4W4 w", E::Character { rank: 3, found: '0' }, "rank 3 of the position has '0'"),
        (
            "0W8/9/9/9/9 w",
            E::Character { rank: 5, found: '0' },
            "write W, B, a digit from 1 to 9 or .",
        ),
        ("9/9/9/8/9 w", uneven(2, 8), "rank 2 of the position has 8 points"),
        ("9/9/9/55/9 w", uneven(2, 10), "rank 2 of the position has 10 points"),
        ("9/9/4WW4/9/9 w", uneven(3, 10), "rank 3 of the position has 10 points"),
        ("9/9/9/9/ w", uneven(1, 0), "rank 1 of the position has 0 points"),
        ("9/9/4W4/9 w", nowhere(9, 4), "4 ranks given; 9x5 needs 5. Is one missing?"),
        ("9/9/4W4/9/9/9 w", nowhere(9, 6), "6 ranks given; 9x7 needs 7. Is one missing?"),
        ("9/9/4W4/9/9/9/9/9 w", nowhere(9, 8), "8 ranks given; 9x7 has 7. Is one too many?"),
        ("8/8/4W3 w", nowhere(8, 3), "3 ranks of 8 points given: there is no board 8x3"),
        ("", E::Empty, "the text of the position is empty"),
        ("five", E::Text("five".into()), "'five' is not a position: write the ranks"),
        ("9x5 w", E::Text("9x5 w".into()), "or a board, as in 9x5, for its start"),
        ("5x", E::Text("5x".into()), "'5x' is not a position"),
        ("4x4", E::Start("4x4".parse::<Board>().unwrap_err()), "there is no board 4x4"),
        ("5X999", E::Start("5x999".parse::<Board>().unwrap_err()), "there is no board 5x999"),
        ("/ w", nowhere(0, 2), "2 ranks of 0 points given"),
        ("9/9/9/9/9/9/9/9/9 w", nowhere(9, 9), "9 ranks of 9 points"),
        ("99999/9/9 w", nowhere(45, 3), "3 ranks of 45 points"),
        ("9/9/4W4/9/9", E::NoSide, "does not say who moves"),
        ("9/9/4W4/9/9b", E::NoSide, "does not say who moves"),
        ("9/9/4W4/9/4B4w", E::NoSide, "does not say who moves"),
        ("9/9/4W4/9/8w", E::NoSide, "does not say who moves"),
        ("9/9/4W4/9/4b4w b", uneven(1, 10), "rank 1 of the position has 10 points"),
        (
            "9/9/4W4/9/9\u{a0}w",
            E::Character { rank: 1, found: '\u{a0}' },
            "rank 1 of the position has a non-breaking space (U+00A0)",
        ),
        (
            "\u{feff}9/9/4W4/9/9 w",
            E::Character { rank: 5, found: '\u{feff}' },
            "rank 5 of the position has a byte order mark (U+FEFF)",
        ),
        (
            "9/9/4W4/9/9\u{200b} w",
            E::Character { rank: 1, found: '\u{200b}' },
            "rank 1 of the position has a zero-width space (U+200B)",
        ),
        (
            "9/9/4W4\u{1b}/9/9 w",
            E::Character { rank: 3, found: '\u{1b}' },
            "rank 3 of the position has an invisible character (U+001B)",
        ),
        ("9/9/4W4/9/9 w\u{a0}", E::Side("w\u{a0}".into()), "the side to move is 'w\\u{a0}'"),
        ("9/9/4W4/9/9 white", E::Side("white".into()), "the side to move is 'white'"),
        ("9/9/4W4/9/9 w -", E::Trailing("-".into()), "'-' follows the side"),
        ("9/9/4W4/9/9 b 0 +1", E::Trailing("+1".into()), "'+1' follows the side"),
        ("9/9/9/9/9 w", setup(SetupError::Empty), "no stone"),
    ];
    for (text, expected, says) in wrong {
        let error = text.parse::<Position>().unwrap_err();
        assert_eq!(error, expected, "{text}");
        assert!(error.to_string().contains(says), "{error}");
    }
    let full = "WWW/WWB/BBB w".parse::<Position>().unwrap_err();
    let many = SetupError::TooMany { side: Side::White, stones: 5, most: 4, board: Board::telo() };
    assert_eq!(full, setup(many));
    assert!(full.to_string().contains("white has 5 stones"), "{full}");
    let long = format!("{}/9/9 w", "W".repeat(500)).parse::<Position>().unwrap_err();
    assert_eq!(long, nowhere(500, 3));
}

#[test]
fn set_ups_that_are_not_positions_have_texts() {
    for text in ["9/9/9/9/9 w", "BBB/BBB/BBB b"] {
        assert_eq!(text.parse::<Setup>().unwrap().to_string(), text);
        assert!(text.parse::<Position>().is_err());
    }
    let both = Setup { black: set([9, 44]), ..start_of_9x5() };
    assert_eq!(both.to_string(), "8B/9/1W1W2W1W/WWWWWWWWW/WWWWWWWWW w");
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn texts_of_positions_round_trip(position in boards().prop_flat_map(set_ups)) {
        let text = position.to_string();
        prop_assert_eq!(text.parse(), Ok(position));
        prop_assert_eq!(Position::try_from(Setup::from(position)), Ok(position));
        let setup: Setup = text.parse().unwrap();
        prop_assert_eq!(setup.to_string(), text);
    }

    #[test]
    fn texts_of_positions_show_each_point(position in boards().prop_flat_map(set_ups)) {
        let board = position.board();
        let mut dotted = String::new();
        for rank in (0..board.height()).rev() {
            for file in 0..board.width() {
                let at = Coordinates::new(file, rank).unwrap();
                let point = board.point(at).unwrap();
                dotted.push(match () {
                    () if position.stones(Side::White).contains(point) => 'W',
                    () if position.stones(Side::Black).contains(point) => 'B',
                    () => '.',
                });
            }
            dotted.push(if rank > 0 { '/' } else { ' ' });
        }
        dotted.push(if position.to_move() == Side::White { 'w' } else { 'b' });
        prop_assert_eq!(dotted.parse(), Ok(position));
    }

    #[test]
    fn positions_are_as_checked(
        board in boards(),
        white in any::<u64>(),
        black in any::<u64>(),
        thin in any::<u64>(),
        fits in any::<bool>(),
    ) {
        let on_board = if fits { board.all_points().bits() } else { u64::MAX };
        let [white, black] =
            [white & thin & on_board, black & !white & on_board].map(PointSet::from_bits);
        let setup = Setup { board, white, black, to_move: Side::Black };
        let most = board.max_stones();
        let legal = ((white | black) - board.all_points()).is_empty()
            && white.len() <= most
            && black.len() <= most
            && !(white | black).is_empty();
        let position = Position::try_from(setup);
        prop_assert_eq!(position.is_ok(), legal);
        if let Ok(position) = position {
            prop_assert_eq!(Setup::from(position), setup);
            prop_assert_eq!(position.empty(), board.all_points() - white - black);
            prop_assert_eq!((position.empty() | white | black).len(), board.num_points());
        }
    }

    #[test]
    fn no_text_breaks_the_reader_of_positions(
        text in prop_oneof![
            any::<String>(),
            "[WB.0-9/]{0,40} [wb]( [0-9]{1,2}){0,2}",
            nearly(boards().prop_flat_map(set_ups).prop_map(|position| position.to_string())),
        ],
    ) {
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string().parse(), Ok(position));
        }
        if let Ok(setup) = text.parse::<Setup>() {
            prop_assert_eq!(setup.to_string().parse(), Ok(setup));
        }
    }
}

/// Whoever reads the message needs the beginning of a long text.
#[test]
fn long_texts_are_shown_in_part() {
    for text in [
        "9".repeat(5000),
        format!("9/9/9/9/4W4 {}", "x".repeat(5000)),
        format!("9/9/9/9/4W4 w {}", "é".repeat(5000)),
    ] {
        let message = text.parse::<Position>().expect_err("no position").to_string();
        assert!(message.chars().count() < 250 && message.contains('…'), "{message}");
    }
}
