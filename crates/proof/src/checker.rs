//! Checking certificates.
//!
//! An entry is *reached* if it begins the proof, or if it can come up after an entry that is
//! reached. Entries that are reached are checked, in the order of the file, again and again from its
//! beginning until none is left; then every entry has to have been reached. So nothing can be left
//! out, for something leads there, and nothing can be put in. For each entry:
//!
//! - its turn is legal, and the first of those that lead to the same position;
//! - whatever comes next is an entry, or is settled as well as the claim says;
//! - in a proof of a win, its rank is one more than the greatest rank among those next entries that
//!   have as many stones, or 0 if there is none. As no turn adds a stone, play comes to an end.
//!
//! What has to be looked up is collected, sorted, and compared with the file block by block.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona_core::{Position, RuleSet, Turn};
use fanorona_tablebase::Tables;
use rayon::prelude::*;

use crate::claim::Claim;
use crate::error::CertificateError;
use crate::format::{Entry, Reader};
use crate::leaves::Leaves;
use crate::stones::{Stones, View};

type Result<T> = std::result::Result<T, CertificateError>;

/// How many look-ups are collected before they are made; each takes 32 bytes.
const BATCH: usize = 1 << 20;

/// How many words of the set of reached entries a thread takes at a time.
const WORDS: usize = 1 << 9;

/// Checks all proofs of a certificate, and tells the number of their positions.
pub(crate) fn check(
    reader: &Reader,
    tables: Option<&Tables>,
    stop: &AtomicBool,
    progress: &(impl Fn(u64) + Sync),
) -> Result<u64> {
    let header = reader.header();
    let leaves = Leaves::of_named(reader, tables)?;
    let mut positions = 0;
    for (number, proof) in header.proofs.iter().enumerate() {
        let claim = header.claim(proof);
        let entries = usize::try_from(proof.entries).expect("the index has been read");
        let check = ProofCheck {
            reader,
            number,
            rules: header.rules,
            claim,
            view: View::new(header.board, claim.side),
            leaves: &leaves,
            reached: Bits::new(entries),
            checked: Bits::new(entries),
            stop,
        };
        check.run(&|checked| progress(positions + checked))?;
        positions += proof.entries;
    }
    if leaves.named(leaves.take_asked())? != header.tables {
        let why = "it names a table that it does not rest on".to_owned();
        return Err(CertificateError::DoesNotHold { path: reader.path().to_owned(), why });
    }
    Ok(positions)
}

/// One proof that is being checked.
struct ProofCheck<'a> {
    reader: &'a Reader,
    /// Which proof it is.
    number: usize,
    rules: RuleSet,
    claim: Claim,
    view: View,
    leaves: &'a Leaves,
    reached: Bits,
    checked: Bits,
    stop: &'a AtomicBool,
}

/// Entries that come up after others and have to be in the certificate.
#[derive(Default)]
struct Batch {
    /// The stones, and which of the entries below they come after.
    wanted: Vec<(Stones, u32)>,
    before: Vec<Before>,
}

/// An entry in a batch.
struct Before {
    stones: Stones,
    /// The rank that it has.
    rank: u32,
    /// The rank that it should have, by what has been looked up.
    expected: u32,
}

