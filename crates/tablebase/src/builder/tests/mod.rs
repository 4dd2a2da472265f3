//! Whole builds, compared with each other.

mod distances;
mod memory;
mod processes;

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, RuleSet};

use super::{BuildOptions, build};
use crate::error::TableError;
use crate::value::Metric;

const BOARD: &str = "5x3";

fn board() -> Board {
    BOARD.parse().expect("a board")
}

fn options(dir: &Path, rules: RuleSet, stones: u32, metric: Metric) -> BuildOptions {
    BuildOptions::new(dir, board(), rules, stones).with_metric(metric)
}

fn built(options: &BuildOptions) -> Result<(), TableError> {
    build(options, &(), &AtomicBool::new(false)).map(drop)
}

/// The names and contents of the files in a directory.
type Files = Vec<(String, Vec<u8>)>;

fn contents(dir: &Path) -> Files {
    let files = fs::read_dir(dir).expect("a directory").map(|file| file.expect("a file"));
    let mut contents: Vec<_> = files
        .map(|file| {
            let bytes = fs::read(file.path()).expect("it can be read");
            (file.file_name().into_string().expect("a name"), bytes)
        })
        .collect();
    contents.sort();
    contents
}

/// Compares files. `what` names the case.
fn assert_same(found: &Files, expected: &Files, what: &str) {
    let differs = found.iter().zip(expected).find(|(found, expected)| found != expected);
    assert!(found == expected, "{what}: {:?}", differs.map(|((name, _), _)| name));
}

fn copy(dir: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a directory");
    for (name, bytes) in contents(dir) {
        fs::write(copy.path().join(name), bytes).expect("it can be written");
    }
    copy
}
