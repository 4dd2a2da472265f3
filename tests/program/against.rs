//! `perft --against`: other programs, right ones and wrong ones.

use std::fs;
use std::process::Output;

use fanorona_tests::counter::command;
use serde_json::{Value, json};

use crate::{fanorona, refused, words};

/// Compares with a program, which is asked with `{position} {depth}` unless it is an engine.
fn compare(what: &str, args: &str) -> Output {
    let is_engine = what.ends_with("ugi") || what.ends_with("uci");
    let asked = if is_engine { "" } else { " {position} {depth}" };
    let command = command(what) + asked;
    let output = fanorona(["perft", "--against", &command]).args(words(args)).output();
    output.expect("the program starts")
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
    })
}

/// The four mistakes, each found by one command, and the rule named.
#[test]
fn wrong_generators_are_found_and_the_rule_is_named() {
    for (what, fault, theme, does) in [
        ("ten-steps", "relay-ends", "ten-steps", "it ends relays after 10 steps"),
        ("no-direction-rule", "same-direction", "same-direction", "it has no direction rule"),
        ("returning", "back", "back-to-way", "it lets a relay visit a point twice"),
        ("both-ways", "both-lines", "both-ways", "captures by approach and by withdrawal"),
    ] {
        let text = compare(what, "");
        let stdout = String::from_utf8_lossy(&text.stdout);
        let stderr = String::from_utf8_lossy(&text.stderr);
        assert_eq!(text.status.code(), Some(1), "{what}: {stderr}{stdout}");
        assert!(stdout.replace('\n', " ").contains(does), "{what}: {stdout}");
        assert!(stdout.contains("Rule: ") && stdout.contains("\n 1 "), "{what}: {stdout}");
        // The first line has the command.
        let mut lines = stdout.lines().skip(1);
        assert!(lines.all(|line| line.chars().count() <= 80), "{what}: {stdout}");

        let output = compare(what, "--json");
        assert_eq!(output.status.code(), Some(1), "{what}");
        let report = report(&output);
        let causes = report["causes"].as_array().expect("a list");
        assert_eq!(causes.len(), 1, "{what}: {report}");
        assert_eq!(causes[0]["fault"], fault, "{what}: {report}");
        assert_eq!(causes[0]["explained"], causes[0]["answers"], "{what}: {report}");
        assert_eq!(report["agrees"], false);
        let themes = report["suites"]["themes"].as_array().expect("a list");
        let theme = themes.iter().find(|found| found["theme"] == theme).expect(what);
        assert!(theme["differ"].as_u64() > Some(0), "{what}: {theme}");
        let difference = &report["difference"];
        let turns = |name: &str| difference[name].as_array().map_or(0, Vec::len);
        assert!(turns("missing") + turns("extra") > 0, "{what}: {report}");
        // Few stones are left. The longest relay takes eleven of them.
        let position = difference["position"].as_str().expect("a text");
        let stones = position.matches(['W', 'B']).count();
        assert!(stones <= 14, "{what}: {position}");
    }
}

/// A mistake that is not known gets no name, but three positions.
#[test]
fn an_unknown_mistake_is_not_named() {
    for form in ["", ":number"] {
        let what = format!("black-alone{form}");
        let text = compare(&what, "");
        let stdout = String::from_utf8_lossy(&text.stdout);
        assert_eq!(text.status.code(), Some(1), "{what}: {stdout}");
        assert!(stdout.contains("No known mistake explains its wrong answers"), "{stdout}");
        assert!(stdout.contains("The 3 smallest positions found with a difference"), "{stdout}");
        assert_eq!(stdout.matches("right count").count(), 3, "{stdout}");
        assert!(form == ":number" || stdout.matches("missing:").count() == 3, "{stdout}");
        assert!(!stdout.contains("Rule:"), "{stdout}");
        let report = report(&compare(&what, "--json"));
        assert_eq!(report["causes"], json!([]), "{report}");
        assert_eq!(report["others"].as_array().map(Vec::len), Some(2), "{report}");
    }
}

/// All boards and rule sets of the suites, with one command.
#[test]
fn everything_is_compared_with_one_command() {
    let engine = format!("'{}' ugi", env!("CARGO_BIN_EXE_fanorona"));
    let args = ["perft", "--all", "--max-nodes", "1", "--json", "--against", &engine];
    let output = fanorona(args).output().expect("it starts");
    let reports = report(&output);
    let reports = reports.as_array().expect("a list");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(reports.len() > 80, "{}", reports.len());
    let has = |board: &str, rules: &str| {
        reports.iter().any(|report| report["board"] == board && report["rules"] == rules)
    };
    assert!(has("9x5", "standard") && has("21x3", "standard") && has("9x5", "vela+must-capture"));
    let compared = |report: &Value| report["suites"]["compared"].as_u64().expect("a number");
    assert!(reports.iter().map(compared).sum::<u64>() > 600);
    assert!(reports.iter().all(|report| report["agrees"] == true));

    // What is not answered is told for each board and rule set.
    let output = compare("nothing", "--all");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{stdout}");
    assert!(stdout.matches("no answer").count() > 80, "{stdout}");
    refused("perft --all", 2, &["--against"]);
    refused("perft --against ./mine --all --board 5x5", 2, &["--all", "--board"]);
}

