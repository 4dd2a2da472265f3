//! `export`, `compare`, `find`, and pictures of positions.

use std::collections::BTreeMap;
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
fn exports_have_the_counts_of_tables() {
    for (rules, export, tables) in [
        ("standard", with_small("export"), with_small("tables")),
        (
            "free-capture",
            with_small("export --rules free-capture"),
            with_small("tables --rules free-capture"),
        ),
        ("standard", with_shared("export --stones 3"), with_shared("tables")),
    ] {
        let rows = csv(&printed(&export));
        let report = json(&tables);
        let mut slices = 0;
        for slice in list(&report, "slices") {
            let name = slice["slice"].as_str().expect("a name");
            let of_slice: Vec<_> = rows.iter().filter(|row| row.slice == name).collect();
            if of_slice.is_empty() {
                continue;
            }
            slices += 1;
            assert_eq!(of_slice.len() as u64, slice["canonical"], "{rules} {name}");
            let sum = |value: &str| -> u64 {
                of_slice.iter().filter(|row| row.value == value).map(|row| row.weight).sum()
            };
            for value in ["win", "draw", "loss"] {
                assert_eq!(slice[value], sum(value), "{rules} {name}");
            }
            let mut distances = BTreeMap::<String, u64>::new();
            for row in of_slice.iter().filter(|row| row.value == "win") {
                let dtw = row.dtw.expect("a win has a distance").to_string();
                *distances.entry(dtw).or_default() += row.weight;
            }
            assert_eq!(slice["win_distances"], json!(distances), "{rules} {name}");
        }
        let names: std::collections::BTreeSet<_> = rows.iter().map(|row| &row.slice).collect();
        assert!(slices >= 3 && slices == names.len(), "{rules}");
        // The other form has the same rows.
        let lines = printed(&format!("{export} --format jsonl"));
        assert_eq!(json_lines(&lines), rows, "{rules}");
        assert_eq!(printed(&format!("{export} --json")), lines);
    }
}

/// The tables of the slow and simple builder have the same rows.
#[test]
fn an_export_is_what_the_plain_builder_finds() {
    let dir = tempfile::tempdir().expect("a directory");
    for rules in ["standard", "free-capture"] {
        let build = format!("build --board 3x3 --stones 5 --method plain --rules {rules} --tables");
        fanorona(words(&build)).arg(dir.path()).assert().success();
        let export = format!("export --board 3x3 --rules {rules} --tables");
        let plain = fanorona(words(&export)).arg(dir.path()).assert().success();
        let plain = String::from_utf8(plain.get_output().stdout.clone()).expect("UTF-8");
        assert!(plain.lines().count() > 300);
        assert!(plain == printed(&with_small(&format!("export --rules {rules}"))), "{rules}");
    }
}

/// All placements, each in a row of its own, with the values that `probe` finds.
#[test]
fn an_export_of_all_placements_is_what_probing_them_finds() {
    let all = csv(&printed(&with_small("export --stones 3 --all")));
    let rows = csv(&printed(&with_small("export --stones 3")));
    let weights: u64 = rows.iter().map(|row| row.weight).sum();
    assert_eq!(all.len() as u64, weights);
    let mut positions: Vec<_> = all.iter().map(|row| &row.position).collect();
    positions.sort_unstable();
    positions.dedup();
    assert_eq!(positions.len(), all.len(), "each once");
    let input: String = all.iter().map(|row| format!("{}\n", row.position)).collect();
    let batch = with_small("probe --batch -");
    let output = fanorona(words(&batch)).write_stdin(input).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8");
    let mut compared = 0;
    for (line, row) in text.lines().zip(&all) {
        let probed: Value = serde_json::from_str(line).expect("JSON");
        let found = (probed["value"].as_str(), probed["dtw"].as_u64());
        assert_eq!(found, (Some(row.value.as_str()), row.dtw), "{row:?}");
        assert_eq!(row.weight, 1);
        compared += 1;
    }
    assert_eq!(compared, all.len());
}

