//! Tables that are damaged, of something else or missing, and builds that cannot be finished: one
//! clear message, and nothing is lost.

use std::fs;
use std::path::{Path, PathBuf};

use fanorona_tests::effort;
use predicates::prelude::*;
use tempfile::TempDir;

use crate::{fanorona, refused_in, tables, words};

/// A copy of the tables, for a test to damage.
pub(crate) fn copy() -> TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for file in fs::read_dir(tables::shared()).expect("tables are there") {
        let file = file.expect("it can be listed");
        fs::copy(file.path(), dir.path().join(file.file_name())).expect("it can be copied");
    }
    dir
}

pub(crate) fn table(dir: &TempDir, slice: &str) -> PathBuf {
    dir.path().join(format!("9x5_standard_{slice}.dtw.fano"))
}

/// Damages the table 2v1, and looks at what every command says of it.
fn damaged(damage: impl FnOnce(&mut Vec<u8>), parts: &[&str]) {
    let dir = copy();
    let path = table(&dir, "2v1");
    let mut bytes = fs::read(&path).expect("it can be read");
    let whole = bytes.clone();
    damage(&mut bytes);
    assert_ne!(bytes, whole);
    fs::write(&path, &bytes).expect("it can be written");
    let parts: Vec<&str> = [&["2v1.dtw.fano"], parts].concat();

    let here = "--tables .";
    // The damaged table has three stones.
    let part = effort("--stones 3", "");
    // Found by probing a position whose value is in that block, or on opening the table.
    refused_in(dir.path(), &format!("probe {here} \"9/9/W1W6/9/8B w\""), 2, &parts);
    for quick in ["--quick", "--sample 10", ""] {
        let output = fanorona(words(&format!("verify {here} --json {part} {quick}")))
            .current_dir(&dir)
            .assert()
            .code(1)
            .stderr(predicate::str::contains("error: "))
            .get_output()
            .clone();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let bad: Vec<_> = report["slices"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|slice| slice["ok"] == false)
            .collect();
        assert!(!bad.is_empty());
        assert_eq!((&bad[0]["own"], &bad[0]["opponent"]), (&2.into(), &1.into()));
        let error = bad[0]["error"].as_str().expect("it says what is wrong");
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
    // A build does not go on from it, and does not replace it unasked.
    let build = fanorona(words(&format!("build --stones 4 {here}"))).current_dir(&dir).assert();
    build.code(2).stderr(predicate::str::contains("2v1.dtw.fano"));
    assert_eq!(fs::read(&path).expect("it is there"), bytes);
    // The message says to delete it; then it is as it was.
    fs::remove_file(&path).expect("it can be removed");
    fanorona(words(&format!("build --stones 3 {here}"))).current_dir(&dir).assert().success();
    assert_eq!(fs::read(&path).expect("it is there"), whole);
}

#[test]
fn a_truncated_table() {
    damaged(|bytes| bytes.truncate(bytes.len() / 2), &[]);
}

#[test]
fn an_empty_file() {
    damaged(Vec::clear, &[]);
}

#[test]
fn a_flipped_bit_in_the_header() {
    damaged(|bytes| bytes[20] ^= 4, &["damaged"]);
}

#[test]
fn a_flipped_bit_in_a_block() {
    damaged(|bytes| bytes[200] ^= 16, &["damaged"]);
}

#[test]
fn a_flipped_bit_at_the_end() {
    damaged(|bytes| *bytes.last_mut().expect("it is not empty") ^= 1, &["damaged"]);
}

#[test]
fn another_file_under_the_name() {
    damaged(|bytes| *bytes = b"some notes of mine".repeat(100), &["is not a table"]);
}

#[test]
fn a_table_of_another_rule_set() {
    let dir = copy();
    let build = "build --rules free-capture --stones 3 --tables .";
    fanorona(words(build)).current_dir(&dir).assert().success();
    let other = dir.path().join("9x5_free-capture_1v2.dtw.fano");
    fs::copy(other, table(&dir, "1v2")).expect("it can be copied");
    let parts = ["1v2.dtw.fano", "free-capture", "standard"];
    let position = "\"B7B/9/9/9/W8 w\"";
    refused_in(dir.path(), &format!("probe --tables . {position}"), 2, &parts);
    refused_in(dir.path(), "tables --tables .", 2, &parts);

    // Without that trick: tables of one rule set do not answer for another.
    let parts = ["1v2", "forced-relay", "fanorona build"];
    let probe = format!("probe --rules forced-relay --tables . {position}");
    refused_in(dir.path(), &probe, 2, &parts);
}

#[test]
fn directories_without_tables() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join("empty")).expect("it can be made");
    fs::write(dir.path().join("file"), "text").expect("it can be written");
    for command in ["tables", "verify", "verify --quick"] {
        let parts = ["no tables of 9x5 under standard", "fanorona build"];
        refused_in(dir.path(), &format!("{command} --tables empty"), 2, &parts);
    }
    // A quiet position: one with a winning capture needs no table.
    let position = "\"9/B8/9/9/W8 w\"";
    let parts = ["1v1", "fanorona build --board 9x5 --rules standard --stones 2"];
    refused_in(dir.path(), &format!("probe {position} --tables empty"), 2, &parts);
    for command in ["tables", "verify", "probe", "analyze"] {
        refused_in(dir.path(), &format!("{command} --tables missing"), 2, &["missing"]);
        refused_in(dir.path(), &format!("{command} --tables file"), 2, &["file"]);
    }
    refused_in(dir.path(), "probe", 2, &["tables"]);
}

