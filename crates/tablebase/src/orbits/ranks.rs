//! Ranks of sets: their numbers in colexicographic order.

use fanorona_core::PointSet;

/// Binomial coefficients. The compiler checks that all of them fit in 64 bits.
static BINOMIAL: [[u64; 65]; 64] = {
    let mut table = [[0u64; 65]; 64];
    let mut n = 0;
    while n < 64 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The number of ways to choose `k` of `n` points. `None` if `n` is above 63, the most points of a
/// board.
///
/// ```
/// use fanorona_tablebase::orbits::binomial;
/// assert_eq!(binomial(45, 2), Some(990));
/// assert_eq!(binomial(5, 6), Some(0));
/// assert_eq!(binomial(64, 1), None);
/// ```
pub fn binomial(n: u32, k: u32) -> Option<u64> {
    let row = BINOMIAL.get(n as usize)?;
    Some(row.get(k as usize).copied().unwrap_or(0))
}

/// [`binomial`] for `n` up to 63.
pub fn choose(n: u32, k: u32) -> u64 {
    BINOMIAL[n as usize][k as usize]
}

/// The number of a set among all sets of the same size, in colexicographic order.
#[inline]
pub fn rank(set: PointSet) -> u64 {
    let (mut set, mut rank, mut k) = (set.bits(), 0, 1);
    while set != 0 {
        rank += BINOMIAL[set.trailing_zeros() as usize][k];
        set &= set - 1;
        k += 1;
    }
    rank
}

/// The set with this rank among the sets of `k` points below `n`. `None` if the rank is too large,
/// or if `n` is above 63.
pub fn unrank(rank: u64, k: u32, n: u32) -> Option<PointSet> {
    (rank < binomial(n, k)?).then(|| set_of_rank(rank, k, n))
}

/// [`unrank`] for a valid rank.
pub fn set_of_rank(mut rank: u64, k: u32, n: u32) -> PointSet {
    let (mut set, mut point) = (0, n);
    for k in (1..=k).rev() {
        // The highest point is the last one with at most `rank` sets of lower points before it.
        point = (k - 1..point).rev().find(|p| choose(*p, k) <= rank).unwrap_or(k - 1);
        rank -= choose(point, k);
        set |= 1 << point;
    }
    PointSet::from_bits(set)
}

/// The next set of the same size in colexicographic order, by Gosper's hack (M. Beeler et al.,
/// "HAKMEM", MIT AI Memo 239, 1972, item 175). `None` after the last set of 64 points, and for the
/// empty set.
pub fn next_set(set: PointSet) -> Option<PointSet> {
    let lowest = set.bits() & set.bits().wrapping_neg();
    set.bits().checked_add(lowest).filter(|_| lowest != 0).map(|_| set_after(set))
}

/// [`next_set`] for a set that has a next one.
#[inline]
pub fn set_after(set: PointSet) -> PointSet {
    let set = set.bits();
    let lowest = set & set.wrapping_neg();
    let ripple = set + lowest;
    // A shift by `lowest.trailing_zeros()` divides by `lowest`.
    PointSet::from_bits(ripple | ((set ^ ripple) >> 2) >> set.trailing_zeros())
}
