//! Following a proof in its order.
//!
//! The entries wait in queues, one for each number of stones. They begin with the entries that the
//! proof begins with, and each entry's turn adds those that must follow it. The next entry is the first
//! of those with the most stones. So the turns alone determine the positions. A proof is made in this
//! way, with turns of a guide, and checked in this way, with turns of a file.
//!
//! Captured stones do not return. So entries with some number of stones are complete when those with as
//! many or more were followed: who looks for one need not follow the many with fewer.
//!
//! Why a proof that was followed to its end holds: [`Steps`] refuses turns that are not legal and
//! leaves that are not good enough for the claim. Of each position after a turn, all replies are
//! generated, and each is a leaf or is put into a queue. The queues are left when every entry in them has
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
use crate::leaves::Ends;
use crate::memory::{bytes_when_growing, map_bytes};
use crate::steps::{StepBuffers, Steps};

type Result<T> = std::result::Result<T, CertificateError>;

/// The bytes of an entry besides the map: stones, turn and distance.
const OF_ENTRY: usize = size_of::<Stones>() + 2 * size_of::<u32>();

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
    /// The most entries that are followed together.
    pub together: usize,
}

impl<'a> Limits<'a> {
    pub(crate) fn new(memory: u64, stop: &'a AtomicBool) -> Self {
        Self { memory, stop, together: 1 << 14 }
    }

    /// The memory that is available now.
    pub(crate) fn available(stop: &'a AtomicBool) -> Self {
        Self::new(memory_available().unwrap_or(u64::MAX), stop)
    }

    pub(crate) fn check_stop(self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(CertificateError::Stopped) } else { Ok(()) }
    }
}

/// Entries with as many stones, in the order in which they are found and followed. Each has a number,
/// from 0.
#[derive(Default)]
pub(crate) struct DiscoveryLayer {
    pub stones: Vec<Stones>,
    /// The turns of the first entries, which were followed.
    pub turns: Vec<u32>,
    pub numbers: HashMap<Stones, u32, FastHash>,
    /// In a proof of a win, pairs of an entry and one of this layer that it leads to.
    links: Vec<(u32, u32)>,
}

/// The entries found so far.
pub(crate) struct Queue {
    /// By number of stones, from 0.
    pub layers: Vec<DiscoveryLayer>,
    /// How many layers are not complete: the first ones.
    open: usize,
    found: u64,
    followed: u64,
    /// The entries of layers that were taken out.
    taken: u64,
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
    let mut queue = Queue::begin(steps, position, limits)?;
    while queue.follow_layer(steps, turns, limits, &mut progress)?.is_some() {}
    Ok(queue)
}

impl Queue {
    /// The entries that the proof of a position begins with.
    pub(crate) fn begin<E: Ends>(
        steps: &Steps<'_, E>,
        position: &Position,
        limits: Limits<'_>,
    ) -> Result<Self> {
        let open = Stones::of(position).count() as usize + 1;
        let layers = (0..open).map(|_| DiscoveryLayer::default()).collect();
        let mut queue = Self { layers, open, found: 0, followed: 0, taken: 0 };
        let mut first = Vec::new();
        steps.begin(position, &mut StepBuffers::default(), |stones| first.push(stones))?;
        for stones in first {
            queue.add(stones, steps, limits)?;
        }
        Ok(queue)
    }

    /// How many layers are not complete: those of fewer stones.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    /// The number of entries followed.
    pub(crate) fn followed(&self) -> u64 {
        self.followed
    }

    /// Follows the entries with the most stones, and returns the number of these stones. `None` if all
    /// were followed.
    pub(crate) fn follow_layer<E: Ends>(
        &mut self,
        steps: &Steps<'_, E>,
        turns: &mut impl Turns,
        limits: Limits<'_>,
        progress: &mut impl FnMut(u64),
    ) -> Result<Option<usize>> {
        let Some(count) = self.open.checked_sub(1) else { return Ok(None) };
        while self.layers[count].turns.len() < self.layers[count].stones.len() {
            self.follow(count, steps, turns, limits)?;
            progress(self.followed);
        }
        self.open = count;
        Ok(Some(count))
    }

