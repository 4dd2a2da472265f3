//! Valid certificates are accepted.

use std::fs;

use crate::fixtures::{
    NEVER, Place, Solved, board, bounds, by, by_solution, by_tables, certify, certify_by_search,
    check, claims, positions, rules, tables,
};
use crate::reference::{self, File};
use fanorona_core::{Position, RuleSet, Side, SplitMix64, Value};
use fanorona_proof::{Bounds, Certificate, CertificateError, Claim, ClaimKind, Flaw, Maker};
use fanorona_solver::Solver;
use fanorona_tablebase::{FileError, Metric, Slice, Tables};
use fanorona_tests::effort;

/// Rule sets that cover everything that matters to a proof: draws by a blocked side, optional and
/// mandatory captures, and both phases of the vela with either victor.
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
        let solved = Solved::of(board("3x3"), rules(name));
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
fn a_wrong_claim_has_no_certificate() {
    let place = Place::new();
    for name in RULES {
        let solved = Solved::of(board("3x3"), rules(name));
        let mut refused = 0;
        for position in positions(board("3x3")).iter().step_by(effort(997, 211)) {
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
        assert!(refused > effort(2, 10), "{name}");
    }
}

/// A guide whose winning turns delay the end leads to cycles. Then other turns are found, or the
/// proof is refused. The certificate is never wrong.
#[test]
fn cycles_are_broken_or_refused() {
    let place = Place::new();
    let path = place.file();
    let (mut broken, mut refused) = (0, 0);
    for (name, stones) in RULES.map(|name| (name, 0)).into_iter().chain([("standard", 3)]) {
        let solved = Solved::of(board("3x3"), rules(name));
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
                Err(CertificateError::NoProof { flaw: Flaw::Cycle { .. } }) => refused += 1,
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
fn an_endless_draw_is_proved_without_tables() {
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
            // The claim of one side only.
            certify(&path, of, None, &claims[..1], &mut by_tables(&tables)).unwrap();
            let bounds = Bounds { at_least: Value::Draw, at_most: Value::Win };
            assert_eq!(check(&path, None).unwrap(), bounds, "{position}");
        }
    }
    assert!(largest > 100, "{largest}");
}

/// Positions in tables need no entries, and those with few more stones need few.
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
        let solved = Solved::of(board("3x3"), rules);
        let base = rules.without_vela();
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
    let solved = Solved::of(board("3x3"), rules);
    let claims = claims(Value::Win, Side::White);
    let mut files = (0..2).map(|_| {
        let mut guide = by_solution(&solved);
        certify(&place.file(), (&rules, &start), None, &claims, &mut guide).unwrap();
        fs::read(place.file()).unwrap()
    });
    assert_eq!(files.next(), files.next());
}

/// Whether an error says that a guide's turns prove nothing, for such a reason.
fn is_flaw(error: &CertificateError, is_it: impl Fn(&Flaw) -> bool) -> bool {
    matches!(error, CertificateError::NoProof { flaw } if is_it(flaw))
}

