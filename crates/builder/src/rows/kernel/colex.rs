//! Rows in colexicographic order, in which a point is added to all sets at once.
//!
//! The sets of `k` points are ordered by their highest points: first come the sets below some
//! point, then those with it as highest point, whose other points are again in this order. So the
//! sets of `k` points below a limit are the first of all sets of `k` points, and those with a given
//! highest point are adjacent, in the order of the sets of `k - 1` points below it.
//!
//! Adding a point to the sets that do not contain it keeps their order. So a row of bits is mapped
//! by removing the bits of the sets with the point, and by spreading the rest over the larger sets
//! that contain it: two masks, with words of 64 bits at a time. Only the masks of small sets are
//! kept. Larger sets are divided by their highest points.

use fanorona_core::{Point, PointSet};
use fanorona_tablebase::orbits::{choose, set_of_rank};

use super::spread::{BitMask, bytes, spread_over, words};
use crate::bits::{insert, low, or_run};
use crate::grades::Grade;
use crate::instructions::Instructions;

/// The most points of the sets whose masks are kept.
pub(crate) const LEAF: usize = 3;

/// The number of sets of `k` of the points below `limit`.
fn count_below(limit: usize, k: usize) -> usize {
    choose(limit as u32, k as u32) as usize
}

/// For each point of a board, the sets of `k` points that contain it, as bits. `k` is at most
/// [`LEAF`].
pub(crate) fn leaf_masks(points: u32, k: u32) -> Vec<Vec<u64>> {
    let count = choose(points, k);
    let mut masks = vec![vec![0; words(count as usize)]; points as usize];
    for rank in 0..count {
        for point in set_of_rank(rank, k, points).iter() {
            insert(&mut masks[point.index()], rank as usize);
        }
    }
    masks
}

/// The order of the sets of some numbers of points.
#[derive(Clone, Copy)]
pub(crate) struct ColexOrder<'c> {
    points: usize,
    /// For each number of points from 1 to [`LEAF`], the [`leaf_masks`].
    leaves: [&'c [Vec<u64>]; LEAF + 1],
}

impl<'c> ColexOrder<'c> {
    /// The order of the sets of up to `most` points of a board.
    pub(crate) fn new(points: u32, most: u8, masks: impl Fn(u8) -> &'c [Vec<u64>]) -> Self {
        let mut leaves: [&[Vec<u64>]; LEAF + 1] = Default::default();
        for k in 1..=most.min(LEAF as u8) {
            leaves[usize::from(k)] = masks(k);
        }
        Self { points: points as usize, leaves }
    }

    /// The number of sets of `k` points.
    pub(crate) fn count(&self, k: u8) -> usize {
        count_below(self.points, k.into())
    }

    /// The sets of up to [`LEAF`] points that contain a point, as bits and a word of zeros.
    fn containing(&self, k: usize, point: usize) -> &'c [u64] {
        if k == 0 { &[0, 0] } else { &self.leaves[k][point] }
    }

    /// Sets `mask` to the sets of `k` points that do not contain any of some points.
    pub(crate) fn avoiding(&self, k: u8, points: PointSet, mask: &mut Mask) {
        let k = usize::from(k);
        let Mask { bits, leaf } = mask;
        if k <= LEAF {
            self.avoiding_in_leaf(k, points, bits);
            return;
        }
        self.avoiding_in_leaf(LEAF, points, leaf);
        bits.clear();
        bits.resize(words(count_below(self.points, k)), 0);
        let mut at = 0;
        avoiding_below(self.points, k, points, leaf, bits, &mut at);
    }

    fn avoiding_in_leaf(&self, k: usize, points: PointSet, mask: &mut Vec<u64>) {
        let count = count_below(self.points, k);
        mask.clear();
        if k == 1 {
            // The set of a point has the number of the point.
            mask.extend([!points.bits() & low(count), 0]);
            return;
        }
        mask.resize(words(count), 0);
        for point in points.iter() {
            let containing = self.containing(k, point.index());
            mask.iter_mut().zip(containing).for_each(|(mask, containing)| *mask |= containing);
        }
        mask.iter_mut().for_each(|mask| *mask = !*mask);
        mask[count / 64] &= low(count % 64);
        mask[count / 64 + 1..].fill(0);
    }
}

/// Appends to `bits`, from bit `at` on, the sets of `k` points below `limit` that do not contain
/// any of some points.
fn avoiding_below(
    limit: usize,
    k: usize,
    points: PointSet,
    leaf: &[u64],
    bits: &mut [u64],
    at: &mut usize,
) {
    if k == LEAF {
        let count = count_below(limit, k);
        or_run(bits, *at, leaf, 0, count);
        *at += count;
        return;
    }
    for top in k - 1..limit {
        if points.bits() >> top & 1 != 0 {
            *at += count_below(top, k - 1);
        } else {
            avoiding_below(top, k - 1, points, leaf, bits, at);
        }
    }
}

/// A mask of the sets of some number of points.
#[derive(Default)]
pub(crate) struct Mask {
    pub bits: Vec<u64>,
    leaf: Vec<u64>,
}

