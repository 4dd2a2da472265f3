//! A memory for perft: counts by node and depth, exact, and shared by threads.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::board::Board;
use crate::count::{Counter, Successors};
use crate::packed;
use crate::perft::{Counting, PerftNode};
use crate::point::{PointSet, Side};
use crate::position::Position;
use crate::rules::RuleSet;
use crate::symmetry::SymmetryGroup;

/// The words of a bucket that hold entries.
const WORDS: usize = 7;

/// A word that begins an entry; the other bits of a word are data.
const HEAD: u64 = 1 << 63;

/// The data bits of a word.
const DIGIT: u32 = 63;

/// Counts below nodes at greater depths than these many bits can tell are not kept.
const MAX_DEPTH_BITS: u32 = 8;

/// Why there is no table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PerftTableError {
    /// [`Counting::Unique`] is no sum over nodes.
    #[error("unique positions are not counted with a hash table")]
    Unique,
    /// The system gives no such memory.
    #[error("there is no memory for a hash table of {0} bytes")]
    Memory(usize),
}

/// A table of counts below nodes, for one rule set, board and way of counting.
///
/// It cannot be wrong: an entry is kept with all of its key. Stones of both sides become a number
/// (72 bits on 9x5), an invertible mixing spreads it, a part of the result is the place in the table,
/// and the rest, with the depth, is stored beside the count. Positions that are the same but for
/// symmetry share an entry once half of the points are empty: before that, play that meets its mirror
/// image is too rare to pay for the search. So do positions that differ in colours alone, except in
/// the vela, where colours matter. A count takes as many words as it needs, up to 128 bits.
///
/// Threads share it without waiting: a bucket that is being written reads as empty, and
/// one that changed while it was read too. Where a bucket is full, an entry of the least depth goes,
/// the oldest of them.
///
/// ```
/// use fanorona_core::{Board, Counting, PerftCounter, PerftNode, PerftTable, RuleSet};
/// let (rules, board) = (RuleSet::STANDARD, Board::tsivy());
/// let table = PerftTable::new(rules, board, Counting::Turns, 5, 1 << 20, 0)?;
/// let mut counter = PerftCounter::with_table(&table);
/// let start = PerftNode::new(&board.start());
/// assert_eq!(counter.count(&start, 5), 431_852);
/// // Now it is there.
/// assert_eq!(table.get(&start, 5), Some(431_852));
/// assert!(table.hits() > 0);
/// # Ok::<(), fanorona_core::PerftTableError>(())
/// ```
#[derive(Debug)]
pub struct PerftTable {
    rules: RuleSet,
    board: Board,
    counting: Counting,
    images: SymmetryGroup,
    mixing: Mixing,
    /// Where the place in the table begins in a mixed key; what is below is stored.
    stored_bits: u32,
    depth_bits: u32,
    buckets: Vec<Bucket>,
    probes: AtomicU64,
    hits: AtomicU64,
}

impl PerftTable {
    /// An empty table for counts to the depth `deepest`, of at most `bytes`: of the greatest power
    /// of two that fits, and of 64 at least. Small boards fill less. Its memory is written once here.
    ///
    /// Different numbers for `mixing` put entries at different places, so that two counts with them
    /// go wrong in different ways, if at all.
    ///
    /// # Errors
    /// If there is no such memory, or no such table, for [`Counting::Unique`].
    pub fn new(
        rules: RuleSet,
        board: Board,
        counting: Counting,
        deepest: u32,
        bytes: usize,
        mixing: u64,
    ) -> Result<Self, PerftTableError> {
        if counting == Counting::Unique {
            return Err(PerftTableError::Unique);
        }
        let key_bits = packed::bits(board) + u32::from(rules.vela.is_some());
        let most = (bytes / size_of::<Bucket>()).max(1);
        let index_bits = most.ilog2().min(key_bits);
        let mut buckets = Vec::new();
        let bytes = size_of::<Bucket>() << index_bits;
        buckets.try_reserve_exact(1 << index_bits).map_err(|_| PerftTableError::Memory(bytes))?;
        buckets.resize_with(1 << index_bits, Bucket::default);
        Ok(Self {
            rules,
            board,
            counting,
            images: SymmetryGroup::new(board),
            mixing: Mixing::new(key_bits, mixing),
            stored_bits: key_bits - index_bits,
            depth_bits: (u32::BITS - deepest.leading_zeros()).clamp(1, MAX_DEPTH_BITS),
            buckets,
            probes: AtomicU64::new(0),
            hits: AtomicU64::new(0),
        })
    }

    /// The rule set.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// What is counted.
    pub fn counting(&self) -> Counting {
        self.counting
    }

    /// The size of the table in bytes.
    pub fn bytes(&self) -> usize {
        self.buckets.len() * size_of::<Bucket>()
    }

