//! Probing: the values and errors that library users get.

use fanorona_core::{Board, Position, RuleSet, Side, Value};
use fanorona_tablebase::{Metric, Slice, TableError, TableValue, Tables, TablesOptions};

use crate::common::{
    self, Built, board, placements, rules, slice, slices, solve_slowly, try_build,
};

const DTW: &[Metric] = &[Metric::Dtw];
const WDL: &[Metric] = &[Metric::Wdl];
const BOTH: &[Metric] = &[Metric::Wdl, Metric::Dtw];

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

/// A sort key by preference of the side to move, computed differently than in the crate.
fn liking(value: TableValue) -> (Value, i32) {
    let turns = value.dtw.map(i32::from);
    let turns = match value.value {
        Value::Win => -turns.unwrap_or(i32::MAX),
        Value::Draw => 0,
        Value::Loss => turns.unwrap_or(5),
    };
    (value.value, turns)
}

/// For every position, checks that the ranked turns are the legal ones, best first, that each has
/// the value of the position after it, and that the best has the value of the position. `truth` has
/// tables with distances.
fn assert_ranked(tables: &Tables, truth: &Tables, stones: u32) {
    let (board, rules) = (tables.board(), tables.rules());
    let mut ranked_turns = 0;
    for slice in slices(board, stones) {
        for position in placements(board, slice) {
            let ranked = tables.rank(&position).unwrap();
            // Without distances, the rules know that of a finished game.
            let known = |value: TableValue, more: u16| TableValue {
                dtw: value
                    .dtw
                    .filter(|dtw| tables.has_distances() || *dtw == 0)
                    .map(|turns| turns + more),
                ..value
            };
            let mut expected = rules.turns(&position);
            assert_eq!(ranked.len(), expected.len());
            for ranked in &ranked {
                let at = expected.iter().position(|turn| *turn == ranked.turn).unwrap();
                expected.remove(at);
                assert_eq!(ranked.after, position.play_unchecked(&ranked.turn));
                let after = known(truth.probe(&ranked.after).unwrap(), 1);
                let before = TableValue { value: -after.value, ..after };
                assert_eq!(ranked.value, before, "{position}");
            }
            assert!(ranked.is_sorted_by(|a, b| liking(a.value) >= liking(b.value)), "{position}");
            match ranked.first() {
                Some(best) => {
                    let value = truth.probe(&position).unwrap();
                    assert_eq!(best.value.value, value.value, "{position}");
                    let dtw = best.value.dtw;
                    assert!(
                        dtw == value.dtw || dtw.is_none() && !tables.has_distances(),
                        "{position}"
                    );
                }
                None => assert!(rules.outcome(&position).is_some(), "{position}"),
            }
            ranked_turns += ranked.len();
        }
    }
    assert!(ranked_turns > 10_000);
}

#[test]
fn turns_are_ranked() {
    for (name, stones) in [("3x3", 5), ("5x3", 4)] {
        for rules in ["standard", "free-capture+no-turns-draw", "forced-relay"].map(rules) {
            let dtw = Built::new(board(name), rules, stones, DTW);
            assert_ranked(&dtw.tables, &dtw.tables, stones);
            assert_ranked(&Built::new(board(name), rules, stones, WDL).tables, &dtw.tables, stones);
        }
    }
}

#[test]
fn equal_turns_stay_in_the_order_of_the_generator() {
    let built = Built::new(board("5x3"), RuleSet::STANDARD, 4, WDL);
    let rules = RuleSet::STANDARD;
    for position in placements(board("5x3"), slice("2v2")) {
        let turns = rules.turns(&position);
        let place = |turn| turns.iter().position(|t| t == turn).unwrap();
        let ranked = built.tables.rank(&position).unwrap();
        let in_order =
            ranked.is_sorted_by(|a, b| a.value != b.value || place(&a.turn) < place(&b.turn));
        assert!(in_order, "{position}");
    }
}

