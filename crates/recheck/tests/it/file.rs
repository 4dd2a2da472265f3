//! A reader and a writer of certificates, to change them and to make new ones, and the two checkers
//! side by side.

use std::cmp::Reverse;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fanorona_proof::{Certificate, CertificateError, Form};
use fanorona_recheck::{Board, CheckError, Limits, Position, Proved};
use fanorona_tablebase::Tables;
use xxhash_rust::xxh3::xxh3_64;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) own: u64,
    pub(crate) opponent: u64,
    pub(crate) turn: u64,
    pub(crate) distance: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Proof {
    pub(crate) by_mover: bool,
    pub(crate) wins: bool,
    pub(crate) entries: Vec<Entry>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Named {
    pub(crate) own: u8,
    pub(crate) opponent: u8,
    pub(crate) metric: u8,
    pub(crate) checksum: u64,
}

/// What is in a certificate.
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
            let mut entries = Vec::new();
            while entries.len() < count {
                let from = take(&mut index, 8) as usize;
                index = &index[24..];
                let here = (count - entries.len()).min(block_entries as usize);
                let frame = zstd::stream::Decoder::new(&bytes[from..]).unwrap().single_frame();
                let mut block = std::io::BufReader::new(frame).bytes().map(Result::unwrap);
                let mut column = |there: bool| -> Vec<u64> {
                    let mut number = || {
                        let (mut number, mut shift) = (0, 0);
                        loop {
                            let byte = u64::from(block.next().unwrap());
                            number |= (byte & 127) << shift;
                            shift += 7;
                            if byte < 128 {
                                return number;
                            }
                        }
                    };
                    (0..here).map(|_| if there { number() } else { 0 }).collect()
                };
                let (own, opponent, turns) = (column(true), column(true), column(true));
                let distances = column(wins);
                let mut last = (0, 0);
                entries.extend((0..here).map(|i| {
                    last = (last.0 ^ own[i], last.1 ^ opponent[i]);
                    Entry { own: last.0, opponent: last.1, turn: turns[i], distance: distances[i] }
                }));
            }
            Proof { by_mover, wins, entries }
        };
        let proofs = proofs.into_iter().map(read_proof).collect();
        Self { board, rules, position, tables, proofs, block_entries }
    }

    /// The bytes of the file with correct checksums, and its entries in order.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut blocks = Vec::new();
        for proof in &self.proofs {
            let mut entries = proof.entries.clone();
            entries.sort_by_key(|entry| {
                let stones = entry.own.count_ones() + entry.opponent.count_ones();
                (Reverse(stones), entry.own, entry.opponent)
            });
            for entries in entries.chunks(self.block_entries as usize) {
                let frame = zstd::encode_all(&*columns(entries, proof.wins), 3).unwrap();
                blocks.push((frame, vec![entries[0].own, entries[0].opponent]));
            }
        }
        let counts: Vec<_> = self.proofs.iter().map(|proof| proof.entries.len() as u64).collect();
        self.assemble(1, &counts, &blocks)
    }

    /// The bytes of a file of a version with these numbers of entries and these blocks. The index
    /// has more numbers for each block.
    pub(crate) fn assemble(
        &self,
        version: u8,
        counts: &[u64],
        blocks: &[(Vec<u8>, Vec<u64>)],
    ) -> Vec<u8> {
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
        for (frame, more) in blocks {
            for word in [bytes.len() as u64, xxh3_64(frame)].iter().chain(more) {
                put(&mut index, *word, 8);
            }
            bytes.extend(frame);
        }
        let index_at = bytes.len() as u64;
        bytes.extend(index);
        let header_at = bytes.len() as u64;
        bytes.extend(header);
        let mut prelude = b"FanoCert\x01\0\0\0DONE".to_vec();
        prelude[8] = version;
        for word in [index_at, header_at, bytes.len() as u64, 0, 0, 0] {
            put(&mut prelude, word, 8);
        }
        bytes[..64].copy_from_slice(&prelude);
        sign(&mut bytes);
        bytes
    }
}

/// Appends a number in LEB128.
pub(crate) fn leb128(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 127 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn columns(entries: &[Entry], wins: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut number = |number: u64| leb128(&mut bytes, number);
    let mut before = (0, 0);
    for entry in entries {
        number(entry.own ^ before.0);
        before.0 = entry.own;
    }
    for entry in entries {
        number(entry.opponent ^ before.1);
        before.1 = entry.opponent;
    }
    entries.iter().for_each(|entry| number(entry.turn));
    if wins {
        entries.iter().for_each(|entry| number(entry.distance));
    }
    bytes
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
    let size = if bytes[8] == 2 { 16 } else { 32 };
    for row in (index..header.min(bytes.len())).step_by(size) {
        let to = if row + size == header { Some(index) } else { word(bytes, row + size) };
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

/// A certificate that the side to move has at least a draw, with an entry for the position itself.
/// The board has different sides.
pub(crate) fn one_entry(board: &str, rules: &str, position: &str, turn: u64) -> File {
    let size = Board::from_name(board).unwrap();
    let Position { own, opponent, .. } = Position::from_text(&size, position).unwrap();
    let sides: Vec<u32> = board.split('x').map(|side| side.parse().unwrap()).collect();
    let (width, height) = (sides[0], sides[1]);
    let image = |set: u64, symmetry: u32| {
        (0..width * height).filter(|point| set >> point & 1 == 1).fold(0, |image, point| {
            let (file, rank) = (point % width, point / width);
            let file = if symmetry & 1 == 1 { width - 1 - file } else { file };
            let rank = if symmetry & 2 == 2 { height - 1 - rank } else { rank };
            image | 1 << (rank * width + file)
        })
    };
    let images = (0..4).map(|symmetry| (image(own, symmetry), image(opponent, symmetry)));
    let (own, opponent) = images.min().unwrap();
    let entries = vec![Entry { own, opponent, turn, distance: 0 }];
    let proofs = vec![Proof { by_mover: true, wins: false, entries }];
    let [board, rules, position] = [board, rules, position].map(str::to_owned);
    File { board, rules, position, tables: Vec::new(), proofs, block_entries: 1024 }
}

/// The directory of the kept certificates.
pub(crate) fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs")
}

/// The bytes of a certificate in version 1, with all its entries. One of version 2 is rewritten by
/// `fanorona-proof`.
pub(crate) fn version_1(path: &Path) -> Vec<u8> {
    let certificate = Certificate::open(path).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("entries.proof");
    certificate.rewrite(&copy, Form::Entries, &AtomicBool::new(false)).unwrap();
    fs::read(copy).unwrap()
}

/// The bytes of a kept certificate in version 1.
pub(crate) fn kept_proof(name: &str) -> Vec<u8> {
    version_1(&kept().join(name))
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
pub(crate) fn first_check(path: &Path, tables: Option<&Tables>) -> Result<u64, CertificateError> {
    Certificate::open(path)?.check(tables, &AtomicBool::new(false), |_| {})
}

/// Checks bytes with both checkers. They must agree whether the proof holds.
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
        (Ok(_), Ok(_)) | (Err(_), Err(_)) => {}
        _ => panic!("the first checker says {first:?}, the second {second:?}"),
    }
    second
}
