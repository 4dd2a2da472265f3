//! Whole builds, compared with each other.

mod distances;
mod memory;
mod processes;

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{Metric, TableError, Unit};

use super::{BuildOptions, CheckpointEvent, Progress, build};

const BOARD: &str = "5x3";

fn board() -> Board {
    BOARD.parse().expect("a board")
}

fn options(dir: &Path, rules: RuleSet, stones: u32, metric: Metric) -> BuildOptions {
    BuildOptions::new(dir, board(), rules, stones).with_metric(metric).in_small_parts()
}

fn built(options: &BuildOptions) -> Result<(), TableError> {
    build(options, &(), &AtomicBool::new(false)).map(drop)
}

/// The names and contents of the files in a directory.
type Files = Vec<(String, Vec<u8>)>;

fn contents(dir: &Path) -> Files {
    let files = fs::read_dir(dir).expect("a directory").map(|file| file.expect("a file"));
    // Another process can remove its temporary files meanwhile.
    let read = |file: fs::DirEntry| {
        let name = file.file_name().into_string().expect("a name");
        Some((name, fs::read(file.path()).ok()?))
    };
    let mut contents: Vec<_> = files.filter_map(read).collect();
    contents.sort();
    contents
}

/// Compares files. `what` names the case.
fn assert_same(found: &Files, expected: &Files, what: &str) {
    let differs = found.iter().zip(expected).find(|(found, expected)| found != expected);
    assert!(found == expected, "{what}: {:?}", differs.map(|((name, _), _)| name));
}

/// A new directory with these files.
fn put(files: &Files) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, bytes) in files {
        fs::write(dir.path().join(name), bytes).expect("it can be written");
    }
    dir
}

fn copy(dir: &Path) -> tempfile::TempDir {
    put(&contents(dir))
}

/// Records the files of a directory whenever a checkpoint is saved, and how many processes go on with
/// one.
struct Recorder<'d> {
    dir: &'d Path,
    saved: Mutex<Vec<Files>>,
    resumed: Mutex<usize>,
}

impl<'d> Recorder<'d> {
    fn new(dir: &'d Path) -> Self {
        Self { dir, saved: Mutex::default(), resumed: Mutex::default() }
    }
}

impl Progress for Recorder<'_> {
    fn checkpoint(&self, _: Unit, event: &CheckpointEvent) {
        match event {
            CheckpointEvent::Saved { .. } => {
                self.saved.lock().expect("no panic").push(contents(self.dir));
            }
            CheckpointEvent::Resumed { .. } => *self.resumed.lock().expect("no panic") += 1,
            _ => panic!("{event}"),
        }
    }
}
