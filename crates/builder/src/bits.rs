//! Rows of bits, in words of 64.

/// The lowest bits of a word, all if there are more.
#[inline(always)]
pub(crate) fn low(count: usize) -> u64 {
    if count < 64 { (1 << count) - 1 } else { u64::MAX }
}

#[inline(always)]
pub(crate) fn has(row: &[u64], at: usize) -> bool {
    row[at / 64] >> (at % 64) & 1 != 0
}

#[inline(always)]
pub(crate) fn insert(row: &mut [u64], at: usize) {
    row[at / 64] |= 1 << (at % 64);
}

/// The word that begins at a bit of `first` and goes on in `second`.
#[inline(always)]
pub(crate) fn join(first: u64, second: u64, bit: usize) -> u64 {
    first >> bit | second << 1 << (63 - bit)
}

/// The part of a word for the second of the two words that it falls on from a bit of the first.
#[inline(always)]
pub(crate) fn carry(bits: u64, bit: usize) -> u64 {
    bits >> 1 >> (63 - bit)
}

/// 64 bits, from any bit on. The row has a word after that of the first.
#[inline(always)]
pub(crate) fn read(row: &[u64], at: usize) -> u64 {
    join(row[at / 64], row[at / 64 + 1], at % 64)
}

/// Puts bits where a row ends so far. It has a word more than all bits need.
#[inline(always)]
pub(crate) fn append(row: &mut [u64], at: usize, bits: u64) {
    row[at / 64] |= bits << (at % 64);
    row[at / 64 + 1] = carry(bits, at % 64);
}

/// Sets the bits in `to` that are set in a run of `from`.
pub(crate) fn or_run(to: &mut [u64], to_at: usize, from: &[u64], from_at: usize, count: usize) {
    let mut done = 0;
    while done < count {
        let bit = (to_at + done) % 64;
        let some = (64 - bit).min(count - done);
        to[(to_at + done) / 64] |= (read(from, from_at + done) & low(some)) << bit;
        done += some;
    }
}

/// The indices of the bits that are set in a word.
#[inline]
pub(crate) fn members(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

/// Calls `visit` with the index of each bit that is set.
#[inline(always)]
pub(crate) fn for_each_bit(row: &[u64], mut visit: impl FnMut(usize)) {
    for (i, word) in row.iter().enumerate() {
        let mut bits = *word;
        while bits != 0 {
            visit(64 * i + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
}
