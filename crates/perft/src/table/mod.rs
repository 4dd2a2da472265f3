//! A hash table for perft: exact counts by node and depth, shared by threads.

mod bucket;

use std::sync::atomic::{AtomicU64, Ordering};

use fanorona_core::{Board, ErrorKind, Position, RuleSet, Side, SplitMix64, Stones, SymmetryGroup};
use thiserror::Error;

use crate::counting::Counting;
use crate::node::PerftNode;
use crate::packed;
use bucket::{Bucket, entry, find, with_entry};

/// The error of a table that cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum PerftTableError {
    #[error("unique positions are not counted with a hash table")]
    Unique,
    #[error("there is no memory for a hash table of {0} bytes")]
    Memory(usize),
}

impl PerftTableError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unique => ErrorKind::BadParameter,
            Self::Memory(_) => ErrorKind::OutOfMemory,
        }
    }
}

/// A hash table of counts below nodes, for one rule set, board and way of counting.
///
/// A table gives no wrong counts: an entry is stored with its whole key. The stones of both sides
/// are packed into a number (72 bits on 9x5) and mixed by a permutation. A part of the result is
/// the index of the bucket. The rest, with the depth, is stored beside the count. A count takes as
/// much memory as it needs, up to 128 bits.
///
/// Positions that are images of each other share an entry once half of the points are empty.
/// Earlier, play meets its mirror image too rarely to pay for looking. Positions that differ only
/// in the names of the colours share an entry too, except in the vela, where colours matter.
///
/// Threads share a table without locks. A bucket that is being written reads as empty, and so does
/// one that changed while it was read. From a full bucket an entry of the least depth is dropped,
/// the oldest of these.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::{Counting, PerftCounter, PerftNode, PerftTable};
/// let board = Board::tsivy();
/// let table = PerftTable::new(&RuleSet::STANDARD, board, Counting::Turns, 5, 1 << 20)?;
/// let mut counter = PerftCounter::with_table(&table);
/// let start = PerftNode::new(&board.start());
/// assert_eq!(counter.count(&start, 5), 431_852);
/// // Now the table has it.
/// assert_eq!(table.get(&start, 5), Some(431_852));
/// assert!(table.hits() > 0);
/// # Ok::<(), fanorona_perft::PerftTableError>(())
/// ```
#[derive(Debug)]
pub struct PerftTable {
    pub(crate) rules: RuleSet,
    pub(crate) board: Board,
    pub(crate) counting: Counting,
    images: SymmetryGroup,
    mixing: Mixing,
    /// The bits of a mixed key that are stored; the others are the index of the bucket.
    stored_bits: u32,
    depth_bits: u32,
    buckets: Vec<Bucket>,
    probes: AtomicU64,
    hits: AtomicU64,
}

impl PerftTable {
    /// Makes an empty table for counts up to a depth; with a smaller one, entries are smaller. It
    /// takes the greatest power of two that fits into the bytes, 64 at least, and no more than a
    /// small board can use. All of its memory is written here.
    ///
    /// # Errors
    /// If there is too little memory, or for [`Counting::Unique`].
    pub fn new(
        rules: &RuleSet,
        board: Board,
        counting: Counting,
        max_depth: u8,
        bytes: usize,
    ) -> Result<Self, PerftTableError> {
        if counting == Counting::Unique {
            return Err(PerftTableError::Unique);
        }
        let key_bits = packed::bits(board) + u32::from(rules.vela().is_some());
        let most = (bytes / size_of::<Bucket>()).max(1);
        let index_bits = most.ilog2().min(key_bits);
        let mut buckets = Vec::new();
        let bytes = size_of::<Bucket>() << index_bits;
        buckets.try_reserve_exact(1 << index_bits).map_err(|_| PerftTableError::Memory(bytes))?;
        buckets.resize_with(1 << index_bits, Bucket::default);
        Ok(Self {
            rules: *rules,
            board,
            counting,
            images: SymmetryGroup::new(board),
            mixing: Mixing::new(key_bits),
            stored_bits: key_bits - index_bits,
            depth_bits: (u8::BITS - max_depth.leading_zeros()).max(1),
            buckets,
            probes: AtomicU64::new(0),
            hits: AtomicU64::new(0),
        })
    }

    /// The size of the table in bytes.
    pub fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    /// The number of probes.
    pub fn probes(&self) -> u64 {
        self.probes.load(Ordering::Relaxed)
    }

