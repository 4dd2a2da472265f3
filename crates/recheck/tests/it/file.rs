//! A reader and a writer of certificates, to change them and to make new ones, and the two checkers
//! side by side.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fanorona_proof::{Certificate, CertificateError};
use fanorona_recheck::{CheckError, Flaw, Limits, Proved};
use fanorona_tablebase::Tables;
use xxhash_rust::xxh3::xxh3_64;

#[derive(Clone, Debug)]
pub(crate) struct Proof {
    pub(crate) by_mover: bool,
    pub(crate) wins: bool,
    pub(crate) turns: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Named {
    pub(crate) own: u8,
    pub(crate) opponent: u8,
    pub(crate) metric: u8,
    pub(crate) checksum: u64,
}

/// The parts of a certificate.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) board: String,
    pub(crate) rules: String,
    pub(crate) position: String,
    pub(crate) tables: Vec<Named>,
    pub(crate) proofs: Vec<Proof>,
    pub(crate) block_entries: u64,
}

/// Takes a number of some bytes from the front.
fn take(bytes: &mut &[u8], length: usize) -> u64 {
    let (front, rest) = bytes.split_at(length);
    *bytes = rest;
    front.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn text(bytes: &mut &[u8]) -> String {
    let length = take(bytes, 8);
    (0..length).map(|_| take(bytes, 1) as u8 as char).collect()
}

fn put(bytes: &mut Vec<u8>, number: u64, length: usize) {
    bytes.extend(&number.to_le_bytes()[..length]);
}

impl File {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let [mut index, mut header] = [16, 24].map(|at| {
            let part = take(&mut &bytes[at..], 8) as usize;
            &bytes[part..]
        });
        let header = &mut header;
        let (board, rules, position) = (text(header), text(header), text(header));
        let tables = (0..take(header, 8))
            .map(|_| Named {
                own: take(header, 1) as u8,
                opponent: take(header, 1) as u8,
                metric: take(header, 4) as u8,
                checksum: take(header, 8),
            })
            .collect();
        let proofs: Vec<_> = (0..take(header, 8))
            .map(|_| (take(header, 1) == 1, take(header, 1) == 1, take(header, 8) as usize))
            .collect();
        let block_entries = take(header, 4);
        let read_proof = |(by_mover, wins, count): (bool, bool, usize)| {
            let mut turns = Vec::new();
            while turns.len() < count {
                let from = take(&mut index, 8) as usize;
                index = &index[8..];
                let frame = zstd::stream::Decoder::new(&bytes[from..]).unwrap().single_frame();
                let mut block = Vec::new();
                frame.take(1 << 20).read_to_end(&mut block).unwrap();
                turns.extend(numbers(&block));
            }
            Proof { by_mover, wins, turns }
        };
        let proofs = proofs.into_iter().map(read_proof).collect();
        Self { board, rules, position, tables, proofs, block_entries }
    }

    /// The numbers of entries of the proofs.
    pub(crate) fn counts(&self) -> Vec<u64> {
        self.proofs.iter().map(|proof| proof.turns.len() as u64).collect()
    }

    /// The blocks of turns.
    pub(crate) fn blocks(&self) -> Vec<Vec<u8>> {
        let blocks = self.proofs.iter().flat_map(|of| of.turns.chunks(self.block_entries as usize));
        blocks.map(|turns| frame(&leb128(turns))).collect()
    }

    /// The bytes of the file with correct checksums.
    pub(crate) fn write(&self) -> Vec<u8> {
        self.assemble(&self.counts(), &self.blocks())
    }

    /// The bytes of a file with these numbers of entries and these blocks.
    pub(crate) fn assemble(&self, counts: &[u64], blocks: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        let (mut index, mut header) = (Vec::new(), Vec::new());
        for text in [&self.board, &self.rules, &self.position] {
            put(&mut header, text.len() as u64, 8);
            header.extend(text.as_bytes());
        }
        put(&mut header, self.tables.len() as u64, 8);
        for table in &self.tables {
            header.extend([table.own, table.opponent]);
            put(&mut header, table.metric.into(), 4);
            put(&mut header, table.checksum, 8);
        }
        put(&mut header, self.proofs.len() as u64, 8);
        for (proof, count) in self.proofs.iter().zip(counts) {
            header.extend([u8::from(proof.by_mover), u8::from(proof.wins)]);
            put(&mut header, *count, 8);
        }
        put(&mut header, self.block_entries, 4);
        for block in blocks {
            put(&mut index, bytes.len() as u64, 8);
            put(&mut index, xxh3_64(block), 8);
            bytes.extend(block);
        }
        let index_at = bytes.len() as u64;
        bytes.extend(index);
        let header_at = bytes.len() as u64;
        bytes.extend(header);
        let mut prelude = b"FanoCert\x03\0\0\0DONE".to_vec();
        for word in [index_at, header_at, bytes.len() as u64, 0, 0, 0] {
            put(&mut prelude, word, 8);
        }
        bytes[..64].copy_from_slice(&prelude);
        sign(&mut bytes);
        bytes
    }
}

