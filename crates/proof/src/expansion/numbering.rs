//! Numbers of the positions of a slice.

use fanorona_core::{Board, Point, Stones};
use fanorona_tablebase::Slice;
use fanorona_tablebase::orbits::{choose, rank, set_of_rank};

/// Numbers the placements of the stones of a slice from 0, each by one number of 64 bits.
///
/// The number of a set is its colexicographic rank. The opponent's set is ranked among the points
/// that the own stones leave free. Symmetries are not taken out. Different placements have different
/// numbers, and the placement can be had from the number: what is done with numbers is done with
/// positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbering {
    points: u32,
    slice: Slice,
    /// The number of opponent's sets for each own set.
    columns: u64,
}

impl Numbering {
    /// `None` if the numbers of the slice do not fit in 64 bits, with the largest left over.
    pub(super) fn new(board: Board, slice: Slice) -> Option<Self> {
        let points = board.num_points();
        let own = u32::from(slice.own);
        let free = points.checked_sub(own)?;
        let columns = choose(free, slice.opponent.into());
        let rows = choose(points, own);
        let numbers = rows.checked_mul(columns)?;
        (1..u64::MAX).contains(&numbers).then_some(Self { points, slice, columns })
    }

    pub(super) fn number(&self, Stones { own, opponent }: Stones) -> u64 {
        debug_assert_eq!(own.len(), u32::from(self.slice.own));
        debug_assert_eq!(opponent.len(), u32::from(self.slice.opponent));
        let free_below = |point: usize| (((1 << point) - 1) & !own.bits()).count_ones();
        let points = (1..).zip(opponent.iter());
        let column: u64 = points.map(|(nth, point)| choose(free_below(point.index()), nth)).sum();
        rank(own) * self.columns + column
    }

    pub(super) fn stones(&self, number: u64) -> Stones {
        let own = set_of_rank(number / self.columns, self.slice.own.into(), self.points);
        let free = self.points - own.len();
        let among_free = set_of_rank(number % self.columns, self.slice.opponent.into(), free);
        let opponent = among_free.iter().fold(0, |set, place| {
            // Each own stone at or below the point moves it up by one.
            let up = |point, stone: Point| point + usize::from(stone.index() <= point);
            set | 1 << own.iter().fold(place.index(), up)
        });
        Stones::from_bits(own.bits(), opponent)
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Side, SplitMix64};

    use super::*;

    #[test]
    fn every_placement_of_a_small_slice_has_its_number() {
        let board = Board::telo();
        for slice in ["1v1", "2v3", "4v1", "4v4"] {
            let slice: Slice = slice.parse().unwrap();
            let numbering = Numbering::new(board, slice).unwrap();
            let sets = |stones| (0..1_u64 << 9).filter(move |set| set.count_ones() == stones);
            let mut numbers = Vec::new();
            for own in sets(u32::from(slice.own)) {
                for opponent in sets(u32::from(slice.opponent)).filter(|set| set & own == 0) {
                    let stones = Stones::from_bits(own, opponent);
                    let number = numbering.number(stones);
                    assert_eq!(numbering.stones(number), stones);
                    numbers.push(number);
                }
            }
            numbers.sort_unstable();
            assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "{slice}");
        }
    }

    #[test]
    fn numbers_of_large_slices_are_undone() {
        let mut random = SplitMix64::new(1);
        for (board, slice) in [("9x5", "4v4"), ("9x5", "1v22"), ("9x7", "20v1"), ("9x7", "6v5")] {
            let (board, slice): (Board, Slice) = (board.parse().unwrap(), slice.parse().unwrap());
            let numbering = Numbering::new(board, slice).unwrap();
            for _ in 0..1000 {
                let position = slice.random_position(board, Side::White, &mut random).unwrap();
                let stones = Stones::of(&position);
                assert_eq!(numbering.stones(numbering.number(stones)), stones);
            }
        }
        let widest: Board = "9x7".parse().unwrap();
        assert!(Numbering::new(widest, "31v31".parse().unwrap()).is_none());
    }
}
