//! All builders write the same files. The plain builder shares only the index and the file format
//! with the others.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{BuildOptions, Method, Metric, build};
use fanorona_tests::effort;
use fanorona_tests::strategies::cases;
use proptest::prelude::*;

use crate::common::{contents, options};

fn built(dir: &Path, board: &str, rules: RuleSet, stones: u32, method: Method) {
    let board: Board = board.parse().expect("a board");
    for metric in Metric::ALL {
        let options =
            BuildOptions::new(dir, board, rules, stones).with_metric(metric).with_method(method);
        build(&options, &(), &AtomicBool::new(false)).expect("it builds");
    }
}

/// Compares builds with all methods, also on top of smaller tables.
fn assert_same(board: &str, rules: RuleSet, stones: u32) {
    let plain = tempfile::tempdir().expect("a directory");
    built(plain.path(), board, rules, stones, Method::Plain);
    let plain = contents(plain.path());
    assert!(!plain.is_empty());
    for method in Method::ALL.into_iter().filter(|method| *method != Method::Plain) {
        for loaded in [0, stones - 1] {
            let dir = tempfile::tempdir().expect("a directory");
            built(dir.path(), board, rules, loaded, Method::Plain);
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
    assert_same("5x3", RuleSet::STANDARD, effort(6, 8));
    assert_same("3x5", RuleSet::FREE_CAPTURE, effort(5, 7));
}

#[test]
fn every_preset_with_tables() {
    for rules in RuleSet::PRESETS {
        if rules != RuleSet::VELA {
            assert_same("3x3", rules, 8);
            assert_same("5x5", rules, effort(4, 5));
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

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn random_options(rules in options(), (board, stones) in prop_oneof![
        Just(("3x3", 8)), Just(("5x3", 6)), Just(("3x5", 6)), Just(("5x5", 4)), Just(("7x3", 5)),
    ]) {
        assert_same(board, rules, stones);
    }
}
