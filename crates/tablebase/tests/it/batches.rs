//! Probing many positions at once returns the same values and errors as probing one at a time.

use std::fs;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{UnpackOptions, unpack};
use fanorona_core::Position;
use fanorona_tablebase::{Metric, TableError, Tables};
use fanorona_tests::effort;

use crate::common::{Built, board, placements, rules, slices};

fn texts<T: std::fmt::Debug>(results: Vec<Result<T, TableError>>) -> Vec<Result<T, String>> {
    results.into_iter().map(|result| result.map_err(|error| error.to_string())).collect()
}

/// Compares all positions with up to `stones` stones, in a shuffled order, some of them twice.
fn assert_same(tables: &Tables, stones: u32) {
    let mut positions: Vec<Position> = slices(tables.board(), stones)
        .iter()
        .flat_map(|s| placements(tables.board(), *s))
        .collect();
    let hash = |p: &Position| {
        (p.own().bits() ^ p.opponent().bits() << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    positions.extend_from_within(..positions.len() / 10);
    positions.sort_by_key(hash);
    // Positions in which the game is over, and one of another board.
    positions
        .extend(["3/3/B2 w", "W4/5/4B w"].iter().filter_map(|text| text.parse::<Position>().ok()));
    let one_by_one = positions.iter().map(|p| tables.probe(p)).collect();
    let one_by_one = texts(one_by_one);
    assert!(texts(tables.probe_many(&positions)) == one_by_one);
    // Too few to be searched together.
    for few in [0, 1, 2, 30] {
        assert!(texts(tables.probe_many(&positions[..few])) == one_by_one[..few]);
    }
    let one_by_one = positions.iter().map(|p| tables.rank(p)).collect();
    assert!(texts(tables.rank_many(&positions)) == texts(one_by_one));
}

#[test]
fn many_are_answered_as_one() {
    for metrics in [&[Metric::Dtw][..], &[Metric::Wdl], &[Metric::Wdl, Metric::Dtw]] {
        for (name, stones, rule_set) in [
            ("3x3", effort(5, 6), "standard"),
            ("5x3", effort(3, 4), "free-capture+no-turns-draw"),
            ("5x3", effort(3, 4), "forced-relay"),
            ("5x5", effort(3, 4), "standard"),
        ] {
            let built = Built::new(board(name), rules(rule_set), stones, metrics);
            assert_same(&built.tables, stones);
        }
    }
}

#[test]
fn each_position_has_its_own_error() {
    let built = Built::new(board("5x3"), rules("standard"), 4, &[Metric::Wdl, Metric::Dtw]);
    let file = |name: &str| built.dir().join(format!("5x3_standard_{name}.fano"));
    fs::remove_file(file("2v1.wdl")).unwrap();
    fs::remove_file(file("2v1.dtw")).unwrap();
    fs::remove_file(file("1v3.dtw")).unwrap();
    let mut bytes = fs::read(file("3v1.dtw")).unwrap();
    bytes[80] ^= 1;
    fs::remove_file(file("3v1.dtw")).unwrap();
    fs::write(file("3v1.dtw"), bytes).unwrap();
    let tables = Tables::open(built.dir(), board("5x3"), rules("standard")).unwrap();
    assert_same(&tables, 4);
    let positions = placements(board("5x3"), "2v1".parse().unwrap());
    let found = tables.probe_many(&positions);
    assert!(found.iter().any(Result::is_ok), "captures that end the game need no table");
    let missing = |result: &Result<_, _>| matches!(result, Err(TableError::Missing { .. }));
    assert!(found.iter().any(missing));
}

/// As before, with unpacked tables of some slices.
#[test]
fn unpacked_tables_answer_many() {
    let built = Built::new(board("5x3"), rules("standard"), 4, &[Metric::Wdl]);
    let options = UnpackOptions::new(built.dir(), built.tables.board(), built.tables.rules());
    unpack(&options, &(), &AtomicBool::new(false)).unwrap();
    for slice in ["2v1", "1v3", "2v2"] {
        fs::remove_file(built.dir().join(format!("5x3_standard_{slice}.wdl.unpacked.fano")))
            .unwrap();
    }
    let tables = Tables::open(built.dir(), board("5x3"), rules("standard")).unwrap();
    assert_same(&tables, 4);
}

/// A block that cannot be read is the error of the positions that need it, and of no other.
#[test]
fn a_damaged_block_fails_where_it_is_needed() {
    let built = Built::new(board("5x5"), rules("standard"), 4, &[Metric::Wdl]);
    let file = built.dir().join("5x5_standard_1v2.wdl.fano");
    let mut bytes = fs::read(&file).unwrap();
    // The first block begins behind the prelude.
    bytes[66] ^= 1;
    fs::remove_file(&file).unwrap();
    fs::write(&file, bytes).unwrap();
    let tables = Tables::open(built.dir(), board("5x5"), rules("standard")).unwrap();
    assert_same(&tables, 3);
    let found = tables.probe_many(&placements(board("5x5"), "2v2".parse().unwrap()));
    let failed = found.iter().filter(|found| found.is_err()).count();
    assert!((1..found.len()).contains(&failed), "{failed}");
}

#[test]
fn the_flag_stops_it() {
    let built = Built::new(board("5x3"), rules("standard"), 3, &[Metric::Wdl]);
    let positions = placements(board("5x3"), "2v1".parse().unwrap());
    let probe = |stop| built.tables.probe_many_as(&positions, &AtomicBool::new(stop), |at, _| at);
    assert_eq!(probe(false), Some((0..positions.len()).collect()));
    assert_eq!(probe(true), None);
}