    /// Follows the next entries of a layer.
    fn follow<E: Ends>(
        &mut self,
        count: usize,
        steps: &Steps<'_, E>,
        turns: &mut impl Turns,
        limits: Limits<'_>,
    ) -> Result<()> {
        limits.check_stop()?;
        let layer = &self.layers[count];
        let done = layer.turns.len();
        let entries = &layer.stones[done..layer.stones.len().min(done + limits.together)];
        let turns = turns.next(entries)?;
        if turns.is_empty() {
            return Err(steps.no_entry(entries[0]));
        }
        // Threads find what must follow. It is added in the order of the entries, whichever thread was
        // first, so that the order is always the same.
        let next = self.next(&entries[..turns.len()], &turns, steps, limits)?;
        self.followed += turns.len() as u64;
        self.layers[count].turns.extend(turns);
        for (entry, next) in (done as u32..).zip(next) {
            for stones in next {
                let number = self.add(stones, steps, limits)?;
                if steps.claim.is_win() && stones.count() as usize == count {
                    self.layers[count].links.push((entry, number));
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
        // A thread takes some at a time.
        let entries = entries.par_iter().zip(turns).with_min_len((limits.together / 128).max(1));
        let next = entries.map_init(StepBuffers::default, |buffers, (entry, turn)| {
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

    /// Whether play can go on for ever from each entry of each layer. Entries that lead to a cycle
    /// after captures count too.
    pub(crate) fn endless<E: Ends>(
        &self,
        steps: &Steps<'_, E>,
        limits: Limits<'_>,
    ) -> Result<Vec<Vec<bool>>> {
        let mut endless: Vec<Vec<bool>> = Vec::new();
        for (count, layer) in self.layers.iter().enumerate() {
            let (mut links, mut entry) = (Vec::new(), 0);
            let turns = layer.turns.chunks(limits.together);
            for (entries, turns) in layer.stones.chunks(limits.together).zip(turns) {
                for next in self.next(entries, turns, steps, limits)? {
                    for stones in next {
                        let to = stones.count() as usize;
                        let number = self.layers[to].numbers[&stones];
                        if to == count {
                            links.push((entry, number));
                        } else if endless[to][number as usize] {
                            // As good as a cycle.
                            links.push((entry, entry));
                        }
                    }
                    entry += 1;
                }
                let bytes = (size_of::<(u32, u32)>() * links.capacity()) as u64;
                self.check_memory(self.memory() + bytes, steps, limits)?;
            }
            let distances = distances(layer.stones.len(), links);
            endless.push(distances.iter().map(|distance| *distance == ENDLESS).collect());
        }
        Ok(endless)
    }

    /// The number of the entry with these stones in its layer. It is added if it is new.
    fn add<E: Ends>(
        &mut self,
        stones: Stones,
        steps: &Steps<'_, E>,
        limits: Limits<'_>,
    ) -> Result<u32> {
        let layer = &self.layers[stones.count() as usize];
        if layer.is_full() || self.found == u64::from(u32::MAX) {
            self.check_memory(self.memory(), steps, limits)?;
        }
        let layer = &mut self.layers[stones.count() as usize];
        let number = layer.stones.len() as u32;
        // What is in the queue already is followed once, which is enough: its turn does not depend on the
        // way that led there.
        match layer.numbers.entry(stones) {
            Slot::Occupied(slot) => return Ok(*slot.get()),
            Slot::Vacant(slot) => slot.insert(number),
        };
        layer.stones.push(stones);
        self.found += 1;
        Ok(number)
    }

    fn check_memory<E: Ends>(
        &self,
        bytes: u64,
        steps: &Steps<'_, E>,
        limits: Limits<'_>,
    ) -> Result<()> {
        if bytes <= limits.memory && self.found < u32::MAX.into() {
            return Ok(());
        }
        Err(steps.too_large(self.found, limits.memory))
    }

    /// The bytes that the queue takes with one entry more in each layer, and those of the entries that
    /// were taken out.
    fn memory(&self) -> u64 {
        let taken = self.taken * OF_ENTRY as u64;
        self.layers.iter().map(DiscoveryLayer::memory).sum::<u64>() + taken
    }

    /// Takes a complete layer out.
    pub(crate) fn take(&mut self, count: usize) -> DiscoveryLayer {
        let layer = std::mem::take(&mut self.layers[count]);
        self.taken += layer.stones.len() as u64;
        layer
    }

    /// Checks that play by a win ends. To be called once, when all entries were followed.
    ///
    /// # Errors
    /// As for [`DiscoveryLayer::distances`].
    pub(crate) fn check_ends<E: Ends>(&mut self, steps: &Steps<'_, E>) -> Result<()> {
        self.layers.iter_mut().try_for_each(|layer| layer.distances(steps).map(drop))
    }

    /// The turns of all entries, in the order in which they were followed.
    pub(crate) fn turns(&self) -> Vec<u32> {
        self.layers.iter().rev().flat_map(|layer| &layer.turns).copied().collect()
    }
}

impl DiscoveryLayer {
    /// Whether the next entry makes a list or the map larger.
    fn is_full(&self) -> bool {
        self.stones.len() == self.stones.capacity() || self.numbers.len() == self.numbers.capacity()
    }

    /// The bytes that the layer takes with one entry more, and those that the distances will take.
    fn memory(&self) -> u64 {
        let Self { stones, numbers, links, .. } = self;
        let list = |entries| (entries * OF_ENTRY) as u64;
        bytes_when_growing(stones.len(), stones.capacity(), list)
            + bytes_when_growing(numbers.len(), numbers.capacity(), map_bytes::<Stones, u32>)
            + (links.capacity() * size_of::<(u32, u32)>()) as u64
    }

    /// The distances to conversion: 0 if the claim is no win. To be called once, when the layer is
    /// complete.
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