#[test]
fn a_game_that_is_over_needs_no_table() {
    let dir = fanorona_tests::directory().unwrap();
    let loss = TableValue { value: Value::Loss, dtw: Some(0) };
    let win = TableValue { value: Value::Win, dtw: Some(0) };
    let draw = TableValue { value: Value::Draw, dtw: None };
    let blocked = "BBB6/WBB6/BBB6/9/9 w";
    for (rules, text, expected) in [
        ("standard", "9/9/4B4/9/9 w", loss),
        ("standard", "9/9/4B4/9/9 b", win),
        ("standard", "9/WWW6/9/9/9 b", loss),
        ("standard", blocked, loss),
        ("standard+no-turns-draw", blocked, draw),
        ("free-capture", blocked, loss),
        ("vela", "WWWWWWWWW/9/9/9/9 b", loss),
        ("vela", "WWWWWWWWW/9/9/9/9 w", win),
    ] {
        let tables = Tables::open(dir.path(), Board::tsivy(), common::rules(rules)).unwrap();
        let position = position(text);
        assert_eq!(tables.probe(&position).unwrap(), expected, "{rules} {text}");
        assert_eq!(tables.rank(&position).unwrap(), [], "{rules} {text}");
        let wdl = tables.probe_metric(&position, Metric::Wdl).unwrap();
        assert_eq!(wdl, TableValue { dtw: None, ..expected });
    }
}

#[test]
fn both_metrics_agree_and_either_is_enough() {
    let (board, rules) = (board("5x3"), RuleSet::STANDARD);
    let both = Built::new(board, rules, 5, BOTH);
    let wdl = Built::new(board, rules, 5, WDL);
    let dirs = [wdl.dir(), both.dir()];
    let apart = Tables::open_dirs(&dirs, board, rules, TablesOptions::default()).unwrap();
    for slice in slices(board, 5) {
        for position in placements(board, slice) {
            let with = both.tables.probe(&position).unwrap();
            let without = wdl.tables.probe(&position).unwrap();
            assert_eq!(without.value, with.value, "{position}");
            // Without distances in tables, a search of captures up to the end still finds them.
            assert!(without.dtw.is_none() || without.dtw == with.dtw, "{position}");
            assert_eq!(with.dtw.is_none(), with.value == Value::Draw, "{position}");
            let plain = TableValue { dtw: None, ..with };
            assert_eq!(both.tables.probe_metric(&position, Metric::Wdl).unwrap(), plain);
            if slice.stones() < 4 {
                assert_eq!(apart.probe(&position).unwrap(), with, "{position}");
            }
        }
    }
}

#[test]
fn symmetric_positions_and_other_colours_have_the_same_value() {
    let board = Board::tsivy();
    let built = Built::new(board, RuleSet::STANDARD, 3, DTW);
    for text in [
        "9/1W7/9/5B3/9 w",
        "9/9/2W1B4/9/9 w",
        "W8/9/9/9/7BB w",
        "9/9/WW7/9/B8 w",
        "9/9/4W4/9/2B6 w",
    ] {
        let position = position(text);
        let value = built.tables.probe(&position).unwrap();
        for symmetry in board.symmetries() {
            let image = position.transformed(*symmetry).unwrap();
            assert_eq!(built.tables.probe(&image).unwrap(), value, "{image}");
            let swapped = image.with_colours_swapped();
            assert_eq!(built.tables.probe(&swapped).unwrap(), value, "{swapped}");
        }
    }
}

