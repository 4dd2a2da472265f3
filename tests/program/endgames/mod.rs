//! Tables seen as a whole: `export`, `compare`, `find`; pictures of positions, and builds of several
//! rule sets.

mod compare;
mod export;
mod find;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fanorona_core::{Position, RuleSet};
use predicates::prelude::*;
use serde_json::{Value, json};

use crate::tables::with_shared;
use crate::{fanorona, grouped, json, refused, refused_in, words};

/// Tables of 3x3 to 5 stones under two rule sets, built once by one command.
fn small() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program-small-tables");
        let _ = fs::remove_dir_all(&dir);
        let build = "build --board 3x3 --stones 5 --rules standard,free-capture --tables";
        fanorona(words(build)).arg(&dir).assert().success();
        dir
    })
}

fn with_small(args: &str) -> String {
    format!("{args} --board 3x3 --tables \"{}\"", small().display())
}

/// The output of a command, which has to succeed without a message.
fn printed(args: &str) -> String {
    let output = fanorona(words(args)).assert().success().stderr("").get_output().clone();
    String::from_utf8(output.stdout).expect("it is UTF-8")
}

/// A row of an export.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    position: String,
    slice: String,
    value: String,
    dtw: Option<u64>,
    weight: u64,
}

fn csv(text: &str) -> Vec<Row> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("position,slice,value,dtw,weight"));
    let row = |line: &str| {
        let cells: Vec<_> = line.split(',').map(str::to_owned).collect();
        let [position, slice, value, dtw, weight] = &cells[..] else { panic!("{line}") };
        Row {
            position: position.clone(),
            slice: slice.clone(),
            value: value.clone(),
            dtw: (!dtw.is_empty()).then(|| dtw.parse().expect("a number")),
            weight: weight.parse().expect("a number"),
        }
    };
    lines.map(row).collect()
}

fn json_lines(text: &str) -> Vec<Row> {
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("it is JSON");
        let text = |key: &str| row[key].as_str().expect("a text").to_owned();
        Row {
            position: text("position"),
            slice: text("slice"),
            value: text("value"),
            dtw: row["dtw"].as_u64(),
            weight: row["weight"].as_u64().expect("a number"),
        }
    };
    text.lines().map(row).collect()
}

fn list<'a>(report: &'a Value, key: &str) -> &'a Vec<Value> {
    report[key].as_array().expect("a list")
}

#[test]
fn positions_are_drawn() {
    let dir = tempfile::tempdir().expect("a directory");
    let moves = "moves \"9/9/2W1B4/9/9 w\"";
    let plain = printed(moves);
    let files = format!("{moves} --svg board.svg");
    fanorona(words(&files)).current_dir(&dir).assert().success().stdout(plain.clone());
    let svg = fs::read_to_string(dir.path().join("board.svg")).expect("it is written");
    assert_eq!(svg.matches("<circle").count(), 2);
    let output = fanorona(words(&format!("{moves} --svg -"))).assert().success().stderr(plain);
    output.stdout(predicate::str::diff(svg));
    refused(&format!("{moves} --svg nowhere/a.svg"), 2, &["cannot write the picture"]);
}

#[test]
fn a_build_of_several_rule_sets_ends_with_what_it_found() {
    let dir = tempfile::tempdir().expect("a directory");
    let build = "build --board 3x3 --stones 3 --rules standard,free-capture";
    let output = fanorona(words(build)).current_dir(&dir).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8");
    let names: Vec<_> = text.lines().filter(|line| line.starts_with("3x3, ")).collect();
    assert_eq!(names, ["3x3, standard", "3x3, free-capture"]);
    assert_eq!(text.matches("longest win").count(), 2);
    assert!(!text.contains("CPU time"), "{text}");
    for rules in ["standard", "free-capture"] {
        let args = format!("tables --board 3x3 --rules {rules} --json");
        let output = fanorona(words(&args)).current_dir(&dir).assert().success();
        let report: Value = serde_json::from_slice(&output.get_output().stdout).expect("JSON");
        for slice in list(&report, "slices") {
            let keys = ["win", "draw", "loss", "max_win", "max_loss"];
            let cells = keys.map(|key| slice.get(key).map_or("-".to_owned(), grouped));
            let row = |line: &str| {
                let words: Vec<_> = line.split_whitespace().collect();
                words[..]
                    == [
                        vec![slice["slice"].as_str().unwrap()],
                        cells.each_ref().map(String::as_str).to_vec(),
                    ]
                    .concat()
            };
            assert!(text.lines().any(row), "{slice} in {text}");
        }
    }
    let again = fanorona(words(&format!("{build} --json"))).current_dir(&dir).assert().success();
    let report: Value = serde_json::from_slice(&again.get_output().stdout).expect("JSON");
    assert_eq!(list(&report, "slices").len(), 6);
    let estimate = format!("{build} --estimate");
    let output = fanorona(words(&estimate)).current_dir(&dir).assert().success();
    output.stdout(predicate::str::contains("3x3, free-capture\n"));
    refused_in(dir.path(), &format!("{build},chess"), 2, &["'chess' is not a rule set"]);
    refused_in(dir.path(), "verify --rules standard,vela", 2, &["2 rule sets; give one"]);
}