/// `--where` chooses what a filter of all rows chooses.
#[test]
fn conditions_filter_rows() {
    let all = csv(&printed(&with_small("export")));
    let captures = |row: &Row| {
        let position: Position = row.position.parse().expect("a position");
        RuleSet::STANDARD.turns(&position).iter().any(|turn| !turn.is_paika())
    };
    let own = |row: &Row| row.slice.split_once('v').expect("a slice").0.parse::<u64>();
    type Filter<'a> = &'a dyn Fn(&Row) -> bool;
    let cases: [(&str, Filter<'_>); 10] = [
        ("value=win,dtw>=5", &|row| row.value == "win" && row.dtw >= Some(5)),
        ("value!=draw", &|row| row.value != "draw"),
        ("dtw!=1", &|row| row.dtw.is_some_and(|dtw| dtw != 1)),
        (" dtw < 3 ", &|row| row.dtw.is_some_and(|dtw| dtw < 3)),
        ("dtw<=3,dtw>1", &|row| row.dtw == Some(2) || row.dtw == Some(3)),
        ("slice=2v1", &|row| row.slice == "2v1"),
        ("own=2,opponent!=1", &|row| own(row) == Ok(2) && row.slice != "2v1"),
        ("stones=4", &|row| ["1v3", "2v2", "3v1"].contains(&row.slice.as_str())),
        ("weight<8", &|row| row.weight < 8),
        ("capture=no", &|row| !captures(row)),
    ];
    for (conditions, filter) in cases {
        let found = csv(&printed(&with_small(&format!("export --where \"{conditions}\""))));
        let expected: Vec<_> = all.iter().filter(|row| filter(row)).cloned().collect();
        assert!(!found.is_empty() && found.len() < all.len(), "{conditions}");
        assert_eq!(found, expected, "{conditions}");
    }
    let twice = printed(&with_small("export --where value=win --where dtw=1"));
    assert_eq!(twice, printed(&with_small("export --where value=win,dtw=1")));
    assert_eq!(printed(&with_small("export --where dtw>9999")).lines().count(), 1, "the header");
}

#[test]
fn samples_are_some_of_the_rows() {
    let all = csv(&printed(&with_shared("export --stones 3")));
    let is_sorted = |rows: &[Row]| {
        let mut rest = all.iter();
        rows.iter().all(|row| rest.any(|other| other == row))
    };
    // Few of many are chosen without reading all; others, and those with a condition, while reading.
    for (how, number) in [
        ("--sample 50", 50),
        ("--sample 15000", 15_000),
        ("--sample 50 --where value=draw", 50),
        ("--sample 9999999", all.len()),
    ] {
        let run = |seed| csv(&printed(&with_shared(&format!("export --stones 3 {how} {seed}"))));
        let (one, again, other) = (run(""), run("--seed 1"), run("--seed 2"));
        assert_eq!((one.len(), other.len()), (number, number), "{how}");
        assert!(is_sorted(&one) && is_sorted(&other), "{how}: in the order of the tables");
        assert_eq!(one, again, "{how}: the default seed");
        assert_eq!(one == other, number == all.len(), "{how}");
        assert!(!how.contains("draw") || one.iter().all(|row| row.value == "draw"));
    }
    // The share of each slice is about that of its positions.
    let sample = csv(&printed(&with_shared("export --stones 3 --sample 300")));
    let share = |rows: &[Row]| {
        rows.iter().filter(|row| row.slice == "1v1").count() as f64 / rows.len() as f64
    };
    assert!((share(&all) - share(&sample)).abs() < 0.05);
}

#[test]
fn exports_are_written_to_files() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = |name: &str| dir.path().join(name).display().to_string();
    let (csv_file, lines) = (file("rows.csv"), file("rows.jsonl"));
    let report = json(&with_small(&format!("export --output \"{csv_file}\"")));
    let text = fs::read_to_string(&csv_file).expect("it is written");
    assert_eq!(text, printed(&with_small("export")));
    let rows = csv(&text);
    let positions: u64 = rows.iter().map(|row| row.weight).sum();
    let expected = json!({
        "output": csv_file, "format": "csv", "rows": rows.len(), "positions": positions
    });
    assert_eq!(report, expected);
    let said = printed(&with_small(&format!("export --output \"{lines}\"")));
    let count = |number: usize| grouped(&json!(number));
    let expected = format!(
        "{} rows in {lines}, for {} positions\n",
        count(rows.len()),
        count(positions as usize)
    );
    assert_eq!(said, expected);
    assert_eq!(json_lines(&fs::read_to_string(&lines).expect("it is written")), rows);
}

