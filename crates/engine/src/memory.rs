//! The transposition table: fixed in size, shared by all threads without locks.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::EngineError;

/// The relation of the position's score at a depth to the stored one: equal, at least or at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Exact = 0,
    Lower = 1,
    Upper = 2,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stored {
    pub score: i16,
    pub depth: u8,
    pub bound: Bound,
    /// The hash of the best successor.
    pub best: u16,
}

/// One slot. `check` is the key xor the data, so that a slot that two threads wrote at the same
/// time matches no key (R. Hyatt and T. Mann, "A lock-less transposition table implementation for
/// parallel search", ICGA Journal 25, 2002).
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// A cache line of slots.
#[derive(Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

/// The transposition table.
pub(crate) struct Memory {
    buckets: Box<[Bucket]>,
    /// Grows with each search, so that entries of earlier searches are replaced first.
    generation: AtomicU8,
}

/// The number of distinct generations.
const GENERATIONS: u8 = 64;

impl Memory {
    /// A table of at most this number of bytes; at least one bucket.
    pub(crate) fn new(bytes: usize) -> Result<Self, EngineError> {
        let len = (bytes / size_of::<Bucket>()).max(1);
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(len).map_err(|_| EngineError::Memory { bytes })?;
        buckets.resize_with(len, Bucket::default);
        Ok(Self { buckets: buckets.into_boxed_slice(), generation: AtomicU8::new(0) })
    }

    /// Starts a new generation.
    pub(crate) fn next_search(&self) {
        let next = (self.generation.load(Ordering::Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Ordering::Relaxed);
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        for slot in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            slot.check.store(0, Ordering::Relaxed);
            slot.data.store(0, Ordering::Relaxed);
        }
    }

    /// The share of the slots that this search has written, in thousandths, by a sample.
    pub(crate) fn used(&self) -> u32 {
        const SAMPLE: usize = 250;
        let generation = self.generation.load(Ordering::Relaxed);
        let slots = self.buckets.iter().take(SAMPLE).flat_map(|bucket| &bucket.0);
        let (mut used, mut all) = (0, 0);
        for slot in slots {
            let data = slot.data.load(Ordering::Relaxed);
            used += u32::from(data != 0 && (data >> 32) as u8 == generation);
            all += 1;
        }
        used * 1_000 / all
    }

    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    pub(crate) fn get(&self, key: u64) -> Option<Stored> {
        self.bucket(key).0.iter().find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            let matches = slot.check.load(Ordering::Relaxed) ^ data == key;
            (matches && data != 0).then(|| unpack(data)).flatten()
        })
    }

    /// Stores something under a key, in place of what is least useful there.
    pub(crate) fn put(&self, key: u64, stored: Stored) {
        let generation = self.generation.load(Ordering::Relaxed);
        let mut worst: Option<(i32, &Slot)> = None;
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Ordering::Relaxed);
            let is_same = slot.check.load(Ordering::Relaxed) ^ data == key;
            let keep = if data == 0 || is_same {
                i32::MIN
            } else {
                let age =
                    (generation + GENERATIONS - (data >> 32) as u8 % GENERATIONS) % GENERATIONS;
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
        if let Some((_, slot)) = worst {
            let data = pack(stored, generation);
            slot.check.store(key ^ data, Ordering::Relaxed);
            slot.data.store(data, Ordering::Relaxed);
        }
    }
}

/// From low bits to high: score 16, depth 8, bound 8, generation 8, best 16, and a bit that says
/// that the slot is used.
fn pack(stored: Stored, generation: u8) -> u64 {
    u64::from(stored.score as u16)
        | u64::from(stored.depth) << 16
        | (stored.bound as u64) << 24
        | u64::from(generation) << 32
        | u64::from(stored.best) << 40
        | 1 << 63
}

fn unpack(data: u64) -> Option<Stored> {
    let bound = match (data >> 24) as u8 {
        0 => Bound::Exact,
        1 => Bound::Lower,
        2 => Bound::Upper,
        _ => return None,
    };
    let (score, depth, best) = (data as u16 as i16, (data >> 16) as u8, (data >> 40) as u16);
    Some(Stored { score, depth, bound, best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_were() {
        let memory = Memory::new(1 << 12).expect("there is memory");
        for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
            for (score, depth, best) in [(0, 0, 0), (-32_000, 255, 65_535), (31_999, 7, 1)] {
                let stored = Stored { score, depth, bound, best };
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
        let at = |depth| Stored { score: 1, depth, bound: Bound::Exact, best: 0 };
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
        let stored = Stored { score: 1, depth: 1, bound: Bound::Exact, best: 0 };
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
