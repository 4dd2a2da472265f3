//! Files: every format version stays readable, and damage is an error that names the file, never a
//! wrong value or a panic.

use std::fs;
use std::path::{Path, PathBuf};

use fanorona_core::{Position, RuleSet, Stones, Value};
use fanorona_tablebase::{
    FileError, Layout, Metric, OLDEST_VERSION, Slice, TableError, TableFile, TableValue, Tables,
    VERSION, Zugzwang, ZugzwangCount,
};
use fanorona_tests::strategies::cases;
use proptest::prelude::*;
use proptest::sample::Index;
use xxhash_rust::xxh3::xxh3_64;

use crate::common::{
    self, Built, as_table_value, board, contents, rules, slice, solve_slowly, try_build,
};
use crate::harness::{self, NAMES, parts, sign, sign_all, word};

/// The directory of golden tables of a format version, with the names in [`NAMES`]; those of version
/// 3 are unpacked. Packed slices of 3x3 store positions with captures, those of 5x3 do not.
fn golden(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/version-{version}"))
}

/// The name of a golden table, and its bytes.
fn golden_file(version: u32, name: &str) -> (String, Vec<u8>) {
    let layout = if version == VERSION { ".unpacked.fano" } else { ".fano" };
    let name = name.replace(".fano", layout);
    let bytes = fs::read(golden(version).join(&name)).unwrap();
    (name, bytes)
}

/// All positions of 2v1 with their values. Every capture ends the game, so the table of this slice
/// is enough to probe them.
fn expected(board_name: &str, metric: Metric) -> Vec<(Position, TableValue)> {
    let solved = solve_slowly(board(board_name), RuleSet::STANDARD, 3);
    let of_slice = solved.into_iter().filter(|(p, _)| Slice::of(p) == Some(slice("2v1")));
    of_slice
        .map(|(position, value)| {
            let value = as_table_value(value);
            let dtw = value.dtw.filter(|_| metric == Metric::Dtw);
            (position, TableValue { dtw, ..value })
        })
        .collect()
}

/// A directory with one file, named like a golden table.
struct Place {
    dir: tempfile::TempDir,
    version: u32,
    name: String,
    board: &'static str,
    metric: Metric,
    bytes: Vec<u8>,
    expected: Vec<(Position, TableValue)>,
}

impl Place {
    fn all() -> Vec<Self> {
        (OLDEST_VERSION..=VERSION).flat_map(Self::of_version).collect()
    }

    fn of_version(version: u32) -> [Self; 4] {
        NAMES.map(|(name, board, metric)| {
            let (name, bytes) = golden_file(version, name);
            let dir = fanorona_tests::directory().unwrap();
            Self { dir, version, name, board, metric, bytes, expected: expected(board, metric) }
        })
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join(&self.name)
    }

    fn tables(&self) -> Tables {
        Tables::open(self.dir.path(), board(self.board), RuleSet::STANDARD).unwrap()
    }

    /// Writes a file and reads everything in it. Returns an error, or everything is right. Mapped
    /// files must not be changed, so it creates a new file each time.
    fn read(&self, bytes: &[u8]) -> Result<(), TableError> {
        let _ = fs::remove_file(self.path());
        fs::write(self.path(), bytes).unwrap();
        TableFile::open(self.path())?.check()?;
        let tables = self.tables();
        let mut result = Ok(());
        for (position, value) in &self.expected {
            match tables.probe_metric(position, self.metric) {
                Ok(found) => assert_eq!(found, *value, "{position} in {}", self.name),
                Err(error) => result = Err(error),
            }
        }
        result
    }

    /// Reads a damaged file. Reading must fail with an error that names the file.
    fn refuses(&self, bytes: &[u8], what: &str) -> TableError {
        let error = self.read(bytes).expect_err(what);
        let message = error.to_string();
        assert!(message.contains(&self.path().display().to_string()), "{what}: {message}");
        error
    }
}

