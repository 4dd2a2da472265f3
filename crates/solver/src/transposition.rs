//! The transposition table: a hash table of fixed size with what is known of nodes, shared by all
//! threads.
//!
//! An entry has 16 bytes, and a bucket is a cache line with four entries. The first half of a
//! node's key selects the bucket, and the second half recognizes the node in it. In a full bucket
//! the entry with the least work below it is replaced, so the search goes on when the table is
//! full.
//!
//! The table needs no locks (R. Hyatt and T. Mann, "A lock-less transposition table implementation
//! for parallel search chess engines", 2002). The two words of an entry are written one after the
//! other, and the first is the key XOR the second, so halves of different entries do not match any
//! key.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use fanorona_storage::Zeroed;

use crate::node::Key;

/// Entries in a bucket.
const BUCKET: usize = 4;

/// Bytes of a bucket: a cache line.
pub(crate) const BUCKET_BYTES: usize = 16 * BUCKET;

/// The largest proof or disproof number of an open node.
pub(crate) const MAX_PN: u32 = (1 << 22) - 1;

/// The reply of an entry if it is unknown, or too large to be stored.
pub(crate) const NO_REPLY: u16 = (1 << 12) - 1;

/// The longest path suffix that an entry can depend on.
pub(crate) const MAX_SUFFIX: u32 = (1 << 6) - 1;

/// The stored state of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    /// Not decided yet: lower bounds of the numbers, from the side to move.
    Open {
        /// At least this many leaves must be decided for the side to move to succeed.
        phi: u32,
        /// At least this many leaves must be decided for it to fail.
        delta: u32,
    },
    /// The attacker can force a win.
    Proved {
        /// Within this many turns of both sides the game is over, or a table holds the position.
        height: u32,
    },
    /// The attacker cannot force a win.
    Disproved,
    /// The attacker cannot force a win if it cannot from any of the last nodes of the path.
    DisprovedGiven(PathSuffix),
}

impl Fact {
    /// Whether the node is decided on every path.
    pub(crate) fn is_unconditional(self) -> bool {
        matches!(self, Self::Proved { .. } | Self::Disproved)
    }
}

/// The last nodes of a path, by their hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PathSuffix {
    /// The number of nodes, 1 to [`MAX_SUFFIX`]; 0 for a suffix that matches no path.
    pub len: u32,
    pub hash: u64,
}

impl PathSuffix {
    /// The bits of a hash that an entry stores.
    pub(crate) const HASH_BITS: u32 = 39;

    /// A suffix that no path has: for those that are too long to be stored.
    pub(crate) const NONE: Self = Self { len: 0, hash: 0 };
}

/// A fact with its reply and its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub fact: Fact,
    /// The index of a successor: of the one that decides the node, or was searched last.
    pub reply: u16,
    /// The binary logarithm of the number of positions searched for it, plus 1: 1 to 31.
    pub work: u8,
}

impl Entry {
    fn to_bits(self) -> u64 {
        let (kind, payload) = match self.fact {
            Fact::Open { phi, delta } => (0, u64::from(phi) | u64::from(delta) << 22),
            Fact::Proved { height } => (1, u64::from(height)),
            Fact::Disproved => (2, 0),
            Fact::DisprovedGiven(PathSuffix { len, hash }) => (3, u64::from(len) | hash << 6),
        };
        kind | u64::from(self.work) << 2 | u64::from(self.reply) << 7 | payload << 19
    }

    fn from_bits(bits: u64) -> Self {
        let payload = bits >> 19;
        let max = u64::from(MAX_PN);
        let fact = match bits % 4 {
            0 => Fact::Open { phi: (payload & max) as u32, delta: (payload >> 22 & max) as u32 },
            1 => Fact::Proved { height: payload as u32 },
            2 => Fact::Disproved,
            _ => {
                Fact::DisprovedGiven(PathSuffix { len: (payload & 63) as u32, hash: payload >> 6 })
            }
        };
        Self { fact, reply: (bits >> 7) as u16 & NO_REPLY, work: work(bits) }
    }

    /// The entry with numbers that leave room for a search to raise them.
    fn lowered(self) -> Self {
        let Fact::Open { phi, delta } = self.fact else { return self };
        let fact = Fact::Open { phi: phi.min(MAX_PN / 2), delta: delta.min(MAX_PN / 2) };
        Self { fact, ..self }
    }

    /// Whether the search could have written these bits.
    fn is_valid(bits: u64) -> bool {
        let payload = bits >> 19;
        let entry = Self::from_bits(bits);
        let is_in_range = match entry.fact {
            Fact::Open { phi, delta } => phi > 0 && delta > 0 && payload >> 44 == 0,
            Fact::Proved { height } => {
                height > 0 && height <= MAX_HEIGHT && payload <= MAX_HEIGHT.into()
            }
            Fact::Disproved => payload == 0,
            Fact::DisprovedGiven(suffix) => suffix.len > 0 || suffix == PathSuffix::NONE,
        };
        is_in_range && entry.work > 0
    }
}

