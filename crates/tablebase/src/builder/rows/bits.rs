//! Rows of bits: runs at any bit, and bits that are spread over a mask.
//!
//! Rows that are read at any bit end with a word of zeros.

#![allow(unsafe_code)]

/// The words of a row of bits, with a word of zeros at the end.
pub(super) fn words(count: usize) -> usize {
    count.div_ceil(64) + 1
}

/// The lowest bits of a word, all if there are more.
#[inline]
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
#[inline]
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

/// Sets the bits in a row, from a bit on, that some bits of another row become when they are put
/// into the places of a mask, in order. The first words of the mask have no such places.
///
/// Masks come with the number of their bits. The bits of `from` are those *outside* its mask.
#[inline]
pub(super) fn spread_over(
    to: (&mut [u64], usize),
    to_mask: (&[u64], usize),
    first: usize,
    from: (&[u64], usize),
    from_mask: (&[u64], usize),
) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the features.
        unsafe { modern::spread_over(to, to_mask, first, from, from_mask) };
        return;
    }
    spread_over_with::<Portable>(to, to_mask, first, from, from_mask);
}

/// The most words of the packed bits: two of 62 points.
const PACKED: usize = 62 * 61 / 2 / 64 + 3;

#[inline(always)]
fn spread_over_with<I: Instructions>(
    (to, to_at): (&mut [u64], usize),
    (to_mask, to_count): (&[u64], usize),
    first: usize,
    (from, from_at): (&[u64], usize),
    (from_mask, from_count): (&[u64], usize),
) {
    let mut packed = [0u64; PACKED];
    let mut length = 0;
    let mut any = 0;
    for (i, mask) in from_mask[..from_count.div_ceil(64)].iter().enumerate() {
        let mask = !mask & low(from_count - 64 * i);
        let bits = I::extract(read(from, from_at + 64 * i), mask);
        any |= bits;
        packed[length / 64] |= bits << (length % 64);
        packed[length / 64 + 1] = bits >> 1 >> (63 - length % 64);
        length += mask.count_ones() as usize;
    }
    if any == 0 {
        return;
    }
    let (word, bit) = (to_at / 64, to_at % 64);
    let to_words = to_count.div_ceil(64);
    let (mut next, mut carry) = (0, 0);
    let masks = to_mask[..to_words].iter().enumerate().skip(first);
    let to = &mut to[word..word + to_words + 1];
    for (i, mask) in masks {
        let mask = mask & low(to_count - 64 * i);
        let bits = I::deposit(read(&packed, next), mask);
        next += mask.count_ones() as usize;
        to[i] |= bits << bit | carry;
        carry = bits >> 1 >> (63 - bit);
    }
    to[to_words] |= carry;
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

    use super::Instructions;

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
        to: (&mut [u64], usize),
        to_mask: (&[u64], usize),
        first: usize,
        from: (&[u64], usize),
        from_mask: (&[u64], usize),
    ) {
        super::spread_over_with::<Modern>(to, to_mask, first, from, from_mask);
    }
}
