//! Records of games: written, read, and read from texts that are wrong.

use std::time::{Duration, SystemTime};

use fanorona_core::{Board, Position, RuleSet, Side, Stones, Turn};
use fanorona_engine::{
    Annotation, DrawRules, Game, GameResult, MAX_NAME, MAX_RECORD_BYTES, MAX_RECORD_TURNS, Record,
    RecordError, Records, Remark,
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
    let RecordError { line, problem, .. } = text.parse::<Record>().expect_err(text);
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
    assert_eq!(found.game().turns().len(), 4);
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
        ("[Start \"BBB w\"]", 3, "'BBB w' is not a position"),
        ("[Draws \"fifty\"]", 3, "'fifty' names no draw rules; write none, threefold"),
        ("[Date \"2026-02-29\"]", 3, "'2026-02-29' is not a date; write it as in"),
        ("[Date \"2026-1-1\"]", 3, "'2026-1-1' is not a date"),
        ("[Date \"2026-01-01-01\"]", 3, "is not a date"),
        ("[White \"a\tb\"]", 3, "and no control characters"),
        ("\n1. d3-e3A\n[Date \"?\"]", 5, "another game begins here; give one game"),
        ("1. d3-e3A 1-0 1. d3-e3A", 3, "another game begins here"),
        ("1. d3-e3A (1. d3-e3W", 3, "the variation that begins here has no closing bracket"),
        ("1. d3-e3A )", 3, "a bracket closes no variation"),
        ("1. d3-e3A!!!", 3, "'!!!' is not a glyph"),
        ("2. d3-e3A", 3, "the number of this turn is 2, but must be 1"),
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
        ("", 1, "there is no game in the text"),
        ("; only a comment\n{and another}", 2, "there is no game"),
        ("[Variant \"Fanoron-Telo\"]", 1, "'Fanoron-Telo' is a game that is not known here"),
        ("[Vela \"Red\"]", 1, "'Red' is not the challenger of a vela"),
        ("[Board \"5x5\"]\n[Vela \"White\"]", 2, ""),
        (
            "[FEN \"9/9/2W1B4/9/9 w\"]\n[Start \"9/9/2W1B4/9/9 w\"]",
            2,
            "the tag Start is there twice",
        ),
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
    // A game that is drawn by its settings may be played on, and is then not over.
    assert_eq!(read(&text("without-capture-7")).result(), GameResult::Draw);
    let on = format!("{} e1-d1", text("threefold"));
    assert_eq!(read(&on).result(), GameResult::Unfinished);
    assert_eq!(read(&format!("{on} 0-1")).result(), GameResult::Won(Side::Black));
    // An agreed draw, and a resignation.
    let game = read(&text("none")).game().clone();
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

/// The texts of the turns of a game.
fn turns(record: &Record) -> Vec<String> {
    let board = record.game().position().board();
    record.game().turns().iter().map(|turn| turn.text(board).to_string()).collect()
}

#[test]
fn customs_of_pgn_are_kept() {
    let text = "% for another program\n[Event \"a \\\"b\\\"\"] [Date \"2026.11.22\"]\n\
                {before the first turn} 1.d3e3+! $10 ; good }\n(1. d2e3A {a\nb} (d3e3- 1... c4c3A) \
                ; end\n) 1… d4d3A?? 1/2-1/2 {agreed}";
    let record = read(text);
    assert_eq!(turns(&record), ["d3-e3A", "d4-d3A"]);
    assert_eq!(record.result(), GameResult::Draw);
    assert_eq!(record.date().as_deref(), Some("2026-11-22"));
    let note = |turns| record.annotation(turns).expect("there is one");
    assert_eq!(note(0).comments().collect::<Vec<_>>(), ["before the first turn"]);
    assert_eq!(note(1).glyphs(), [1, 10]);
    let [Remark::Comment(comment), Remark::Variation(variation)] = note(1).remarks() else {
        panic!("{:?}", note(1))
    };
    assert_eq!(comment, "good }");
    assert_eq!(variation, "1. d2e3A {a b} (d3e3- 1... c4c3A) {end}");
    assert_eq!(note(2).glyphs(), [4]);
    assert_eq!(note(2).comments().collect::<Vec<_>>(), ["agreed"]);
    let written = record.to_string();
    let end = "\n{before the first turn} 1. d3-e3A! $10 ; good }\n\
               (1. d2e3A {a b} (d3e3- 1... c4c3A) {end}) 1... d4-d3A?? {agreed} 1/2-1/2\n";
    assert!(written.ends_with(end), "{written}");
    assert_eq!(read(&written), record);
    // Neither does a result in a variation end the game.
    let text = "1. d3e3A (1. d2e3A 1-0) 1... d4d3A *";
    assert_eq!(turns(&read(text)), ["d3-e3A", "d4-d3A"]);
    // Notes on a turn go with it.
    let mut record = record;
    let turn = record.game().turns()[1].clone();
    assert!(record.undo() && record.annotation(1).is_some());
    record.play(turn);
    assert_eq!(record.annotation(2), None);
}

#[test]
fn numbers_may_have_any_form() {
    for text in [
        "d3e3A d4d3A f2f3A",
        "1. d3e3A d4d3A 2. f2f3A",
        "1.d3-e3A 1...d4-d3A 2.f2-f3A",
        "1 d3e3A d4d3A 2 f2f3A *",
        "1. D3-E3A 1… D4-D3A 2… f2f3a",
    ] {
        assert_eq!(turns(&read(text)), ["d3-e3A", "d4-d3A", "f2-f3A"], "{text}");
    }
    // Behind a position the numbers may go on.
    let later = "[FEN \"B4/5/5/5/4W b 3 17\"]\n17... a5-a4 18. e1-e2 a4-a5";
    assert_eq!(read(later).game().turns().len(), 3);
    let wrong = problem("[FEN \"B4/5/5/5/4W w\"]\n17. e1-e2 a5-a4 17. e2-e1").1;
    assert!(wrong.contains("is 17, but must be 18"), "{wrong}");
}

#[test]
fn a_text_may_have_many_games() {
    let bare = "1. d3e3A d4d3A 1-0 {first} 1. d3e3W * 1. e2e3 0-1";
    let found: Vec<_> = Records::new(bare).map(|record| turns(&record.unwrap()).len()).collect();
    assert_eq!(found, [2, 1, 1]);
    // Those behind one that is wrong are read, and comments hide tags.
    let text = format!(
        "{GAME}\n{}\n{{\n[Rules \"vela\"]\n}}\n[Board \"5x5\"]\nb2c3A {{ no end",
        GAME.replace("0-1\n", "1-0\n")
    );
    let found: Vec<_> = Records::new(&text).collect();
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].as_ref().unwrap(), &read(GAME));
    assert!(
        found[1].as_ref().unwrap_err().to_string().starts_with("line 21, column 35: the result")
    );
    let error = found[2].as_ref().unwrap_err();
    assert_eq!((error.line, error.column), (27, 7), "{error}");
    assert_eq!(Records::new(bare).filter(Result::is_ok).count(), 3);
    assert!(Records::new(" ").next().is_none() && Records::new("").next().is_none());
    // The default rules are for texts that name none.
    let defaults = Records::new("b2c3").with_defaults(Board::dimy(), RuleSet::FREE_CAPTURE);
    let games: Vec<_> = defaults.collect::<Result<_, _>>().unwrap();
    assert_eq!(games[0].game().rules(), &RuleSet::FREE_CAPTURE);
    assert!(Records::are_in("# a game\n1. d3e3A") && Records::are_in(GAME));
    assert!(!Records::are_in("9/9/2W1B4/9/9 w\n") && !Records::are_in("3..../"));
}