/// The values of captures, for the sets of some number of points in colexicographic order. The
/// values of several captures of a set can be combined to that of the best.
pub(crate) trait CaptureValues: Default {
    /// Sets all `count` values to that of no capture.
    fn clear(&mut self, count: usize);

    /// Combines the values with those of the same sets, where the bit of the set is set.
    fn combine(&mut self, with: &Self, mask: &[u64]);

    /// Combines the values of the sets that contain `point` with those of the sets without it,
    /// which have `k` points.
    fn combine_adding(&mut self, order: &ColexOrder<'_>, point: Point, with: &Self, k: u8);

    /// The bytes that `count` values take.
    fn bytes(count: usize) -> usize;
}

/// Values without distances, as bits.
#[derive(Default, Debug)]
pub(crate) struct CaptureBits {
    /// The sets against which a capture wins.
    pub win: Vec<u64>,
    /// The sets against which a capture draws.
    pub safe: Vec<u64>,
}

impl CaptureValues for CaptureBits {
    fn clear(&mut self, count: usize) {
        for bits in [&mut self.win, &mut self.safe] {
            bits.clear();
            bits.resize(words(count), 0);
        }
    }

    fn combine(&mut self, with: &Self, mask: &[u64]) {
        for (bits, with) in [(&mut self.win, &with.win), (&mut self.safe, &with.safe)] {
            for (bits, (with, mask)) in bits.iter_mut().zip(with.iter().zip(mask)) {
                *bits |= with & mask;
            }
        }
    }

    fn combine_adding(&mut self, order: &ColexOrder<'_>, point: Point, with: &Self, k: u8) {
        let (order, point) = (*order, point.index());
        let (to, from) = ([&mut self.win[..], &mut self.safe], [&with.win[..], &with.safe]);
        AddingToBits { order, point, to, from }.below(order.points, k.into(), 0, 0);
    }

    fn bytes(count: usize) -> usize {
        count.div_ceil(4)
    }
}

/// The addition of a point to sets, for rows of bits.
struct AddingToBits<'a> {
    order: ColexOrder<'a>,
    point: usize,
    to: [&'a mut [u64]; 2],
    from: [&'a [u64]; 2],
}

impl AddingToBits<'_> {
    /// Adds the point to the sets of `k` points below a limit above the point. These start at bit
    /// `from_at`, and the larger ones below the limit at `to_at`.
    fn below(&mut self, limit: usize, k: usize, from_at: usize, to_at: usize) {
        let point = self.point;
        if k < LEAF {
            let mask =
                |k| BitMask { bits: self.order.containing(k, point), count: count_below(limit, k) };
            // Sets below the point do not contain it.
            let empty = (count_below(point, k + 1) / 64).min(mask(k + 1).count.div_ceil(64));
            let Self { to, from, .. } = self;
            spread_over(
                Instructions::detect(),
                to,
                to_at,
                mask(k + 1),
                empty,
                *from,
                from_at,
                mask(k),
            );
            return;
        }
        let (run, to_run) = (count_below(point, k), to_at + count_below(point, k + 1));
        for (to, from) in self.to.iter_mut().zip(self.from) {
            or_run(to, to_run, from, from_at, run);
        }
        for top in point + 1..limit {
            let (from_at, to_at) = (from_at + count_below(top, k), to_at + count_below(top, k + 1));
            self.below(top, k - 1, from_at, to_at);
        }
    }
}

/// Values with distances: the grade of the best capture of each set.
#[derive(Default, Debug)]
pub(crate) struct CaptureGrades<G>(pub Vec<G>);

impl<G: Grade> CaptureValues for CaptureGrades<G> {
    fn clear(&mut self, count: usize) {
        self.0.clear();
        self.0.resize(count, G::NONE);
    }

    fn combine(&mut self, with: &Self, mask: &[u64]) {
        for ((best, with), mask) in self.0.chunks_mut(8).zip(with.0.chunks(8)).zip(bytes(mask)) {
            for (i, (best, with)) in best.iter_mut().zip(with).enumerate() {
                let with = if mask >> i & 1 != 0 { *with } else { G::NONE };
                *best = (*best).max(with);
            }
        }
    }

    fn combine_adding(&mut self, order: &ColexOrder<'_>, point: Point, with: &Self, k: u8) {
        add_to_grades(&mut self.0, &with.0, point.index(), order.points, k.into());
    }

    fn bytes(count: usize) -> usize {
        count * size_of::<G>()
    }
}

/// Combines `to` with the grades of the sets of `k` points below a limit above the point.
fn add_to_grades<G: Grade>(to: &mut [G], from: &[G], point: usize, limit: usize, k: usize) {
    let raise = |to: &mut G, from: G| *to = (*to).max(from);
    let to_run = &mut to[count_below(point, k + 1)..];
    let run = &from[..count_below(point, k)];
    to_run.iter_mut().zip(run).for_each(|(to, from)| raise(to, *from));
    if k == 1 {
        for (top, from) in from.iter().enumerate().take(limit).skip(point + 1) {
            raise(&mut to[count_below(top, 2) + point], *from);
        }
    } else if k > 1 {
        for top in (point + 1).max(k - 1)..limit {
            let to = &mut to[count_below(top, k + 1)..];
            add_to_grades(to, &from[count_below(top, k)..], point, top, k - 1);
        }
    }
}
