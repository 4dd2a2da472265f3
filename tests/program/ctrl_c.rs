//! Ctrl-C outside `build`: the commands end soon, say what was finished, and exit with 130.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::damage::{copy, table};
use crate::tables::shared;
use crate::words;

/// A generous limit for what should take a moment.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// SIGINT's bit in the sets of signals that /proc shows.
const SIGINT: u64 = 1 << 1;

pub(crate) fn start(dir: &Path, args: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_fanorona"))
        .args(words(args))
        .current_dir(dir)
        .env_remove("FANORONA_TABLES")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Waits until the program handles Ctrl-C, which ends it without a word before.
pub(crate) fn wait_for_handler(child: &Child) {
    let begin = Instant::now();
    while begin.elapsed() < SOON {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
        let status = status.expect("the program is at work");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
        if caught.is_some_and(|set| set & SIGINT != 0) {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("the program does not handle Ctrl-C");
}

pub(crate) fn interrupt(child: &Child) {
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill starts").success());
}

/// Waits for the end, which has to come soon; the exit status and what was printed.
pub(crate) fn end(mut child: Child) -> (Option<i32>, String, String) {
    let begin = Instant::now();
    // Outputs are short, so the pipes hold them.
    while child.try_wait().expect("it can be asked").is_none() {
        if begin.elapsed() > SOON {
            child.kill().expect("it can be killed");
            panic!("it goes on after Ctrl-C");
        }
        thread::sleep(Duration::from_millis(5));
    }
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it has ended");
    let text = |bytes| String::from_utf8(bytes).expect("it is text");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn a_second_one_ends_the_program_at_once() {
    let dir = tempfile::tempdir().expect("a directory");
    // A tree that is surveyed in one go, and takes minutes.
    let position = "W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w";
    let args =
        format!("stats --depth 3 --rules standard+direction-free --threads 1 \"{position}\"");
    let mut child = start(dir.path(), &args);
    wait_for_handler(&child);
    thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().expect("it can be asked").is_none(), "the first is for a clean end");
    interrupt(&child);
    let (status, stdout, stderr) = end(child);
    assert_eq!((status, stderr.as_str()), (Some(130), ""));
    // Nothing but what it is about.
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
}

#[test]
fn verifying_ends_with_what_was_checked() {
    // A table of the largest unit alone takes longest until there is a first line.
    let dir = tempfile::tempdir().expect("a directory");
    let name = "9x5_standard_2v2.dtw.fano";
    fs::copy(shared().join(name), dir.path().join(name)).expect("it can be copied");
    let child = start(dir.path(), "verify --tables .");
    wait_for_handler(&child);
    interrupt(&child);
    let (status, stdout, stderr) = end(child);
    assert_eq!((status, stdout.as_str()), (Some(130), ""));
    assert_eq!(stderr, "error: interrupted: no table was checked\n");

    // After the first line.
    let dir = copy();
    let mut child = start(dir.path(), "verify --tables .");
    let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("it prints a line");
    interrupt(&child);
    let checked = 1 + stdout.lines().count();
    let (status, _, stderr) = end(child);
    assert_eq!(status, Some(130), "{stderr}");
    let tables = if checked == 1 { "table" } else { "tables" };
    let expected = format!("{checked} {tables} checked and good, the others not checked");
    assert_eq!(stderr, format!("error: interrupted: {expected}\n"));
    assert!(checked < 6);
}

/// A fault that was found before counts.
#[test]
fn a_bad_table_is_reported_in_spite_of_it() {
    let dir = copy();
    let path = table(&dir, "1v1");
    let mut bytes = fs::read(&path).expect("it can be read");
    *bytes.last_mut().expect("it is not empty") ^= 1;
    fs::write(&path, bytes).expect("it can be written");
    let mut child = start(dir.path(), "verify --tables .");
    let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("it prints a line");
    assert!(line.contains("1v1 dtw  BAD"), "{line}");
    interrupt(&child);
    let (status, _, stderr) = end(child);
    assert_eq!(status, Some(1), "{stderr}");
}

#[test]
fn a_suite_ends_without_success() {
    let dir = tempfile::tempdir().expect("a directory");
    let start_of_9x5 = "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w";
    for count in ["turns", "unique"] {
        let entry = format!("id a\nrules standard\ncount {count}\nposition {start_of_9x5}\n");
        fs::write(dir.path().join("a"), entry + "perft 1 5\nperft 255 1\n").expect("it is written");
        for more in ["", "--json"] {
            let child = start(dir.path(), &format!("perft --suite a {more}"));
            wait_for_handler(&child);
            thread::sleep(Duration::from_millis(100));
            interrupt(&child);
            let (status, stdout, stderr) = end(child);
            assert_eq!(status, Some(130), "{stderr}");
            assert!(stderr.contains("interrupted: "), "{stderr}");
            assert!(stderr.ends_with(" checked, none differs\n"), "{stderr}");
            assert_eq!(stdout.contains("\"failed\":[]"), more == "--json", "{stdout}");
        }
    }
}

#[test]
fn an_analysis_that_is_stopped_writes_no_certificate() {
    let dir = tempfile::tempdir().expect("a directory");
    let child = start(dir.path(), "analyze --time 600 --certificate cert --resume search");
    wait_for_handler(&child);
    thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let (status, stdout, stderr) = end(child);
    assert_eq!(status, Some(130), "{stderr}");
    let known = "error: interrupted: the value is unknown; the search is saved in search; no \
                 certificate was written\n";
    assert_eq!(stderr, known);
    assert!(stdout.contains(", then stopped.\n") && !stdout.contains("certificate"), "{stdout}");
    assert!(!dir.path().join("cert").exists() && dir.path().join("search").exists());
}

#[test]
fn a_bench_tells_what_was_finished() {
    let child = start(Path::new("."), "bench --json");
    wait_for_handler(&child);
    interrupt(&child);
    let (status, stdout, stderr) = end(child);
    assert_eq!(status, Some(130), "{stderr}");
    let report: serde_json::Value = serde_json::from_str(&stdout).expect("it is JSON");
    assert_eq!((&report["board"], &report["rules"]), (&"9x5".into(), &"standard".into()));
    let finished = report["benches"].as_array().expect("a list");
    let names: Vec<_> = finished.iter().filter_map(|bench| bench["name"].as_str()).collect();
    let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    let expected = format!(" was not finished; finished before: {names}\n");
    assert!(stderr.ends_with(&expected), "{stderr}");
}

/// After the proof, while the certificate is made.
#[test]
fn a_proof_that_was_found_is_printed_in_spite_of_it() {
    let dir = tempfile::tempdir().expect("a directory");
    // The search goes through the memory of this one at once, and the proof is long.
    let analyze = "analyze --board 7x3 --book none --memory 1 --time 600 --resume search";
    let (status, ..) = end(start(dir.path(), analyze));
    assert_eq!(status, Some(0));
    let child = start(dir.path(), &format!("{analyze} --certificate cert"));
    wait_for_handler(&child);
    thread::sleep(Duration::from_millis(20));
    interrupt(&child);
    let (status, stdout, stderr) = end(child);
    assert!(stdout.contains("White wins") || stderr.contains("the value is unknown"), "{stdout}");
    // It may be done before.
    assert_eq!(status == Some(0), dir.path().join("cert").exists(), "{stderr}");
    assert!(matches!(status, Some(0 | 130)), "{stderr}");
}

/// While nothing comes in, the first one is enough.
#[test]
fn waiting_for_lines_ends() {
    let dir = shared();
    for (args, line) in [
        ("analyze --batch - --json", "0 positions analyzed"),
        ("probe --batch - --tables .", "0 positions answered"),
    ] {
        let child = start(dir, args);
        wait_for_handler(&child);
        thread::sleep(Duration::from_millis(100));
        interrupt(&child);
        let (status, stdout, stderr) = end(child);
        assert_eq!(status, Some(130), "{stderr}");
        assert_eq!(stdout.contains("\"interrupted\""), args.contains("--json"), "{stdout}");
        assert_eq!(stderr, format!("error: interrupted: {line}\n"));
    }
    // After an answer.
    let mut child = start(dir, "probe --batch - --tables .");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(b"9/9/2W1B4/9/9 w\n").expect("it listens");
    let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("it answers");
    interrupt(&child);
    let (status, _, stderr) = end(child);
    assert_eq!(status, Some(130));
    assert_eq!(stderr, "error: interrupted: 1 position answered\n");
    drop(stdin);
}

/// While a person thinks, and while the program does.
#[test]
fn a_game_is_saved() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut child = start(dir.path(), "play --save game --level 1");
    let mut stdin = child.stdin.take().expect("it is piped");
    wait_for_handler(&child);
    stdin.write_all(b"d3-e3A\n").expect("it listens");
    thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let (status, _, stderr) = end(child);
    assert_eq!(status, Some(130), "{stderr}");
    assert_eq!(stderr, "error: interrupted: continue the game with --load game\n");
    let saved = fs::read_to_string(dir.path().join("game")).expect("it is saved");
    assert!(saved.contains("\n1. d3-e3A ") && saved.ends_with(" *\n"), "{saved}");
    drop(stdin);

    let child = start(dir.path(), "play --side none --level 8 --time 600");
    wait_for_handler(&child);
    thread::sleep(Duration::from_millis(100));
    interrupt(&child);
    let (status, _, stderr) = end(child);
    assert_eq!(status, Some(130), "{stderr}");
    assert_eq!(stderr, "error: interrupted: no turn was played\n");
}

#[test]
fn games_that_were_played_are_counted() {
    let child = start(Path::new("."), "stats --board 3x3 --games 1000000000 --json");
    wait_for_handler(&child);
    thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let (status, stdout, stderr) = end(child);
    assert_eq!(status, Some(130), "{stderr}");
    let report: serde_json::Value = serde_json::from_str(&stdout).expect("it is JSON");
    let games = crate::grouped(&report["games"]["games"]);
    let expected = format!("error: interrupted: {games} of 1,000,000,000 games finished\n");
    assert_eq!(stderr, expected);
}