    /// How often a count was looked for.
    pub fn probes(&self) -> u64 {
        self.probes.load(Ordering::Relaxed)
    }

    /// How often it was there.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// The count `depth` plies below a node, if it is here. Nodes in the middle of a relay never
    /// are.
    pub fn get(&self, node: &PerftNode, depth: u32) -> Option<u128> {
        let found = self.key(node, depth).map(|key| self.look_up(&key))?;
        self.note(1, u64::from(found.is_some()));
        found
    }

    /// Keeps the count `depth` plies below a node, which has to be right.
    pub fn insert(&self, node: &PerftNode, depth: u32, count: u128) {
        if let Some(key) = self.key(node, depth) {
            self.keep(&key, count);
        }
    }

    fn note(&self, probes: u64, hits: u64) {
        self.probes.fetch_add(probes, Ordering::Relaxed);
        self.hits.fetch_add(hits, Ordering::Relaxed);
    }

    /// The key of a node that can have an entry.
    fn key(&self, node: &PerftNode, depth: u32) -> Option<Key> {
        let position = node.position()?;
        debug_assert_eq!(position.board(), self.board);
        (depth >> self.depth_bits == 0).then(|| self.key_of(position, depth))
    }

    fn key_of(&self, position: &Position, depth: u32) -> Key {
        let (mut own, mut opponent) = (position.own(), position.opponent());
        // All images of a position have as many stones, so they all are mapped or none is.
        if 2 * (own | opponent).count_ones() <= self.board.points() {
            let seen = self.images.canonical(own, opponent);
            (own, opponent) = (seen.own, seen.opponent);
        }
        let packed = packed::pack(self.board, own, opponent);
        let colours_matter = self.rules.vela.is_some();
        let black = u128::from(colours_matter && position.to_move() == Side::Black);
        let mixed = self.mixing.mix(packed | black << packed::bits(self.board));
        // Depths of one position go to different places: on small boards there are many.
        let place = (mixed >> self.stored_bits) as usize;
        let bucket = place.wrapping_add(depth as usize * 0x9e37_79b9) & (self.buckets.len() - 1);
        let rest = mixed & ((1 << self.stored_bits) - 1);
        Key { bucket, tag: rest << self.depth_bits | u128::from(depth) }
    }

    fn tag_bits(&self) -> u32 {
        self.stored_bits + self.depth_bits
    }

    /// Asks the memory for what [`look_up`](Self::look_up) will read.
    fn touch(&self, key: &Key) -> u64 {
        self.buckets[key.bucket].version.load(Ordering::Relaxed)
    }

    fn look_up(&self, key: &Key) -> Option<u128> {
        find(&self.buckets[key.bucket].read()?, key.tag, self.tag_bits())
    }

    fn keep(&self, key: &Key, count: u128) {
        self.buckets[key.bucket].update(|words| {
            if find(words, key.tag, self.tag_bits()).is_none() {
                *words =
                    with_entry(words, &entry(key.tag, self.tag_bits(), count), self.depth_bits);
            }
        });
    }
}

/// Where an entry is, and what it is told by there.
struct Key {
    bucket: usize,
    /// The part of the mixed key that the bucket does not tell, and below it the depth.
    tag: u128,
}

/// An invertible spreading of keys of so many bits.
#[derive(Debug)]
struct Mixing {
    bits: u32,
    multipliers: [u128; 3],
}

