//! `analyze`: its answers, and how far a search has come.

use std::fs;
use std::path::Path;

use fanorona_tests::effort;
use predicates::prelude::*;
use serde_json::{Value, json};

use crate::tables::with_shared;
use crate::{fanorona, json, refused_in, words};

#[test]
fn analysis_proves_or_says_that_it_does_not_know() {
    let nowhere = tempfile::tempdir().expect("a directory");
    let analyze =
        |args: &str| json(&format!("analyze {args} --tables \"{}\"", nowhere.path().display()));
    let won = analyze("--board 3x3");
    assert_eq!((&won["value"], &won["proved"]), (&json!("win"), &json!(true)));
    assert!(won["best"].is_string() && won["nodes"].as_u64() > Some(0));
    let line = won["line"].as_array().expect("a list");
    assert_eq!((&line[0]["turn"], &line[0]["value"]), (&won["best"], &json!("win")));
    assert_eq!(line[1]["value"], "loss");
    assert_eq!(
        won["questions"][0],
        json!({"attacker": "white", "answer": true, "proof": 1, "disproof": 1})
    );

    let unknown = analyze("--nodes 100000");
    assert_eq!((&unknown["value"], &unknown["proved"]), (&json!("unknown"), &json!(false)));
    assert_eq!((&unknown["at_least"], &unknown["at_most"]), (&json!("loss"), &json!("win")));
    assert!(
        unknown["nodes"].as_u64() >= Some(100_000) && unknown["questions"][1]["answer"].is_null()
    );
    let timed = analyze("--time 0.2");
    assert_eq!(timed["value"], "unknown");
    assert!(timed["seconds"].as_f64().is_some_and(|seconds| seconds < 5.0));

    // A capture into the tables, from a position with more stones than they have.
    let beyond = json(&with_shared("analyze --position \"9/9/W1WB1BB2/9/9 w\""));
    let [value, best, source, nodes] = ["value", "best", "source", "nodes"].map(|key| &beyond[key]);
    assert_eq!((value, best), (&json!("draw"), &json!("c3-b3W")));
    assert_eq!((source, nodes), (&json!("table"), &json!(0)));
}

#[test]
fn an_analysis_without_tables_needs_no_directory() {
    let dir = tempfile::tempdir().expect("a directory");
    fanorona(words("analyze --board 3x3"))
        .current_dir(&dir)
        .assert()
        .success()
        .stdout(predicate::str::contains("BBB/B1W/WWW w: win\nbest turn: "));
}

#[test]
fn positions_are_analyzed_by_the_line() {
    let batch = |args: &str, input: &str| {
        let dir = tempfile::tempdir().expect("a directory");
        let mut command = fanorona(words(&format!("analyze --board 3x3 --batch - {args}")));
        command.current_dir(&dir).write_stdin(input.to_owned()).assert()
    };
    let input = "BBB/B1W/WWW w\n\n1BB/BWW/W1W w\n";
    let output = batch("--json", input).success().get_output().stdout.clone();
    let lines: Vec<Value> = String::from_utf8(output)
        .expect("it is UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (&lines[0]["position"], &lines[0]["value"]),
        (&json!("BBB/B1W/WWW w"), &json!("win"))
    );
    assert_eq!(lines[1]["proved"], true);
    batch("", input).success().stdout(predicate::str::contains("BBB/B1W/WWW w: win\nbest turn: "));
    let bad = batch("--json", "BBB/B1W/WWW w\nnothing\n").code(2);
    let bad = bad.stdout(predicate::str::contains("\"position\":\"nothing\",\"error\":"));
    bad.stderr(predicate::str::contains("1 of 2 positions of standard input"));
}

#[test]
fn a_search_is_taken_up_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let part = || {
        let args = "analyze --board 7x3 --nodes 20000 --threads 1 --resume search --json";
        let output = fanorona(words(args)).current_dir(&dir).output().expect("it runs");
        assert!(output.status.success());
        serde_json::from_slice::<Value>(&output.stdout).expect("it is JSON")
    };
    let first = part();
    assert_eq!(first["value"], "unknown");
    let mut last = first.clone();
    while last["value"] == "unknown" {
        let next = part();
        assert!(next["nodes"].as_u64() > last["nodes"].as_u64());
        last = next;
    }
    assert_eq!(last["value"], "win");
    fanorona(words("analyze --board 7x3 --rules free-capture --resume search"))
        .current_dir(&dir)
        .assert()
        .code(2)
        .stderr(predicate::str::contains("another rule set: standard, not free-capture"));
}

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
        assert!(questions.clone().all(|question| question["attacker"] == side));
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

