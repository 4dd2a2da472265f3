//! `--batch`: what is not text, and answers as the lines come.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::tables::shared;
use crate::{fanorona, words};

const GOOD: &str = "9/9/2W1B4/9/9 w";

/// The lines that a command prints for some input, and its exit status.
fn answers(args: &str, input: &[u8]) -> (Vec<Value>, Option<i32>) {
    let tables = format!("{args} --tables \"{}\"", shared().display());
    let output = fanorona(words(&tables)).write_stdin(input).output().expect("it runs");
    let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let lines = lines.map(|line| serde_json::from_slice(line).expect("it is JSON")).collect();
    (lines, output.status.code())
}

const PROBE: &str = "probe --batch -";
const ANALYZE: &str = "analyze --batch - --json";

#[test]
fn bytes_that_are_not_utf8_spoil_one_line() {
    for args in [PROBE, ANALYZE] {
        let input = format!("{GOOD}\n\n9/9/2W1B4/9/9\u{e9} w\n{GOOD}\n");
        let mut input = input.into_bytes();
        let at = input.iter().position(|byte| *byte == 0xc3).expect("it is there");
        input.remove(at + 1);
        let (lines, status) = answers(args, &input);
        assert_eq!((lines.len(), status), (3, Some(2)), "{args}");
        assert_eq!((&lines[0]["value"], &lines[2]["value"]), (&json!("win"), &json!("win")));
        let message = "line 3 is not UTF-8: byte 14 is 0xc3";
        let error = json!({"code": "bad_parameter", "message": message});
        let expected = json!({
            "board": "9x5",
            "rules": "standard",
            "position": "9/9/2W1B4/9/9\u{fffd} w",
            "error": error,
            "line": 3
        });
        assert_eq!(lines[1], expected, "{args}");
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    for args in [PROBE, ANALYZE] {
        let input = format!("\u{feff}{GOOD}\n{GOOD}\n");
        let (lines, status) = answers(args, input.as_bytes());
        assert_eq!((lines.len(), status), (2, Some(0)), "{args}");
        assert_eq!(lines[0]["value"], lines[1]["value"]);
    }
    let dir = tempfile::tempdir().expect("a directory");
    let suite = "\u{feff}id a\nrules standard\ncount turns\nposition BBB/B1W/WWW w\nperft 1 4\n";
    fs::write(dir.path().join("a.perft"), suite).expect("it can be written");
    fanorona(words("perft --suite a.perft")).current_dir(&dir).assert().success();
}

#[test]
fn lines_that_cannot_be_answered_say_which_they_are() {
    for args in [PROBE, ANALYZE] {
        let long = "9".repeat(100_000);
        let input = format!("\n{GOOD}\nnonsense\n{long}\n3/1W1/2B w");
        let (lines, status) = answers(args, input.as_bytes());
        assert_eq!((lines.len(), status), (4, Some(2)), "{args}");
        assert_eq!((&lines[1]["line"], &lines[1]["position"]), (&json!(3), &json!("nonsense")));
        assert_eq!(lines[1]["error"]["code"], "bad_position");
        assert_eq!(lines[2]["error"]["message"], "line 4 is longer than 4,096 bytes");
        assert_eq!(lines[2]["position"].as_str().map(str::len), Some(4096));
        assert_eq!(lines[3]["line"], 5);
        let error = lines[3]["error"]["message"].as_str();
        assert!(error.is_some_and(|error| error.contains("3x3")), "{args}");
    }
}

#[test]
fn lists_may_have_comments_and_more_behind_the_positions() {
    for args in [PROBE, ANALYZE] {
        let input =
            format!("# a list\n\n  # {GOOD}\n{GOOD} | win in 1\n{GOOD}|anything\n{GOOD} x|\n");
        let (lines, status) = answers(args, input.as_bytes());
        assert_eq!((lines.len(), status), (3, Some(2)), "{args}: {lines:?}");
        assert_eq!((&lines[0]["position"], &lines[1]["value"]), (&json!(GOOD), &json!("win")));
        assert_eq!(
            (&lines[2]["line"], &lines[2]["error"]["code"]),
            (&json!(6), &json!("bad_position"))
        );
    }
}

/// Every position of games, of which one is over, one is wrong, and one has other rules.
#[test]
fn games_are_lists_of_positions() {
    let games = "\n[FEN \"9/9/2W1B4/9/9 w\"]\n1. c3d3A! {the end} 1-0\n\n[FEN \"BB7/9/9/3W5/9 w\"]\n\
                 1. d2d1 a5b4 (a5a4)\n[FEN \"9/9/2W1B4/9/9 w\"]\nc3c9\n[Rules \"vela\"]\n*\n";
    for args in [PROBE, ANALYZE] {
        let (lines, status) = answers(args, games.as_bytes());
        let values: Vec<_> = lines.iter().map(|line| line["value"].as_str()).collect();
        assert_eq!((values.len(), status), (7, Some(2)), "{args}: {lines:?}");
        assert_eq!(values[..3], [Some("win"), Some("loss"), Some("loss")], "{args}");
        let message = |at: usize| lines[at]["error"]["message"].as_str().expect("an error");
        assert!(message(5).starts_with("game 3: line 8, column 1: turn 1: "), "{}", message(5));
        assert!(message(6).ends_with("its rules are vela, not standard; use --rules vela"));
        assert_eq!((&lines[5]["line"], &lines[5]["position"]), (&json!(6), &json!("game 3")));
    }
}

/// Answers from before the failure are printed.
#[test]
fn an_input_that_cannot_be_read_is_named() {
    for args in ["probe --batch .", "analyze --batch ."] {
        let tables = shared().display();
        let output = fanorona(words(&format!("{args} --tables \"{tables}\""))).output();
        let output = output.expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("cannot read '.'"), "{stderr}");
    }
}