pub(crate) fn leb128(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for mut number in numbers.iter().copied() {
        while number > 127 {
            bytes.push(number as u8 | 128);
            number >>= 7;
        }
        bytes.push(number as u8);
    }
    bytes
}

/// The numbers in LEB128 that some bytes consist of.
fn numbers(bytes: &[u8]) -> Vec<u64> {
    let number = |digits: &[u8]| {
        digits.iter().rev().fold(0, |number, digit| number << 7 | u64::from(digit & 127))
    };
    bytes.split_inclusive(|digit| *digit < 128).map(number).collect()
}

pub(crate) fn frame(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes.get(at..at.checked_add(8)?)?;
    usize::try_from(u64::from_le_bytes(word.try_into().ok()?)).ok()
}

fn set(bytes: &mut [u8], at: usize, number: u64) {
    if let Some(field) = bytes.get_mut(at..at + 8) {
        field.copy_from_slice(&number.to_le_bytes());
    }
}

/// Corrects the length and the checksums of a certificate, as far as their places are found.
pub(crate) fn sign(bytes: &mut [u8]) {
    let (Some(index), Some(header)) = (word(bytes, 16), word(bytes, 24)) else { return };
    for row in (index..header.min(bytes.len())).step_by(16) {
        let to = if row + 16 == header { Some(index) } else { word(bytes, row + 16) };
        let range = word(bytes, row).zip(to).map(|(from, to)| from..to);
        if let Some(checksum) = range.and_then(|range| bytes.get(range)).map(xxh3_64) {
            set(bytes, row + 8, checksum);
        }
    }
    sign_ends(bytes);
}

/// Corrects the length and the checksums of prelude and tail, also of a table.
pub(crate) fn sign_ends(bytes: &mut [u8]) {
    set(bytes, 32, bytes.len() as u64);
    let tail = word(bytes, 16).and_then(|at| bytes.get(at..)).map(xxh3_64);
    if let Some(tail) = tail {
        set(bytes, 40, tail);
    }
    let checksum = xxh3_64(&bytes[..56]);
    set(bytes, 56, checksum);
}

/// A certificate that the side to move has at least a draw, with one entry for the position itself.
pub(crate) fn one_entry(board: &str, rules: &str, position: &str, turn: u64) -> File {
    let proofs = vec![Proof { by_mover: true, wins: false, turns: vec![turn] }];
    let [board, rules, position] = [board, rules, position].map(str::to_owned);
    File { board, rules, position, tables: Vec::new(), proofs, block_entries: 1024 }
}

/// The directory of the kept certificates.
pub(crate) fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs")
}

pub(crate) fn kept_bytes(name: &str) -> Vec<u8> {
    fs::read(kept().join(name)).unwrap()
}

pub(crate) fn kept_proof(name: &str) -> File {
    File::read(&kept_bytes(name))
}

/// The flaw of a proof that does not hold.
#[track_caller]
pub(crate) fn flaw(error: CheckError) -> Flaw {
    match error {
        CheckError::DoesNotHold { flaw, .. } => flaw,
        other => panic!("{other}"),
    }
}

/// Writes a file anew. Some file systems write to the disk at once what is overwritten.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    let _ = fs::remove_file(path);
    fs::write(path, bytes).unwrap();
}

/// This crate's check of a file, with the tables of a directory.
pub(crate) fn recheck(path: &Path, tables: Option<&Path>) -> Result<Proved, CheckError> {
    let directories: Vec<_> = tables.into_iter().map(Path::to_owned).collect();
    fanorona_recheck::check(path, &directories, &Limits::default())
}

/// The check of `fanorona-proof`.
fn first_check(path: &Path, tables: Option<&Tables>) -> Result<u64, CertificateError> {
    Certificate::open(path)?.check(tables, &AtomicBool::new(false), |_| {})
}

/// Checks bytes with both checkers. They must agree whether the proof holds, and if it does not, whether
/// the file is damaged.
pub(crate) fn both(
    dir: &Path,
    bytes: &[u8],
    tables: Option<(&Path, &Tables)>,
) -> Result<Proved, CheckError> {
    let path = dir.join("changed.proof");
    write(&path, bytes);
    let second = recheck(&path, tables.map(|(dir, _)| dir));
    let first = first_check(&path, tables.map(|(_, tables)| tables));
    match (&first, &second) {
        (Ok(_), Ok(_)) => {}
        (Err(first), Err(second)) => {
            let holds_not = matches!(first, CertificateError::DoesNotHold { .. });
            assert_eq!(holds_not, second.does_not_hold(), "{first}, and {second}");
        }
        _ => panic!("the first checker says {first:?}, the second {second:?}"),
    }
    second
}
