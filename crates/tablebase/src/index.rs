//! The index of a slice: maps positions to numbers, and back.
//!
//! A position is a set `X` of own stones (of the side to move) and a set `Y` of the opponent's
//! stones. Let `X = g(R)` for the representative `R` of its orbit. Up to symmetry, the position is
//! `R` against `g⁻¹(Y)`. So a *row* of the table is an orbit of own sets, and the *columns* of a
//! row are the sets of points that `R` leaves free, in colexicographic order. Positions that differ
//! only in the opponent's lowest stones are adjacent, which makes tables compress well.
//!
//! In a row whose orbit has fewer sets than the board has symmetries, symmetric positions have two
//! or more indexes. Every other position up to symmetry has exactly one, and no index is unused.

use std::cmp::Ordering;

use fanorona_core::{Board, Point, PointSet, Position, Side, Stones};

use crate::error::{Result, TableError};
use crate::orbits::{
    OrbitSets, Orbits, choose, num_sets, placements_up_to_symmetry, rank, set_after, set_of_rank,
};
use crate::slice::Slice;

/// The index of a slice: the order of its positions in the table.
#[derive(Clone, Copy, Debug)]
pub struct SliceIndex<'a> {
    sets: &'a OrbitSets,
    own: &'a Orbits,
    slice: Slice,
    columns: u64,
}

/// The position at an index of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The stones. Those of the side to move are the representative of an orbit.
    pub stones: Stones,
    /// The number of placements that the entry represents: the size of the row's orbit, 1 to 8.
    pub weight: u8,
}

impl Entry {
    /// The position with White to move, on the board of the index.
    pub fn position(&self, board: Board) -> Position {
        self.position_of(board, Side::White)
    }

    /// The position with a side to move, on the board of the index.
    pub fn position_of(&self, board: Board, to_move: Side) -> Position {
        Position::from_mover(board, self.stones, to_move)
            .expect("the sets of an entry are on the board and apart")
    }
}

/// Checks that a slice can be indexed.
///
/// # Errors
/// [`TableError::TooLarge`] if the board has fewer stones, or if their sets cannot be numbered.
pub fn check_size(board: Board, slice: Slice) -> Result<()> {
    let can_be_numbered = |stones: u8| num_sets(board, stones.into()).is_some();
    if !slice.is_on(board) || !can_be_numbered(slice.own) || !can_be_numbered(slice.opponent) {
        return Err(TableError::TooLarge { slice, board });
    }
    Ok(())
}

/// The length of a slice's index, without computing orbits. They are counted as the positions of a
/// slice without opponents.
pub fn num_entries(board: Board, slice: Slice) -> u64 {
    let orbits = placements_up_to_symmetry(board, slice.own.into(), 0);
    let orbits = u64::try_from(orbits).unwrap_or(u64::MAX);
    let free = board.num_points() - u32::from(slice.own);
    orbits.saturating_mul(choose(free, slice.opponent.into()))
}

impl<'a> SliceIndex<'a> {
    /// The index of a slice. Computes the orbits of own sets, unless `sets` already has them.
    ///
    /// # Errors
    /// As for [`check_size`].
    #[inline]
    pub fn new(sets: &'a OrbitSets, slice: Slice) -> Result<Self> {
        let board = sets.board();
        let own = match sets.of(slice.own) {
            Some(own) if slice.is_on(board) => own,
            _ => return Err(TableError::TooLarge { slice, board }),
        };
        let columns = choose(board.num_points() - u32::from(slice.own), slice.opponent.into());
        Ok(Self { sets, own, slice, columns })
    }

    /// The number of rows: orbits of own sets.
    pub fn rows(&self) -> u64 {
        self.own.count() as u64
    }

    /// The number of columns of each row.
    pub fn columns(&self) -> u64 {
        self.columns
    }

    /// The number of entries.
    pub fn len(&self) -> u64 {
        self.rows() * self.columns
    }

    /// Always false: every slice has positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of positions, without symmetry, that up to `count` entries from an index on represent.
    pub fn positions(&self, first: u64, count: u64) -> u64 {
        let end = self.len().min(first.saturating_add(count));
        (first / self.columns..end.div_ceil(self.columns))
            .map(|row| {
                let places = end.min((row + 1) * self.columns) - first.max(row * self.columns);
                places * u64::from(self.own.size(row as usize))
            })
            .sum()
    }

    /// The index of a position; `None` if the position is not in the slice.
    pub fn index_of(&self, stones: Stones) -> Option<u64> {
        let is_in_slice = stones.occupied().is_subset(self.sets.board().all_points())
            && !stones.own.intersects(stones.opponent)
            && stones.own.len() == u32::from(self.slice.own)
            && stones.opponent.len() == u32::from(self.slice.opponent);
        is_in_slice.then(|| self.index(stones))
    }

    /// The index of a position, which must be in the slice.
    #[inline]
    pub fn index(&self, stones: Stones) -> u64 {
        let group = self.sets.group();
        let member = self.own.member(stones.own);
        // The image of the own set is the representative. Reading it from memory would be slower.
        let back = member.symmetry.inverse();
        let Stones { own, opponent } = stones.map(|set| group.apply(back, set));
        let column = compress(opponent, own);
        member.orbit as u64 * self.columns + rank(column)
    }

