//! The columns of matrices: all sets of a number of stones.

use std::sync::OnceLock;

use fanorona_core::{Point, PointSet};
use rayon::prelude::*;

use crate::orbits::{OrbitSets, Orbits};

/// The sets of `n` points as columns of a matrix, ordered by orbit, then by symmetry.
///
/// A set that a symmetry maps to itself has several columns. The first one, which is the set's
/// [number](Orbits::number), is its *primary* column.
pub(super) struct Columns<'a> {
    sets: &'a OrbitSets,
    orbits: &'a Orbits,
    stones: u8,
    words: usize,
    /// For each point, the columns whose sets contain it.
    containing: Vec<Vec<u64>>,
    primary: Vec<u64>,
    duplicates: Vec<Duplicate>,
    /// For each point, the primary column of each column's set with that point added.
    adding: Vec<OnceLock<Vec<u32>>>,
}

/// A column that is not primary.
struct Duplicate {
    column: u32,
    /// The primary column of the same set.
    primary: u32,
}

impl<'a> Columns<'a> {
    pub(super) fn new(sets: &'a OrbitSets, stones: u8) -> Self {
        let orbits = sets.of(stones).expect("sizes are checked before work begins");
        let board = sets.board();
        let count = orbits.num_numbers();
        let words = count.div_ceil(64);
        let set_of = |column: usize| orbits.set(sets.group(), orbits.member_with_number(column));
        let containing = board
            .all_points()
            .iter()
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|point| bits(count, |column| set_of(column).contains(point)))
            .collect();
        let is_primary = |column: usize| orbits.number(set_of(column)) as usize == column;
        let primary = bits(count, is_primary);
        let duplicates = (0..count)
            .filter(|column| primary[column / 64] >> (column % 64) & 1 == 0)
            .map(|column| Duplicate {
                column: column as u32,
                primary: orbits.number(set_of(column)),
            })
            .collect();
        let adding = (0..board.num_points()).map(|_| OnceLock::new()).collect();
        Self { sets, orbits, stones, words, containing, primary, duplicates, adding }
    }

    pub(super) fn count(&self) -> usize {
        self.orbits.num_numbers()
    }

    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The columns whose sets contain a point.
    #[inline]
    pub(super) fn containing(&self, point: Point) -> &[u64] {
        &self.containing[point.index()]
    }

    /// The primary columns: one for each set.
    pub(super) fn primary(&self) -> &[u64] {
        &self.primary
    }

    /// The set of a column.
    pub(super) fn set(&self, column: usize) -> PointSet {
        self.orbits.set(self.sets.group(), self.orbits.member_with_number(column))
    }

    /// The primary column of a set.
    #[inline]
    pub(super) fn of(&self, set: PointSet) -> u32 {
        self.orbits.number(set)
    }

    /// Computes the tables of all points that [`adding`](Self::adding) returns.
    ///
    /// Must not be called from a parallel section. A rayon thread that waits here can steal a task
    /// that waits for the same table, which is a deadlock.
    pub(super) fn prepare_adding(&self) {
        for (point, adding) in (self.sets.board().all_points()).iter().zip(&self.adding) {
            adding.get_or_init(|| {
                let larger =
                    self.sets.of(self.stones + 1).expect("sizes are checked before work begins");
                let add = |column| {
                    let set = self.set(column);
                    if !set.contains(point) { larger.number(set | point) } else { 0 }
                };
                (0..self.count()).into_par_iter().map(add).collect()
            });
        }
    }

    /// For each column, the primary column of its set with a point added, among the sets with one
    /// stone more. Entries of columns whose sets contain the point are meaningless.
    pub(super) fn adding(&self, point: Point) -> &[u32] {
        self.adding[point.index()].get().expect("prepared before captures are decided")
    }

    /// Copies the bits of primary columns to the other columns of the same sets.
    pub(super) fn fill_duplicates(&self, row: &mut [u64]) {
        for &Duplicate { column, primary } in &self.duplicates {
            let (column, primary) = (column as usize, primary as usize);
            let bit = row[primary / 64] >> (primary % 64) & 1;
            row[column / 64] = row[column / 64] & !(1 << (column % 64)) | bit << (column % 64);
        }
    }

    /// The same for a row with one element per column.
    pub(super) fn copy_duplicates<T: Copy>(&self, row: &mut [T]) {
        for &Duplicate { column, primary } in &self.duplicates {
            row[column as usize] = row[primary as usize];
        }
    }
}

/// The columns for each number of stones, computed at first use.
#[derive(Default)]
pub(in crate::builder) struct ColumnSets<'a> {
    by_stones: [OnceLock<Columns<'a>>; 32],
}

impl<'a> ColumnSets<'a> {
    /// The columns of the sets of a number of stones. The first call computes them and must not be
    /// made from a parallel section, see [`Columns::prepare_adding`].
    pub(super) fn find(&self, sets: &'a OrbitSets, stones: u8) -> &Columns<'a> {
        self.by_stones[usize::from(stones)].get_or_init(|| Columns::new(sets, stones))
    }

    /// Columns that [`find`](Self::find) has computed before.
    pub(super) fn get(&self, stones: u8) -> &Columns<'a> {
        self.by_stones[usize::from(stones)].get().expect("found before threads are at work")
    }
}

/// A row of `count` bits.
fn bits(count: usize, is_set: impl Fn(usize) -> bool + Sync) -> Vec<u64> {
    (0..count.div_ceil(64))
        .into_par_iter()
        .map(|word| {
            let columns = 64 * word..count.min(64 * word + 64);
            columns.fold(0, |bits, column| bits | u64::from(is_set(column)) << (column % 64))
        })
        .collect()
}
