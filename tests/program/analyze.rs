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
    let won = analyze("--board 3x3 --book none");
    assert_eq!((&won["value"], &won["proved"]), (&json!("win"), &json!(true)));
    assert!(won["best"].is_string() && won["nodes"].as_u64() > Some(0));
    let line = won["line"].as_array().expect("a list");
    assert_eq!((&line[0]["turn"], &line[0]["value"]), (&won["best"], &json!("win")));
    assert_eq!(line[1]["value"], "loss");
    assert_eq!(
        won["questions"][0],
        json!({"attacker": "white", "answer": true, "proof": 1, "disproof": 1})
    );

    let unknown = analyze("--nodes 100000 --book none");
    assert_eq!((&unknown["value"], &unknown["proved"]), (&json!("unknown"), &json!(false)));
    assert_eq!((&unknown["at_least"], &unknown["at_most"]), (&json!("loss"), &json!("win")));
    assert!(
        unknown["nodes"].as_u64() >= Some(100_000)
            && unknown["questions"][1].get("answer").is_none()
    );
    let timed = analyze("--time 0.2 --book none");
    assert_eq!(timed["value"], "unknown");
    assert!(timed["seconds"].as_f64().is_some_and(|seconds| seconds < 5.0));

    // A capture into the tables, from a position with more stones than they have.
    let beyond = json(&with_shared("analyze \"9/9/W1WB1BB2/9/9 w\""));
    let [value, best, source, nodes] = ["value", "best", "source", "nodes"].map(|key| &beyond[key]);
    assert_eq!((value, best), (&json!("draw"), &json!("c3-b3W")));
    assert_eq!((source, nodes), (&json!("table"), &json!(0)));
}

#[test]
fn an_analysis_without_tables_needs_no_directory() {
    let dir = tempfile::tempdir().expect("a directory");
    fanorona(words("analyze --board 3x3")).current_dir(&dir).assert().success().stdout(
        predicate::str::contains("\nBBB/B1W/WWW w\nWhite wins.\nProved by the certificate "),
    );
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
    batch("", input)
        .success()
        .stdout(predicate::str::contains("BBB/B1W/WWW w: White wins. Best: "));
    let bad = batch("--json", "BBB/B1W/WWW w\nnothing\n").code(2);
    let bad = bad.stdout(predicate::str::contains("\"position\":\"nothing\",\"error\":"));
    bad.stderr(predicate::str::contains("1 of 2 positions of standard input"));
}

/// As for a position alone: the engine's view where nothing is proved, and what would tell more.
#[test]
fn open_positions_of_many_have_an_estimate_and_advice() {
    let dir = tempfile::tempdir().expect("a directory");
    let start = "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w";
    let list = format!("{start}\n9/9/4W4/9/9 b\n{start}\n");
    fs::write(dir.path().join("list"), list).expect("it can be written");
    let args = "analyze --batch list --book none --nodes 1000 --threads 1";
    let (lines, messages) = reports(dir.path(), args);
    for line in [&lines[0], &lines[2]] {
        assert_eq!((&line["value"], &line["nodes"]), (&json!("unknown"), &json!(1000)));
        assert!(line["estimate"].is_i64() && line["estimate_turn"].is_string(), "{line}");
        let next = line["next"].as_array().expect("steps");
        assert!(next.iter().any(|step| step["purpose"] == "search"), "{line}");
    }
    assert_eq!((&lines[1]["outcome"], lines[1].get("next")), (&json!("white"), None));
    assert!(messages.starts_with("note: 2 of 3 positions are open.\nNext: "), "{messages}");
    assert!(messages.contains("  fanorona build --board 9x5 "), "{messages}");
    let text = text_in(dir.path(), args);
    let first = text.lines().next().expect("a line");
    assert!(first.starts_with(&format!("{start}: Open: it is not known ")), "{text}");
    assert!(first.contains(" Estimate, not proved: ") && text.lines().count() == 3, "{text}");
}

#[test]
fn a_limit_of_positions_is_exact() {
    for (nodes, threads) in [(1, 1), (1, 2), (5000, 1)] {
        let args = format!("analyze --book none --nodes {nodes} --threads {threads}");
        assert_eq!(json(&args)["nodes"], nodes);
    }
}