impl Mixing {
    fn new(bits: u32, number: u64) -> Self {
        // The generator SplitMix64; a multiplication with an odd number can be undone.
        let mut state = number;
        let mut random = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            u128::from(z ^ z >> 31)
        };
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

/// A line of memory with some entries, the newest first, behind a number that changes with it: even
/// when all is still, odd while a thread writes.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket {
    version: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl Bucket {
    /// The words; `None` if somebody is writing.
    #[inline]
    fn read(&self) -> Option<[u64; WORDS]> {
        let before = self.version.load(Ordering::Acquire);
        let words = std::array::from_fn(|i| self.words[i].load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let after = self.version.load(Ordering::Relaxed);
        (before.is_multiple_of(2) && before == after).then_some(words)
    }

    /// Changes the words, unless somebody else does.
    fn update(&self, change: impl FnOnce(&mut [u64; WORDS])) {
        let version = self.version.load(Ordering::Relaxed);
        let (acquire, relaxed) = (Ordering::Acquire, Ordering::Relaxed);
        if !version.is_multiple_of(2)
            || self.version.compare_exchange(version, version + 1, acquire, relaxed).is_err()
        {
            return;
        }
        fence(Ordering::Release);
        let mut words = std::array::from_fn(|i| self.words[i].load(Ordering::Relaxed));
        change(&mut words);
        for (word, new) in self.words.iter().zip(words) {
            word.store(new, Ordering::Relaxed);
        }
        self.version.store(version + 2, Ordering::Release);
    }
}

/// The words of an entry: the number whose low bits are the tag and whose others are the count, in
/// digits of 63 bits, the lowest first and marked.
fn entry(tag: u128, tag_bits: u32, count: u128) -> ArrayVec<u64, WORDS> {
    let mut low = tag | count << tag_bits;
    let mut high = count >> (128 - tag_bits);
    let mut words = ArrayVec::new();
    loop {
        words.push(low as u64 & !HEAD);
        low = low >> DIGIT | high << (128 - DIGIT);
        high >>= DIGIT;
        if low == 0 && high == 0 {
            words[0] |= HEAD;
            return words;
        }
    }
}

/// The number of words of the entry that these begin with: up to the next one.
fn entry_length(words: &[u64]) -> usize {
    1 + words[1..].iter().take_while(|word| **word & HEAD == 0).count()
}

/// The count with this tag.
#[inline]
fn find(words: &[u64; WORDS], tag: u128, tag_bits: u32) -> Option<u128> {
    let begin = tag as u64 & !HEAD;
    let known = u64::MAX >> 1 >> DIGIT.saturating_sub(tag_bits);
    for (i, word) in words.iter().enumerate() {
        if word & HEAD != 0 && (word ^ begin) & known == 0 {
            let (found, count) = read_entry(&words[i..], tag_bits);
            if found == tag {
                return Some(count);
            }
        }
    }
    None
}

/// The tag and the count of the entry that these words begin with.
fn read_entry(words: &[u64], tag_bits: u32) -> (u128, u128) {
    let (mut low, mut high) = (0, 0);
    // Words behind the last entry are 0, and high digits of 0 do no harm.
    for word in words[..entry_length(words)].iter().rev() {
        high = high << DIGIT | low >> (128 - DIGIT);
        low = low << DIGIT | u128::from(word & !HEAD);
    }
    (low & ((1 << tag_bits) - 1), low >> tag_bits | high << (128 - tag_bits))
}

/// The words of a bucket with an entry added in front, for which others have to go if need be.
fn with_entry(words: &[u64; WORDS], entry: &[u64], depth_bits: u32) -> [u64; WORDS] {
    let mut left: ArrayVec<u64, WORDS> = words.iter().copied().collect();
    while left.last() == Some(&0) {
        left.pop();
    }
    while left.len() + entry.len() > WORDS {
        let heads = (0..left.len()).filter(|i| left[*i] & HEAD != 0);
        let depth = |i: &usize| left[*i] & ((1 << depth_bits) - 1);
        let least = heads.rev().min_by_key(depth).expect("a word that is used belongs to an entry");
        let end = least + entry_length(&left[least..]);
        left.drain(least..end);
    }
    let mut words = [0; WORDS];
    let all = entry.iter().chain(&left);
    words.iter_mut().zip(all).for_each(|(word, new)| *word = *new);
    words
}

/// Counts below nodes, one after the other, with a table or without one.
///
/// It gives what [`PerftNode::count`] gives, and keeps its working memory from one node to the next.
pub struct PerftCounter<'t> {
    rules: RuleSet,
    counting: Counting,
    table: Option<&'t PerftTable>,
    turns: Counter,
    successors: Successors,
    /// Where the stones after the turns of a node are listed; empty in between.
    found: Vec<(PointSet, PointSet)>,
    probes: u64,
    hits: u64,
}

impl PerftCounter<'static> {
    /// A counter without a table.
    pub fn new(rules: &RuleSet, board: Board, counting: Counting) -> Self {
        Self {
            rules: *rules,
            counting,
            table: None,
            turns: Counter::new(rules, board),
            successors: Successors::new(rules, board),
            found: Vec::new(),
            probes: 0,
            hits: 0,
        }
    }
}

impl<'t> PerftCounter<'t> {
    /// A counter that keeps counts in a table, and finds them there.
    pub fn with_table(table: &'t PerftTable) -> Self {
        let counter = PerftCounter::new(&table.rules, table.board, table.counting);
        Self { table: Some(table), ..counter }
    }

    /// Counts what lies `depth` plies below a node of the counter's board. With a table depths can
    /// be so great that a count passes 128 bits: then it is `u128::MAX`.
    pub fn count(&mut self, node: &PerftNode, depth: u32) -> u128 {
        let Some(table) = self.table else {
            return self.plain(node, depth);
        };
        let key = table.key(node, depth).filter(|_| depth >= self.least_depth());
        let count = self.look(table, node, depth, key);
        // Threads would be in each other's way if each probe were noted at once.
        table.note(std::mem::take(&mut self.probes), std::mem::take(&mut self.hits));
        count
    }

    /// Below this depth counting is faster than looking.
    fn least_depth(&self) -> u32 {
        match self.counting {
            Counting::Steps => 4,
            _ => 2,
        }
    }

