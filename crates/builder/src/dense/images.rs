//! The images of a row under the symmetries of the board.
//!
//! Only one row of each orbit is computed. Its bits are then copied to the images, column by
//! column: a symmetry permutes the occupied points, and so the columns.

use fanorona_core::Symmetry::{self, *};
use fanorona_core::{Point, PointSet};

use super::columns::MAX_STONES;
use super::plane::{Plane, add_words, set_bit};
use super::select::{exchange, reverse};
use super::state::{DenseContext, Tools, number_in};
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

/// The symmetries, each followed by one that needs few exchanges. Boards that are not square have
/// the first four.
pub(super) const ORDER: [Symmetry; 8] = [
    Identity,
    MirrorFiles,
    HalfTurn,
    MirrorRanks,
    TurnLeft,
    MirrorDiagonal,
    TurnRight,
    MirrorAntidiagonal,
];

/// Moves rows from one image of a set of occupied points to another.
///
/// A symmetry permutes the numbers of the occupied points, and so the columns of a row. Every
/// permutation is a series of exchanges of two numbers. An exchange moves the columns that have the
/// first number only to those that have the second only. The rest of their sets is the same, and
/// decides the order of both, so bits are compressed and expanded, a word at a time.
#[derive(Default)]
pub(super) struct RowMover {
    exchanges: Vec<[usize; 2]>,
    buffers: [Vec<u64>; 2],
}

impl RowMover {
    /// Plans to move rows of the image by the symmetry `from` to that by the symmetry `to`. Returns
    /// the number of exchanges.
    pub(super) fn plan(
        &mut self,
        tools: &Tools<'_>,
        occupied: PointSet,
        from: Symmetry,
        to: Symmetry,
    ) -> usize {
        let mut numbers = [0; MAX_STONES as usize];
        let [before, after] = [from, to].map(|g| tools.image_of_set(g, occupied));
        let [from, to] = [from, to].map(|g| &tools.images[g as usize]);
        for point in occupied.iter() {
            let number = number_in(before, from[point.index()]);
            numbers[number] = number_in(after, to[point.index()]);
        }
        self.exchanges.clear();
        for number in 0..occupied.len() as usize {
            while numbers[number] != number {
                let other = numbers[number];
                self.exchanges.push([number, other]);
                numbers.swap(number, other);
            }
        }
        self.exchanges.len()
    }

    /// Moves a row as planned.
    pub(super) fn apply(&mut self, context: &DenseContext<'_, '_>, row: &mut [u64]) {
        for numbers in &self.exchanges {
            let masks = numbers.map(|number| context.columns.containing(number));
            exchange(context.tools.words, row, masks, &mut self.buffers);
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
        for (moved, (bits, _)) in moved.iter_mut().zip(new) {
            moved.clear();
            moved.extend_from_slice(bits);
        }
        // The symmetry whose image `moved` belongs to.
        let mut current = Identity;
        let mut seen = [PointSet::EMPTY; 8];
        for g in ORDER.into_iter().filter(|g| group.symmetries().contains(g)) {
            let image = group.apply(g, occupied);
            if seen.contains(&image) {
                continue;
            }
            seen[g as usize] = image;
            let row = context.row_of(image);
            if g == Identity
                || max_exchanges > 0
                    && mover.plan(context.tools, occupied, current, g) <= max_exchanges
            {
                for (moved, (_, plane)) in moved.iter_mut().zip(new) {
                    if g != Identity {
                        mover.apply(context, moved);
                    }
                    reverse(moved, columns.count(), reversed);
                    add_words(plane.row(row), reversed);
                }
                current = g;
                continue;
            }
            let number = |point: Point| 1 << number_in(image, context.tools.images[g as usize][point.index()]);
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
