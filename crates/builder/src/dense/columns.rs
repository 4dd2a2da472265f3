//! The columns of a row: the ways to choose one side's stones among the occupied points.

use std::sync::OnceLock;

use fanorona_tablebase::orbits::{choose, set_after, set_of_rank};

use crate::bits::insert;

/// The subsets of `stones` of the numbers below `points`, in colexicographic order.
///
/// The occupied points of a row are renumbered from 0, so rows with the same numbers of stones have
/// the same columns. The column of a set is its [rank](SetRanks::rank).
pub(super) struct DenseColumns {
    count: usize,
    sets: Vec<u32>,
    /// For each number, the columns whose sets contain it, as bits.
    containing: Vec<Vec<u64>>,
}

impl DenseColumns {
    fn new(points: u32, stones: u32) -> Self {
        let count = choose(points, stones) as usize;
        let mut sets = Vec::with_capacity(count);
        let mut containing = vec![vec![0; count.div_ceil(64)]; points as usize];
        let mut set = set_of_rank(0, stones, points);
        for column in 0..count {
            sets.push(set.bits() as u32);
            for number in set.iter() {
                insert(&mut containing[number.index()], column);
            }
            if column + 1 < count {
                set = set_after(set);
            }
        }
        Self { count, sets, containing }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The number of words of a row.
    pub(super) fn words(&self) -> usize {
        self.count.div_ceil(64)
    }

    #[inline]
    pub(super) fn set(&self, column: usize) -> u32 {
        self.sets[column]
    }

    /// The columns whose sets contain a number, as bits.
    pub(super) fn containing(&self, number: usize) -> &[u64] {
        &self.containing[number]
    }

    /// The column that the same points have if the other side's stones are chosen. The order of
    /// complements is the reverse order.
    #[inline]
    pub(super) fn of_other_side(&self, column: usize) -> usize {
        self.count - 1 - column
    }

    /// Bits for all columns.
    pub(super) fn all(&self) -> impl Iterator<Item = u64> {
        let count = self.count;
        (0..self.words()).map(move |word| match count - 64 * word {
            64.. => u64::MAX,
            left => (1 << left) - 1,
        })
    }
}

/// Ranks of sets in colexicographic order, by tables for parts of the numbers.
pub(super) struct SetRanks {
    /// By part, and by the number of elements in lower parts: the ranks of the part's subsets.
    parts: Vec<Vec<[u32; PART_SUBSETS]>>,
}

const PART: u32 = 9;
const PART_SUBSETS: usize = 1 << PART;

impl SetRanks {
    /// The ranks of the sets of numbers below `points`. Those of sets of one size must fit in 32
    /// bits where they are used.
    pub(super) fn new(points: u32) -> Self {
        let part = |first: u32| {
            let below = |below: u32| {
                let mut ranks = [0_u32; PART_SUBSETS];
                for subset in 1..PART_SUBSETS {
                    let highest = subset.ilog2();
                    let rest = subset & !(1 << highest);
                    let number = (first + highest).min(63);
                    let rank = choose(number, below + rest.count_ones() + 1) as u32;
                    ranks[subset] = ranks[rest].wrapping_add(rank);
                }
                ranks
            };
            (0..=first).map(below).collect()
        };
        Self { parts: (0..points).step_by(PART as usize).map(part).collect() }
    }

    #[inline(always)]
    pub(super) fn rank(&self, mut set: u64) -> usize {
        let (mut rank, mut below) = (0u32, 0);
        for part in &self.parts {
            let subset = set as usize % PART_SUBSETS;
            rank = rank.wrapping_add(part[below][subset]);
            below += subset.count_ones() as usize;
            set >>= PART;
            if set == 0 {
                break;
            }
        }
        rank as usize
    }
}

/// The most occupied points. Sets of them are renumbered to 32 bits.
pub(super) const MAX_STONES: u32 = 31;

/// The columns for each number of occupied points and of stones. They are computed at first use and
/// can be shared by threads.
#[derive(Default)]
pub(super) struct AllColumns {
    by_size: [[OnceLock<Box<DenseColumns>>; MAX_STONES as usize + 1]; MAX_STONES as usize + 1],
}

impl AllColumns {
    /// The columns for `stones` of `points` occupied points, at most [`MAX_STONES`].
    pub(super) fn of(&self, points: u32, stones: u32) -> &DenseColumns {
        self.by_size[points as usize][stones as usize]
            .get_or_init(|| Box::new(DenseColumns::new(points, stones)))
    }
}
