//! `perft`, its suites, and how it ends early.

use std::fs;
use std::path::Path;

use fanorona_tests::effort;
use predicates::prelude::*;
use serde_json::{Value, json};

use crate::{fanorona, json, refused, words};

fn nodes(report: &Value) -> Vec<u64> {
    let depths = report["depths"].as_array().expect("a list");
    for (i, depth) in depths.iter().enumerate() {
        assert_eq!(depth["depth"], i as u64 + 1);
    }
    depths.iter().filter_map(|depth| depth["nodes"].as_u64()).collect()
}

/// Counts that other programs have published or found.
const KNOWN: &[(&str, &[u64])] = &[
    ("5", &[5, 39, 724, 18026, 431_852]),
    ("--count positions 5", &[5, 39, 724, 18026, 431_830]),
    ("--count steps 4", &[5, 17, 64, 337]),
    ("--rules forced-relay 3", &[5, 21, 223]),
    ("--rules free-capture 3", &[5, 56, 1143]),
    ("--rules first-capture-single 3", &[5, 17, 198]),
    ("--rules vela 3", &[4, 5, 30]),
    ("--rules standard+direction-strict --count positions 3", &[5, 39, 643]),
    ("--rules standard+direction-free 3", &[5, 39, 738]),
    ("--board 3x3 8", &[4, 7, 14, 67, 137, 280, 744, 1497]),
    ("--board 5x3 4", &[3, 16, 89, 496]),
    ("--board 3x5 4", &[2, 5, 20, 87]),
    ("--board 5x5 4", &[5, 21, 202, 3469]),
    ("--board 7x5 3", &[3, 31, 544]),
    ("\"9/9/BW2B2BB/9/9 w\" 1", &[1]),
    ("\"9/9/BW2B2BB/9/9 w\" --rules standard+direction-free 1", &[2]),
    ("\"BBB6/WBB6/BBB6/9/9 w\" 1", &[0]),
    ("\"6B2/7B1/9/3BW1B2/4B4 w\" 1", &[25]),
    ("\"6B2/7B1/9/3BW1B2/4B4 w\" --count positions 1", &[24]),
    ("\"W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w\" 1", &[10464]),
    ("\"W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w\" --count positions 1", &[10096]),
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
            let report = json(&format!("perft {} --board {size} --count {counting}", small.len()));
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
        let args = format!("perft 6 --board 5x5 --count {count} --divide");
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
    let report = json("perft 4 --divide");
    let divide = report["divide"].as_array().expect("a list");
    let turns: Vec<_> = divide.iter().filter_map(|turn| turn["turn"].as_str()).collect();
    assert_eq!(turns, ["d2-e3A", "e2-e3A", "f2-e3A", "d3-e3A", "d3-e3W"]);
    assert_eq!(divide.iter().filter_map(|turn| turn["nodes"].as_u64()).sum::<u64>(), 18026);

    let steps = json("perft 4 --divide --count steps");
    let divide = steps["divide"].as_array().expect("a list");
    assert_eq!(divide.iter().filter_map(|turn| turn["nodes"].as_u64()).sum::<u64>(), 337);
}

/// Turns to one position have a line each, and the position counts once.
#[test]
fn divided_positions_do_not_add_up() {
    let position = "\"6B2/7B1/9/3BW1B2/4B4 w\" --count positions";
    for hash in ["", "--hash 1"] {
        let report = json(&format!("perft 1 {position} --divide {hash}"));
        assert_eq!(nodes(&report), [24], "{hash}");
        let lines = report["divide"].as_array().expect("a list");
        assert!(lines.len() == 25 && lines.iter().all(|line| line["nodes"] == 1), "{hash}");
    }
}

#[test]
fn the_report_says_what_was_counted() {
    let mut report = json("perft 1 --board 3x3 --count unique");
    report["depths"] = Value::Null;
    let expected = json!({
        "board": "3x3", "rules": "standard", "position": "BBB/B1W/WWW w", "count": "unique",
        "depths": null
    });
    assert_eq!(report, expected);
    fanorona(words("perft 2 --board 3x3 --divide"))
        .assert()
        .success()
        .stdout(predicate::str::contains("depth                      turns         time"))
        .stdout(predicate::str::contains("\nc2-b2A  2\n"));
}

