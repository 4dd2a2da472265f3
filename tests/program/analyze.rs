//! `analyze`: how far a search has come.

use std::fs;

use serde_json::{Value, json};

use crate::{fanorona, refused_in, words};

#[test]
fn a_search_tells_how_far_each_turn_is() {
    let dir = tempfile::tempdir().expect("a directory");
    let args = "analyze --nodes 50000 --threads 1 --log log --json";
    let mut reports = Vec::new();
    for _ in 0..2 {
        let assert = fanorona(words(args)).current_dir(&dir).assert().success();
        let report: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
        reports.push(report);
    }
    let turns = reports[0]["searched"].as_array().expect("a list");
    let names: Vec<_> = turns.iter().map(|turn| turn["turn"].as_str().expect("a text")).collect();
    assert_eq!(names, ["d2-e3A", "e2-e3A", "f2-e3A", "d3-e3A", "d3-e3W"]);
    for (i, side) in ["white", "black"].into_iter().enumerate() {
        let questions = turns.iter().map(|turn| &turn["questions"][i]);
        let below: u64 = questions.clone().map(|q| q["nodes"].as_u64().expect("a number")).sum();
        assert!((1..=reports[0]["nodes"].as_u64().expect("a number")).contains(&below));
        assert!(questions.clone().all(|question| question["wins"] == side));
    }
    // A line for each of the two, with what the report says.
    let log = fs::read_to_string(dir.path().join("log")).expect("it is written");
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    for (line, report) in lines.iter().zip(&reports) {
        for key in ["nodes", "questions", "searched", "table_hits"] {
            assert_eq!(line[key], report[key], "{key}");
        }
    }
}

#[test]
fn what_is_proved_of_a_turn_is_told() {
    let assert = fanorona(words("analyze --board 3x3 --json")).assert().success();
    let report: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
    let turns = report["searched"].as_array().expect("a list");
    let best = turns.iter().find(|turn| turn["turn"] == report["best"]).expect("it is one of them");
    assert_eq!(best["questions"][0]["answer"], json!(true));
}

#[test]
fn a_log_that_cannot_be_written_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    refused_in(dir.path(), "analyze --log missing/log", 2, &["cannot write the log 'missing/log'"]);
    refused_in(dir.path(), "analyze --batch list --log log", 2, &["--log"]);
}
