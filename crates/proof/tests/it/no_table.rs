//! Checking without believing tables, with real tables on boards where they are built quickly.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Side, SplitMix64, Value};
use fanorona_proof::{
    Certificate, CertificateError, Claim, ClaimKind, Expansion, ExpansionProgress,
};
use fanorona_tablebase::{Metric, Slice, TableError, Tables};

use crate::fixtures::{NEVER, Place, board, by_tables, certify, claims, rules, tables};

/// A certificate of this repository.
fn published(name: &str) -> Certificate {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
    Certificate::open(root.join(format!("{name}.proof"))).unwrap()
}

fn check(
    certificate: &Certificate,
    tables: Option<&Tables>,
) -> Result<Expansion, CertificateError> {
    Certificate::check_without_trust(&[certificate], tables, u64::MAX, &NEVER, |_| {})
}

/// Tables of both metrics recommend turns for draws and wins, packed ones too, and the entries are
/// those of the certificate.
#[test]
fn published_certificates_are_proved_without_trust() {
    for (name, stones, metric) in [
        ("5x5-standard", 6, Metric::Wdl),
        ("5x5-forced-relay", 6, Metric::Wdl),
        ("5x5-first-capture-single", 6, Metric::Dtw),
        ("9x3-standard", 5, Metric::Wdl),
        ("9x3-standard", 5, Metric::Dtw),
        ("3x9-forced-relay", 5, Metric::Dtw),
    ] {
        let certificate = published(name);
        let place = Place::new();
        let tables = tables(place.dir(), certificate.board(), certificate.rules(), stones, metric);
        let last = Mutex::new((0, 0, 0));
        let progress = |now: ExpansionProgress| {
            let mut last = last.lock().unwrap();
            *last = (*last).max((now.entries, now.positions, now.ranked));
        };
        let found = Certificate::check_without_trust(
            &[&certificate],
            Some(&tables),
            u64::MAX,
            &NEVER,
            progress,
        );
        let found = found.unwrap_or_else(|e| panic!("{name}: {e}"));
        let (entries, positions, ranked) = last.into_inner().unwrap();
        assert_eq!((entries, positions), (certificate.positions(), found.positions));
        // Every position of a proof of a win has a rank, and no other.
        let wins = certificate.proofs().iter().any(|proof| proof.claim.kind == ClaimKind::Wins);
        assert!(if wins { ranked >= positions } else { ranked == 0 }, "{name}: {ranked}");
        assert_eq!(found.proofs.len(), certificate.proofs().len());
        for (found, proof) in found.proofs.iter().zip(certificate.proofs()) {
            assert_eq!((found.claim, found.entries), (proof.claim, proof.positions), "{name}");
        }
        let leaves: u64 = found.proofs.iter().map(|proof| proof.leaves).sum();
        assert!(found.positions > leaves && found.replies > found.positions, "{found:?}");
    }
}

#[test]
fn a_certificate_without_tables_needs_no_expansion() {
    for name in ["3x3-free-capture", "5x3-standard"] {
        let certificate = published(name);
        let found = check(&certificate, None).unwrap();
        assert_eq!((found.positions, found.replies), (0, 0), "{name}");
        let entries: u64 = found.proofs.iter().map(|proof| proof.entries).sum();
        assert_eq!(entries, certificate.positions());
    }
}

/// The value of every position with few stones on these boards, by certificates that consist of
/// their leaf only, or of few entries.
#[test]
fn leaves_of_all_values_are_proved_and_no_others() {
    for (name, metric) in [("5x3", Metric::Wdl), ("3x5", Metric::Dtw), ("5x3", Metric::Dtw)] {
        for rule_set in ["standard", "free-capture", "forced-relay"] {
            let (board, rules) = (board(name), rules(rule_set));
            let [full, few, hints, place] = [(); 4].map(|()| Place::new());
            let all = tables(full.dir(), board, rules, 4, Metric::Dtw);
            let some = tables(few.dir(), board, rules, 3, metric);
            let hints = tables(hints.dir(), board, rules, 4, metric);
            let mut random = SplitMix64::new(7);
            let mut seen = [0; 3];
            for slice in ["2v2", "3v1", "1v3", "2v1", "1v2"] {
                let slice: Slice = slice.parse().unwrap();
                for _ in 0..6 {
                    let position = slice.random_position(board, Side::White, &mut random).unwrap();
                    if rules.outcome(&position).is_some() {
                        continue;
                    }
                    let value = all.probe(&position).unwrap().value;
                    let claims = claims(value, Side::White);
                    let of = (&rules, &position);
                    certify(&place.file(), of, Some(&some), &claims, &mut by_tables(&all)).unwrap();
                    let certificate = Certificate::open(place.file()).unwrap();
                    check(&certificate, Some(&hints)).unwrap_or_else(|e| panic!("{position}: {e}"));
                    seen[value as usize] += 1;
                }
            }
            assert!(seen.iter().filter(|n| **n > 0).count() > 1, "{name} {rule_set} {seen:?}");
        }
    }
}

