//! Listings of positions up to symmetry, and what is found in them, compared with slow and obvious
//! enumerations.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::AtomicBool;

use fanorona_builder::{UnpackOptions, unpack};
use fanorona_core::{Board, ErrorKind, Position, RuleSet, Side, Value};
use fanorona_tablebase::orbits::{placements as count_placements, placements_up_to_symmetry};
use fanorona_tablebase::{
    Feature, Found, Listed, Metric, Selection, Slice, Sought, TableError, TableValue, Tables,
    Thoroughness, WorkProgress, Zugzwang, find, value_matrices, verify,
};

use crate::common::{Built, board, placements, rules, slice, slices_of_game};

/// The positions that are symmetric to a position, itself included, each once.
fn orbit(position: &Position) -> HashSet<Position> {
    let symmetries = position.board().symmetries().iter();
    symmetries.map(|symmetry| position.transformed(*symmetry).unwrap()).collect()
}

/// Compares listings with the counts of tables, with single probes, and with every placement.
fn assert_complete(tables: &Tables, stones: u32) {
    let (board, game) = (tables.board(), tables.rules());
    let listings = tables.listings(&Selection::up_to(stones)).unwrap();
    assert_eq!(listings.len(), slices_of_game(board, game, stones).len(), "{board} {game}");
    for listing in listings {
        let slice = listing.slice();
        let context = format!("{slice} {:?} on {board} under {game}", listing.to_move());
        let (own, opponent) = (slice.own.into(), slice.opponent.into());
        let listed = listing.positions(0, u64::MAX).unwrap();
        assert_eq!(listed.len() as u128, placements_up_to_symmetry(board, own, opponent));
        let (mut covered, mut counts) = (HashSet::new(), [0; 3]);
        for Listed { position, weight, value } in &listed {
            assert_eq!(Slice::of(position), Some(slice.counts()));
            assert_eq!(position.to_move(), listing.to_move());
            let metric = listing.table().metadata().metric;
            let expected = tables.probe_metric(position, metric).unwrap();
            assert_eq!(*value, expected, "{position}: {context}");
            let images = orbit(position);
            assert_eq!(images.len(), usize::from(*weight), "{position}: {context}");
            covered.extend(images);
            counts[value.value as usize] += u64::from(*weight);
        }
        assert_eq!(covered.len() as u128, count_placements(board, own, opponent), "{context}");
        let statistics = &listing.table().metadata().statistics;
        assert_eq!(counts, [statistics.loss, statistics.draw, statistics.win], "{context}");

        // In parts they are the same.
        let parts = (0..listing.entries()).step_by(5);
        let parts: Vec<_> = parts.flat_map(|first| listing.positions(first, 5).unwrap()).collect();
        assert_eq!(parts, listed, "{context}");
    }
}

#[test]
fn listings_have_every_position_once() {
    for (name, stones, rule_set) in [
        ("3x3", 7, "standard"),
        ("5x3", 4, "free-capture+no-turns-draw"),
        ("5x5", 3, "forced-relay"),
        // The challenger is Black, and both sides have tables of their own.
        ("3x3", 6, "vela+stones-1"),
        ("3x3", 5, "vela+stones-1+victor-black"),
    ] {
        let (board, rules) = (board(name), rules(rule_set));
        for metric in Metric::ALL {
            let built = Built::new(board, rules, stones, &[metric]);
            assert_complete(&built.tables, stones);
            let options = UnpackOptions::new(built.dir(), board, rules);
            unpack(&options, &(), &AtomicBool::new(false)).unwrap();
            let unpacked = Tables::open(built.dir(), board, rules).unwrap();
            assert_complete(&unpacked, stones);
        }
    }
}

#[test]
fn listings_say_what_is_missing() {
    let built = Built::new(board("5x3"), rules("standard"), 3, &[Metric::Wdl]);
    let names = |selection: &Selection| -> Vec<String> {
        let listings = built.tables.listings(selection).unwrap();
        listings.iter().map(|listing| listing.slice().to_string()).collect()
    };
    assert_eq!(names(&Selection::all()), ["1v1", "2v1", "1v2"]);
    assert_eq!(names(&slice("1v2").into()), ["1v2"]);
    for (stones, named, most) in [(3, "2v2", 4), (5, "1v1", 5)] {
        let selection = Selection::up_to(stones).with_slices([slice(named)]);
        assert_eq!(selection.most_stones(), Some(most));
    }
    for selection in [Selection::up_to(4), slice("2v2").into()] {
        let error = built.tables.listings(&selection).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingTable, "{error}");
    }
    // Without distances there is no longest win.
    let listings = built.tables.listings(&Selection::all()).unwrap();
    let (stop, progress) = (AtomicBool::new(false), WorkProgress::default());
    let longest = find(&built.tables, &listings, Sought::Wins, 1, &stop, &progress);
    assert!(
        matches!(longest, Err(TableError::Missing { metric: Some(Metric::Dtw), .. })),
        "{longest:?}"
    );
    // Studies need none.
    let studies = find(&built.tables, &listings, Sought::Studies, 9, &stop, &progress);
    assert_eq!(studies.unwrap().len(), 9);
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let stopped = find(&built.tables, &listings, Sought::Studies, 9, &stop, &progress);
    assert!(matches!(stopped, Err(TableError::Stopped)), "{stopped:?}");
}