/// A game of tags alone ends where the next one begins, and not at a blank line within its tags.
#[test]
fn a_game_of_tags_alone_leaves_the_next_one() {
    let tags = |board: &str| format!("[White \"a\"]\n[Board \"{board}\"]\n\n");
    let (one, other) = (tags("5x5"), tags("3x3"));
    for (text, expected) in [
        (format!("{one}{other}1. b1-b2A *"), vec![("5x5", 0), ("3x3", 1)]),
        (format!("{one}\r\n{other}{one}"), vec![("5x5", 0), ("3x3", 0), ("5x5", 0)]),
        (format!("{one}; between\n\n{other}"), vec![("5x5", 0), ("3x3", 0)]),
        (format!("[Black \"b\"]\n\n{other}1. b1-b2A"), vec![("3x3", 1)]),
    ] {
        let found: Vec<_> = Records::new(&text).map(|found| found.expect(&text)).collect();
        let found: Vec<_> = found.iter().map(Record::game).collect();
        let found: Vec<_> = found
            .iter()
            .map(|game| (game.start().board().to_string(), game.turns().len()))
            .collect();
        let expected: Vec<_> = expected.into_iter().map(|(b, n)| (b.to_owned(), n)).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn how_a_game_was_ended_is_kept() {
    let mut record = read(GAME).with_termination("time forfeit").expect("a short text");
    assert!(record.to_string().contains("]\n[Termination \"time forfeit\"]\n\n1."), "{record}");
    assert_eq!(read(&record.to_string()), record);
    assert!(record.clone().with_termination("two\nlines").is_err());
    assert!(record.undo());
    assert_eq!(record.termination(), None);
    // A sentence of another program is no reason to refuse its game.
    let long = format!("[Termination \"{}\"]\n*", "x".repeat(300));
    assert_eq!(read(&long).termination(), None);
}

#[test]
fn a_long_text_has_short_games() {
    // More than a game may have, in games of one turn; then one that is too long.
    let many = "1. d3e3A * ".repeat(1 << 17);
    assert!(many.len() > MAX_RECORD_BYTES);
    assert_eq!(Records::new(&many).filter(Result::is_ok).count(), 1 << 17);
    let long = format!("1. d3e3A {}\n[Board \"5x5\"]\n*", "{x} ".repeat(1 << 19));
    let found: Vec<_> = Records::new(&long).collect();
    assert!(found[0].as_ref().unwrap_err().to_string().contains("1048576 at most"));
    assert_eq!((found.len(), found[1].is_ok()), (2, true));
}

/// A game as the web page of the engine of an-do-ni-ai-na writes it.
#[test]
fn fgn_is_read() {
    let text = "[Event \"Partie contre l'ordinateur\"]\n[Date \"2026.11.26\"]\n[White \"Vous\"]\n\
                [Black \"Moteur\"]\n[Result \"½-½\"]\n[Variant \"Fanoron-Tsivy\"]\n[Vela \"Noirs\"]\n\
                [FEN \"BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW b 0 1\"]\n\
                [Termination \"Accord\"]\n\n1... f4-e3A 2. d1-d2?! { -3.2 } ½-½";
    let record = read(text);
    assert_eq!(turns(&record), ["f4-e3A", "d1-d2"]);
    assert_eq!(record.game().rules().to_string(), "vela+must-capture");
    assert_eq!((record.player(Side::White), record.result()), (Some("Vous"), GameResult::Draw));
    assert_eq!(record.termination(), Some("Accord"));
    assert_eq!(record.annotation(2).map(Annotation::glyphs), Some(&[6][..]));
    assert_eq!(read("[Variant \"Fanoron-Dimy\"]\nb2c3A").game().start(), &Board::dimy().start());
    let other = read("[Vela \"Blancs\"]\n*");
    assert_eq!(other.game().rules().to_string(), "vela+victor-black+must-capture");
}

/// A game as cutegames writes it, and with tags that other runners of engines add.
#[test]
fn pgn_of_other_runners_is_read() {
    let text = "[Event \"my event\"]\n[Site \"CuteGames\"]\n[Date \"??\"]\n[Round \"1\"]\n\
                [White \"one\"]\n[Black \"two\"]\n[Result \"0-1\"]\n[FEN \"startpos\"]\n\
                [Adjudicated \"Out of time\"]\n[Winner \"two\"]\n[Loser \"one\"]\n[PlyCount \"2\"]\n\n\
                1. d3e3a d4d3A 0-1\n\n\n";
    let record = read(text);
    assert_eq!(turns(&record), ["d3-e3A", "d4-d3A"]);
    assert_eq!(record.game().start(), &Board::tsivy().start());
    let start = read("[FEN \"9/9/2W1B4/9/9 b\"]\n[SetUp \"1\"]\n\n1... e3d3 *");
    assert_eq!(turns(&start), ["e3-d3A"]);
    let more =
        "[Variant \"fanorona\"]\n[Board \"3\"]\n1. d3e3A {+0.35/12 0.10s} d4d3A {-0.1/9 0.1s}";
    let record = read(more);
    assert_eq!((turns(&record).len(), record.game().start().board()), (2, Board::tsivy()));
    assert_eq!(
        read("[Board \"5x5\"]\n[FEN \"startpos\"]\nb2c3A").game().start().board(),
        Board::dimy()
    );
}

/// A record of Abstract Play, with turns.
fn abstract_play(turns: &str) -> String {
    format!(
        r#"{{"header": {{"game": {{"name": "Fanorona"}}, "site": {{"name": "Abstract Play"}},
  "date-end": "2024-02-03T04:05:06.789Z", "players": [
    {{"name": "Rakoto", "userid": "1", "result": 0}}, {{"name": "Ra\"soa", "result": 1}}]}},
  "moves": [{turns}]}}"#
    )
}

