//! Records of games: written, read, and read from texts that are wrong.

use std::time::{Duration, SystemTime};

use fanorona_core::{Board, Position, RuleSet, Side};
use fanorona_engine::{
    DrawRules, Game, GameResult, MAX_NAME, MAX_RECORD_BYTES, MAX_RECORD_TURNS, Record, RecordError,
};
use fanorona_tests::strategies::{cases, cases_of_play, mostly_small_boards};
use proptest::prelude::*;
use proptest::sample::Index;

/// A game with everything that a record may have.
const GAME: &str = r#"[Board "5x5"]
[Rules "standard+no-turns-draw"]
[Start "BBBBB/BBBBB/BW1BW/WWWWW/WWWWW w"]
[Draws "threefold+without-capture-40"]
[White "Rakoto \"R\" \\"]
[Black "?"]
[Date "2026-11-22"]
[Result "0-1"]

1. b2-c3A a3-b2A 2. a2-a3A b2-a2W 0-1
"#;

fn read(text: &str) -> Record {
    text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn problem(text: &str) -> (usize, String) {
    let RecordError { line, problem } = text.parse::<Record>().expect_err(text);
    (line, problem.to_string())
}

#[test]
fn a_record_has_what_its_text_says() {
    let start = "BBBBB/BBBBB/BW1BW/WWWWW/WWWWW w";
    let position: Position = start.parse().unwrap();
    let rules: RuleSet = "standard+no-turns-draw".parse().unwrap();
    let mut game = Game::with_draws(rules, position, DrawRules::default().without_capture(40));
    for text in ["b2-c3A", "a3-b2A", "a2-a3A", "b2-a2W"] {
        let turn = rules.parse_turn(game.position(), text).expect("a turn");
        game.play(turn);
    }
    let date = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_305_600 + 86_399);
    let record = Record::new(game)
        .with_players(" Rakoto \"R\" \\ ", "?")
        .unwrap()
        .with_date(date)
        .with_result(GameResult::Won(Side::Black))
        .unwrap();
    let written = record.to_string();
    assert_eq!(written, GAME);
    assert_eq!(read(&written), record);
    let found = read(&written);
    assert_eq!(found.player(Side::White), Some("Rakoto \"R\" \\"));
    assert_eq!(found.player(Side::Black), None);
    assert_eq!(found.date().as_deref(), Some("2026-11-22"));
    assert_eq!(found.result(), GameResult::Won(Side::Black));
    assert_eq!(found.into_game().turns().len(), 4);
}

