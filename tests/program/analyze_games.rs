//! `analyze --game`.

use std::fs;

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::analyze::{reports, text_in};
use crate::{fanorona, json, refused_in, words};

/// Each turn has the value of the position after it; what is given away is marked.
#[test]
fn a_game_is_annotated() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path();
    text_in(dir, "build --board 3x3 --stones 8");
    // White wins in 11 turns, and gives it away.
    let game = "[Board \"3x3\"]\n[Rules \"standard\"]\n[White \"Rakoto\"]\n[Black \"?\"]\n\n";
    let start = json(&format!("probe --board 3x3 --tables \"{}\"", dir.join("tables").display()));
    let turns = start["turns"].as_array().expect("turns");
    let worst = turns.last().expect("there are turns");
    assert_ne!(worst["value"], "win", "the last turn is a mistake");
    let (best, bad) = (turns[0]["turn"].as_str(), worst["turn"].as_str().expect("a text"));
    fs::write(dir.join("game"), format!("{game}1. {bad} *\n")).expect("it can be written");

    let report = reports(dir, "analyze --game game").0.remove(0);
    let [found] = &report["games"].as_array().expect("games")[..] else { panic!("{report}") };
    assert_eq!(
        (&found["value"], &found["dtw"], &found["white"]),
        (&json!("win"), &json!(11), &json!("Rakoto"))
    );
    let [turn] = &found["turns"].as_array().expect("turns")[..] else { panic!("{found}") };
    let expected = json!([bad, worst["value"], best, 1, "white"]);
    assert_eq!(
        json!([turn["turn"], turn["value"], turn["best"], turn["number"], turn["side"]]),
        expected
    );
    let mistake = if worst["value"] == "draw" { "misses_win" } else { "loses_win" };
    assert_eq!(turn["mistake"], mistake);

    let text = text_in(dir, "analyze --game game --output annotated");
    assert!(
        text.starts_with("Rakoto - Black, *\nBBB/B1W/WWW w\nstart: White wins in 11\n"),
        "{text}"
    );
    assert!(text.contains(best.expect("a text")) && text.contains("White: 1 mistake.\n"), "{text}");
    assert!(
        text.contains("2 of 2 positions have a known value.")
            && text.ends_with("written to annotated\n")
    );
    let annotated = fs::read_to_string(dir.join("annotated")).expect("it is written");
    assert!(
        annotated.contains(&format!("1. {bad}")) && annotated.contains(" keeps it"),
        "{annotated}"
    );
    // It is a game that is read again.
    fanorona(words("play --load annotated --side both --tables missing"))
        .current_dir(dir)
        .env("FANORONA_TABLES", dir.join("tables"))
        .assert()
        .code(2);
    fanorona(words("play --load annotated --side both")).current_dir(dir).assert().success();

    // A win that takes longer than it needs.
    let slow = turns.iter().find(|turn| turn["value"] == "win" && turn["dtw"] != json!(11));
    if let Some(slow) = slow {
        let text = format!("{game}1. {} *\n", slow["turn"].as_str().expect("a text"));
        fs::write(dir.join("slow"), text).expect("it can be written");
        let report = reports(dir, "analyze --game slow").0.remove(0);
        let lost = slow["dtw"].as_u64().expect("a number") - 11;
        let turn = &report["games"][0]["turns"][0];
        assert_eq!((&turn["turns_lost"], &turn["mistake"]), (&json!(lost), &json!("slower")));
    }
}

