//! Selecting bits of a row, and putting them back, in order.
//!
//! Let a mask select some bits of a row. *Compressing* writes the selected bits without gaps, in
//! the same order. *Expanding* is the inverse. Most processors can do this for a word at a time. On
//! others, loops do.

use crate::bits::{carry, join, read};
use crate::instructions::compiled;

/// How an expanded row is combined with another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Combine {
    /// Sets the selected bits that are set in the compressed row.
    Or,
    /// Clears the selected bits that are clear in the compressed row.
    And,
}

compiled! {
    /// Selects the bits of `row` in `mask`. Writes them to the beginning of `to`, which must have
    /// a word more than they need. The bits after them are undefined.
    pub(super) fn compress<R: Iterator<Item = u64>>(words, row: R, mask: &[u64], to: &mut [u64]) {
        let mut writer = BitWriter::default();
        for (word, mask) in row.zip(mask) {
            writer.push(words.extract(word, *mask), mask.count_ones(), to);
        }
        writer.finish(to);
    }
}

compiled! {
    /// Combines the bits of `row` in `mask`, without those in `except`, with the bits of
    /// `compressed`. The latter must have two words more than its bits need.
    pub(super) fn expand(
        words, compressed: &[u64], mask: &[u64], except: Option<&[u64]>, how: Combine, row: &mut [u64],
    ) {
        let mut at = 0;
        let mut next = |mask: u64| {
            let bits = read(compressed, at);
            at += mask.count_ones() as usize;
            words.deposit(bits, mask)
        };
        let masks = row.iter_mut().zip(mask);
        match (how, except) {
            (Combine::Or, None) => masks.for_each(|(row, mask)| *row |= next(*mask)),
            (Combine::And, None) => masks.for_each(|(row, mask)| *row &= next(*mask) | !mask),
            (Combine::Or, Some(except)) => {
                masks.zip(except).for_each(|((row, mask), except)| *row |= next(*mask) & !except);
            }
            (Combine::And, Some(except)) => {
                masks.zip(except).for_each(|((row, mask), e)| *row &= next(*mask) | !mask | e);
            }
        }
    }
}

compiled! {
    /// Takes the bits that are in the first mask only and those that are in the second only, and
    /// exchanges the two lists. They must have the same length.
    pub(super) fn exchange(
        words, row: &mut [u64], masks: [&[u64]; 2], buffers: &mut [Vec<u64>; 2],
    ) {
        let ([first, second], [firsts, seconds]) = (masks, buffers);
        // One word to spare for writing, and one for reading.
        let length = row.len() + 2;
        if firsts.len() < length {
            firsts.resize(length, 0);
            seconds.resize(length, 0);
        }
        let (mut first_writer, mut second_writer) = (BitWriter::default(), BitWriter::default());
        for (word, (first, second)) in row.iter().zip(first.iter().zip(second)) {
            let (only_first, only_second) = (first & !second, second & !first);
            let found = words.extract(*word, only_first);
            first_writer.push(found, only_first.count_ones(), firsts);
            let found = words.extract(*word, only_second);
            second_writer.push(found, only_second.count_ones(), seconds);
        }
        first_writer.finish(firsts);
        second_writer.finish(seconds);
        let (mut first_at, mut second_at) = (0, 0);
        for (word, (first, second)) in row.iter_mut().zip(first.iter().zip(second)) {
            let (only_first, only_second) = (first & !second, second & !first);
            let (to_second, to_first) = (read(firsts, first_at), read(seconds, second_at));
            first_at += only_second.count_ones() as usize;
            second_at += only_first.count_ones() as usize;
            *word = *word & !(only_first | only_second)
                | words.deposit(to_second, only_second)
                | words.deposit(to_first, only_first);
        }
    }
}

compiled! {
    /// Renumbers a set: each of its points becomes its number among the points of `within`.
    #[inline]
    pub(super) fn renumber(words, set: u64, within: u64) -> u64 {
        words.extract(set, within)
    }
}

compiled! {
    /// The inverse of [`renumber`].
    #[inline]
    pub(super) fn restore(words, set: u64, within: u64) -> u64 {
        words.deposit(set, within)
    }
}

/// Writes bits one after the other.
#[derive(Default)]
struct BitWriter {
    /// The bits of the next word, of which the lowest `fill` are known.
    bits: u64,
    fill: usize,
    word: usize,
}

impl BitWriter {
    /// Appends the lowest `count` bits of `found`; the others are clear.
    #[inline(always)]
    fn push(&mut self, found: u64, count: u32, to: &mut [u64]) {
        to[self.word] = self.bits | found << self.fill;
        let end = self.fill + count as usize;
        let is_full = end >= 64;
        // The bits that do not fit any more.
        let rest = carry(found, self.fill);
        self.bits = if is_full { rest } else { self.bits | found << self.fill };
        self.word += usize::from(is_full);
        self.fill = end & 63;
    }

    /// Writes the last word.
    #[inline(always)]
    fn finish(self, to: &mut [u64]) {
        to[self.word] = self.bits;
    }
}

/// Sets `to` to the first `count` bits of a row, in reverse order.
#[inline(always)]
pub(super) fn reverse(row: &[u64], count: usize, to: &mut Vec<u64>) {
    let gap = 64 * row.len() - count;
    to.clear();
    to.extend((0..row.len()).map(|i| {
        let word = |i: usize| row[row.len() - 1 - i].reverse_bits();
        let above = if i + 1 < row.len() { word(i + 1) } else { 0 };
        join(word(i), above, gap)
    }));
}