#[test]
fn people_may_write_less_and_comment_more() {
    let short = read("[Rules \"standard\"]\n[Board \"9x5\"]\n");
    assert_eq!(short.game().start(), &Board::tsivy().start());
    assert_eq!((short.game().draws(), short.date()), (&DrawRules::NONE, None));
    assert_eq!(short.result(), GameResult::Unfinished);

    let text = "\u{feff}; a game\r\n[Event \"unknown tags are ignored\"]\r\n[Board \"9x5\"]\r\n\
                [Rules \"standard\"]\r\n\r\n\
                1.d3-e3A {the centre;\r\n [Rules \"in a comment\"] } d4d3A ; most\r\n2. *\r\n";
    let found = read(text);
    assert_eq!(found.game().turns().len(), 2);
    assert_eq!(read(&found.to_string()), found);
    // Black begins.
    let black = "[Rules \"standard\"]\n[Start \"B4/5/5/5/4W b\"]\n1... a5-a4 2. e1-e2 a4-a5";
    assert_eq!(read(black).game().turns().len(), 3);
    assert!(read(black).to_string().ends_with("\n1... a5-a4 2. e1-e2 a4-a5 *\n"));
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let start = "[Board \"9x5\"]\n[Rules \"standard\"]\n";
    for (more, line, expected) in [
        ("[Board \"9x5\"]", 3, "the tag Board is there twice"),
        ("[Result 1-0]", 3, "a tag has the form [Name \"value\"]"),
        ("[Result \"1-0\" \"0-1\"]", 3, "a tag has the form"),
        ("[White \"a\\b\"]", 3, "a tag has the form"),
        ("[Result \"2-0\"]", 3, "'2-0' is not a result; write 1-0, 0-1, 1/2-1/2, or *"),
        ("[Start \"BBB/B1W/WWW w\"]", 3, "the start position is on a board of 3x3, but"),
        ("[Start \"BBB w\"]", 3, "1 rank of 3 points given"),
        ("[Draws \"fifty\"]", 3, "'fifty' names no draw rules; write none, threefold"),
        ("[Date \"2026-02-29\"]", 3, "'2026-02-29' is not a date; write it as in"),
        ("[Date \"2026-1-1\"]", 3, "'2026-1-1' is not a date"),
        ("[Date \"2026-01-01-01\"]", 3, "is not a date"),
        ("[White \"a\tb\"]", 3, "and no control characters"),
        ("\n1. d3-e3A\n[Date \"?\"]", 5, "tags come before the turns"),
        ("1. d3-e3A d4-d3A 3. d2-e3A", 3, "the number of this turn is 3, but must be 2"),
        ("1. d3-e3A d4-d9A", 3, "turn 1: "),
        ("1. d3-e3A\n\n1... a1-a2", 5, "turn 1: "),
        ("1. d3-e3A * d4-d3A", 3, "'d4-d3A' follows the end of the game"),
        ("[Result \"1-0\"]\n1. d3-e3A 0-1", 4, "the result is 0-1, but the tag Result says 1-0"),
        ("1. d3-e3A {\nd4-d3A", 3, "the comment that begins here has no closing brace"),
    ] {
        let (found_line, found) = problem(&format!("{start}{more}"));
        assert_eq!(found_line, line, "{more}: {found}");
        assert!(found.contains(expected), "{more}: {found}");
    }
    for (text, line, expected) in [
        ("", 1, "does not name the board; write [Board \"9x5\"]"),
        ("[Board \"9x5\"]\n\n*", 3, "does not name the rule set; write [Rules \"standard\"]"),
        ("[Board \"9x4\"]", 1, ""),
        ("[Board \"9x5\"]\n[Rules \"chess\"]", 2, "'chess' is not a rule set"),
        ("[Board \"5x5\"]\n[Rules \"vela\"]", 2, ""),
    ] {
        let (found_line, found) = problem(text);
        assert_eq!(found_line, line, "{text}: {found}");
        assert!(found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn the_end_of_a_game_is_that_of_the_rules() {
    let won = "[Rules \"standard\"]\n[Start \"9/9/2W1B4/9/9 w\"]\n\n1. c3-d3A";
    assert_eq!(read(won).result(), GameResult::Won(Side::White));
    assert_eq!(read(&format!("{won} 1-0")).result(), GameResult::Won(Side::White));
    let (line, found) = problem(&format!("{won} 1/2-1/2"));
    assert_eq!(line, 4);
    assert!(found.contains("has ended 1-0"), "{found}");
    let (_, found) = problem(&format!("{won} d3-d4"));
    assert!(found.contains("follows the end"), "{found}");

    let repeated = "e1-e2 a5-a4 e2-e1 a4-a5 ".repeat(2);
    let text = |draws| {
        format!("[Rules \"standard\"]\n[Start \"B4/5/5/5/4W w\"]\n[Draws \"{draws}\"]\n{repeated}")
    };
    assert_eq!(read(&text("threefold")).result(), GameResult::Draw);
    assert_eq!(read(&text("none")).result(), GameResult::Unfinished);
    assert_eq!(read(&text("without-capture-8")).result(), GameResult::Draw);
    assert!(problem(&text("without-capture-7")).1.contains("follows the end"));
    // An agreed draw, and a resignation.
    let game = read(&text("none")).into_game();
    for result in [GameResult::Draw, GameResult::Won(Side::Black)] {
        let record = Record::new(game.clone()).with_result(result).expect("the game goes on");
        assert_eq!(read(&record.to_string()).result(), result);
    }
}

#[test]
fn sizes_are_limited() {
    let (line, found) = problem(&" ".repeat(MAX_RECORD_BYTES + 1));
    assert_eq!((line, found.contains("1048576 at most")), (1, true), "{found}");
    let start = "[Rules \"standard\"]\n[Start \"B4/5/5/5/4W w\"]\n";
    let turns = "e1-e2 a5-a4 e2-e1 a4-a5 ".repeat(MAX_RECORD_TURNS / 4);
    assert_eq!(read(&format!("{start}{turns}")).game().turns().len(), MAX_RECORD_TURNS);
    let (line, found) = problem(&format!("{start}{turns}\ne1-e2"));
    assert_eq!((line, found), (4, "a game has 10000 turns at most".to_owned()));
    let long = "e1".repeat(1000);
    assert!(problem(&format!("{start}{long}")).1.contains("a word has 2000 bytes"));
    let name = "x".repeat(MAX_NAME);
    assert_eq!(read(&format!("{start}[White \"{name}\"]")).player(Side::White), Some(&name[..]));
    assert!(problem(&format!("{start}[White \"{name}x\"]")).1.contains("100 characters at most"));
    // What is wrong is not repeated at any length.
    let long = "x".repeat(100_000);
    for text in [
        format!("[Rules \"{long}\"]"),
        format!("[Rules \"{}\"]", &long[..499]),
        format!("{start}1{}", "0".repeat(100_000)),
        format!("{start}* {long}"),
        format!("{start}[Draws \"{}\"]", &long[..499]),
    ] {
        assert!(problem(&text).1.len() < 1_000);
    }
}

#[test]
fn bytes_need_not_be_text() {
    let error = Record::read(b"[Board \"9x5\"]\n\xff").expect_err("it is no text");
    assert_eq!(error.to_string(), "line 2: the text is not UTF-8");
    assert!(Record::read(&vec![0xff; MAX_RECORD_BYTES + 1]).is_err());
    assert!(Record::read(b"[Board \"9x5\"]\n[Rules \"standard\"]").is_ok());
}

proptest! {
    #![proptest_config(cases(100))]

    /// Any game comes back as it was written.
    #[test]
    fn records_come_back(
        (rules, start) in cases_of_play(mostly_small_boards()),
        choices in proptest::collection::vec(any::<Index>(), 0..60),
        (threefold, without_capture) in (any::<bool>(), proptest::option::of(1..100_u32)),
        (white, black) in ("[ -~é]{0,30}", "\\PC{0,30}"),
        seconds in 0..200_000_000_000_u64,
        result in 0..4_usize,
    ) {
        let mut draws = DrawRules::NONE;
        draws.repetition = threefold;
        draws.without_capture = without_capture;
        let mut game = Game::with_draws(rules, start, draws);
        for choice in choices {
            if game.end().is_some() {
                break;
            }
            let turns = rules.turns(game.position());
            game.play(choice.get(&turns).clone());
        }
        let over = game.end().is_some();
        let record = Record::new(game).with_players(&white, &black).unwrap();
        let record = record.with_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        let record = if over {
            record
        } else {
            record.with_result([
                GameResult::Unfinished,
                GameResult::Draw,
                GameResult::Won(Side::White),
                GameResult::Won(Side::Black),
            ][result]).unwrap()
        };
        let text = record.to_string();
        let found: Record = text.parse().map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(found.to_string(), text);
        prop_assert_eq!(found.game().turns(), record.game().turns());
        prop_assert_eq!(found.game().position(), record.game().position());
        prop_assert_eq!(found.game().end(), record.game().end());
        for side in [Side::White, Side::Black] {
            prop_assert_eq!(found.player(side), record.player(side));
        }
    }

    /// Any text is read or refused, and what is read can be written.
    #[test]
    fn any_text_is_answered(text in "(\\[(Board|Rules|Start|Result|Date) \"[ -~]{0,9}\"\\]\n|\\PC|[a-i][1-5]|[{};.\n0-9-])*") {
        let text = format!("[Board \"9x5\"]\n[Rules \"standard\"]\n{text}");
        if let Ok(record) = text.parse::<Record>() {
            prop_assert_eq!(record.to_string().parse::<Record>().unwrap(), record);
        }
    }

    /// Damage to a good text never panics.
    #[test]
    fn a_damaged_text_is_answered(at in any::<Index>(), byte in any::<u8>()) {
        let text = "[Board \"9x5\"]\n[Rules \"standard\"]\n[Date \"2026-11-22\"]\n\n1. d3-e3A d4-d3A *\n";
        let mut bytes = text.as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Err(error) = Record::read(&bytes) {
            prop_assert!((1..=6).contains(&error.line), "{error}");
        }
    }
}
