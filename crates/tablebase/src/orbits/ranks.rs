//! Ranks of sets, their numbers in colexicographic order; and counts of sets and positions.

use fanorona_core::{Board, PointSet, Symmetry};

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

/// The number of ways to choose `k` of `n` points, 0 if there are fewer.
///
/// ```
/// use fanorona_tablebase::orbits::choose;
/// assert_eq!((choose(45, 2), choose(5, 6)), (990, 0));
/// ```
///
/// # Panics
/// If `n` is above 63, the most points of a board.
#[inline]
pub fn choose(n: u32, k: u32) -> u64 {
    BINOMIAL[n as usize].get(k as usize).copied().unwrap_or(0)
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

/// The set with this rank among the sets of `k` points below `n`. The rank must be below
/// [`choose`]`(n, k)`.
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
/// "HAKMEM", MIT AI Memo 239, 1972, item 175). There must be one among those of 64 points.
#[inline]
pub fn set_after(set: PointSet) -> PointSet {
    let set = set.bits();
    let lowest = set & set.wrapping_neg();
    let ripple = set + lowest;
    // A shift by `lowest.trailing_zeros()` divides by `lowest`.
    PointSet::from_bits(ripple | ((set ^ ripple) >> 2) >> set.trailing_zeros())
}

/// The number of positions of a slice, without symmetry: pairs of disjoint sets of `own` and
/// `opponent` points. 0 if the board has too few points.
pub fn placements(board: Board, own: u32, opponent: u32) -> u128 {
    let Some(free) = board.num_points().checked_sub(own) else { return 0 };
    u128::from(choose(board.num_points(), own)) * u128::from(choose(free, opponent))
}

/// The number of positions of a slice up to symmetry, by Burnside's lemma: the mean, over the
/// symmetries, of the number of positions that a symmetry maps to themselves.
pub fn placements_up_to_symmetry(board: Board, own: u32, opponent: u32) -> u128 {
    if own.saturating_add(opponent) > board.num_points() {
        return 0;
    }
    let fixed_by = |g: &Symmetry| -> u128 {
        // A position is fixed if each cycle of points has stones of one side only, or none.
        let mut ways = vec![vec![0u128; opponent as usize + 1]; own as usize + 1];
        ways[0][0] = 1;
        let mut seen = PointSet::EMPTY;
        for start in board.all_points().iter() {
            let mut length = 0;
            let mut point = start;
            while !seen.contains(point) {
                seen |= point;
                length += 1;
                point = g.apply(board, point).expect("a symmetry of the board");
            }
            if length > 0 {
                for a in (0..=own as usize).rev() {
                    for b in (0..=opponent as usize).rev() {
                        let with_own = if a >= length { ways[a - length][b] } else { 0 };
                        let with_opponent = if b >= length { ways[a][b - length] } else { 0 };
                        ways[a][b] += with_own + with_opponent;
                    }
                }
            }
        }
        ways[own as usize][opponent as usize]
    };
    let symmetries = board.symmetries();
    let fixed: u128 = symmetries.iter().map(fixed_by).sum();
    fixed / symmetries.len() as u128
}