#[test]
fn exports_that_cannot_be() {
    let nowhere = tempfile::tempdir().expect("a directory");
    let refused_small = |args: &str, parts: &[&str]| refused(&with_small(args), 2, parts);
    refused_small("export --where speed=3", &["'speed' is not a column", "value, dtw, weight"]);
    refused_small("export --where dtw", &["write a column, a comparison and a value", "dtw>=20"]);
    refused_small("export --where dtw=long", &["'long' is not a whole number"]);
    refused_small("export --where value=won", &["'won' is not a value: win, draw or loss"]);
    refused_small("export --where value>draw", &["value is compared with = or !="]);
    refused_small("export --where slice=3", &["'3' is not a slice"]);
    refused_small("export --where capture=1", &["'1' is not an answer: yes or no"]);
    refused_small("export --sample 0", &["whole number, 1 or more"]);
    refused_small("export --seed 2", &["--sample"]);
    refused_small("export --all --sample 3", &["--all", "--sample"]);
    refused_small("export --stones 6", &["no wdl or dtw table for slice", "fanorona build"]);
    refused_small("export --slice 4v4", &["4v4", "fanorona build"]);
    refused_small("export --slice 5v1", &["--slice 5v1 is too large", "4 of each side"]);
    refused_small("export --stones 9", &["--stones 9", "3x3 has 8 stones"]);
    refused_small("export --rules forced-relay", &["no tables of 3x3 under forced-relay"]);
    refused_small("export --rules standard,free-capture", &["2 rule sets; give one"]);
    refused_small("export --output nowhere/rows.csv", &["the positions 'nowhere/rows.csv'"]);
    refused_small("export --format xml", &["'xml'", "csv, jsonl"]);
    refused_in(nowhere.path(), "export", 2, &["no tables of 9x5 under standard in tables"]);
    if cfg!(not(feature = "parquet")) {
        let message = &["built without Parquet", "--features parquet"];
        refused_small("export --format parquet", message);
        refused_small("export --output rows.parquet", message);
    }
    // Distances that the tables do not have.
    let build = "build --board 3x3 --stones 3 --metric wdl --tables here";
    fanorona(words(build)).current_dir(&nowhere).assert().success();
    let here = |args: &str| format!("{args} --board 3x3 --tables here");
    let message = &["--where dtw needs tables with distances", "--metric dtw"];
    refused_in(nowhere.path(), &here("export --where dtw=3"), 2, message);
    refused_in(nowhere.path(), &here("find wins"), 2, &["no dtw table", "--metric dtw"]);
    // Where some have distances, these are searched.
    let build = "build --board 3x3 --stones 2 --tables here";
    fanorona(words(build)).current_dir(&nowhere).assert().success();
    let found = fanorona(words(&here("find wins"))).current_dir(&nowhere).assert().success();
    found.stdout(predicate::str::contains("\nleft out, without distances: 2v1, 1v2\n"));
    refused_in(nowhere.path(), &here("find wins --stones 3"), 2, &["no dtw table"]);
    for name in ["1v1", "2v1", "1v2"] {
        let _ = fs::remove_file(nowhere.path().join(format!("here/3x3_standard_{name}.dtw.fano")));
    }
    let rows = fanorona(words(&here("export"))).current_dir(&nowhere).assert().success();
    let text = String::from_utf8(rows.get_output().stdout.clone()).expect("UTF-8");
    assert!(csv(&text).iter().all(|row| row.dtw.is_none()));
}

#[cfg(unix)]
#[test]
fn exports_that_nobody_reads_or_nothing_holds() {
    let dir = tempfile::tempdir().expect("a directory");
    let export = format!("\"$F\" {}", with_shared("export"));
    let script = format!("{{ {export}; echo \"status $?\" >&2; }} | head -n 2");
    let output = crate::shell(dir.path(), &script);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "status 0\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    // A limit for every file does what a full disk does.
    let script = format!("trap '' XFSZ; ulimit -f 1; {export} --output rows.csv");
    let output = crate::shell(dir.path(), &script);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("cannot write the positions 'rows.csv'"), "{stderr}");
    assert_eq!(fs::read_dir(&dir).expect("it can be listed").count(), 0, "nothing is left");
    if Path::new("/dev/full").exists() {
        let output = crate::shell(dir.path(), &format!("{export} > /dev/full"));
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("cannot write to standard output"), "{stderr}");
    }
}

