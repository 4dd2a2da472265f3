//! Parts of matrices without what need not be kept.
//!
//! Places where the sets of the row and the column overlap are no positions, and have the same bit
//! in the whole matrix. They are left out: a third of all with 8 stones on 9x5, nearly a half with
//! 10. In what is left, most captures decide, so that most bits of the matrix of wins are set. It is
//! inverted, and bytes that are zero are left out. This takes little more time than to copy the
//! words. LZ4 would be several times slower, zstd ten times, and save little more.

use std::ops::Range;

use fanorona_core::PointSet;
use serde::{Deserialize, Serialize};
use zerocopy::IntoBytes;

use super::layout::MAX_WIDTH;
use crate::bits::{append, read};
use crate::instructions::{Instructions, Words, compiled};

/// Which places of a slice's matrices are no positions, because the sets of the row and the column
/// overlap.
pub(crate) struct Overlaps {
    own: Vec<PointSet>,
    /// For each point, the columns whose sets contain it.
    containing: Vec<Vec<u64>>,
}

impl Overlaps {
    /// The overlaps of a slice, given the set of each row, and for each point the columns that
    /// contain it.
    pub(crate) fn new(own: Vec<PointSet>, containing: Vec<Vec<u64>>) -> Self {
        Self { own, containing }
    }
}

/// The [`Overlaps`] in some rows and words of a matrix.
#[derive(Clone)]
pub(super) struct Overlap<'o> {
    pub overlaps: &'o Overlaps,
    pub first: usize,
    pub words: Range<usize>,
}

impl Overlap<'_> {
    /// Sets `taken` to the places where the sets overlap, in a row and up to [`MAX_WIDTH`] words
    /// from `first` on. Rows that fill up the last group have none.
    #[inline(always)]
    fn taken<'t>(&self, row: usize, first: usize, taken: &'t mut [u64; MAX_WIDTH]) -> &'t [u64] {
        let Range { start, end } = self.words;
        let words = start + first..end.min(start + first + MAX_WIDTH);
        let taken = &mut taken[..words.len()];
        taken.fill(0);
        let mut points = self.overlaps.own.get(self.first + row).map_or(0, |own| own.bits());
        while points != 0 {
            let containing = &self.overlaps.containing[points.trailing_zeros() as usize];
            points &= points - 1;
            let containing = &containing[words.clone()];
            // Not an iterator with a closure: only the caller is compiled with the instructions.
            for i in 0..taken.len().min(containing.len()) {
                taken[i] |= containing[i];
            }
        }
        taken
    }
}

/// How words are packed. Needed to unpack them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Form {
    /// The bits at overlaps, if they were left out. Then the bits that are left are inverted if
    /// these are ones.
    overlaps: Option<bool>,
    /// The number of words before bytes that are zero were left out.
    words: u32,
}

impl Form {
    /// Whether bytes can have this form, for a number of words. `has_overlaps` says whether it is
    /// known which places are no positions.
    pub(super) fn fits(self, bytes: &[u8], len: usize, has_overlaps: bool) -> bool {
        let words = self.words as usize;
        let fits = match self.overlaps {
            None => words == len,
            Some(_) => has_overlaps && words <= len,
        };
        let nonzero =
            |bytes: &[u8]| bytes.iter().map(|byte| byte.count_ones() as usize).sum::<usize>();
        let all = || bytes.get(..words).map(|headers| words + nonzero(headers));
        fits && (bytes.len() == 8 * words || all() == Some(bytes.len()))
    }

    /// All ones if words are inverted.
    #[inline(always)]
    fn flip(self) -> u64 {
        u64::from(self.overlaps == Some(true)).wrapping_neg()
    }
}

/// The bytes that [`unpack`] needs after the packed ones.
pub(super) const PADDING: usize = 8;

pub(super) fn pack(words: &[u64], overlap: Option<&Overlap<'_>>) -> (Form, Vec<u8>) {
    pack_by(Instructions::detect(), words, overlap)
}

/// Undoes [`pack`], given what it has returned and [`PADDING`], and the same overlaps. It may panic
/// if the bytes do not [fit](Form::fits) the form and the number of words.
pub(super) fn unpack(form: Form, bytes: &[u8], overlap: Option<&Overlap<'_>>, to: &mut [u64]) {
    unpack_by(Instructions::detect(), form, bytes, overlap, to);
}

