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
//! leaf. That is at least a draw. For a win, play must end too, which the [`distances`] show.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::sync::atomic::{AtomicU64, Ordering};

use fanorona_core::{Position, Stones};
use rayon::prelude::*;

use crate::error::{Flaw, Result};
use crate::maps::{FastHash, bytes_when_growing, map_bytes};
use crate::steps::{StepBuffers, Steps};

/// The bytes of an entry besides the map: stones, turn and distance.
const OF_ENTRY: usize = size_of::<Stones>() + 2 * size_of::<u32>();

/// Where the turns of a proof come from: gives those of the first of the next entries of the queue, at
/// least one. None if there are no more turns.
pub(crate) type Turns<'t> = dyn FnMut(&[Stones]) -> Result<Vec<u32>> + 't;

/// Entries with as many stones, in the order in which they are found and followed. Each has a number,
/// from 0.
#[derive(Debug, Default)]
pub(crate) struct DiscoveryLayer {
    pub stones: Vec<Stones>,
    /// The turns of the first entries, which were followed.
    pub turns: Vec<u32>,
    pub numbers: HashMap<Stones, u32, FastHash>,
    /// In a proof of a win, pairs of an entry and one of this layer that it leads to.
    links: Vec<(u32, u32)>,
}

#[derive(Debug)]
pub(crate) struct Queue {
    /// By number of stones, from 0.
    pub layers: Vec<DiscoveryLayer>,
    /// How many layers are not complete: those of fewer stones.
    pub open: usize,
    found: u64,
    pub followed: u64,
    /// The entries of layers that were taken out.
    taken: u64,
}