#[test]
fn what_tables_cannot_be_asked() {
    let dir = tables::shared();
    let refused = |args: &str, parts: &[&str]| {
        refused_in(dir, &format!("{args} --tables ."), 2, parts);
    };
    refused("probe", &["22v22", "44 stones are too many for tables"]);
    refused("build --stones 3 --checkpoint soon", &["'soon'", "500ms", "never"]);
    refused("build --stones 3 --checkpoint -1", &["-1"]);
    refused("build --stones 3 --memory 0", &["'0'", "1 or more"]);
    refused("build --stones 4 --memory 10 --metric dtw", &["4 stones", "10 MiB", "memory"]);
    refused("probe --batch missing", &["cannot read 'missing'"]);
    refused("probe --batch - \"9/9/2W1B4/9/9 w\"", &["--batch", "[POSITION]"]);
    refused("build", &["--stones"]);
    refused("build --stones 1", &["'1'", "2 or more"]);
    refused("build --stones many", &["'many'", "whole number"]);
    refused("build --stones 99", &["99", "9x5 has 44 stones"]);
    refused("build --stones 3 --metric moves", &["'moves'", "wdl, dtw"]);
    refused("build --stones 9 --rules vela --memory 10", &["9 stones", "10 MiB", "memory"]);
    refused("verify --sample none", &["'none'", "whole number"]);
    refused("verify --quick --sample 5", &["--quick", "--sample"]);
    refused("analyze --time soon", &["'soon'", "seconds"]);
    refused("analyze --time -1", &["-1"]);
    refused("analyze --memory 0", &["'0'", "1 or more"]);
    refused("analyze --batch missing", &["cannot read 'missing'"]);
    refused("analyze --batch - --resume search", &["--batch", "--resume"]);
    refused("analyze --nodes none", &["'none'", "whole number"]);
    refused("build --stones 16", &["12v1", "too many positions"]);

    let large = "build --stones 9 --tables .";
    let estimate = crate::json(&format!("{large} --estimate"));
    if estimate["memory"].as_u64() > estimate["memory_available"].as_u64() {
        refused("build --stones 9", &["memory", "MiB"]);
    }
}

