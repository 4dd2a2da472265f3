//! What the search remembers of nodes: a table of a fixed size that all threads share.
//!
//! Sixteen bytes a node, four nodes in a cache line. A node has one line where it may be, found by
//! the first half of its key; there it is recognized by the second half. When a line is full, the
//! node that took the least work gives way, so the table goes on working when it is full.
//!
//! There are no locks. The two words of an entry are written one after the other, and the first one
//! is combined with the second, so that two halves of different entries are no entry.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::MmapMut;
use zerocopy::FromBytes;

use crate::node::Key;

/// Entries of a cache line.
const LINE: usize = 4;

/// Bytes of a cache line.
pub(crate) const LINE_BYTES: usize = 16 * LINE;

/// The largest number that an open node can have.
pub(crate) const MOST: u32 = (1 << 22) - 1;

/// The place of a successor that is not known, or too large to be kept.
pub(crate) const NO_REPLY: u16 = (1 << 12) - 1;

/// The longest part of a path that a fact can rest on.
pub(crate) const LONGEST_TAIL: u32 = (1 << 6) - 1;

/// What is known of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fact {
    /// Not decided: how much it may take the side to move to succeed, and to fail.
    Open {
        /// At least so many leaves must be decided for the side to move to reach its aim.
        phi: u32,
        /// At least so many for it to fail.
        delta: u32,
    },
    /// The attacker wins, and gets to an end or into a table within so many turns of both sides.
    Won {
        /// That number.
        height: u32,
    },
    /// The attacker cannot force a win.
    Held,
    /// The attacker cannot force a win if it cannot do so from any of the last nodes of the path.
    HeldGiven(Tail),
}

impl Fact {
    /// Whether it holds on every path.
    pub(crate) fn is_final(self) -> bool {
        matches!(self, Self::Won { .. } | Self::Held)
    }
}

/// The last nodes of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tail {
    /// How many they are, 1 to [`LONGEST_TAIL`]; 0 for a tail that no path has.
    pub len: u32,
    /// Their hash.
    pub hash: u64,
}

impl Tail {
    /// The bits of a hash that are kept.
    pub(crate) const HASH_BITS: u32 = 39;

    /// What nothing is known to rest on.
    pub(crate) const NONE: Self = Self { len: 0, hash: 0 };
}

/// A fact with what belongs to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub fact: Fact,
    /// The place, among the node's successors, of the turn that the fact stands for.
    pub reply: u16,
    /// The logarithm of the work that it took, 1 to 31.
    pub work: u8,
}

impl Entry {
    fn to_bits(self) -> u64 {
        let (kind, payload) = match self.fact {
            Fact::Open { phi, delta } => (0, u64::from(phi) | u64::from(delta) << 22),
            Fact::Won { height } => (1, u64::from(height)),
            Fact::Held => (2, 0),
            Fact::HeldGiven(Tail { len, hash }) => (3, u64::from(len) | hash << 6),
        };
        kind | u64::from(self.work) << 2 | u64::from(self.reply) << 7 | payload << 19
    }

    fn from_bits(bits: u64) -> Self {
        let payload = bits >> 19;
        let most = u64::from(MOST);
        let fact = match bits % 4 {
            0 => Fact::Open { phi: (payload & most) as u32, delta: (payload >> 22 & most) as u32 },
            1 => Fact::Won { height: payload as u32 },
            2 => Fact::Held,
            _ => Fact::HeldGiven(Tail { len: (payload & 63) as u32, hash: payload >> 6 }),
        };
        Self { fact, reply: (bits >> 7) as u16 & NO_REPLY, work: work(bits) }
    }
}

fn work(bits: u64) -> u8 {
    (bits >> 2 & 31) as u8
}

/// The memory of the table.
pub(crate) struct Memory {
    bytes: MmapMut,
}

impl Memory {
    /// Takes so many bytes, rounded down to whole lines, of which there is at least one. They cost
    /// nothing until they are used.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        let lines = (bytes / LINE_BYTES).max(1);
        let bytes = MmapMut::map_anon(lines * LINE_BYTES)?;
        // Large pages make it faster where there are any.
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(memmap2::Advice::HugePage);
        Ok(Self { bytes })
    }

    /// All of it, for reading or filling.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The table, to be shared.
    pub(crate) fn table(&mut self) -> Table<'_> {
        let words = <[AtomicU64]>::mut_from_bytes(&mut self.bytes).expect("whole pages of words");
        Table { words }
    }
}

/// The table, as the threads see it.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    words: &'a [AtomicU64],
}

