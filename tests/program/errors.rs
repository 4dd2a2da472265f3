//! Errors by their kinds: the exit status, and with `--json` one object with a code.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::damage::{copy, table};
use crate::{fanorona, words};

/// The code of the error object that is all of standard output. Its message is the one on standard
/// error.
fn code(stdout: &str, stderr: &str) -> String {
    assert_eq!(stdout.lines().count(), 1, "{stdout}{stderr}");
    let answer: Value = serde_json::from_str(stdout).expect("it is JSON");
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(1), "{stdout}");
    let message = answer["error"]["message"].as_str().expect("there is a message");
    assert!(stderr.starts_with(&format!("error: {message}")), "{stdout}{stderr}");
    answer["error"]["code"].as_str().expect("there is a code").to_owned()
}

/// Changes a byte of a file, counted from its end if the number is negative.
fn change(path: &Path, at: isize) {
    let mut bytes = fs::read(path).expect("it is there");
    let at = if at < 0 { bytes.len() - at.unsigned_abs() } else { at.unsigned_abs() };
    bytes[at] ^= 0x40;
    fs::write(path, bytes).expect("it can be written");
}

/// Everything that a person can do wrong or miss.
#[test]
fn each_kind_has_its_status_and_code() {
    let dir = copy();
    let here = dir.path();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
    let kept = |name: &str| kept.join(name).display().to_string();
    fs::write(here.join("text"), "hello").expect("it can be written");
    change(&table(&dir, "2v1"), -1);
    fs::copy(table(&dir, "1v1"), table(&dir, "1v2")).expect("it can be copied");
    change(&table(&dir, "3v1"), 8);
    let damaged = here.join("damaged.proof");
    fs::copy(kept("3x3-standard.proof"), &damaged).expect("it can be copied");
    change(&damaged, -1);
    let search = "analyze --board 3x3 --book none --nodes 5 --resume search";
    fanorona(words(search)).current_dir(here).assert().success();
    let probe = |position: &str| format!("probe --tables . \"{position}\"");
    let unbeatable = |rest: &str| format!("match --games 2 --level 9 --level 1 {rest}");
    let of_5x5 = format!("\"{}\"", kept("5x5-standard.proof"));
    let cases = [
        // Arguments.
        ("moves --board 4x4".to_owned(), "bad_board"),
        ("moves --rules chess".to_owned(), "bad_rules"),
        ("moves --rules vela --board 5x5".to_owned(), "bad_rules"),
        ("moves \"9/9/9/9/9 w\"".to_owned(), "bad_position"),
        ("moves --after hello".to_owned(), "bad_turn"),
        ("moves --after a1-a2".to_owned(), "bad_turn"),
        ("moves --bord 9x5".to_owned(), "bad_parameter"),
        ("build --stones 1".to_owned(), "bad_parameter"),
        ("perft 2 --temp here".to_owned(), "bad_parameter"),
        ("match --engine false --level 1 --games 2".to_owned(), "engine_failed"),
        // Files with input.
        ("perft --suite none".to_owned(), "not_found"),
        ("perft --suite text".to_owned(), "bad_record"),
        ("analyze --board 3x3 --book none --resume text".to_owned(), "damaged_file"),
        ("analyze --board 3x5 --book none --resume search".to_owned(), "other_file"),
        // Tables.
        ("tables --tables none".to_owned(), "not_found"),
        (probe("WWW6/9/9/9/BB7 w"), "missing_table"),
        (probe("9/9/W1W6/9/8B w"), "damaged_file"),
        (probe("9/9/W8/9/7BB w"), "other_file"),
        (probe("9/9/W1W1W4/9/8B w"), "other_version"),
        ("build --stones 5 --memory 1 --tables new".to_owned(), "memory_limit"),
        ("build --slice 11v1 --tables new".to_owned(), "too_large"),
        // Certificates.
        ("check none".to_owned(), "not_found"),
        ("check text".to_owned(), "damaged_file"),
        (format!("check {of_5x5} --tables ."), "missing_table"),
        (unbeatable("--board 7x3 --rules standard+no-turns-draw"), "missing_certificate"),
        ("analyze --board 3x3 --book damaged.proof".to_owned(), "damaged_file"),
        (format!("analyze 9x5 --book {of_5x5}"), "other_game"),
        #[cfg(feature = "starts")]
        (unbeatable("--board 5x5"), "missing_table"),
    ];
    for (args, expected) in &cases {
        let run = fanorona(words(args)).arg("--json").current_dir(here).output();
        let run = run.expect("the program starts");
        let [stdout, stderr] =
            [run.stdout, run.stderr].map(|text| String::from_utf8(text).expect("it is text"));
        assert_eq!(run.status.code(), Some(2), "{args}: {stderr}");
        assert_eq!(code(&stdout, &stderr), *expected, "{args}: {stderr}");
    }
}

