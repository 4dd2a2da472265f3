//! The values of tables are right: they are compared with a simple, independent solver and with
//! `verify`.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use fanorona_builder::build;
use fanorona_core::{Board, NoTurns, Preset, RuleSet, Side, Stones, Value, Vela};
use fanorona_tablebase::{Layout, Metric, TableError, TableKey, TableValue, Unit};
use fanorona_tests::effort;
use fanorona_tests::strategies::cases;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::{
    self, Built, as_table_value, board, options, placements, rules, slice, slices, slices_of_game,
    solve_slowly,
};

const BOTH: [Metric; 2] = [Metric::Wdl, Metric::Dtw];

/// Builds both metrics, verifies them, and compares every position, with both sides to move, with
/// the independent solution.
fn assert_true(board: Board, rules: RuleSet, stones: u32) {
    let built = Built::new(board, rules, stones, &BOTH);
    let tables = slices_of_game(board, rules, stones).len();
    assert_eq!(built.tables.all().unwrap().len(), 2 * tables);
    built.assert_verified(2 * tables);
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
}

#[test]
fn both_phases_of_the_vela() {
    for stones in 0..4 {
        assert_true(board("3x3"), rules(&format!("vela+stones-{stones}")), effort(7, 8));
    }
    for options in ["victor-black", "must-capture", "no-turns-draw+must-capture+victor-black"] {
        assert_true(board("3x3"), rules(&format!("vela+stones-2+{options}")), effort(6, 8));
    }
    assert_true(board("5x3"), rules("vela+stones-1"), 4);
    assert_true(board("3x5"), rules("vela+stones-1"), 4);
    assert_true(board("5x5"), rules("vela+stones-1+direction-strict"), 3);
}

/// One side may be the victor and have as many stones as the other. Then a slice has two tables for
/// the first phase, and may have one for the second.
#[test]
fn the_tables_of_the_vela_have_names_of_their_own() {
    let (board, vela) = (board("3x3"), rules("vela+stones-2"));
    let dir = fanorona_tests::directory().unwrap();
    let goal = common::to_build(dir.path(), board, vela, 6, Metric::Wdl).with_goal(slice("3v3"));
    build(&goal, &(), &AtomicBool::new(false)).unwrap();
    let names: Vec<_> = common::contents(dir.path()).into_keys().collect();
    let settled = ["1v1", "1v2", "1v3", "2v1", "2v2", "2v3", "3v1", "3v2"];
    let mut expected: Vec<_> =
        settled.iter().map(|slice| format!("3x3_free-capture_{slice}.wdl.fano")).collect();
    expected.push("3x3_vela+stones-2_3v3.wdl.fano".into());
    expected.push("3x3_vela+victor-black+stones-2_3v3.wdl.fano".into());
    expected.sort();
    assert_eq!(names, expected);
    // If Black is the victor, the same tables serve.
    let vela = vela.with_colours_swapped();
    let black = common::to_build(dir.path(), board, vela, 6, Metric::Wdl).with_goal(slice("3v3"));
    let report = build(&black, &(), &AtomicBool::new(false)).unwrap();
    assert_eq!((report.written, report.tables.len()), (0, 10));

    // On 9x5, the printed number of stones has one name only.
    let board = Board::tsivy();
    for (text, name) in [
        ("vela", "9x5_vela_6v2.wdl.fano"),
        ("vela+stones-5", "9x5_vela_6v2.wdl.fano"),
        ("vela+stones-4", "9x5_vela+stones-4_6v2.wdl.fano"),
        ("vela+stones-6", "9x5_free-capture_6v2.wdl.fano"),
        ("vela+victor-black", "9x5_free-capture_6v2.wdl.fano"),
    ] {
        let slice = slice("6v2").with_role_of_white(board, &rules(text));
        let key = TableKey::new(board, &rules(text), slice, Metric::Wdl);
        assert_eq!(key.file_name(), name);
        assert_eq!(TableKey::of_file_name(name), Some((key, Layout::Packed)));
    }
    // These would be other names of such tables.
    for name in ["9x5_vela+stones-5_6v2.wdl.fano", "9x5_vela_5v2.wdl.fano"] {
        assert!(TableKey::of_file_name(name).is_none(), "{name}");
    }
}

/// Sets without colours say nothing about the first phase.
#[test]
fn sets_without_colours_are_refused_in_the_vela() {
    let (board, vela) = (board("3x3"), rules("vela+stones-2"));
    let built = Built::new(board, vela, 5, &[Metric::Wdl]);
    for slice in slices(board, 5) {
        for position in placements(board, slice) {
            let found = built.tables.wdl(Stones::of(&position));
            if slice.own > 2 || slice.opponent > 2 {
                let error = found.unwrap_err();
                assert!(matches!(error, TableError::ColoursMatter { slice: s } if s == slice));
            } else {
                assert_eq!(found.unwrap(), built.tables.probe(&position).unwrap().value);
            }
        }
    }
}

/// A stopped build of the first phase, and one whose directory lacks a table that it needs, go on.
#[test]
fn a_build_of_the_vela_goes_on() {
    let (board, vela) = (board("3x3"), rules("vela+stones-1"));
    let whole = Built::new(board, vela, 7, &[Metric::Dtw]);
    let tables = common::contents(whole.dir());
    assert!(tables.len() > 20);
    for lost in tables.keys().step_by(3) {
        std::fs::remove_file(whole.dir().join(lost)).unwrap();
    }
    let report = common::try_build(whole.dir(), board, vela, 7, Metric::Dtw).unwrap();
    assert_eq!(report.written, tables.len().div_ceil(3));
    assert!(common::contents(whole.dir()) == tables);
    let stopped = fanorona_tests::directory().unwrap();
    let goal = common::to_build(stopped.path(), board, vela, 7, Metric::Dtw);
    let error = build(&goal, &(), &AtomicBool::new(true)).unwrap_err();
    assert!(matches!(error, TableError::Stopped), "{error}");
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

    #[test]
    fn any_vela(
        rules in options(),
        victor in select(vec![Side::White, Side::Black]),
        (stones, must_capture) in (0_u8..5, any::<bool>()),
        (name, most) in select(vec![("3x3", 6), ("5x3", 4), ("3x5", 4), ("7x3", 3), ("5x5", 3)]),
    ) {
        let preset = Preset::Vela(Vela { victor, stones: Some(stones), must_capture });
        assert_true(board(name), RuleSet { preset, ..rules }, most);
    }
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