#[test]
fn a_right_program_agrees_in_every_form() {
    for form in ["", ":signs", ":captured", ":capitals", ":result", ":number", ":ugi", ":uci"] {
        let what = format!("right{form}");
        let output = compare(&what, "3 --max-nodes 200 --json");
        assert_eq!(
            output.status.code(),
            Some(0),
            "{what}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        let report = report(&output);
        assert_eq!((&report["agrees"], &report["depth"]), (&json!(true), &json!(3)), "{what}");
        assert!(report["suites"]["compared"].as_u64() > Some(60), "{what}: {report}");
    }
    let output = compare("right", "3 --max-nodes 200");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("positions of the suites agree") && text.contains("to depth 3"),
        "{text}"
    );
}

#[test]
fn a_mistake_is_found_in_every_form() {
    for form in [":signs", ":captured", ":capitals", ":result", ":number", ":ugi", ":uci"] {
        let what = format!("no-direction-rule{form}");
        let output = compare(&what, "--json");
        let report = report(&output);
        assert_eq!(report["causes"][0]["fault"], "same-direction", "{what}: {report}");
        assert_eq!(report["causes"].as_array().map(Vec::len), Some(1), "{what}: {report}");
    }
}

/// A difference far below a position is followed down, and the suites only help to name the mistake.
#[test]
fn a_difference_is_followed_down_from_a_position() {
    for what in ["no-direction-rule", "returning:signs", "both-ways:number"] {
        let args = "2 --after f2-e3A --json";
        let output = compare(what, args);
        let report = report(&output);
        assert_eq!(report["suites"]["positions"], 0, "{what}: {report}");
        assert_eq!(report["causes"].as_array().map(Vec::len), Some(1), "{what}: {report}");
        assert_eq!(report["difference"]["depth"], 1, "{what}: {report}");
    }
    let output = compare("ten-steps", "2 --after f2-e3A --json");
    assert_eq!(output.status.code(), Some(0), "relays are short there");
}

#[test]
fn other_boards_have_suites_too() {
    let output = compare("no-direction-rule", "--board 5x5 --json");
    assert_eq!(report(&output)["causes"][0]["fault"], "same-direction");
    // A program that follows other rules than those that were asked for.
    let output = compare("right", "--rules forced-relay --json");
    let report = report(&output);
    assert_eq!(report["causes"][0]["text"], "follows the rules standard", "{report}");
}

/// Programs that are no use: each is one message that says so, and status 2.
#[test]
fn programs_that_do_not_answer_are_named() {
    for (what, part) in [
        ("die", "the program has ended (exit status: 9)"),
        ("flood", "the program has printed more than 64 MiB"),
        ("nonsense", "of its output, 'd3?e3 = many 7', is not understood"),
        ("nothing", "its output has no turn and no count"),
        ("die:ugi", "as an engine, because it has no {position} and {depth}"),
    ] {
        let output = compare(what, "");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{what}: {stderr}");
        assert!(stderr.contains(part), "{what}: {stderr}");
        assert!(stderr.contains("cannot compare with '"), "{what}: {stderr}");
    }
    let output = compare("die", "--json");
    assert_eq!(report(&output)["error"]["code"], "engine_failed");
}

#[test]
fn commands_that_cannot_be_started_are_explained() {
    refused("perft --against ./no-such-program", 2, &["cannot start './no-such-program'"]);
    refused("perft --against \"./mine {position}\"", 2, &["write {depth}"]);
    refused("perft --against \"./mine {depth}\"", 2, &["write {position}"]);
    refused("perft --against \"'./mine\"", 2, &["quotes"]);
    refused("perft --against ./mine --count steps", 2, &["--count"]);
    refused("perft --max-nodes 3", 2, &["--suite or --against"]);

    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("my program");
    fs::write(&file, "").expect("it can be written");
    let command = format!("{} {{position}} {{depth}}", file.display());
    let output = fanorona(["perft", "--against", &command]).output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    let hint = format!("for the file '{}', put quotes around the path", file.display());
    assert!(stderr.contains(&hint), "{stderr}");
}

#[test]
fn the_depth_can_stand_before_or_behind_the_position_or_be_left_out() {
    for args in ["3", "3 9x5", "9x5 3"] {
        assert_eq!(crate::json(&format!("perft {args}"))["depths"][2]["nodes"], 724, "{args}");
    }
    assert_eq!(crate::json("perft")["depths"][4]["nodes"], 431_852);
}