#[test]
fn wrong_guides_are_errors() {
    let (rules, start) = (RuleSet::STANDARD, board("3x3").start());
    let place = Place::new();
    let win = claims(Value::Win, Side::White);
    let try_with = |guide: &mut dyn fanorona_proof::Guide| {
        certify(&place.file(), (&rules, &start), None, &win, guide).unwrap_err()
    };
    let error = try_with(&mut by(|_: &Position| None));
    assert!(is_flaw(&error, |flaw| matches!(flaw, Flaw::NoTurn { .. })), "{error}");
    let other: Position = "3/B1W/WWW w".parse().unwrap();
    let illegal = rules.turns(&other).pop();
    let error = try_with(&mut by(|_: &Position| illegal.clone()));
    assert!(is_flaw(&error, |flaw| matches!(flaw, Flaw::IllegalTurn { .. })), "{error}");
    let solved = Solved::of(board("3x3"), rules);
    let worst = |position: &Position| {
        let turns = rules.turns(position);
        turns.into_iter().max_by_key(|turn| solved.value(&position.play_unchecked(turn)))
    };
    let error = try_with(&mut by(worst));
    assert!(is_flaw(&error, |flaw| matches!(flaw, Flaw::BadLeaf { .. })), "{error}");

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

/// Claims that no certificate can have together are refused before they are proved. Earlier proofs
/// stay.
/// A table that stores no captures is of no use without those that they lead to.
#[test]
fn incomplete_tables_are_left_alone() {
    let (rules, board, place) = (RuleSet::STANDARD, board("5x3"), Place::new());
    drop(tables(place.dir(), board, rules, 3, Metric::Wdl));
    fs::remove_file(place.dir().join("5x3_standard_1v1.wdl.fano")).unwrap();
    let tables = Tables::open(place.dir(), board, rules).unwrap();
    let mut solver = Solver::new(rules, board, None, 1 << 20).unwrap();
    let mut random = SplitMix64::new(1);
    for _ in 0..20 {
        let position = Slice::new(2, 2).random_position(board, Side::White, &mut random).unwrap();
        if rules.outcome(&position).is_none() {
            let expected = bounds(&mut solver, &position);
            let of = (&rules, &position);
            certify_by_search(&place.file(), of, Some(&tables), expected, &mut solver).unwrap();
            assert_eq!(check(&place.file(), Some(&tables)).unwrap(), expected, "{position}");
        }
    }
}

#[test]
fn incompatible_claims_are_errors() {
    let place = Place::new();
    let (rules, board) = (RuleSet::STANDARD, board("3x3"));
    let solved = Solved::of(board, rules);
    let is_open = |p: &&Position| rules.outcome(p).is_none();
    let all = positions(board);
    let mut drawn = all.iter().filter(is_open).filter(|p| solved.value(p) == Value::Draw);
    let position = drawn.next().unwrap();
    let (mover, other) = (position.to_move(), position.to_move().other());
    let claim = |side, kind| Claim { side, kind };
    let holds = |side| claim(side, ClaimKind::Holds);
    let wins = |side| claim(side, ClaimKind::Wins);

    let mut maker = Maker::new(rules, position, None).unwrap();
    let nothing = maker.write(place.file(), &NEVER).unwrap_err();
    assert!(matches!(&nothing, CertificateError::Claims { claims } if claims.is_empty()));
    assert_eq!(nothing.to_string(), "no certificate can claim exactly this: nothing");
    let refuse = |maker: &mut Maker, claim| {
        let mut never = by(|_: &Position| panic!("it is refused before"));
        match maker.prove(claim, &mut never, &NEVER, |_| {}).unwrap_err() {
            CertificateError::Claims { claims } => claims,
            error => panic!("{error}"),
        }
    };
    // The other side's claim first. They are put in order.
    let mut guide = by_solution(&solved);
    maker.prove(holds(other), &mut guide, &NEVER, |_| {}).unwrap();
    assert_eq!(refuse(&mut maker, holds(other)), [holds(other), holds(other)]);
    assert_eq!(refuse(&mut maker, wins(other)), [holds(other), wins(other)]);
    assert_eq!(refuse(&mut maker, wins(mover)), [wins(mover), holds(other)]);
    // A failed proof does not change the maker.
    let failed = maker.prove(holds(mover), &mut by(|_: &Position| None), &NEVER, |_| {});
    let failed = failed.unwrap_err();
    assert!(is_flaw(&failed, |flaw| matches!(flaw, Flaw::NoTurn { .. })), "{failed}");
    maker.write(place.file(), &NEVER).unwrap();
    let half = Bounds { at_most: Value::Draw, ..Bounds::UNKNOWN };
    assert_eq!(check(&place.file(), None).unwrap(), half);

    maker.prove(holds(mover), &mut guide, &NEVER, |_| {}).unwrap();
    for third in [holds(mover), holds(other), wins(mover), wins(other)] {
        assert_eq!(refuse(&mut maker, third).len(), 3);
    }
    maker.write(place.file(), &NEVER).unwrap();
    assert_eq!(check(&place.file(), None).unwrap(), Bounds::exact(Value::Draw));
    let certificate = Certificate::open(place.file()).unwrap();
    let claims: Vec<_> = certificate.proofs().iter().map(|proof| proof.claim).collect();
    assert_eq!(claims, [holds(mover), holds(other)]);
    assert!(certificate.proofs().iter().all(|proof| proof.positions > 0));
}

/// Tables that only a failed proof has probed are not named.
#[test]
fn tables_of_a_failed_proof_are_not_named() {
    let place = Place::new();
    let (rules, board) = (RuleSet::STANDARD, board("3x3"));
    let solved = Solved::of(board, rules);
    let tables = tables(place.dir(), board, rules, 3, Metric::Wdl);
    let write = |maker: &Maker| {
        maker.write(place.file(), &NEVER).unwrap();
        File::read(&fs::read(place.file()).unwrap())
    };
    let mut differences = 0;
    for position in positions(board).iter().step_by(197) {
        if solved.value(position) != Value::Win || rules.outcome(position).is_some() {
            continue;
        }
        let claim = claims(Value::Win, position.to_move())[0];
        let mut maker = Maker::new(rules, position, Some(&tables)).unwrap();
        maker.prove(claim, &mut by_solution(&solved), &NEVER, |_| {}).unwrap();
        let expected = write(&maker);
        // First a guide with random turns, until it loses the win or knows no turn.
        let mut maker = Maker::new(rules, position, Some(&tables)).unwrap();
        let mut left = 4;
        let mut wanders = by(|position: &Position| {
            left -= 1;
            let turns = rules.turns(position);
            turns.into_iter().next_back().filter(|_| left > 0)
        });
        if maker.prove(claim, &mut wanders, &NEVER, |_| {}).is_ok() {
            continue;
        }
        maker.prove(claim, &mut by_solution(&solved), &NEVER, |_| {}).unwrap();
        assert_eq!(write(&maker), expected, "{position}");
        differences += 1;
    }
    assert!(differences > 10, "{differences}");
}

/// Messages of the library do not mention commands or flags. The program adds advice.
#[test]
fn messages_name_no_commands() {
    let position: Position = "BBB/B1W/WWW w".parse().unwrap();
    let slice = "2v1".parse().unwrap();
    let (rules, path) = (RuleSet::STANDARD, Place::new().file());
    let errors = [
        CertificateError::NeedsTables {
            path: path.clone(),
            tables: 3,
            board: position.board(),
            rules,
            slice,
            metric: Metric::Wdl,
        },
        CertificateError::OtherTable {
            path: path.clone(),
            table: path.clone(),
            found: 1,
            expected: 2,
        },
        FileError::Version { path, found: 1, oldest: 2, newest: 2 }.into(),
        CertificateError::MemoryLimit { positions: 7, limit: 200 },
        CertificateError::NoProof { flaw: Flaw::Cycle { position } },
        CertificateError::NoProof { flaw: Flaw::NoTurn { position } },
        CertificateError::Claims { claims: Vec::new() },
    ];
    for message in errors.map(|error| error.to_string()) {
        assert!(!message.contains("--") && !message.contains("fanorona "), "{message}");
    }
}
