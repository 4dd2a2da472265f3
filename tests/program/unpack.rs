//! `unpack`, and what the other commands make of unpacked tables; reading without mapping.

use std::fs;
use std::path::Path;

use predicates::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use crate::damage::{copy, table};
use crate::{fanorona, json, refused_in, words};

/// A position whose value is in the tables of 2v1.
const QUIET: &str = "\"9/9/W1W6/9/8B w\"";

/// A copy of the tables, unpacked to three stones.
fn unpacked() -> TempDir {
    let dir = copy();
    let args = "unpack --tables . --slice \"1v1, 2v1, 1v2\"";
    fanorona(words(args)).current_dir(&dir).assert().success();
    dir
}

fn unpacked_table(dir: &TempDir, slice: &str) -> std::path::PathBuf {
    dir.path().join(format!("9x5_standard_{slice}.dtw.unpacked.fano"))
}

fn run(dir: &Path, args: &str) -> serde_json::Value {
    json(&format!("{args} --tables \"{}\"", dir.display()))
}

/// Writes another file in place of one.
fn replace(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("it can be read");
    change(&mut bytes);
    fs::remove_file(path).expect("it can be removed");
    fs::write(path, bytes).expect("it can be written");
}

#[test]
fn tables_are_unpacked_once() {
    let dir = copy();
    let report = run(dir.path(), "unpack");
    let slices = report["slices"].as_array().expect("a list");
    assert_eq!(slices.len(), 6);
    assert!(slices.iter().all(|slice| slice["written"] == true), "{report}");
    let bytes = fs::metadata(unpacked_table(&dir, "1v1")).expect("it is there").len();
    assert_eq!((&slices[0]["own"], &slices[0]["bytes"]), (&json!(1), &json!(bytes)));
    let again = run(dir.path(), "unpack --stones 4");
    let slices = again["slices"].as_array().expect("a list");
    assert!(slices.len() == 6 && slices.iter().all(|slice| slice["written"] == false), "{again}");
    fanorona(words("unpack --tables ."))
        .current_dir(&dir)
        .assert()
        .success()
        .stdout(predicate::str::contains("6 unpacked tables in ., 0 of them new"));
    let leftovers = fs::read_dir(&dir).expect("it can be listed").count();
    assert_eq!(leftovers, 12);
}

#[test]
fn slices_can_be_chosen() {
    let names = |report: &serde_json::Value| -> Vec<String> {
        let slices = report["slices"].as_array().into_iter().flatten();
        slices.map(|slice| format!("{}v{}", slice["own"], slice["opponent"])).collect()
    };
    for args in ["--slice 1v3,2v1", "--slice 2v1 --slice 1v3"] {
        let report = run(copy().path(), &format!("unpack {args}"));
        assert_eq!(names(&report), ["2v1", "1v3"]);
    }
    let dir = copy();
    let report = run(dir.path(), "unpack --slice 1v3,1v1");
    assert_eq!(names(&report), ["1v1", "1v3"]);
    refused_in(dir.path(), "unpack --tables . --slice 3v2", 2, &["3v2", "no wdl or dtw table"]);
    refused_in(dir.path(), "unpack --tables . --slice 23v1", 2, &["--slice 23v1 is too large"]);
}

#[test]
fn commands_use_unpacked_tables_and_say_so() {
    let (packed, dir) = (copy(), unpacked());
    for args in ["probe \"BB7/9/9/3W5/9 w\"", &format!("probe {QUIET}")] {
        assert_eq!(run(dir.path(), args), run(packed.path(), args));
    }
    let analyze = format!("analyze {QUIET}");
    assert_eq!(run(dir.path(), &analyze)["dtw"], run(packed.path(), &analyze)["dtw"]);

    let with = run(dir.path(), "tables");
    let sizes: Vec<_> = with["slices"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|slice| slice["unpacked_bytes"].as_u64())
        .collect();
    assert_eq!(sizes.iter().flatten().count(), 3, "{with}");
    fanorona(words("tables --tables .")).current_dir(&dir).assert().success().stdout(
        predicate::str::is_match(r"unpacked +checksum\n1v1 +dtw +[0-9]+ +[0-9]+ +[0-9a-f]{16}\n")
            .unwrap(),
    );

    for how in ["--quick", "--sample 50", ""] {
        let report = run(dir.path(), &format!("verify {how}"));
        let slices = report["slices"].as_array().expect("a list");
        let unpacked = slices.iter().filter(|slice| slice["unpacked"] == true).count();
        assert_eq!((slices.len(), unpacked), (9, 3), "{report}");
        assert!(slices.iter().all(|slice| slice["ok"] == true), "{report}");
    }
}