#[test]
fn compared_values_are_those_of_both_exports() {
    let export = |rules: &str| csv(&printed(&with_small(&format!("export --all --rules {rules}"))));
    let (standard, free) = (export("standard"), export("free-capture"));
    let mut counts = BTreeMap::<(String, String, String), u64>::new();
    for (one, other) in standard.iter().zip(&free) {
        assert_eq!(one.position, other.position);
        let key = (one.slice.clone(), one.value.clone(), other.value.clone());
        *counts.entry(key).or_default() += 1;
    }
    let report = json(&with_small("compare --rules standard,free-capture"));
    assert_eq!(
        (&report["board"], &report["rules"]),
        (&json!("3x3"), &json!(["standard", "free-capture"]))
    );
    let mut total = 0;
    let mut differing = 0;
    for cell in list(&report, "cells") {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let values = [text(&cell["values"][0]), text(&cell["values"][1])];
        let [one, other] = values.clone();
        let expected = counts.remove(&(text(&cell["slice"]), one, other)).unwrap_or(0);
        assert_eq!(cell["positions"], expected, "{cell}");
        assert_eq!(cell.get("example").is_some(), expected > 0, "{cell}");
        total += expected;
        if values[0] != values[1] {
            differing += expected;
        }
        if let Some(example) = cell.get("example") {
            for (i, (rules, value)) in ["standard", "free-capture"].iter().zip(&values).enumerate()
            {
                let probe = format!("probe --rules {rules} --position {}", example["position"]);
                let probed = json(&with_small(&probe).replace("--board 3x3", ""));
                assert_eq!(probed["value"], **value);
                let dtw = probed.get("dtw").unwrap_or(&Value::Null);
                assert_eq!(*dtw, example["dtw"][i], "{cell}");
            }
        }
    }
    assert!(counts.is_empty(), "{counts:?}");
    assert_eq!(total, standard.len() as u64);
    assert!(differing > 0);
    let text = printed(&with_small("compare --rules standard,free-capture"));
    assert!(text.starts_with("3x3: standard in rows, free-capture in columns\n\n"), "{text}");
    // One slice alone, and a rule set with itself under two names of the same rules.
    let one = json(&with_small("compare --rules standard,free-capture --slice 2v1"));
    assert_eq!(list(&one, "cells").len(), 9);
}

#[test]
fn comparisons_that_cannot_be() {
    let refused_small = |args: &str, parts: &[&str]| refused(&with_small(args), 2, parts);
    refused_small("compare", &["1 rule set; name two", "--rules standard,free-capture"]);
    refused_small("compare --rules standard,standard", &["1 rule set; name two"]);
    refused_small(
        "compare --rules standard,free-capture,vela+stones-1",
        &["3 rule sets; name two"],
    );
    refused_small("compare --rules standard,chess", &["'chess' is not a rule set"]);
    let missing = &["no tables of 3x3 under forced-relay", "fanorona build"];
    refused_small("compare --rules standard,forced-relay", missing);
    refused_small("compare --rules standard,free-capture --stones 6", &["no wdl or dtw table"]);
}

#[test]
fn the_longest_are_those_of_tables() {
    let report = json(&with_shared("tables"));
    let most = |key: &str| {
        let found = list(&report, "slices").iter().filter_map(|slice| slice[key].as_u64());
        found.max().expect("there are some")
    };
    for (kind, value, longest) in
        [("wins", "win", most("max_win")), ("losses", "loss", most("max_loss"))]
    {
        let found = json(&with_shared(&format!("find {kind} --top 30")));
        let positions = list(&found, "positions");
        assert_eq!(positions.len(), 30);
        assert_eq!(
            (&positions[0]["value"], &positions[0]["dtw"]),
            (&json!(value), &json!(longest))
        );
        let lengths: Vec<_> = positions.iter().filter_map(|p| p["dtw"].as_u64()).collect();
        assert!(lengths.len() == 30 && lengths.is_sorted_by(|a, b| a >= b), "{lengths:?}");
        for slice in list(&report, "slices") {
            let name = slice["slice"].as_str().expect("a name");
            let found = json(&with_shared(&format!("find {kind} --top 1 --slice {name}")));
            let key = format!("max_{value}");
            assert_eq!(found["positions"][0]["dtw"], slice[&key], "{name}");
        }
    }
    let rows = csv(&printed(&with_shared("export --where value=win,dtw>=45")));
    let found = json(&with_shared("find wins --top 1000 --where dtw>=45"));
    assert_eq!(list(&found, "positions").len(), rows.len());
}