#[test]
fn first_capture_single_uses_tables_of_standard() {
    let (board, single) = (board("5x3"), RuleSet::FIRST_CAPTURE_SINGLE);
    let built = Built::new(board, RuleSet::STANDARD, 4, DTW);
    let tables = Tables::open(built.dir(), board, single).unwrap();
    for slice in slices(board, 4) {
        for position in placements(board, slice) {
            let expected = built.tables.probe(&position).unwrap();
            assert_eq!(tables.probe(&position).unwrap(), expected, "{position}");
        }
    }
    // A build for it also finds them.
    let report = try_build(built.dir(), board, single, 4, Metric::Dtw).unwrap();
    assert_eq!((report.written, report.tables.len()), (0, 6));

    // Where a side may not have captured yet, it has tables of its own.
    let dir = fanorona_tests::directory().unwrap();
    try_build(dir.path(), common::board("3x3"), single, 8, Metric::Wdl).unwrap();
    let names = common::contents(dir.path());
    assert!(names.contains_key("3x3_standard_3v3.wdl.fano"), "{:?}", names.keys());
    assert!(names.contains_key("3x3_first-capture-single_4v1.wdl.fano"), "{:?}", names.keys());
    assert_eq!(names.len(), 16);
}

/// The second phase is played by the base rules. A position is in it as soon as the victor is down
/// to the given number of stones, whatever the challenger has. With the tables of the base rules
/// alone, the first phase has no values.
#[test]
fn tables_of_the_base_rules_serve_the_second_phase_of_the_vela() {
    let board = board("5x3");
    let base = Built::new(board, RuleSet::FREE_CAPTURE, 4, BOTH);
    for (name, victor) in
        [("vela+stones-2", Side::White), ("vela+stones-2+victor-black", Side::Black)]
    {
        let vela = rules(name);
        let tables = Tables::open(base.dir(), board, vela).unwrap();
        let (mut answered, mut missing) = (0, 0);
        let solved = solve_slowly(board, vela, 4);
        for (position, (value, dtw)) in &solved {
            let expected = TableValue { value: *value, dtw: *dtw };
            if position.stones(victor).len() <= 2 {
                assert_eq!(tables.probe(position).unwrap(), expected);
                answered += 1;
            } else if vela.outcome(position).is_none() {
                for metric in [Metric::Wdl, Metric::Dtw] {
                    let error = tables.probe_metric(position, metric).unwrap_err();
                    assert!(matches!(error, TableError::Missing { .. }), "{position}: {error}");
                }
                assert_eq!(tables.probe_if_held(position).unwrap(), None, "{position}");
                match tables.rank(position) {
                    Err(TableError::Missing { .. }) => {}
                    // The turns of such a position can lead into the second phase.
                    ranked => assert_eq!(ranked.unwrap()[0].value, expected),
                }
                missing += 1;
            }
        }
        assert!(answered > 1000 && missing > 1000);
        // 1v3 and 3v1 are of the second phase if the victor has the one stone.
        assert_eq!(tables.all().unwrap().len(), 2 * 6);
        let of_victor = tables.table(slice("3v1"), Metric::Dtw).unwrap();
        assert_eq!(of_victor.is_some(), victor == Side::Black, "White is to move");
    }
}

/// Turns are ranked across the end of the first phase, and many positions are probed as each is.
#[test]
fn both_phases_of_the_vela_are_probed() {
    let board = board("3x3");
    for name in ["vela+stones-2", "vela+stones-2+victor-black+must-capture"] {
        let built = Built::new(board, rules(name), 6, BOTH);
        let solved = solve_slowly(board, rules(name), 6);
        let positions: Vec<_> = solved.keys().copied().collect();
        let many = built.tables.probe_many(&positions);
        let ranks = built.tables.rank_many(&positions);
        for ((position, found), ranked) in positions.iter().zip(many).zip(ranks) {
            let (value, dtw) = solved[position];
            let expected = TableValue { value, dtw };
            assert_eq!(found.unwrap(), expected, "{position}");
            assert_eq!(built.tables.probe_if_held(position).unwrap(), Some(expected));
            let ranked = ranked.unwrap();
            assert_eq!(built.tables.rank(position).unwrap(), ranked, "{position}");
            let is_over = rules(name).outcome(position).is_some();
            assert_eq!(ranked.first().map(|best| best.value), (!is_over).then_some(expected));
        }
        for (slice, metric) in [("3v3", Metric::Wdl), ("2v3", Metric::Dtw), ("3v2", Metric::Dtw)] {
            let entries = built.tables.entries(self::slice(slice), metric, 0, u64::MAX).unwrap();
            for (entry, found) in entries {
                let position = Position::from_mover(board, entry.stones, Side::White).unwrap();
                assert_eq!(built.tables.probe_metric(&position, metric).unwrap(), found);
            }
        }
    }
}