compiled! {
    fn pack_by(instructions, words: &[u64], overlap: Option<&Overlap<'_>>) -> (Form, Vec<u8>) {
        pack_with(instructions, words, overlap)
    }
}

compiled! {
    fn unpack_by(
        instructions, form: Form, bytes: &[u8], overlap: Option<&Overlap<'_>>, to: &mut [u64],
    ) {
        unpack_with(instructions, form, bytes, overlap, to);
    }
}

#[inline(always)]
fn pack_with(
    instructions: impl Words,
    words: &[u64],
    overlap: Option<&Overlap<'_>>,
) -> (Form, Vec<u8>) {
    if let Some(overlap) = overlap {
        let mut free = vec![0; words.len() + 1];
        let (mut taken, mut at) = ([0; MAX_WIDTH], 0);
        let (mut zeros, mut ones) = (0, 0);
        for (row, words) in words.chunks(overlap.words.len()).enumerate() {
            for (part, words) in words.chunks(MAX_WIDTH).enumerate() {
                let taken = overlap.taken(row, part * MAX_WIDTH, &mut taken);
                for (&bits, &taken) in words.iter().zip(taken) {
                    (zeros, ones) = (zeros | !bits & taken, ones | bits & taken);
                    append(&mut free, at, instructions.extract(bits, !taken));
                    at += taken.count_zeros() as usize;
                }
            }
        }
        if zeros == 0 || ones == 0 {
            let count = at.div_ceil(64);
            let form = Form { overlaps: Some(ones != 0), words: count as u32 };
            return leave_out_zeros(instructions, form, &free[..count]);
        }
    }
    leave_out_zeros(instructions, Form { overlaps: None, words: words.len() as u32 }, words)
}

/// The lowest bit of each byte.
const LOWEST: u64 = 0x0101_0101_0101_0101;

/// First a byte for each word, with a bit for each of its bytes that is not zero. Then these bytes.
/// If this is not shorter, the words.
#[inline(always)]
fn leave_out_zeros(instructions: impl Words, form: Form, words: &[u64]) -> (Form, Vec<u8>) {
    let mut len = words.len();
    for word in words {
        len += nonzero(word ^ form.flip()).count_ones() as usize;
    }
    if len >= 8 * words.len() {
        return (form, words.as_bytes().to_vec());
    }
    let mut bytes = vec![0; len + PADDING];
    let mut at = words.len();
    for (i, word) in words.iter().enumerate() {
        let word = word ^ form.flip();
        let any = nonzero(word);
        bytes[i] = instructions.extract(any, LOWEST) as u8;
        let rest = instructions.extract(word, (any << 8).wrapping_sub(any));
        bytes[at..at + 8].copy_from_slice(&rest.to_le_bytes());
        at += any.count_ones() as usize;
    }
    bytes.truncate(len);
    (form, bytes)
}

/// The lowest bits of the bytes of a word that are not zero.
#[inline(always)]
fn nonzero(word: u64) -> u64 {
    const LOW: u64 = 0x7f * LOWEST;
    (((word & LOW) + LOW) | word) >> 7 & LOWEST
}

#[inline(always)]
fn unpack_with(
    instructions: impl Words,
    form: Form,
    bytes: &[u8],
    overlap: Option<&Overlap<'_>>,
    to: &mut [u64],
) {
    let Some(overlap) = overlap.filter(|_| form.overlaps.is_some()) else {
        put_zeros(instructions, bytes, to);
        return;
    };
    let count = form.words as usize;
    // As many as there can be: a damaged form can have fewer than needed.
    let mut free = vec![0; to.len().max(count) + 2];
    let flip = if put_zeros(instructions, bytes, &mut free[..count]) { form.flip() } else { 0 };
    let (mut taken, mut at) = ([0; MAX_WIDTH], 0);
    for (row, to) in to.chunks_mut(overlap.words.len()).enumerate() {
        for (part, to) in to.chunks_mut(MAX_WIDTH).enumerate() {
            let taken = overlap.taken(row, part * MAX_WIDTH, &mut taken);
            for (to, &taken) in to.iter_mut().zip(taken) {
                *to = instructions.deposit(read(&free, at) ^ flip, !taken) | form.flip() & taken;
                at += taken.count_zeros() as usize;
            }
        }
    }
}