#[test]
fn a_search_is_taken_up_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let part = || {
        let args =
            "analyze --board 7x3 --book none --nodes 20000 --threads 1 --resume search --json";
        let output = fanorona(words(args)).current_dir(&dir).output().expect("it runs");
        assert!(output.status.success());
        serde_json::from_slice::<Value>(&output.stdout).expect("it is JSON")
    };
    // The value may come from the engine, which is asked when the search has not finished.
    let is_finished = |report: &Value| report["questions"][0]["answer"] == true;
    let mut last = part();
    assert!(!is_finished(&last));
    while !is_finished(&last) {
        let next = part();
        assert!(next["nodes"].as_u64() > last["nodes"].as_u64());
        last = next;
    }
    assert_eq!(last["value"], "win");
    fanorona(words("analyze --board 7x3 --rules free-capture --book none --resume search"))
        .current_dir(&dir)
        .assert()
        .code(2)
        .stderr(predicate::str::contains("another rule set: standard, not free-capture"));
}

/// The certificate of the start says that no first turn wins, so only Black's win is searched for.
#[test]
fn a_saved_search_asks_what_certificates_leave_open() {
    let dir = tempfile::tempdir().expect("a directory");
    let args = "analyze --after e2-e3A --nodes 20000 --threads 1 --resume search --json";
    let found = json_of(&dir, args);
    assert_eq!((&found["at_least"], &found["nodes"]), (&json!("draw"), &json!(20000)));
    for (i, attacker) in ["black", "white"].into_iter().enumerate() {
        assert_eq!(found["questions"][i]["attacker"], attacker);
        let turns = found["searched"].as_array().expect("a list").iter();
        let nodes: u64 = turns.filter_map(|turn| turn["questions"][i]["nodes"].as_u64()).sum();
        assert_eq!(nodes > 0, attacker == "black", "{found}");
    }
    assert!(dir.path().join("search").exists());
}

#[test]
fn a_search_tells_how_far_each_turn_is() {
    let report = json("analyze --book none --nodes 50000 --threads 1");
    let turns = report["searched"].as_array().expect("a list");
    let names: Vec<_> = turns.iter().map(|turn| turn["turn"].as_str().expect("a text")).collect();
    assert_eq!(names, ["d2-e3A", "e2-e3A", "f2-e3A", "d3-e3A", "d3-e3W"]);
    for (i, side) in ["white", "black"].into_iter().enumerate() {
        let questions = turns.iter().map(|turn| &turn["questions"][i]);
        let below: u64 = questions.clone().map(|q| q["nodes"].as_u64().expect("a number")).sum();
        assert!((1..=report["nodes"].as_u64().expect("a number")).contains(&below));
        assert!(questions.clone().all(|question| question["attacker"] == side));
    }
}

#[test]
fn what_is_proved_of_a_turn_is_told() {
    let assert = fanorona(words("analyze --board 3x3 --book none --json")).assert().success();
    let report: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
    let turns = report["searched"].as_array().expect("a list");
    let best = turns.iter().find(|turn| turn["turn"] == report["best"]).expect("it is one of them");
    assert_eq!(best["questions"][0]["answer"], json!(true));
}

