//! Files that are standard output, and what a terminal is sent.

use std::fs;

use serde_json::Value;

use crate::{fanorona, refused, words};

/// Runs the program, which has to succeed: standard output, and standard error as text.
fn run(args: &str) -> (Vec<u8>, String) {
    let output = fanorona(words(args)).write_stdin("").assert().success().get_output().clone();
    (output.stdout, String::from_utf8(output.stderr).expect("it is text"))
}

/// The file is all that standard output has. What else there is to say goes to standard error.
#[test]
fn a_file_can_be_standard_output() {
    let dir = tempfile::tempdir().expect("a directory");
    let (chart, said) = run("stats --depth 2 --svg -");
    assert!(chart.starts_with(b"<svg") && said.contains("capturing turns by steps and depth"));

    let (certificate, said) = run("analyze --board 3x3 --certificate -");
    let file = dir.path().join("certificate");
    fs::write(&file, certificate).expect("it can be written");
    fanorona(["check"]).arg(&file).assert().success();
    assert!(said.contains("certificate: standard output, "), "{said}");

    let (games, said) = run("match --board 3x3 --level 1 --level 1 --games 2 --output -");
    assert_eq!(String::from_utf8_lossy(&games).matches("[Board \"3x3\"]").count(), 2);
    assert!(said.contains("game 2: "), "{said}");
    let (log, said) = run("match --board 3x3 --level 1 --level 1 --games 2 --log -");
    assert!(String::from_utf8_lossy(&log).contains(" < go "));
    assert!(said.contains("game 2: "), "{said}");

    let (game, said) = run("play --board 3x3 --side none --level 1 --save -");
    assert!(game.starts_with(b"[Board \"3x3\"]"));
    assert!(said.ends_with("saved in standard output\n"), "{said}");

    // Standard output has room for one.
    for (args, option) in [
        ("stats --depth 1 --svg - --json", "--svg -"),
        ("moves --svg - --json", "--svg -"),
        ("find wins --output - --json", "--output -"),
        ("analyze --board 3x3 --certificate - --json", "--certificate -"),
        ("match --board 3x3 --level 1 --level 1 --log - --json", "--log -"),
    ] {
        let output = fanorona(words(args)).assert().code(2).get_output().clone();
        let stderr = String::from_utf8(output.stderr).expect("it is text");
        let found = [option, "--json", "standard output"].map(|part| stderr.contains(part));
        assert_eq!(found, [true; 3], "{stderr}");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!(answer["error"]["code"], "bad_parameter");
    }
    let both = ["--output '-'", "--log '-'", "the same file"];
    refused("match --board 3x3 --level 1 --level 1 --output - --log -", 2, &both);
    refused("analyze --board 3x3 --resume -", 2, &["--resume needs a file"]);
}

/// Text from elsewhere cannot control the terminal.
#[test]
fn control_characters_are_shown() {
    let input = "\u{1b}[31mred\u{9b}\nquit\n";
    let output = fanorona(["play"]).write_stdin(input).assert().success().get_output().clone();
    let stdout = String::from_utf8(output.stdout).expect("it is text");
    assert!(stdout.contains("'\\u{1b}[31mred\\u{9b}'"), "{stdout}");
    assert!(!stdout.contains(['\u{1b}', '\u{9b}']), "{stdout}");

    let dir = tempfile::tempdir().expect("a directory");
    let positions = dir.path().join("positions");
    fs::write(&positions, "\u{1b}]0;title\u{7}\n").expect("it can be written");
    let mut batch = fanorona(["analyze", "--batch"]);
    let output = batch.arg(&positions).assert().code(2).get_output().clone();
    let stdout = String::from_utf8(output.stdout).expect("it is text");
    assert!(stdout.starts_with("\\u{1b}]0;title\\u{7}: "), "{stdout}");

    let file = dir.path().join("\u{1b}[2J");
    let output = fanorona(["check"]).arg(&file).assert().code(2).get_output().clone();
    let stderr = String::from_utf8(output.stderr).expect("it is text");
    assert!(stderr.contains("\\u{1b}[2J") && !stderr.contains('\u{1b}'), "{stderr}");
}

/// A terminal that says nothing about itself is sent plain text.
#[cfg(target_os = "linux")]
#[test]
fn escape_sequences_are_for_terminals_that_know_them() {
    let dir = tempfile::tempdir().expect("a directory");
    let on_terminal = |term: &str| {
        let commands = "\"$F\" --help; \"$F\" moves --wrong; \"$F\" analyze --book none --time 0.5";
        let script = format!("{term} CI=1 script -qec '{commands}' /dev/null </dev/null");
        let output = crate::shell(dir.path(), &script);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.contains("Usage:") && text.contains("--wrong") && text.contains("Open: "),
            "{text}"
        );
        text
    };
    assert!(on_terminal("TERM=xterm").contains('\u{1b}'), "it is a terminal");
    for term in ["TERM=", "TERM=dumb", "env -u TERM"] {
        let text = on_terminal(term);
        assert!(!text.contains('\u{1b}'), "{term}: {text:?}");
    }
}
