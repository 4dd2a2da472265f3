//! Following a proof in the order of discovery.
//!
//! The entries form a queue. It begins with the entries that the proof begins with, and each
//! entry's turn adds those that must follow it. So the turns alone determine the positions. A proof is
//! made in this way, with turns of a guide, and checked in this way, with turns of a file.
//!
//! Why a proof that was followed to its end holds: [`Steps`] refuses turns that are not legal and
//! leaves that are not good enough for the claim. Of each position after a turn, all replies are
//! generated, and each is a leaf or is put into the queue. The queue is left when every entry in it has
//! a turn. So whoever plays these turns is always at an entry when it is to move, and reaches no bad
//! leaf. That is at least a draw. For a win, play must end too, which the
//! [distances](crate::distances) show.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona_core::{Position, Stones};
use fanorona_tablebase::memory_available;
use rayon::prelude::*;

use crate::distances::{ENDLESS, distances};
use crate::error::{CertificateError, Flaw};
use crate::fast_hash::FastHash;
use crate::format::Reader;
use crate::leaves::Ends;
use crate::memory::{bytes_when_growing, map_bytes};
use crate::steps::{Buffers, Steps};

type Result<T> = std::result::Result<T, CertificateError>;

/// The most entries that are followed together, and how many of them a thread takes at a time.
const TOGETHER: usize = if cfg!(test) { 4 } else { 1 << 14 };
const AT_A_TIME: usize = if cfg!(test) { 2 } else { 1 << 7 };

/// An entry of a proof: a position in which the prover is to move, and its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub stones: Stones,
    /// The number of the prover's turn in the generator's order.
    pub turn: u32,
    /// The distance to conversion in a proof of a win: one more than the largest distance among the
    /// next entries with the same number of stones, or 0 if there are none. 0 in other proofs.
    pub distance: u32,
}

