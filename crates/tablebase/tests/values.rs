//! What tables say is true: against a solver without any of their ideas, against `verify`, and at
//! the starts of the small boards.

mod common;

use common::{Built, board, rules, slice};
use fanorona_core::{RuleSet, Value};
use fanorona_tablebase::{Metric, TableError, TableValue};

/// Builds a board to its last stone and probes its start, which both metrics must agree on.
fn start_of(name: &str, rules: RuleSet) -> TableValue {
    let board = board(name);
    let built = Built::new(board, rules, 2 * board.max_stones(), &[Metric::Dtw]);
    built.tables.probe(&board.start()).unwrap()
}

#[test]
fn starts_of_the_boards_with_fifteen_points() {
    let standard = RuleSet::STANDARD;
    let win = |turns| TableValue { value: Value::Win, dtw: Some(turns) };
    assert_eq!(start_of("3x3", standard), win(11));
    assert_eq!(start_of("5x3", standard), win(11));
    assert_eq!(start_of("3x5", standard), win(13));
}

#[test]
fn the_first_phase_of_the_vela_is_refused_before_work_starts() {
    let dir = tempfile::tempdir().unwrap();
    let (board, vela) = (board("5x3"), rules("vela+stones-3"));
    let error = common::try_build(dir.path(), board, vela, 5, Metric::Wdl).unwrap_err();
    assert!(matches!(error, TableError::VelaPhase1 { slice: s } if s == slice("4v1")), "{error}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
