//! The two forms of certificates: entries, and only turns.

use std::fs;

use fanorona_core::{ErrorKind, Position, RuleSet, Value};
use fanorona_proof::{Certificate, CertificateError, Flaw, Form};
use fanorona_tests::effort;

use crate::altered::ORIGINALS;
use crate::fixtures::{NEVER, Place, Solved, board, by_solution, certify, check, claims};
use crate::reference::{File, Proof, assemble_turns};

#[test]
fn each_form_is_rewritten_from_the_other() {
    for original in ORIGINALS.iter() {
        let place = Place::new();
        let [entries, turns, back] =
            ["entries", "turns", "back"].map(|name| place.dir().join(name));
        fs::write(place.file(), original.file.write()).unwrap();
        let certificate = Certificate::open(place.file()).unwrap();
        assert_eq!(certificate.form(), Form::Entries);
        certificate.rewrite(&entries, Form::Entries, &NEVER).unwrap();
        certificate.rewrite(&turns, Form::Turns, &NEVER).unwrap();
        let short = Certificate::open(&turns).unwrap();
        assert_eq!(short.form(), Form::Turns);
        short.rewrite(&back, Form::Entries, &NEVER).unwrap();
        let read = |path| File::read(&fs::read(path).unwrap());
        let (name, first) = (&original.name, read(&entries));
        assert_eq!(first.proofs, original.file.proofs, "{name}");
        assert_eq!(fs::read(&entries).unwrap(), fs::read(&back).unwrap(), "{name}");
        assert_eq!(read(&turns), File { block_entries: 4096, ..first }, "{name}");
        let found = check(&turns, original.tables.as_ref()).unwrap();
        assert_eq!(found, certificate.bounds(), "{name}");
    }
}

/// What is written with other tools is read, in blocks of any size.
#[test]
fn turns_of_the_reference_are_read() {
    for original in ORIGINALS.iter() {
        for block_entries in [1, 2, 7, 65_536] {
            let file = File { block_entries, ..original.file.clone() };
            let place = Place::new();
            fs::write(place.file(), file.write_turns(&file.turns())).unwrap();
            check(&place.file(), original.tables.as_ref()).unwrap();
        }
    }
}

#[test]
fn changed_turns_prove_nothing_or_something_true() {
    let (mut refused, mut accepted) = (0, 0);
    for original in ORIGINALS.iter() {
        let place = Place::new();
        let mut try_it = |turns: &[Vec<u64>]| {
            let bytes = original.file.write_turns(turns);
            fs::write(place.file(), &bytes).unwrap();
            match check(&place.file(), original.tables.as_ref()) {
                Ok(_) => {
                    let is_true = File::read(&bytes).is_true(original.tables.as_ref());
                    assert!(is_true, "{}", original.name);
                    accepted += 1;
                }
                Err(error) => {
                    assert!(matches!(error, CertificateError::DoesNotHold { .. }), "{error}");
                    refused += 1;
                }
            }
        };
        let turns = original.file.turns();
        for proof in 0..turns.len() {
            let step = turns[proof].len().div_ceil(effort(20, 200)).max(1);
            for entry in (0..turns[proof].len()).step_by(step) {
                for other in [0, 1, 2, u64::from(u32::MAX)] {
                    let mut turns = turns.clone();
                    if turns[proof][entry] != other {
                        turns[proof][entry] = other;
                        try_it(&turns);
                    }
                }
                let mut fewer = turns.clone();
                fewer[proof].remove(entry);
                try_it(&fewer);
            }
        }
    }
    assert!(refused > 500 && accepted > 0, "{refused} and {accepted}");
}

fn flaw_of(bytes: &[u8]) -> Flaw {
    let place = Place::new();
    fs::write(place.file(), bytes).unwrap();
    match check(&place.file(), None).unwrap_err() {
        CertificateError::DoesNotHold { flaw, .. } => flaw,
        other => panic!("{other}"),
    }
}

#[test]
fn missing_and_superfluous_turns_are_named() {
    let win = File::read(include_bytes!("../golden/version-2/win.cert"));
    let turns = win.turns();
    let mut more = turns.clone();
    more[0].extend([0, 0]);
    assert_eq!(flaw_of(&win.write_turns(&more)), Flaw::Unreached { unreached: 2, entries: 12 });
    let mut fewer = turns.clone();
    fewer[0].pop();
    let last = "3/B2/1W1 w".parse().unwrap();
    assert_eq!(flaw_of(&win.write_turns(&fewer)), Flaw::NoEntry { position: last });
    // Where the proof begins with an entry, and there is no turn at all.
    let start = "BBB/W1B/WWW w".parse().unwrap();
    assert_eq!(flaw_of(&win.write_turns(&[Vec::new()])), Flaw::NoEntry { position: start });
    let mut wrong = turns;
    wrong[0][0] = 1000;
    assert_eq!(flaw_of(&win.write_turns(&wrong)), Flaw::NoSuchTurn { position: start, turn: 1000 });
}

/// White can walk along the edge for ever, and wins whenever Black lets it. That is not a win.
#[test]
fn a_cycle_is_no_win() {
    let solved = Solved::new(board("3x3"), RuleSet::STANDARD);
    let position: Position = "3/1BB/W2 w".parse().unwrap();
    assert_eq!(solved.value(&position), Value::Draw);
    let place = Place::new();
    let claims = claims(Value::Draw, position.to_move());
    let of = (&RuleSet::STANDARD, &position);
    certify(&place.file(), of, None, &claims, &mut by_solution(&solved)).unwrap();
    let mut file = File::read(&fs::read(place.file()).unwrap());
    let white = file.proofs.swap_remove(0);
    assert!(white.by_mover && !white.wins);
    file.proofs = vec![white.clone()];
    let turns = file.turns();
    fs::write(place.file(), file.write_turns(&turns)).unwrap();
    check(&place.file(), None).unwrap();
    file.proofs = vec![Proof { wins: true, ..white }];
    let Flaw::Cycle { position } = flaw_of(&file.write_turns(&turns)) else { panic!() };
    assert_eq!(solved.value(&position), Value::Draw);
    assert!(!file.is_true(None));
}

#[test]
fn damaged_blocks_of_turns_are_refused() {
    let win = File::read(include_bytes!("../golden/version-2/win.cert"));
    let says = |blocks: &[Vec<u8>], count: u64, what: &str| {
        let place = Place::new();
        fs::write(place.file(), assemble_turns(blocks, &win.header(&[count]))).unwrap();
        let error = check(&place.file(), None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DamagedFile, "{error}");
        assert!(error.to_string().contains(what), "{error}");
    };
    let frame = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    // Too few and too many turns, a number that is too long or too large, and a bomb.
    says(&[frame(&[0; 9])], 10, "not the right entries");
    says(&[frame(&[0; 11])], 10, "not the right entries");
    says(&[frame(&[0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0])], 10, "not the right entries");
    says(&[frame(&[&[0xff, 0xff, 0xff, 0xff, 0x7f][..], &[0; 9]].concat())], 10, "right entries");
    says(&[frame(&vec![0; 1 << 20])], 10, "cannot be unpacked");
    says(&[[frame(&[0; 10]), frame(&[])].concat()], 10, "one zstd frame");
    says(&[], 10, "the length of the index");
    says(&[frame(&[0; 10])], 1 << 40, "the length of the index");
    says(&[frame(&[0; 10])], u64::MAX, "the length of the index");
}
