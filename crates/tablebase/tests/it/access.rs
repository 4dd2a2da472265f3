//! Files that change while they are open: probes return an error or the right value, never a wrong
//! one.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use fanorona_core::{ErrorKind, Position, RuleSet};
use fanorona_tablebase::{
    Access, Metric, TableError, TableFile, TableValue, Tables, TablesOptions,
};

use crate::common::{Built, accesses, board, placements, slice};

const NAME: &str = "5x3_standard_2v2.dtw.fano";

/// Tables, one of which can be damaged, and the values of some positions of its slice.
struct Place {
    built: Built,
    whole: Vec<u8>,
    expected: Vec<(Position, TableValue)>,
}

impl Place {
    fn new() -> Self {
        let board = board("5x3");
        let built = Built::new(board, RuleSet::STANDARD, 4, &[Metric::Dtw]);
        let whole = fs::read(built.dir().join(NAME)).unwrap();
        let positions = placements(board, slice("2v2"));
        let quiet = positions.iter().filter(|p| !RuleSet::STANDARD.has_capture(p)).step_by(40);
        let expected = quiet.map(|p| (*p, built.tables.probe(p).unwrap())).collect();
        Self { built, whole, expected }
    }

    /// Opens the intact table, lets `change` change the file, and probes. Returns the number of
    /// values, and the errors.
    fn probed(&self, access: Access, change: impl FnOnce(&Path)) -> (usize, Vec<TableError>) {
        let path = self.built.dir().join(NAME);
        fs::remove_file(&path).unwrap();
        fs::write(&path, &self.whole).unwrap();
        let options = TablesOptions { access, ..TablesOptions::default() };
        let tables =
            Tables::open_dirs(&[self.built.dir()], board("5x3"), RuleSet::STANDARD, options)
                .unwrap();
        assert!(tables.table(slice("2v2"), Metric::Dtw).unwrap().is_some());
        change(&path);
        let (mut answers, mut errors) = (0, Vec::new());
        for (position, value) in &self.expected {
            match tables.probe(position) {
                Ok(found) => {
                    assert_eq!(found, *value, "{position}");
                    answers += 1;
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::DamagedFile, "{error}");
                    assert!(error.to_string().contains(NAME), "{error}");
                    errors.push(error);
                }
            }
        }
        (answers, errors)
    }

    /// The range of the bytes that hold values.
    fn blocks(&self) -> std::ops::Range<usize> {
        64..u64::from_le_bytes(self.whole[16..24].try_into().unwrap()) as usize
    }
}

fn cut(length: u64) -> impl FnOnce(&Path) {
    move |path| OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap()
}

fn flip(whole: &[u8], at: usize) -> impl FnOnce(&Path) {
    let byte = whole[at] ^ 0x10;
    move |path| {
        let mut file = OpenOptions::new().write(true).open(path).unwrap();
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(&[byte]).unwrap();
    }
}

#[test]
fn a_file_cut_short_while_it_is_read() {
    let place = Place::new();
    let blocks = place.blocks();
    for length in [0, 1, 63, 64, 65, blocks.end / 2, blocks.end - 1] {
        let (_, errors) = place.probed(Access::READ, cut(length as u64));
        assert!(!errors.is_empty(), "cut to {length}");
        assert!(errors.iter().all(|error| error.to_string().contains("truncated")), "{errors:?}");
    }
    // The bytes after the values were read on opening.
    for length in [blocks.end, place.whole.len() - 1] {
        let (answers, errors) = place.probed(Access::READ, cut(length as u64));
        assert_eq!((answers, errors.len()), (place.expected.len(), 0), "cut to {length}");
    }
}

#[test]
fn a_file_altered_while_it_is_open() {
    let place = Place::new();
    // Only for files that are read: mapped files must not be changed.
    for at in place.blocks().step_by(17) {
        let (_, errors) = place.probed(Access::READ, flip(&place.whole, at));
        assert!(!errors.is_empty(), "byte {at}");
        assert!(errors.iter().all(|error| error.to_string().contains("checksum")));
    }
    // Offsets and checksums of blocks were read on opening.
    for at in [place.blocks().end, place.blocks().end + 3, place.blocks().end + 8] {
        let (_, errors) = place.probed(Access::READ, flip(&place.whole, at));
        assert!(errors.is_empty(), "byte {at}");
    }
}

#[test]
fn reading_finds_what_mapping_finds() {
    let place = Place::new();
    for access in accesses() {
        let (answers, errors) = place.probed(access, |_| {});
        assert_eq!((answers, errors.len()), (place.expected.len(), 0));
    }
    let path = place.built.dir().join(NAME);
    let [read, mapped] = accesses().map(|access| TableFile::open_with(&path, access).unwrap());
    assert_eq!(mapped.checksum().unwrap(), read.checksum().unwrap());
    assert_eq!(mapped.checksum().unwrap(), xxhash_rust::xxh3::xxh3_64(&place.whole));
    assert_eq!((mapped.metadata(), mapped.bytes()), (read.metadata(), read.bytes()));
    read.check().unwrap();
    // The checksum of a truncated file cannot be computed.
    drop(mapped);
    cut(100)(&path);
    let error = read.checksum().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DamagedFile, "{error}");
    assert!(read.check().is_err());
    for length in 0..place.whole.len() {
        fs::write(&path, &place.whole[..length]).unwrap();
        assert!(TableFile::open_with(&path, Access::READ).is_err(), "{length} bytes");
    }
}

#[test]
fn prepared_tables_answer_as_others() {
    let place = Place::new();
    let open = || Tables::open(place.built.dir(), board("5x3"), RuleSet::STANDARD).unwrap();
    let prepared = open();
    assert_eq!([u32::MAX, 3, 0].map(|most| prepared.prepare(most).unwrap()), [4, 3, 0]);
    for (position, value) in &place.expected {
        assert_eq!(prepared.probe(position).unwrap(), *value, "{position}");
    }
    drop(prepared);
    fs::write(place.built.dir().join(NAME), b"nothing").unwrap();
    let error = open().prepare(u32::MAX).unwrap_err();
    assert!(error.to_string().contains(NAME), "{error}");
    fs::remove_file(place.built.dir().join(NAME)).unwrap();
    assert_eq!(open().prepare(u32::MAX).unwrap(), 3);
}
