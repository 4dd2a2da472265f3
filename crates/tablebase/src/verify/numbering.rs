//! Numbers for the positions of a slice, independent of the index of tables.

use fanorona_core::{Board, Point, Stones};

use crate::orbits::{choose, placements, rank, set_after, set_of_rank};
use crate::slice::Slice;

/// Numbers the positions of a slice, without symmetry. The opponent's set is ranked among the
/// points that the own set leaves free.
#[derive(Clone, Copy)]
pub(super) struct Numbering {
    pub board: Board,
    pub slice: Slice,
}

impl Numbering {
    /// The number of positions.
    pub(super) fn len(self) -> u64 {
        let positions = placements(self.board, self.slice.own.into(), self.slice.opponent.into());
        u64::try_from(positions).expect("memory for them was checked")
    }

    fn free(self) -> u32 {
        self.board.num_points() - u32::from(self.slice.own)
    }

    fn columns(self) -> u64 {
        choose(self.free(), self.slice.opponent.into())
    }

    /// The number of a position.
    pub(super) fn number(self, Stones { own, opponent }: Stones) -> usize {
        let free_below = |p: Point| (((1 << p.index()) - 1) & !own.bits()).count_ones();
        let column: u64 = (1..).zip(opponent.iter()).map(|(k, p)| choose(free_below(p), k)).sum();
        (rank(own) * self.columns() + column) as usize
    }

    pub(super) fn stones(self, number: usize) -> Stones {
        let mut found = Stones::from_bits(0, 0);
        self.for_each(number, 1, |_, stones| found = stones);
        found
    }

    /// Visits `count` positions from the number `first` on. The first argument of `visit` counts
    /// from 0.
    pub(super) fn for_each(self, first: usize, count: usize, mut visit: impl FnMut(usize, Stones)) {
        let columns = self.columns();
        let (mut row, mut column) = (first as u64 / columns, first as u64 % columns);
        let mut done = 0;
        while done < count {
            let own = set_of_rank(row, self.slice.own.into(), self.board.num_points());
            let free: Vec<Point> = (self.board.all_points() - own).iter().collect();
            let mut set = set_of_rank(column, self.slice.opponent.into(), self.free());
            let here = (count - done).min((columns - column) as usize);
            for i in 0..here {
                let opponent = set.iter().map(|p| free[p.index()]).collect();
                visit(done + i, Stones { own, opponent });
                if i + 1 < here {
                    set = set_after(set);
                }
            }
            done += here;
            (row, column) = (row + 1, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_positions_belong_together() {
        for (board, own, opponent) in [("3x3", 2, 3), ("5x3", 3, 2), ("9x5", 2, 1), ("9x7", 1, 2)] {
            let board: Board = board.parse().expect("a board");
            let numbering = Numbering { board, slice: Slice::new(own, opponent) };
            let mut next = 0;
            numbering.for_each(0, numbering.len() as usize, |i, stones| {
                assert_eq!((i, numbering.number(stones)), (next, next));
                assert_eq!(numbering.stones(next), stones);
                next += 1;
            });
            assert_eq!(next as u64, numbering.len());
        }
    }
}