/// More than any proof needs.
const MAX_HEIGHT: u32 = 1 << 30;

fn work(bits: u64) -> u8 {
    (bits >> 2 & 31) as u8
}

pub(crate) struct TranspositionTable {
    memory: Zeroed,
    /// Entries in use.
    pub used: u64,
}

impl TranspositionTable {
    /// A table of this size, rounded down to whole buckets, with at least one. The memory is taken
    /// from the system as it fills.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        let buckets = (bytes / BUCKET_BYTES).max(1);
        Ok(Self { memory: Zeroed::new(2 * BUCKET * buckets)?, used: 0 })
    }

    /// The whole table, to be saved or loaded.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        self.memory.bytes()
    }

    /// The table as the threads use it.
    pub(crate) fn view(&self) -> TableView<'_> {
        TableView { memory: &self.memory }
    }

    /// How many entries the table has room for.
    pub(crate) fn capacity(&self) -> u64 {
        self.memory.words().len() as u64 / 2
    }

    /// How full the table is, from 0 to 1.
    pub(crate) fn filled(&self) -> f64 {
        self.used as f64 / self.capacity() as f64
    }

    /// Counts the entries of a part of a table from a file, a number of whole buckets. Numbers that
    /// are so high that a search would stop at once are lowered.
    ///
    /// # Errors
    /// The offset of an entry that no search can have written.
    pub(crate) fn admit(bytes: &mut [u8]) -> Result<u64, usize> {
        let mut used = 0;
        for (i, entry) in bytes.chunks_exact_mut(16).enumerate() {
            let word = |at: usize| {
                u64::from_ne_bytes(entry[at..at + 8].try_into().expect("it has eight bytes"))
            };
            let (check, bits) = (word(0), word(8));
            if bits != 0 {
                if !Entry::is_valid(bits) {
                    return Err(16 * i);
                }
                let lowered = Entry::from_bits(bits).lowered().to_bits();
                entry[..8].copy_from_slice(&(check ^ bits ^ lowered).to_ne_bytes());
                entry[8..].copy_from_slice(&lowered.to_ne_bytes());
                used += 1;
            } else if check != 0 {
                return Err(16 * i);
            }
        }
        Ok(used)
    }
}

/// A table that threads read and write.
#[derive(Clone, Copy)]
pub(crate) struct TableView<'a> {
    memory: &'a Zeroed,
}

impl<'a> TableView<'a> {
    /// The index of the first word of a node's bucket.
    fn bucket_at(self, key: Key) -> usize {
        let buckets = self.memory.words().len() / (2 * BUCKET);
        ((u128::from(key.bucket) * buckets as u128) >> 64) as usize * 2 * BUCKET
    }

