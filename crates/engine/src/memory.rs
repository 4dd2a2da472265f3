//! The transposition table: fixed in size, shared by all threads without locks.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use fanorona_storage::Zeroed;

use crate::EngineError;

/// The relation of the position's score at a depth to the stored one: equal, at least or at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Exact = 1,
    Lower = 2,
    Upper = 3,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stored {
    pub score: i16,
    pub depth: u8,
    pub bound: Bound,
    /// The hash of the best successor.
    pub best: u16,
    /// The estimate of the position.
    pub estimate: i16,
}

/// The words of a slot: a check, which is the key xor the data, so that a slot that two threads wrote
/// at the same time matches no key (R. Hyatt and T. Mann, "A lock-less transposition table
/// implementation for parallel search", ICGA Journal 25, 2002), and the data.
type Slot = [AtomicU64; 2];

/// The slots of a cache line.
const SLOTS: usize = 4;

/// The transposition table.
pub(crate) struct Memory {
    words: Zeroed,
    buckets: usize,
    /// Grows with each search, so that entries of earlier searches are replaced first.
    generation: AtomicU8,
}

/// The number of distinct generations.
const GENERATIONS: u8 = 64;

impl Memory {
    /// A table of at most this number of bytes; at least one bucket.
    pub(crate) fn new(bytes: usize) -> Result<Self, EngineError> {
        let buckets = (bytes / (SLOTS * size_of::<Slot>())).max(1);
        let words = buckets.checked_mul(2 * SLOTS).map(Zeroed::new);
        let words = words.and_then(Result::ok).ok_or(EngineError::Memory { bytes })?;
        Ok(Self { words, buckets, generation: AtomicU8::new(0) })
    }

    /// Starts a new generation.
    pub(crate) fn next_search(&self) {
        let next = (self.generation.load(Ordering::Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Ordering::Relaxed);
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        self.words.words().iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// The share of the slots that this search has written, in thousandths, by a sample.
    pub(crate) fn used(&self) -> u32 {
        const SAMPLE: usize = 250;
        let generation = self.generation.load(Ordering::Relaxed);
        let (mut used, mut all) = (0, 0);
        for [_, data] in self.slots().iter().take(SLOTS * SAMPLE) {
            let data = data.load(Ordering::Relaxed);
            used += u32::from(data != 0 && generation_of(data) == generation);
            all += 1;
        }
        used * 1_000 / all
    }

    #[inline]
    fn slots(&self) -> &[Slot] {
        self.words.words().as_chunks().0
    }

    /// The index of the first slot that may have a key.
    #[inline]
    fn first_slot(&self, key: u64) -> usize {
        let bucket = (u128::from(key) * self.buckets as u128) >> 64;
        SLOTS * bucket as usize
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[Slot] {
        &self.slots()[self.first_slot(key)..][..SLOTS]
    }

    /// Loads what is asked for soon.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        self.words.prefetch(2 * self.first_slot(key));
    }

    pub(crate) fn get(&self, key: u64) -> Option<Stored> {
        self.bucket(key).iter().find_map(|[check, data]| {
            let data = data.load(Ordering::Relaxed);
            let matches = check.load(Ordering::Relaxed) ^ data == key;
            (matches && data != 0).then(|| unpack(data)).flatten()
        })
    }

    /// Stores something under a key, in place of what is least useful there.
    pub(crate) fn put(&self, key: u64, stored: Stored) {
        let generation = self.generation.load(Ordering::Relaxed);
        let mut worst: Option<(i32, &Slot)> = None;
        for slot in self.bucket(key) {
            let [check, data] = slot.each_ref().map(|word| word.load(Ordering::Relaxed));
            let is_same = check ^ data == key;
            let keep = if data == 0 || is_same {
                i32::MIN
            } else {
                let age = (generation + GENERATIONS - generation_of(data)) % GENERATIONS;
                i32::from((data >> 16) as u8) - 8 * i32::from(age)
            };
            if worst.is_none_or(|(least, _)| keep < least) {
                worst = Some((keep, slot));
            }
            if is_same {
                worst = Some((i32::MIN, slot));
                break;
            }
        }
        if let Some((_, [check, data])) = worst {
            let packed = pack(stored, generation);
            check.store(key ^ packed, Ordering::Relaxed);
            data.store(packed, Ordering::Relaxed);
        }
    }
}

/// From low bits to high: score 16, depth 8, bound 2, generation 6, best 16, estimate 16. The bits of
/// the bound are not 0 in a slot that is used.
fn pack(stored: Stored, generation: u8) -> u64 {
    u64::from(stored.score as u16)
        | u64::from(stored.depth) << 16
        | (stored.bound as u64) << 24
        | u64::from(generation) << 26
        | u64::from(stored.best) << 32
        | u64::from(stored.estimate as u16) << 48
}

fn generation_of(data: u64) -> u8 {
    (data >> 26) as u8 % GENERATIONS
}

fn unpack(data: u64) -> Option<Stored> {
    let bound = match data >> 24 & 3 {
        1 => Bound::Exact,
        2 => Bound::Lower,
        3 => Bound::Upper,
        _ => return None,
    };
    Some(Stored {
        score: data as u16 as i16,
        depth: (data >> 16) as u8,
        bound,
        best: (data >> 32) as u16,
        estimate: (data >> 48) as u16 as i16,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_were() {
        let memory = Memory::new(1 << 12).expect("there is memory");
        for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
            for (score, depth, best) in [(0, 0, 0), (-32_000, 255, 65_535), (31_999, 7, 1)] {
                let stored = Stored { score, depth, bound, best, estimate: -score };
                memory.put(12_345, stored);
                assert_eq!(memory.get(12_345), Some(stored));
            }
        }
        assert_eq!(memory.get(12_346), None);
        memory.clear();
        assert_eq!(memory.get(12_345), None);
    }

    #[test]
    fn a_full_bucket_keeps_deep_entries_of_this_search() {
        let memory = Memory::new(1).expect("there is memory");
        let at = |depth| Stored { score: 1, depth, bound: Bound::Exact, best: 0, estimate: 0 };
        (0..4).for_each(|i| memory.put(i + 1, at(10 + i as u8)));
        memory.put(99, at(3));
        assert_eq!(memory.get(1), None, "the shallowest went");
        assert_eq!(memory.get(4), Some(at(13)));
        // Entries of earlier searches lose their worth.
        (0..4).for_each(|_| memory.next_search());
        (0..4).for_each(|i| memory.put(200 + i, at(1)));
        assert_eq!(memory.get(4), None);
        assert_eq!(memory.get(203), Some(at(1)));
    }

    #[test]
    fn what_a_search_uses_is_estimated() {
        let memory = Memory::new(1 << 16).expect("there is memory");
        assert_eq!(memory.used(), 0);
        let stored = Stored { score: 1, depth: 1, bound: Bound::Exact, best: 0, estimate: 0 };
        (0..100_000u64).for_each(|i| memory.put(i.wrapping_mul(0x9e37_79b9_7f4a_7c15), stored));
        assert_eq!(memory.used(), 1_000);
        memory.next_search();
        assert_eq!(memory.used(), 0, "entries of earlier searches do not count");
    }

    #[test]
    fn too_much_memory_is_an_error() {
        let error = Memory::new(usize::MAX).err().expect("nobody has that");
        assert!(error.to_string().contains(&usize::MAX.to_string()), "{error}");
    }
}
