//! The images of a row under the symmetries of the board.
//!
//! Only one row of each orbit is computed. Its bits are then copied to the images, column by
//! column: a symmetry permutes the occupied points, and so the columns.

use fanorona_core::{PointSet, Symmetry};

use super::plane::{Plane, add_words, set_bit};
use super::row_mover::{ORDER, RowMover};
use super::select::reverse;
use super::state::{DenseContext, number_in};
use crate::bits::for_each_bit;
use crate::instructions::compiled;

/// Maps sets of renumbered points, by tables for the lower and the upper half.
#[derive(Default)]
pub(super) struct PointMap {
    /// The image of each point as a set; 0 if the point has none.
    points: Vec<u32>,
    half: u32,
    low: Vec<u32>,
    high: Vec<u32>,
}

impl PointMap {
    /// Sets the images of the points, in order. Makes tables if some `uses` are expected.
    #[inline(always)]
    pub(super) fn set(&mut self, points: impl Iterator<Item = u32>, uses: usize) {
        self.points.clear();
        self.points.extend(points);
        self.half = self.points.len().div_ceil(2) as u32;
        let (low, high) = self.points.split_at(self.half as usize);
        self.low.clear();
        self.high.clear();
        // Without tables a set takes some nanoseconds, and an entry of a table less than one.
        if uses * 8 < 2 << self.half {
            return;
        }
        for (points, images) in [(low, &mut self.low), (high, &mut self.high)] {
            images.push(0);
            for point in points {
                images.extend_from_within(..);
                let length = images.len();
                images[length / 2..].iter_mut().for_each(|image| *image |= point);
            }
        }
    }

    #[inline(always)]
    pub(super) fn image(&self, mut set: u32) -> u32 {
        if self.low.is_empty() {
            let mut image = 0;
            while set != 0 {
                image |= self.points[set.trailing_zeros() as usize];
                set &= set - 1;
            }
            image
        } else {
            self.low[(set & ((1 << self.half) - 1)) as usize]
                | self.high[(set >> self.half) as usize]
        }
    }
}

#[derive(Default)]
pub(super) struct ImageBuffers {
    map: PointMap,
    mover: RowMover,
    moved: [Vec<u64>; 2],
    reversed: Vec<u64>,
}

compiled! {
    /// Adds bits of one or two rows, in columns of own sets, to all images of the rows.
    pub(super) fn add_to_images(
        _words,
        context: &DenseContext<'_, '_>,
        occupied: PointSet,
        new: &[(&[u64], &Plane)],
        buffers: &mut ImageBuffers,
    ) {
        let ImageBuffers { map, mover, moved, reversed } = buffers;
        let (group, columns, ranks) = (context.tools.group, context.columns, &context.tools.ranks);
        let count =
            |(bits, _): &(&[u64], _)| bits.iter().map(|b| b.count_ones() as usize).sum::<usize>();
        let uses = new.iter().map(count).sum();
        // A bit takes as long as two words of an exchange.
        let max_exchanges = 2 * uses / (columns.words() * new.len());
        // The symmetry whose image `moved` belongs to.
        let mut current = Symmetry::Identity;
        let mut seen = [PointSet::EMPTY; 8];
        for g in ORDER.into_iter().filter(|g| group.symmetries().contains(g)) {
            let image = group.apply(g, occupied);
            if seen.contains(&image) {
                continue;
            }
            seen[g as usize] = image;
            let row = context.row_of(image);
            if g == Symmetry::Identity {
                for (moved, (bits, plane)) in moved.iter_mut().zip(new) {
                    moved.clear();
                    moved.extend_from_slice(bits);
                    reverse(bits, columns.count(), reversed);
                    add_words(plane.row(row), reversed);
                }
                continue;
            }
            if max_exchanges > 0 && mover.plan(context.tools, occupied, current, g) <= max_exchanges
            {
                for (moved, (_, plane)) in moved.iter_mut().zip(new) {
                    mover.apply(context, moved);
                    reverse(moved, columns.count(), reversed);
                    add_words(plane.row(row), reversed);
                }
                current = g;
                continue;
            }
            let number = |point| 1 << number_in(image, context.tools.image(g, point));
            map.set(occupied.iter().map(number), uses);
            for (bits, plane) in new {
                let to = plane.row(row);
                for_each_bit(bits, |column| {
                    let set = map.image(columns.set(column));
                    set_bit(to, columns.of_other_side(ranks.rank(set.into())));
                });
            }
        }
    }
}
