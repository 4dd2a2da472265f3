//! `play`: whole games over pipes.

use std::fs;
use std::path::Path;

use crate::{fanorona, words};

/// Plays in a directory with these lines of input: what is printed, and the exit status.
fn play(dir: &Path, args: &str, input: &str) -> (String, String, Option<i32>) {
    let output = fanorona(words(&format!("play {args}")))
        .current_dir(dir)
        .write_stdin(input)
        .output()
        .expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (text(output.stdout), text(output.stderr), output.status.code())
}

/// The output of a game that goes well.
fn played(dir: &Path, args: &str, input: &str) -> String {
    let (stdout, stderr, status) = play(dir, args, input);
    assert_eq!((stderr.as_str(), status), ("", Some(0)), "{stdout}");
    stdout
}

/// The text of a game without what depends on the day.
fn record(dir: &Path, file: &str) -> String {
    let text = fs::read_to_string(dir.join(file)).expect("it is saved");
    text.lines()
        .filter(|line| !line.starts_with("[Date "))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn two_people_play_to_the_end() {
    let dir = tempfile::tempdir().expect("a directory");
    let args = "--side both \"9/9/2W1B4/9/9 w\" --save game";
    let printed = played(dir.path(), args, "c3d3\n");
    assert!(printed.contains("white> "), "{printed}");
    assert!(!printed.contains("level"), "{printed}");
    let expected = "the game is over: white has won\nturns: c3-d3A\nsaved in game\n";
    assert!(printed.ends_with(expected), "{printed}");
    let expected = "[Board \"9x5\"]\n[Rules \"standard\"]\n[Start \"9/9/2W1B4/9/9 w\"]\n\
                    [Draws \"threefold\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"1-0\"]\n\n\
                    1. c3-d3A 1-0\n";
    assert_eq!(record(dir.path(), "game"), expected);
    // A game that is over stays so.
    let printed = played(dir.path(), "--side both --load game", "");
    assert!(printed.ends_with("the game is over: white has won\nturns: c3-d3A\n"), "{printed}");
}

#[test]
fn help_fits_80_columns() {
    let dir = tempfile::tempdir().expect("a directory");
    let printed = played(dir.path(), "--side both", "help\nquit\n");
    assert!(printed.contains("  quit       leave the game\n"), "{printed}");
    for line in printed.lines() {
        assert!(line.len() <= 80, "{} columns: {line}", line.len());
    }
}

/// A hint tells what is proved, with the certificates that the program has, unless they are not wanted.
#[cfg(feature = "starts")]
#[test]
fn a_hint_knows_what_is_proved() {
    let dir = tempfile::tempdir().expect("a directory");
    let play = "--side both --time 100ms";
    let hint = |args: &str| played(dir.path(), &format!("{play} {args}"), "hint\nquit\n");
    let proved = "hint: f2-e3A   Draw with best play\n";
    assert!(hint("--board 9x5").contains(proved));
    let estimated = hint("--board 9x5 --book none");
    assert!(estimated.contains("hint: ") && estimated.contains(" (estimate)"), "{estimated}");
}

#[test]
fn every_command_answers() {
    let dir = tempfile::tempdir().expect("a directory");
    let input = "help\nturns\n9\n1\nundo\nundo\nnonsense\nsave\nsave b/c\nsave copy\nhint\nrecord\nhint now\n\
                 1. D3E3+\nboard\ndraw\nquit\n";
    let printed = played(dir.path(), "--level 1 --time 100ms", input);
    for expected in [
        "the program plays at level 1 (beginner)",
        "resign     give up the game",
        "   4  d3-e3A  takes f3\n",
        "last turn: white d3-e3A  takes f3\n",
        "there is no turn number 9: the turns are 1 to 5",
        "there is no turn to take back",
        "write the name of a file after 'save'",
        "cannot write the game 'b/c'",
        "saved in copy",
        "hint: ",
        "(estimate)",
        "[Black \"fanorona, level 1 (beginner)\"]",
        "nothing may follow 'hint'; 'help' lists the commands",
        "black plays ",
        "the program does not agree on draws",
        "turns: d3-e3A ",
    ] {
        assert!(printed.contains(expected), "{expected}\n{printed}");
    }
    assert!(record(dir.path(), "copy").ends_with("\n\n*\n"));
}

#[test]
fn a_game_is_resigned_saved_and_continued() {
    let dir = tempfile::tempdir().expect("a directory");
    let first = "--board 5x5 --rules forced-relay --draws threefold+without-capture-30 --save game";
    let printed = played(dir.path(), first, "1\nresign\n");
    assert!(printed.contains("white resigns: black wins\nturns: "), "{printed}");
    let saved = record(dir.path(), "game");
    assert!(saved.contains("[Rules \"forced-relay\"]\n"), "{saved}");
    assert!(saved.ends_with(" 0-1\n"), "{saved}");
    let printed = played(dir.path(), "--load game --save game", "1\nquit\n");
    let header = "the result in 'game' is 0-1; the game continues from its last position\n\
                  5x5, forced-relay, draws: threefold+without-capture-30\n";
    assert!(printed.starts_with(header), "{printed}");
    let longer = record(dir.path(), "game");
    let turns = |text: &str| {
        text.lines().skip_while(|line| !line.is_empty()).flat_map(str::split_whitespace).count()
    };
    assert!(longer.ends_with(" *\n") && turns(&longer) > turns(&saved), "{longer}");
}

#[test]
fn two_people_agree_on_a_draw_and_take_turns_back() {
    let dir = tempfile::tempdir().expect("a directory");
    let input = "d3-e3A\nundo\nd3-e3W\nundo\nundo\nd2-e3A\ndraw\n";
    let printed = played(dir.path(), "--side both --save game", input);
    let expected = "the game is a draw, as agreed\nturns: d2-e3A\nsaved in game\n";
    assert!(printed.ends_with(expected), "{printed}");
    assert!(record(dir.path(), "game").ends_with("\n1. d2-e3A 1/2-1/2\n"));
}

#[test]
fn draw_rules_are_settings_of_the_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let turns = "e1-e2\na5-a4\ne2-e1\na4-a5\n".repeat(2);
    let ended = |draws: &str| {
        let args = format!("--side both \"B4/5/5/5/4W w\" --board 5x5 {draws}");
        let printed = played(dir.path(), &args, &turns);
        printed.lines().rev().nth(1).expect("lines").to_owned()
    };
    assert_eq!(ended(""), "the game is a draw: the position has occurred three times");
    assert_eq!(
        ended("--draws without-capture-8"),
        "the game is a draw: too many turns without a capture"
    );
    assert_eq!(ended("--draws none"), "the input has ended before the game");
}

