//! Moving rows between the images of a set of occupied points.
//!
//! A symmetry permutes the numbers of the occupied points, and so the columns of a row. Every
//! permutation is a series of exchanges of two numbers. An exchange moves the columns that have the
//! first number only to those that have the second only. The rest of their sets is the same, and
//! decides the order of both, so bits are compressed and expanded, a word at a time.

use fanorona_core::PointSet;
use fanorona_core::Symmetry::{self, *};

use super::columns::MAX_STONES;
use super::select::exchange;
use super::state::{DenseContext, Tools, number_in};

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
        for point in occupied.iter() {
            let number = number_in(before, tools.image(from, point));
            numbers[number] = number_in(after, tools.image(to, point));
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
