//! `perft`, its suites, and how it ends early.

use std::fs;
use std::path::Path;

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::{fanorona, json, words};

fn nodes(report: &Value) -> Vec<u64> {
    let depths = report["depths"].as_array().expect("a list");
    for (i, depth) in depths.iter().enumerate() {
        assert_eq!(depth["depth"], i as u64 + 1);
    }
    depths.iter().filter_map(|depth| depth["nodes"].as_u64()).collect()
}

/// Counts that other programs have published or found.
const KNOWN: &[(&str, &[u64])] = &[
    ("--depth 5", &[5, 39, 724, 18026, 431_852]),
    ("--count positions --depth 5", &[5, 39, 724, 18026, 431_830]),
    ("--count steps --depth 4", &[5, 17, 64, 337]),
    ("--rules forced-relay --depth 3", &[5, 21, 223]),
    ("--rules free-capture --depth 3", &[5, 56, 1143]),
    ("--rules first-capture-single --depth 3", &[5, 17, 198]),
    ("--rules vela --depth 3", &[4, 5, 30]),
    ("--rules standard+direction-strict --count positions --depth 3", &[5, 39, 643]),
    ("--direction free --depth 3", &[5, 39, 738]),
    ("--board 3x3 --depth 8", &[4, 7, 14, 67, 137, 280, 744, 1497]),
    ("--board 5x3 --depth 4", &[3, 16, 89, 496]),
    ("--board 3x5 --depth 4", &[2, 5, 20, 87]),
    ("--board 5x5 --depth 4", &[5, 21, 202, 3469]),
    ("--board 7x5 --depth 3", &[3, 31, 544]),
    ("--position \"9/9/BW2B2BB/9/9 w\" --depth 1", &[1]),
    ("--position \"9/9/BW2B2BB/9/9 w\" --direction free --depth 1", &[2]),
    ("--position \"BBB6/WBB6/BBB6/9/9 w\" --depth 1", &[0]),
    ("--position \"6B2/7B1/9/3BW1B2/4B4 w\" --depth 1", &[25]),
    ("--position \"6B2/7B1/9/3BW1B2/4B4 w\" --count positions --depth 1", &[24]),
    ("--position \"W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w\" --depth 1", &[10464]),
    (
        "--position \"W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w\" --count positions --depth 1",
        &[10096],
    ),
];

#[test]
fn known_counts_come_out() {
    for (args, expected) in KNOWN {
        assert_eq!(nodes(&json(&format!("perft {args}"))), *expected, "{args}");
    }
}

