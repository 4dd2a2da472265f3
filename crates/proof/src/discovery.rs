//! Following a proof in the order of discovery, which certificates that store only turns need.
//!
//! The entries form a queue. It begins with the entries that the proof begins with, and each
//! entry's turn adds those that must follow it. So the turns alone determine the positions, and a
//! proof that is followed to its end is checked: every turn is legal, every leaf is good enough for
//! the claim, and no position lacks a turn. The distances of a win follow from the positions.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona_core::Position;
use fanorona_tablebase::memory_available;
use rayon::prelude::*;

use crate::distances::distances;
use crate::error::{CertificateError, Flaw};
use crate::format::{Entry, Reader};
use crate::leaves::Ends;
use crate::memory::{bytes_when_growing, map_bytes};
use crate::steps::{Buffers, Steps};
use crate::stones::Stones;

type Result<T> = std::result::Result<T, CertificateError>;

/// The number of entries that are followed together, and how many of them a thread takes at a time.
const TOGETHER: usize = if cfg!(test) { 4 } else { 1 << 14 };
const AT_A_TIME: usize = if cfg!(test) { 2 } else { 1 << 7 };

/// Where the turns of a proof come from.
pub(crate) trait Turns {
    /// The turns of the next entries of the queue. Fewer of them if there are no more.
    fn next(&mut self, entries: &[Stones]) -> Result<Vec<u32>>;
}

/// Limits of following a proof.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'a> {
    /// The most memory for the entries, in bytes.
    pub memory: u64,
    pub stop: &'a AtomicBool,
}

impl<'a> Limits<'a> {
    /// The memory that is available now.
    pub(crate) fn available(stop: &'a AtomicBool) -> Self {
        Self { memory: memory_available().unwrap_or(u64::MAX), stop }
    }

    pub(crate) fn check_stop(self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(CertificateError::Stopped) } else { Ok(()) }
    }
}

/// The entries found so far.
#[derive(Default)]
struct Queue {
    stones: Vec<Stones>,
    turns: Vec<u32>,
    numbers: HashMap<Stones, u32>,
    /// In a proof of a win, pairs of an entry and one of the same number of stones that it leads to.
    links: Vec<(u32, u32)>,
}

/// Follows a proof of a position. Returns its entries in the order of discovery. Their distances
/// are right for a win, and 0 otherwise. Calls `progress` with the number of entries followed.
///
/// # Errors
/// If the proof does not hold, a table cannot be read, a limit is reached, or `turns` fails.
pub(crate) fn discover<E: Ends>(
    steps: &Steps<'_, E>,
    position: &Position,
    turns: &mut impl Turns,
    limits: Limits<'_>,
    progress: &(impl Fn(u64) + Sync),
) -> Result<Vec<Entry>> {
    let mut queue = Queue::default();
    let mut first = Vec::new();
    steps.begin(position, &mut Buffers::default(), |stones| first.push(stones))?;
    for stones in first {
        queue.add(stones, steps, limits)?;
    }
    while queue.turns.len() < queue.stones.len() {
        queue.follow(steps, turns, limits)?;
        progress(queue.turns.len() as u64);
    }
    queue.into_entries(steps)
}

impl Queue {
    /// Follows the next entries.
    fn follow<E: Ends>(
        &mut self,
        steps: &Steps<'_, E>,
        turns: &mut impl Turns,
        limits: Limits<'_>,
    ) -> Result<()> {
        let done = self.turns.len();
        let entries = &self.stones[done..self.stones.len().min(done + TOGETHER)];
        let found = turns.next(entries)?;
        if let Some(without) = entries.get(found.len()) {
            return Err(steps.no_entry(*without));
        }
        let held = AtomicU64::new(self.memory());
        // For each entry, the entries that must follow it.
        let next: Vec<Vec<Vec<Stones>>> = entries
            .par_chunks(AT_A_TIME)
            .zip(found.par_chunks(AT_A_TIME))
            .map(|(entries, turns)| {
                let mut buffers = Buffers::default();
                let follow = |(entry, turn): (&Stones, &u32)| {
                    limits.check_stop()?;
                    let mut next = Vec::new();
                    steps.follow(*entry, *turn, &mut buffers, |stones| next.push(stones))?;
                    let bytes = (size_of::<Stones>() * next.capacity()) as u64;
                    let held = held.fetch_add(bytes, Ordering::Relaxed) + bytes;
                    self.check_memory(held, steps, limits)?;
                    Ok(next)
                };
                entries.iter().zip(turns).map(follow).collect::<Result<_>>()
            })
            .collect::<Result<_>>()?;
        self.turns.extend(found);
        for (entry, next) in (done as u32..).zip(next.into_iter().flatten()) {
            let count = self.stones[entry as usize].count();
            for stones in next {
                let number = self.add(stones, steps, limits)?;
                if steps.claim.is_win() && stones.count() == count {
                    self.links.push((entry, number));
                }
            }
        }
        Ok(())
    }

    /// The number of the entry with these stones, which is added if it is new.
    fn add<E: Ends>(
        &mut self,
        stones: Stones,
        steps: &Steps<'_, E>,
        limits: Limits<'_>,
    ) -> Result<u32> {
        let number = self.stones.len() as u32;
        if self.is_full() || number == u32::MAX {
            self.check_memory(self.memory(), steps, limits)?;
        }
        match self.numbers.entry(stones) {
            Slot::Occupied(slot) => return Ok(*slot.get()),
            Slot::Vacant(slot) => slot.insert(number),
        };
        self.stones.push(stones);
        Ok(number)
    }