/// Runs the program in a directory with `--json`, which has to succeed. The objects that it prints,
/// and its messages.
pub(crate) fn reports(dir: &Path, args: &str) -> (Vec<Value>, String) {
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
        "w\nWhite wins.\nProved by the certificate start.cert.\n".to_owned(),
        format!("\nLine: 1. {best} "),
        format!("\nTurns of White, best first:\n  win   {best}\n"),
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
    let (report, _) = reports(dir.path(), &format!("{analyze} --after \"{best} {reply}\""));
    assert_eq!((&report[0]["value"], &report[0]["at_least"]), (&json!("unknown"), &json!("draw")));
    assert_eq!(
        (&report[0]["best"], &report[0]["proved"]),
        (&report[0]["book"]["best"], &json!(false))
    );
    assert!(report[0]["nodes"].as_u64() > Some(0));
    let step = &report[0]["next"][0];
    assert_eq!((&step["purpose"], &step["stones"]), (&json!("certificate"), &json!(8)));
    let text = text_in(dir.path(), &format!("{analyze} --after \"{best} {reply}\""));
    let command = "fanorona build --board 9x5 --rules standard --stones 8";
    let advice = [command, "they cannot be built on this machine"];
    assert!(advice.iter().any(|part| text.contains(part)), "{text}");
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
    assert!(asked[1].get("answer").is_none() || report["value"] == "win");
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
    // A position behind the list of files is one.
    for position in ["3x3", "\"BBB/B1W/WWW w\""] {
        let (found, _) = reports(dir, &format!("analyze --book start.cert {position}"));
        assert_eq!((&found[0]["board"], &found[0]["source"]), (&json!("3x3"), &json!("proof")));
    }
    let analyze = "analyze --board 3x3 --book start.cert";
    let mut bytes = fs::read(dir.join("start.cert")).expect("it is there");
    bytes[70] ^= 1;
    fs::write(dir.join("start.cert"), bytes).expect("it can be written");
    refused_in(dir, analyze, 2, &["start.cert is damaged"]);
}

/// Runs the program in a directory, and returns its output.
pub(crate) fn text_in(dir: &Path, args: &str) -> String {
    let assert = fanorona(words(args)).current_dir(dir).assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).expect("a text")
}

/// An answer that is open says how far the search came, what the engine estimates, and what would
/// help here.
#[test]
fn an_open_answer_says_what_would_help() {
    let dir = tempfile::tempdir().expect("a directory");
    let text = |args: &str| text_in(dir.path(), args);
    let open = "w\nOpen: it is not known whether one side wins.\nSearched ";
    let nodes = text("analyze --book none --nodes 3000 --threads 1");
    assert!(nodes.contains(open) && nodes.contains("\nEstimate, not proved: "), "{nodes}");
    assert!(nodes.contains("\nNext: tables to ") && nodes.contains("  fanorona build "), "{nodes}");
    assert!(nodes.ends_with("\nOr: more positions for the search (--nodes).\n"), "{nodes}");

    let time = text("analyze --book none --time 0.2 --threads 1");
    assert!(time.ends_with("\nOr: more time for the search (--time 10).\n"), "{time}");
    let full = text("analyze --book none --nodes 1500000 --threads 1 --memory 1");
    let memory = "Or: more memory for the search (--memory, now 1 MiB), which is full.\n";
    assert!(full.contains(memory), "{full}");

    // Tables that hold the position are better than any search.
    let corners = "analyze \"B7B/9/9/9/W7W w\" --nodes 1000 --threads 1";
    let before = text(corners);
    let next = "Next: tables to 4 stones hold this position (";
    assert!(before.contains(next), "{before}");
    let command = before.lines().find_map(|line| line.strip_prefix("  fanorona build "));
    text(&format!("build {}", command.expect("a command")));
    let after = text(corners);
    assert!(after.contains("\nDraw with best play.\nFrom the tables in 'tables'.\n"), "{after}");
    assert!(!after.contains("Next:"), "{after}");
}