/// Without tables: from the last position to the first, by proofs and estimates.
#[test]
fn a_game_without_tables_is_annotated() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path();
    text_in(dir, "play --board 5x5 --side none --level 1 --seed 3 --save game");
    let report = reports(dir, "analyze --game game --time 0.1 --threads 1").0.remove(0);
    let game = &report["games"][0];
    let turns = game["turns"].as_array().expect("turns");
    let settled = game["settled"].as_u64().expect("a number");
    assert!(turns.len() > 5 && settled > 1 && settled <= turns.len() as u64 + 1, "{game}");
    for turn in turns {
        // An estimate never stands beside a value.
        assert_eq!(turn["value"] == "unknown", turn["estimate"].is_number(), "{turn}");
        assert_eq!(turn["estimate"].is_number(), turn["estimate_depth"].is_number(), "{turn}");
    }
    let text = text_in(dir, "analyze --game game --book none --time 0.1 --threads 1");
    assert!(text.contains("; estimate: "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let fixed = text_in(dir, "analyze --game game --time 0.1 --threads 1 --output -");
    assert!(
        fixed.starts_with("[Board \"5x5\"]") && !fixed.contains("positions have a known"),
        "{fixed}"
    );
}

/// Of several games the right ones are annotated, and the others are named.
#[test]
fn a_game_that_is_not_right_keeps_none_from_being_annotated() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path();
    let game = |turns: &str| format!("[Board \"3x3\"]\n[Rules \"standard\"]\n\n1. {turns} *\n\n");
    let three = [game("b1-b2A"), game("a1-c3"), game("b1-b2A")].concat();
    fs::write(dir.join("three"), three).expect("it can be written");
    fs::write(dir.join("one"), game("b1-b2A")).expect("it can be written");
    let run = |args: &str| {
        let output = fanorona(words(args)).current_dir(dir).output().expect("it starts");
        let [out, error] = [output.stdout, output.stderr].map(|t| String::from_utf8(t).unwrap());
        (output.status.code(), out, error)
    };
    let (status, text, error) = run("analyze --game three --output annotated");
    assert_eq!(status, Some(1), "{error}");
    assert!(text.contains("game 1: ") && text.contains("game 3: "), "{text}");
    assert!(!text.contains("game 2: "), "{text}");
    assert!(
        error.starts_with("error: game 2 of 'three' is not right: line 9, column 4: "),
        "{error}"
    );
    let annotated = fs::read_to_string(dir.join("annotated")).expect("it is written");
    assert_eq!(annotated.matches("[Board ").count(), 2);

    // Several files, of which one is not there.
    let (status, text, error) = run("analyze --game three missing one --json");
    assert_eq!(status, Some(1), "{error}");
    let report: Value = serde_json::from_str(&text).expect("it is one object");
    let place = |game: &Value| json!([game["file"], game["game"], game.get("line")]);
    let places = |key: &str| report[key].as_array().map(|games| games.iter().map(place).collect());
    let annotated: Option<Vec<_>> = places("games");
    let three = |n: u32| json!(["three", n, null]);
    assert_eq!(annotated, Some(vec![three(1), three(3), json!(["one", 1, null])]));
    let failed: Option<Vec<_>> = places("failed");
    assert_eq!(failed, Some(vec![json!(["three", 2, 9]), json!(["missing", 1, null])]));
    assert_eq!(report["failed"][0]["error"]["code"], "bad_record");
    let (_, text, _) = run("analyze --game three one");
    assert!(text.contains("three, game 3: ") && text.contains("\none: "), "{text}");
    // Without any right one there is nothing to print.
    refused_in(dir, "analyze --game missing none", 2, &["'missing'", "'none'"]);
}

#[test]
fn games_that_cannot_be_annotated_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path();
    refused_in(dir, "analyze --game missing", 2, &["cannot read 'missing'"]);
    fs::write(dir.join("text"), "[Board \"3x3\"]\n[Rules \"standard\"]\n1. a1-c3 *\n")
        .expect("written");
    refused_in(dir, "analyze --game text", 2, &["'text'", "line 3"]);
    fs::write(dir.join("game"), "[Board \"3x3\"]\n[Rules \"standard\"]\n*\n").expect("written");
    for option in ["--board 3x3", "--batch x", "--certificate x", "--resume x", "--after x"] {
        let name = option.split(' ').next().expect("a word");
        refused_in(dir, &format!("analyze --game game {option}"), 2, &[name]);
    }
    refused_in(dir, "analyze --output x", 2, &["--game"]);
    refused_in(dir, "analyze --game game --output missing/x", 2, &["missing/x"]);
    let both = fanorona(words("analyze --game game --output - --json")).current_dir(dir).assert();
    both.code(2).stderr(predicate::str::contains("--output - and --json would both write"));
    let none = text_in(dir, "analyze --game game");
    assert!(none.contains("1 of 1 positions have a known value."), "{none}");
}