#[test]
fn golden_files_are_read() {
    for place in Place::all() {
        place.read(&place.bytes).unwrap();
        let file = TableFile::open(golden(place.version).join(&place.name)).unwrap();
        file.check().unwrap();
        let metadata = file.metadata();
        assert_eq!(metadata.board, board(place.board));
        assert_eq!(metadata.rules, RuleSet::STANDARD);
        assert_eq!(metadata.metric, place.metric);
        assert_eq!(metadata.slice, slice("2v1"));
        assert_eq!(metadata.bits, if place.metric == Metric::Dtw { 8 } else { 2 });
        let is_packed = place.version < VERSION;
        assert_eq!(metadata.layout == Layout::Packed, is_packed);
        assert_eq!(metadata.captures_stored, place.board == "3x3" || !is_packed);
        assert_eq!(metadata.values, if place.board == "3x3" { 8 * 7 } else { 34 * 13 });
        assert_eq!(file.blocks(), 1);
        assert_eq!(file.bytes(), place.bytes.len() as u64);
        assert_eq!(file.checksum().unwrap(), xxh3_64(&place.bytes));
        let count = |value| {
            // The expected positions have both sides to move, but the header counts one.
            place.expected.iter().filter(|(_, found)| found.value == value).count() as u64 / 2
        };
        let statistics = &metadata.statistics;
        assert_eq!(statistics.win, count(Value::Win));
        assert_eq!(statistics.draw, count(Value::Draw));
        assert_eq!(statistics.loss, count(Value::Loss));
        assert_eq!(statistics.zugzwangs.is_some(), place.version >= 2);
    }
}

/// Tables that are written now have the same header and metadata as the golden files, byte for
/// byte. (The compressed blocks may change with the version of zstd.)
#[test]
fn metadata_are_those_of_the_golden_files() {
    for place in Place::of_version(2) {
        try_build(place.dir.path(), board(place.board), RuleSet::STANDARD, 3, place.metric)
            .unwrap();
        let now = fs::read(place.path()).unwrap();
        assert_eq!(now[..16], place.bytes[..16]);
        let metadata = |bytes: &[u8]| bytes[parts(bytes).1..].to_vec();
        assert_eq!(metadata(&now), metadata(&place.bytes), "{}", place.name);
    }
}

/// The bytes of the metadata, spelled out: strings after their lengths, enums as numbers, integers
/// of fixed width.
#[test]
fn metadata_have_the_layout_of_the_format_page() {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let head = |board, metric: u32, bits, is_packed| {
        let values = if board == "3x3" { 8_u64 * 7 } else { 34 * 13 };
        [
            text(board),
            text("standard"),
            metric.to_le_bytes().to_vec(),
            vec![2, 1, bits],
            values.to_le_bytes().to_vec(),
            (if is_packed { 8192 } else { 8 * 4096 / u32::from(bits) }).to_le_bytes().to_vec(),
            vec![u8::from(board == "3x3" || !is_packed)],
        ]
        .concat()
    };
    let words =
        |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    for place in Place::all() {
        let file = TableFile::open(golden(place.version).join(&place.name)).unwrap();
        let statistics = file.metadata().statistics.clone();
        let counts = words(&[statistics.win, statistics.draw, statistics.loss]);
        let position = |found: Option<Stones>| match found {
            Some(Stones { own, opponent }) => {
                [vec![1], words(&[own.bits(), opponent.bits()])].concat()
            }
            None => vec![0],
        };
        let longest = if place.metric == Metric::Wdl {
            [words(&[0]), vec![0, 0]].concat()
        } else {
            [
                words(&[statistics.distances.len() as u64]),
                words(&statistics.distances),
                position(statistics.longest_win),
                position(statistics.longest_loss),
            ]
            .concat()
        };
        let kind = |found: ZugzwangCount| [words(&[found.count]), position(found.example)].concat();
        let zugzwangs = match statistics.zugzwangs {
            Some(found) => {
                let kinds = Zugzwang::ALL.iter().flat_map(|which| kind(found.of(*which)));
                [1].into_iter().chain(kinds).collect()
            }
            None => Vec::new(),
        };
        let (metric, bits) = if place.metric == Metric::Wdl { (0, 2) } else { (1, 8) };
        let is_packed = place.version < VERSION;
        let layout = if is_packed { Vec::new() } else { 1_u32.to_le_bytes().to_vec() };
        let head = head(place.board, metric, bits, is_packed);
        let expected = [head, counts, longest, zugzwangs, layout].concat();
        assert_eq!(place.bytes[parts(&place.bytes).1..], expected, "{}", place.name);
    }
}

#[test]
fn files_cut_at_any_length_are_refused() {
    for place in Place::all() {
        for length in 0..place.bytes.len() {
            place.refuses(&place.bytes[..length], &format!("cut at {length}"));
        }
        for more in [1, 8, 1000] {
            let longer = [&place.bytes[..], &vec![0; more]].concat();
            place.refuses(&longer, &format!("{more} longer"));
        }
    }
}

#[test]
fn any_byte_flipped_is_refused() {
    for place in Place::all() {
        for at in 0..place.bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bytes = place.bytes.clone();
                bytes[at] ^= flip;
                place.refuses(&bytes, &format!("byte {at} of {} flipped by {flip}", place.name));
            }
        }
    }
}

