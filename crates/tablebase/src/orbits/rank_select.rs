//! A bit vector with counts, which answers how many bits are set below a place, and where the
//! `i`-th set bit is (G. Jacobson, "Space-efficient static trees and graphs", FOCS 1989).

use std::num::NonZeroUsize;

use super::parts::in_parts;

const LINE_BITS: u64 = 7 * 64;

/// The number of set bits from one line that [`RankSelect::select`] knows to the next.
const HINT_EVERY: u64 = 256;

/// The lines whose bits are found together.
const LINES_TOGETHER: usize = 16;

/// The lines whose bits a thread finds at least.
const LINES_PER_THREAD: usize = 128;

/// A bit vector. Takes 1.15 bits of memory per bit, and 4 bytes per 256 set bits.
#[derive(Debug)]
pub(super) struct RankSelect {
    lines: Vec<Line>,
    /// For every 256th set bit, the line that has it.
    hints: Vec<u32>,
    ones: u64,
}

/// Bits with the count of those before them, in one line of the processor's cache.
#[derive(Clone, Default, Debug)]
#[repr(align(64))]
struct Line {
    /// The number of set bits in the lines before in 34 bits, and the numbers of those in the first
    /// two, four and six words of the line in 10 bits each.
    counts: u64,
    words: [u64; 7],
}

impl Line {
    fn count(&mut self, before: u64) {
        let ones =
            |words: &[u64]| words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        let [two, four, six] = [2, 4, 6].map(|count| ones(&self.words[..count]));
        self.counts = before | two << 34 | four << 44 | six << 54;
    }

    /// The set bits in the lines before.
    #[inline]
    fn before(&self) -> u64 {
        self.counts & ((1 << 34) - 1)
    }

    /// The set bits in the lines before, and in a number of pairs of words up to 3.
    #[inline]
    fn before_pair(&self, pairs: u64) -> u64 {
        self.before() + ((self.counts >> 34 << 10) >> (10 * pairs) & 0x3ff)
    }
}

impl RankSelect {
    /// The vector of `len` bits, at most 2³⁴. `find` finds the bits from a place on. For
    /// `threads` see [`in_parts`].
    pub(super) fn new(
        len: u64,
        threads: Option<NonZeroUsize>,
        find: impl Fn(u64, &mut [bool]) + Sync,
    ) -> Self {
        let mut lines = vec![Line::default(); len.div_ceil(LINE_BITS) as usize];
        in_parts(&mut lines, threads, LINES_PER_THREAD, |first_line, lines| {
            let mut first = first_line as u64 * LINE_BITS;
            let mut bits = [false; LINES_TOGETHER * LINE_BITS as usize];
            for lines in lines.chunks_mut(LINES_TOGETHER) {
                let count = (len - first).min(lines.len() as u64 * LINE_BITS);
                find(first, &mut bits[..count as usize]);
                bits[count as usize..].fill(false);
                let words = lines.iter_mut().flat_map(|line| &mut line.words);
                for (word, bits) in words.zip(bits.as_chunks().0) {
                    *word = pack(bits);
                }
                first += count;
            }
        });
        let (mut hints, mut ones) = (Vec::new(), 0);
        for (number, line) in (0..).zip(&mut lines) {
            line.count(ones);
            ones = line.before_pair(3) + u64::from(line.words[6].count_ones());
            while (hints.len() as u64) * HINT_EVERY < ones {
                hints.push(number);
            }
        }
        Self { lines, hints, ones }
    }

    /// The number of set bits.
    pub(super) fn ones(&self) -> u64 {
        self.ones
    }

    /// The number of set bits below a place.
    #[inline]
    pub(super) fn count_below(&self, place: u64) -> u64 {
        let line = &self.lines[(place / LINE_BITS) as usize];
        let (word, below) = (place % LINE_BITS / 64, (1 << (place % 64)) - 1);
        // Masks cost less than a branch that is often mispredicted.
        let masks = if word % 2 == 1 { [u64::MAX, below] } else { [below, 0] };
        let first = line.words[(word / 2 * 2) as usize] & masks[0];
        let second = line.words[word as usize] & masks[1];
        line.before_pair(word / 2) + u64::from(first.count_ones() + second.count_ones())
    }

    /// The place of the set bit that has `number` others below it.
    pub(super) fn select(&self, number: u64) -> u64 {
        assert!(number < self.ones, "{number} is not below {}", self.ones);
        let hint = (number / HINT_EVERY) as usize;
        let first = self.hints[hint] as usize;
        let last = self.hints.get(hint + 1).map_or(self.lines.len() - 1, |last| *last as usize);
        let line =
            first + self.lines[first..=last].partition_point(|line| line.before() <= number) - 1;
        let mut left = number - self.lines[line].before();
        let mut place = line as u64 * LINE_BITS;
        for word in self.lines[line].words {
            let ones = word.count_ones().into();
            if left < ones {
                let rest = (0..left).fold(word, |word, _| word & (word - 1));
                return place + u64::from(rest.trailing_zeros());
            }
            left -= ones;
            place += 64;
        }
        unreachable!("the line has the bit")
    }
}

/// The bits as a word.
fn pack(bits: &[bool; 64]) -> u64 {
    let bytes = bits.as_chunks().0.iter().map(|bits: &[bool; 8]| {
        // Byte `i` is multiplied by 2^(56 - 7 i), among others, which moves it to bit 56 + i.
        let spread = u64::from_le_bytes(bits.map(u8::from));
        spread.wrapping_mul(0x0102_0408_1020_4080) >> 56
    });
    (0..).step_by(8).zip(bytes).fold(0, |word, (shift, byte)| word | byte << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of many densities, long runs of zeros included, against a plain list.
    #[test]
    fn bits_are_counted_and_found() {
        for len in [1, 63, 64, 447, 448, 449, 5000, 300_000] {
            for every in [1, 2, 7, 100, 10_000] {
                let is_set = |place: u64| {
                    let mixed = place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                    mixed.is_multiple_of(every) && !(1000..4000).contains(&place)
                };
                let bits = RankSelect::new(len, None, |first, bits| {
                    bits.iter_mut().zip(first..).for_each(|(bit, place)| *bit = is_set(place));
                });
                let places: Vec<u64> = (0..len).filter(|place| is_set(*place)).collect();
                assert_eq!(bits.ones(), places.len() as u64);
                for (number, place) in (0..).zip(&places) {
                    assert_eq!(bits.select(number), *place, "{len} {every}");
                    assert_eq!(bits.count_below(*place), number, "{len} {every}");
                }
                for place in (0..len).filter(|place| place % 61 < 3) {
                    let below = places.partition_point(|other| *other < place);
                    assert_eq!(bits.count_below(place), below as u64, "{len} {every}");
                }
            }
        }
    }
}