#[test]
fn the_program_plays_itself() {
    let dir = tempfile::tempdir().expect("a directory");
    let game = |seed: u32| {
        let args = format!("--board 5x5 --side none --level 1 --seed {seed} --save {seed}");
        let printed = played(dir.path(), &args, "");
        assert!(printed.contains("the game is "), "{printed}");
        assert!(!printed.contains("> "), "{printed}");
        record(dir.path(), &seed.to_string())
    };
    let one = game(1);
    assert_eq!(one, game(1), "the seed decides");
    assert!((2..10).any(|seed| game(seed) != one), "the seed matters");
    assert!(!one.ends_with("*\n"), "{one}");
}

#[test]
fn one_of_many_games_is_continued() {
    let dir = tempfile::tempdir().expect("a directory");
    let json = r#"{"header": {"game": {"name": "Fanorona"}, "players": [{"name": "a"}, {"name": "b"}]},
        "moves": [["d3e3-", null]]}"#;
    fs::write(dir.path().join("json"), json).unwrap();
    let first = "1. d3e3A! {good} d4d3A 1-0\n";
    fs::write(dir.path().join("first"), first).unwrap();
    fs::write(dir.path().join("games"), format!("{first}1. d2e3A (1. e2e3A) *")).unwrap();
    let printed = |args: &str| played(dir.path(), &format!("--side both --load {args}"), "quit\n");
    // Annotations are kept as far as the turns are.
    let saved = |lines: &str| {
        played(dir.path(), "--side both --load first --save copy", lines);
        record(dir.path(), "copy")
    };
    assert!(saved("e1-d2A\n").ends_with("\n1. d3-e3A! {good} 1... d4-d3A 2. e1-d2A *\n"));
    assert!(saved("undo\nundo\nd2-e3A\n").ends_with("\n1. d2-e3A *\n"));
    let last = printed("games");
    assert!(last.starts_with("'games' has 2 games; this is the last one\n9x5, standard"), "{last}");
    assert!(last.ends_with("turns: d2-e3A\n"), "{last}");
    assert!(printed("first").ends_with("turns: d3-e3A d4-d3A\n"));
    assert!(printed("json").ends_with("turns: d3-e3W\n"));
}