/// Runs the program in a directory with `--json`, which has to succeed. The objects that it prints,
/// and its messages.
fn reports(dir: &Path, args: &str) -> (Vec<Value>, String) {
    let assert = fanorona(words(args)).arg("--json").current_dir(dir).assert().success();
    let output = assert.get_output();
    let text = String::from_utf8(output.stdout.clone()).expect("JSON is UTF-8");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    (lines.collect(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_book_answers_its_positions() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path();
    reports(dir, "analyze --board 3x5 --certificate start.cert");
    let analyze = "analyze --board 3x5 --book start.cert";
    let (report, messages) = reports(dir, analyze);
    let [report] = &report[..] else { panic!("{report:?}") };
    assert_eq!((&report["value"], &report["proved"]), (&json!("win"), &json!(true)));
    assert_eq!((&report["source"], &report["nodes"]), (&json!("proof"), &json!(0)));
    assert_eq!(report["book"]["file"], "start.cert");
    assert_eq!(messages, "");
    let best = report["best"].as_str().expect("a turn");
    assert_eq!([&report["line"][0]["turn"], &report["turns"][0]["turn"]], [best, best]);
    // The line goes through the proof to its end.
    let line = report["line"].as_array().expect("a list");
    let (mut after, mut value) = (Vec::new(), "win");
    for turn in line {
        assert_eq!(turn["value"], value);
        after.push(turn["turn"].as_str().expect("a text"));
        value = if value == "win" { "loss" } else { "win" };
    }
    let (end, _) = reports(dir, &format!("moves --board 3x5 --after \"{}\"", after.join(" ")));
    assert_eq!(end[0]["outcome"], "white");
    // After its first turn, the other side has lost by every turn, and the book has none for it.
    let (report, _) = reports(dir, &format!("{analyze} --after {best}"));
    assert_eq!((&report[0]["value"], report[0]["book"].get("best")), (&json!("loss"), None));
    let turns = report[0]["turns"].as_array().expect("a list");
    assert!(!turns.is_empty() && turns.iter().all(|turn| turn["value"] == "loss"));
    let text = fanorona(words(analyze)).current_dir(dir).assert().success();
    let output = String::from_utf8_lossy(&text.get_output().stdout).into_owned();
    let parts = [
        format!("w: win\nbest turn: {best}\nbest play: {best} win, "),
        "\nfrom the book start.cert: win\n\nturn ".to_owned(),
    ];
    assert!(parts.iter().all(|part| output.contains(part)), "{output}");

    // A batch: from the book, by a search, from the rules.
    let batch = "BBB/BBB/W1B/WWW/WWW w\n3/BB1/3/3/2W w\n3/3/3/3/2W b\n";
    fs::write(dir.join("list"), batch).expect("it can be written");
    let (lines, _) = reports(dir, &format!("{analyze} --batch list"));
    let values: Vec<_> = lines.iter().map(|line| &line["value"]).collect();
    assert_eq!(values, ["win", "loss", "loss"]);
    assert_eq!((&lines[0]["nodes"], lines[1].get("book")), (&json!(0), None));
    let searched = lines.iter().map(|line| line["questions"].is_array());
    assert!(searched.eq([false, true, false]));
}

/// The certificate of 9x5 proves one bound of most of its positions. The search cannot add to it
/// here, and the tables that the book needs are named.
#[test]
fn a_bound_of_a_book_stays_when_the_search_finds_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs/9x5-standard.proof");
    let analyze = format!("analyze --book \"{}\" --nodes 1000 --threads 1", file.display());
    let (start, messages) = reports(dir.path(), &analyze);
    assert_eq!((&start[0]["value"], &messages[..]), (&json!("draw"), ""));
    let best = start[0]["best"].as_str().expect("a turn");
    let after = fanorona(["moves", "--after", best, "--json"]).assert().success();
    let moves: Value = serde_json::from_slice(&after.get_output().stdout).expect("JSON");
    let reply = moves["turns"][0]["turn"].as_str().expect("a turn");
    let (report, messages) = reports(dir.path(), &format!("{analyze} --after \"{best} {reply}\""));
    assert_eq!((&report[0]["value"], &report[0]["at_least"]), (&json!("unknown"), &json!("draw")));
    assert_eq!(
        (&report[0]["best"], &report[0]["proved"]),
        (&report[0]["book"]["best"], &json!(false))
    );
    assert!(report[0]["nodes"].as_u64() > Some(0));
    assert!(messages.contains("up to 8 stones"), "{messages}");
    let command = "fanorona build --board 9x5 --rules standard --stones 8";
    let advice = [command, "they cannot be built on this machine"];
    assert!(advice.iter().any(|part| messages.contains(part)), "{messages}");
}

/// After a first turn that is not in White's proof, the book knows only that Black holds. The search
/// finds the rest, and the certificate has that alone.
#[test]
fn the_certificate_has_what_the_book_does_not() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path();
    let game = "--board 5x3 --rules free-capture";
    reports(dir, &format!("analyze {game} --certificate start.cert"));
    let (start, _) = reports(dir, &format!("analyze {game} --book start.cert"));
    assert_eq!(start[0]["value"], "draw");
    let (moves, _) = reports(dir, &format!("moves {game}"));
    let turns = moves[0]["turns"].as_array().expect("turns");
    let mut turns = turns.iter().map(|turn| turn["turn"].as_str().expect("a turn"));
    let other = turns.rfind(|turn| Some(*turn) != start[0]["best"].as_str());
    let after = format!("--after {}", other.expect("there are several"));

    let analyze = format!("analyze {game} --book start.cert --certificate rest.cert");
    let (report, messages) = reports(dir, &format!("{analyze} {after}"));
    let [report] = &report[..] else { panic!("{report:?}") };
    assert_eq!(report["book"]["at_least"], "draw");
    assert_eq!((&report["proved"], &messages[..]), (&json!(true), ""));
    // Whether Black holds was not asked.
    let asked: Vec<_> = report["questions"].as_array().expect("questions").iter().collect();
    assert!(asked[1].get("answer").is_none_or(Value::is_null) || report["value"] == "win");
    let (check, _) = reports(dir, "check rest.cert");
    let certified = match report["value"] == "win" {
        true => json!(["win", null, null]),
        false => json!(["unknown", "loss", "draw"]),
    };
    let found = ["value", "at_least", "at_most"].map(|key| &check[0][key]);
    assert_eq!(json!(found), certified);

    // An answer of the book needs no certificate.
    let (_, messages) = reports(dir, &analyze.replace("rest", "none"));
    assert!(messages.contains("no certificate was written"), "{messages}");
    assert!(!dir.join("none.cert").exists());
}

