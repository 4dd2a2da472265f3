//! The buckets of a table of counts: lines of memory that threads share without locks.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use arrayvec::ArrayVec;

/// The words of a bucket that hold entries.
pub(super) const WORDS: usize = 7;

/// A word that begins an entry; the other bits of a word are data.
const HEAD: u64 = 1 << 63;

/// The data bits of a word.
const DIGIT: u32 = 63;

/// A cache line with some entries, the newest first, and a version that changes with them: odd
/// while a thread writes, as in a seqlock.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Bucket {
    pub(super) version: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl Bucket {
    /// The words; `None` if a thread is writing.
    #[inline]
    pub(super) fn read(&self) -> Option<[u64; WORDS]> {
        let before = self.version.load(Ordering::Acquire);
        let words = std::array::from_fn(|i| self.words[i].load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let after = self.version.load(Ordering::Relaxed);
        (before.is_multiple_of(2) && before == after).then_some(words)
    }

    /// Changes the words, unless another thread is doing so.
    pub(super) fn update(&self, change: impl FnOnce(&mut [u64; WORDS])) {
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
pub(super) fn entry(tag: u128, tag_bits: u32, count: u128) -> ArrayVec<u64, WORDS> {
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
pub(super) fn find(words: &[u64; WORDS], tag: u128, tag_bits: u32) -> Option<u128> {
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
    // Words after the last entry are 0, and high digits of 0 do not change a count.
    for word in words[..entry_length(words)].iter().rev() {
        high = high << DIGIT | low >> (128 - DIGIT);
        low = low << DIGIT | u128::from(word & !HEAD);
    }
    (low & ((1 << tag_bits) - 1), low >> tag_bits | high << (128 - tag_bits))
}

/// The words of a bucket with an entry added in front. Others are dropped if there is no room.
pub(super) fn with_entry(words: &[u64; WORDS], entry: &[u64], depth_bits: u32) -> [u64; WORDS] {
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

#[cfg(test)]
mod tests {
    use super::*;

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