impl<'a> Table<'a> {
    fn line(self, key: Key) -> &'a [AtomicU64] {
        let lines = self.words.len() / (2 * LINE);
        let line = ((u128::from(key.place) * lines as u128) >> 64) as usize;
        &self.words[line * 2 * LINE..][..2 * LINE]
    }

    /// How many entries there can be.
    pub(crate) fn capacity(self) -> u64 {
        (self.words.len() / 2) as u64
    }

    /// How many entries there are.
    #[cfg(test)]
    pub(crate) fn used(self) -> u64 {
        let used = |entry: &&[AtomicU64]| entry[1].load(Ordering::Relaxed) != 0;
        self.words.chunks_exact(2).filter(used).count() as u64
    }

    /// Brings a node's line into the processor's cache. What it gives has no meaning.
    #[inline]
    pub(crate) fn touch(self, key: Key) -> u64 {
        self.line(key)[0].load(Ordering::Relaxed)
    }

    /// What is known of a node.
    #[inline]
    pub(crate) fn get(self, key: Key) -> Option<Entry> {
        let bits = self.line(key).chunks_exact(2).find_map(|entry| {
            let bits = entry[1].load(Ordering::Relaxed);
            // An empty entry has no work.
            (entry[0].load(Ordering::Relaxed) ^ bits == key.check && bits != 0).then_some(bits)
        });
        bits.map(Entry::from_bits)
    }

    /// Keeps what is known of a node. What is decided once for all stays, for another thread may have
    /// found it out meanwhile. Gives whether an empty place was taken for it.
    pub(crate) fn set(self, key: Key, entry: Entry) -> bool {
        let mut entry = entry;
        let (mut place, mut least, mut empty) = (0, u8::MAX, false);
        for (i, there) in self.line(key).chunks_exact(2).enumerate() {
            let bits = there[1].load(Ordering::Relaxed);
            if bits == 0 || there[0].load(Ordering::Relaxed) ^ bits == key.check {
                if Entry::from_bits(bits).fact.is_final() && !entry.fact.is_final() {
                    return false;
                }
                (place, empty) = (i, bits == 0);
                entry.work = entry.work.max(work(bits));
                break;
            }
            if work(bits) < least {
                (place, least) = (i, work(bits));
            }
        }
        let bits = entry.to_bits();
        let there = &self.line(key)[2 * place..];
        there[0].store(key.check ^ bits, Ordering::Relaxed);
        there[1].store(bits, Ordering::Relaxed);
        empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Node;
    use fanorona_core::PointSet;

    fn entry(i: u64) -> Entry {
        let fact = match i % 4 {
            0 => Fact::Open { phi: i as u32 % MOST, delta: MOST - i as u32 % MOST },
            1 => Fact::Won { height: i as u32 },
            2 => Fact::Held,
            _ => Fact::HeldGiven(Tail { len: i as u32 % 64, hash: i << 20 & ((1 << 39) - 1) }),
        };
        Entry { fact, reply: i as u16 & NO_REPLY, work: 1 + (i / 8 % 31) as u8 }
    }

    fn key(i: u64) -> Key {
        let [own, opponent] = [i, !i & 0xffff_ffff].map(PointSet::from_bits);
        Node::new(own, opponent, true, false).key()
    }

    #[test]
    fn entries_come_back_as_they_were() {
        let mut memory = Memory::new(1 << 20).expect("that much is there");
        let table = memory.table();
        for i in 0..1000 {
            assert_eq!(table.get(key(i)), None);
            assert!(table.set(key(i), entry(i)));
            assert!(!table.set(key(i), entry(i + 1)));
        }
        for i in 0..1000 {
            let (first, second) = (entry(i), entry(i + 1));
            // The work of a node that was there before is not forgotten.
            let work = first.work.max(second.work);
            let kept = if first.fact.is_final() && !second.fact.is_final() {
                first
            } else {
                Entry { work, ..second }
            };
            assert_eq!(table.get(key(i)), Some(kept));
        }
    }

    #[test]
    fn a_full_table_keeps_what_took_most_work() {
        let mut memory = Memory::new(0).expect("that much is there");
        let table = memory.table();
        assert_eq!(table.capacity(), LINE as u64);
        let work = |work| Entry { fact: Fact::Held, reply: 0, work };
        for i in 1..=20 {
            assert_eq!(table.set(key(i), work(i as u8)), i <= 4);
            assert_eq!(table.get(key(i)), Some(work(i as u8)));
        }
        table.set(key(21), work(1));
        for i in 1..=21 {
            assert_eq!(table.get(key(i)).is_some(), i >= 18, "{i}");
        }
    }

    #[test]
    fn threads_never_see_half_an_entry() {
        let mut memory = Memory::new(0).expect("that much is there");
        let table = memory.table();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for i in 0..200_000 {
                        let which = (i * 7 + thread) % 13;
                        let written = |round: u64| entry(which * 1000 + round % 50);
                        if let Some(found) = table.get(key(which)) {
                            let same = |round| {
                                (found.fact, found.reply)
                                    == (written(round).fact, written(round).reply)
                            };
                            assert!((0..50).any(same), "{found:?}");
                        }
                        table.set(key(which), written(i));
                    }
                });
            }
        });
    }
}
