//! The entries of a proof, in the order in which they have their turns.

use std::hash::{BuildHasher, RandomState};

/// Own and opponent's set of an entry.
type Stones = (u64, u64);

/// The number of stones of an entry.
pub(crate) fn count((own, opponent): Stones) -> usize {
    (own.count_ones() + opponent.count_ones()) as usize
}

/// The entries that wait, and those that were taken: those with the most stones come first.
#[derive(Debug)]
pub(crate) struct Queues {
    /// By number of stones, from 0.
    queues: Vec<Queue>,
    /// How many entries more there may be.
    left: usize,
}

impl Queues {
    /// For entries with up to this number of stones.
    pub(crate) fn new(most: usize, limit: usize) -> Self {
        Self { queues: (0..=most).map(|_| Queue::new()).collect(), left: limit }
    }

    /// The entry with this number among those with as many stones.
    pub(crate) fn stones(&self, count: usize, entry: usize) -> Option<Stones> {
        self.queues[count].stones.get(entry).copied()
    }

    /// The number of the entry with these stones among those with as many.
    pub(crate) fn find(&self, stones: Stones) -> Option<usize> {
        self.queues[count(stones)].find(stones)
    }

    /// Appends an entry that is not there. `None` if there are as many as there may be.
    pub(crate) fn add(&mut self, stones: Stones) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        Some(self.queues[count(stones)].add(stones))
    }
}

/// Entries with as many stones. Those that were taken stay, so that none comes up again.
#[derive(Debug)]
struct Queue {
    /// All entries in their order.
    stones: Vec<Stones>,
    /// A hash table: the number of an entry plus 1, or 0. Its length is a power of two and at least
    /// twice the number of entries.
    slots: Vec<u32>,
    /// With keys of its own, so that no file can be made of stones with one hash.
    hasher: RandomState,
}

impl Queue {
    fn new() -> Self {
        Self { stones: Vec::new(), slots: vec![0; 2], hasher: RandomState::new() }
    }

    fn find(&self, stones: Stones) -> Option<usize> {
        match self.slots[self.slot(stones)] {
            0 => None,
            number => Some(number as usize - 1),
        }
    }

    fn add(&mut self, stones: Stones) -> usize {
        let number = self.stones.len();
        self.stones.push(stones);
        if 2 * self.stones.len() > self.slots.len() {
            self.slots = vec![0; 2 * self.slots.len()];
            for number in 0..=number {
                let slot = self.slot(self.stones[number]);
                self.slots[slot] = number as u32 + 1;
            }
        } else {
            let slot = self.slot(stones);
            self.slots[slot] = number as u32 + 1;
        }
        number
    }

    /// The slot with the number of this entry, or the empty one where it belongs.
    fn slot(&self, stones: Stones) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(stones) as usize & mask;
        loop {
            let number = self.slots[slot] as usize;
            if number == 0 || self.stones[number - 1] == stones {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }
}

/// Which entries with as many stones follow each entry.
#[derive(Debug, Default)]
pub(crate) struct Followers {
    /// Those of the first entry, then those of the second one, and so on.
    followers: Vec<u32>,
    /// Where those of each entry end.
    ends: Vec<usize>,
}

impl Followers {
    /// The followers of the next entry, each once. Returns how many there are of all entries.
    pub(crate) fn push(&mut self, followers: impl Iterator<Item = usize>) -> usize {
        self.followers.extend(followers.map(|follower| follower as u32));
        self.ends.push(self.followers.len());
        self.followers.len()
    }

    /// An entry from which followers lead back to it.
    pub(crate) fn cycle(&self) -> Option<usize> {
        /// For an entry from which no cycle can be reached.
        const DONE: u32 = u32::MAX;
        // How many followers of each entry were looked at.
        let mut looked_at = vec![0; self.ends.len()];
        let mut path: Vec<usize> = Vec::new();
        for first in 0..self.ends.len() {
            if looked_at[first] != DONE {
                path.push(first);
            }
            while let Some(entry) = path.last().copied() {
                let Some(follower) = self.of(entry).get(looked_at[entry] as usize) else {
                    looked_at[entry] = DONE;
                    path.pop();
                    continue;
                };
                looked_at[entry] += 1;
                let follower = *follower as usize;
                match looked_at[follower] {
                    DONE => {}
                    0 => path.push(follower),
                    // A search from there began and did not end, so it is on the path.
                    _ => return Some(follower),
                }
            }
        }
        None
    }

    fn of(&self, entry: usize) -> &[u32] {
        let start = entry.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.followers[start..self.ends[entry]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_have_each_entry_once() {
        let mut queues = Queues::new(13, 5000);
        let mut lengths = [0; 14];
        let all = (0..5000_u64).map(|number| (number % 71, number / 71));
        let mut numbers = Vec::new();
        for stones in all.clone() {
            let length = &mut lengths[count(stones)];
            assert_eq!(queues.find(stones), None);
            assert_eq!(queues.add(stones), Some(*length));
            numbers.push(*length);
            *length += 1;
        }
        for (stones, number) in all.zip(numbers) {
            assert_eq!(queues.find(stones), Some(number));
            assert_eq!(queues.stones(count(stones), number), Some(stones));
        }
        assert_eq!(queues.add((1000, 1000)), None);
        assert_eq!(queues.find((1000, 1000)), None);
        for (count, length) in lengths.into_iter().enumerate() {
            assert_eq!(queues.stones(count, length), None);
        }
    }

    /// A slow search: from each entry, everything that it leads to.
    fn is_in_cycle(graph: &[Vec<usize>], entry: usize) -> bool {
        let mut seen = vec![false; graph.len()];
        let mut waiting = graph[entry].clone();
        while let Some(next) = waiting.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                waiting.extend(&graph[next]);
            }
        }
        seen[entry]
    }

    #[test]
    fn cycles_are_found() {
        let mut random = 88_172_645_463_325_252_u64;
        let mut below = |bound: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % bound as u64) as usize
        };
        let mut found = [0, 0];
        for _ in 0..5000 {
            let size = 1 + below(8);
            let edges = below(2 * size);
            let mut graph = vec![Vec::new(); size];
            for _ in 0..edges {
                graph[below(size)].push(below(size));
            }
            let mut followers = Followers::default();
            for entry in &mut graph {
                entry.sort_unstable();
                entry.dedup();
                followers.push(entry.iter().copied());
            }
            let cycle = followers.cycle();
            found[usize::from(cycle.is_some())] += 1;
            match cycle {
                Some(entry) => assert!(is_in_cycle(&graph, entry), "{graph:?}"),
                None => assert!((0..size).all(|entry| !is_in_cycle(&graph, entry)), "{graph:?}"),
            }
        }
        assert!(found.iter().all(|count| *count > 500), "{found:?}");
    }
}