/// A report without its times.
fn timeless(args: &str) -> Value {
    without_times(json(args))
}

fn without_times(mut report: Value) -> Value {
    for depth in report["depths"].as_array_mut().expect("a list") {
        depth["seconds"] = Value::Null;
    }
    report
}

#[test]
fn a_hash_table_changes_no_count() {
    // With the depths of thorough tests.
    let games = [
        ("", 6),
        ("--divide", 6),
        ("--count positions --divide", 5),
        ("--count steps --divide", 9),
        ("--rules vela", 9),
        ("--rules first-capture-single --threads 1", 7),
        ("--rules free-capture", 5),
        ("--board 5x5 --rules forced-relay --divide", 7),
        ("\"9/2W3B2/4W4/1B4WB1/9 w\" --divide", 6),
        ("--board 21x3 --divide", 4),
    ];
    for (game, depth) in games {
        let game = format!("{} {game}", depth - effort(1, 0));
        let expected = timeless(&format!("perft {game}"));
        for hash in ["--hash 1", "--hash 16"] {
            let mut found = timeless(&format!("perft {game} {hash}"));
            let used = found.as_object_mut().and_then(|report| report.remove("hash"));
            let used = used.expect("the report says how useful the table was");
            assert_eq!(found, expected, "{game} {hash}");
            assert!(used["probes"].as_u64() > used["hits"].as_u64(), "{used}");
        }
    }
    fanorona(words("perft 6 --hash 3"))
        .assert()
        .success()
        .stdout(predicate::str::contains("hash table: 2 MiB, "));
}

#[test]
fn a_table_reaches_depths_that_nothing_else_does() {
    let endless = "perft --board 3x3 \"W2/3/2B w\" --rules free-capture --hash 4";
    let report = json(&format!("{endless} 60"));
    let nodes = report["depths"][59]["nodes"].as_str().expect("it passes 64 bits");
    assert!(nodes.parse::<u128>().expect("a number") > 1 << 64);
    assert!(report["hash"]["hits"].as_u64() > Some(0));
    let output = fanorona(words(&format!("{endless} 200"))).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("exceeds 128 bits"), "{stderr}");
}