/// A program that answers while its input stays open.
struct Coprocess {
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
}

impl Coprocess {
    fn start(args: &str, tables: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fanorona"))
            .args(words(args))
            .arg("--tables")
            .arg(tables)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let input = child.stdin.take().expect("it is piped");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let (sender, output) = mpsc::channel();
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, input, output }
    }

    /// Sends some input and waits for a line.
    fn ask(&mut self, text: &str) -> Value {
        self.input.write_all(text.as_bytes()).expect("it listens");
        let line = self.output.recv_timeout(Duration::from_secs(60)).expect("it answers");
        serde_json::from_str(&line).expect("it is JSON")
    }
}

#[test]
fn a_line_is_answered_before_the_next_one_comes() {
    for args in [PROBE, ANALYZE] {
        let mut program = Coprocess::start(args, shared());
        for _ in 0..3 {
            let answer = program.ask(&format!("{GOOD}\n"));
            assert_eq!((&answer["position"], &answer["value"]), (&json!(GOOD), &json!("win")));
        }
        // In two parts.
        let (first, second) = GOOD.split_at(5);
        program.input.write_all(first.as_bytes()).expect("it listens");
        thread::sleep(Duration::from_millis(100));
        assert_eq!(program.ask(&format!("{second}\n"))["value"], "win", "{args}");
        let Coprocess { mut child, input, output } = program;
        drop(input);
        assert!(child.wait().expect("it ends").success(), "{args}");
        assert!(output.recv().is_err(), "nothing comes after the last answer");
    }
}

#[test]
fn many_lines_come_in_their_order() {
    let mut input = String::new();
    let mut expected = Vec::new();
    // More than are answered together, and longer than what is read at one time.
    for i in 0..40_000 {
        let (position, value) =
            if i % 3 == 0 { (GOOD, "win") } else { ("BB7/9/9/3W5/9 w", "loss") };
        input += position;
        input += "\n";
        expected.push(value);
    }
    let (lines, status) = answers(PROBE, input.as_bytes());
    assert_eq!(status, Some(0));
    let found: Vec<_> = lines.iter().filter_map(|line| line["value"].as_str()).collect();
    assert!(found == expected);
}