/// Where the turns of a proof come from.
pub(crate) trait Turns {
    /// The turns of the first of the next entries of the queue, at least one. None if there are no more
    /// turns.
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

/// The entries found so far, in the order of discovery. Each has a number, from 0.
#[derive(Default)]
pub(crate) struct Queue {
    pub stones: Vec<Stones>,
    /// The turns of the first entries, which were followed.
    pub turns: Vec<u32>,
    pub numbers: HashMap<Stones, u32, FastHash>,
    /// In a proof of a win, pairs of an entry and one of the same number of stones that it leads to.
    links: Vec<(u32, u32)>,
}

/// Follows a proof of a position to its end. Every position that play by the turns can come to is then a
/// good leaf, or in the queue with its turn. Calls `progress` with the number of entries followed.
///
/// # Errors
/// If the proof does not hold, a table cannot be read, a limit is reached, or `turns` fails. Cycles
/// are not looked for.
pub(crate) fn discover<E: Ends>(
    steps: &Steps<'_, E>,
    position: &Position,
    turns: &mut impl Turns,
    limits: Limits<'_>,
    mut progress: impl FnMut(u64),
) -> Result<Queue> {
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
    Ok(queue)
}

impl Queue {
    /// Follows the next entries.
    fn follow<E: Ends>(
        &mut self,
        steps: &Steps<'_, E>,
        turns: &mut impl Turns,
        limits: Limits<'_>,
    ) -> Result<()> {
        limits.check_stop()?;
        let done = self.turns.len();
        let entries = &self.stones[done..self.stones.len().min(done + TOGETHER)];
        let turns = turns.next(entries)?;
        if turns.is_empty() {
            return Err(steps.no_entry(entries[0]));
        }
        // Threads find what must follow. It is added in the order of the entries, whichever thread was
        // first, so that the order of discovery is always the same.
        let next = self.next(&entries[..turns.len()], &turns, steps, limits)?;
        self.turns.extend(turns);
        for (entry, next) in (done as u32..).zip(next) {
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

    /// The entries that must follow each of some entries, which have these turns.
    fn next<E: Ends>(
        &self,
        entries: &[Stones],
        turns: &[u32],
        steps: &Steps<'_, E>,
        limits: Limits<'_>,
    ) -> Result<Vec<Vec<Stones>>> {
        let held = AtomicU64::new(self.memory());
        let entries = entries.par_iter().zip(turns).with_min_len(AT_A_TIME);
        let next = entries.map_init(Buffers::default, |buffers, (entry, turn)| {
            limits.check_stop()?;
            let mut next = Vec::new();
            steps.follow(*entry, *turn, buffers, |stones| next.push(stones))?;
            let bytes = (size_of::<Stones>() * next.capacity()) as u64;
            let held = held.fetch_add(bytes, Ordering::Relaxed) + bytes;
            self.check_memory(held, steps, limits)?;
            Ok(next)
        });
        next.collect()
    }

    /// Whether play can go on for ever from each entry. Entries that lead to a cycle after captures
    /// count too.
    pub(crate) fn endless<E: Ends>(
        &self,
        steps: &Steps<'_, E>,
        limits: Limits<'_>,
    ) -> Result<Vec<bool>> {
        let (mut links, mut entry) = (Vec::new(), 0);
        for (entries, turns) in self.stones.chunks(TOGETHER).zip(self.turns.chunks(TOGETHER)) {
            for next in self.next(entries, turns, steps, limits)? {
                links.extend(next.iter().map(|stones| (entry, self.numbers[stones])));
                entry += 1;
            }
            let bytes = (size_of::<(u32, u32)>() * links.capacity()) as u64;
            self.check_memory(self.memory() + bytes, steps, limits)?;
        }
        Ok(distances(self.stones.len(), links)
            .iter()
            .map(|distance| *distance == ENDLESS)
            .collect())
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
        // What is in the queue already is followed once, which is enough: its turn does not depend on the
        // way that led there.
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
        Err(steps.too_large(entries, limits.memory))
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

    /// The distances to conversion, in the order of discovery: 0 if the claim is no win. To be called
    /// once.
    ///
    /// # Errors
    /// [`Flaw::Cycle`] if play need not end. Links between as many stones are enough to notice that,
    /// because captured stones do not return: play that goes on for ever comes to a number of stones
    /// that it keeps.
    pub(crate) fn distances<E: Ends>(&mut self, steps: &Steps<'_, E>) -> Result<Vec<u32>> {
        let distances = distances(self.stones.len(), std::mem::take(&mut self.links));
        match distances.iter().position(|distance| *distance == ENDLESS) {
            Some(entry) => {
                let position = steps.position(self.stones[entry]);
                Err(steps.fails(Flaw::Cycle { position }))
            }
            None => Ok(distances),
        }
    }
}

/// The turns of a proof in a certificate.
struct StoredTurns<'a> {
    reader: &'a Reader,
    proof: usize,
    /// The turns that are left of the blocks that were read.
    left: std::vec::IntoIter<u32>,
    /// The next one to be read.
    block: usize,
}

impl Turns for StoredTurns<'_> {
    fn next(&mut self, entries: &[Stones]) -> Result<Vec<u32>> {
        // A block is read when an entry needs its first turn. So a small file with very many turns,
        // which compress well, takes no more memory than entries were found.
        if self.left.len() == 0 && self.block < self.reader.blocks(self.proof).end {
            self.left = self.reader.turns(self.proof, self.block)?.into_iter();
            self.block += 1;
        }
        Ok(self.left.by_ref().take(entries.len()).collect())
    }
}

/// Follows a proof of a certificate, and checks that it holds and that no turn is left. Returns its
/// entries in the order of discovery.
///
/// # Errors
/// If the certificate is damaged or the proof does not hold, a table cannot be read, or a limit is
/// reached.
pub(crate) fn discover_stored<E: Ends>(
    reader: &Reader,
    proof: usize,
    ends: &E,
    limits: Limits<'_>,
    progress: impl FnMut(u64),
) -> Result<Vec<Entry>> {
    let steps = Steps::of_proof(reader, proof, ends);
    let position = &reader.header().position;
    let (left, block) = (Vec::new().into_iter(), reader.blocks(proof).start);
    let mut turns = StoredTurns { reader, proof, left, block };
    let mut found = discover(&steps, position, &mut turns, limits, progress)?;
    // The queue took a turn for each entry, so there are at least as many turns.
    let entries = reader.header().proofs[proof].positions;
    match entries - found.stones.len() as u64 {
        0 => {
            found.numbers = HashMap::default();
            let distances = found.distances(&steps)?;
            let entries = found.stones.into_iter().zip(found.turns).zip(distances);
            let entry = |((stones, turn), distance)| Entry { stones, turn, distance };
            Ok(entries.map(entry).collect())
        }
        unreached => Err(steps.fails(Flaw::Unreached { unreached, entries })),
    }
}

#[cfg(test)]
mod tests {
    use fanorona_storage::Access;

    use super::*;
    use crate::leaves::NamedSlices;

    /// A proof that does not fit into the memory is an error that says how far it came.
    #[test]
    fn the_memory_limit_is_kept() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/proofs/5x3-free-capture.proof");
        let (reader, never) =
            (Reader::open(path.as_ref(), Access::READ).unwrap(), AtomicBool::new(false));
        let ends = NamedSlices::new(&reader.header().rules, &[]);
        let follow = |memory| {
            let limits = Limits { memory, stop: &never };
            discover_stored(&reader, 0, &ends, limits, |_| {}).map(|all| all.len() as u64)
        };
        let all = reader.header().proofs[0].positions;
        assert_eq!(follow(u64::MAX).unwrap(), all);
        let mut before = 0;
        for limit in [0, 10_000, 100_000] {
            let found = follow(limit).unwrap_err();
            let CertificateError::EntryMemory { entries, limit: named, .. } = found else {
                panic!("{found}")
            };
            assert_eq!(named, limit);
            assert!(entries >= before && entries < all, "{entries}");
            before = entries;
        }
        assert_eq!(follow(200 * all).unwrap(), all);
    }
}
