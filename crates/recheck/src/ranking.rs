//! Numbers of sets: their ranks, and the rows of tables.

use crate::board::{Board, points_of};

/// Binomial coefficients up to 63 over 63, which all fit into 64 bits.
#[derive(Clone, Debug)]
pub(crate) struct Binomials(Vec<Vec<u64>>);

impl Binomials {
    pub(crate) fn new() -> Self {
        let mut rows: Vec<Vec<u64>> = vec![vec![1]];
        for n in 1..64 {
            let above = &rows[n - 1];
            let inner = above.windows(2).map(|pair| pair[0] + pair[1]);
            let row = [1].into_iter().chain(inner).chain([1]).collect();
            rows.push(row);
        }
        Self(rows)
    }

    /// `n` over `k`; 0 if `n` is less than `k`.
    pub(crate) fn get(&self, n: u32, k: u32) -> u64 {
        let row = self.0.get(n as usize);
        row.and_then(|row| row.get(k as usize)).copied().unwrap_or(0)
    }

    /// The number of sets of the same size that are lower.
    pub(crate) fn rank(&self, set: u64) -> u64 {
        (1..).zip(points_of(set)).map(|(number, point)| self.get(point.into(), number)).sum()
    }

    /// The rank of a set among the sets of points that are not in another one.
    pub(crate) fn rank_among_free(&self, set: u64, taken: u64) -> u64 {
        let free_below = |point: u8| (((1_u64 << point) - 1) & !taken).count_ones();
        (1..).zip(points_of(set)).map(|(number, point)| self.get(free_below(point), number)).sum()
    }
}

/// The sets of one size that are the lowest of their images, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Orbits {
    /// A bit for each set, by rank: whether it is the lowest of its images.
    lowest: Vec<u64>,
    /// For each word of `lowest`, the number of bits that are set in the words before it.
    before: Vec<u32>,
    count: u32,
}

impl Orbits {
    /// The most sets of which this takes the lowest, so that it needs at most a minute and 200 MB.
    pub(crate) const MAX_SETS: u64 = 1 << 30;

    /// Looks at all sets of that size. `None` if they are more than [`Self::MAX_SETS`].
    pub(crate) fn new(board: &Board, binomials: &Binomials, size: u32) -> Option<Self> {
        let sets = binomials.get(board.points(), size);
        if size == 0 || sets == 0 || sets > Self::MAX_SETS {
            return None;
        }
        let mut orbits = Self { lowest: Vec::new(), before: Vec::new(), count: 0 };
        let mut set = u64::MAX >> (64 - size);
        for first in (0..sets).step_by(64) {
            let mut word = 0;
            for bit in 0..(sets - first).min(64) {
                word |= u64::from(board.is_lowest(set)) << bit;
                set = next_of_same_size(set);
            }
            orbits.before.push(orbits.count);
            orbits.lowest.push(word);
            orbits.count += word.count_ones();
        }
        Some(orbits)
    }

    /// The number of these sets.
    pub(crate) fn count(&self) -> u64 {
        self.count.into()
    }

    /// The number of these sets that have a lower rank.
    pub(crate) fn row(&self, rank: u64) -> u64 {
        let (word, bit) = ((rank / 64) as usize, rank % 64);
        let below = self.lowest[word] & ((1 << bit) - 1);
        u64::from(self.before[word] + below.count_ones())
    }
}

/// The next higher number with as many bits.
fn next_of_same_size(set: u64) -> u64 {
    let lowest = set & set.wrapping_neg();
    let carried = set.wrapping_add(lowest);
    // After the last set there is none, and nobody uses this.
    carried | ((set ^ carried) / lowest) >> 2
}