/// The key by which a position is found, and the kind of zugzwang, by listing all its turns.
fn expected(
    tables: &Tables,
    sought: Sought,
    position: &Position,
) -> Option<(u32, Option<Zugzwang>)> {
    let rules = tables.rules();
    let probe = |position: &Position| tables.probe(position).unwrap();
    let value = probe(position);
    let length = u32::from(value.dtw.unwrap_or(0));
    match (sought, value.value) {
        (Sought::Wins, Value::Win) | (Sought::Losses, Value::Loss) => Some((length, None)),
        (Sought::Studies, Value::Win) | (Sought::DrawStudies, Value::Draw) => {
            let turns = rules.turns(position);
            let values = turns.iter().map(|turn| -probe(&position.play_unchecked(turn)).value);
            let keeping = values.filter(|found| *found == value.value).count();
            let key = if sought == Sought::Studies { length } else { turns.len() as u32 };
            (turns.len() > 1 && keeping == 1).then_some((key, None))
        }
        (Sought::Zugzwangs, _) => {
            let other = position.with_other_to_move();
            let captures = |position| rules.turns(position).iter().any(|turn| !turn.is_paika());
            if captures(position) || captures(&other) {
                return None;
            }
            let other = probe(&other);
            let kind = Zugzwang::of(value.value, other.value)?;
            let longest = u32::from(value.dtw.max(other.dtw).unwrap_or(0));
            Some((longest + if kind == Zugzwang::WinToLoss { 1 << 16 } else { 0 }, Some(kind)))
        }
        _ => None,
    }
}

fn key(sought: Sought, found: &Found) -> (u32, Option<Zugzwang>) {
    let length = u32::from(found.listed.value.dtw.unwrap_or(0));
    match &found.feature {
        Feature::Zugzwang { kind, other } => {
            let longest = u32::from(found.listed.value.dtw.max(other.dtw).unwrap_or(0));
            (longest + if *kind == Zugzwang::WinToLoss { 1 << 16 } else { 0 }, Some(*kind))
        }
        Feature::OnlyTurn { turns, .. } if sought == Sought::DrawStudies => (*turns as u32, None),
        _ => (length, None),
    }
}

/// Compares what is found with an enumeration of every placement.
fn assert_found(board: Board, rules: RuleSet, stones: u32) {
    let built = Built::new(board, rules, stones, &[Metric::Dtw]);
    let tables = &built.tables;
    let listings = tables.listings(&Selection::up_to(stones)).unwrap();
    let stop = AtomicBool::new(false);
    for sought in
        [Sought::Wins, Sought::Losses, Sought::Zugzwangs, Sought::Studies, Sought::DrawStudies]
    {
        let context = format!("{sought:?} on {board} under {rules}");
        // Every placement, by key: how many.
        let mut wanted = BTreeMap::<_, u64>::new();
        for listing in &listings {
            for position in placements(board, listing.slice()) {
                if let Some(key) = expected(tables, sought, &position) {
                    *wanted.entry(key).or_default() += 1;
                }
            }
        }
        let search = |most| {
            let progress = WorkProgress::default();
            let found = find(tables, &listings, sought, most, &stop, &progress).unwrap();
            assert!(progress.fraction() == 1.0, "{context}");
            found
        };
        let found = search(usize::MAX);
        let mut counted = BTreeMap::<_, u64>::new();
        for found in &found {
            *counted.entry(key(sought, found)).or_default() += u64::from(found.listed.weight);
        }
        assert!(!counted.is_empty(), "{context}");
        assert_eq!(counted, wanted, "{context}");
        let keys: Vec<_> = found.iter().map(|found| key(sought, found).0).collect();
        assert!(keys.is_sorted_by(|a, b| a >= b), "{context}");
        // The first ones of them, whatever their number.
        for most in [0, 1, 10, 200] {
            let first = search(most);
            let first: Vec<_> = first.iter().map(|found| key(sought, found).0).collect();
            assert_eq!(first, keys[..most.min(keys.len())], "{context}");
        }
    }
}

#[test]
fn what_is_found_is_what_an_enumeration_finds() {
    assert_found(board("3x3"), rules("standard"), 5);
    assert_found(board("5x3"), rules("standard"), 4);
    assert_found(board("5x3"), rules("free-capture+no-turns-draw"), 3);
}

