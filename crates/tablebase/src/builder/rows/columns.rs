//! The columns of matrices: all sets of a number of stones.

use std::sync::OnceLock;

use fanorona_core::{Board, Point, PointSet};
use rayon::prelude::*;

use crate::error::{Result, TableError};
use crate::orbits::{OrbitSets, Orbits, placements_up_to_symmetry};
use crate::slice::Slice;

/// The most columns of a matrix. Their numbers are kept in 32 bits.
const MAX_COLUMNS: u64 = 1 << 32;

/// The words of columns that a thread finds together.
const WORDS_TOGETHER: usize = 1 << 10;

/// Checks that the stones of either side are not too many for columns.
///
/// # Errors
/// [`TableError::TooLarge`] if they are.
pub(in crate::builder) fn check_columns(board: Board, slice: Slice) -> Result<()> {
    let order = board.symmetries().len() as u128;
    let count = |stones: u8| order * placements_up_to_symmetry(board, stones.into(), 0);
    match count(slice.own).max(count(slice.opponent)) <= MAX_COLUMNS.into() {
        true => Ok(()),
        false => Err(TableError::TooLarge { slice, board }),
    }
}

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
#[derive(Clone, Copy)]
struct Duplicate {
    column: u32,
    /// The primary column of the same set.
    primary: u32,
}

impl<'a> Columns<'a> {
    pub(super) fn new(sets: &'a OrbitSets, stones: u8) -> Self {
        let orbits = sets.of(stones).expect("sizes are checked before work begins");
        let board = sets.board();
        let (count, order) = (orbits.num_numbers(), sets.group().order());
        assert!(count as u64 <= MAX_COLUMNS, "sizes are checked before work begins");
        let words = count.div_ceil(64);
        let mut containing: Vec<_> = board.all_points().iter().map(|_| vec![0; words]).collect();
        let mut primary = vec![0; words];
        let mut parts: Vec<_> =
            primary.chunks_mut(WORDS_TOGETHER).map(|part| (part, Vec::new())).collect();
        for row in &mut containing {
            let rows = row.chunks_mut(WORDS_TOGETHER);
            parts.iter_mut().zip(rows).for_each(|((_, containing), row)| containing.push(row));
        }
        let find = |(part, (primary, mut containing)): (usize, (&mut [u64], Vec<&mut [u64]>))| {
            let first = 64 * WORDS_TOGETHER * part;
            let mut duplicates = Vec::new();
            let columns = first..count.min(first + 64 * primary.len());
            // A word has whole cells.
            for cell in columns.step_by(order) {
                let representative = orbits.representative(cell / order);
                for symmetry in 0..order {
                    let column = cell + symmetry;
                    let (word, bit) = ((column - first) / 64, 1 << (column % 64));
                    let set = sets.group().apply(symmetry, representative);
                    set.iter().for_each(|point| containing[point.index()][word] |= bit);
                    let number = orbits.number(set);
                    if number == column as u64 {
                        primary[word] |= bit;
                    } else {
                        let (column, primary) = (column as u32, number as u32);
                        duplicates.push(Duplicate { column, primary });
                    }
                }
            }
            duplicates
        };
        let duplicates: Vec<_> = parts.into_par_iter().enumerate().map(find).collect();
        let duplicates = duplicates.concat();
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
        self.orbits.number(set) as u32
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
                    if !set.contains(point) { larger.number(set | point) as u32 } else { 0 }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_numbered_in_32_bits() {
        let check = |board: &str, own, opponent| {
            check_columns(board.parse().unwrap(), Slice { own, opponent })
        };
        assert!(check("9x5", 10, 1).is_ok() && check("9x5", 1, 10).is_ok());
        assert!(check("9x5", 11, 1).is_err() && check("9x5", 1, 11).is_err());
        assert!(check("9x7", 8, 8).is_ok() && check("9x7", 9, 1).is_err());
    }

    #[test]
    fn columns_know_their_sets() {
        for size in ["3x3", "5x3", "5x5", "9x5"] {
            let sets = OrbitSets::for_builders(size.parse().unwrap());
            for stones in 1..=4 {
                let columns = Columns::new(&sets, stones);
                let (order, mut duplicates) = (sets.group().order(), columns.duplicates.iter());
                for column in 0..columns.count() {
                    let set = columns.set(column);
                    let bit = |row: &[u64]| row[column / 64] >> (column % 64) & 1 == 1;
                    for point in sets.board().all_points() {
                        assert_eq!(bit(columns.containing(point)), set.contains(point));
                    }
                    let cell = column / order * order;
                    let first = (cell..).find(|other| columns.set(*other) == set).unwrap();
                    assert_eq!(columns.of(set) as usize, first);
                    assert_eq!(bit(columns.primary()), first == column);
                    if first != column {
                        let Duplicate { column: found, primary } = *duplicates.next().unwrap();
                        assert_eq!((found as usize, primary as usize), (column, first));
                    }
                }
                assert!(duplicates.next().is_none());
            }
        }
    }
}
