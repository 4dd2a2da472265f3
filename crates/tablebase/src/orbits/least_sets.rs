//! Which sets are the least of their orbits.

use fanorona_core::{Board, PointSet, Symmetry, SymmetryGroup};

use super::ranks::{rank, set_after, set_of_rank};

/// The points that vary in a run of sets.
const LOW_POINTS: u32 = 12;

/// Finds the sets of `n` points that are the least of their images under the symmetries.
///
/// In the order of ranks, sets that differ only in their low points form a run. The image of a set
/// is the image of its high points, which is computed once for a run, and that of its low points,
/// which is read from a list.
pub(super) struct LeastSets<'a> {
    group: &'a SymmetryGroup,
    num_points: u32,
    stones: u32,
    low: PointSet,
    /// For each number of low points and each symmetry, the images of the low sets by rank.
    images: Vec<Vec<Vec<u64>>>,
    /// For each symmetry, the highest points that are images of high points only.
    known: Vec<u64>,
}

impl<'a> LeastSets<'a> {
    pub(super) fn new(board: Board, group: &'a SymmetryGroup, stones: u32) -> Self {
        let num_points = board.num_points();
        let low_points = LOW_POINTS.min(num_points);
        let low = PointSet::from_bits((1 << low_points) - 1);
        let images_of = |count| {
            let sets = Vec::from_iter((0..=low.bits()).filter(|set| set.count_ones() == count));
            let image = |g, set: &u64| group.apply(g, PointSet::from_bits(*set)).bits();
            let images = |g: &Symmetry| sets.iter().map(|set| image(*g, set)).collect();
            group.symmetries().iter().map(images).collect()
        };
        let known = |g: &Symmetry| {
            let unknown = group.apply(*g, low).bits();
            // The points above the highest unknown one.
            !(u64::MAX >> unknown.leading_zeros())
        };
        Self {
            group,
            num_points,
            stones,
            low,
            images: (0..=low_points.min(stones)).map(images_of).collect(),
            known: group.symmetries().iter().map(known).collect(),
        }
    }

    /// For each set from the rank `first` on, whether it is the least of its orbit.
    pub(super) fn find(&self, first: u64, are_least: &mut [bool]) {
        let mut set = set_of_rank(first, self.stones, self.num_points);
        let mut left = are_least;
        loop {
            let (high, low) = (set - self.low, set & self.low);
            let images = &self.images[low.len() as usize];
            let at = rank(low) as usize;
            let (run, rest) = left.split_at_mut(left.len().min(images[0].len() - at));
            self.find_in_run(high, images, at, run);
            if rest.is_empty() {
                return;
            }
            let last = images[0][images[0].len() - 1];
            set = set_after(high | PointSet::from_bits(last));
            left = rest;
        }
    }

    fn find_in_run(&self, high: PointSet, images: &[Vec<u64>], at: usize, are_least: &mut [bool]) {
        let symmetries = self.group.symmetries().iter();
        let is_less = |(g, known): (&Symmetry, &u64)| {
            self.group.apply(*g, high).bits() & known < high.bits() & known
        };
        are_least.fill(!symmetries.clone().zip(&self.known).skip(1).any(is_less));
        if are_least.first() != Some(&true) {
            return;
        }
        for (g, low_images) in symmetries.zip(images).skip(1) {
            let image = self.group.apply(*g, high).bits();
            let lows = images[0][at..].iter().zip(&low_images[at..]);
            for (is_least, (low, low_image)) in are_least.iter_mut().zip(lows) {
                *is_least &= high.bits() | low <= image | low_image;
            }
        }
    }
}