/// The only turn of a study, the best of the others, and how often there is only one turn.
#[test]
fn studies_are_graded() {
    let built = Built::new(board("5x3"), rules("standard"), 4, &[Metric::Dtw]);
    let (tables, stop, progress) = (&built.tables, AtomicBool::new(false), WorkProgress::default());
    let listings = tables.listings(&Selection::up_to(4)).unwrap();
    let studies = find(tables, &listings, Sought::Studies, 300, &stop, &progress).unwrap();
    let mut streaks = HashSet::new();
    for Found { listed, feature } in &studies {
        let Feature::OnlyTurn { turn, turns, next, streak } = feature else {
            panic!("{feature:?}")
        };
        let ranked = tables.rank(&listed.position).unwrap();
        assert_eq!((ranked.len(), &ranked[0]), (*turns, &**turn));
        assert!(turn.value == listed.value && *next == ranked[1].value && next.value < Value::Win);
        // Play on, as long as there is only one turn.
        let (mut position, mut expected) = (listed.position, 0);
        loop {
            let turns = tables.rank(&position).unwrap();
            let wins = turns.iter().filter(|turn| turn.value.value == Value::Win).count();
            if wins != 1 {
                break;
            }
            expected += 1;
            let replies = tables.rank(&turns[0].after).unwrap();
            let Some(reply) = replies.first() else { break };
            position = reply.after;
        }
        assert_eq!(*streak, expected, "{}", listed.position);
        streaks.insert(*streak);
    }
    assert!(streaks.len() > 2, "{streaks:?}");
}

#[test]
fn matrices_add_up() {
    let (board, dir) = (board("3x3"), fanorona_tests::directory().unwrap());
    let games = ["standard", "free-capture", "vela+stones-1"].map(rules);
    for rules in games {
        crate::common::try_build(dir.path(), board, rules, 5, Metric::Dtw).unwrap();
    }
    let open = |rules| Tables::open(dir.path(), board, rules).unwrap();
    let values = [Value::Win, Value::Draw, Value::Loss];
    for (one, other) in [(0, 0), (0, 1), (1, 2), (2, 0)] {
        let [one, other] = [open(games[one]), open(games[other])];
        let (stop, progress) = (AtomicBool::new(false), WorkProgress::default());
        let found = value_matrices(&one, &other, &Selection::up_to(5), &stop, &progress).unwrap();
        assert!(progress.fraction() == 1.0);
        // With all placements and both sides to move, by probing each.
        let mut counts = [[0; 3]; 3];
        for matrix in &found {
            assert_eq!(
                u128::from(matrix.positions()),
                count_placements(board, matrix.slice.own.into(), matrix.slice.opponent.into())
            );
            for position in placements(board, matrix.slice) {
                let position = match matrix.to_move {
                    Side::White => position,
                    Side::Black => position.with_colours_swapped(),
                };
                let [one, other] = [&one, &other].map(|tables| tables.probe(&position).unwrap());
                counts[one.value as usize][other.value as usize] += 1;
            }
        }
        for [first, second] in values.into_iter().flat_map(|one| values.map(|other| [one, other])) {
            let cells = found.iter().map(|matrix| matrix.cell([first, second]));
            let positions: u64 = cells.clone().map(|cell| cell.positions).sum();
            assert_eq!(positions, counts[first as usize][second as usize]);
            for cell in cells {
                assert!(cell.canonical <= cell.positions && 8 * cell.canonical >= cell.positions);
                assert_eq!(cell.example.is_some(), cell.positions > 0);
                if let Some(example) = cell.example {
                    let probe = |tables: &Tables| tables.probe(&example.position).unwrap();
                    assert_eq!(example.values, [probe(&one), probe(&other)]);
                    assert_eq!(
                        example.values.map(|TableValue { value, .. }| value),
                        [first, second]
                    );
                }
            }
        }
    }
    let small = Built::new(self::board("5x3"), rules("standard"), 2, &[Metric::Wdl]);
    let (stop, progress) = (AtomicBool::new(false), WorkProgress::default());
    let other = open(games[0]);
    let error = value_matrices(&small.tables, &other, &Selection::all(), &stop, &progress);
    assert!(matches!(error, Err(TableError::OtherBoard { .. })), "{error:?}");
}

#[test]
fn a_verification_comes_to_its_end() {
    let built = Built::new(board("5x3"), rules("standard"), 4, &Metric::ALL);
    let options = UnpackOptions::new(built.dir(), board("5x3"), rules("standard"));
    unpack(&options, &(), &AtomicBool::new(false)).unwrap();
    for how in [
        Thoroughness::Quick,
        Thoroughness::Sample { positions: 10, seed: 1 },
        Thoroughness::Against(&built.tables),
        Thoroughness::Full,
    ] {
        let (stop, progress) = (AtomicBool::new(false), WorkProgress::default());
        assert!(progress.fraction() == 0.0);
        let mut last = 0.0;
        let selection = Selection::all();
        let checks = verify(&built.tables, &selection, how, &stop, &progress, |check| {
            assert!(check.fault.is_none() && progress.fraction() >= last);
            last = progress.fraction();
        });
        assert!(checks.unwrap().len() > 6 && progress.fraction() == 1.0, "{how:?}");
    }
}
