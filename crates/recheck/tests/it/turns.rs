//! Version 2: a converter between the versions, written from the page on certificates, and whole,
//! changed and damaged files of version 2.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;

use fanorona_proof::Certificate;
use fanorona_recheck::{
    Board, CheckError, Flaw, Game, Limits, Position, Proved, Rules, Side, check,
};

use crate::file::{Entry, File, both, kept, kept_proof, leb128, recheck, sign, version_1, write};
use crate::kept::proofs;

type Stones = (u64, u64);
/// Frames, and nothing more for the index.
type Blocks = Vec<(Vec<u8>, Vec<u64>)>;

/// A file of version 2.
#[derive(Clone, Debug)]
pub(crate) struct TurnsFile {
    /// Its header. The entries of its proofs are not used.
    pub(crate) header: File,
    /// The turns of each proof.
    pub(crate) turns: Vec<Vec<u64>>,
    /// The level of compression.
    pub(crate) level: i32,
}

impl TurnsFile {
    /// Converts a file of version 1 that holds.
    pub(crate) fn from_entries(file: &File, block_entries: u64) -> Self {
        let turns = file.proofs.iter().map(|proof| {
            let turns = proof.entries.iter().map(|entry| ((entry.own, entry.opponent), entry.turn));
            let turns: HashMap<Stones, u64> = turns.collect();
            let found = discover(file, proof.by_mover, |_, stones| turns.get(&stones).copied());
            let found = found.expect("an entry is missing");
            assert_eq!(found.len(), proof.entries.len());
            found.into_iter().map(|entry| entry.turn).collect()
        });
        let turns = turns.collect();
        let header = File { block_entries, ..file.clone() };
        Self { header, turns, level: 3 }
    }

    /// The file of version 1 with the same proofs. `None` if there is none.
    fn to_entries(&self) -> Option<File> {
        let mut file = File { block_entries: 1024, ..self.header.clone() };
        for (number, turns) in self.turns.iter().enumerate() {
            let by_mover = file.proofs[number].by_mover;
            let entries = discover(&file, by_mover, |number, _| turns.get(number).copied())?;
            if entries.len() != turns.len() {
                return None;
            }
            file.proofs[number].entries = entries;
        }
        Some(file)
    }

    /// The blocks of turns.
    fn blocks(&self) -> Blocks {
        let mut blocks = Vec::new();
        for turns in &self.turns {
            for turns in turns.chunks(self.header.block_entries as usize) {
                let mut bytes = Vec::new();
                turns.iter().for_each(|turn| leb128(&mut bytes, *turn));
                blocks.push((zstd::encode_all(&*bytes, self.level).unwrap(), Vec::new()));
            }
        }
        blocks
    }

    fn counts(&self) -> Vec<u64> {
        self.turns.iter().map(|turns| turns.len() as u64).collect()
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        self.header.assemble(2, &self.counts(), &self.blocks())
    }
}

/// The sets of a position of which no image is lower.
fn lowest(board: &str, (own, opponent): Stones) -> Stones {
    let (width, height) = board.split_once('x').unwrap();
    let (width, height): (u32, u32) = (width.parse().unwrap(), height.parse().unwrap());
    let image = |set: u64, symmetry: u32| {
        let mut image = 0;
        for point in (0..width * height).filter(|point| set >> point & 1 == 1) {
            let (mut file, mut rank) = (point % width, point / width);
            if symmetry & 1 != 0 {
                file = width - 1 - file;
            }
            if symmetry & 2 != 0 {
                rank = height - 1 - rank;
            }
            if symmetry & 4 != 0 {
                (file, rank) = (rank, file);
            }
            image |= 1 << (rank * width + file);
        }
        image
    };
    let symmetries = if width == height { 8 } else { 4 };
    (0..symmetries).map(|number| (image(own, number), image(opponent, number))).min().unwrap()
}