#[test]
fn a_game_that_is_drawn_by_its_settings_is_read_when_it_was_played_on() {
    let dir = tempfile::tempdir().expect("a directory");
    let turns = format!("{}e1-d1", "e1-e2 a5-a4 e2-e1 a4-a5 ".repeat(2));
    for draws in ["threefold", "without-capture-3", "threefold+without-capture-8"] {
        let text = format!("[Start \"B4/5/5/5/4W w\"]\n[Draws \"{draws}\"]\n\n{turns} *\n");
        fs::write(dir.path().join("game"), text).unwrap();
        let printed = played(dir.path(), "--side both --load game --save copy", "quit\n");
        assert!(printed.contains(&format!("turns: {turns}\n")), "{printed}");
        let again = played(dir.path(), "--side both --load copy", "");
        assert!(again.ends_with(&format!("turns: {turns}\n")), "{again}");
    }
}

#[test]
fn black_may_be_played() {
    let dir = tempfile::tempdir().expect("a directory");
    let printed = played(dir.path(), "--side black --level 2", "undo\n1\nquit\n");
    let lines: Vec<_> = printed.lines().filter(|line| line.contains("plays ")).collect();
    assert!(lines[1].starts_with("white plays "), "{lines:?}");
    assert!(printed.contains("there is no turn to take back"), "{printed}");
    assert_eq!(lines.len(), 3, "{lines:?}");
}

#[test]
fn what_cannot_be_used_is_said() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("bad"), "[Board \"9x5\"]\n[Rules \"standard\"]\n1. a1-a2\n").unwrap();
    fs::write(dir.path().join("bytes"), b"\xff\xfe").unwrap();
    fs::write(dir.path().join("blank"), vec![b' '; (1 << 20) + 1]).unwrap();
    fs::write(dir.path().join("long"), "x".repeat(1 << 20) + " x").unwrap();
    for (args, expected) in [
        ("--load none", "cannot read 'none'"),
        ("--load bad", "'bad' is not a game: line 3, column 4: turn 1: "),
        ("--load bytes", "'bytes': line 1 is not UTF-8"),
        ("--load blank", "'blank' has no game"),
        ("--load long", "'long' is not a game: line 1, column 1: the text has 1048577 bytes"),
        ("--load bad --board 5x5", "cannot be used with"),
        ("--save none/game", "cannot write the game 'none/game'"),
        ("--level 10", "'10' is not a level: 1 (beginner) to 8"),
        ("--draws fifty", "'fifty' names no draw rules"),
        ("--after \"d3-e3A a1-a2\"", "a1-a2"),
        ("\"9/9/2W1B4/9/9 w\" --after \"c3-d3A d3-d4\"", ""),
        ("--side red", "white, black, both, none"),
        ("--time never", "write a time, as in 10s, 1m or 500ms"),
        ("--seed today", "write a whole number, 0 to 18446744073709551615"),
        #[cfg(unix)]
        ("--load /dev/zero", "'/dev/zero' has more than 64 MiB"),
        ("--rules vela --board 5x5", ""),
        ("--tables none", "no tables of 9x5 under standard in none"),
    ] {
        let (stdout, stderr, status) = play(dir.path(), args, "");
        assert_eq!(status, Some(2), "{args}: {stdout}{stderr}");
        assert!(stderr.contains(expected), "{args}: {stderr}");
    }
}