#[test]
fn positions_of_another_board_are_refused() {
    let built = Built::new(board("5x3"), RuleSet::STANDARD, 3, DTW);
    for text in
        ["3/W1B/3 w", "9/9/W7B/9/9 w", "1/W/B w", "W4/5/5/5/4B w", "3/3/W2/3/2B b", "5/W4/5 w"]
    {
        let Ok(position) = text.parse::<Position>() else { continue };
        let results = [
            built.tables.probe(&position).map(|_| ()),
            built.tables.probe_metric(&position, Metric::Wdl).map(|_| ()),
            built.tables.rank(&position).map(|_| ()),
        ];
        for result in results {
            if position.board() == board("5x3") {
                // A side has no stones: the game is over, and no table is needed.
                assert!(result.is_ok());
                continue;
            }
            let error = result.unwrap_err();
            let names = error.to_string();
            assert!(matches!(error, TableError::OtherBoard { .. }), "{error}");
            assert!(names.contains("5x3"), "{names}");
            assert!(names.contains(&position.board().to_string()), "{names}");
        }
    }
}

#[test]
fn a_missing_table_is_named() {
    let dir = fanorona_tests::directory().unwrap();
    let position = position("9/9/W7B/9/W7B w");
    let tables = Tables::open(dir.path(), Board::tsivy(), RuleSet::STANDARD).unwrap();
    assert!(tables.all().unwrap().is_empty());
    assert!(tables.table(slice("2v2"), Metric::Wdl).unwrap().is_none());
    let error = tables.probe(&position).unwrap_err();
    let TableError::Missing { slice: missing, metric: None, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*missing, slice("2v2"));
    let message = error.to_string();
    for part in ["2v2", "9x5", "standard", "wdl or dtw"] {
        assert!(message.contains(part), "{message}");
    }
    assert!(message.contains(&dir.path().display().to_string()), "{message}");
    let error = tables.probe_metric(&position, Metric::Dtw).unwrap_err();
    assert!(matches!(error, TableError::Missing { metric: Some(Metric::Dtw), .. }), "{error}");
}

#[test]
fn captures_use_the_tables_that_they_lead_to() {
    let board = Board::tsivy();
    let built = Built::new(board, RuleSet::STANDARD, 2, DTW);
    // White captures one of two stones: only the table of 1v1 is needed, not that of 1v2.
    let capture = position("9/9/2W1B4/9/8B w");
    built.tables.probe(&capture).unwrap();
    let quiet = position("W8/9/9/9/7BB w");
    let error = built.tables.probe(&quiet).unwrap_err();
    assert!(matches!(error, TableError::Missing { slice: s, .. } if s == slice("1v2")), "{error}");
}

/// Distances up to 3 stones, without them up to 4, and nothing for 5.
#[test]
fn only_positions_with_a_table_are_held() {
    let (board, rules) = (board("5x3"), RuleSet::STANDARD);
    let built = Built::new(board, rules, 4, WDL);
    try_build(built.dir(), board, rules, 3, Metric::Dtw).unwrap();
    let all = Built::new(board, rules, 4, DTW);
    let tables = Tables::open(built.dir(), board, rules).unwrap();
    for slice in slices(board, 5) {
        for position in placements(board, slice) {
            let held = tables.probe_if_held(&position).unwrap();
            if slice.stones() > 4 {
                assert_eq!(held, None, "{position}");
                continue;
            }
            let truth = all.tables.probe(&position).unwrap();
            assert_eq!(held.map(|held| held.value), Some(truth.value), "{position}");
            if slice.stones() < 4 {
                assert_eq!(held, Some(truth), "{position}");
            }
        }
    }
    // A table whose captures lead to a missing one does not hold all its positions.
    for metric in ["wdl", "dtw"] {
        std::fs::remove_file(built.dir().join(format!("5x3_standard_1v1.{metric}.fano"))).unwrap();
    }
    let tables = Tables::open(built.dir(), board, rules).unwrap();
    let mut held = [0; 2];
    for position in placements(board, slice("1v2")) {
        match tables.probe_if_held(&position).unwrap() {
            Some(found) => {
                assert_eq!(found.value, all.tables.probe(&position).unwrap().value, "{position}");
                held[1] += 1;
            }
            None => {
                assert!(rules.turns(&position).iter().all(|turn| !turn.is_paika()), "{position}");
                held[0] += 1;
            }
        }
    }
    assert!(held.iter().all(|positions| *positions > 10), "{held:?}");
    let over = position("5/5/3WW b");
    assert_eq!(tables.probe_if_held(&over).unwrap().map(|held| held.value), Some(Value::Loss));
    assert!(tables.probe_if_held(&position("B8/9/9/9/8W w")).is_err(), "another board");
}

