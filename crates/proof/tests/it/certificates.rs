//! Certificates that are true pass, whatever they are about.

use std::fs;

use crate::fixtures::{
    NEVER, Place, Solved, board, bounds, by, by_solution, by_tables, certify, certify_by_search,
    check, claims, positions, rules, tables,
};
use crate::reference::{self, File};
use fanorona_core::{Position, RuleSet, Side, Value};
use fanorona_proof::{Bounds, CertificateError, Claim, ClaimKind, Maker};
use fanorona_solver::Solver;
use fanorona_tablebase::{Metric, Tables};

/// Rule sets that differ in all that a proof meets: draws by a blocked side, optional and forced
/// captures, both phases of the vela with either victor.
const RULES: [&str; 8] = [
    "standard",
    "standard+no-turns-draw",
    "forced-relay",
    "free-capture",
    "first-capture-single",
    "vela+stones-2",
    "vela+victor-black+stones-1",
    "vela+stones-2+must-capture",
];

#[test]
fn every_value_has_a_certificate() {
    let place = Place::new();
    let path = place.file();
    for name in RULES {
        let solved = Solved::new(board("3x3"), rules(name));
        let all = positions(board("3x3"));
        let mut seen = [0; 3];
        for position in all.iter().step_by(397).chain([&board("3x3").start()]) {
            let value = solved.value(position);
            let claims = claims(value, position.to_move());
            let mut guide = by_solution(&solved);
            certify(&path, (&solved.rules, position), None, &claims, &mut guide).unwrap();
            assert_eq!(check(&path, None).unwrap(), Bounds::exact(value), "{position} {name}");
            let file = File::read(&fs::read(&path).unwrap());
            assert!(file.is_true(None), "{position} {name}");
            assert_eq!(File::read(&file.write()), file);
            seen[value as usize] += usize::from(!file.proofs[0].entries.is_empty());
        }
        assert!(seen.iter().all(|proofs| *proofs > 0), "{name}: {seen:?}");
    }
}

#[test]
fn a_claim_that_is_too_good_has_none() {
    let place = Place::new();
    for name in RULES {
        let solved = Solved::new(board("3x3"), rules(name));
        let mut refused = 0;
        for position in positions(board("3x3")).iter().step_by(211) {
            let value = solved.value(position);
            for side in [Side::White, Side::Black] {
                let value = if side == position.to_move() { value } else { -value };
                for (kind, goal) in [(ClaimKind::Holds, Value::Draw), (ClaimKind::Wins, Value::Win)]
                {
                    let claim = Claim { side, kind };
                    let mut guide = by_solution(&solved);
                    let of = (&solved.rules, position);
                    let made = certify(&place.file(), of, None, &[claim], &mut guide);
                    assert_eq!(made.is_ok(), value >= goal, "{position} {name} {claim:?}");
                    refused += usize::from(made.is_err());
                }
            }
        }
        assert!(refused > 10, "{name}");
    }
}