/// Undoes [`leave_out_zeros`], except for the inversion. Returns whether zeros were left out.
#[inline(always)]
fn put_zeros(instructions: impl Words, bytes: &[u8], to: &mut [u64]) -> bool {
    let len = bytes.len() - PADDING;
    if len == size_of_val(to) {
        to.as_mut_bytes().copy_from_slice(&bytes[..len]);
        return false;
    }
    let mut at = to.len();
    for (to, header) in to.iter_mut().zip(bytes) {
        let any = instructions.deposit((*header).into(), LOWEST);
        let rest = bytes[at..at + 8].try_into().expect("8 bytes");
        *to = instructions.deposit(u64::from_le_bytes(rest), (any << 8).wrapping_sub(any));
        at += header.count_ones() as usize;
    }
    true
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(in super::super) fn overlaps(rows: usize, words: usize) -> Overlaps {
        let random = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let own = (0..rows as u64).map(|row| PointSet::from_bits(1 << (row % 9) | 1 << (row % 7)));
        let containing = (0..9).map(|point| {
            (0..words as u64).map(|word| random(point << 32 | word) & random(word)).collect()
        });
        Overlaps::new(own.collect(), containing.collect())
    }

    proptest! {
        /// Whatever the words are, they come back, with and without the instructions.
        #[test]
        fn words_are_unpacked_as_packed(
            rows in 1..30usize, width in 1..=2 * MAX_WIDTH + 1, first in 0..9usize,
            // Zero bytes, with ones or zeros at overlaps, all, or any.
            bits in any::<u64>(), thinned in 0..5u32, kind in 0..4u8,
        ) {
            let overlaps = overlaps(30, 2 * MAX_WIDTH + 1);
            let overlap = Overlap { overlaps: &overlaps, first, words: 0..width };
            let mut taken = [0; MAX_WIDTH];
            let mut words = Vec::new();
            for row in 0..rows {
                for i in 0..width {
                    let taken = overlap.taken(row, i, &mut taken)[0];
                    let random = |by: u32| bits.wrapping_mul((97 * row + i) as u64 | 1).rotate_left(by);
                    let word = (0..thinned).fold(u64::MAX, |word, k| word & random(7 * k));
                    words.push(match kind {
                        0 => word & !taken,
                        1 => !word | taken,
                        2 => u64::MAX,
                        _ => word,
                    });
                }
            }
            for overlap in [None, Some(&overlap)] {
                let (form, bytes) = pack_by(Instructions::PORTABLE, &words, overlap);
                prop_assert!(bytes.len() <= 8 * words.len());
                if kind < 3 {
                    prop_assert_eq!(form.overlaps.is_some(), overlap.is_some());
                }
                prop_assert_eq!(&pack(&words, overlap), &(form, bytes.clone()));
                prop_assert!(form.fits(&bytes, words.len(), overlap.is_some()));
                let padded = [bytes, vec![7; PADDING]].concat();
                let mut found = vec![7; words.len()];
                unpack(form, &padded, overlap, &mut found);
                prop_assert_eq!(&found, &words);
                found.fill(7);
                unpack_by(Instructions::PORTABLE, form, &padded, overlap, &mut found);
                prop_assert_eq!(&found, &words);
            }
        }

        /// Whatever fits can be unpacked.
        #[test]
        fn damaged_frames_do_no_harm(
            bytes in prop::collection::vec(any::<u8>(), 0..200), left_out in any::<Option<bool>>(),
            count in 0..50u32, cut in any::<bool>(), rows in 1..8usize,
        ) {
            let overlaps = overlaps(30, MAX_WIDTH);
            let overlap = Overlap { overlaps: &overlaps, first: 0, words: 0..MAX_WIDTH };
            let form = Form { overlaps: left_out, words: count };
            let mut words = vec![0; rows * MAX_WIDTH];
            let (mut bytes, count) = (bytes, form.words as usize);
            if cut && bytes.len() >= count {
                let end: u32 = bytes[..count].iter().map(|byte| byte.count_ones()).sum();
                bytes.resize(count + end as usize, 1);
            }
            for overlap in [None, Some(&overlap)] {
                if form.fits(&bytes, words.len(), overlap.is_some()) {
                    let padded = [bytes.clone(), vec![7; PADDING]].concat();
                    unpack(form, &padded, overlap, &mut words);
                    unpack_by(Instructions::PORTABLE, form, &padded, overlap, &mut words);
                }
            }
        }
    }
}
