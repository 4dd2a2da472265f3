//! Unpacked tables: they have the same values as packed ones, for every position.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{Method, UnpackOptions, UnpackReport, unpack};
use fanorona_core::{Board, ErrorKind, RuleSet, Stones};
use fanorona_tablebase::{
    Layout, Metric, Selection, TableError, Tables, TablesOptions, Thoroughness,
};
use fanorona_tests::effort;
use fanorona_tests::strategies::cases;
use proptest::prelude::*;

use crate::common::{
    self, Built, accesses, board, contents, options, placements, rules, run_verify, slice, slices,
};

const BOTH: &[Metric] = &[Metric::Wdl, Metric::Dtw];

fn to_unpack(
    dir: &Path,
    board: Board,
    rules: RuleSet,
    method: impl Into<Option<Method>>,
) -> UnpackOptions {
    let mut options = UnpackOptions::new(dir, board, rules);
    options.method = method.into();
    options
}

fn unpack_with(options: &UnpackOptions) -> Result<UnpackReport, TableError> {
    unpack(options, &(), &AtomicBool::new(false))
}

fn unpack_all(dir: &Path, board: Board, rules: RuleSet) -> Result<UnpackReport, TableError> {
    unpack_with(&to_unpack(dir, board, rules, None))
}

/// A copy of a directory.
fn copy(dir: &Path) -> tempfile::TempDir {
    let copy = fanorona_tests::directory().unwrap();
    for (name, bytes) in contents(dir) {
        fs::write(copy.path().join(name), bytes).unwrap();
    }
    copy
}

/// Replaces a file by a new one. Mapped files must not be changed.
fn replace(path: &Path, bytes: &[u8]) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

fn unpacked_names(dir: &Path) -> Vec<String> {
    contents(dir).into_keys().filter(|name| name.ends_with(".unpacked.fano")).collect()
}

/// Builds, unpacks a copy with each method, and compares every position with the packed tables.
fn assert_same(board: Board, rules: RuleSet, stones: u32) {
    let packed = Built::new(board, rules, stones, BOTH);
    let dirs = [(); 3].map(|()| copy(packed.dir()));
    for (dir, method) in dirs.iter().zip([Method::Rows, Method::Dense, Method::Plain]) {
        let report = unpack_with(&to_unpack(dir.path(), board, rules, method)).unwrap();
        let expected = 2 * slices(board, stones).len();
        assert_eq!((report.tables.len(), report.written), (expected, expected));
    }
    assert_eq!(unpacked_names(dirs[0].path()).len(), 2 * slices(board, stones).len());
    for dir in &dirs[1..] {
        assert!(contents(dirs[0].path()) == contents(dir.path()), "{rules} on {board}");
    }

    let unpacked = Tables::open(dirs[0].path(), board, rules).unwrap();
    for slice in slices(board, stones) {
        for metric in BOTH {
            let layout = |tables: &Tables| {
                let file = tables.table(slice, *metric).unwrap().expect("it was written");
                file.check().unwrap();
                file.metadata().layout
            };
            assert_eq!(layout(&unpacked), Layout::Unpacked);
            assert_eq!(layout(&packed.tables), Layout::Packed);
        }
        for position in placements(board, slice) {
            for metric in BOTH {
                let expected = packed.tables.probe_metric(&position, *metric).unwrap();
                let found = unpacked.probe_metric(&position, *metric).unwrap();
                assert_eq!(found, expected, "{position} {rules} {metric:?}");
            }
            let stones = Stones::of(&position);
            let expected = packed.tables.probe(&position).unwrap().value;
            assert_eq!(unpacked.wdl(stones).unwrap(), expected, "{position} {rules}");
            assert_eq!(packed.tables.wdl(stones).unwrap(), expected, "{position} {rules}");
            // In the vela the sets do not show the phase.
            let fast = rules.vela().is_none().then_some(expected);
            assert_eq!(unpacked.unpacked_wdl(stones).unwrap(), fast, "{position} {rules}");
            assert_eq!(packed.tables.unpacked_wdl(stones).unwrap(), None);
        }
    }
    // Nothing is left to do.
    assert_eq!(unpack_all(dirs[0].path(), board, rules).unwrap().written, 0);
}

