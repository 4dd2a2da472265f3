//! Checking certificates.
//!
//! An entry is *reached* if the proof begins with it, or if it can come up after a reached entry.
//! The checker makes passes over the file, in its order, and checks the entries that are reached
//! and not yet checked, until none is left. Then every entry must have been reached. So no entry is
//! missing, and none is superfluous. For each entry it checks that
//!
//! - the turn is legal, and the first of those that lead to the same position;
//! - every next position is an entry, or a leaf that is good enough for the claim;
//! - in a proof of a win, the distance to conversion is one more than the largest distance among
//!   the next entries with the same number of stones, or 0 if there are none. No turn adds a stone,
//!   so play ends.
//!
//! Lookups of entries are collected, sorted, and compared with the file block by block.

use std::mem;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona_core::{PointSet, Position, RuleSet};
use fanorona_tablebase::{Slice, Tables};
use rayon::prelude::*;

use crate::claim::Claim;
use crate::error::{CertificateError, Flaw};
use crate::format::{Entry, Reader};
use crate::leaves::{Ends, Leaf, Leaves};
use crate::marks::Marks;
use crate::stones::{Canonicalizer, Stones};

type Result<T> = std::result::Result<T, CertificateError>;

/// The number of lookups that are collected before they are made. Each takes 24 bytes.
const BATCH: usize = if cfg!(test) { 8 } else { 1 << 20 };

/// The number of entries that a thread checks at a time, in whole blocks.
const ENTRIES_AT_A_TIME: usize = if cfg!(test) { 8 } else { 1 << 15 };

/// Checks all proofs of a certificate, and returns the number of their entries.
pub(crate) fn check(
    reader: &Reader,
    tables: Option<&Tables>,
    stop: &AtomicBool,
    progress: &(impl Fn(u64) + Sync),
) -> Result<u64> {
    let header = reader.header();
    let leaves = Leaves::of_named_tables(
        reader.path(),
        header.board(),
        &header.rules,
        &header.tables,
        tables,
        stop,
    )?;
    let mut entries = 0;
    for (number, proof) in header.proofs.iter().enumerate() {
        check_proof(reader, number, &leaves, stop, &|checked| progress(entries + checked))?;
        entries += proof.positions;
    }
    // Tables that are not named are never probed.
    let needed = leaves.needed(leaves.take_probed())?;
    let named: Vec<Slice> = header.tables.iter().map(|table| table.slice).collect();
    if let Some(&slice) = named.iter().find(|slice| !needed.contains(slice)) {
        let flaw = Flaw::UnusedTable { slice };
        return Err(CertificateError::DoesNotHold { path: reader.path().to_owned(), flaw });
    }
    Ok(entries)
}

/// Checks one proof of a certificate, by its number.
pub(crate) fn check_proof(
    reader: &Reader,
    number: usize,
    ends: &impl Ends,
    stop: &AtomicBool,
    progress: &(impl Fn(u64) + Sync),
) -> Result<()> {
    let (header, blocks) = (reader.header(), reader.blocks(number));
    let claim = header.proofs[number].claim;
    let check = ProofCheck {
        reader,
        number,
        first_block: blocks.start,
        rules: header.rules,
        claim,
        canonicalizer: Canonicalizer::new(header.board(), claim.side),
        ends,
        marks: Marks::new(blocks.len(), header.block_entries),
        stop,
    };
    check.run(progress)
}

/// The check of one proof.
struct ProofCheck<'a, E> {
    reader: &'a Reader,
    /// The number of the proof.
    number: usize,
    /// The number of its first block in the file.
    first_block: usize,
    rules: RuleSet,
    claim: Claim,
    canonicalizer: Canonicalizer,
    /// Where the proof may end.
    ends: &'a E,
    marks: Marks,
    stop: &'a AtomicBool,
}

/// Lookups: entries that must be in the certificate, and their predecessors.
#[derive(Default)]
struct Batch {
    /// The entries to look up, each with the index of its predecessor in the other list.
    wanted: Vec<(Stones, u32)>,
    predecessors: Vec<Predecessor>,
    /// Buffers for the current entry: the positions after earlier turns, and those after replies. A
    /// position has at most several hundred thousand turns.
    earlier: Vec<(PointSet, PointSet)>,
    answers: Vec<(PointSet, PointSet)>,
}

/// The predecessor of the entries that the proof begins with.
const NONE: u32 = u32::MAX;

/// An entry whose successors have to be looked up.
struct Predecessor {
    stones: Stones,
    /// Its distance to conversion.
    distance: u32,
    /// The distance that follows from the lookups so far.
    expected: u64,
}