#[cfg(test)]
mod tests {
    use fanorona_core::SplitMix64;

    use super::*;
    use crate::bits::has;
    use crate::instructions::Instructions;

    fn all_instructions() -> [Instructions; 2] {
        [Instructions::PORTABLE, Instructions::detect()]
    }

    /// Rows of several lengths with masks of several densities, including empty and full ones.
    fn rows(mut visit: impl FnMut(&[u64], &[u64], &[u64], &mut SplitMix64)) {
        let mut random = SplitMix64::new(1);
        for words in [1, 2, 3, 7, 20] {
            for density in 0..=6 {
                for _ in 0..20 {
                    let mut word = || match density {
                        0 => 0,
                        6 => u64::MAX,
                        1 => random.next_u64() & random.next_u64() & random.next_u64(),
                        2 => random.next_u64() & random.next_u64(),
                        4 => random.next_u64() | random.next_u64(),
                        _ => random.next_u64(),
                    };
                    let mask: Vec<_> = (0..words).map(|_| word()).collect();
                    let row: Vec<_> = (0..words).map(|_| random.next_u64()).collect();
                    let except: Vec<_> = (0..words).map(|_| random.next_u64()).collect();
                    visit(&row, &mask, &except, &mut random);
                }
            }
        }
    }

    #[test]
    fn bits_are_compressed_one_by_one() {
        rows(|row, mask, _, random| {
            let selected: Vec<_> = (0..64 * row.len()).filter(|i| has(mask, *i)).collect();
            for words in all_instructions() {
                // Earlier contents of the buffer do not matter.
                let mut to: Vec<_> =
                    (0..=selected.len().div_ceil(64)).map(|_| random.next_u64()).collect();
                compress(words, row.iter().copied(), mask, &mut to);
                for (place, i) in selected.iter().enumerate() {
                    assert_eq!(has(&to, place), has(row, *i), "bit {i}");
                }
            }
        });
    }

    #[test]
    fn bits_are_expanded_one_by_one() {
        rows(|row, mask, except, random| {
            let count = mask.iter().map(|word| word.count_ones() as usize).sum::<usize>();
            let compressed: Vec<_> =
                (0..count.div_ceil(64) + 2).map(|_| random.next_u64()).collect();
            for (words, how) in
                all_instructions().into_iter().flat_map(|w| [(w, Combine::Or), (w, Combine::And)])
            {
                for except in [None, Some(except)] {
                    let mut found = row.to_vec();
                    expand(words, &compressed, mask, except, how, &mut found);
                    let mut place = 0;
                    for i in 0..64 * row.len() {
                        let mut expected = has(row, i);
                        if has(mask, i) {
                            let is_excepted = except.is_some_and(|except| has(except, i));
                            match how {
                                Combine::Or => expected |= has(&compressed, place) && !is_excepted,
                                Combine::And => expected &= has(&compressed, place) || is_excepted,
                            }
                            place += 1;
                        }
                        assert_eq!(has(&found, i), expected, "bit {i}, {how:?}");
                    }
                }
            }
        });
    }

    #[test]
    fn bits_are_exchanged_one_by_one() {
        rows(|row, first, second, _| {
            // Each mask without the other has as many bits.
            let only = |a: &[u64], b: &[u64]| -> Vec<usize> {
                (0..64 * row.len()).filter(|i| has(a, *i) && !has(b, *i)).collect()
            };
            let (mut firsts, mut seconds) = (only(first, second), only(second, first));
            let count = firsts.len().min(seconds.len());
            let (mut first, mut second) = (first.to_vec(), second.to_vec());
            for (bits, removed) in
                [(&mut first, firsts.split_off(count)), (&mut second, seconds.split_off(count))]
            {
                removed.iter().for_each(|i| bits[i / 64] ^= 1 << (i % 64));
            }
            for words in all_instructions() {
                let (mut found, mut buffers) = (row.to_vec(), Default::default());
                exchange(words, &mut found, [&first, &second], &mut buffers);
                let mut expected: Vec<_> = (0..64 * row.len()).map(|i| has(row, i)).collect();
                for (a, b) in firsts.iter().zip(&seconds) {
                    expected.swap(*a, *b);
                }
                for (i, expected) in expected.iter().enumerate() {
                    assert_eq!(has(&found, i), *expected, "bit {i}");
                }
            }
        });
    }

    #[test]
    fn rows_are_reversed_bit_by_bit() {
        rows(|row, _, _, _| {
            for gap in [0, 1, 13, 63] {
                let mut row = row.to_vec();
                let count = 64 * row.len() - gap;
                *row.last_mut().expect("a word") &= u64::MAX >> gap;
                let mut to = vec![5];
                reverse(&row, count, &mut to);
                assert_eq!(to.len(), row.len());
                for i in 0..64 * row.len() {
                    let expected = i < count && has(&row, count - 1 - i);
                    assert_eq!(has(&to, i), expected, "bit {i} of {count}");
                }
            }
        });
    }

    #[test]
    fn points_are_renumbered() {
        let mut random = SplitMix64::new(2);
        for _ in 0..1000 {
            let within = random.next_u64() & random.next_u64();
            let set = within & random.next_u64();
            let number = |point: u32| (within & ((1 << point) - 1)).count_ones();
            let expected = (0..64).filter(|p| set >> p & 1 != 0).fold(0, |s, p| s | 1 << number(p));
            for words in all_instructions() {
                assert_eq!(renumber(words, set, within), expected);
                assert_eq!(restore(words, expected, within), set);
            }
        }
    }
}