#[test]
fn every_position_has_its_value() {
    assert_same(board("3x3"), RuleSet::STANDARD, 8);
    assert_same(board("5x3"), RuleSet::STANDARD, effort(4, 6));
    assert_same(board("3x5"), RuleSet::FREE_CAPTURE, effort(4, 5));
    assert_same(board("5x3"), RuleSet::FORCED_RELAY, effort(3, 5));
    assert_same(board("5x5"), RuleSet::STANDARD, effort(3, 4));
    assert_same(board("5x5"), rules("free-capture+no-turns-draw"), 3);
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn random_options(rules in options(), (board, stones) in prop_oneof![
        Just(("3x3", effort(6, 8))), Just(("5x3", effort(4, 5))), Just(("3x5", effort(4, 5))), Just(("5x5", 3)),
    ]) {
        assert_same(common::board(board), rules, stones);
    }
}

/// The tables of 9x5 have parts of more than one checksum.
#[test]
fn verifying_compares_unpacked_tables_too() {
    let board = Board::tsivy();
    let built = Built::new(board, RuleSet::STANDARD, 4, &[Metric::Wdl]);
    unpack_all(built.dir(), board, RuleSet::STANDARD).unwrap();
    let sample = Thoroughness::Sample { positions: 2000, seed: 1 };
    let with_distances = Built::new(board, RuleSet::STANDARD, 4, &[Metric::Dtw]);
    let against = Thoroughness::Against(&with_distances.tables);
    for thoroughness in [Thoroughness::Quick, sample, against, Thoroughness::Full] {
        for access in accesses() {
            let options = TablesOptions { access, ..TablesOptions::default() };
            let tables =
                Tables::open_dirs(&[built.dir()], board, RuleSet::STANDARD, options).unwrap();
            let checks = run_verify(&tables, thoroughness);
            assert_eq!(checks.len(), 12);
            for (i, check) in checks.iter().enumerate() {
                let layout = if i % 2 == 1 { Layout::Unpacked } else { Layout::Packed };
                assert_eq!(check.layout, layout, "{}", check.slice);
                assert!(check.fault.is_none(), "{}: {:?}", check.slice, check.fault);
            }
        }
    }
}

#[test]
fn values_come_from_the_unpacked_table() {
    let board = board("5x3");
    let built = Built::new(board, RuleSet::STANDARD, 4, &[Metric::Wdl]);
    let dir = copy(built.dir());
    unpack_all(dir.path(), board, RuleSet::STANDARD).unwrap();
    // The packed tables are damaged only where probes would read them.
    for (name, mut bytes) in contents(built.dir()) {
        bytes[70] ^= 0xff;
        replace(&dir.path().join(name), &bytes);
    }
    let tables = Tables::open(dir.path(), board, RuleSet::STANDARD).unwrap();
    for position in placements(board, slice("2v2")) {
        let expected = built.tables.probe(&position).unwrap();
        assert_eq!(tables.probe(&position).unwrap(), expected);
    }
    // If unpacked tables are ignored, the checksum of every value is compared.
    let options = TablesOptions { unpacked: false, ..TablesOptions::default() };
    let packed = Tables::open_dirs(&[dir.path()], board, RuleSet::STANDARD, options).unwrap();
    let damaged = placements(board, slice("2v2")).into_iter().find_map(|p| packed.probe(&p).err());
    assert_eq!(damaged.unwrap().kind(), ErrorKind::DamagedFile);
}