/// The entries of a proof in the order of discovery. Their turns are given by number and stones.
/// `None` if there is no turn or not this one, or if distances are needed and do not exist. Values
/// of leaves are not looked at.
fn discover(
    file: &File,
    by_mover: bool,
    turn_of: impl Fn(usize, Stones) -> Option<u64>,
) -> Option<Vec<Entry>> {
    let board = Board::from_name(&file.board).unwrap();
    let start = Position::from_text(&board, &file.position).unwrap();
    let game = Game { board, rules: Rules::from_name(&file.rules).unwrap() };
    // Which positions are in the first phase of the vela does not matter without tables.
    assert!(!file.rules.starts_with("vela") || file.tables.is_empty());
    let is_leaf = |position: &Position| {
        let slice = [position.own, position.opponent].map(|set| set.count_ones() as u8);
        let named = file.tables.iter().any(|table| [table.own, table.opponent] == slice);
        named || game.outcome(position).is_some()
    };
    let after = |position: &Position| {
        let mut found = Vec::new();
        let _ = game.turns(position, &mut |after| {
            found.push(after);
            ControlFlow::Continue(())
        });
        found
    };
    let replies = |position: &Position| {
        let mut replies = if is_leaf(position) { Vec::new() } else { after(position) };
        replies.sort_by_key(|reply| (reply.own, reply.opponent));
        replies.dedup();
        replies
    };
    let other = if start.to_move == Side::White { Side::Black } else { Side::White };
    let prover = if by_mover { start.to_move } else { other };

    let (mut queue, mut numbers, mut following) = (Vec::<Entry>::new(), HashMap::new(), Vec::new());
    let mut next = if by_mover { vec![start] } else { replies(&start) };
    loop {
        let mut followers = Vec::new();
        for position in next {
            let stones = lowest(&file.board, (position.own, position.opponent));
            if let Some(number) = numbers.get(&stones) {
                followers.push(*number);
            } else if !is_leaf(&position) {
                let number = queue.len();
                let turn = turn_of(number, stones)?;
                queue.push(Entry { own: stones.0, opponent: stones.1, turn, distance: 0 });
                numbers.insert(stones, number);
                followers.push(number);
            }
        }
        following.push(followers);
        // The first of `following` is that of the start.
        let Some(entry) = queue.get(following.len() - 1) else { break };
        let position = Position { own: entry.own, opponent: entry.opponent, to_move: prover };
        next = replies(after(&position).get(entry.turn as usize)?);
    }
    let wins = file.proofs.iter().any(|proof| proof.wins);
    if wins && !set_distances(&mut queue, &following[1..]) {
        return None;
    }
    Some(queue)
}

/// Raises distances until they are right. Returns whether they exist.
fn set_distances(entries: &mut [Entry], following: &[Vec<usize>]) -> bool {
    let stones = |entry: &Entry| (entry.own | entry.opponent).count_ones();
    loop {
        let mut changed = false;
        for (entry, following) in following.iter().enumerate() {
            let followers = following.iter().map(|follower| &entries[*follower]);
            let as_many = followers.filter(|follower| stones(follower) == stones(&entries[entry]));
            let distance = as_many.map(|follower| follower.distance + 1).max().unwrap_or(0);
            changed |= distance != entries[entry].distance;
            entries[entry].distance = distance;
            if distance > entries.len() as u64 {
                return false;
            }
        }
        if !changed {
            return true;
        }
    }
}

fn check_bytes(dir: &Path, bytes: &[u8]) -> Result<Proved, CheckError> {
    let path = dir.join("turns.proof");
    write(&path, bytes);
    recheck(&path, None)
}

/// Checks a changed file. If it holds, so does the file of version 1 with its proofs, for both
/// checkers, and the other way round.
fn changed(dir: &Path, file: &TurnsFile) -> Result<Proved, Flaw> {
    let second = file.to_entries().and_then(|file| both(dir, &file.write(), None).ok());
    let first = check_bytes(dir, &file.write());
    assert_eq!(first.as_ref().ok(), second.as_ref(), "{first:?}");
    first.map_err(|error| match error {
        CheckError::DoesNotHold { flaw, .. } => flaw,
        other => panic!("{other}"),
    })
}

