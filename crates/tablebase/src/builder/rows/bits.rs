//! Rows of bits: runs at any bit, and bits that are spread over a mask.
//!
//! Rows that are read at any bit end with a word of zeros.

#![allow(unsafe_code)]

/// The words of a row of bits, with a word of zeros at the end.
pub(super) fn words(count: usize) -> usize {
    count.div_ceil(64) + 1
}

/// The lowest bits of a word, all if there are more.
#[inline(always)]
pub(super) fn low(count: usize) -> u64 {
    if count < 64 { (1 << count) - 1 } else { u64::MAX }
}

/// The indices of the bits that are set in a word.
#[inline]
pub(super) fn members(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

/// The bytes of some words, from the lowest bits to the highest.
pub(super) fn bytes(words: &[u64]) -> impl Iterator<Item = u8> {
    words.iter().flat_map(|word| word.to_le_bytes())
}

/// 64 bits, from any bit on.
#[inline(always)]
fn read(row: &[u64], at: usize) -> u64 {
    let (word, bit) = (at / 64, at % 64);
    row[word] >> bit | row[word + 1] << 1 << (63 - bit)
}

/// Sets the bits in `to` that are set in a run of `from`.
pub(super) fn or_run(to: &mut [u64], to_at: usize, from: &[u64], from_at: usize, count: usize) {
    let mut done = 0;
    while done < count {
        let bit = (to_at + done) % 64;
        let some = (64 - bit).min(count - done);
        to[(to_at + done) / 64] |= (read(from, from_at + done) & low(some)) << bit;
        done += some;
    }
}

/// A mask of the first bits of a row.
#[derive(Clone, Copy)]
pub(super) struct BitMask<'m> {
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

/// Spreads bits over a mask: the bits of `from` that are *not* in `outside`, counted from bit
/// `from_at`, are put in order into the places of `inside`, counted from bit `to_at`, and combined
/// with the bits of `to`. For two rows at a time. The first `empty` words of `inside` are zero.
/// `outside` has at most two points of any board, see [`PACKED`].
#[inline]
pub(super) fn spread_over(
    to: &mut [&mut [u64]; 2],
    to_at: usize,
    inside: BitMask<'_>,
    empty: usize,
    from: [&[u64]; 2],
    from_at: usize,
    outside: BitMask<'_>,
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the features.
        unsafe { modern::spread_over(to, to_at, inside, empty, from, from_at, outside) };
        return;
    }
    spread_over_with::<Portable>(to, to_at, inside, empty, from, from_at, outside);
}

/// The words that hold one bit for each set of two of 62 points, and a word of zeros.
const PACKED: usize = 32;

/// 64 packed bits, from any bit on.
#[inline(always)]
fn read_packed(packed: &[u64; PACKED], at: usize) -> u64 {
    let (word, bit) = (at / 64, at % 64);
    // The remainders tell the compiler that the indices are valid.
    packed[word % PACKED] >> bit | packed[(word + 1) % PACKED] << 1 << (63 - bit)
}

#[inline(always)]
fn spread_over_with<I: Instructions>(
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
    for i in 0..outside_words.len() {
        let mask = !outside_words[i] & outside.valid(i);
        let (word, bit) = (length / 64 % PACKED, length % 64);
        for row in 0..2 {
            let bits = I::extract(read(from[row], from_at + 64 * i), mask);
            any |= bits;
            packed[row][word] |= bits << bit;
            packed[row][(word + 1) % PACKED] = bits >> 1 >> (63 - bit);
        }
        length += mask.count_ones() as usize;
    }
    if any == 0 {
        return;
    }
    let inside_words = inside.words();
    let words = inside_words.len();
    let (begin, bit) = (to_at / 64, to_at % 64);
    let [first, second] = to;
    // What the last word carries needs a word more.
    let first = &mut first[begin..=begin + words];
    let second = &mut second[begin..=begin + words];
    // Closures and iterators would not be compiled into one loop with the instructions.
    let (mut next, mut first_carry, mut second_carry) = (0, 0, 0);
    for i in empty..words {
        let mask = inside_words[i] & inside.valid(i);
        let first_bits = I::deposit(read_packed(&packed[0], next), mask);
        let second_bits = I::deposit(read_packed(&packed[1], next), mask);
        next += mask.count_ones() as usize;
        first[i] |= first_bits << bit | first_carry;
        second[i] |= second_bits << bit | second_carry;
        first_carry = first_bits >> 1 >> (63 - bit);
        second_carry = second_bits >> 1 >> (63 - bit);
    }
    first[words] |= first_carry;
    second[words] |= second_carry;
}

/// The two operations on words.
trait Instructions {
    /// Packs the bits of a word under a mask.
    fn extract(word: u64, mask: u64) -> u64;

    /// Puts the lowest bits of a word into the places of a mask.
    fn deposit(word: u64, mask: u64) -> u64;
}

struct Portable;

impl Instructions for Portable {
    fn extract(word: u64, mut mask: u64) -> u64 {
        let (mut packed, mut to) = (0, 1);
        while mask != 0 {
            let place = mask & mask.wrapping_neg();
            packed |= if word & place != 0 { to } else { 0 };
            to <<= 1;
            mask ^= place;
        }
        packed
    }

    fn deposit(word: u64, mut mask: u64) -> u64 {
        let (mut spread, mut rest) = (0, word);
        while mask != 0 && rest != 0 {
            let place = mask & mask.wrapping_neg();
            spread |= place & (rest & 1).wrapping_neg();
            rest >>= 1;
            mask ^= place;
        }
        spread
    }
}

#[cfg(target_arch = "x86_64")]
mod modern {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    use super::{BitMask, Instructions};

    /// With the instructions for it. Only for functions that are compiled with `bmi2`.
    struct Modern;

    impl Instructions for Modern {
        #[inline(always)]
        fn extract(word: u64, mask: u64) -> u64 {
            // SAFETY: the caller has the feature.
            unsafe { _pext_u64(word, mask) }
        }

        #[inline(always)]
        fn deposit(word: u64, mask: u64) -> u64 {
            // SAFETY: the caller has the feature.
            unsafe { _pdep_u64(word, mask) }
        }
    }

    #[target_feature(enable = "bmi2,popcnt")]
    pub(super) fn spread_over(
        to: &mut [&mut [u64]; 2],
        to_at: usize,
        inside: BitMask<'_>,
        empty: usize,
        from: [&[u64]; 2],
        from_at: usize,
        outside: BitMask<'_>,
    ) {
        super::spread_over_with::<Modern>(to, to_at, inside, empty, from, from_at, outside);
    }
}