#[test]
fn unique_positions_are_sorted_on_disk_where_memory_ends() {
    let depth = effort(5, 6);
    let much = timeless(&format!("perft {depth} --count unique"));
    let depths = much["depths"].as_array().expect("a list");
    assert_eq!(depths[4]["nodes"], 375_275);
    if let Some(sixth) = depths.get(5) {
        assert_eq!((&sixth["nodes"], &sixth["canonical"]), (&json!(7_122_241), &json!(7_122_231)));
    }
    let dir = tempfile::tempdir().expect("a directory");
    let little = format!("perft {depth} --count unique --hash 1 --json");
    let little = fanorona(words(&little)).env("TMPDIR", dir.path()).output().expect("it starts");
    let little = serde_json::from_slice(&little.stdout).expect("it is JSON");
    assert_eq!(without_times(little), much);
    let left = fs::read_dir(&dir).expect("it is still there").count();
    assert_eq!(left, 0, "nothing is left behind");

    let lone = json("perft 2 \"9/9/4W4/9/8B w\" --count unique --divide");
    assert_eq!(lone["divide"].as_array().map(Vec::len), Some(8));
    assert_eq!(lone["depths"][0]["nodes"], 8);
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error() {
    // A file may not grow beyond some blocks.
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' perft 6 --count unique --hash 1 --json",
        env!("CARGO_BIN_EXE_fanorona")
    );
    let assert = assert_cmd::Command::new("sh").args(["-c", &script]).assert().code(2);
    let output = assert
        .stderr(predicate::str::contains("cannot be sorted in"))
        .stderr(predicate::str::contains("choose another directory with TMPDIR"))
        .get_output()
        .clone();
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert!(nodes(&report).starts_with(&[5, 39, 724]), "what was counted is reported: {report}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    fanorona(words("perft 2 --count unique"))
        .env("TMPDIR", file.path())
        .assert()
        .code(2)
        .stderr(predicate::str::contains("cannot write a file in"))
        .stderr(predicate::str::contains("set TMPDIR"));
    refused("perft 2 --hash 0", 2, &["--hash", "whole number, 1 or more"]);
    for hash in [u64::MAX, 1 << 30] {
        let args = format!("perft 2 --hash {hash}");
        refused(&args, 2, &["is more than the", "MiB of memory", "smaller number"]);
    }
    refused("perft 256", 2, &["the depth is", "256", "1 to 255"]);
    refused("perft 0 --count unique", 2, &["the depth is", "1 to 255"]);
    refused("stats --depth 100000000", 2, &["--depth", "1 to 255"]);
    refused("perft --suite x.perft --hash 1", 2, &["--suite", "--hash"]);
    refused("perft 2 --count unique --hash 0", 2, &["--hash", "1 or more"]);
    refused("perft 2 --after d3-e3A,z9-e4A --divide", 2, &["z9"]);
    refused("perft 2 --after \"a1-a2\"", 2, &["a1-a2", "not legal"]);
}

#[test]
fn a_divided_count_is_followed_down() {
    for game in ["", "--rules forced-relay", "--rules vela", "--hash 1", "--board 5x5"] {
        let mut after = Vec::<String>::new();
        let mut expected = None;
        for depth in (1..=4).rev() {
            let played = after.join(",");
            let report = json(&format!("perft {depth} {game} --after \"{played}\" --divide"));
            let nodes = nodes(&report).pop().expect("a depth");
            assert_eq!(nodes, expected.unwrap_or(nodes), "{game}, after {played}");
            let lines = report["divide"].as_array().expect("a list");
            let sum: u64 = lines.iter().filter_map(|line| line["nodes"].as_u64()).sum();
            assert_eq!(sum, nodes, "{game}, after {played}");
            let last = lines.last().expect("a turn");
            after.push(last["turn"].as_str().expect("a text").to_owned());
            expected = last["nodes"].as_u64();
        }
        assert_eq!(expected, Some(1));
    }
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
        .stdout("4 counts of 2 positions checked, 0 differ\n1 count above 1,000 skipped\n");

    // The limit is the largest count that is checked.
    for (limit, checked) in [(136, 3), (137, 4), (138, 4), (4, 1), (3, 0)] {
        let args = format!("perft --suite \"{}\" --max-nodes {limit}", file.display());
        assert_eq!(json(&args)["checked"], checked, "{limit}");
    }

    let bad = dir.path().join("bad.perft");
    fs::write(&bad, SUITE.replace("perft 2 7", "perft 2 8")).expect("it can be written");
    let args = format!("perft --suite \"{}\" --max-nodes 1000", bad.display());
    let failed = json!({
        "board": "3x3",
        "rules": "standard",
        "position": "BBB/B1W/WWW w",
        "id": "small",
        "depth": 2,
        "expected": 8,
        "found": 7
    });
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
fn depths_of_suites_are_limited() {
    let dir = tempfile::tempdir().expect("a directory");
    let suite = |depth: &str| {
        let file = dir.path().join("deep.perft");
        let position = "position BBB6/WBB6/BBB6/9/9 w";
        let text = format!("id a\nrules standard\ncount turns\n{position}\nperft {depth} 0\n");
        fs::write(&file, text).expect("it can be written");
        format!("perft --suite \"{}\"", file.display())
    };
    refused(&suite("100000000"), 2, &["line 5", "depth 100000000 is too great", "255"]);
    refused(&suite("256"), 2, &["line 5", "depth 256 is too great"]);
    // White cannot move: nothing is below.
    assert_eq!(json(&suite("255")), json!({"checked": 1, "skipped": 0, "failed": []}));
}

/// A file without an end and a very long line are refused, and not read or quoted whole.
#[test]
fn endless_suites_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("long.perft");
    fs::write(&file, format!("id a\n{}\n", "x".repeat(200_000))).expect("it can be written");
    let args = format!("perft --suite \"{}\"", file.display());
    refused(&args, 2, &["line 2: the line has more than 10000 bytes"]);
    if std::path::Path::new("/dev/zero").exists() {
        refused("perft --suite /dev/zero", 2, &["'/dev/zero' has more than 64 MiB"]);
    }
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
            "{{ '{}' moves '{position}' {more}; echo \"status $?\" >&2; }} | head -c 10",
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
        .args(["perft", "30"])
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