impl<E: Ends> ProofCheck<'_, E> {
    fn run(&self, progress: &(impl Fn(u64) + Sync)) -> Result<()> {
        self.begin()?;
        let header = self.reader.header();
        let blocks_at_a_time = (ENTRIES_AT_A_TIME / header.block_entries as usize).max(1);
        let done = AtomicU64::new(0);
        loop {
            let before = done.load(Ordering::Relaxed);
            let firsts = (0..self.marks.blocks()).into_par_iter().step_by(blocks_at_a_time);
            firsts.try_for_each(|first| {
                let blocks = first..self.marks.blocks().min(first + blocks_at_a_time);
                let checked = self.check_blocks(blocks)?;
                progress(done.fetch_add(checked, Ordering::Relaxed) + checked);
                Ok::<_, CertificateError>(())
            })?;
            if done.load(Ordering::Relaxed) == before {
                break;
            }
        }
        let entries = header.proofs[self.number].positions;
        match entries - done.into_inner() {
            0 => Ok(()),
            unreached => Err(self.fails(Flaw::Unreached { unreached, entries })),
        }
    }

    /// Marks the entries that the proof begins with.
    fn begin(&self) -> Result<()> {
        let position = self.reader.header().position;
        let mut batch = Batch::default();
        if position.to_move() == self.claim.side && self.ends.leaf(&position)? == Leaf::No {
            batch.wanted.push((self.canonicalizer.stones(&position), NONE));
        } else {
            self.add_answers(&position, NONE, &mut batch)?;
        }
        self.look_up(&mut batch)
    }

    /// Checks the entries of some blocks that are reached but not checked. Returns their number.
    fn check_blocks(&self, blocks: Range<usize>) -> Result<u64> {
        let mut batch = Batch::default();
        let mut checked = 0;
        for block in blocks {
            let waiting = self.marks.take(block);
            if waiting.is_empty() {
                continue;
            }
            let entries = self.read(block)?;
            checked += waiting.len() as u64;
            for entry in waiting {
                self.check_entry(entries[entry], &mut batch)?;
                if batch.wanted.len() >= BATCH {
                    self.look_up(&mut batch)?;
                }
            }
        }
        self.look_up(&mut batch)?;
        Ok(checked)
    }

    /// The entries of a block, by its number in the proof.
    fn read(&self, block: usize) -> Result<Vec<Entry>> {
        self.check_stop()?;
        self.reader.block(self.number, self.first_block + block)
    }

    /// Checks an entry's turn and the positions after it, and collects the lookups.
    fn check_entry(&self, entry: Entry, batch: &mut Batch) -> Result<()> {
        self.check_stop()?;
        let Entry { stones, turn: number, distance } = entry;
        let position = self.position(stones)?;
        let earlier = &mut batch.earlier;
        earlier.clear();
        let found = self.rules.try_for_each_turn(&position, |turn| {
            let after = position.play_unchecked(turn);
            if earlier.len() == number as usize {
                return ControlFlow::Break(after);
            }
            earlier.push((after.own(), after.opponent()));
            ControlFlow::Continue(())
        });
        let ControlFlow::Break(after) = found else {
            return Err(self.fails(Flaw::NoSuchTurn { position, turn: number }));
        };
        if earlier.contains(&(after.own(), after.opponent())) {
            return Err(self.fails(Flaw::DuplicateTurn { position, turn: number }));
        }
        // An entry without lookups is not a predecessor, so there are fewer predecessors than
        // lookups.
        let index = batch.predecessors.len() as u32;
        batch.predecessors.push(Predecessor { stones, distance, expected: 0 });
        self.add_answers(&after, index, batch)
    }

    /// Collects the positions that must be entries if the opponent is to move here.
    fn add_answers(&self, after: &Position, predecessor: u32, batch: &mut Batch) -> Result<()> {
        if self.is_leaf(after)? {
            return Ok(());
        }
        let mut answers = mem::take(&mut batch.answers);
        answers.clear();
        self.rules.for_each_turn(after, |turn| {
            let answer = after.play_unchecked(turn);
            answers.push((answer.own(), answer.opponent()));
        });
        answers.sort_unstable();
        answers.dedup();
        for (own, opponent) in answers.iter().copied() {
            let answer = self.position(Stones { own, opponent })?;
            if !self.is_leaf(&answer)? {
                batch.wanted.push((self.canonicalizer.stones(&answer), predecessor));
            }
        }
        batch.answers = answers;
        Ok(())
    }

    /// Whether a position is a leaf. A leaf that is worse than the claim is an error.
    fn is_leaf(&self, position: &Position) -> Result<bool> {
        match self.ends.leaf(position)? {
            Leaf::No => Ok(false),
            Leaf::Unchecked => Ok(true),
            Leaf::Value(value) if self.claim.is_met_by(value, position.to_move()) => Ok(true),
            Leaf::Value(value) => Err(self.fails(Flaw::BadLeaf { position: *position, value })),
        }
    }

    /// Makes all lookups: marks the entries as reached, and compares distances.
    fn look_up(&self, batch: &mut Batch) -> Result<()> {
        batch.wanted.sort_unstable();
        let mut read: Option<(usize, Vec<Entry>)> = None;
        for (stones, predecessor) in batch.wanted.drain(..) {
            let missing = || match self.position(stones) {
                Ok(position) => self.fails(Flaw::NoEntry { position }),
                Err(error) => error,
            };
            let block = self.reader.block_with(self.number, stones).ok_or_else(missing)?;
            let block = block - self.first_block;
            if read.as_ref().is_none_or(|(known, _)| *known != block) {
                read = Some((block, self.read(block)?));
            }
            let (_, entries) = read.as_ref().expect("it was read just now");
            let index = entries.binary_search_by_key(&stones, |entry| entry.stones);
            let index = index.map_err(|_| missing())?;
            self.marks.reach(block, index);
            if let Some(predecessor) = batch.predecessors.get_mut(predecessor as usize)
                && predecessor.stones.count() == stones.count()
            {
                let above = u64::from(entries[index].distance) + 1;
                predecessor.expected = predecessor.expected.max(above);
            }
        }
        let mut predecessors = batch.predecessors.drain(..);
        let wrong = predecessors.find(|p| u64::from(p.distance) != p.expected);
        match wrong {
            Some(Predecessor { stones, distance: found, expected }) if self.claim.is_win() => {
                let position = self.position(stones)?;
                Err(self.fails(Flaw::WrongDistance { position, found, expected }))
            }
            _ => Ok(()),
        }
    }

    fn position(&self, stones: Stones) -> Result<Position> {
        let position = self.canonicalizer.position(stones);
        position.map_err(|why| self.fails(Flaw::NotAPosition { why }))
    }

    fn fails(&self, flaw: Flaw) -> CertificateError {
        CertificateError::DoesNotHold { path: self.reader.path().to_owned(), flaw }
    }

    fn check_stop(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(CertificateError::Stopped);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fanorona_core::{Side, Value};
    use fanorona_tablebase::{BuildOptions, Metric, build};

    use super::*;
    use crate::claim::ClaimKind;
    use crate::draft::{Draft, Game};
    use crate::format::{Header, ProofSummary, write};
    use crate::guide::GuideError;

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// A certificate without tables whose proof has more blocks than a thread checks at a time, and
    /// than are written at a time.
    struct Sample {
        header: Header,
        entries: Vec<Entry>,
    }

    impl Sample {
        fn new(tables: &Tables, position: Position, kind: ClaimKind) -> Self {
            let rules = tables.rules();
            let leaves = Leaves::of_all_tables(tables.board(), &rules, None).unwrap();
            let claim = Claim { side: Side::White, kind };
            let game = Game { rules: &rules, position: &position, leaves: &leaves };
            let mut guide = |position: &Position| {
                let best = tables.rank(position).unwrap().swap_remove(0);
                Ok::<_, GuideError>(Some(best.turn))
            };
            let never = AtomicBool::new(false);
            let draft = Draft::new(game, claim, usize::MAX, &never);
            let entries = draft.complete(&mut guide, &mut |_| {}).unwrap();
            let proofs = vec![ProofSummary { claim, positions: entries.len() as u64 }];
            let header = Header { rules, position, tables: Vec::new(), proofs, block_entries: 4 };
            Self { header, entries }
        }

        /// Writes the entries to a file and checks it.
        fn check(&self, entries: &[Entry]) -> Result<u64> {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("proof");
            let mut header = self.header.clone();
            header.proofs[0].positions = entries.len() as u64;
            write(Path::new(&path), &header, &[entries]).unwrap();
            check(&Reader::open(&path).unwrap(), None, &NEVER, &|_| {})
        }
    }

    #[test]
    fn proofs_of_many_blocks_are_checked_whole() {
        let dir = tempfile::tempdir().unwrap();
        let position: Position = "B3B/5/5/5/W3W w".parse().unwrap();
        let (board, rules) = (position.board(), RuleSet::STANDARD);
        let options = BuildOptions::new(dir.path(), board, rules, 4).with_metric(Metric::Dtw);
        build(&options, &(), &NEVER).unwrap();
        let tables = Tables::open(dir.path(), board, rules).unwrap();
        let slice = "3v1".parse().unwrap();
        let table = tables.table(slice, Metric::Dtw).unwrap().unwrap();
        let statistics = &table.metadata().statistics;
        let longest = statistics.longest_position(board, Value::Win).unwrap();
        for (position, kind) in [(position, ClaimKind::Holds), (longest, ClaimKind::Wins)] {
            let sample = Sample::new(&tables, position, kind);
            let entries = &sample.entries;
            assert!(entries.len() > 30, "{position}: {}", entries.len());
            assert_eq!(sample.check(entries).unwrap(), entries.len() as u64);
            for index in (0..entries.len()).step_by(entries.len() / 20) {
                let mut fewer = entries.clone();
                let Entry { stones, .. } = fewer.remove(index);
                let missing = sample.check(&fewer).unwrap_err();
                let found = match missing {
                    CertificateError::DoesNotHold { flaw: Flaw::NoEntry { position }, .. } => {
                        position
                    }
                    other => panic!("{other}"),
                };
                assert_eq!((found.own(), found.opponent()), (stones.own, stones.opponent));
                if kind == ClaimKind::Wins {
                    let mut wrong = entries.clone();
                    wrong[index].distance += 1;
                    let wrong = sample.check(&wrong).unwrap_err();
                    let CertificateError::DoesNotHold { flaw, .. } = wrong else {
                        panic!("{wrong}")
                    };
                    assert!(matches!(flaw, Flaw::WrongDistance { .. }), "{flaw}");
                }
            }
        }
    }
}
