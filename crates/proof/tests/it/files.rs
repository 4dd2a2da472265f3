//! Files of certificates: golden ones stay readable. Other files, damage and other tables are errors
//! that name the file, never panics.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fixtures::{
    NEVER, Place, Solved, board, by_solution, certify, check, claims, rules, tables,
};
use crate::harness::check_as_certificate;
use crate::reference::{Entry, File, sign, sign_blocks};
use fanorona_core::{ErrorKind, Position, RuleSet, Value};
use fanorona_proof::{Bounds, Certificate, CertificateError};
use fanorona_tablebase::{FileError, Metric, Slice, TableError, Tables};
use fanorona_tests::strategies::cases;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use xxhash_rust::xxh3::xxh3_64;

/// Golden certificates: name, rule set, position, value. The last one needs a table, which is kept too.
const GOLDEN: [(&str, &str, &str, Value); 3] = [
    ("win.cert", "standard", "BBB/B1W/WWW w", Value::Win),
    ("draw.cert", "free-capture", "B2/2B/WBB w", Value::Draw),
    ("table.cert", "standard", "B2/B1B/WW1 w", Value::Loss),
];

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// The golden tables of the other crate, which are of 2v1 only.
fn golden_tables() -> Tables {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tablebase/tests/golden/version-1");
    Tables::open(dir, board("3x3"), RuleSet::STANDARD).unwrap()
}

fn tables_of(path: &Path) -> Option<Tables> {
    path.ends_with("table.cert").then(golden_tables)
}

#[test]
fn golden_certificates_hold() {
    for (name, _, position, value) in GOLDEN {
        let path = golden(name);
        let found = check(&path, tables_of(&path).as_ref()).unwrap();
        assert_eq!(found, Bounds::exact(value), "{path:?}");
        let certificate = Certificate::open(&path).unwrap();
        assert_eq!(certificate.position().to_string(), position);
        assert_eq!(certificate.tables().is_empty(), tables_of(&path).is_none());
        let bytes = fs::read(&path).unwrap();
        assert_eq!(certificate.bytes(), bytes.len() as u64);
        assert_eq!(certificate.checksum(), xxh3_64(&bytes[..56]));
        let file = File::read(&bytes);
        assert!(file.is_true(tables_of(&path).as_ref()), "{path:?}");
        let entries: usize = file.proofs.iter().map(|proof| proof.entries.len()).sum();
        assert_eq!(certificate.positions(), entries as u64);
        assert!(entries > 0);
    }
}

/// Certificates written now equal the golden ones. (Compressed blocks may change with the version
/// of zstd.)
#[test]
fn certificates_are_those_of_the_golden_files() {
    let place = Place::new();
    for (name, rule_set, position, value) in GOLDEN {
        let solved = Solved::of(board("3x3"), rules(rule_set));
        let position: Position = position.parse().unwrap();
        assert_eq!(solved.value(&position), value, "{name}");
        let (of, claims) = ((&solved.rules, &position), claims(value, position.to_move()));
        let tables = tables_of(&golden(name));
        certify(&place.file(), of, tables.as_ref(), &claims, &mut by_solution(&solved)).unwrap();
        let [now, then] = [place.file(), golden(name)].map(|path| fs::read(path).unwrap());
        assert_eq!(File::read(&now), File::read(&then), "{name}");
        assert_eq!(now[..16], then[..16]);
    }
}

/// Files of other programs are read, in blocks of any size.
#[test]
fn blocks_of_any_size_are_read() {
    for (name, ..) in GOLDEN {
        let path = golden(name);
        let whole = File::read(&fs::read(&path).unwrap());
        for block_entries in [1, 2, 7, 65_536] {
            let place = Place::new();
            let file = File { block_entries, ..whole.clone() };
            fs::write(place.file(), file.write()).unwrap();
            check(&place.file(), tables_of(&path).as_ref()).unwrap();
        }
    }
}

/// Opens and checks bytes. This must fail with an error that names the file.
fn refused(place: &Place, bytes: &[u8], what: &str) -> CertificateError {
    fs::write(place.file(), bytes).unwrap();
    let error = check(&place.file(), Some(&golden_tables())).expect_err(what);
    assert!(error.to_string().contains("proof.cert"), "{what}: {error}");
    error
}