#[test]
fn files_of_other_kinds_and_versions_are_refused() {
    for place in Place::all() {
        for foreign in [&b""[..], b"x", &[0; 63], &[0; 64], &[0xff; 4096], b"{\"json\": true}"] {
            let error = place.refuses(foreign, "foreign");
            assert!(matches!(error, TableError::File(FileError::OtherKind { .. })), "{error}");
        }
        // A newer version is a different error with both versions, whatever the rest of the file.
        for version in [0, VERSION + 1, 77, u32::MAX] {
            let mut bytes = place.bytes.clone();
            bytes[8..12].copy_from_slice(&version.to_le_bytes());
            for signed in [false, true] {
                if signed {
                    sign(&mut bytes);
                }
                let error = place.refuses(&bytes, "another version");
                let TableError::File(FileError::Version { found, .. }) = error else {
                    panic!("{error}")
                };
                assert_eq!(found, version);
                assert!(error.to_string().contains(&format!("version {version}")), "{error}");
            }
        }
        // A file of one version that claims to be of another.
        for other in (OLDEST_VERSION..=VERSION).filter(|other| *other != place.version) {
            let mut bytes = place.bytes.clone();
            bytes[8..12].copy_from_slice(&other.to_le_bytes());
            sign(&mut bytes);
            let error = place.refuses(&bytes, "another version");
            assert!(error.to_string().contains("metadata cannot be decoded"), "{error}");
        }
        // Not finished, but otherwise valid.
        let mut bytes = place.bytes.clone();
        bytes[12..16].fill(0);
        sign(&mut bytes);
        let error = place.refuses(&bytes, "unfinished");
        assert!(error.to_string().contains("never finished"), "{error}");
    }
}

#[test]
fn a_directory_in_place_of_a_table_is_an_error() {
    for place in Place::all() {
        fs::create_dir(place.path()).unwrap();
        let error = TableFile::open(place.path()).unwrap_err();
        assert!(error.to_string().contains(&place.name), "{error}");
        let error = place.tables().table(slice("2v1"), place.metric).unwrap_err();
        assert!(error.to_string().contains(&place.name), "{error}");
    }
}

/// An intact table under the name of another one: for each part of a name.
#[test]
fn tables_under_wrong_names_are_refused() {
    let names = |board, rules: RuleSet| {
        let built = Built::new(board, rules, 4, &[Metric::Wdl, Metric::Dtw]);
        contents(built.dir())
    };
    let standard = names(board("5x3"), RuleSet::STANDARD);
    let of = |files: &std::collections::BTreeMap<String, Vec<u8>>, name: &str| files[name].clone();
    for (bytes, found) in [
        (of(&names(board("3x5"), RuleSet::STANDARD), "3x5_standard_2v2.dtw.fano"), "3x5"),
        (
            of(&names(board("5x3"), rules("forced-relay")), "5x3_forced-relay_2v2.dtw.fano"),
            "forced",
        ),
        (of(&standard, "5x3_standard_3v1.dtw.fano"), "3v1"),
        (of(&standard, "5x3_standard_2v2.wdl.fano"), "wdl"),
    ] {
        let dir = fanorona_tests::directory().unwrap();
        for (name, bytes) in &standard {
            fs::write(dir.path().join(name), bytes).unwrap();
        }
        let wrong = dir.path().join("5x3_standard_2v2.dtw.fano");
        fs::write(&wrong, bytes).unwrap();

        let tables = Tables::open(dir.path(), board("5x3"), RuleSet::STANDARD).unwrap();
        let position: Position = "W3W/5/B3B w".parse().unwrap();
        let build = || try_build(dir.path(), board("5x3"), RuleSet::STANDARD, 4, Metric::Dtw);
        let errors = [
            tables.table(slice("2v2"), Metric::Dtw).map(|_| ()).unwrap_err(),
            tables.probe(&position).map(|_| ()).unwrap_err(),
            tables.all().map(|_| ()).unwrap_err(),
            build().map(|_| ()).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, TableError::Other { .. }), "{error}");
            let message = error.to_string();
            assert!(message.contains(&wrong.display().to_string()), "{message}");
            assert!(message.contains(found), "{message}");
        }
        // Other tables still work.
        assert!(tables.probe(&"W3W/5/4B w".parse().unwrap()).is_ok());
        // Verification says which table it is.
        let checks = common::run_verify(&tables, fanorona_tablebase::Thoroughness::Quick);
        let bad: Vec<_> = checks.iter().filter(|check| check.fault.is_some()).collect();
        assert_eq!(bad.len(), 1);
        assert_eq!((bad[0].slice, bad[0].metric), (slice("2v2"), Metric::Dtw));
    }
}

