//! Moving rows between the images of a set of occupied points.
//!
//! A symmetry permutes the numbers of the occupied points, and so the columns of a row. Every
//! permutation is a series of exchanges of two numbers. An exchange moves the columns that have the
//! first number only to those that have the second only. The rest of their sets is the same, and
//! decides the order of both, so bits are compressed and expanded, a word at a time.

use fanorona_core::PointSet;
use fanorona_core::Symmetry::{self, *};

use super::bits::exchange;
use super::columns::MAX_STONES;
use super::state::{SliceContext, Tools, number_in};

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
    pub(super) fn apply(&mut self, context: &SliceContext<'_, '_>, row: &mut [u64]) {
        for numbers in &self.exchanges {
            let masks = numbers.map(|number| context.columns.containing(number));
            exchange(context.tools.words, row, masks, &mut self.buffers);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use fanorona_core::{Board, RuleSet, SplitMix64};

    use super::*;
    use crate::builder::context::test_context;
    use crate::builder::dense::bits::renumber;
    use crate::builder::dense::state::DenseSolver;
    use crate::orbits::OrbitSets;
    use crate::slice::Slice;
    use crate::value::Metric;

    /// Moves random rows between all images, and compares column by column.
    #[test]
    fn rows_are_moved_column_by_column() {
        let mut random = SplitMix64::new(3);
        for (size, own, opponent) in [("5x3", 4, 3), ("5x5", 3, 5), ("3x3", 4, 4)] {
            let board: Board = size.parse().expect("a board");
            let (sets, stop) = (OrbitSets::for_builders(board), AtomicBool::new(false));
            let solver = DenseSolver::new(test_context(&sets, Metric::Wdl, &stop), 0, None);
            let slice = Slice::new(own as u8, opponent as u8);
            let context = solver.slice_context(slice, &RuleSet::STANDARD);
            let (columns, tools) = (context.columns, context.tools);
            let bit = |row: &[u64], column: usize| row[column / 64] >> (column % 64) & 1 != 0;
            assert!(ORDER[..board.symmetries().len()].iter().all(|g| g.is_of(board)));
            let mut mover = RowMover::default();
            for orbit in (0..context.rows.count()).step_by(1 + context.rows.count() / 50) {
                let occupied = context.rows.representative(orbit);
                let row: Vec<_> = columns.all().map(|all| all & random.next_u64()).collect();
                let all = board.symmetries().iter().copied();
                let pairs = all.clone().flat_map(|from| all.clone().map(move |to| (from, to)));
                for (from, to) in pairs {
                    let mut moved = row.clone();
                    mover.plan(tools, occupied, from, to);
                    mover.apply(&context, &mut moved);
                    let [before, after] = [from, to].map(|g| tools.image_of_set(g, occupied));
                    let back = from.inverse();
                    for column in 0..columns.count() {
                        let own = context.own_set(before, column);
                        let own = tools.image_of_set(to, tools.image_of_set(back, own));
                        let number = renumber(tools.words, own.bits(), after.bits());
                        let moved = bit(&moved, tools.ranks.rank(number));
                        assert_eq!(moved, bit(&row, column), "{own:?} on {size}, {from} to {to}");
                    }
                }
            }
        }
    }
}
