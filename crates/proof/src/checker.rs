//! Checking certificates.
//!
//! An entry is *reached* if the proof begins with it, or if it can come up after an entry that is
//! reached. Entries that are reached and not checked are checked, in passes over the file in its
//! order, until none is left; then every entry has to have been reached. So nothing can be missing,
//! because something leads there, and nothing can be superfluous. For each entry:
//!
//! - its turn is legal, and the first of those that lead to the same position;
//! - whatever comes next is an entry, or a leaf that is good enough for the claim;
//! - in a proof of a win, its distance to conversion is one more than the greatest among those next
//!   entries that have as many stones, or 0 if there is none. As no turn adds a stone, play ends.
//!
//! Look-ups of entries are collected, sorted, and compared with the file block by block.

use std::mem;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona_core::{PointSet, Position, RuleSet};
use fanorona_tablebase::{Slice, Tables};
use rayon::prelude::*;

use crate::claim::Claim;
use crate::error::{CertificateError, Flaw};
use crate::format::{Entry, Reader};
use crate::leaves::Leaves;
use crate::marks::Marks;
use crate::stones::{Canonicalizer, Stones};

type Result<T> = std::result::Result<T, CertificateError>;

/// How many look-ups are collected before they are made; each takes 24 bytes.
const BATCH: usize = 1 << 20;

/// How many entries the blocks have, or one block, that a thread checks at a time.
const ENTRIES_AT_A_TIME: usize = 1 << 15;

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
        let blocks = reader.blocks(number);
        let check = ProofCheck {
            reader,
            number,
            first_block: blocks.start,
            rules: header.rules,
            claim: proof.claim,
            canonicalizer: Canonicalizer::new(header.board(), proof.claim.side),
            leaves: &leaves,
            marks: Marks::new(blocks.len(), header.block_entries),
            stop,
        };
        check.run(&|checked| progress(entries + checked))?;
        entries += proof.positions;
    }
    // A table that is not named is never probed.
    let needed = leaves.needed(leaves.take_probed())?;
    let named: Vec<Slice> = header.tables.iter().map(|table| table.slice).collect();
    if let Some(&slice) = named.iter().find(|slice| !needed.contains(slice)) {
        let flaw = Flaw::UnusedTable { slice };
        return Err(CertificateError::DoesNotHold { path: reader.path().to_owned(), flaw });
    }
    Ok(entries)
}

/// One proof that is being checked.
struct ProofCheck<'a> {
    reader: &'a Reader,
    /// Which proof it is.
    number: usize,
    /// The number of its first block in the file.
    first_block: usize,
    rules: RuleSet,
    claim: Claim,
    canonicalizer: Canonicalizer,
    leaves: &'a Leaves,
    marks: Marks,
    stop: &'a AtomicBool,
}

/// Entries that have to be in the certificate, and those that they come up after.
#[derive(Default)]
struct Batch {
    /// The entries to look up, and the index of the predecessor in the other list.
    wanted: Vec<(Stones, u32)>,
    predecessors: Vec<Predecessor>,
    /// For the entry that is checked: the positions after earlier turns, and those after answers. A
    /// position has at most some hundred thousand turns.
    earlier: Vec<(PointSet, PointSet)>,
    answers: Vec<(PointSet, PointSet)>,
}

/// The predecessor of what the proof begins with.
const NONE: u32 = u32::MAX;

/// An entry whose next ones are to be looked up.
struct Predecessor {
    stones: Stones,
    /// The distance to conversion that it has.
    distance: u32,
    /// The distance that it should have, by what has been looked up.
    expected: u64,
}

impl ProofCheck<'_> {
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
        if position.to_move() == self.claim.side && self.leaves.value(&position)?.is_none() {
            batch.wanted.push((self.canonicalizer.stones(&position), NONE));
        } else {
            self.add_answers(&position, NONE, &mut batch)?;
        }
        self.look_up(&mut batch)
    }

    /// Checks the entries of some blocks that are reached and not checked yet. Returns how many.
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

    /// Checks an entry's turn and what comes after it, except for what has to be looked up.
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
        // There are fewer predecessors than there are look-ups, and entries without any.
        let index = batch.predecessors.len() as u32;
        batch.predecessors.push(Predecessor { stones, distance, expected: 0 });
        self.add_answers(&after, index, batch)
    }

    /// Adds what has to be an entry if the opponent is to move here.
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
        match self.leaves.value(position)? {
            None => Ok(false),
            Some(value) if self.claim.is_met_by(value, position.to_move()) => Ok(true),
            Some(value) => Err(self.fails(Flaw::BadLeaf { position: *position, value })),
        }
    }

    /// Looks up all that is wanted, marks it as reached, and compares distances.
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