impl ProofCheck<'_> {
    fn run(&self, progress: &(impl Fn(u64) + Sync)) -> Result<()> {
        self.begin()?;
        let done = AtomicU64::new(0);
        loop {
            let before = done.load(Ordering::Relaxed);
            let ranges = (0..self.reached.words()).into_par_iter().step_by(WORDS);
            ranges.try_for_each(|first| {
                let words = first..self.reached.words().min(first + WORDS);
                let checked = self.check_words(words)?;
                progress(done.fetch_add(checked, Ordering::Relaxed) + checked);
                Ok::<_, CertificateError>(())
            })?;
            let after = done.load(Ordering::Relaxed);
            if after == before {
                break;
            }
        }
        let entries = self.entries();
        match entries - done.into_inner() {
            0 => Ok(()),
            left => Err(self.fails(format!("{left} of its {entries} positions never come up"))),
        }
    }

    fn entries(&self) -> u64 {
        self.reader.header().proofs[self.number].entries
    }

    /// Marks the entries that the proof begins with.
    fn begin(&self) -> Result<()> {
        let position = self.reader.header().position;
        let mut wanted = Vec::new();
        if position.to_move() == self.claim.side && self.leaves.value(&position)?.is_none() {
            wanted.push(self.view.stones(&position));
        } else {
            self.answers(&position, |stones| wanted.push(stones))?;
        }
        let mut batch = Batch::default();
        batch.wanted.extend(wanted.into_iter().map(|stones| (stones, NOTHING)));
        self.look_up(&mut batch)
    }

    /// Checks the entries of some words of the bits that are reached and are not checked yet.
    fn check_words(&self, words: Range<usize>) -> Result<u64> {
        let block_entries = self.reader.header().block_entries as usize;
        let mut block: Option<(usize, Vec<Entry>)> = None;
        let mut batch = Batch::default();
        let mut checked = 0;
        for word in words {
            loop {
                let left = self.reached.word(word) & !self.checked.word(word);
                if left == 0 {
                    break;
                }
                let entry = word * 64 + left.trailing_zeros() as usize;
                self.checked.set(entry);
                checked += 1;
                let number = entry / block_entries;
                if block.as_ref().is_none_or(|(known, _)| *known != number) {
                    self.check_stop()?;
                    block = Some((number, self.reader.block(self.number, number)?));
                }
                let (_, entries) = block.as_ref().expect("it has been read");
                self.check_entry(entries[entry % block_entries], &mut batch)?;
                if batch.wanted.len() >= BATCH {
                    self.look_up(&mut batch)?;
                }
            }
        }
        self.look_up(&mut batch)?;
        Ok(checked)
    }

    /// Checks an entry's turn and what comes after it, but for what has to be looked up.
    fn check_entry(&self, entry: Entry, batch: &mut Batch) -> Result<()> {
        let Entry { stones, turn, rank } = entry;
        let position = self.view.position(stones).map_err(|e| self.fails(e.to_string()))?;
        let mut earlier = Vec::new();
        let found = self.rules.try_for_each_turn(&position, |legal: &Turn| {
            if earlier.len() == turn as usize {
                return ControlFlow::Break(legal.clone());
            }
            earlier.push(position.play_unchecked(legal));
            ControlFlow::Continue(())
        });
        let ControlFlow::Break(turn) = found else {
            return Err(self.fails(format!("there is no turn {turn} at {position}")));
        };
        let after = position.play_unchecked(&turn);
        if earlier.contains(&after) {
            let turn = turn.text(position.board());
            return Err(self.fails(format!("at {position} an earlier turn does what {turn} does")));
        }
        let before = batch.before.len() as u32;
        batch.before.push(Before { stones, rank, expected: 0 });
        self.answers(&after, |stones| batch.wanted.push((stones, before)))
    }

    /// Calls `visit` with the positions that have to be entries if the opponent is to move here.
    fn answers(&self, after: &Position, mut visit: impl FnMut(Stones)) -> Result<()> {
        if self.is_settled(after)? {
            return Ok(());
        }
        let mut answers = Vec::new();
        self.rules.for_each_turn(after, |turn| {
            let answer = after.play_unchecked(turn);
            answers.push((answer.own(), answer.opponent()));
        });
        answers.sort_unstable();
        answers.dedup();
        for (own, opponent) in answers {
            let answer = self.view.position(Stones { own, opponent });
            let answer = answer.map_err(|e| self.fails(e.to_string()))?;
            if !self.is_settled(&answer)? {
                visit(self.view.stones(&answer));
            }
        }
        Ok(())
    }

    /// Whether a position needs no proof; that it is worse than the claim is an error.
    fn is_settled(&self, position: &Position) -> Result<bool> {
        match self.leaves.value(position)? {
            None => Ok(false),
            Some(value) if self.claim.is_met(value, position.to_move()) => Ok(true),
            Some(value) => {
                let why = format!("it comes to {position}, where the side to move has a {value}");
                Err(self.fails(why))
            }
        }
    }

    /// Looks for all that is wanted, marks it as reached, and compares ranks.
    fn look_up(&self, batch: &mut Batch) -> Result<()> {
        let block_entries = self.reader.header().block_entries as usize;
        batch.wanted.sort_unstable();
        let mut block: Option<(usize, Vec<Entry>)> = None;
        for (stones, before) in batch.wanted.drain(..) {
            let missing = || {
                let position = self.view.position(stones).map_err(|e| self.fails(e.to_string()));
                position.map_or_else(|e| e, |p| self.fails(format!("{p} comes up, and is missing")))
            };
            let number = self.reader.block_with(self.number, stones).ok_or_else(missing)?;
            if block.as_ref().is_none_or(|(known, _)| *known != number) {
                self.check_stop()?;
                block = Some((number, self.reader.block(self.number, number)?));
            }
            let (_, entries) = block.as_ref().expect("it has been read");
            let place = entries.binary_search_by_key(&stones, |entry| entry.stones);
            let place = place.map_err(|_| missing())?;
            self.reached.set(number * block_entries + place);
            if before != NOTHING {
                let before = &mut batch.before[before as usize];
                if before.stones.count() == stones.count() {
                    let least = entries[place].rank.checked_add(1);
                    let least = least.ok_or_else(|| self.fails("a rank is too high".to_owned()))?;
                    before.expected = before.expected.max(least);
                }
            }
        }
        if self.claim.is_win()
            && let Some(wrong) = batch.before.iter().find(|before| before.rank != before.expected)
        {
            let Before { rank, expected, .. } = *wrong;
            let position =
                self.view.position(wrong.stones).map_err(|e| self.fails(e.to_string()))?;
            let why = format!("{position} has the rank {rank}, and should have {expected}");
            return Err(self.fails(why));
        }
        batch.before.clear();
        Ok(())
    }

    fn fails(&self, why: String) -> CertificateError {
        CertificateError::DoesNotHold { path: self.reader.path().to_owned(), why }
    }

    fn check_stop(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(CertificateError::Stopped);
        }
        Ok(())
    }
}

/// What stands for the entry before, where there is none.
const NOTHING: u32 = u32::MAX;

/// A set of entries that threads share.
struct Bits(Vec<AtomicU64>);

impl Bits {
    fn new(len: usize) -> Self {
        Self((0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn words(&self) -> usize {
        self.0.len()
    }

    fn word(&self, word: usize) -> u64 {
        self.0[word].load(Ordering::Relaxed)
    }

    fn set(&self, bit: usize) {
        self.0[bit / 64].fetch_or(1 << (bit % 64), Ordering::Relaxed);
    }
}