/// A win by turns that put off the end goes round in circles; other turns are found for it then, or
/// it is refused, and never is a certificate wrong.
#[test]
fn circles_are_broken_or_refused() {
    let place = Place::new();
    let path = place.file();
    let (mut broken, mut refused) = (0, 0);
    for (name, stones) in RULES.map(|name| (name, 0)).into_iter().chain([("standard", 3)]) {
        let solved = Solved::new(board("3x3"), rules(name));
        let place = Place::new();
        let tables = (stones > 0)
            .then(|| tables(place.dir(), board("3x3"), solved.rules, stones, Metric::Wdl));
        let step = if stones > 0 { 97 } else { 311 };
        for position in positions(board("3x3")).iter().step_by(step) {
            if solved.value(position) != Value::Win {
                continue;
            }
            let claims = claims(Value::Win, position.to_move());
            let mut slow = by(|position: &Position| solved.good_turns(position).pop());
            let tables = tables.as_ref();
            match certify(&path, (&solved.rules, position), tables, &claims, &mut slow) {
                Ok(()) => {
                    assert_eq!(check(&path, tables).unwrap(), Bounds::exact(Value::Win));
                    let file = File::read(&fs::read(&path).unwrap());
                    assert!(file.is_true(tables), "{position} {name}");
                    let other = |entry: &reference::Entry| {
                        let side = position.to_move();
                        let here = entry.position(board("3x3"), side).unwrap();
                        let after = |turn| here.play_unchecked(turn);
                        let turn = &solved.rules.turns(&here)[entry.turn as usize];
                        solved.good_turns(&here).last().map(after) != Some(after(turn))
                    };
                    broken += usize::from(file.proofs[0].entries.iter().any(other));
                }
                Err(CertificateError::Cycle { .. }) => refused += 1,
                Err(error) => panic!("{position} {name}: {error}"),
            }
        }
    }
    assert!(broken > 10 && refused > 10, "{broken} {refused}");
}

#[test]
fn starts_are_proved_with_and_without_tables() {
    for name in ["3x3", "5x3", "3x5"] {
        let start = board(name).start();
        let standard = RuleSet::STANDARD;
        let place = Place::new();
        let path = place.file();
        let mut sizes = Vec::new();
        for stones in [0, 4] {
            let tables = (stones > 0)
                .then(|| tables(place.dir(), board(name), standard, stones, Metric::Wdl));
            let tables = tables.as_ref();
            let mut solver = Solver::new(standard, board(name), tables, 1 << 24).unwrap();
            let bounds = bounds(&mut solver, &start);
            let of = (&standard, &start);
            certify_by_search(&path, of, tables, bounds, &mut solver).unwrap();
            assert_eq!(check(&path, tables).unwrap().value(), Some(Value::Win), "{name}");
            let file = File::read(&fs::read(&path).unwrap());
            assert!(file.is_true(tables), "{name}");
            assert_eq!(file.tables.is_empty(), stones == 0);
            sizes.push(file.proofs[0].entries.len());
        }
        assert!(sizes[1] < sizes[0], "{name}: tables make a proof smaller: {sizes:?}");
    }
}

#[test]
fn a_draw_without_end_is_held_without_tables() {
    let place = Place::new();
    let path = place.file();
    let board = board("5x5");
    let tables = tables(place.dir(), board, RuleSet::STANDARD, 4, Metric::Dtw);
    let mut positions = Vec::new();
    for text in ["B3B/5/5/5/W3W w", "B3B/5/5/5/W3W b", "B4/5/5/5/4W w", "B3B/5/2W2/5/5 w"] {
        positions.push(text.parse::<Position>().unwrap());
    }
    let mut largest = 0;
    for position in positions {
        let value = tables.probe(&position).unwrap().value;
        let claims = claims(value, position.to_move());
        let of = (&RuleSet::STANDARD, &position);
        certify(&path, of, None, &claims, &mut by_tables(&tables)).unwrap();
        assert_eq!(check(&path, None).unwrap(), Bounds::exact(value), "{position}");
        let file = File::read(&fs::read(&path).unwrap());
        assert!(file.is_true(None));
        if value == Value::Draw {
            largest = largest.max(file.proofs[0].entries.len());
            // One side's part alone.
            certify(&path, of, None, &claims[..1], &mut by_tables(&tables)).unwrap();
            let bounds = Bounds { at_least: Value::Draw, at_most: Value::Win };
            assert_eq!(check(&path, None).unwrap(), bounds, "{position}");
        }
    }
    assert!(largest > 100, "{largest}");
}