    fn look(&mut self, table: &PerftTable, node: &PerftNode, depth: u32, key: Option<Key>) -> u128 {
        let Some(key) = key else {
            return self.go_on(table, node, depth);
        };
        self.probes += 1;
        if let Some(count) = table.look_up(&key) {
            self.hits += 1;
            return count;
        }
        let count = self.go_on(table, node, depth);
        table.keep(&key, count);
        count
    }

    /// Counts what the table does not have.
    fn go_on(&mut self, table: &PerftTable, node: &PerftNode, depth: u32) -> u128 {
        if depth <= self.least_depth() {
            return self.plain(node, depth);
        }
        let children = self.children(node);
        let keys: Vec<_> = children.iter().map(|child| table.key(child, depth - 1)).collect();
        // Reading memory at random is slow, but several reads at once take no longer than one.
        black_box(keys.iter().flatten().fold(0, |sum, key| sum ^ table.touch(key)));
        let children = children.iter().zip(keys);
        let counts = children.map(|(child, key)| self.look(table, child, depth - 1, key));
        counts.fold(0, u128::saturating_add)
    }

    /// The children of a node, in any order.
    fn children(&mut self, node: &PerftNode) -> Vec<PerftNode> {
        let Some(position) = node.position().filter(|_| self.counting != Counting::Steps) else {
            return node.children(&self.rules, self.counting);
        };
        self.successors.find(position, &mut self.found);
        if self.counting == Counting::Positions {
            self.found.sort_unstable();
            self.found.dedup();
        }
        let after = |(own, opponent)| PerftNode::new(&position.passed(own, opponent));
        self.found.drain(..).map(after).collect()
    }

    /// Counts without the table.
    fn plain(&mut self, node: &PerftNode, depth: u32) -> u128 {
        match (self.counting, node.position()) {
            (Counting::Turns, Some(position)) => {
                self.turns.add(position, depth);
                self.turns.finish()
            }
            _ => node.count(&self.rules, depth, self.counting),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_keeps_keys_apart() {
        for number in 0..5 {
            let mixing = Mixing::new(15, number);
            let mut mixed: Vec<u128> = (0..1 << 15).map(|key| mixing.mix(key)).collect();
            mixed.sort_unstable();
            assert!(mixed.into_iter().eq(0..1 << 15));
        }
    }

    #[test]
    fn entries_are_read_as_they_were_written() {
        let counts = [0, 1, 12, 1 << 40, u128::from(u64::MAX), 1 << 100, u128::MAX - 1, u128::MAX];
        for tag_bits in [1, 14, 51, 62, 63, 64, 90, 110] {
            let tags = [0, 1, (1 << tag_bits) - 1, 0x5555_5555_5555_5555_5555 % (1 << tag_bits)];
            for (tag, count) in tags.into_iter().flat_map(|tag| counts.map(|count| (tag, count))) {
                let written = entry(tag, tag_bits, count);
                let words = with_entry(&[0; WORDS], &written, 1);
                assert_eq!(find(&words, tag, tag_bits), Some(count), "{tag:x}, {tag_bits} bits");
                assert_eq!(find(&words, tag ^ 1 << (tag_bits - 1), tag_bits), None);
            }
        }
    }

    #[test]
    fn the_least_depth_and_of_that_the_oldest_goes() {
        let (depth_bits, tag_bits) = (3, 20);
        let tag = |name: u128, depth: u128| name << depth_bits | depth;
        let add = |words: &[u64; WORDS], tag, count| {
            with_entry(words, &entry(tag, tag_bits, count), depth_bits)
        };
        let narrow = |i: u128| (tag(i, 2 + i % 2), i);
        let words = (0..7).fold([0; WORDS], |words, i| add(&words, narrow(i).0, narrow(i).1));
        let is_there = |words, i: u128| find(words, narrow(i).0, tag_bits) == Some(narrow(i).1);
        assert!((0..7).all(|i| is_there(&words, i)));
        // Depth 2 are 0, 2, 4, 6: the oldest of them makes room for one word more.
        let words = add(&words, tag(100, 2), 5);
        assert!((1..7).all(|i| is_there(&words, i)) && !is_there(&words, 0));
        // A wide entry of three words, as old as can be, stays for its depth.
        let wide = (tag(200, 7), u128::MAX >> 10);
        let words = add(&words, wide.0, wide.1);
        assert!([1, 3, 5].iter().all(|i| is_there(&words, *i)));
        assert!([2, 4].iter().all(|i| !is_there(&words, *i)));
        let words = (300..320).fold(words, |words, i| add(&words, tag(i, 6), i));
        assert_eq!(find(&words, wide.0, tag_bits), Some(wide.1));
        assert_eq!(find(&words, tag(319, 6), tag_bits), Some(319));
    }
}