/// A certificate of a false claim that rests on a wrong table: the tables of another rule set under
/// the names of this one.
#[test]
fn a_claim_that_rests_on_wrong_tables_is_refused() {
    let board = board("5x3");
    let (place, other) = (Place::new(), Place::new());
    let (standard, free) = (rules("standard"), rules("free-capture"));
    let right = tables(place.dir(), board, standard, 4, Metric::Wdl);
    let wrong = tables(other.dir(), board, free, 4, Metric::Wdl);
    let mut refused = 0;
    let mut random = SplitMix64::new(3);
    let slice: Slice = "2v2".parse().unwrap();
    for _ in 0..300 {
        let position = slice.random_position(board, Side::White, &mut random).unwrap();
        let (value, found) =
            (right.probe(&position).unwrap().value, wrong.probe(&position).unwrap().value);
        if value == Value::Win || found != Value::Win || standard.outcome(&position).is_some() {
            continue;
        }
        // The certificate is one leaf, and the tables are there; only their values do not hold.
        let claim = Claim { side: Side::White, kind: ClaimKind::Wins };
        let file = other.file();
        certify(&file, (&free, &position), Some(&wrong), &[claim], &mut by_tables(&wrong)).unwrap();
        let mut bytes = crate::reference::File::read(&fs::read(&file).unwrap());
        bytes.rules = "standard".to_owned();
        fs::write(&file, bytes.write()).unwrap();
        let certificate = Certificate::open(&file).unwrap();
        assert_eq!(certificate.rules(), standard);
        let error = check(&certificate, Some(&right)).unwrap_err();
        assert!(matches!(error, CertificateError::Unproved { .. }), "{position}: {error}");
        refused += 1;
    }
    assert!(refused > 5, "{refused}");
}

#[test]
fn a_missing_table_is_named() {
    let certificate = published("5x5-standard");
    let place = Place::new();
    let tables = tables(place.dir(), certificate.board(), certificate.rules(), 5, Metric::Wdl);
    let error = check(&certificate, Some(&tables)).unwrap_err();
    let CertificateError::Tables(TableError::Missing { slice, .. }) = error else {
        panic!("{error}")
    };
    assert_eq!(slice.stones(), 6);
    let error = check(&certificate, None).unwrap_err();
    assert!(matches!(error, CertificateError::NeedsTables { .. }), "{error}");
}

/// The largest, which is the first to build, whichever is asked for first.
#[test]
fn of_many_missing_tables_the_largest_is_named() {
    for name in ["3x9-standard", "9x3-standard", "5x5-standard", "3x7-standard", "7x3-free-capture"]
    {
        let certificate = published(name);
        let place = Place::new();
        let Some(largest) = certificate.tables().iter().map(|table| table.slice.stones()).max()
        else {
            continue;
        };
        let tables = Tables::open(place.dir(), certificate.board(), certificate.rules());
        let error = check(&certificate, Some(&tables.unwrap())).unwrap_err();
        let CertificateError::Tables(TableError::Missing { slice, .. }) = error else {
            panic!("{name}: {error}")
        };
        assert_eq!(slice.stones(), largest, "{name}");
    }
}

#[test]
fn it_stops_and_keeps_the_memory_limit() {
    let certificate = published("9x3-standard");
    let place = Place::new();
    let tables = tables(place.dir(), certificate.board(), certificate.rules(), 5, Metric::Wdl);
    let stop = AtomicBool::new(true);
    let stopped =
        Certificate::check_without_trust(&[&certificate], Some(&tables), u64::MAX, &stop, |_| {});
    assert!(matches!(stopped, Err(CertificateError::Stopped)));
    let needed = check(&certificate, Some(&tables)).unwrap().memory;
    for limit in [1, needed / 4] {
        let found =
            Certificate::check_without_trust(&[&certificate], Some(&tables), limit, &NEVER, |_| {});
        let Err(CertificateError::ExpansionMemory { limit: named, .. }) = found else {
            panic!("{found:?}")
        };
        assert_eq!(named, limit);
    }
}