#[test]
fn slices_that_a_board_does_not_have_have_no_table() {
    let built = Built::new(board("3x3"), RuleSet::STANDARD, 8, WDL);
    assert!(built.tables.table(slice("1v1"), Metric::Wdl).unwrap().is_some());
    for (own, opponent) in [(5, 1), (1, 5), (31, 31), (33, 1), (1, 33), (0, 1), (1, 0), (255, 255)]
    {
        let slice = Slice::new(own, opponent);
        assert!(built.tables.table(slice, Metric::Wdl).unwrap().is_none(), "{slice}");
    }
}

#[test]
fn tables_are_shared_between_threads() {
    let board = board("5x3");
    let built = Built::new(board, RuleSet::STANDARD, 4, DTW);
    let positions = placements(board, slice("1v2"));
    let expected: Vec<_> = positions.iter().map(|p| built.tables.probe(p).unwrap()).collect();
    // Tables that have not opened any file yet.
    let fresh = Tables::open(built.dir(), board, RuleSet::STANDARD).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (position, value) in positions.iter().zip(&expected) {
                    assert_eq!(fresh.probe(position).unwrap(), *value, "{position}");
                }
            });
        }
    });
}

/// Cached blocks are not confused with those of other tables.
#[test]
fn handles_for_different_rules_do_not_mix() {
    let board = board("3x3");
    let names = ["standard", "forced-relay", "free-capture", "standard+no-turns-draw"];
    let built: Vec<_> = names.map(rules).map(|r| Built::new(board, r, 6, DTW)).into();
    let solved: Vec<_> = names.map(rules).map(|r| solve_slowly(board, r, 6)).into();
    for position in placements(board, slice("3v3")) {
        for (built, solved) in built.iter().zip(&solved) {
            let (value, dtw) = solved[&position];
            assert_eq!(built.tables.probe(&position).unwrap(), TableValue { value, dtw });
        }
    }
}

#[test]
fn a_directory_that_does_not_exist_is_named() {
    let dir = fanorona_tests::directory().unwrap();
    let missing = dir.path().join("missing");
    let file = dir.path().join("file");
    std::fs::write(&file, "not a directory").unwrap();
    for path in [missing, file] {
        let error = Tables::open(&path, Board::tsivy(), RuleSet::STANDARD).unwrap_err();
        assert!(matches!(error, TableError::NoDirectory { .. }), "{error}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
}

#[test]
fn slices_round_trip_as_text() {
    for own in 1..=31 {
        for opponent in 1..=31 {
            let slice = Slice::new(own, opponent);
            assert_eq!(slice.to_string().parse(), Ok(slice));
        }
    }
    for text in
        ["", "v", "3v", "v2", "0v1", "1v0", "32v1", "3V2", "3v2v1", "3 v2", "-1v2", "+3v2", "03v2"]
    {
        let error = text.parse::<Slice>().unwrap_err().to_string();
        assert!(error.contains(&format!("'{text}'")), "{error}");
    }
}