#[test]
fn every_truncation_and_flipped_bit_is_found() {
    let place = Place::new();
    for (name, ..) in GOLDEN {
        let bytes = fs::read(golden(name)).unwrap();
        for length in 0..bytes.len() {
            let error = refused(&place, &bytes[..length], &format!("{name} cut at {length}"));
            let is_none = matches!(error, CertificateError::File(FileError::OtherKind { .. }));
            assert_eq!(is_none, length < 64, "{error}");
        }
        for more in [1, 32, 1000] {
            let longer = [&bytes[..], &vec![0; more]].concat();
            assert!(refused(&place, &longer, &format!("{more} longer")).is_refutation());
        }
        for byte in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[byte] ^= 1 << (byte % 8);
            let error = refused(&place, &bytes, &format!("{name}, byte {byte}"));
            match byte {
                0..8 => {
                    assert!(matches!(error, CertificateError::File(FileError::OtherKind { .. })));
                }
                8..12 => assert_eq!(error.kind(), ErrorKind::OtherVersion, "{error}"),
                _ => assert!(error.is_refutation(), "{error}"),
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn nonsense_is_survived(bytes in vec(any::<u8>(), 0..400), begun in any::<bool>()) {
        let mut bytes = bytes;
        if begun && bytes.len() >= 64 {
            bytes[..16].copy_from_slice(b"FanoCert\x03\0\0\0DONE");
            bytes[48..56].fill(0);
            sign(&mut bytes);
        }
        check_as_certificate(&bytes);
    }

    #[test]
    fn nonsense_with_right_checksums_is_survived(
        which in 0..GOLDEN.len(),
        bytes in vec((any::<Index>(), any::<u8>()), 1..5),
        in_blocks in any::<bool>(),
    ) {
        let mut file = fs::read(golden(GOLDEN[which].0)).unwrap();
        let index_at = u64::from_le_bytes(file[16..24].try_into().unwrap()) as usize;
        for (place, byte) in bytes {
            let place = if in_blocks {
                64 + place.index(index_at - 64)
            } else {
                place.index(file.len())
            };
            file[place] = byte;
        }
        if in_blocks {
            sign_blocks(&mut file);
        }
        sign(&mut file);
        check_as_certificate(&file);
    }

    /// The same, but blocks unpack to the content that was written.
    #[test]
    fn any_turns_are_survived(
        which in 0..GOLDEN.len(),
        changes in vec((any::<Index>(), prop_oneof![4 => 0..3_u64, 1 => any::<u64>()]), 0..3),
        length in prop::option::of(0..20_usize),
        block_entries in 1..12_u32,
    ) {
        let mut file = File::read(&fs::read(golden(GOLDEN[which].0)).unwrap());
        let entries = &mut file.proofs[0].entries;
        for (place, turn) in changes {
            let place = place.index(entries.len());
            entries[place].turn = turn;
        }
        if let Some(length) = length {
            entries.resize(length, Entry { turn: 0, ..entries[0] });
        }
        file.block_entries = block_entries;
        check_as_certificate(&file.write());
    }
}

#[test]
fn other_tables_are_refused() {
    let place = Place::new();
    let path = golden("table.cert");
    let error = check(&path, None).unwrap_err();
    let words = "table.cert rests on 1 wdl tables of 3x3 under standard, up to slice 2v1";
    assert!(error.to_string().ends_with(words), "{error}");
    let two_v_one: Slice = "2v1".parse().unwrap();
    let CertificateError::NeedsTables { slice, .. } = error else { panic!("{error:?}") };
    assert_eq!(slice, two_v_one);
    let is_missing = |error: CertificateError| {
        let CertificateError::Tables(TableError::Missing { board, rules, slice, metric, .. }) =
            error
        else {
            panic!("{error:?}")
        };
        assert_eq!((board.to_string(), slice), ("3x3".to_owned(), two_v_one));
        assert_eq!((rules, metric), (RuleSet::STANDARD, Some(Metric::Wdl)));
    };

    // The directory is empty.
    let empty = Tables::open(place.dir(), board("3x3"), RuleSet::STANDARD).unwrap();
    let error = check(&path, Some(&empty)).unwrap_err();
    assert!(!error.is_refutation());
    is_missing(error);

    // The tables have the other metric.
    let other = tables(place.dir(), board("3x3"), RuleSet::STANDARD, 3, Metric::Dtw);
    is_missing(check(&path, Some(&other)).unwrap_err());

    // Tables of another rule set in the same directory are not used.
    let other = Tables::open(place.dir(), board("3x3"), RuleSet::FREE_CAPTURE).unwrap();
    tables(place.dir(), board("3x3"), RuleSet::FREE_CAPTURE, 3, Metric::Wdl);
    is_missing(check(&path, Some(&other)).unwrap_err());
    let dir = golden_tables().dir().to_owned();
    let other = Tables::open(dir, board("3x3"), RuleSet::FREE_CAPTURE).unwrap();
    assert_eq!(check(&path, Some(&other)).unwrap(), Bounds::exact(Value::Loss));

    // A table of the same slice with other bytes.
    let mut file = File::read(&fs::read(&path).unwrap());
    file.tables[0].checksum ^= 1;
    fs::write(place.file(), file.write()).unwrap();
    let error = check(&place.file(), Some(&golden_tables())).unwrap_err();
    assert!(matches!(error, CertificateError::OtherTable { .. }), "{error}");
    assert!(error.to_string().contains("2v1.wdl.fano"), "{error}");
    assert!(!error.is_refutation());
}

#[test]
fn a_check_can_be_stopped() {
    let certificate = Certificate::open(golden("win.cert")).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(true);
    let stopped = certificate.check(None, &stop, |_| {});
    assert!(matches!(stopped, Err(CertificateError::Stopped)));
    let reported = std::sync::atomic::AtomicU64::new(0);
    let progress = |n| {
        reported.fetch_max(n, std::sync::atomic::Ordering::Relaxed);
    };
    let positions = certificate.check(None, &NEVER, progress).unwrap();
    assert_eq!(reported.into_inner(), positions);
}
