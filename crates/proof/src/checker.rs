//! Checking certificates.
//!
//! A certificate that stores only turns is checked by following it ([`discovery`](crate::discovery)).
//! The rest of this module checks certificates that store entries, and needs little memory.
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

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona_tablebase::{Slice, Tables};
use rayon::prelude::*;

use crate::discovery::{Limits, discover_stored};
use crate::error::{CertificateError, Flaw};
use crate::format::{Entry, Form, Reader};
use crate::leaves::{Ends, Leaves};
use crate::marks::Marks;
use crate::steps::{Buffers, Steps};
use crate::stones::Stones;

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
    let leaves = Leaves::of_named_tables(reader.path(), header, tables, stop)?;
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
    match reader.form() {
        Form::Entries => {
            let blocks = reader.blocks(number);
            let check = ProofCheck {
                reader,
                number,
                first_block: blocks.start,
                steps: Steps::new(reader, number, ends),
                marks: Marks::new(blocks.len(), reader.header().block_entries),
                stop,
            };
            check.run(progress)
        }
        Form::Turns => {
            discover_stored(reader, number, ends, Limits::available(stop), progress).map(drop)
        }
    }
}

/// The check of one proof in a certificate that stores entries.
struct ProofCheck<'a, E> {
    reader: &'a Reader,
    /// The number of the proof.
    number: usize,
    /// The number of its first block in the file.
    first_block: usize,
    steps: Steps<'a, E>,
    marks: Marks,
    stop: &'a AtomicBool,
}

/// Lookups: entries that must be in the certificate, and their predecessors.
#[derive(Default)]
struct Batch {
    /// The entries to look up, each with the index of its predecessor in the other list.
    wanted: Vec<(Stones, u32)>,
    predecessors: Vec<Predecessor>,
    buffers: Buffers,
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
            unreached => Err(self.steps.fails(Flaw::Unreached { unreached, entries })),
        }
    }

    /// Marks the entries that the proof begins with.
    fn begin(&self) -> Result<()> {
        let mut batch = Batch::default();
        let Batch { wanted, buffers, .. } = &mut batch;
        let position = &self.reader.header().position;
        self.steps.begin(position, buffers, |stones| wanted.push((stones, NONE)))?;
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
        self.reader.entries(self.number, self.first_block + block)
    }

    /// Checks an entry's turn and the positions after it, and collects the lookups.
    fn check_entry(&self, entry: Entry, batch: &mut Batch) -> Result<()> {
        self.check_stop()?;
        let Entry { stones, turn, distance } = entry;
        // An entry without lookups is a predecessor too: its distance must be 0. A batch has at most
        // the entries that a thread checks at a time, so the number fits.
        let index = batch.predecessors.len() as u32;
        batch.predecessors.push(Predecessor { stones, distance, expected: 0 });
        let Batch { wanted, buffers, .. } = batch;
        self.steps.follow(stones, turn, buffers, |stones| wanted.push((stones, index)))
    }

    /// Makes all lookups: marks the entries as reached, and compares distances.
    fn look_up(&self, batch: &mut Batch) -> Result<()> {
        batch.wanted.sort_unstable();
        let mut read: Option<(usize, Vec<Entry>)> = None;
        for (stones, predecessor) in batch.wanted.drain(..) {
            let missing = || self.steps.no_entry(stones);
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
            Some(Predecessor { stones, distance: found, expected })
                if self.steps.claim.is_win() =>
            {
                let position = self.steps.position(stones)?;
                Err(self.steps.fails(Flaw::WrongDistance { position, found, expected }))
            }
            _ => Ok(()),
        }
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

    use fanorona_core::{Position, RuleSet, Side, Value};
    use fanorona_tablebase::{BuildOptions, Metric, build};

    use super::*;
    use crate::claim::{Claim, ClaimKind};
    use crate::draft::{Draft, Game};
    use crate::format::{Header, ProofSummary, write_entries};
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
            write_entries(Path::new(&path), &header, &[entries]).unwrap();
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
