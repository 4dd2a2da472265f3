//! Bits that are spread over a mask, or packed from under one.
//!
//! Rows that are read at any bit end with a word of zeros.

use crate::bits::{append, carry, join, low, read};
use crate::instructions::{Words, compiled};

/// The words of a row of bits, with a word of zeros at the end.
pub(crate) fn words(count: usize) -> usize {
    count.div_ceil(64) + 1
}

/// The bytes of some words, from the lowest bits to the highest.
pub(crate) fn bytes(words: &[u64]) -> impl Iterator<Item = u8> {
    words.iter().flat_map(|word| word.to_le_bytes())
}

/// A mask of the first bits of a row.
#[derive(Clone, Copy)]
pub(crate) struct BitMask<'m> {
    pub bits: &'m [u64],
    pub count: usize,
}

impl<'m> BitMask<'m> {
    /// The words of the mask. The last one can have more bits than the mask.
    #[inline(always)]
    fn words(self) -> &'m [u64] {
        &self.bits[..self.count.div_ceil(64)]
    }

    /// The bits of a word that are bits of the mask.
    #[inline(always)]
    fn valid(self, word: usize) -> u64 {
        low(self.count - 64 * word)
    }
}

compiled! {
    /// Spreads bits over a mask: the bits of `from` that are *not* in `outside`, counted from bit
    /// `from_at`, are put in order into the set bits of `inside`, counted from bit `to_at`, and combined
    /// with the bits of `to`. For two rows at a time. The first `empty` words of `inside` are zero.
    /// At most 62 * 61 / 2 bits are not in `outside`.
    #[inline]
    pub(crate) fn spread_over(
        words,
        to: &mut [&mut [u64]; 2],
        to_at: usize,
        inside: BitMask<'_>,
        empty: usize,
        from: [&[u64]; 2],
        from_at: usize,
        outside: BitMask<'_>,
    ) {
        spread_over_with(words, to, to_at, inside, empty, from, from_at, outside);
    }
}

/// The words that hold one bit for each set of two of 62 points, and a word of zeros.
const PACKED: usize = 32;