/// Answers about positions and tables name the game. What is not known is left out, in all of them.
#[test]
fn answers_name_the_game_and_have_no_null() {
    let dir = tempfile::tempdir().expect("a directory");
    let build = "build --board 3x3 --stones 4 --tables .";
    fanorona(words(build)).current_dir(&dir).assert().success();
    let lines = dir.path().join("lines");
    fs::write(&lines, "BBB/B1W/WWW w\n3/WB1/3 w\n").expect("it can be written");
    let game = |answer: &Value| (answer["board"].clone(), answer["rules"].clone());
    let expected = (json!("3x3"), json!("standard"));
    for args in [
        "moves",
        "moves \"3/3/W2 w\"",
        "perft 2",
        "stats --depth 3",
        "stats --depth 1 --games 2",
        "stats --depth 1 --games 1 \"3/3/W2 w\"",
        "analyze --nodes 3 --book none",
        "analyze --book none",
        "analyze \"3/3/W2 w\"",
        "probe \"WB1/3/3 w\" --tables .",
        "verify --quick --tables .",
        "build --estimate --stones 4 --tables .",
        "export --tables . --stones 2 --output rows.csv",
        "find wins --tables . --stones 2",
        "match --level 1 --level 1 --games 2",
        "analyze --batch lines --nodes 3 --book none",
    ] {
        let board = if args.contains('/') { "" } else { "--board 3x3" };
        let run = fanorona(words(&format!("{args} {board} --json"))).current_dir(&dir).output();
        let run = run.expect("the program starts");
        let stdout = String::from_utf8(run.stdout).expect("it is text");
        let error = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success() && !stdout.is_empty(), "{args}: {stdout}{error}");
        for line in stdout.lines() {
            let answer: Value = serde_json::from_str(line).expect("it is JSON");
            assert_eq!(game(&answer), expected, "{args}: {line}");
            // A match without a limit of turns without a capture says so.
            let line = line.replace("\"without_capture\":null", "");
            assert!(!line.contains(":null"), "{args}: {line}");
        }
    }
}

/// The answer names what fails a check, and is the only object.
#[test]
fn a_check_that_fails_has_an_answer() {
    let dir = copy();
    change(&table(&dir, "2v1"), -1);
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
    let damaged = dir.path().join("damaged.proof");
    fs::copy(kept.join("3x3-standard.proof"), &damaged).expect("it can be copied");
    change(&damaged, -1);
    for args in ["verify --tables . --quick --json", "check damaged.proof --json"] {
        let run = fanorona(words(args)).current_dir(&dir).assert().code(1);
        let answer: Value = serde_json::from_slice(&run.get_output().stdout).expect("one object");
        let found = if args.starts_with("check") { &answer } else { &answer["slices"] };
        assert!(found.is_array() || found["ok"] == false, "{answer}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interruption_is_an_error_too() {
    let args = "match --engine cat --level 2 --games 2 --json";
    let (status, stdout, stderr) = crate::matches::interrupted_while_an_engine_starts(args);
    assert_eq!((status, code(&stdout, &stderr).as_str()), (Some(130), "interrupted"));
}