    fn bucket(self, key: Key) -> &'a [AtomicU64] {
        &self.memory.words()[self.bucket_at(key)..][..2 * BUCKET]
    }

    /// The number of entries, by counting them.
    #[cfg(test)]
    pub(crate) fn count(self) -> u64 {
        let used = |entry: &&[AtomicU64]| entry[1].load(Ordering::Relaxed) != 0;
        self.memory.words().chunks_exact(2).filter(used).count() as u64
    }

    /// Asks for the bucket of a node, which is needed soon.
    #[inline]
    pub(crate) fn prefetch(self, key: Key) {
        self.memory.prefetch(self.bucket_at(key));
    }

    #[inline]
    pub(crate) fn get(self, key: Key) -> Option<Entry> {
        let bits = self.bucket(key).chunks_exact(2).find_map(|entry| {
            let bits = entry[1].load(Ordering::Relaxed);
            // An unused entry has no work.
            (entry[0].load(Ordering::Relaxed) ^ bits == key.check && bits != 0).then_some(bits)
        });
        bits.map(Entry::from_bits)
    }

    /// Stores what is known of a node. An unconditional fact stays: another thread may have found
    /// it meanwhile. Returns whether an unused entry was taken.
    pub(crate) fn set(self, key: Key, entry: Entry) -> bool {
        let mut entry = entry;
        let (mut chosen, mut least_work, mut was_unused) = (0, u8::MAX, false);
        for (i, stored) in self.bucket(key).chunks_exact(2).enumerate() {
            let bits = stored[1].load(Ordering::Relaxed);
            if bits == 0 || stored[0].load(Ordering::Relaxed) ^ bits == key.check {
                if Entry::from_bits(bits).fact.is_unconditional() && !entry.fact.is_unconditional()
                {
                    return false;
                }
                (chosen, was_unused) = (i, bits == 0);
                entry.work = entry.work.max(work(bits));
                break;
            }
            if work(bits) < least_work {
                (chosen, least_work) = (i, work(bits));
            }
        }
        let bits = entry.to_bits();
        let stored = &self.bucket(key)[2 * chosen..];
        stored[0].store(key.check ^ bits, Ordering::Relaxed);
        stored[1].store(bits, Ordering::Relaxed);
        was_unused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Node;
    use fanorona_core::Stones;

    fn entry(i: u64) -> Entry {
        let fact = match i % 4 {
            0 => Fact::Open { phi: 1 + i as u32 % MAX_PN, delta: MAX_PN - i as u32 % MAX_PN },
            1 => Fact::Proved { height: i as u32 },
            2 => Fact::Disproved,
            _ => {
                let hash = i << 20 & ((1 << PathSuffix::HASH_BITS) - 1);
                Fact::DisprovedGiven(PathSuffix { len: 1 + i as u32 % MAX_SUFFIX, hash })
            }
        };
        Entry { fact, reply: i as u16 & NO_REPLY, work: 1 + (i / 8 % 31) as u8 }
    }

    fn key(i: u64) -> Key {
        Node::new(Stones::from_bits(i, !i & 0xffff_ffff), true, false).key()
    }

    #[test]
    fn entries_come_back_as_they_were() {
        let mut table = TranspositionTable::new(1 << 20).expect("there is memory");
        let view = table.view();
        for i in 0..1000 {
            assert_eq!(view.get(key(i)), None);
            assert!(view.set(key(i), entry(i)));
            assert!(!view.set(key(i), entry(i + 1)));
        }
        for i in 0..1000 {
            let (first, second) = (entry(i), entry(i + 1));
            // The larger work of the two is kept.
            let work = first.work.max(second.work);
            let kept = if first.fact.is_unconditional() && !second.fact.is_unconditional() {
                first
            } else {
                Entry { work, ..second }
            };
            assert_eq!(view.get(key(i)), Some(kept));
        }
        assert_eq!(view.count(), 1000);
        assert_eq!(TranspositionTable::admit(table.bytes()), Ok(1000));
    }

    #[test]
    fn numbers_at_their_limit_are_lowered() {
        let mut table = TranspositionTable::new(1 << 10).expect("there is memory");
        let high = Fact::Open { phi: MAX_PN, delta: 7 };
        table.view().set(key(1), Entry { fact: high, reply: 3, work: 2 });
        assert_eq!(TranspositionTable::admit(table.bytes()), Ok(1));
        let fact = Fact::Open { phi: MAX_PN / 2, delta: 7 };
        assert_eq!(table.view().get(key(1)), Some(Entry { fact, reply: 3, work: 2 }));
    }

    #[test]
    fn invalid_entries_are_found() {
        for i in 0..100 {
            assert!(Entry::is_valid(entry(i).to_bits()));
            let without_work = Entry { work: 0, ..entry(i) };
            assert!(!Entry::is_valid(without_work.to_bits()));
        }
        let none = Fact::DisprovedGiven(PathSuffix::NONE);
        assert!(Entry::is_valid(Entry { fact: none, reply: 0, work: 1 }.to_bits()));
        for fact in [
            Fact::Open { phi: 0, delta: 1 },
            Fact::Open { phi: 1, delta: 0 },
            Fact::Proved { height: 0 },
            Fact::Proved { height: u32::MAX },
            Fact::DisprovedGiven(PathSuffix { len: 0, hash: 1 }),
        ] {
            assert!(!Entry::is_valid(Entry { fact, reply: 0, work: 1 }.to_bits()), "{fact:?}");
        }
        let disproved = Entry { fact: Fact::Disproved, reply: 0, work: 1 }.to_bits();
        assert!(!Entry::is_valid(disproved | 1 << 40));

        let mut bytes = [0; 64];
        bytes[16..24].copy_from_slice(&1_u64.to_ne_bytes());
        assert_eq!(TranspositionTable::admit(&mut bytes), Err(16));
        bytes[24..32].copy_from_slice(&(disproved | 1 << 40).to_ne_bytes());
        assert_eq!(TranspositionTable::admit(&mut bytes), Err(16));
        bytes[24..32].copy_from_slice(&disproved.to_ne_bytes());
        assert_eq!(TranspositionTable::admit(&mut bytes), Ok(1));
    }

    #[test]
    fn the_entry_with_the_least_work_is_replaced() {
        let table = TranspositionTable::new(0).expect("there is memory");
        let view = table.view();
        let work = |work| Entry { fact: Fact::Disproved, reply: 0, work };
        for i in 1..=20 {
            assert_eq!(view.set(key(i), work(i as u8)), i <= 4);
            assert_eq!(view.get(key(i)), Some(work(i as u8)));
        }
        view.set(key(21), work(1));
        for i in 1..=21 {
            assert_eq!(view.get(key(i)).is_some(), i >= 18, "{i}");
        }
    }

    #[test]
    fn threads_never_read_halves_of_two_entries() {
        let table = TranspositionTable::new(0).expect("there is memory");
        let view = table.view();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for i in 0..200_000 {
                        let which = (i * 7 + thread) % 13;
                        let written = |round: u64| entry(which * 1000 + round % 50);
                        if let Some(found) = view.get(key(which)) {
                            let same = |round| {
                                (found.fact, found.reply)
                                    == (written(round).fact, written(round).reply)
                            };
                            assert!((0..50).any(same), "{found:?}");
                        }
                        view.set(key(which), written(i));
                    }
                });
            }
        });
    }
}
