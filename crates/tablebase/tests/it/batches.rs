//! Probing many positions at once returns the same values and errors as probing one at a time.

use std::fs;

use fanorona_core::Position;
use fanorona_tablebase::{Metric, TableError, Tables};
use fanorona_tests::effort;

use crate::common::{Built, board, placements, rules, slices};

fn texts<T: std::fmt::Debug>(results: Vec<Result<T, TableError>>) -> Vec<Result<T, String>> {
    results.into_iter().map(|result| result.map_err(|error| error.to_string())).collect()
}

/// Compares all positions with up to `stones` stones, in a shuffled order.
fn assert_same(tables: &Tables, stones: u32) {
    let mut positions: Vec<Position> = slices(tables.board(), stones)
        .iter()
        .flat_map(|s| placements(tables.board(), *s))
        .collect();
    positions.sort_by_key(|p| {
        (p.own().bits() ^ p.opponent().bits() << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    // Positions in which the game is over, and one of another board.
    positions
        .extend(["3/3/B2 w", "W4/5/4B w"].iter().filter_map(|text| text.parse::<Position>().ok()));
    let one_by_one = positions.iter().map(|p| tables.probe(p)).collect();
    assert!(texts(tables.probe_many(&positions)) == texts(one_by_one));
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