/// Follows a proof of a position to its end. Every position that play by the turns can come to is then a
/// good leaf, or in the queue with its turn. Calls `progress` with the number of entries followed.
/// Cycles are not looked for.
pub(crate) fn discover(
    steps: &Steps<'_>,
    position: &Position,
    turns: &mut Turns<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<Queue> {
    let mut queue = Queue::begin(steps, position)?;
    while queue.follow_layer(steps, turns, progress)?.is_some() {}
    Ok(queue)
}

impl Queue {
    pub(crate) fn begin(steps: &Steps<'_>, position: &Position) -> Result<Self> {
        let open = Stones::of(position).count() as usize + 1;
        let layers = (0..open).map(|_| DiscoveryLayer::default()).collect();
        let mut queue = Self { layers, open, found: 0, followed: 0, taken: 0 };
        let mut first = Vec::new();
        steps.begin(position, |stones| first.push(stones))?;
        for stones in first {
            queue.add(stones, steps)?;
        }
        Ok(queue)
    }

    /// Follows the entries with the most stones, and returns the number of these stones. `None` if all
    /// were followed.
    pub(crate) fn follow_layer(
        &mut self,
        steps: &Steps<'_>,
        turns: &mut Turns<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Option<usize>> {
        let Some(count) = self.open.checked_sub(1) else { return Ok(None) };
        while self.layers[count].turns.len() < self.layers[count].stones.len() {
            self.follow(count, steps, turns)?;
            progress(self.followed);
        }
        self.open = count;
        Ok(Some(count))
    }

    fn follow(&mut self, count: usize, steps: &Steps<'_>, turns: &mut Turns<'_>) -> Result<()> {
        steps.check_stop()?;
        let layer = &self.layers[count];
        let done = layer.turns.len();
        let entries = &layer.stones[done..layer.stones.len().min(done + steps.limits.together)];
        let turns = turns(entries)?;
        if turns.is_empty() {
            return Err(steps.fails(Flaw::NoEntry { position: steps.position(entries[0]) }));
        }
        // Threads find what must follow. It is added in the order of the entries, whichever thread was
        // first, so that the order is always the same.
        let next = self.next(&entries[..turns.len()], &turns, steps)?;
        self.followed += turns.len() as u64;
        self.layers[count].turns.extend(turns);
        for (entry, next) in (done as u32..).zip(next) {
            for stones in next {
                let number = self.add(stones, steps)?;
                if steps.claim.is_win() && stones.count() as usize == count {
                    self.layers[count].links.push((entry, number));
                }
            }
        }
        Ok(())
    }

    /// The entries that must follow each of some entries, which have these turns.
    fn next(
        &self,
        entries: &[Stones],
        turns: &[u32],
        steps: &Steps<'_>,
    ) -> Result<Vec<Vec<Stones>>> {
        let held = AtomicU64::new(self.memory());
        // A thread takes some at a time.
        let entries =
            entries.par_iter().zip(turns).with_min_len((steps.limits.together / 128).max(1));
        let next = entries.map_init(StepBuffers::default, |buffers, (entry, turn)| {
            steps.check_stop()?;
            let mut next = Vec::new();
            steps.follow(*entry, *turn, buffers, |stones| next.push(stones))?;
            let bytes = (size_of::<Stones>() * next.capacity()) as u64;
            let held = held.fetch_add(bytes, Ordering::Relaxed) + bytes;
            self.check_memory(held, steps)?;
            Ok(next)
        });
        next.collect()
    }

    /// Whether play can go on for ever from each entry of each layer. Entries that lead to a cycle
    /// after captures count too.
    pub(crate) fn endless(&self, steps: &Steps<'_>) -> Result<Vec<Vec<bool>>> {
        let together = steps.limits.together;
        let mut endless: Vec<Vec<bool>> = Vec::new();
        for (count, layer) in self.layers.iter().enumerate() {
            let (mut links, mut entry) = (Vec::new(), 0);
            let turns = layer.turns.chunks(together);
            for (entries, turns) in layer.stones.chunks(together).zip(turns) {
                for next in self.next(entries, turns, steps)? {
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
                self.check_memory(self.memory() + bytes, steps)?;
            }
            let distances = distances(layer.stones.len(), links);
            endless.push(distances.iter().map(|distance| *distance == ENDLESS).collect());
        }
        Ok(endless)
    }

    /// The number of the entry with these stones in its layer. It is added if it is new.
    fn add(&mut self, stones: Stones, steps: &Steps<'_>) -> Result<u32> {
        let layer = &self.layers[stones.count() as usize];
        if layer.is_full() || self.found == u64::from(u32::MAX) {
            self.check_memory(self.memory(), steps)?;
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

    fn check_memory(&self, bytes: u64, steps: &Steps<'_>) -> Result<()> {
        if bytes <= steps.limits.memory && self.found < u32::MAX.into() {
            return Ok(());
        }
        Err(steps.too_large(self.found))
    }

    /// The bytes that the queue takes with one entry more in each layer, and those of the entries that
    /// were taken out.
    fn memory(&self) -> u64 {
        let taken = self.taken * OF_ENTRY as u64;
        self.layers.iter().map(DiscoveryLayer::memory).sum::<u64>() + taken
    }

    pub(crate) fn take(&mut self, count: usize) -> DiscoveryLayer {
        let layer = std::mem::take(&mut self.layers[count]);
        self.taken += layer.stones.len() as u64;
        layer
    }

    /// Checks that play by a win ends. To be called once, when all entries were followed.
    pub(crate) fn check_ends(&mut self, steps: &Steps<'_>) -> Result<()> {
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
    /// complete. If play need not end, the error is a [`Flaw::Cycle`]: links between as many stones are
    /// enough to notice that, because captured stones do not return.
    pub(crate) fn distances(&mut self, steps: &Steps<'_>) -> Result<Vec<u32>> {
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

/// The distance of an entry from which play can go on for ever.
const ENDLESS: u32 = u32::MAX;

/// The distance of each of `count` entries: one more than the largest distance among the entries
/// that it leads to, or 0 if it leads to none. [`ENDLESS`] if it leads to a cycle.
///
/// `links` are pairs of an entry and one that it leads to. They may occur several times. Takes 8 bytes
/// for each link and 12 for each entry, and linear time except for sorting the links.
fn distances(count: usize, mut links: Vec<(u32, u32)>) -> Vec<u32> {
    links.sort_unstable_by_key(|(from, to)| (*to, *from));
    links.dedup();
    // For each entry, the number of links that lead from it to an entry that is not done. Entries
    // without any are done, and this is passed backward. What leads to a cycle never gets there: of
    // the entries of the cycle, none is the first to be done.
    let mut open = vec![0_u32; count];
    links.iter().for_each(|(from, _)| open[*from as usize] += 1);
    let mut distances = vec![0; count];
    let mut ready: Vec<u32> = (0..count as u32).filter(|n| open[*n as usize] == 0).collect();
    while let Some(to) = ready.pop() {
        let first = links.partition_point(|link| link.1 < to);
        for (from, _) in links[first..].iter().take_while(|link| link.1 == to) {
            let from = *from as usize;
            distances[from] = distances[from].max(distances[to as usize] + 1);
            open[from] -= 1;
            if open[from] == 0 {
                ready.push(from as u32);
            }
        }
    }
    for (distance, open) in distances.iter_mut().zip(open) {
        if open > 0 {
            *distance = ENDLESS;
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The length of the longest way from each entry, by trying ways that become longer and longer.
    fn longest(count: usize, links: &[(u32, u32)]) -> Vec<u32> {
        let mut found = vec![0; count];
        // A way of more than `count` steps has a cycle, and its parts have no end either.
        for _ in 0..=2 * count {
            let before = found.clone();
            for (from, to) in links {
                found[*from as usize] = found[*from as usize].max(before[*to as usize] + 1);
            }
        }
        found.iter().map(|way| if *way as usize > count { ENDLESS } else { *way }).collect()
    }

    proptest! {
        #[test]
        fn distances_are_longest_ways(links in proptest::collection::vec((0..9_u32, 0..9_u32), 0..16)) {
            prop_assert_eq!(distances(9, links.clone()), longest(9, &links));
        }
    }
}