#[test]
fn zugzwangs_are_as_many_as_tables_count() {
    let found = json(&with_shared("find zugzwangs --top 100000"));
    let mut counts = BTreeMap::<(String, String), u64>::new();
    for position in list(&found, "positions") {
        let text = |key: &str| position[key].as_str().expect("a text").to_owned();
        let weight = position["weight"].as_u64().expect("a number");
        *counts.entry((text("slice"), text("zugzwang"))).or_default() += weight;
    }
    for slice in list(&json(&with_shared("tables")), "slices") {
        let name = slice["slice"].as_str().expect("a name");
        for kind in ["full", "draw_to_loss", "win_to_draw"] {
            let count = counts.remove(&(name.to_owned(), kind.to_owned())).unwrap_or(0);
            assert_eq!(slice["zugzwangs"][kind], count, "{name} {kind}");
        }
    }
    assert!(counts.is_empty(), "{counts:?}");
    // The full ones come first.
    assert_eq!(found["positions"][0]["zugzwang"], "full");
}

/// Studies by probing every position that an export has.
#[test]
fn studies_have_one_turn_that_keeps_the_value() {
    for (kind, value) in [("studies", "win"), ("draw-studies", "draw")] {
        let rows = printed(&with_small(&format!("export --where value={value}")));
        let rows = csv(&rows);
        let input: String = rows.iter().map(|row| format!("{}\n", row.position)).collect();
        let batch = fanorona(words(&with_small("probe --batch -"))).write_stdin(input).assert();
        let output = batch.success().get_output().stdout.clone();
        let mut expected = BTreeMap::new();
        for line in String::from_utf8(output).expect("UTF-8").lines() {
            let probed: Value = serde_json::from_str(line).expect("JSON");
            let turns = list(&probed, "turns");
            let keeping = turns.iter().filter(|turn| turn["value"] == value).count();
            if turns.len() > 1 && keeping == 1 {
                let key = probed["position"].as_str().expect("a text").to_owned();
                expected.insert(
                    key,
                    (turns[0]["turn"].clone(), turns.len(), turns[1]["value"].clone()),
                );
            }
        }
        let found = json(&with_small(&format!("find {kind} --top 100000")));
        let found: BTreeMap<_, _> = list(&found, "positions")
            .iter()
            .map(|found| {
                let turns = found["turns"].as_u64().expect("a number") as usize;
                let next = found["next"]["value"].clone();
                let key = found["position"].as_str().expect("a text").to_owned();
                (key, (found["turn"].clone(), turns, next))
            })
            .collect();
        assert!(!expected.is_empty(), "{kind}");
        assert_eq!(found, expected, "{kind}");
    }
}

#[test]
fn what_is_found_is_written_as_games_and_drawn() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = |args: &str| {
        fanorona(words(&with_shared(args))).current_dir(&dir).assert().success().stderr("");
    };
    run("find wins --top 3 --games games --svg sheet.svg");
    let games = fs::read_to_string(dir.path().join("games")).expect("it is written");
    assert_eq!(games.matches("[Board \"9x5\"]").count(), 3);
    let found = json(&with_shared("find wins --top 3"));
    for (game, position) in games.split("\n\n[").zip(list(&found, "positions")) {
        assert!(game.contains(&format!("[Start {}]", position["position"])), "{game}");
        // The game ends where the distance says, with the win of the side to move.
        let dtw = position["dtw"].as_u64().expect("a distance");
        let last = format!("\n{}. ", dtw.div_ceil(2));
        let flat = game.replace(' ', "\n");
        assert!(flat.contains(last.trim_end()), "{dtw} turns: {game}");
        assert!(game.contains("[Result \"1-0\"]"), "{game}");
    }
    let circles = |name: &str| {
        let text = fs::read_to_string(dir.path().join(name)).expect("it is written");
        let drawing = roxmltree::Document::parse(&text).expect("it is well formed");
        drawing.descendants().filter(|node| node.tag_name().name() == "circle").count()
    };
    let stones: u64 = list(&found, "positions")
        .iter()
        .map(|p| p["position"].as_str().expect("a text").matches(['W', 'B']).count() as u64)
        .sum();
    assert_eq!(circles("sheet.svg") as u64, stones);
    run("find zugzwangs --top 10 --slice 2v2 --svg pictures");
    for name in ["01", "10"] {
        assert_eq!(circles(&format!("pictures/{name}.svg")), 4);
    }
    assert_eq!(fs::read_dir(dir.path().join("pictures")).expect("a directory").count(), 10);
    // A line for each, and none if there are none.
    let text = printed(&with_shared("find studies --top 4"));
    assert_eq!(text.lines().count(), 2 + 1 + 4, "{text}");
    assert!(text.contains("only turn") && text.contains(" of "), "{text}");
    let none = printed(&with_shared("find wins --where dtw>99"));
    assert_eq!(none, "9x5, standard\n\nnone found\n");
    refused(&with_shared("find"), 2, &["<KIND>"]);
    refused(&with_shared("find wonders"), 2, &["'wonders'", "zugzwangs"]);
    refused(&with_shared("find wins --top 0"), 2, &["whole number, 1 or more"]);
    refused(&with_shared("find wins --games nowhere/games"), 2, &["the games 'nowhere/games'"]);
    refused(&with_shared("find wins --svg /dev/null/pictures"), 2, &["'/dev/null/pictures'"]);
}