/// 64 packed bits, from any bit on.
#[inline(always)]
fn read_packed(packed: &[u64; PACKED], at: usize) -> u64 {
    let (word, bit) = (at / 64, at % 64);
    // With remainders as indices, the compiler leaves out checks.
    join(packed[word % PACKED], packed[(word + 1) % PACKED], bit)
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn spread_over_with(
    words: impl Words,
    to: &mut [&mut [u64]; 2],
    to_at: usize,
    inside: BitMask<'_>,
    empty: usize,
    from: [&[u64]; 2],
    from_at: usize,
    outside: BitMask<'_>,
) {
    let mut packed = [[0u64; PACKED]; 2];
    let (mut length, mut any) = (0, 0);
    let outside_words = outside.words();
    for (i, outside_word) in outside_words.iter().enumerate() {
        let mask = !outside_word & outside.valid(i);
        let (word, bit) = (length / 64 % PACKED, length % 64);
        for (packed, from) in packed.iter_mut().zip(from) {
            let bits = words.extract(read(from, from_at + 64 * i), mask);
            any |= bits;
            packed[word] |= bits << bit;
            packed[(word + 1) % PACKED] = carry(bits, bit);
        }
        length += mask.count_ones() as usize;
    }
    if any == 0 {
        return;
    }
    let inside_words = inside.words();
    let length = inside_words.len();
    let (begin, bit) = (to_at / 64, to_at % 64);
    let [first, second] = to;
    // The carry of the last word needs a word more.
    let first = &mut first[begin..=begin + length];
    let second = &mut second[begin..=begin + length];
    // Iterators with closures would not be compiled into one loop: only this function has the
    // instructions.
    let (mut next, mut first_carry, mut second_carry) = (0, 0, 0);
    for i in empty..length {
        let mask = inside_words[i] & inside.valid(i);
        let first_bits = words.deposit(read_packed(&packed[0], next), mask);
        let second_bits = words.deposit(read_packed(&packed[1], next), mask);
        next += mask.count_ones() as usize;
        first[i] |= first_bits << bit | first_carry;
        second[i] |= second_bits << bit | second_carry;
        first_carry = carry(first_bits, bit);
        second_carry = carry(second_bits, bit);
    }
    first[length] |= first_carry;
    second[length] |= second_carry;
}

compiled! {
    /// Packs the bits under a mask, for three rows at a time: appends them to `to`, which is zero and
    /// ends with a word of zeros.
    pub(crate) fn pack_under(words, from: &[[u64; 3]], mask: &[u64], to: &mut [&mut [u64]; 3]) {
        pack_under_with(words, from, mask, to);
    }
}

#[inline(always)]
fn pack_under_with(words: impl Words, from: &[[u64; 3]], mask: &[u64], to: &mut [&mut [u64]; 3]) {
    let mut length = 0;
    for (from, mask) in from.iter().zip(mask) {
        if *mask == 0 {
            continue;
        }
        for (to, from) in to.iter_mut().zip(from) {
            append(to, length, words.extract(*from, *mask));
        }
        length += mask.count_ones() as usize;
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::SplitMix64;

    use super::*;
    use crate::bits::{has, insert};
    use crate::instructions::Instructions;

    #[test]
    fn bits_are_spread_in_order() {
        let mut numbers = SplitMix64::new(2);
        for case in 0..300 {
            let mut random = |below: usize| numbers.next_u64() as usize % below;
            let (count, from_at, to_at) = (1 + random(1800), random(200), random(200));
            let mut random_row = |words: usize, thinned: usize| {
                let word = |_| (0..thinned).fold(u64::MAX, |word, _| word & numbers.next_u64());
                (0..words).map(word).collect::<Vec<_>>()
            };
            let from = [0, 1].map(|i| random_row(40, 1 + case % 2 * i));
            let outside_bits = random_row(words(count), 1 + case % 3);
            // As many offsets as bits: every second, with random gaps.
            let packed: Vec<_> = (0..count).filter(|i| !has(&outside_bits, *i)).collect();
            let gaps = random_row(words(8 * count), 1 + case % 4);
            let offsets: Vec<_> =
                (0..8 * count).filter(|i| !has(&gaps, *i)).take(packed.len()).collect();
            let inside_count = offsets.last().map_or(1, |last| last + 1);
            let mut inside_bits = vec![0; words(inside_count)];
            offsets.iter().for_each(|at| insert(&mut inside_bits, *at));
            let empty = offsets.first().map_or(0, |first| first / 64);
            // Bits after the masks are not read.
            inside_bits[inside_count / 64] |= !low(inside_count % 64);
            let before = [0, 1].map(|_| random_row(words(to_at + inside_count), 3));

            let mut expected = before.clone();
            for (expected, from) in expected.iter_mut().zip(&from) {
                for (source, offset) in packed.iter().zip(&offsets) {
                    let to = to_at + offset;
                    expected[to / 64] |= u64::from(has(from, from_at + source)) << (to % 64);
                }
            }
            let inside = BitMask { bits: &inside_bits, count: inside_count };
            let outside = BitMask { bits: &outside_bits, count };
            for words in [Instructions::PORTABLE, Instructions::detect()] {
                let mut found = before.clone();
                let [first, second] = &mut found;
                let to = &mut [&mut first[..], &mut second[..]];
                let from = [&from[0][..], &from[1]];
                spread_over(words, to, to_at, inside, empty, from, from_at, outside);
                assert_eq!(found, expected, "{words:?}, case {case}");
            }
        }
    }

    #[test]
    fn bits_under_a_mask_are_packed_in_order() {
        let mut numbers = SplitMix64::new(3);
        let from: Vec<[u64; 3]> =
            (0..40).map(|_| [0; 3].map(|_: u64| numbers.next_u64())).collect();
        let masks = [
            (0..40).map(|_| numbers.next_u64() & numbers.next_u64()).collect::<Vec<_>>(),
            [u64::MAX, 0, u64::MAX].into_iter().cycle().take(40).collect(),
            vec![0; 40],
        ];
        for mask in masks {
            let offsets: Vec<_> = (0..64 * 40).filter(|at| has(&mask, *at)).collect();
            for instructions in [Instructions::PORTABLE, Instructions::detect()] {
                let mut rows = [0; 3].map(|_| vec![0u64; words(offsets.len())]);
                let [a, b, c] = &mut rows;
                let to = &mut [&mut a[..], b, c];
                pack_under(instructions, &from, &mask, to);
                for (plane, row) in rows.iter().enumerate() {
                    for (i, at) in offsets.iter().enumerate() {
                        assert_eq!(has(row, i), from[at / 64][plane] >> (at % 64) & 1 != 0);
                    }
                    assert_eq!(row[row.len() - 1], 0);
                }
            }
        }
    }
}