    /// Calls `visit` for each of `count` indexes from `first` on, with the row, and the rank of the
    /// opponent's set among all sets of the board. Takes one or two nanoseconds each.
    pub fn for_each_rank(&self, first: u64, count: u64, mut visit: impl FnMut(usize, u64)) {
        let (mut row, mut column) = ((first / self.columns) as usize, first % self.columns);
        let mut left = count;
        while left > 0 {
            let here = left.min(self.columns - column);
            self.for_each_rank_in_row(row, column, here, |rank| visit(row, rank));
            left -= here;
            (row, column) = (row + 1, 0);
        }
    }

    fn for_each_rank_in_row(
        &self,
        row: usize,
        column: u64,
        mut count: u64,
        mut visit: impl FnMut(u64),
    ) {
        let taken = self.own.representative(row);
        let mut free = [0; 64];
        let all = (self.sets.board().all_points() - taken).iter();
        for (place, point) in free.iter_mut().zip(all) {
            *place = point.index() as u64;
        }
        let free_points = self.sets.board().num_points() - taken.len();
        let mut set = set_of_rank(column, self.slice.opponent.into(), free_points);
        while count > 0 {
            // While the lowest stone moves up to the next one and the others stay, the rank grows
            // with the number of its point.
            let lowest = set.first().map_or(0, Point::index);
            let others = PointSet::from_bits(set.bits() & set.bits().wrapping_sub(1));
            let next = others.first().map_or(free_points as usize, Point::index);
            let rank_of_others: u64 = others
                .iter()
                .zip(2..)
                .map(|(point, k)| choose(free[point.index()] as u32, k))
                .sum();
            let run = (next - lowest).min(count as usize);
            for point in &free[lowest..lowest + run] {
                visit(rank_of_others + point);
            }
            count -= run as u64;
            if count > 0 {
                set = set_after(others | PointSet::from_bits(1 << (next - 1)));
            }
        }
    }

    /// The number of placements of a position up to symmetry, at the first of its entries; `None` at
    /// its other entries.
    pub fn orbit_size(&self, entry: &Entry) -> Option<u8> {
        let group = self.sets.group();
        if usize::from(entry.weight) == group.order() {
            return Some(entry.weight);
        }
        let Stones { own, opponent } = entry.stones;
        let mut fixed = 0;
        for symmetry in group.symmetries() {
            if group.apply(*symmetry, own) == own {
                // Columns are in the order of these sets.
                match group.apply(*symmetry, opponent).cmp(&opponent) {
                    Ordering::Less => return None,
                    Ordering::Equal => fixed += 1,
                    Ordering::Greater => {}
                }
            }
        }
        Some((group.order() / fixed) as u8)
    }

    /// The entry at an index; `None` past the last one.
    pub fn entry(&self, place: u64) -> Option<Entry> {
        self.entries(place).next()
    }

    /// The entries from index `first` on, to the end of the table.
    pub fn entries(&self, first: u64) -> impl Iterator<Item = Entry> {
        let slice = self.slice;
        let free_points = self.sets.board().num_points() - u32::from(slice.own);
        let first_row = first / self.columns;
        (first_row..self.rows()).flat_map(move |row| {
            let own = self.own.representative(row as usize);
            let weight = self.own.size(row as usize);
            let free: Vec<Point> = (self.sets.board().all_points() - own).iter().collect();
            let skipped = if row == first_row { first % self.columns } else { 0 };
            let mut set = set_of_rank(skipped, slice.opponent.into(), free_points);
            (skipped..self.columns).map(move |column| {
                let opponent = set.iter().map(|p| free[p.index()]).collect();
                if column + 1 < self.columns {
                    set = set_after(set);
                }
                Entry { stones: Stones { own, opponent }, weight }
            })
        })
    }
}

/// Renumbers a set that is disjoint from `taken`: each point becomes its number among the points
/// outside `taken`.
#[inline]
fn compress(set: PointSet, taken: PointSet) -> PointSet {
    let (mut set, taken) = (set.bits(), taken.bits());
    let mut compressed = 0;
    while set != 0 {
        let below = (set & set.wrapping_neg()) - 1;
        compressed |= 1 << (below & !taken).count_ones();
        set &= set - 1;
    }
    PointSet::from_bits(compressed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orbits::placements;
    use crate::slice::Unit;

    /// No count of positions overflows.
    #[test]
    fn positions_of_slices_with_an_index_fit_in_64_bits() {
        let mut greatest = 0;
        for board in Board::all() {
            let slices = Unit::up_to(board, 2 * board.max_stones()).flat_map(Unit::slices);
            for slice in slices.filter(|slice| check_size(board, *slice).is_ok()) {
                let positions = placements(board, slice.own.into(), slice.opponent.into());
                assert!(positions <= u64::MAX.into(), "{slice} on {board}");
                assert!(u128::from(num_entries(board, slice)) <= positions);
                greatest = positions.max(greatest);
            }
        }
        // The limit of sets is not much lower than it has to be.
        assert!(greatest > u128::from(u64::MAX / 2));
    }

    #[test]
    fn entries_are_those_of_the_index() {
        for size in ["3x3", "5x3", "5x5", "9x5"] {
            let board: Board = size.parse().unwrap();
            let sets = OrbitSets::new(board);
            for slice in Unit::up_to(board, 5).flat_map(Unit::slices) {
                let index = SliceIndex::new(&sets, slice).unwrap();
                assert_eq!(num_entries(board, slice), index.len(), "{slice} on {board}");
            }
        }
    }
}