/// The board, a sentence, its source, the line to its end and the turns: on one screen.
#[test]
fn a_position_alone_is_a_question() {
    let dir = tempfile::tempdir().expect("a directory");
    let text = |args: &str| text_in(dir.path(), args);
    text("build --stones 4");
    let draw = text("\"B7B/9/9/9/W7W w\"");
    assert!(draw.starts_with(" 5 B---.---"), "{draw}");
    assert!(draw.contains("\nLine: 1. a1-b1 ") && draw.contains(" is there again.\n"), "{draw}");
    assert!(draw.contains("\nTurns of White, best first:\n  draw  a1-b1, "), "{draw}");
    let won = text("\"9/9/1W1WB4/9/7B1 b\"");
    let json = json_of(&dir, "analyze \"9/9/1W1WB4/9/7B1 b\" --json");
    let turns = json["dtw"].as_u64().expect("it is won or lost");
    let winner = if json["value"] == "win" { "Black" } else { "White" };
    assert!(won.contains(&format!("b\n{winner} wins in {turns} turn")), "{won}");
    assert!(
        won.contains("Line: 1... ") && won.contains(&format!(" and {winner} has won.")),
        "{won}"
    );
    assert_eq!(
        (&json["end"], json["line"].as_array().map(Vec::len)),
        (&json!("finished"), Some(turns as usize))
    );
    for answer in [&draw, &won] {
        assert!(answer.lines().count() <= 23, "{answer}");
        assert!(answer.lines().all(|line| line.chars().count() <= 80), "{answer}");
    }
    // Without quotation marks, as an argument of the command, and a board for its start.
    for args in
        ["9/9/1W1WB4/9/7B1 b", "analyze 9/9/1W1WB4/9/7B1 b", "analyze \"9/9/1W1WB4/9/7B1 b\""]
    {
        assert_eq!(text(args), won, "{args}");
    }
    assert!(text("3x3").contains("\nBBB/B1W/WWW w\nWhite wins.\n"));
    let over = text("\"9/9/4W4/9/9 b\"");
    assert!(over.contains("\nThe game is over: White has won.\nBy the rules.\n"), "{over}");

    refused_in(dir.path(), "9/9/9", 2, &["who moves"]);
    refused_in(dir.path(), "9/9/2W1B4/9 w", 2, &["4 ranks given; 9x5 needs 5"]);
    refused_in(dir.path(), "4x4/ w", 2, &["position"]);
    refused_in(dir.path(), "analyze nonsense", 2, &["'nonsense' is not a position"]);
    refused_in(dir.path(), "analyze 3x3 x", 2, &["is not a position"]);
    refused_in(dir.path(), "analyze 3x3 --board 5x5", 2, &["3x3", "--board is 5x5"]);
    refused_in(dir.path(), "analyze 3x3 w x", 2, &["'x'"]);
}

fn json_of(dir: &tempfile::TempDir, args: &str) -> Value {
    serde_json::from_str(&text_in(dir.path(), args)).expect("it is JSON")
}

/// Without a search and without a file: the program has the proofs of the starts.
#[cfg(feature = "starts")]
#[test]
fn the_start_is_answered_by_the_proof_that_the_program_has() {
    let dir = tempfile::tempdir().expect("a directory");
    let start = text_in(dir.path(), "9x5");
    let proof = "w\nDraw with best play.\nProved by the certificate 9x5-standard.proof, a part of this \
                 program.\nLine: 1. ";
    assert!(start.contains(proof), "{start}");
    let turns = ", and so on.\nTurns of White, best first:\n  draw            f2-e3A, d2-e3A, d3-e3A\n  \
                 at most a draw  e2-e3A, d3-e3W\nOpen after searches of many positions: 8.6 G after \
                 e2-e3A, 19 G after d3-e3W.\n";
    assert!(start.ends_with(turns), "{start}");
    assert!(start.lines().count() <= 24 && start.lines().all(|line| line.len() <= 80), "{start}");
    let found = json_of(&dir, "9x5 --json");
    assert_eq!(
        (&found["value"], &found["source"], &found["nodes"]),
        (&json!("draw"), &json!("proof"), &json!(0))
    );
    let turns = found["turns"].as_array().expect("turns").iter();
    let turns: Vec<_> = turns.map(|turn| json!([turn["turn"], turn["value"]])).collect();
    let expected = json!([
        ["f2-e3A", "draw"],
        ["d2-e3A", "draw"],
        ["d3-e3A", "draw"],
        ["e2-e3A", "unknown"],
        ["d3-e3W", "unknown"]
    ]);
    assert_eq!(json!(turns), expected);
    let after = json_of(&dir, "9x5 --after d2-e3A --json");
    assert_eq!((&after["value"], &after["source"]), (&json!("draw"), &json!("proof")));

    // A small proof is followed to the tables that it ends in.
    let found = json_of(&dir, "5x5 --json");
    let known =
        found["turns"].as_array().expect("turns").iter().all(|turn| turn["value"].is_string());
    assert!(known, "{found}");
    let step = &found["next"][0];
    assert_eq!((&step["purpose"], &step["stones"]), (&json!("line"), &json!(6)));
    let text = text_in(dir.path(), "5x5").replace("\n  ", " ");
    assert!(text.contains("build the tables that it ends in, to 6 stones"), "{text}");

    // The line of a small board is played to its end.
    let small = text_in(dir.path(), "5x3");
    assert!(small.contains(", and White has won.\n") && !small.contains("Next:"), "{small}");
    // After turns, and not if it is not wanted, or the search is to be certified.
    let after = json_of(&dir, "5x3 --after c1-c2A --json");
    assert_eq!((&after["value"], &after["source"]), (&json!("loss"), &json!("proof")));
    for option in ["--book none", "--certificate cert"] {
        let found = json_of(&dir, &format!("5x3 --threads 1 --json {option}"));
        assert_eq!(
            (&found["value"], &found["source"]),
            (&json!("win"), &json!("search")),
            "{option}"
        );
    }
}

