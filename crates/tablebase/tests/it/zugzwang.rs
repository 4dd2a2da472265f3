//! The zugzwangs in the headers of tables, compared with probes of every position with either side
//! to move.

use fanorona_core::{Board, Position, RuleSet, Stones, Value};
use fanorona_tablebase::index::SliceIndex;
use fanorona_tablebase::orbits::OrbitSets;
use fanorona_tablebase::{Metric, Slice, Tables, Zugzwang};
use fanorona_tests::effort;
use fanorona_tests::strategies::cases;
use proptest::prelude::*;

use crate::common::{Built, board, options, placements, rules, slices};

/// The kind of zugzwang of a position, from turns and values alone.
fn kind(tables: &Tables, position: &Position) -> Option<Zugzwang> {
    let other = position.with_other_to_move();
    let captures = |position| tables.rules().turns(position).iter().any(|turn| !turn.is_paika());
    if captures(position) || captures(&other) {
        return None;
    }
    let value = |position| tables.probe(position).unwrap().value;
    let wanted = match value(&other) {
        Value::Win => Value::Loss,
        Value::Draw => Value::Draw,
        Value::Loss => Value::Win,
    };
    match (wanted, value(position)) {
        (Value::Win, Value::Loss) => Some(Zugzwang::WinToLoss),
        (Value::Win, Value::Draw) => Some(Zugzwang::WinToDraw),
        (Value::Draw, Value::Loss) => Some(Zugzwang::DrawToLoss),
        _ => None,
    }
}

/// Compares the zugzwangs of all tables. Returns their number.
fn compare(board: Board, rules: RuleSet, stones: u32, metric: Metric) -> u64 {
    let built = Built::new(board, rules, stones, &[metric]);
    let sets = OrbitSets::new(board);
    let mut total = 0;
    for slice in slices(board, stones) {
        let index = SliceIndex::new(&sets, slice).unwrap();
        let place = |position: &Position| index.index_of(Stones::of(position)).unwrap();
        let mut found: [Vec<u64>; 3] = Default::default();
        for position in placements(board, slice) {
            if let Some(kind) = kind(&built.tables, &position) {
                found[kind as usize].push(place(&position));
            }
        }
        let stored = |slice: Slice| {
            let table = built.tables.table(slice, metric).unwrap().expect("it was built");
            table.metadata().statistics.zugzwangs.expect("they are counted")
        };
        for kind in Zugzwang::ALL {
            let (found, stored) = (&found[kind as usize], stored(slice).of(kind));
            let context = format!("{board} {rules} {slice} {kind}");
            assert_eq!(stored.count, found.len() as u64, "{context}");
            let example = stored.position(board);
            assert_eq!(example.as_ref().map(place), found.iter().copied().min(), "{context}");
            if let Some(example) = example {
                // The example is the entry itself, not one of its images.
                let entry = index.entry(place(&example)).unwrap();
                assert_eq!(entry.stones, Stones::of(&example));
            }
            total += stored.count;
        }
        // The swapped slice has the same zugzwangs, seen from the other side.
        let (this, other) = (stored(slice), stored(slice.swapped()));
        let counts = |found: &dyn Fn(Zugzwang) -> u64| Zugzwang::ALL.map(found);
        let [full, draw_to_loss, win_to_draw] = counts(&|kind| this.of(kind).count);
        assert_eq!(counts(&|kind| other.of(kind).count), [full, win_to_draw, draw_to_loss]);
        assert_eq!(this.total(), full + draw_to_loss + win_to_draw);
    }
    total
}

#[test]
fn every_preset_with_tables() {
    for rules in RuleSet::PRESETS {
        if rules != RuleSet::VELA {
            for (size, stones) in
                [("3x3", 8), ("5x3", effort(4, 6)), ("3x5", effort(4, 5)), ("5x5", effort(3, 4))]
            {
                let total = compare(board(size), rules, stones, Metric::Wdl);
                assert!(total > 0, "{size} {rules}: nothing was compared");
            }
        }
    }
}

#[test]
fn distances_make_no_difference() {
    for name in ["standard", "free-capture", "standard+no-turns-draw"] {
        for metric in Metric::ALL {
            assert!(compare(board("5x3"), rules(name), effort(4, 5), metric) > 0);
        }
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn random_options(rules in options(), (size, stones) in prop_oneof![
        Just(("3x3", effort(6, 8))), Just(("5x3", effort(4, 5))), Just(("3x5", effort(4, 5))),
        Just(("5x5", effort(3, 4))), Just(("7x3", effort(3, 4))),
    ]) {
        compare(board(size), rules, stones, Metric::Wdl);
    }
}
