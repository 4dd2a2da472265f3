//! The place of a position in its slice's table.
//!
//! A position is the mover's set of stones `X` and the opponent's `Y`. With `X = g(R)` for the
//! representative `R` of its orbit, the position is, up to symmetry, `R` against `g⁻¹(Y)`. So a
//! *row* of the table is an orbit of own sets, and the *columns* of a row are the sets of points
//! that `R` leaves free, in colexicographic order. Positions in which only the opponent's lowest
//! stones differ are neighbours, which is what makes tables pack well.
//!
//! A row whose orbit is smaller than the group has some positions twice, up to symmetry; no other
//! place is wasted.

use fanorona_core::{Point, PointSet};

use crate::orbits::{OrbitSets, Orbits, binomial, next_set, rank, unrank};
use crate::slice::Slice;

/// The order of a slice's positions.
#[derive(Clone, Copy, Debug)]
pub struct SliceIndex<'a> {
    sets: &'a OrbitSets,
    own: &'a Orbits,
    slice: Slice,
    columns: u64,
}

/// A place in a table, and what stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The mover's stones: a representative of its orbit.
    pub own: PointSet,
    /// The opponent's stones.
    pub opponent: PointSet,
    /// How many positions the entry counts for when all placements are counted: the size of the
    /// row's orbit.
    pub weight: u8,
}

impl<'a> SliceIndex<'a> {
    /// The index of a slice; finds the orbits that it needs.
    pub fn new(sets: &'a OrbitSets, slice: Slice) -> Self {
        let free = sets.board().num_points() - u32::from(slice.own);
        let columns = binomial(free, slice.opponent.into());
        Self { sets, own: sets.of(slice.own), slice, columns }
    }

    /// The number of rows: orbits of the mover's sets.
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

    /// Never: every slice has positions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many positions `count` places from `first` on stand for, or as many of them as there are;
    /// no symmetry taken out.
    pub fn positions(&self, first: u64, count: u64) -> u64 {
        let end = self.len().min(first + count);
        (first / self.columns..end.div_ceil(self.columns))
            .map(|row| {
                let places = end.min((row + 1) * self.columns) - first.max(row * self.columns);
                places * u64::from(self.own.size(row as usize))
            })
            .sum()
    }

    /// The place of a position of the slice.
    #[inline]
    pub fn index(&self, own: PointSet, opponent: PointSet) -> u64 {
        let group = self.sets.group();
        let code = self.own.code(own) as usize;
        let (row, k) = (code / group.order(), code % group.order());
        // The representative is in a large table too, and sooner found from the set.
        let back = group.inverse(k);
        let column = compress(group.apply(back, opponent), group.apply(back, own));
        row as u64 * self.columns + rank(column)
    }

    /// Calls `visit` with the row of each of `count` places from `first` on, and the rank of the
    /// opponent's set among all sets of the board: a nanosecond or two each.
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
        let mut set = unrank(column, self.slice.opponent.into(), free_points);
        while count > 0 {
            // The lowest stone moves up to the next one while the others stay, and the rank grows
            // with the number of its point.
            let lowest = set.first().map_or(0, Point::index);
            let others = PointSet::from_bits(set.bits() & set.bits().wrapping_sub(1));
            let next = others.first().map_or(free_points as usize, Point::index);
            let rank_of_others: u64 = others
                .iter()
                .zip(2..)
                .map(|(point, k)| binomial(free[point.index()] as u32, k))
                .sum();
            let run = (next - lowest).min(count as usize);
            for point in &free[lowest..lowest + run] {
                visit(rank_of_others + point);
            }
            count -= run as u64;
            if count > 0 {
                set = next_set(others | PointSet::from_bits(1 << (next - 1)));
            }
        }
    }

    /// What stands at the places from `first` on, to the end of the table.
    pub fn entries(&self, first: u64) -> impl Iterator<Item = Entry> {
        let slice = self.slice;
        let free_points = self.sets.board().num_points() - u32::from(slice.own);
        let first_row = first / self.columns;
        (first_row..self.rows()).flat_map(move |row| {
            let own = self.own.representative(row as usize);
            let weight = self.own.size(row as usize);
            let free: Vec<Point> =
                (self.sets.board().all_points() - own).iter().map(|p| p).collect();
            let skipped = if row == first_row { first % self.columns } else { 0 };
            let mut set = unrank(skipped, slice.opponent.into(), free_points);
            (skipped..self.columns).map(move |column| {
                let opponent = set.iter().map(|p| free[p.index()]).collect();
                if column + 1 < self.columns {
                    set = next_set(set);
                }
                Entry { own, opponent, weight }
            })
        })
    }
}

/// A set that does not meet `taken`, renumbered by the points outside `taken`.
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