/// In the first phase of the vela the same stones have two values.
#[test]
fn positions_of_the_vela_are_those_of_the_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let game = "--board 3x3 --rules vela+stones-1";
    let run = |args: &str| {
        let args = format!("{args} {game}");
        let output = fanorona(words(&args)).current_dir(&dir).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8")
    };
    run("build --stones 5");
    let rows = csv(&run("export --slice 3v2"));
    let names: std::collections::BTreeSet<_> = rows.iter().map(|row| row.slice.as_str()).collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["3v2 challenger", "3v2 victor"]);
    for row in rows.iter().step_by(7) {
        let side = if row.slice.ends_with("victor") { " w" } else { " b" };
        assert!(row.position.ends_with(side), "White is the victor: {row:?}");
        let probed = run(&format!("probe --json --position \"{}\"", row.position));
        let probed: Value = serde_json::from_str(&probed).expect("JSON");
        let found = (probed["value"].as_str(), probed["dtw"].as_u64());
        assert_eq!(found, (Some(row.value.as_str()), row.dtw), "{row:?}");
    }
}

#[test]
fn positions_are_drawn() {
    let dir = tempfile::tempdir().expect("a directory");
    let moves = "moves --position \"9/9/2W1B4/9/9 w\"";
    let plain = printed(moves);
    let files = format!("{moves} --svg board.svg --tikz board.tex");
    fanorona(words(&files)).current_dir(&dir).assert().success().stdout(plain.clone());
    let svg = fs::read_to_string(dir.path().join("board.svg")).expect("it is written");
    assert_eq!(svg.matches("<circle").count(), 2);
    let tikz = fs::read_to_string(dir.path().join("board.tex")).expect("it is written");
    assert!(tikz.contains("\\draw[fill=white] (2,2) circle"), "{tikz}");
    assert!(tikz.contains("\\draw[fill=black] (4,2) circle"), "{tikz}");
    assert!(tikz.ends_with("\\end{tikzpicture}\n"), "{tikz}");
    let output = fanorona(words(&format!("{moves} --tikz -"))).assert().success().stderr(plain);
    output.stdout(predicate::str::diff(tikz));
    refused(&format!("{moves} --svg nowhere/a.svg"), 2, &["cannot write the picture"]);
    let same = &["the same file"];
    refused_in(dir.path(), &format!("{moves} --svg a --tikz a"), 2, same);
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

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_the_rows_of_the_other_forms() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("rows.parquet");
    // More than one group.
    let export = with_shared("export");
    fanorona(words(&export)).arg("--output").arg(&file).assert().success();
    let reader = SerializedFileReader::new(fs::File::open(&file).expect("it is written"));
    let reader = reader.expect("it is Parquet");
    assert!(reader.num_row_groups() > 1);
    let rows = reader.get_row_iter(None).expect("it has rows").map(|row| {
        let row = row.expect("it can be read");
        let fields: BTreeMap<_, _> =
            row.get_column_iter().map(|(name, field)| (name.as_str(), field)).collect();
        let text = |name| match fields[name] {
            Field::Str(text) => text.clone(),
            other => panic!("{other:?}"),
        };
        Row {
            position: text("position"),
            slice: text("slice"),
            value: text("value"),
            dtw: match fields["dtw"] {
                Field::UShort(dtw) => Some((*dtw).into()),
                Field::Null => None,
                other => panic!("{other:?}"),
            },
            weight: match fields["weight"] {
                Field::UByte(weight) => (*weight).into(),
                other => panic!("{other:?}"),
            },
        }
    });
    assert!(rows.eq(csv(&printed(&export))));
    let bytes = fanorona(words(&format!("{export} --format parquet"))).assert().success();
    assert_eq!(bytes.get_output().stdout, fs::read(&file).expect("it is written"));
}