#[test]
fn only_requested_tables_are_unpacked() {
    let board = board("5x3");
    let built = Built::new(board, RuleSet::STANDARD, 5, &[Metric::Wdl]);
    let options = to_unpack(built.dir(), board, RuleSet::STANDARD, Method::Rows);
    let three = options.clone().with_selection(Selection::up_to(3));
    assert_eq!(unpack_with(&three).unwrap().written, 3);
    // Existing unpacked tables are kept when more are requested.
    let four = options.clone().with_selection(Selection::up_to(4)).with_metric(Metric::Wdl);
    let report = unpack_with(&four).unwrap();
    assert_eq!((report.tables.len(), report.written), (6, 3));

    let too_many = options.clone().with_selection(Selection::up_to(6));
    let other = three.clone().with_metric(Metric::Dtw);
    for (options, name, metric) in [(too_many, "3v3", "wdl"), (other, "1v1", "dtw")] {
        let error = unpack_with(&options).unwrap_err();
        assert!(matches!(error, TableError::Missing { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains(name) && message.contains(metric), "{message}");
    }
    let named = Selection::all().with_slices(["3v1", "3v3"].map(slice));
    let other_slice = options.clone().with_selection(named);
    let Err(TableError::Missing { slice: missing, .. }) = unpack_with(&other_slice) else {
        panic!("3v3 does not exist");
    };
    assert_eq!(missing, slice("3v3"));
    let none = options.with_metric(Metric::Dtw);
    assert!(unpack_with(&none).unwrap().tables.is_empty());
}

/// Chosen slices are unpacked, and `Tables` reads the others from packed tables.
#[test]
fn slices_can_be_chosen() {
    let board = board("5x3");
    let built = Built::new(board, RuleSet::STANDARD, 5, &[Metric::Wdl, Metric::Dtw]);
    let all = copy(built.dir());
    unpack_all(all.path(), board, RuleSet::STANDARD).unwrap();
    for method in Method::ALL {
        let dir = copy(built.dir());
        let options = to_unpack(dir.path(), board, RuleSet::STANDARD, method)
            .with_selection(Selection::up_to(2).with_slices(["3v2", "1v2"].map(slice)));
        let report = unpack_with(&options).unwrap();
        assert_eq!((report.tables.len(), report.written), (6, 6));
        assert_eq!(unpacked_names(dir.path()).len(), 6);
        let names = report.tables.iter().map(|file| file.metadata().slice.to_string());
        assert!(names.eq(["1v1", "1v2", "3v2", "1v1", "1v2", "3v2"]));
        for file in &report.tables {
            let name = file.path().file_name().unwrap();
            assert_eq!(fs::read(file.path()).unwrap(), fs::read(all.path().join(name)).unwrap());
        }
        assert_eq!(unpack_with(&options).unwrap().written, 0);
        let tables = Tables::open(dir.path(), board, RuleSet::STANDARD).unwrap();
        for slice in ["3v2", "2v3", "2v2", "1v2"].map(slice) {
            for position in placements(board, slice) {
                let expected = built.tables.probe(&position).unwrap();
                assert_eq!(tables.probe(&position).unwrap(), expected, "{position}");
            }
        }
    }
}

#[test]
fn captures_need_the_tables_that_they_lead_to() {
    let board = board("5x5");
    let built = Built::new(board, RuleSet::STANDARD, 4, &[Metric::Wdl]);
    // A capture in 2v2 leaves 1v2.
    fs::remove_file(built.dir().join("5x5_standard_1v2.wdl.fano")).unwrap();
    let error = unpack_all(built.dir(), board, RuleSet::STANDARD).unwrap_err();
    let TableError::Missing { slice: missing, .. } = &error else { panic!("{error}") };
    assert_eq!(*missing, slice("1v2"));
    assert!(unpacked_names(built.dir()).is_empty());
}

#[test]
fn a_stopped_run_leaves_complete_files() {
    let board = board("5x3");
    let built = Built::new(board, RuleSet::STANDARD, 4, &[Metric::Wdl]);
    let options = to_unpack(built.dir(), board, RuleSet::STANDARD, Method::Rows);
    let stopped = unpack(&options, &(), &AtomicBool::new(true)).unwrap_err();
    assert!(matches!(stopped, TableError::Stopped), "{stopped}");
    assert!(contents(built.dir()).keys().all(|name| name.ends_with(".wdl.fano")));
}

#[test]
fn stones_that_are_not_a_position_are_refused() {
    let board = board("5x3");
    let built = Built::new(board, RuleSet::STANDARD, 3, &[Metric::Wdl]);
    for unpacked in [false, true] {
        if unpacked {
            unpack_all(built.dir(), board, RuleSet::STANDARD).unwrap();
        }
        let tables = Tables::open(built.dir(), board, RuleSet::STANDARD).unwrap();
        // Opens the table, so that `wdl` takes its fast path.
        let wdl = |own, opponent| tables.wdl(Stones::from_bits(own, opponent));
        wdl(1, 1 << 14).unwrap();
        for (own, opponent) in [(1, 1), (3, 2), (1, 1 << 15), (1 << 63, 1), (0, 0), (0xff, 0x100)] {
            let error = wdl(own, opponent).unwrap_err();
            assert!(matches!(error, TableError::NotAPosition { .. }), "{error}");
            assert_eq!(tables.unpacked_wdl(Stones::from_bits(own, opponent)).unwrap(), None);
        }
        assert_eq!(wdl(0, 1).unwrap(), fanorona_core::Value::Loss);
        assert_eq!(wdl(1, 0).unwrap(), fanorona_core::Value::Win);
        let error = wdl(0b1001, 0b11 << 13).unwrap_err();
        assert!(matches!(error, TableError::Missing { .. }), "{error}");
    }
}

fn golden(version: &str, name: &str) -> Vec<u8> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tablebase/tests/golden");
    fs::read(dir.join(version).join(name)).unwrap()
}

#[test]
fn golden_files_are_written_identically() {
    for name in ["5x3_standard_2v1.dtw", "5x3_standard_2v1.wdl"] {
        let dir = fanorona_tests::directory().unwrap();
        let (packed, unpacked) = (format!("{name}.fano"), format!("{name}.unpacked.fano"));
        fs::write(dir.path().join(&packed), golden("version-2", &packed)).unwrap();
        unpack_all(dir.path(), board("5x3"), RuleSet::STANDARD).unwrap();
        assert!(fs::read(dir.path().join(&unpacked)).unwrap() == golden("version-3", &unpacked));
    }
}

#[test]
fn a_wrong_file_is_refused_and_replaced() {
    let board = board("5x3");
    let standard = Built::new(board, RuleSet::STANDARD, 3, &[Metric::Wdl]);
    let free = Built::new(board, RuleSet::FREE_CAPTURE, 3, &[Metric::Wdl]);
    unpack_all(standard.dir(), board, RuleSet::STANDARD).unwrap();
    unpack_all(free.dir(), board, RuleSet::FREE_CAPTURE).unwrap();
    let packed = standard.dir().join("5x3_standard_2v1.wdl.fano");
    let path = standard.dir().join("5x3_standard_2v1.wdl.unpacked.fano");
    let whole = fs::read(&path).unwrap();
    let error_of = |bytes: &[u8]| {
        replace(&path, bytes);
        let tables = Tables::open(standard.dir(), board, RuleSet::STANDARD).unwrap();
        let errors = [
            tables.table(slice("2v1"), Metric::Wdl).map(drop).unwrap_err(),
            tables.probe(&placements(board, slice("2v1"))[0]).map(drop).unwrap_err(),
            tables.wdl(Stones::from_bits(0b11, 1 << 14)).map(drop).unwrap_err(),
        ];
        let bad: Vec<_> = run_verify(&tables, Thoroughness::Quick)
            .into_iter()
            .filter(|check| check.fault.is_some())
            .map(|check| (check.slice, check.layout == Layout::Unpacked))
            .collect();
        assert_eq!(bad, [(slice("2v1"), true)]);
        let [error, ..] = errors;
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        error
    };
    let other = fs::read(free.dir().join("5x3_free-capture_2v1.wdl.unpacked.fano")).unwrap();
    let error = error_of(&other);
    assert!(matches!(error, TableError::Other { .. }), "{error}");
    let error = error_of(&fs::read(&packed).unwrap());
    assert_eq!(error.kind(), ErrorKind::DamagedFile);

    let replaced = |bytes: &[u8]| {
        replace(&path, bytes);
        let report = unpack_all(standard.dir(), board, RuleSet::STANDARD).unwrap();
        assert_eq!((report.tables.len(), report.written), (3, 1));
        assert!(fs::read(&path).unwrap() == whole);
    };
    // A damaged file, one of another version, and one with another count of zugzwangs.
    let mut version = whole.clone();
    version[8] ^= 0x40;
    sign(&mut version);
    let mut counts = whole.clone();
    let at = counts.len() - 4 - 27 + 1;
    counts[at] ^= 1;
    sign(&mut counts);
    for bytes in [&whole[..whole.len() - 1], &version, &counts] {
        replaced(bytes);
    }
    // A file that is no table may be somebody's, and stays.
    replace(&path, b"hello");
    let error = unpack_all(standard.dir(), board, RuleSet::STANDARD).unwrap_err();
    assert!(error.to_string().contains("too short for a header"), "{error}");
    assert!(fs::read(&path).unwrap() == b"hello");
    replace(&path, &whole);

    // It needs no packed table.
    fs::remove_file(&packed).unwrap();
    let tables = Tables::open(standard.dir(), board, RuleSet::STANDARD).unwrap();
    assert!(tables.table(slice("2v1"), Metric::Wdl).unwrap().is_some());
}

/// Updates the checksums of header and tail.
fn sign(bytes: &mut [u8]) {
    use xxhash_rust::xxh3::xxh3_64;

    let index = u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
    let tail = xxh3_64(&bytes[index..]).to_le_bytes();
    bytes[40..48].copy_from_slice(&tail);
    let header = xxh3_64(&bytes[..56]).to_le_bytes();
    bytes[56..64].copy_from_slice(&header);
}