    /// The number of probes that found a count.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// The count `depth` plies below a node, if it is in the table. Nodes in the middle of a relay,
    /// and nodes of other boards, never are.
    pub fn get(&self, node: &PerftNode, depth: u8) -> Option<u128> {
        let found = self.key(node, depth).map(|key| self.look_up(&key))?;
        self.note(1, u64::from(found.is_some()));
        found
    }

    /// Adds the count `depth` plies below a node, which is not checked. A node of another board, or
    /// in the middle of a relay, is not added.
    pub fn insert(&self, node: &PerftNode, depth: u8, count: u128) {
        if let Some(key) = self.key(node, depth) {
            self.keep(&key, count);
        }
    }

    pub(crate) fn note(&self, probes: u64, hits: u64) {
        self.probes.fetch_add(probes, Ordering::Relaxed);
        self.hits.fetch_add(hits, Ordering::Relaxed);
    }

    /// The key of a node that can have an entry.
    pub(crate) fn key(&self, node: &PerftNode, depth: u8) -> Option<Key> {
        let position = node.position().filter(|position| position.board() == self.board)?;
        (u32::from(depth) >> self.depth_bits == 0).then(|| self.key_of(position, depth))
    }

    fn key_of(&self, position: &Position, depth: u8) -> Key {
        let mut stones = Stones::of(position);
        // All images of a position have the same number of stones, so either all are mapped or
        // none.
        if 2 * stones.count() <= self.board.num_points() {
            stones = self.images.canonical(stones).stones;
        }
        let packed = packed::pack(self.board, stones);
        let colours_matter = self.rules.vela().is_some();
        let black = u128::from(colours_matter && position.to_move() == Side::Black);
        let mixed = self.mixing.mix(packed | black << packed::bits(self.board));
        // Depths of one position go to different buckets: on small boards there are many.
        let index = (mixed >> self.stored_bits) as usize;
        let bucket =
            index.wrapping_add(usize::from(depth) * 0x9e37_79b9) & (self.buckets.len() - 1);
        let rest = mixed & ((1 << self.stored_bits) - 1);
        Key { bucket, tag: rest << self.depth_bits | u128::from(depth) }
    }

    fn tag_bits(&self) -> u32 {
        self.stored_bits + self.depth_bits
    }

    /// Prefetches the bucket that [`look_up`](Self::look_up) will read.
    pub(crate) fn touch(&self, key: &Key) -> u64 {
        self.buckets[key.bucket].version.load(Ordering::Relaxed)
    }

    pub(crate) fn look_up(&self, key: &Key) -> Option<u128> {
        find(&self.buckets[key.bucket].read()?, key.tag, self.tag_bits())
    }

    pub(crate) fn keep(&self, key: &Key, count: u128) {
        self.buckets[key.bucket].update(|words| {
            if find(words, key.tag, self.tag_bits()).is_none() {
                *words =
                    with_entry(words, &entry(key.tag, self.tag_bits(), count), self.depth_bits);
            }
        });
    }
}

/// The bucket of an entry, and its tag.
pub(crate) struct Key {
    bucket: usize,
    /// The part of the mixed key that is not the bucket, and below it the depth.
    tag: u128,
}

/// A permutation of the numbers of up to 127 bits that spreads them.
#[derive(Debug)]
struct Mixing {
    bits: u32,
    multipliers: [u128; 3],
}

impl Mixing {
    fn new(bits: u32) -> Self {
        // Multiplying by an odd number can be undone.
        let mut random = SplitMix64::new(0);
        let mut random = || u128::from(random.next_u64());
        let multipliers = std::array::from_fn(|_| random() << 64 | random() | 1);
        Self { bits, multipliers }
    }

    /// Different keys give different numbers.
    #[inline]
    fn mix(&self, key: u128) -> u128 {
        let all = (1 << self.bits) - 1;
        let fold = |key: u128| key ^ key >> (self.bits / 2);
        let spread = |key: u128, by: &u128| fold(key).wrapping_mul(*by) & all;
        fold(self.multipliers.iter().fold(key, spread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_keeps_keys_apart() {
        for bits in 11..16 {
            let mixing = Mixing::new(bits);
            let mut mixed: Vec<u128> = (0..1 << bits).map(|key| mixing.mix(key)).collect();
            mixed.sort_unstable();
            assert!(mixed.into_iter().eq(0..1 << bits));
        }
    }
}