    /// Whether the next entry makes a list or the map larger.
    fn is_full(&self) -> bool {
        self.stones.len() == self.stones.capacity() || self.numbers.len() == self.numbers.capacity()
    }

    fn check_memory<E: Ends>(
        &self,
        bytes: u64,
        steps: &Steps<'_, E>,
        limits: Limits<'_>,
    ) -> Result<()> {
        let entries = self.stones.len() as u64;
        if bytes <= limits.memory && entries < u32::MAX.into() {
            return Ok(());
        }
        let (path, limit) = (steps.path().to_owned(), limits.memory);
        Err(CertificateError::EntryMemory { path, entries, limit })
    }

    /// The bytes that the queue takes with one entry more, and those that the distances will take.
    fn memory(&self) -> u64 {
        let Self { stones, numbers, links, .. } = self;
        let of_entries = size_of::<Stones>() + 2 * size_of::<u32>();
        let list = |entries| (entries * of_entries) as u64;
        bytes_when_growing(stones.len(), stones.capacity(), list)
            + bytes_when_growing(numbers.len(), numbers.capacity(), map_bytes::<Stones, u32>)
            + (links.capacity() * size_of::<(u32, u32)>()) as u64
    }

    fn into_entries<E: Ends>(self, steps: &Steps<'_, E>) -> Result<Vec<Entry>> {
        let Self { stones, turns, numbers, links } = self;
        drop(numbers);
        let distances = distances(stones.len(), links).map_err(|entry| {
            match steps.position(stones[entry as usize]) {
                Ok(position) => steps.fails(Flaw::Cycle { position }),
                Err(error) => error,
            }
        })?;
        let entries = stones.into_iter().zip(turns).zip(distances);
        Ok(entries.map(|((stones, turn), distance)| Entry { stones, turn, distance }).collect())
    }
}

/// The turns of a proof in a certificate that stores only turns.
pub(crate) struct StoredTurns<'a> {
    reader: &'a Reader,
    /// The number of the proof.
    proof: usize,
    /// The turns of the current block that are left, in reverse order.
    left: Vec<u32>,
    /// The next block.
    block: usize,
}

impl<'a> StoredTurns<'a> {
    pub(crate) fn new(reader: &'a Reader, proof: usize) -> Self {
        Self { reader, proof, left: Vec::new(), block: reader.blocks(proof).start }
    }
}

impl Turns for StoredTurns<'_> {
    fn next(&mut self, entries: &[Stones]) -> Result<Vec<u32>> {
        let mut turns = Vec::with_capacity(entries.len());
        while turns.len() < entries.len() {
            if self.left.is_empty() {
                if self.block == self.reader.blocks(self.proof).end {
                    break;
                }
                self.left = self.reader.turns(self.proof, self.block)?;
                self.left.reverse();
                self.block += 1;
            }
            let wanted = self.left.len().min(entries.len() - turns.len());
            turns.extend(self.left.drain(self.left.len() - wanted..).rev());
        }
        Ok(turns)
    }
}

/// The turns of sorted entries.
pub(crate) struct TurnsOf<'a>(pub &'a [Entry]);

impl Turns for TurnsOf<'_> {
    fn next(&mut self, entries: &[Stones]) -> Result<Vec<u32>> {
        let turn = |stones: &Stones| {
            let index = self.0.binary_search_by_key(stones, |entry| entry.stones).ok()?;
            Some(self.0[index].turn)
        };
        Ok(entries.iter().map_while(turn).collect())
    }
}

/// Follows a proof in a certificate that stores only turns, and checks that no turn is left.
pub(crate) fn discover_stored<E: Ends>(
    reader: &Reader,
    proof: usize,
    ends: &E,
    limits: Limits<'_>,
    progress: &(impl Fn(u64) + Sync),
) -> Result<Vec<Entry>> {
    let steps = Steps::new(reader, proof, ends);
    let position = &reader.header().position;
    let found = discover(&steps, position, &mut StoredTurns::new(reader, proof), limits, progress)?;
    let entries = reader.header().proofs[proof].positions;
    match entries - found.len() as u64 {
        0 => Ok(found),
        unreached => Err(steps.fails(Flaw::Unreached { unreached, entries })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::Certificate;
    use crate::contents;

    /// A proof that does not fit into the memory is an error that says how far it came.
    #[test]
    fn the_memory_limit_is_kept() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/proofs/5x3-free-capture.proof");
        let certificate = Certificate::open(path).unwrap();
        let (dir, never) = (tempfile::tempdir().unwrap(), AtomicBool::new(false));
        let path = dir.path().join("turns.proof");
        certificate.rewrite(&path, crate::format::Form::Turns, &never).unwrap();
        let turns = Certificate::open(&path).unwrap();
        let follow = |memory| {
            contents::entries(turns.reader(), 0, Limits { memory, stop: &never })
                .map(|all| all.len())
        };
        let all = turns.proofs()[0].positions as usize;
        assert_eq!(follow(u64::MAX).unwrap(), all);
        let mut before = 0;
        for limit in [0, 10_000, 100_000] {
            let found = follow(limit).unwrap_err();
            let CertificateError::EntryMemory { entries, limit: named, .. } = found else {
                panic!("{found}")
            };
            assert_eq!(named, limit);
            assert!(entries as usize >= before && entries < all as u64, "{entries}");
            before = entries as usize;
        }
        assert_eq!(follow(200 * all as u64).unwrap(), all);
    }
}
