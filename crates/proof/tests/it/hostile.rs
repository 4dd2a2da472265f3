//! Crafted certificates with correct checksums: huge numbers, misplaced parts, and positions with
//! very many turns.

use std::fs;

use fanorona_core::{ErrorKind, Position, RuleSet, Side, Value};
use fanorona_proof::{Certificate, CertificateError, Claim, ClaimKind, Flaw, Maker};

use crate::fixtures::{NEVER, Place, by, check};
use crate::reference::{File, Proof, Table, assemble, sign};

/// A certificate of a win on 3x3, with ten entries in one block.
fn win() -> File {
    File::read(include_bytes!("../golden/win.cert"))
}

/// Opens bytes. This must fail.
fn refused(bytes: &[u8]) -> CertificateError {
    let place = Place::new();
    fs::write(place.file(), bytes).unwrap();
    Certificate::open(place.file()).unwrap_err()
}

fn assert_corrupt(bytes: &[u8], says: &str) {
    let error = refused(bytes);
    assert_eq!(error.kind(), ErrorKind::DamagedFile, "{error}");
    assert!(error.to_string().contains(says), "{error}, and not: {says}");
}

/// Opens a win with another header.
fn with_header(change: impl FnOnce(&mut File, &mut Vec<u64>)) -> Vec<u8> {
    let mut file = win();
    let blocks = file.blocks();
    let mut counts: Vec<_> = file.proofs.iter().map(|proof| proof.entries.len() as u64).collect();
    change(&mut file, &mut counts);
    assemble(&blocks, &file.header(&counts))
}

#[test]
fn numbers_of_entries_are_those_of_the_index() {
    let index = "the length of the index does not match the number of blocks";
    for count in [0, 65_537, 1 << 20, 1 << 40, u64::MAX - 65_535, u64::MAX] {
        assert_corrupt(&with_header(|_, counts| counts[0] = count), index);
    }
    // Their sum overflows.
    let two = |counts: [u64; 2]| {
        with_header(|file, all| {
            let holds = |by_mover| Proof { by_mover, wins: false, entries: Vec::new() };
            file.proofs = vec![holds(true), holds(false)];
            file.block_entries = 1;
            *all = counts.to_vec();
        })
    };
    assert_corrupt(&two([u64::MAX, 2]), index);
    assert_corrupt(&two([1 << 63, 1 << 63]), index);
    assert_corrupt(&two([1 << 59, 1]), index);
    // One entry more or less than the block has.
    for count in [9, 11, 65_536] {
        let place = Place::new();
        fs::write(place.file(), with_header(|_, counts| counts[0] = count)).unwrap();
        let error = check(&place.file(), None).unwrap_err();
        assert!(error.to_string().contains("block 0 of 1"), "{error}");
    }
}

#[test]
fn invalid_headers_are_refused() {
    let file = |change: &dyn Fn(&mut File)| with_header(|file, _| change(file));
    let text = |change: &dyn Fn(&mut File)| {
        let error = refused(&file(change));
        assert_eq!(error.kind(), ErrorKind::DamagedFile, "{error}");
        error.to_string()
    };
    for size in [0, 65_537, u32::MAX] {
        let error = text(&|file| file.block_entries = size);
        assert!(error.contains(&format!("a block cannot have {size} entries")), "{error}");
    }
    assert!(text(&|file| file.board = "3x5".to_owned()).contains("is not on 3x5"));
    assert!(text(&|file| file.board = "4x4".to_owned()).contains("4x4"));
    assert!(text(&|file| file.rules = "chess".to_owned()).contains("chess"));
    assert!(text(&|file| file.position = "3/3/3 w".to_owned()).contains("no stone"));
    assert!(
        text(&|file| file.rules.push_str("+no-turns-draw+direction-free")).contains("normal form")
    );

    let table = |own, opponent, metric| Table { own, opponent, metric, checksum: 0 };
    let tables = |tables: &[Table]| text(&|file| file.tables = tables.to_vec());
    assert!(tables(&[table(0, 1, 0)]).contains("no slice 0v1"));
    assert!(tables(&[table(1, 255, 0)]).contains("no slice 1v255"));
    assert!(tables(&[table(1, 1, 2)]).contains("no metric 2"));
    for wrong in [
        [table(1, 2, 0), table(1, 1, 0)],
        [table(2, 1, 0), table(1, 2, 0)],
        [table(1, 1, 0), table(1, 1, 0)],
        [table(1, 1, 0), table(1, 2, 1)],
    ] {
        assert!(tables(&wrong).contains("the tables are out of order"));
    }

    let proof = |by_mover, wins| Proof { by_mover, wins, entries: Vec::new() };
    for wrong in [
        vec![],
        vec![proof(true, false), proof(true, false)],
        vec![proof(false, false), proof(true, false)],
        vec![proof(true, true), proof(false, false)],
        vec![proof(true, false), proof(false, true)],
        vec![proof(true, false), proof(false, false), proof(true, false)],
    ] {
        let bytes = with_header(|file, counts| {
            *counts = vec![0; wrong.len()];
            file.proofs = wrong;
        });
        assert_corrupt(&bytes, "no certificate has these claims together");
    }
}

