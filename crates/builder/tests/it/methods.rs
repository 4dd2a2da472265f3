//! All builders write the same files. The plain builder shares only the index and the file format
//! with the others.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, Method, build};
use fanorona_core::{Board, NoTurns, Preset, RuleSet, Side, Vela};
use fanorona_tablebase::{Metric, TableKey};
use fanorona_tests::effort;
use fanorona_tests::strategies::cases;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::{self, contents, options};

type Files = BTreeMap<String, Vec<u8>>;

fn built(dir: &Path, board: &str, rules: RuleSet, stones: u32, method: impl Into<Option<Method>>) {
    let board: Board = board.parse().expect("a board");
    let method = method.into();
    for metric in Metric::ALL {
        let options =
            BuildOptions::new(dir, board, rules, stones).with_metric(metric).with_method(method);
        build(&options, &(), &AtomicBool::new(false)).expect("it builds");
    }
}

/// Writes some of these files.
fn put(files: &Files, dir: &Path, is_there: impl Fn(&str) -> bool) {
    for (name, bytes) in files.iter().filter(|(name, _)| is_there(name)) {
        std::fs::write(dir.join(name), bytes).expect("it can be written");
    }
}

/// The stones of a table.
fn stones_of(name: &str) -> u32 {
    TableKey::of_file_name(name).expect("a table").0.slice.stones()
}

/// Compares builds with all methods, also on top of smaller tables.
fn assert_same(board: &str, rules: RuleSet, stones: u32) {
    let plain = fanorona_tests::directory().expect("a directory");
    built(plain.path(), board, rules, stones, Method::Plain);
    let plain = contents(plain.path());
    assert!(!plain.is_empty());
    for method in Method::ALL.into_iter().filter(|method| *method != Method::Plain) {
        for loaded in [0, stones - 1] {
            let dir = fanorona_tests::directory().expect("a directory");
            put(&plain, dir.path(), |name| stones_of(name) <= loaded);
            built(dir.path(), board, rules, stones, method);
            let found = contents(dir.path());
            assert_eq!(found.keys().collect::<Vec<_>>(), plain.keys().collect::<Vec<_>>());
            for (name, bytes) in &plain {
                let how = format!("{method} above {loaded} stones, {rules} to {stones}");
                assert!(found[name] == *bytes, "{name} on {board} differs: {how}");
            }
        }
    }
}

#[test]
fn whole_small_boards() {
    assert_same("3x3", RuleSet::STANDARD, 8);
    assert_same("5x3", RuleSet::STANDARD, effort(5, 8));
    assert_same("3x5", RuleSet::FREE_CAPTURE, effort(5, 7));
}

#[test]
fn every_preset_with_tables() {
    for rules in RuleSet::PRESETS {
        if rules != RuleSet::VELA {
            assert_same("3x3", rules, 8);
            let usual = if rules == RuleSet::STANDARD { 4 } else { 3 };
            assert_same("5x5", rules, effort(usual, 5));
        }
    }
}

#[test]
fn the_large_boards() {
    // The tables of first-capture-single are those of standard.
    for rules in [RuleSet::STANDARD, RuleSet::FREE_CAPTURE, RuleSet::FORCED_RELAY] {
        assert_same("9x5", rules, effort(3, 4));
    }
    assert_same("9x7", RuleSet::FORCED_RELAY, effort(2, 3));
    assert_same("7x7", RuleSet::STANDARD, 3);
}

/// Compares the tables of the first phase of the vela that are built by rows with the plain ones, also
/// on top of some of them.
fn assert_same_first_phase(board: &str, rules: RuleSet, stones: u32) {
    let second_phase = fanorona_tests::directory().expect("a directory");
    built(second_phase.path(), board, rules.without_vela(), stones, None);
    let second_phase = contents(second_phase.path());
    let built_on = |tables: &Files, method| {
        let dir = fanorona_tests::directory().expect("a directory");
        put(tables, dir.path(), |_| true);
        built(dir.path(), board, rules, stones, method);
        contents(dir.path())
    };
    let plain = built_on(&second_phase, Some(Method::Plain));
    assert!(plain.len() > second_phase.len(), "{rules} has a first phase on {board}");
    let is_there = |(i, name): (usize, &String)| i % 3 == 0 || second_phase.contains_key(name);
    let some = plain.iter().enumerate().filter(|(i, (name, _))| is_there((*i, name)));
    let some = some.map(|(_, (name, bytes))| (name.clone(), bytes.clone())).collect();
    for (tables, method) in
        [(&second_phase, Some(Method::Rows)), (&some, Some(Method::Rows)), (&second_phase, None)]
    {
        let found = built_on(tables, method);
        assert!(found.keys().eq(plain.keys()));
        for (name, bytes) in &plain {
            let on = tables.len();
            assert!(
                found[name] == *bytes,
                "{name} on {board} differs by {method:?} on {on} tables"
            );
        }
    }
}

#[test]
fn the_first_phase_of_the_vela() {
    for stones in 0..4 {
        let most = if stones == 2 { 8 } else { effort(6, 8) };
        assert_same_first_phase("3x3", common::rules(&format!("vela+stones-{stones}")), most);
    }
    for options in ["", "+must-capture", "+no-turns-draw", "+direction-strict"] {
        let both = format!("vela+stones-1{options}");
        assert_same_first_phase("3x3", common::rules(&both), effort(6, 8));
        let rules = RuleSet { no_turns: NoTurns::Draw, ..common::rules(&both) };
        assert_same_first_phase("3x3", rules, effort(6, 8));
    }
    for (board, rules) in
        [("5x3", "vela+stones-3"), ("3x5", "vela+stones-1+must-capture"), ("5x3", "vela+stones-2")]
    {
        assert_same_first_phase(board, common::rules(rules), effort(6, 8));
    }
    assert_same_first_phase("5x5", common::rules("vela+stones-1"), effort(4, 5));
    assert_same_first_phase("7x3", common::rules("vela+stones-2"), effort(4, 5));
    assert_same_first_phase("9x5", common::rules("vela+stones-1"), 3);
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn random_options_of_the_vela(
        rules in options(),
        victor in select(vec![Side::White, Side::Black]),
        (stones, must_capture) in (0_u8..3, any::<bool>()),
        (board, most) in select(vec![
            ("3x3", effort(7, 8)), ("5x3", effort(5, 6)), ("3x5", effort(5, 6)), ("5x5", 4),
            ("7x3", effort(4, 5)),
        ]),
    ) {
        let preset = Preset::Vela(Vela { victor, stones: Some(stones), must_capture });
        assert_same_first_phase(board, RuleSet { preset, ..rules }, most);
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn random_options(rules in options(), (board, stones) in prop_oneof![
        Just(("3x3", 8)), Just(("5x3", effort(5, 6))), Just(("3x5", effort(5, 6))),
        Just(("5x5", effort(3, 4))), Just(("7x3", effort(4, 5))),
    ]) {
        assert_same(board, rules, stones);
    }
}