#[test]
fn a_damaged_unpacked_table() {
    let dir = unpacked();
    let path = unpacked_table(&dir, "2v1");
    let whole = fs::read(&path).expect("it can be read");
    let probe = format!("probe --tables . {QUIET}");
    let name = "2v1.dtw.unpacked.fano";

    // A value: only checksums show that, and verifying compares them.
    replace(&path, |bytes| bytes[200] ^= 16);
    let verify = fanorona(words("verify --quick --tables .")).current_dir(&dir).assert().code(1);
    verify.stdout(predicate::str::contains(name)).stderr(predicate::str::contains("1 of 9 tables"));
    // The header: everybody notices.
    replace(&path, |bytes| bytes[20] ^= 1);
    for command in [&probe, "tables --tables ."] {
        refused_in(dir.path(), command, 2, &[name, "damaged", "unpack it again"]);
    }
    // And it is made again.
    let report = run(dir.path(), "unpack --stones 3");
    let written: Vec<_> = report["slices"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|slice| slice["written"] == true)
        .map(|slice| (slice["own"].as_u64(), slice["opponent"].as_u64()))
        .collect();
    assert_eq!(written, [(Some(2), Some(1))]);
    assert!(fs::read(&path).expect("it is there") == whole);

    // Something else under its name is left as it is.
    replace(&path, |bytes| *bytes = b"some notes of mine".repeat(100));
    for command in [&probe, "unpack --tables ."] {
        refused_in(dir.path(), command, 2, &[name, "is not a table"]);
    }
}

#[test]
fn an_unpacked_table_from_another_table() {
    let dir = unpacked();
    fs::copy(unpacked_table(&dir, "1v2"), unpacked_table(&dir, "2v1")).expect("it can be copied");
    let parts = ["2v1.dtw.unpacked.fano", "1v2"];
    refused_in(dir.path(), &format!("probe --tables . {QUIET}"), 2, &parts);
    refused_in(dir.path(), "unpack --tables .", 2, &parts);
    // An unpacked table needs no packed one.
    fs::remove_file(unpacked_table(&dir, "2v1")).expect("it can be removed");
    fs::remove_file(table(&dir, "1v2")).expect("it can be removed");
    let probe = "probe \"B7B/9/9/9/W8 w\"";
    assert_eq!(run(dir.path(), probe), run(copy().path(), probe));
}

#[test]
fn what_cannot_be_unpacked() {
    let dir = copy();
    let refused = |args: &str, parts: &[&str]| refused_in(dir.path(), args, 2, parts);
    refused("unpack --tables . --stones 5", &["3v2", "no dtw table", "fanorona build"]);
    refused("unpack --tables . --rules forced-relay", &["forced-relay", "fanorona build"]);
    refused("unpack --tables missing", &["missing"]);
    refused("unpack --tables . --stones 1", &["'1'", "2 or more"]);

    // A table that is needed for others: captures in 2v2 lead to 1v2.
    fs::remove_file(table(&dir, "1v2")).expect("it can be removed");
    refused("unpack --tables .", &["1v2", "fanorona build"]);
    fanorona(words("build --stones 3 --tables .")).current_dir(&dir).assert().success();
    // A packed table that is damaged: nothing is made from it.
    replace(&table(&dir, "2v1"), |bytes| bytes[200] ^= 16);
    let message = predicate::str::is_match("2v1.dtw.fano is damaged: .*build it again").unwrap();
    fanorona(words("unpack --tables .")).current_dir(&dir).assert().code(2).stderr(message);
    assert!(unpacked_table(&dir, "1v1").exists() && !unpacked_table(&dir, "2v1").exists());
}

#[test]
fn a_check_finds_damage() {
    let dir = copy();
    replace(&table(&dir, "2v1"), |bytes| bytes[200] ^= 16);
    let damaged = || {
        let verify = fanorona(words("verify --quick --tables .")).current_dir(&dir).assert();
        verify.code(1).stdout(predicate::str::is_match("2v1 dtw +BAD +.*damaged").unwrap());
    };
    damaged();
    replace(&table(&dir, "2v1"), |bytes| bytes.truncate(bytes.len() / 2));
    damaged();
}
