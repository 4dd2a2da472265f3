//! Named pipes and devices in the place of files, a system that says nothing, and numbers that would
//! keep the program busy for ever: nothing hangs or panics.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use predicates::prelude::*;

use crate::damage::{copy, table};
use crate::{fanorona, shell, words};
use fanorona_tests::effort;

/// A generous limit for what takes no time at all.
const SOON: Duration = Duration::from_secs(60);

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo starts");
    assert!(made.success());
}

/// Runs the program, which has to end soon with this status, and returns what it says.
fn ends(dir: &Path, args: &str, status: i32) -> String {
    let mut command = fanorona(words(args));
    let output = command.current_dir(dir).timeout(SOON).output().expect("it runs");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{args}: {said}");
    said
}

#[test]
fn a_pipe_in_place_of_a_table() {
    let dir = copy();
    for slice in ["2v1", "1v2"] {
        fs::remove_file(table(&dir, slice)).expect("it can be removed");
        pipe(&table(&dir, slice));
    }
    let refusal = "it is a named pipe, not a regular file";
    for (args, status) in [
        ("tables --tables .", 2),
        ("verify --tables .", 1),
        ("verify --quick --tables .", 1),
        ("build --stones 3 --tables .", 2),
        ("unpack --tables .", 2),
        ("probe --tables . \"9/9/W1W6/9/8B w\"", 2),
        ("analyze --tables . \"9/9/W1W6/9/8B w\"", 2),
    ] {
        let said = ends(dir.path(), args, status);
        assert!(said.contains(refusal), "{args}: {said}");
    }
}

#[test]
fn a_pipe_in_place_of_an_unpacked_table() {
    let dir = copy();
    pipe(&dir.path().join("9x5_standard_1v1.dtw.unpacked.fano"));
    for args in ["tables --tables .", "unpack --tables .", "probe --tables . \"9/9/W8/9/8B w\""] {
        let said = ends(dir.path(), args, 2);
        assert!(said.contains("it is a named pipe, not a regular file"), "{args}: {said}");
    }
}

#[test]
fn a_pipe_in_place_of_a_checkpoint() {
    let dir = tempfile::tempdir().expect("a directory");
    pipe(&dir.path().join("9x5_standard_1v1.dtw.checkpoint"));
    let said = ends(dir.path(), "build --stones 2 --tables .", 0);
    assert!(said.contains("it is a named pipe, not a regular file"), "{said}");
}

#[test]
fn a_pipe_in_place_of_a_certificate_or_a_search() {
    let dir = tempfile::tempdir().expect("a directory");
    pipe(&dir.path().join("pipe"));
    for args in ["check pipe", "check /dev/zero", "analyze --board 5x3 --book none --resume pipe"] {
        let said = ends(dir.path(), args, 2);
        assert!(said.contains("not a regular file"), "{args}: {said}");
    }
    // One that is written and that nobody reads.
    let said = ends(dir.path(), "analyze --board 3x3 --certificate pipe", 2);
    assert!(said.contains("3x3") || said.contains("White wins"), "{said}");
    assert!(said.contains("cannot write pipe: nobody reads this pipe"), "{said}");
}

#[test]
fn a_certificate_can_go_through_a_pipe() {
    let dir = tempfile::tempdir().expect("a directory");
    let script = "mkfifo pipe && cat pipe >copy & sleep 0.3; \
                  \"$F\" analyze --board 3x5 --certificate pipe && wait && \"$F\" check copy";
    let output = shell(dir.path(), script);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
}

#[test]
fn too_many_threads_are_refused() {
    for threads in ["18446744073709551615", "100000", "-1"] {
        for command in ["perft 1", "analyze --board 3x3", "build --stones 2 --tables none"] {
            let said = ends(Path::new("."), &format!("{command} --threads={threads}"), 2);
            assert!(said.contains("write a whole number, 0 to "), "{said}");
        }
    }
    fanorona(words("perft 1"))
        .env("RAYON_NUM_THREADS", "1000000")
        .timeout(SOON)
        .assert()
        .code(2)
        .stderr(predicate::str::contains("RAYON_NUM_THREADS is 1000000; use "));
    let many = "perft 3 --threads 64";
    fanorona(words(many)).timeout(SOON).assert().success();
}

/// A position without a turn has none below either. Depths that nobody can count are refused.
#[test]
fn great_depths_take_neither_memory_nor_stack() {
    let dir = tempfile::tempdir().expect("a directory");
    let blocked = "BBB6/WBB6/BBB6/9/9 w";
    for count in ["turns", "positions", "steps"] {
        let entry = |depth: &str, position: &str| {
            format!("id a\nrules standard\ncount {count}\nposition {position}\nperft {depth} 0\n")
        };
        fs::write(dir.path().join("end"), entry("255", blocked)).expect("it can be written");
        let said = ends(dir.path(), "perft --suite end", 0);
        assert!(said.contains("1 count of 1 position checked, 0 differ"), "{said}");

        for depth in ["256", "100000000"] {
            fs::write(dir.path().join("deep"), entry(depth, blocked)).expect("it can be written");
            let said = ends(dir.path(), "perft --suite deep", 2);
            assert!(
                said.contains("'deep' is not a suite: line 5") && said.contains(depth),
                "{said}"
            );
        }
    }
    for command in ["perft", "stats --depth"] {
        let said = ends(dir.path(), &format!("{command} 256"), 2);
        assert!(said.contains("write a whole number, 1 to 255"), "{said}");
    }
}

/// With so few files that /proc/meminfo cannot be opened beside the tables: nobody knows how much
/// memory there is.
#[test]
fn few_files_are_enough_to_verify() {
    let dir = copy();
    let mut finished = 0;
    let part = effort("--stones 3", "");
    for files in (8..=12).step_by(effort(2, 1)) {
        let script = format!("ulimit -n {files}; exec \"$F\" verify {part} --tables .");
        let output = shell(dir.path(), &script);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!stderr.contains("panicked"), "{files} files: {stderr}");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{files} files: {stderr}");
        finished += u32::from(output.status.success());
    }
    assert!(finished > 0);
}

/// A system that does not say how much memory it has refuses nothing.
#[cfg(target_os = "linux")]
#[test]
fn unknown_memory_refuses_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let hidden = |args: &str| {
        let script = format!("exec unshare -rm sh -c 'mount -t tmpfs none /proc && \"$F\" {args}'");
        shell(dir.path(), &script)
    };
    // Some systems allow nobody a place of their own.
    if !shell(dir.path(), "unshare -rm mount -t tmpfs none /proc").status.success() {
        println!("nothing is checked: /proc cannot be hidden here");
        return;
    }
    for args in [
        "build --stones 3 --tables tables",
        "unpack --tables tables",
        "verify --tables tables",
        "perft 3 --hash 1",
        "perft 3 --count unique --hash 1",
    ] {
        let output = hidden(args);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args}: {stderr}");
        assert!(!stderr.contains("panicked"), "{args}: {stderr}");
    }
    let output = hidden("build --stones 9 --estimate --tables tables");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        stdout.matches("the system does not report what is available").count(),
        1,
        "{stdout}"
    );
    let output = hidden("build --stones 9 --estimate --json --tables tables");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert!(report["memory_available"].is_null() && report["memory"].is_u64(), "{report}");
}
