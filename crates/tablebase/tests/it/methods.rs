//! The builder by rows and the plain builder, which share only the index and the file format, write
//! the same files.

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

/// Compares builds with both methods, and one by rows on top of smaller tables.
fn assert_same(board: &str, rules: RuleSet, stones: u32) {
    let dirs: Vec<_> = (0..3).map(|_| tempfile::tempdir().expect("a directory")).collect();
    built(dirs[0].path(), board, rules, stones, Method::Plain);
    built(dirs[1].path(), board, rules, stones, Method::Rows);
    built(dirs[2].path(), board, rules, stones - 1, Method::Plain);
    built(dirs[2].path(), board, rules, stones, Method::Rows);
    let plain = contents(dirs[0].path());
    assert!(!plain.is_empty());
    for (dir, how) in [(&dirs[1], "by rows"), (&dirs[2], "by rows from loaded tables")] {
        let found = contents(dir.path());
        assert_eq!(found.keys().collect::<Vec<_>>(), plain.keys().collect::<Vec<_>>());
        for (name, bytes) in &plain {
            assert!(found[name] == *bytes, "{name} differs {how}, {rules} to {stones} stones");
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