/// Small proofs of wins and draws.
fn small() -> Vec<TurnsFile> {
    let names = [
        "3x3-standard.proof",
        "3x3-free-capture.proof",
        "5x3-standard.proof",
        "5x3-forced-relay.proof",
        "3x5-free-capture.proof",
        "3x7-standard.proof",
    ];
    names.iter().map(|name| TurnsFile::from_entries(&File::read(&kept_proof(name)), 7)).collect()
}

#[test]
fn kept_proofs_hold_in_version_2() {
    let dir = tempfile::tempdir().unwrap();
    let mut checked = 0;
    for path in proofs() {
        if !Certificate::open(&path).unwrap().tables().is_empty() {
            continue;
        }
        let file = File::read(&version_1(&path));
        let proved = recheck(&path, None).unwrap();
        let mut turns = TurnsFile::from_entries(&file, 65_536);
        for block_entries in [65_536, 100] {
            turns.header.block_entries = block_entries;
            let again = check_bytes(dir.path(), &turns.write());
            assert_eq!(again.unwrap_or_else(|error| panic!("{error}")), proved);
        }
        checked += 1;
    }
    assert!(checked >= 18 + 171, "{checked}");
}

#[test]
fn there_and_back() {
    for turns in small() {
        let mut entries = turns.to_entries().unwrap();
        let original = &turns.header;
        for (proof, original) in entries.proofs.iter_mut().zip(&original.proofs) {
            proof.entries.sort_by_key(|entry| {
                let stones = (entry.own | entry.opponent).count_ones();
                (Reverse(stones), entry.own, entry.opponent)
            });
            let text = |entries: &[Entry]| format!("{entries:?}");
            assert_eq!(text(&proof.entries), text(&original.entries));
        }
    }
}

#[test]
fn every_changed_bit_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let (mut accepted, mut refused) = (0, 0);
    for file in &small()[..4] {
        let bytes = file.write();
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let error = check_bytes(dir.path(), &bytes).unwrap_err();
            assert!(matches!(error, CheckError::Damaged { .. }), "bit {bit}: {error}");
            // With correct checksums, what it means has to be judged.
            sign(&mut bytes);
            match check_bytes(dir.path(), &bytes) {
                Ok(_) => accepted += 1,
                Err(_) => refused += 1,
            }
        }
    }
    // Fields that `sign` corrects, and frames that decompress to the same bytes or another turn.
    // Most are the checksums of blocks, which are small here.
    assert!(refused > 2 * accepted && accepted > 0, "{accepted} accepted, {refused} refused");
}

#[test]
fn truncated_files_are_unusable() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = small()[2].write();
    for length in 0..bytes.len() {
        for signed in [false, true] {
            let mut bytes = bytes[..length].to_vec();
            if signed && length >= 64 {
                sign(&mut bytes);
            }
            let error = check_bytes(dir.path(), &bytes).unwrap_err();
            assert!(matches!(error, CheckError::Damaged { .. }), "{error}");
        }
    }
}

#[test]
fn every_changed_turn_is_followed() {
    let dir = tempfile::tempdir().unwrap();
    let (mut accepted, mut flaws) = (0, Vec::new());
    for whole in small() {
        for proof in 0..whole.turns.len() {
            for entry in 0..whole.turns[proof].len().min(120) {
                for by in [1, 2, u64::from(u32::MAX)] {
                    let mut file = whole.clone();
                    let turn = &mut file.turns[proof][entry];
                    *turn = (*turn + by) % (1 << 32);
                    match changed(dir.path(), &file) {
                        Ok(_) => accepted += 1,
                        Err(flaw) => flaws.push(flaw),
                    }
                }
            }
        }
    }
    assert!(flaws.len() > 5 * accepted && accepted > 0, "{accepted}, {}", flaws.len());
    #[track_caller]
    fn some(flaws: &[Flaw], is: fn(&Flaw) -> bool) {
        assert!(flaws.iter().any(is));
    }
    some(&flaws, |flaw| matches!(flaw, Flaw::NoSuchTurn { .. }));
    some(&flaws, |flaw| matches!(flaw, Flaw::NoEntry { .. }));
    some(&flaws, |flaw| matches!(flaw, Flaw::BadLeaf { .. }));
}