#[test]
fn a_book_of_another_game_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path();
    reports(dir, "analyze --board 3x3 --certificate start.cert");
    refused_in(
        dir,
        "analyze --book start.cert",
        2,
        &["start.cert", "'--board 3x3 --rules standard'"],
    );
    refused_in(dir, "analyze --book missing.cert", 2, &["missing.cert"]);
    refused_in(dir, "analyze --book", 2, &["--book"]);
    refused_in(dir, "analyze --book start.cert --resume x", 2, &["--resume"]);
    let analyze = "analyze --board 3x3 --book start.cert";
    let mut bytes = fs::read(dir.join("start.cert")).expect("it is there");
    bytes[70] ^= 1;
    fs::write(dir.join("start.cert"), bytes).expect("it can be written");
    refused_in(dir, analyze, 2, &["start.cert is damaged"]);
}

/// An answer that is open says how far the search came, and what it lacked.
#[test]
fn an_open_answer_says_what_may_settle_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let text = |args: &str| {
        let assert = fanorona(words(args)).current_dir(&dir).assert().success();
        String::from_utf8(assert.get_output().stdout.clone()).expect("a text")
    };
    let nodes = text("analyze --nodes 3000 --threads 1");
    assert!(nodes.contains("w: unknown\nCan White win? open. Can Black win? open.\n"), "{nodes}");
    assert!(nodes.contains("\nstopped at the limit of --nodes; "), "{nodes}");
    let ways = "What may settle it: endgame tables (fanorona build) or more positions (--nodes).\n";
    assert!(nodes.ends_with(ways), "{nodes}");
    assert!(nodes.contains("not searched"), "{nodes}");

    text("build --stones 3 --metric wdl");
    let time = text("analyze --time 0.2 --threads 1");
    let ways = "tables of more than 3 stones (fanorona build) or more time (--time).\n";
    assert!(time.ends_with(ways), "{time}");
    assert!(time.contains("\nstopped at the limit of --time; "), "{time}");
    let full = text("analyze --nodes 1500000 --threads 1 --memory 1");
    let ways =
        "(fanorona build), more memory (--memory), which is full, or more positions (--nodes).\n";
    assert!(full.ends_with(ways), "{full}");

    let proved = text("analyze --board 3x3");
    assert!(!proved.contains("Can ") && !proved.contains("may settle"), "{proved}");
}

/// Where standard error is not a terminal, a line is written each minute, and none before.
#[test]
fn a_log_shows_that_the_search_goes_on() {
    let (seconds, expected) = effort((1, 0), (62, 1));
    let dir = tempfile::tempdir().expect("a directory");
    let args = format!("analyze --time {seconds} --threads 1 --json");
    let assert = fanorona(words(&args)).current_dir(&dir).assert().success();
    let report: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
    assert_eq!(report["value"], "unknown");
    let log = String::from_utf8(assert.get_output().stderr.clone()).expect("a text");
    assert_eq!(log.lines().count(), expected, "{log}");
    for line in log.lines() {
        assert!(line.starts_with("win ") && line.contains(" %, 1 min"), "{line}");
    }
}