/// The tables of starts, as far as they are quickly counted again.
#[test]
fn published_starts_come_out() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft/starts.json");
    let text = fs::read_to_string(path).expect("it can be read");
    let data: Value = serde_json::from_str(&text).expect("it is JSON");
    for board in data["boards"].as_array().expect("a list") {
        let size = board["board"].as_str().expect("a name");
        let column = |name: &str| -> Vec<u64> {
            let rows = board["depths"].as_array().expect("a list").iter();
            rows.map_while(|row| row[name].as_u64()).collect()
        };
        for counting in ["turns", "positions", "unique"] {
            let small: Vec<u64> =
                column(counting).into_iter().take_while(|nodes| *nodes <= 100_000).collect();
            assert!(small.len() > 3, "{size}, {counting}");
            let report =
                json(&format!("perft --board {size} --count {counting} --depth {}", small.len()));
            assert_eq!(report["position"], board["position"]);
            assert_eq!(nodes(&report), small, "{size}, {counting}");
        }
        let stats = json(&format!("stats --board {size} --depth 4"));
        for (i, depth) in stats["depths"].as_array().expect("a list").iter().enumerate() {
            let lengths = depth["relay_lengths"].as_object().expect("an object").keys();
            let longest = lengths.filter_map(|steps| steps.parse::<u64>().ok()).max();
            assert_eq!(depth["captures"].as_u64(), Some(column("captures")[i]), "{size}");
            assert_eq!(longest, Some(column("longest_relay")[i]), "{size}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    for count in ["turns", "positions", "steps", "unique"] {
        let args = format!("perft --board 5x5 --depth 6 --count {count} --divide");
        let mut one = json(&format!("{args} --threads 1"));
        let mut many = json(&format!("{args} --threads 3"));
        for report in [&mut one, &mut many] {
            for depth in report["depths"].as_array_mut().into_iter().flatten() {
                depth["seconds"] = Value::Null;
            }
        }
        assert_eq!(one, many, "{count}");
    }
}

#[test]
fn first_turns_add_up() {
    let report = json("perft --depth 4 --divide");
    let divide = report["divide"].as_array().expect("a list");
    let turns: Vec<_> = divide.iter().filter_map(|turn| turn["turn"].as_str()).collect();
    assert_eq!(turns, ["d2-e3A", "e2-e3A", "f2-e3A", "d3-e3A", "d3-e3W"]);
    assert_eq!(divide.iter().filter_map(|turn| turn["nodes"].as_u64()).sum::<u64>(), 18026);

    let steps = json("perft --depth 4 --divide --count steps");
    let divide = steps["divide"].as_array().expect("a list");
    assert_eq!(divide.iter().filter_map(|turn| turn["nodes"].as_u64()).sum::<u64>(), 337);
}

#[test]
fn the_report_says_what_was_counted() {
    let mut report = json("perft --board 3x3 --depth 1 --count unique");
    report["depths"] = Value::Null;
    let expected = json!({
        "board": "3x3", "rules": "standard", "position": "BBB/B1W/WWW w", "count": "unique",
        "depths": null
    });
    assert_eq!(report, expected);
    fanorona(words("perft --board 3x3 --depth 2 --divide"))
        .assert()
        .success()
        .stdout(predicate::str::contains("depth                turns  seconds"))
        .stdout(predicate::str::contains("\nc2-b2A  2\n"));
}

const SUITE: &str = "\
# Counts of two boards.

id small
rules standard
count turns
position BBB/B1W/WWW w
why the start position
perft 1 4
perft 2 7
perft 5 137

id usual
rules vela
count turns
position BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w
perft 3 30
perft 9 340282366920938463463374607431768211455
";

#[test]
fn suites_are_checked() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("good.perft");
    fs::write(&file, SUITE).expect("it can be written");
    let args = format!("perft --suite \"{}\" --max-nodes 1000", file.display());
    assert_eq!(json(&args), json!({"checked": 4, "skipped": 1, "failed": []}));
    fanorona(words(&args))
        .assert()
        .success()
        .stdout("4 counts of 2 positions checked, 0 differ\n1 counts above 1000 skipped\n");

    let bad = dir.path().join("bad.perft");
    fs::write(&bad, SUITE.replace("perft 2 7", "perft 2 8")).expect("it can be written");
    let args = format!("perft --suite \"{}\" --max-nodes 1000", bad.display());
    let failed = json!({"id": "small", "depth": 2, "expected": 8, "found": 7});
    let output = fanorona(words(&args)).arg("--json").assert().code(1).get_output().clone();
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(report, json!({"checked": 4, "skipped": 1, "failed": [failed]}));
    fanorona(words(&args))
        .assert()
        .code(1)
        .stdout(predicate::str::contains("small: turns at depth 2 of 'BBB/B1W/WWW w'"))
        .stdout(predicate::str::contains("expected 8, found 7"))
        .stderr("error: 1 of 4 counts differ\n");
}

#[test]
fn several_suites_are_one_check() {
    let dir = tempfile::tempdir().expect("a directory");
    for name in ["a.perft", "b.perft"] {
        fs::write(dir.path().join(name), SUITE).expect("it can be written");
    }
    let output = fanorona(words("perft --suite a.perft b.perft --max-nodes 1000 --json"))
        .current_dir(&dir)
        .assert()
        .success()
        .get_output()
        .clone();
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(report["checked"], 8);
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let position = "W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w";
    for more in ["", "--json"] {
        let script = format!(
            "{{ '{}' moves --position '{position}' {more}; echo \"status $?\" >&2; }} | head -c 10",
            env!("CARGO_BIN_EXE_fanorona")
        );
        assert_cmd::Command::new("sh")
            .args(["-c", &script])
            .assert()
            .success()
            .stderr("status 0\n");
    }
}

#[cfg(unix)]
#[test]
fn a_full_output_is_an_error() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let script = format!("'{}' moves > /dev/full", env!("CARGO_BIN_EXE_fanorona"));
    assert_cmd::Command::new("sh")
        .args(["-c", &script])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("error: "));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_depths_that_are_finished() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let mut child = Command::new(env!("CARGO_BIN_EXE_fanorona"))
        .args(["perft", "--depth", "30"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    // The position, an empty line, the header, and four depths.
    assert_eq!(lines.by_ref().take(7).filter_map(Result::ok).count(), 7);
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let rest = lines.count();
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    let expected = format!("error: interrupted: depths 1 to {} were finished", 4 + rest);
    assert!(stderr.contains(&expected), "{stderr}");
}
