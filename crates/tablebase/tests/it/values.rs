//! The values of tables are right: they are compared with a simple, independent solver and with
//! `verify`.

use std::collections::HashMap;

use fanorona_core::{Board, NoTurns, RuleSet, Value};
use fanorona_tablebase::{Metric, TableError, TableValue, Unit};
use fanorona_tests::effort;
use fanorona_tests::strategies::cases;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::{
    self, Built, as_table_value, board, options, rules, slice, slices, solve_slowly,
};

const BOTH: [Metric; 2] = [Metric::Wdl, Metric::Dtw];

/// Builds both metrics, verifies them, and compares every position, with both sides to move, with
/// the independent solution.
fn assert_true(board: Board, rules: RuleSet, stones: u32) {
    let built = Built::new(board, rules, stones, &BOTH);
    built.assert_verified(2 * slices(board, stones).len());
    for (position, value) in solve_slowly(board, rules, stones) {
        let expected = as_table_value(value);
        let dtw = built.tables.probe_metric(&position, Metric::Dtw).unwrap();
        assert_eq!(dtw, expected, "{position} under {rules}");
        let wdl = built.tables.probe_metric(&position, Metric::Wdl).unwrap();
        assert_eq!(wdl, TableValue { dtw: None, ..expected }, "{position} under {rules}");
        assert_eq!(built.tables.probe(&position).unwrap(), expected, "{position} under {rules}");
    }
}

#[test]
fn presets_on_small_boards() {
    for rules in &RuleSet::PRESETS[..4] {
        assert_true(board("3x3"), *rules, effort(6, 8));
        assert_true(board("5x3"), *rules, effort(3, 4));
        assert_true(board("3x5"), *rules, effort(3, 4));
        assert_true(board("5x5"), *rules, effort(2, 3));
    }
}

#[test]
fn second_phase_of_the_vela() {
    assert_true(board("3x3"), rules("vela+stones-4"), 8);
    assert_true(board("5x3"), rules("vela+stones-3+victor-black"), 4);
    assert_true(board("5x3"), rules("vela+capturing-mandatory+stones-3"), 4);
}

/// If a side without a turn draws instead of losing, no side has less than a draw that had a draw
/// before. So a draw stays a draw. The page of results draws this conclusion for 9x5.
#[test]
fn a_draw_is_a_draw_too_if_no_turns_draw() {
    let (mut drawn, mut changed) = (0, 0);
    for rules in &RuleSet::PRESETS[..4] {
        let draws = RuleSet { no_turns: NoTurns::Draw, ..*rules };
        for (board, stones) in [(board("3x3"), 8), (board("5x3"), effort(3, 4))] {
            let with_draws = solve_slowly(board, draws, stones);
            let with_draws: HashMap<_, _> = with_draws.into_iter().collect();
            for (position, before) in solve_slowly(board, *rules, stones) {
                let [before, after] =
                    [before, with_draws[&position]].map(|value| as_table_value(value).value);
                let is_kept = before != Value::Draw || after == Value::Draw;
                assert!(is_kept, "{position} under {rules}: {after} instead of {before}");
                drawn += usize::from(before == Value::Draw);
                changed += usize::from(before != after);
            }
        }
    }
    assert!(drawn > 100 && changed > 100, "{drawn} draws, {changed} changed values");
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn any_options(
        rules in options(),
        (name, stones) in select(vec![("3x3", 8), ("5x3", 4), ("3x5", 4), ("7x3", 3), ("5x5", 3)]),
    ) {
        assert_true(board(name), rules, stones);
    }
}

#[test]
fn the_first_phase_of_the_vela_is_refused_before_work_starts() {
    let dir = tempfile::tempdir().unwrap();
    let (board, vela) = (board("5x3"), rules("vela+stones-3"));
    let error = common::try_build(dir.path(), board, vela, 5, Metric::Wdl).unwrap_err();
    assert!(matches!(error, TableError::VelaPhase1 { slice: s } if s == slice("4v1")), "{error}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn units_contain_each_slice_once() {
    for board in Board::all() {
        let most = 2 * board.max_stones();
        let all = slices(board, most);
        let distinct: std::collections::HashSet<_> = all.iter().copied().collect();
        assert_eq!(all.len(), distinct.len(), "{board}");
        assert_eq!(all.len() as u32, board.max_stones().pow(2), "{board}");
        assert!(all.is_sorted_by_key(|slice| slice.stones()), "{board}");
        // More stones than the board has add no units.
        for stones in [most + 1, 255, 256, 257, 258, 600, 70_000] {
            assert_eq!(Unit::up_to(board, stones).count(), Unit::up_to(board, most).count());
        }
    }
}