/// Positions that the tables hold need no entries, and those just above them few.
#[test]
fn tables_of_a_phase_serve_the_whole_game() {
    for (name, metric) in [
        ("vela+stones-2", Metric::Wdl),
        ("vela+victor-black+stones-2", Metric::Dtw),
        ("first-capture-single", Metric::Wdl),
        ("free-capture+no-turns-draw", Metric::Dtw),
    ] {
        let place = Place::new();
        let path = place.file();
        let rules = rules(name);
        let solved = Solved::new(board("3x3"), rules);
        let base = RuleSet { vela: None, ..rules };
        tables(place.dir(), board("3x3"), base, 5, metric);
        let tables = Tables::open(place.dir(), board("3x3"), rules).unwrap();
        let (mut ended, mut rested) = (0, 0);
        for position in positions(board("3x3")).iter().step_by(173) {
            let value = solved.value(position);
            let claims = claims(value, position.to_move());
            let mut guide = by_solution(&solved);
            certify(&path, (&rules, position), Some(&tables), &claims, &mut guide).unwrap();
            let found = check(&path, Some(&tables)).unwrap();
            assert_eq!(found, Bounds::exact(value), "{position} {name}");
            let file = File::read(&fs::read(&path).unwrap());
            let entries = file.proofs.iter().map(|proof| proof.entries.len()).sum::<usize>();
            let metrics = file.tables.iter().map(|table| table.metric);
            assert!(metrics.into_iter().all(|m| m == metric as u32));
            ended += usize::from(entries == 0 && !file.tables.is_empty());
            rested += usize::from(entries > 0 && !file.tables.is_empty());
        }
        assert!(ended > 0 && rested > 0, "{name}: {ended} {rested}");
    }
}

#[test]
fn the_same_guide_gives_the_same_file() {
    let place = Place::new();
    let (rules, start) = (RuleSet::STANDARD, board("3x3").start());
    let solved = Solved::new(board("3x3"), rules);
    let claims = claims(Value::Win, Side::White);
    let mut files = (0..2).map(|_| {
        let mut guide = by_solution(&solved);
        certify(&place.file(), (&rules, &start), None, &claims, &mut guide).unwrap();
        fs::read(place.file()).unwrap()
    });
    assert_eq!(files.next(), files.next());
}

#[test]
fn what_a_guide_can_do_wrong() {
    let (rules, start) = (RuleSet::STANDARD, board("3x3").start());
    let place = Place::new();
    let win = claims(Value::Win, Side::White);
    let try_with = |guide: &mut dyn fanorona_proof::Guide| {
        certify(&place.file(), (&rules, &start), None, &win, guide).unwrap_err()
    };
    let error = try_with(&mut by(|_: &Position| None));
    assert!(matches!(error, CertificateError::NoTurn { .. }), "{error}");
    let other: Position = "3/B1W/WWW w".parse().unwrap();
    let illegal = rules.turns(&other).pop();
    let error = try_with(&mut by(|_: &Position| illegal.clone()));
    assert!(matches!(error, CertificateError::IllegalTurn { .. }), "{error}");
    let solved = Solved::new(board("3x3"), rules);
    let worst = |position: &Position| {
        let turns = rules.turns(position);
        turns.into_iter().max_by_key(|turn| solved.value(&position.play_unchecked(turn)))
    };
    let error = try_with(&mut by(worst));
    assert!(matches!(error, CertificateError::BadLeaf { .. }), "{error}");

    let mut maker = Maker::new(rules, &start, None).unwrap().with_memory_limit(200);
    let small = maker.prove(win[0], &mut by_solution(&solved), &NEVER, |_| {});
    assert!(matches!(small, Err(CertificateError::MemoryLimit { .. })), "{small:?}");
    let stop = std::sync::atomic::AtomicBool::new(true);
    let mut maker = Maker::new(rules, &start, None).unwrap();
    let stopped = maker.prove(win[0], &mut by_solution(&solved), &stop, |_| {});
    assert!(matches!(stopped, Err(CertificateError::Stopped)), "{stopped:?}");
    let wrong = Maker::new("vela".parse().unwrap(), &start, None);
    assert!(matches!(wrong, Err(CertificateError::Rules(_))));
}