/// Wrong values with correct checksums. Only `verify` can find them.
#[test]
fn verify_finds_wrong_values() {
    use fanorona_tablebase::Thoroughness;

    let standard = Built::new(board("5x3"), RuleSet::STANDARD, 4, &[Metric::Dtw]);
    let free = Built::new(board("5x3"), RuleSet::FREE_CAPTURE, 4, &[Metric::Dtw]);
    let name = |rules| format!("5x3_{rules}_2v2.dtw.fano");
    // The table of another rule set, relabelled.
    let mut bytes = fs::read(free.dir().join(name("free-capture"))).unwrap();
    let (offsets, metadata) = parts(&bytes);
    let at = metadata + 8 + 3;
    bytes.splice(at..at + 8 + 12, [&8_u64.to_le_bytes()[..], b"standard"].concat());
    let length = bytes.len() as u64;
    bytes[32..40].copy_from_slice(&length.to_le_bytes());
    sign(&mut bytes);
    assert!(offsets < metadata);
    fs::remove_file(standard.dir().join(name("standard"))).unwrap();
    fs::write(standard.dir().join(name("standard")), bytes).unwrap();

    let tables = Tables::open(standard.dir(), board("5x3"), RuleSet::STANDARD).unwrap();
    let errors = |thoroughness| {
        let checks = common::run_verify(&tables, thoroughness);
        assert_eq!(checks.len(), 6);
        let bad =
            checks.into_iter().filter_map(|check| Some((check.slice, check.fault?.to_string())));
        bad.map(|(bad, error)| {
            // The message begins with a position with a wrong value.
            let position: Position = error.split(" is ").next().unwrap().parse().unwrap();
            assert_eq!(Slice::of(&position), Some(bad), "{error}");
            bad.to_string()
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(errors(Thoroughness::Quick), [""; 0]);
    assert_eq!(errors(Thoroughness::Full), ["2v2"]);
    assert_eq!(errors(Thoroughness::Sample { positions: 20_000, seed: 1 }), ["2v2"]);
}

/// Wrong counts and examples of zugzwangs with correct checksums.
#[test]
fn verify_finds_wrong_zugzwangs() {
    use fanorona_tablebase::Thoroughness;

    let built = Built::new(board("5x3"), RuleSet::STANDARD, 3, &[Metric::Wdl]);
    let path = built.dir().join("5x3_standard_2v1.wdl.fano");
    let whole = fs::read(&path).unwrap();
    let header = TableFile::open(&path).unwrap().metadata().statistics.zugzwangs.unwrap();
    let count = header.of(Zugzwang::WinToDraw).count;
    assert!(count > 0, "there is an example to falsify");
    let errors = |bytes: &[u8]| {
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        let tables = Tables::open(built.dir(), board("5x3"), RuleSet::STANDARD).unwrap();
        let checks = common::run_verify(&tables, Thoroughness::Full);
        checks
            .into_iter()
            .filter_map(|check| check.fault.map(|fault| fault.to_string()))
            .collect::<Vec<_>>()
    };
    assert_eq!(errors(&whole), [""; 0]);
    // The last kind's count, then its own and opponent's sets, end the file.
    for (back, lie) in [(25, 0), (25, count + 1), (16, 0b11), (16, 1), (8, 1 << 14)] {
        let mut bytes = whole.clone();
        let at = bytes.len() - back;
        bytes[at..at + 8].copy_from_slice(&u64::to_le_bytes(lie));
        sign(&mut bytes);
        let errors = errors(&bytes);
        assert!(matches!(&errors[..], [error] if error.contains("zugzwang")), "{lie}: {errors:?}");
    }
}

/// Wrong headers and offsets with correct checksums.
#[test]
fn wrong_headers_are_found() {
    for place in Place::all() {
        let (offsets, metadata) = parts(&place.bytes);
        let length = place.bytes.len() as u64;
        let values = metadata + 8 + 3 + 8 + 8 + 4 + 3;
        // The fields of the prelude, offsets of blocks, and the number of values.
        for at in [16, 24, 32, offsets, offsets + 8, values] {
            let lies =
                [0, 1, 63, 64, 65, length - 1, length, length + 1, 1 << 32, 1 << 63, u64::MAX];
            for lie in lies {
                let mut bytes = place.bytes.clone();
                if word(&bytes, at) == lie {
                    continue;
                }
                bytes[at..at + 8].copy_from_slice(&lie.to_le_bytes());
                sign(&mut bytes);
                place.refuses(&bytes, &format!("{lie} at {at} of {}", place.name));
            }
        }
        for (at, lies) in [
            (values - 3, [0_u8, 30]),    // own stones
            (values - 2, [0, 255]),      // opponent's
            (values - 1, [0, 3]),        // bits
            (values + 10, [0xff, 0x80]), // a block's values, the third byte
            (values + 12, [2, 0xff]),    // whether captures are stored
            (values - 7, [2, 0xff]),     // metric
            (metadata, [0, 200]),        // the length of the board's name
            (metadata + 7, [1, 0x80]),
            (metadata + 8, [b'4', 0xff]),  // the board's name
            (metadata + 19, [b'S', 0xff]), // the rules' name
        ] {
            for lie in lies {
                let mut bytes = place.bytes.clone();
                bytes[at] = lie;
                sign(&mut bytes);
                place.refuses(&bytes, &format!("{lie} at {at} of {}", place.name));
            }
        }
    }
}

/// Several wrong numbers at once: a huge number of blocks, and no offset table.
#[test]
fn a_huge_number_of_blocks_is_refused() {
    for place in Place::all() {
        let (offsets, metadata) = parts(&place.bytes);
        let mut bytes = place.bytes.clone();
        let values = metadata + 8 + 3 + 8 + 8 + 4 + 3;
        bytes[values..values + 8].fill(0xff);
        bytes[values + 8..values + 12].copy_from_slice(&1_u32.to_le_bytes());
        // The offset table claims to begin after the metadata.
        let behind = bytes.len() as u64;
        bytes[16..24].copy_from_slice(&behind.to_le_bytes());
        assert!(offsets < metadata);
        sign(&mut bytes);
        place.refuses(&bytes, "more blocks than bytes");
    }
}

proptest! {
    #![proptest_config(cases(1000))]

    /// Overwrites, removes or doubles bytes anywhere, with or without updating the checksums. The
    /// result is an error or the right values (with updated checksums, any values), but never a
    /// panic.
    #[test]
    fn random_changes_do_not_panic(
        version in OLDEST_VERSION..=VERSION,
        which in 0..NAMES.len(),
        edits in proptest::collection::vec((any::<Index>(), any::<u64>(), 1..9_usize, 0..4_u8), 1..5),
        signed: bool,
    ) {
        let (_, mut bytes) = golden_file(version, NAMES[which].0);
        for (at, word, length, kind) in edits {
            let at = at.index(bytes.len());
            let end = bytes.len().min(at + length);
            match kind {
                0 => drop(bytes.drain(at..end)),
                1 => {
                    let twice = bytes[at..end].to_vec();
                    bytes.splice(at..at, twice);
                }
                _ => bytes[at..end].copy_from_slice(&word.to_le_bytes()[..end - at]),
            }
        }
        if signed {
            sign_all(&mut bytes);
        }
        harness::read_as_table(&bytes);
    }
}

/// The seeds of fuzzing, and inputs that once failed.
#[test]
fn the_stored_corpus_does_not_panic() {
    let mut read = 0;
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let goldens = (OLDEST_VERSION..=VERSION).map(golden);
    for dir in goldens.chain(["table", "signed_table"].map(|target| corpus.join(target))) {
        for file in fs::read_dir(&dir).unwrap() {
            let mut bytes = fs::read(file.unwrap().path()).unwrap();
            harness::read_as_table(&bytes);
            sign_all(&mut bytes);
            harness::read_as_table(&bytes);
            read += 1;
        }
    }
    assert!(read > 20, "the corpus is there: {read} files");
}

/// A list of distances must not be longer than codes can express.
#[test]
fn too_many_distances_are_refused() {
    for count in [65_001_u64, 65_002, 100_000] {
        let place = &Place::of_version(VERSION)[0];
        let mut bytes = place.bytes.clone();
        let distances = parts(&bytes).1 + 8 + 3 + 8 + 8 + 4 + 3 + 8 + 4 + 1 + 3 * 8;
        let known = word(&bytes, distances) as usize;
        let numbers = count.to_le_bytes().into_iter().chain(vec![0; 8 * count as usize]);
        bytes.splice(distances..distances + 8 * (1 + known), numbers);
        sign_all(&mut bytes);
        harness::read_as_table(&bytes);
        if count < 65_002 {
            place.read(&bytes).unwrap();
        } else {
            place.refuses(&bytes, "too many distances");
        }
    }
}