#[test]
fn missing_and_superfluous_turns_are_noticed() {
    let dir = tempfile::tempdir().unwrap();
    for whole in small() {
        for proof in 0..whole.turns.len() {
            let entries = whole.turns[proof].len();
            for turn in 0..4 {
                let mut file = whole.clone();
                file.turns[proof].push(turn);
                let flaw = changed(dir.path(), &file).unwrap_err();
                assert_eq!(
                    flaw,
                    Flaw::Unreached { unreached: 1, entries: entries + 1, first: entries }
                );
            }
            let mut file = whole.clone();
            file.turns[proof].pop();
            let flaw = changed(dir.path(), &file).unwrap_err();
            assert!(matches!(flaw, Flaw::NoEntry { .. }), "{flaw}");
            // A block less, in the middle too.
            for block in 0..entries.div_ceil(7).min(50) {
                let mut file = whole.clone();
                file.turns[proof].drain(7 * block..entries.min(7 * block + 7));
                changed(dir.path(), &file).unwrap_err();
            }
        }
    }
}

/// Numbers of entries that do not match the blocks.
#[test]
fn wrong_counts_are_unusable() {
    let dir = tempfile::tempdir().unwrap();
    let whole = &small()[2];
    let (count, blocks) = (whole.counts()[0], whole.blocks());
    assert!(count % 7 != 0 && count > 14, "{count}");
    for other in [0, 1, count - 7, count - 1, count + 1, count + 7, 1 << 26, 1 << 40, u64::MAX] {
        let bytes = whole.header.assemble(2, &[other], &blocks);
        let error = check_bytes(dir.path(), &bytes).unwrap_err();
        let in_last_block = other.div_ceil(7) == count.div_ceil(7);
        // One entry less comes up and has no turn before the last block is needed, or the block
        // has more turns than that.
        let damaged = matches!(error, CheckError::Damaged { .. });
        assert!(damaged || (in_last_block && error.does_not_hold()), "{other}: {error}");
    }
    // A block less, or twice.
    for change in [
        |blocks: &mut Blocks| drop(blocks.remove(1)),
        |blocks: &mut Blocks| {
            let block = blocks[1].clone();
            blocks.insert(1, block);
        },
    ] {
        let mut blocks = blocks.clone();
        change(&mut blocks);
        let bytes = whole.header.assemble(2, &[count], &blocks);
        assert!(matches!(check_bytes(dir.path(), &bytes), Err(CheckError::Damaged { .. })));
    }
    for (block_entries, usable) in [(65_536, true), (65_537, false), (0, false)] {
        let mut file = TurnsFile::from_entries(&whole.header, 65_536);
        let blocks = file.blocks();
        file.header.block_entries = block_entries;
        let bytes = file.header.assemble(2, &[count], &blocks);
        assert_eq!(check_bytes(dir.path(), &bytes).is_ok(), usable);
    }
}

