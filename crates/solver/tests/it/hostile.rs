//! Checks on crafted saved searches, for tests and for fuzzing.
//!
//! Whatever a file says, the search of 3x5 refuses it, or ends. Facts are believed, so what it finds
//! need not be true, but its turns can be played.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, RuleSet};
use fanorona_solver::{Limits, Solver, SolverError};

/// The position that the files are about: White wins.
const START: &str = "BBB/BBB/B1W/WWW/WWW w";

/// Positions to search: enough to prove the start without any help.
const NODES: u64 = 20_000;

/// Bytes of a bucket of the transposition table.
const BUCKET: usize = 64;

/// Resumes the search of the start of 3x5 from these bytes as a file; returns whether they were
/// accepted.
pub(crate) fn check_file(bytes: &[u8]) -> bool {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("search");
    std::fs::write(&path, bytes).expect("it can be written");
    let start: Position = START.parse().expect("a position");
    let mut solver = Solver::new(RuleSet::STANDARD, start.board(), None, 1 << 16).expect("memory");
    let limits = Limits::default().with_nodes(NODES).with_threads(1).with_resume(&path);
    match solver.analyze(&start, &limits, &AtomicBool::new(false), |_| {}) {
        Ok(analysis) => {
            let play = |at: &Position, turn| RuleSet::STANDARD.play(at, turn).expect("it is legal");
            analysis.best.iter().fold(start, |at, turn| play(&at, turn));
            analysis.line.iter().fold(start, |at, played| play(&at, &played.turn));
            true
        }
        Err(
            SolverError::NotASavedSearch { .. }
            | SolverError::OtherSearch { .. }
            | SolverError::Memory { .. }
            | SolverError::File(_),
        ) => false,
        Err(error) => panic!("{error}"),
    }
}

/// The same with bytes that are compressed first, with a right checksum: a line and a table.
pub(crate) fn check_content(bytes: &[u8]) -> bool {
    let mut packed = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
    packed.include_checksum(true).expect("it can");
    packed.write_all(bytes).expect("it is written");
    check_file(&packed.finish().expect("it is written"))
}

/// The same with the bytes of a table; the line is made right.
pub(crate) fn check_table(bytes: &[u8]) -> bool {
    let mut table = bytes.to_vec();
    table.resize(table.len().next_multiple_of(BUCKET).max(BUCKET), 0);
    let mut content = format!(
        r#"{{"format":"fanorona-search-3","board":"3x5","rules":{},"position":"{START}","tables":[],"slice":16384,"below":[[],[]],"nodes":1,"table_hits":0,"seconds":0.5,"memory":{}}}"#,
        serde_json::to_string(&RuleSet::STANDARD).expect("it is data"),
        table.len(),
    )
    .into_bytes();
    content.push(b'\n');
    content.extend(table);
    check_content(&content)
}