#[test]
fn a_directory_that_cannot_be_written() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("file"), "text").expect("it can be written");
    refused_in(dir.path(), "build --stones 2 --tables file/tables", 2, &["file/tables"]);
    refused_in(dir.path(), "build --stones 2 --tables file", 2, &["file"]);
    if Path::new("/dev/null").exists() {
        refused_in(dir.path(), "build --stones 2 --tables /dev/null", 2, &["/dev/null"]);
    }
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full() {
    let dir = tempfile::tempdir().expect("a directory");
    // A limit for every file does what a full disk does: a write fails in the middle. The signal
    // of that limit is ignored, because it would end the program.
    let script = format!(
        "trap '' XFSZ; ulimit -f 2; exec '{}' build --stones 3 --metric wdl --checkpoint 0 \
         --tables .",
        env!("CARGO_BIN_EXE_fanorona")
    );
    let limited = assert_cmd::Command::new("sh").args(["-c", &script]).current_dir(&dir).assert();
    limited
        .code(2)
        // Too little room for a checkpoint is reported, and ends nothing.
        .stderr(predicate::str::contains("continues without a checkpoint"))
        .stderr(predicate::str::contains("error: cannot write ./9x5_standard_1v2.wdl.fano"))
        .stderr(predicate::str::contains("free disk space and run the command again"))
        .stderr(predicate::str::contains("panicked").not());
    // The small checkpoints that there was room for go with their units, the last one stays.
    let names = || -> Vec<String> {
        let files = fs::read_dir(&dir).expect("it can be listed");
        let names = files.map(|file| file.expect("it is there").file_name());
        names.map(|name| name.to_string_lossy().into()).collect()
    };
    let of_checkpoint = |name: &String| name.starts_with("9x5_standard_2v1.wdl.checkpoint");
    for name in names().iter().filter(|name| of_checkpoint(name)) {
        fs::remove_file(dir.path().join(name)).expect("it can be removed");
    }
    let mut kept = names();
    kept.sort_unstable();
    let whole = ["9x5_standard_1v1.wdl.fano", "9x5_standard_2v1.wdl.fano"];
    assert_eq!(kept, whole, "what was whole is kept, the rest is gone");
    fanorona(words("verify --tables .")).current_dir(&dir).assert().success();
    let other = tempfile::tempdir().expect("a directory");
    let build = "build --stones 3 --metric wdl --tables .";
    for dir in [&dir, &other] {
        fanorona(words(build)).current_dir(dir).assert().success();
    }
    assert_eq!(names().len(), 3);
    for name in names() {
        let (built, whole) = (dir.path().join(&name), other.path().join(&name));
        assert_eq!(fs::read(built).ok(), fs::read(whole).ok(), "{name}");
    }
}

/// Starts a build of some seconds, waits for its first table, and sends it a signal.
#[cfg(unix)]
fn build_and_signal(dir: &Path, signal: &str) -> std::process::Output {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let mut child = Command::new(env!("CARGO_BIN_EXE_fanorona"))
        .args(["build", "--stones", "6", "--tables", "."])
        .current_dir(dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    // The next table after these takes a while.
    assert_eq!(lines.by_ref().take(3).filter_map(Result::ok).count(), 3);
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let _ = lines.count();
    child.wait_with_output().expect("it ends")
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_tables_that_are_finished() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = build_and_signal(dir.path(), "-INT");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("error: interrupted: "), "{stderr}");
    assert!(stderr.contains("tables in . are finished, up to "), "{stderr}");
    fanorona(words("verify --tables .")).current_dir(&dir).assert().success();
}

#[cfg(unix)]
#[test]
fn a_killed_build_leaves_nothing_that_is_taken_for_a_table() {
    let dir = tempfile::tempdir().expect("a directory");
    build_and_signal(dir.path(), "-KILL");
    fanorona(words("verify --quick --tables .")).current_dir(&dir).assert().success();
    fanorona(words("build --stones 4 --tables .")).current_dir(&dir).assert().success();
    for file in fs::read_dir(tables::shared()).expect("tables are there") {
        let name = file.expect("it is there").file_name();
        let (built, whole) = (dir.path().join(&name), tables::shared().join(&name));
        assert_eq!(fs::read(built).ok(), fs::read(whole).ok(), "{name:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_an_analysis_with_what_is_known() {
    use std::process::{Command, Stdio};

    let child = Command::new(env!("CARGO_BIN_EXE_fanorona"))
        .args(["analyze", "--book", "none", "--time", "100", "--json"])
        .env_remove("FANORONA_TABLES")
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(report["value"], "unknown");
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted: the value is unknown"));
}
