//! The program as its users meet it: the built binary, its output and its exit status.
//!
//! This is a test of the package `fanorona-cli`, because Cargo gives only its tests the path of the
//! binary.

mod against;
mod analyze;
mod analyze_games;
mod bad_input;
mod certificates;
mod ctrl_c;
mod damage;
mod docs;
mod endgames;
mod errors;
mod examples;
mod game;
mod kill;
mod lines;
mod lost_output;
mod matches;
mod not_kept;
mod partial;
mod perft;
mod play;
#[cfg(feature = "starts")]
mod questions;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "serve")]
mod site;
mod special_files;
mod standard_output;
mod tables;
mod threads;
mod typed;
mod ugi;
mod unbeatable;
mod unpack;
mod verify;

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// Is another program where a test starts one; see [`fanorona_tests::counter`].
#[test]
fn counting_program() {
    fanorona_tests::counter::run_if_asked();
}

/// The program with these arguments, and nothing from the environment that it would listen to.
fn fanorona<'a>(args: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fanorona"));
    command.args(args).env_remove("FANORONA_TABLES").env_remove("RAYON_NUM_THREADS");
    command
}

/// Runs a shell script in a directory; `$F` is the program. What it prints on both outputs, and how it
/// ends.
#[cfg(unix)]
fn shell(dir: &Path, script: &str) -> std::process::Output {
    std::process::Command::new("sh")
        .args(["-c", script])
        .current_dir(dir)
        .env("F", env!("CARGO_BIN_EXE_fanorona"))
        .env_remove("FANORONA_TABLES")
        .env_remove("RAYON_NUM_THREADS")
        .output()
        .expect("there is a shell")
}

/// The program's arguments in one text. A part in double quotes is one argument.
fn words(text: &str) -> Vec<&str> {
    let quoted = text.split('"').enumerate();
    quoted
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_ascii_whitespace().collect(),
            _ => vec![part],
        })
        .collect()
}

/// A number of a report as people read it.
fn grouped(number: &Value) -> String {
    let mut text = number.to_string();
    let digits = text.len();
    for at in (1..digits).rev().filter(|at| (digits - at).is_multiple_of(3)) {
        text.insert(at, ',');
    }
    text
}

/// Runs the program with `--json` added, which has to succeed, and reads what it prints: one
/// object, and nothing else on either output.
fn json(args: &str) -> Value {
    let output =
        fanorona(words(args)).arg("--json").assert().success().stderr("").get_output().clone();
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    assert_eq!(text.lines().count(), 1, "{text}");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Runs the program, which has to refuse with this exit status, nothing on standard output, and a
/// message with each of these parts.
fn refused(args: &str, status: i32, parts: &[&str]) {
    refused_in(Path::new("."), args, status, parts);
}

fn refused_in(dir: &Path, args: &str, status: i32, parts: &[&str]) {
    let output = fanorona(words(args)).current_dir(dir).output().expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{args}: {stderr}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{args}");
    assert_eq!(stderr.matches("error: ").count(), 1, "{args}: one message: {stderr}");
    assert!(!stderr.contains("panicked"), "{args}: {stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{args}: no '{part}' in: {stderr}");
    }
}
