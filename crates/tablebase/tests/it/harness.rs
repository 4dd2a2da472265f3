//! Reads arbitrary bytes as a table, and panics if the reader misbehaves. The tests and the fuzz
//! targets under `fuzz` share it.

use std::fs;

use fanorona_core::{Board, PointSet, Position, RuleSet, Side, Stones, Value};
use fanorona_tablebase::{
    Layout, Metric, Selection, TableFile, TableKey, Tables, Thoroughness, WorkProgress, verify,
};
use xxhash_rust::xxh3::xxh3_64;

/// The names under which bytes are read, with their parts. Every capture from 2v1 ends the game, so
/// the table of that slice is enough to probe its positions.
pub(crate) const NAMES: [(&str, &str, Metric); 4] = [
    ("3x3_standard_2v1.dtw.fano", "3x3", Metric::Dtw),
    ("3x3_standard_2v1.wdl.fano", "3x3", Metric::Wdl),
    ("5x3_standard_2v1.dtw.fano", "5x3", Metric::Dtw),
    ("5x3_standard_2v1.wdl.fano", "5x3", Metric::Wdl),
];

/// Opens, checks, probes and verifies a file with these bytes. Errors must name the file. Values
/// may be wrong, because the checksums may have been updated on purpose. Nothing may panic.
pub(crate) fn read_as_table(bytes: &[u8]) {
    let dir = fanorona_tests::directory().expect("a directory");
    let path = dir.path().join("table");
    fs::write(&path, bytes).expect("it can be written");
    let names_it = |error: &dyn std::error::Error, name: &str| {
        let message = error.to_string();
        assert!(message.contains(name), "{message}");
    };
    let mut fits = None;
    match TableFile::open(&path) {
        Ok(file) => {
            if let Err(error) = file.check() {
                names_it(&error, "table");
            }
            let metadata = file.metadata();
            let statistics = &metadata.statistics;
            for value in [Value::Win, Value::Draw, Value::Loss] {
                let _ = statistics.longest(value);
                let _ = statistics.longest_position(metadata.board, value);
            }
            let _ = (statistics.positions(), statistics.zugzwangs.map(|found| found.total()));
            let is_it = |(_, board, metric): &&(&str, &str, Metric)| {
                (metadata.board.to_string().as_str(), metadata.metric) == (*board, *metric)
            };
            fits = NAMES.iter().find(is_it).map(|fits| (fits, metadata.layout));
        }
        Err(error) => names_it(&error, "table"),
    }

    let (&(name, board, metric), layout) = fits.unwrap_or((&NAMES[0], Layout::Packed));
    let (key, _) = TableKey::of_file_name(name).expect("the name of a table");
    let name = &key.file_name_in(layout);
    fs::rename(&path, dir.path().join(name)).expect("it can be renamed");
    let board: Board = board.parse().expect("a board");
    let tables = Tables::open(dir.path(), board, RuleSet::STANDARD).expect("it is a directory");
    for own in sets_of(2, board) {
        for opponent in sets_of(1, board).filter(|set| !own.intersects(*set)) {
            let position = Position::from_mover(board, Stones { own, opponent }, Side::White)
                .expect("sets that are apart");
            if let Err(error) = tables.probe_metric(&position, metric) {
                names_it(&error, name);
            }
        }
    }
    let sample = Thoroughness::Sample { positions: 20, seed: 1 };
    let checks =
        verify(&tables, &Selection::all(), sample, &false.into(), &WorkProgress::default(), |_| {})
            .expect("nobody stops it");
    assert_eq!(checks.len(), 1, "one table is there");
}

fn sets_of(points: u32, board: Board) -> impl Iterator<Item = PointSet> {
    (0..1_u64 << board.num_points()).map(PointSet::from_bits).filter(move |set| set.len() == points)
}

/// Updates all checksums and the length, so that changes are not found by these.
pub(crate) fn sign_all(bytes: &mut [u8]) {
    if bytes.len() < 64 {
        return;
    }
    let length = bytes.len() as u64;
    bytes[32..40].copy_from_slice(&length.to_le_bytes());
    sign_blocks(bytes);
    sign(bytes);
}

/// Updates the checksums of header and tail.
pub(crate) fn sign(bytes: &mut [u8]) {
    if let Some(tail) = bytes.get(parts(bytes).0..) {
        let tail = xxh3_64(tail).to_le_bytes();
        bytes[40..48].copy_from_slice(&tail);
    }
    let header = xxh3_64(&bytes[..56]).to_le_bytes();
    bytes[56..64].copy_from_slice(&header);
}

/// Updates the checksums of the blocks that can be found.
fn sign_blocks(bytes: &mut [u8]) {
    let (offsets, metadata) = parts(bytes);
    let length = metadata.min(bytes.len()).saturating_sub(offsets);
    let blocks = length.saturating_sub(8) / 12;
    for block in 0..blocks {
        let entry = offsets + 8 * block;
        let (begin, end) = (word(bytes, entry), word(bytes, entry + 8));
        if let Some(packed) = bytes.get(begin as usize..end as usize) {
            let checksum = (xxh3_64(packed) as u32).to_le_bytes();
            let at = offsets + 8 * (blocks + 1) + 4 * block;
            bytes[at..at + 4].copy_from_slice(&checksum);
        }
    }
}

/// The 8-byte number at an offset.
pub(crate) fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

/// The offsets of the offset table and of the metadata, from the header.
pub(crate) fn parts(bytes: &[u8]) -> (usize, usize) {
    (word(bytes, 16) as usize, word(bytes, 24) as usize)
}