/// A list or a text claims to be longer than the file.
#[test]
fn lengths_in_the_header_do_not_allocate_memory() {
    let (file, header) = (win(), win().header(&[10]));
    let texts = [&file.board, &file.rules, &file.position];
    let mut at = 0;
    let mut lengths = Vec::new();
    for text in texts {
        lengths.push(at);
        at += 8 + text.len();
    }
    lengths.extend([at, at + 8]);
    for at in lengths {
        let length = u64::from_le_bytes(header[at..at + 8].try_into().unwrap());
        for wrong in [length + 1, 1 << 20, 1 << 32, u64::MAX] {
            let mut header = header.clone();
            header[at..at + 8].copy_from_slice(&wrong.to_le_bytes());
            let error = refused(&assemble(&file.blocks(), &header));
            assert_eq!(error.kind(), ErrorKind::DamagedFile, "{error}");
        }
    }
    // A header that is too long, although each field is valid.
    let long = [header, vec![0; 1 << 20]].concat();
    let error = refused(&assemble(&file.blocks(), &long));
    assert_eq!(error.kind(), ErrorKind::DamagedFile, "{error}");
}

#[test]
fn blocks_must_fill_the_body_without_gaps() {
    let mut file = win();
    file.block_entries = 3;
    let header = file.header(&[10]);
    let good = assemble(&file.blocks(), &header);
    let place = Place::new();
    fs::write(place.file(), &good).unwrap();
    check(&place.file(), None).unwrap();

    let word = |at: usize| u64::from_le_bytes(good[at..at + 8].try_into().unwrap());
    let index_at = word(16) as usize;
    let offset = |block: usize| word(index_at + 16 * block);
    let moved = |block: usize, to: u64| {
        let mut bytes = good.clone();
        let at = index_at + 16 * block;
        bytes[at..at + 8].copy_from_slice(&to.to_le_bytes());
        sign(&mut bytes);
        bytes
    };
    let order = "the blocks do not follow each other";
    for to in [0, 63, 65, u64::MAX] {
        assert_corrupt(&moved(0, to), order);
    }
    // An empty block in the middle and at the end, and a block that ends before it begins.
    assert_corrupt(&moved(1, offset(0)), order);
    assert_corrupt(&moved(1, offset(2)), order);
    assert_corrupt(&moved(3, index_at as u64), order);
    assert_corrupt(&moved(2, offset(3) + 1), order);
    assert_corrupt(&moved(3, u64::MAX), order);

    file.block_entries = 10;
    assert_corrupt(&assemble(&[vec![0; 655_361]], &file.header(&[10])), order);
    fs::write(place.file(), assemble(&[vec![0; 655_360]], &file.header(&[10]))).unwrap();
    let error = check(&place.file(), None).unwrap_err();
    assert!(error.to_string().contains("it is not one zstd frame"), "{error}");

    // No blocks, but bytes in the body.
    let mut bytes = assemble(&[vec![0]], &file.header(&[0]));
    let header_at = u64::from_le_bytes(bytes[24..32].try_into().unwrap()) as usize;
    bytes.drain(header_at - 16..header_at);
    bytes[24..32].copy_from_slice(&(header_at as u64 - 16).to_le_bytes());
    sign(&mut bytes);
    assert_corrupt(&bytes, "the last block does not end at the index");
}

