//! Outputs that cannot be written: the verdict decides the exit status, and nothing panics.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::damage::{copy, table};
use crate::{fanorona, shell, words};

/// Runs `$F` with arguments whose standard output nobody reads, and returns the exit status and what
/// stands on standard error. The reader has gone before the program starts.
fn without_reader(dir: &Path, args: &str) -> (Option<i32>, String) {
    let script = format!("{{ sleep 0.2; \"$F\" {args}; echo \"status $?\" >&2; }} | true");
    let output = shell(dir, &script);
    let stderr = String::from_utf8(output.stderr).expect("messages are UTF-8");
    let status = stderr.lines().find_map(|line| line.strip_prefix("status ")?.parse().ok());
    (status, stderr)
}

/// A directory with a certificate `bad.cert` that is damaged, and one that holds.
fn certificates() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let analyze = "analyze --board 3x3 --certificate good.cert";
    fanorona(words(analyze)).current_dir(&dir).assert().success();
    let mut bytes = fs::read(dir.path().join("good.cert")).expect("it is there");
    bytes[70] ^= 1;
    fs::write(dir.path().join("bad.cert"), bytes).expect("it can be written");
    dir
}

/// Tables of which 2v1 is damaged.
fn damaged_tables() -> tempfile::TempDir {
    let dir = copy();
    let path = table(&dir, "2v1");
    let mut bytes = fs::read(&path).expect("it can be read");
    bytes[200] ^= 16;
    fs::write(&path, bytes).expect("it can be written");
    dir
}

#[test]
fn a_failed_check_of_a_certificate_fails_without_a_reader() {
    let dir = certificates();
    for args in ["check bad.cert", "check bad.cert --json"] {
        let (status, stderr) = without_reader(dir.path(), args);
        assert_eq!(status, Some(1), "{args}: {stderr}");
        assert!(stderr.contains("error: bad.cert is damaged"), "{stderr}");
    }
    for args in ["check good.cert", "check good.cert --json"] {
        assert_eq!(without_reader(dir.path(), args), (Some(0), "status 0\n".to_owned()), "{args}");
    }
}

#[test]
fn a_failed_check_of_tables_fails_without_a_reader() {
    let dir = damaged_tables();
    for more in ["", "--json"] {
        let args = format!("verify --quick --tables . {more}");
        let (status, stderr) = without_reader(dir.path(), &args);
        assert_eq!(status, Some(1), "{stderr}");
        assert!(stderr.contains("1 of 6 tables"), "{stderr}");
    }
}

#[test]
fn a_failed_count_fails_without_a_reader() {
    let dir = tempfile::tempdir().expect("a directory");
    let suite = "id small\nrules standard\ncount turns\nposition BBB/B1W/WWW w\nperft 1 5\n";
    fs::write(dir.path().join("bad.perft"), suite).expect("it can be written");
    for more in ["", "--json"] {
        let (status, stderr) =
            without_reader(dir.path(), &format!("perft --suite bad.perft {more}"));
        assert_eq!(status, Some(1), "{stderr}");
    }
}

#[test]
fn a_bad_line_fails_without_a_reader() {
    let dir = copy();
    let good = "9/9/2W1B4/9/9 w\n".repeat(50_000);
    fs::write(dir.path().join("good"), &good).expect("it can be written");
    fs::write(dir.path().join("bad"), good + "nonsense\n").expect("it can be written");
    for (file, expected) in [("good", 0), ("bad", 2)] {
        let args = format!("probe --tables . --batch {file}");
        let (status, stderr) = without_reader(dir.path(), &args);
        assert_eq!(status, Some(expected), "{stderr}");
        // Standard input that is a file has an end too.
        let args = format!("probe --tables . --batch - < {file}");
        assert_eq!(without_reader(dir.path(), &args).0, Some(expected));
    }
    // A pipe may have none.
    let endless = "probe --tables . --batch - | true";
    let output = shell(dir.path(), &format!("yes '9/9/2W1B4/9/9 w' | \"$F\" {endless}"));
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let (status, _) = without_reader(dir.path(), "analyze --tables . --batch bad");
    assert_eq!(status, Some(0), "a search is not begun for nobody, and the first line is good");
}

#[test]
fn messages_that_nobody_can_read_change_nothing() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let dir = certificates();
    let tables = damaged_tables();
    for fd in ["2>/dev/full", "2>&-"] {
        let status =
            |dir: &Path, args: &str| shell(dir, &format!("\"$F\" {args} {fd}")).status.code();
        assert_eq!(status(dir.path(), "check bad.cert"), Some(1), "{fd}");
        assert_eq!(status(tables.path(), "verify --quick --tables ."), Some(1), "{fd}");
        assert_eq!(status(dir.path(), "moves --board 4x4"), Some(2), "{fd}");
        let build = format!("build --stones 3 --checkpoint 0 --tables new{}", fd.len());
        assert_eq!(status(dir.path(), &build), Some(0), "{fd}");
        let verify = build.replace("build --stones 3 --checkpoint 0", "verify --quick");
        assert_eq!(status(dir.path(), &verify), Some(0), "{fd}");
    }
}

#[test]
fn a_full_output_does_not_hide_the_verdict() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let dir = certificates();
    let run = |args: &str| {
        let output = shell(dir.path(), &format!("\"$F\" {args} >/dev/full"));
        (output.status.code(), String::from_utf8(output.stderr).expect("messages are UTF-8"))
    };
    let (status, stderr) = run("check bad.cert --json");
    assert_eq!(status, Some(1), "{stderr}");
    assert!(stderr.contains("warning: cannot write to standard output"), "{stderr}");
    for args in ["check good.cert", "moves", "man", "completions bash", "--help", "--version"] {
        let (status, stderr) = run(args);
        assert_eq!(status, Some(2), "{args}: {stderr}");
        assert!(stderr.starts_with("error: cannot write to standard output"), "{stderr}");
    }
}