#[test]
fn records_of_abstract_play_are_read() {
    let text =
        abstract_play(r#"["d3e3+", {"move": "d4d3+", "result": "x"}], ["e1d2+, d1+", null]"#);
    let error = text.parse::<Record>().unwrap_err().to_string();
    assert!(error.starts_with("line 4, column 60: turn 2: "), "{error}");
    let text =
        abstract_play(r#"["d3e3+", {"move": "d4d3+", "result": "x"}], ["e1d2+, d1-", "resign"]"#);
    let record = read(&text);
    assert_eq!(turns(&record), ["d3-e3A", "d4-d3A", "e1-d2A-d1W"]);
    assert_eq!(record.result(), GameResult::Won(Side::Black));
    assert_eq!(
        (record.player(Side::Black), record.date().as_deref()),
        (Some("Ra\"soa"), Some("2024-02-03"))
    );
    // One after the other, and in lists.
    for many in [format!("{text}\n{text}"), format!(" [{text}, {text}]")] {
        assert_eq!(Records::new(&many).filter(Result::is_ok).count(), 2);
        assert!(problem(&many).1.contains("another game begins here"));
    }
    for (change, with, expected) in [
        ("Fanorona", "Chess", "the game is 'Chess', not Fanorona"),
        (
            "{\"name\": \"Fanorona\"}",
            "{\"name\": \"Fanorona\", \"variants\": [\"x\"]}",
            "'x' is a game",
        ),
        ("\"result\": 1}]", "\"result\": 1}, {\"name\": \"third\"}]", "has two players, not 3"),
        ("\"moves\"", "\"mows\"", "this is no record of Abstract Play: missing field `moves`"),
        ("e1d2+", "e1e3+", "no link joins e1 and e3"),
        (
            "[[",
            "[[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",",
            "invalid length 17",
        ),
    ] {
        let (_, found) = problem(&text.replace(change, with));
        assert!(found.contains(expected), "{change}: {found}");
    }
}

/// A game of boardspace.net, with actions.
fn boardspace(actions: &str) -> String {
    format!(
        "(;\n GM[Fanorona] VV[1]\n DT[]\n GN[a-b]\n SU[fanorona]\n P0[id \"Rakoto\"]\n P1[id \"Rasoa\"]\n \
         ; P0[0 Start P0]\n{actions} ;\n P0[time 0:00:47 ]\n)\n"
    )
}

#[test]
fn games_of_boardspace_are_read() {
    let text = boardspace(
        " ; P0[1 Capture A D 3 E 3]\n ; P0[2 done]\n ; P1[3 Pickb D 4 1]\n ; P1[4 Dropb D 3 1]\n \
         ; P1[5 Remove D 2 0]\n ; P1[6 Remove D 1 0]\n ; P1[7 done]\n ; P0[8 Move E 2 E 3]\n ; P0[9 Done]\n \
         ; P1[10 Resign]\n",
    );
    let (line, found) = problem(&text);
    assert!(line == 17 && found.contains("e3 is not empty"), "{line}: {found}");
    let text = text.replace("Move E 2 E 3", "Capture A F 2 F 3");
    let record = read(&text);
    assert_eq!(turns(&record), ["d3-e3A", "d4-d3A", "f2-f3A"]);
    assert_eq!(record.result(), GameResult::Won(Side::White));
    assert_eq!(record.player(Side::White), Some("Rakoto"));
    assert_eq!(Records::new(&text.repeat(3)).filter(Result::is_ok).count(), 3);
    let relay = boardspace(" ; P0[1 Capture A D 3 E 3] ; P0[2 CaptureW E 3 E 4]");
    assert!(
        problem(&relay).1.contains("turn 1: in the turn 'd3-e3A-e4W'")
            || problem(&relay).1.contains("the turn 'd3-e3A-e4W'")
    );
    for (change, with, expected) in [
        ("[Fanorona]", "[Hex]", "the game is 'Hex', not Fanorona"),
        ("GM[Fanorona]", "", "not Fanorona"),
        ("[fanorona]", "[other]", "'other' is a game"),
        ("Capture A", "Capture X", "is not an action"),
        ("Remove D 2 0", "Explode", "'5 Explode' is not an action"),
        ("D 3 E 3", "D 3", "is not an action"),
    ] {
        let (_, found) = problem(&text.replace(change, with));
        assert!(found.contains(expected), "{change}: {found}");
    }
}

proptest! {
    #![proptest_config(cases(300))]

    /// Parts of all forms in any order are read or refused, and games that are read can be written.
    #[test]
    fn any_parts_are_answered(parts in proptest::collection::vec(prop_oneof![
        Just("(;GM[Fanorona]"), Just(")"), Just("P0["), Just("1 Capture A D 3 E 3]"), Just("]"), Just("("), Just("[[\"d3e3+\"]]"),
        Just("{\"header\":{\"game\":{\"name\":\"Fanorona\"},\"players\":[{\"name\":\"\"},{\"name\":\"\"}]},\"moves\":"),
        Just("}"), Just("[{"), Just("[Rules \"vela\"]"), Just("1."), Just("d3e3"), Just("A"), Just("+"), Just(","), Just("%"),
        Just("{"), Just(";"), Just("\n"), Just(" "), Just("*"), Just("1-0"), Just("!"), Just("$7"), Just("é"), Just("\u{feff}"), Just("?"),
        Just(" d3e3A "), Just(" (1. x) "), Just("\""), Just("\\"), Just("2 done]"), Just("3 Remove F 3 0]"), Just("P1[4 Resign]"),
    ], 0..24)) {
        let text = parts.concat();
        prop_assert!(Records::new(&text).count() <= parts.len());
        for record in Records::new(&text).flatten() {
            prop_assert_eq!(record.to_string().parse::<Record>().unwrap(), record);
        }
    }

    /// Annotations come back, whatever is in them.
    #[test]
    fn annotations_come_back(notes in proptest::collection::vec(
        (0..3_usize, any::<u8>(), "\\PC{0,100}|.{0,9}|(\\}|\\{|x| |%)*", "(a1|%|\\(|\\)|;|\n| |\\{x\\}|[!-~]){0,20}"), 0..4,
    )) {
        let mut record = read("1. d3e3A d4d3A *");
        for (turns, glyph, comment, variation) in notes {
            let mut note = record.annotation(turns).cloned().unwrap_or_default();
            note.add_glyph(glyph).add_comment(&comment);
            let _ = note.add_variation(&variation);
            record = record.with_annotation(turns, note);
        }
        let text = record.to_string();
        let found: Record = text.parse().map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(found.to_string(), text);
        for turns in 0..3 {
            prop_assert_eq!(found.annotation(turns), record.annotation(turns));
        }
    }
}

proptest! {
    #![proptest_config(cases(100))]

    /// Any game comes back as it was written.
    #[test]
    fn records_come_back(
        (rules, start) in cases_of_play(mostly_small_boards()),
        choices in proptest::collection::vec(any::<Index>(), 0..60),
        (threefold, without_capture) in (any::<bool>(), proptest::option::of(1..9_u32)),
        to_and_fro in 0..12_usize,
        (white, black) in ("[ -~é]{0,30}", "\\PC{0,30}"),
        seconds in 0..200_000_000_000_u64,
        result in 0..4_usize,
    ) {
        let mut draws = DrawRules::NONE;
        draws.repetition = threefold;
        draws.without_capture = without_capture;
        let mut game = Game::with_draws(rules, start, draws);
        // Draws by settings do not end it. At last the stones go to and fro, if they can.
        for choice in choices.iter().map(Some).chain(std::iter::repeat_n(None, to_and_fro)) {
            let turns = rules.turns(game.position());
            let before = game.earlier().iter().rev().nth(1).map(|before| Stones::of(before).own);
            let goes_back = |turn: &&Turn| {
                let after = Stones::of(&game.position().play_unchecked(turn));
                turn.is_paika() && Some(after.opponent) == before
            };
            let turn = match choice {
                _ if turns.is_empty() => break,
                Some(choice) => choice.get(&turns),
                None => turns.iter().find(goes_back).unwrap_or(&turns[0]),
            };
            game.play(turn.clone());
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
        if let Err(error) = String::from_utf8_lossy(&bytes).parse::<Record>() {
            prop_assert!((1..=6).contains(&error.line) && error.column < 40, "{error}");
        }
    }
}