/// Tables without distances know who wins, and not in how many turns.
#[test]
fn tables_without_distances_say_what_they_lack() {
    let dir = tempfile::tempdir().expect("a directory");
    text_in(dir.path(), "build --stones 3 --metric wdl");
    let text = text_in(dir.path(), "\"9/9/4W4/3W5/8B w\"");
    let found = json_of(&dir, "analyze \"9/9/4W4/3W5/8B w\" --json");
    assert_eq!((&found["value"], found.get("dtw")), (&json!("win"), None), "{text}");
    assert!(text.contains("w\nWhite wins.\nFrom the tables in 'tables'"), "{text}");
    let next = "Next: to see in how many turns, build distances (";
    assert!(text.contains(next) && text.contains(" --stones 3 --metric dtw\n"), "{text}");
}

/// The numbers are those of all lines, as the time is.
#[test]
fn a_log_shows_how_far_a_batch_is() {
    let (seconds, expected) = effort((0.2, 0), (32.0, 1));
    let dir = tempfile::tempdir().expect("a directory");
    let start = "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w\n";
    fs::write(dir.path().join("list"), start.repeat(2)).expect("it can be written");
    let args = format!("analyze --batch list --book none --time {seconds} --threads 1");
    let log = reports(dir.path(), &args).1;
    let lines: Vec<_> = log.lines().take_while(|line| !line.starts_with("note: ")).collect();
    assert_eq!(lines.len(), expected, "{log}");
    let of_all = |line: &str| {
        line.starts_with("1 position answered, ") && line.ends_with(" searched, 1 min")
    };
    assert!(lines.iter().all(|line| of_all(line)), "{log}");
}

/// Where standard error is not a terminal, a line is written each minute, and none before.
#[test]
fn a_log_shows_that_the_search_goes_on() {
    let (seconds, expected) = effort((1, 0), (62, 1));
    let dir = tempfile::tempdir().expect("a directory");
    let args = format!("analyze --book none --time {seconds} --threads 1 --json");
    let assert = fanorona(words(&args)).current_dir(&dir).assert().success();
    let report: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
    assert_eq!(report["value"], "unknown");
    let log = String::from_utf8(assert.get_output().stderr.clone()).expect("a text");
    assert_eq!(log.lines().count(), expected, "{log}");
    for line in log.lines() {
        assert!(
            line.starts_with("Can White win? ") && line.contains(", 1 min of 1 min 2 s"),
            "{line}"
        );
    }
}

/// Of tables in several directories, none is said to be the source.
#[cfg(unix)]
#[test]
fn tables_in_several_directories_have_no_place() {
    let dir = tempfile::tempdir().expect("a directory");
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    std::fs::create_dir(&one).expect("a directory");
    fanorona(["build", "--board", "3x3", "--stones", "3", "--tables"]).arg(&two).assert().success();
    let (one, two) = (one.display(), two.display());
    let source = |tables: &str| {
        let output = fanorona(["3/B1W/2W w", "--tables", tables]).output().expect("it runs");
        let text = String::from_utf8(output.stdout).expect("text");
        text.lines().find(|line| line.starts_with("From ")).expect("a source").to_owned()
    };
    assert_eq!(source(&two.to_string()), format!("From the tables in '{two}'."));
    assert_eq!(source(&format!("{one}:{two}")), "From the tables.");
}