/// Blocks that decompress to something else than shortest numbers of up to 32 bits.
#[test]
fn damaged_blocks_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let whole = TurnsFile::from_entries(&small()[0].header, 65_536);
    let count = whole.turns[0].len();
    let mut plain = Vec::new();
    whole.turns[0].iter().for_each(|turn| leb128(&mut plain, *turn));
    assert_eq!(plain.len(), count);
    let frame = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    let with = |frame: Vec<u8>| {
        let bytes = whole.header.assemble(2, &[count as u64], &[(frame, Vec::new())]);
        check_bytes(dir.path(), &bytes)
    };
    with(frame(&plain)).unwrap();
    let first: &[&[u8]] =
        &[&[0x80, 0x00], &[0x80], &[0xff; 6], &[0xff, 0xff, 0xff, 0xff, 0x10], &[], &[0, 0]];
    for first in first {
        let error = with(frame(&[first, &plain[1..]].concat())).unwrap_err();
        assert!(matches!(error, CheckError::Damaged { .. }), "{error}");
    }
    // The greatest number is one, but not of a turn.
    let greatest = [&[0xff, 0xff, 0xff, 0xff, 0x0f], &plain[1..]].concat();
    assert!(with(frame(&greatest)).unwrap_err().does_not_hold());
    let two_frames = [frame(&plain), frame(&[])].concat();
    let more = [frame(&plain), vec![0]].concat();
    for bytes in [vec![], plain.clone(), two_frames, more, frame(&vec![0; 1 << 20])] {
        let error = with(bytes).unwrap_err();
        assert!(matches!(error, CheckError::Damaged { .. }), "{error}");
    }
}

/// In this draw without tables, every game that ends is won, so a win fails only by cycles.
#[test]
fn cycles_are_no_wins() {
    let dir = tempfile::tempdir().unwrap();
    let name = "5x3-free-capture.proof";
    let whole = TurnsFile::from_entries(&File::read(&kept_proof(name)), 65_536);
    for proof in 0..2 {
        let mut file = whole.clone();
        file.header.proofs = vec![whole.header.proofs[proof].clone()];
        file.turns = vec![whole.turns[proof].clone()];
        check_bytes(dir.path(), &file.write()).unwrap();
        file.header.proofs[0].wins = true;
        assert!(file.to_entries().is_none());
        let error = check_bytes(dir.path(), &file.write()).unwrap_err();
        let cycle = matches!(error, CheckError::DoesNotHold { flaw: Flaw::Cycle { .. }, .. });
        assert!(cycle, "{error}");
    }
}

/// A small file with very many entries, of which it needs few.
#[test]
fn many_entries_take_no_memory() {
    let dir = tempfile::tempdir().unwrap();
    let whole = TurnsFile::from_entries(&File::read(&kept_proof("3x3-standard.proof")), 65_536);
    let zeros = zstd::encode_all(&*vec![0; 65_536], 3).unwrap();
    for (blocks, too_large) in [(1 << 10, false), ((1 << 10) + 1, true), (1 << 14, true)] {
        let rows = vec![(zeros.clone(), Vec::new()); blocks];
        let mut bytes = whole.header.assemble(2, &[(blocks as u64) << 16], &rows);
        assert!(bytes.len() < blocks * 64 + 1000);
        // The last block is damaged. Nothing needs it.
        let at = 64 + blocks * zeros.len() - 1;
        bytes[at] ^= 1;
        match check_bytes(dir.path(), &bytes).unwrap_err() {
            CheckError::TooLarge { what, .. } => assert!(too_large && what == "entries"),
            CheckError::DoesNotHold { .. } => assert!(!too_large),
            error => panic!("{error}"),
        }
    }
}

/// The converted file of a certificate with tables.
pub(crate) fn with_tables_too(dir: &Path, name: &str) {
    let path = kept().join(name);
    let turns = TurnsFile::from_entries(&File::read(&version_1(&path)), 65_536);
    let copy = dir.join("turns.proof");
    write(&copy, turns.write());
    let directories = [dir.to_owned()];
    let proved = |path| check(path, &directories, &Limits::default()).unwrap();
    assert_eq!(proved(&path), proved(&copy));
    // A table less: of a slice that only captures lead to, or that leaves have.
    let mut file = turns.clone();
    file.header.tables.remove(0);
    write(&copy, file.write());
    let error = check(&copy, &directories, &Limits::default()).unwrap_err();
    assert!(error.does_not_hold(), "{error}");
}