/// Blocks that are not one frame, or do not decompress to one shortest number of 32 bits for each entry.
#[test]
fn damaged_blocks_are_refused() {
    let win = win();
    let says = |block: Vec<u8>, what: &str| {
        let place = Place::new();
        fs::write(place.file(), assemble(&[block], &win.header(&[10]))).unwrap();
        let error = check(&place.file(), None).unwrap_err();
        assert!(error.is_refutation(), "{error}");
        assert!(error.to_string().contains(what), "{error}");
    };
    let frame = |bytes: &[u8]| zstd::encode_all(bytes, 19).unwrap();
    says(frame(&[0; 9]), "not the right entries");
    says(frame(&[0; 11]), "not the right entries");
    says(frame(&[0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0]), "not the right entries");
    says(frame(&[&[0xff, 0xff, 0xff, 0xff, 0x7f][..], &[0; 9]].concat()), "not the right entries");
    says([frame(&[0; 10]), frame(&[])].concat(), "one zstd frame");
    // A small frame of a huge content.
    let bomb = frame(&vec![0; 1 << 26]);
    assert!(bomb.len() < 1 << 16);
    says(bomb, "cannot be unpacked");
}

/// A sparse file may claim to be very long. Refusing it takes little time and memory.
#[cfg(unix)]
#[test]
fn sparse_files_do_not_allocate_memory() {
    use std::io::{Seek, SeekFrom, Write};

    const HOLE: u64 = 1 << 40;
    let place = Place::new();
    // The header claims many entries, and the one block is in the hole.
    let bytes = assemble(&[vec![0]], &win().header(&[65_536]));
    let (index_at, tail) = (64 + HOLE, &bytes[65..]);
    let mut prelude = bytes[..64].to_vec();
    let words = [index_at, index_at + 16, index_at + tail.len() as u64];
    for (field, word) in prelude[16..40].chunks_mut(8).zip(words) {
        field.copy_from_slice(&word.to_le_bytes());
    }
    prelude[40..48].copy_from_slice(&xxhash_rust::xxh3::xxh3_64(tail).to_le_bytes());
    let checksum = xxhash_rust::xxh3::xxh3_64(&prelude[..56]);
    prelude[56..].copy_from_slice(&checksum.to_le_bytes());
    let mut out = fs::File::create(place.file()).unwrap();
    out.write_all(&prelude).unwrap();
    out.seek(SeekFrom::Start(index_at)).unwrap();
    out.write_all(tail).unwrap();
    let error = Certificate::open(place.file()).unwrap_err();
    assert!(error.to_string().contains("the blocks do not follow each other"), "{error}");
}

/// Checking a position with very many turns takes linear time. Quadratic time would be minutes.
#[test]
fn many_turns_take_linear_time() {
    let rules: RuleSet = "free-capture+direction-free".parse().unwrap();
    let place = Place::new();
    // A turn with a number above 10,000 captures all stones.
    let win: Position =
        "W1BBB1W2/B2BBB2W/1WB1BB2B/2B2BB2/BB4B1B/B2BB2B1/BWBBBBBBB w".parse().unwrap();
    let winning = |position: &Position| {
        let mut turns = rules.turns(position);
        turns.retain(|turn| rules.outcome(&position.play_unchecked(turn)).is_some());
        turns.pop()
    };
    let mut maker = Maker::new(rules, &win, None).unwrap();
    let claim = Claim { side: Side::White, kind: ClaimKind::Wins };
    maker.prove(claim, &mut by(winning), &NEVER, |_| {}).unwrap();
    maker.write(place.file(), &NEVER).unwrap();
    assert_eq!(check(&place.file(), None).unwrap().value(), Some(Value::Win));
    let mut file = File::read(&fs::read(place.file()).unwrap());
    assert!(file.proofs[0].entries[0].turn > 10_000, "{:?}", file.proofs);

    // A position with 397,254 turns, none of which has the number of its entry.
    let many: Position =
        "B1BBB1BBB/BB2B3B/B2B1B2B/W1BB1BBB1/B2B2WBB/WB2B2B1/2BWBBB1W w".parse().unwrap();
    assert!(rules.turns(&many).len() > 300_000);
    file.position = many.to_string();
    for turn in [1 << 20, u64::from(u32::MAX)] {
        file.proofs[0].entries[0].turn = turn;
        fs::write(place.file(), file.write()).unwrap();
        let error = check(&place.file(), None).unwrap_err();
        let CertificateError::DoesNotHold { flaw, .. } = error else { panic!("{error}") };
        assert!(matches!(flaw, Flaw::NoSuchTurn { .. }), "{flaw}");
    }
    // The opponent is to move, and every reply needs an entry that does not exist.
    file.proofs[0] = Proof { by_mover: false, wins: false, entries: vec![] };
    fs::write(place.file(), file.write()).unwrap();
    let error = check(&place.file(), None).unwrap_err();
    let CertificateError::DoesNotHold { flaw, .. } = error else { panic!("{error}") };
    assert!(matches!(flaw, Flaw::NoEntry { .. } | Flaw::BadLeaf { .. }), "{flaw}");
}
