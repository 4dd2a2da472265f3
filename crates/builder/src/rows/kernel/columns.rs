//! The columns of matrices: all sets of a number of stones.

use std::sync::OnceLock;

use fanorona_core::{Board, Point, PointSet, Symmetry};
use fanorona_tablebase::orbits::{OrbitSets, Orbits, placements_up_to_symmetry, rank};
use fanorona_tablebase::{Result, Slice, TableError};
use rayon::prelude::*;

use super::colex::{self, LEAF};
use crate::bits::{has, low, members};

/// The most columns of a matrix. Their numbers are kept in 32 bits.
const MAX_COLUMNS: u64 = 1 << 32;

/// Checks that the stones of either side are not too many for columns.
pub(crate) fn check_columns(board: Board, slice: Slice) -> Result<()> {
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
pub(crate) struct Columns<'a> {
    sets: &'a OrbitSets,
    orbits: &'a Orbits,
    words: usize,
    /// For each point, the columns whose sets contain it.
    containing: Vec<Vec<u64>>,
    primary: Vec<u64>,
    duplicates: Vec<Duplicate>,
    /// The [rank] of each column's set.
    ranks: OnceLock<Vec<u32>>,
    /// [`colex::leaf_masks`], if the sets are that small.
    leaf_masks: Vec<Vec<u64>>,
}

/// A column that is not primary.
struct Duplicate {
    column: u32,
    /// The primary column of the same set.
    primary: u32,
}

/// A word of columns as bits.
#[derive(Clone)]
struct ColumnWord {
    /// For each point, the columns whose sets contain it.
    containing: [u64; 64],
    primary: u64,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(sets: &'a OrbitSets, stones: u8) -> Self {
        let orbits = sets.of(stones).expect("sizes are checked before work begins");
        let points = sets.board().num_points();
        assert!(orbits.num_numbers() as u64 <= MAX_COLUMNS, "sizes are checked before work begins");
        let words = orbits.num_numbers().div_ceil(64);
        let mut containing = vec![Vec::with_capacity(words); points as usize];
        let mut primary = Vec::with_capacity(words);
        // Some megabytes at a time.
        const TOGETHER: usize = 1 << 13;
        let mut found = Vec::new();
        for begin in (0..words).step_by(TOGETHER) {
            let some = begin..words.min(begin + TOGETHER);
            some.into_par_iter()
                .map(|word| column_word(sets, orbits, word))
                .collect_into_vec(&mut found);
            for (point, row) in containing.iter_mut().enumerate() {
                row.extend(found.iter().map(|word| word.containing[point]));
            }
            primary.extend(found.iter().map(|word| word.primary));
        }
        let mut columns = Self {
            sets,
            orbits,
            words,
            containing,
            primary,
            duplicates: Vec::new(),
            ranks: OnceLock::new(),
            leaf_masks: Vec::new(),
        };
        columns.find_duplicates();
        if usize::from(stones) <= LEAF {
            columns.leaf_masks = colex::leaf_masks(points, stones.into());
        }
        columns
    }

    fn find_duplicates(&mut self) {
        for (i, primary) in self.primary.iter().enumerate() {
            for other in members(!primary & low(self.count() - 64 * i)) {
                let column = 64 * i + other;
                let primary = self.of(self.set(column));
                self.duplicates.push(Duplicate { column: column as u32, primary });
            }
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.orbits.num_numbers()
    }

    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The columns whose sets contain a point.
    #[inline]
    pub(crate) fn containing(&self, point: Point) -> &[u64] {
        &self.containing[point.index()]
    }

    /// The primary columns: one for each set.
    pub(crate) fn primary(&self) -> &[u64] {
        &self.primary
    }

    /// Sets `bits` to the columns whose sets contain none of some points.
    pub(crate) fn avoiding(&self, points: PointSet, bits: &mut Vec<u64>) {
        bits.clear();
        bits.resize(self.words, 0);
        for point in points.iter() {
            bits.iter_mut().zip(self.containing(point)).for_each(|(bits, taken)| *bits |= taken);
        }
        bits.iter_mut().for_each(|bits| *bits = !*bits);
        if let Some(last) = bits.last_mut() {
            *last &= low(self.count() - 64 * (self.words - 1));
        }
    }

    pub(crate) fn set(&self, column: usize) -> PointSet {
        self.orbits.set(self.sets.group(), self.orbits.member_with_number(column))
    }

    /// The primary column of a set.
    #[inline]
    pub(crate) fn of(&self, set: PointSet) -> u32 {
        self.orbits.number(set) as u32
    }

    /// Computes what [`ranks`](Self::ranks) returns: 4 bytes for each column.
    ///
    /// Must not be called from a parallel section. A rayon thread that waits here can steal a task
    /// that waits for the same numbers, which is a deadlock.
    pub(crate) fn prepare_ranks(&self) {
        self.ranks.get_or_init(|| {
            let rank_of = |column| rank(self.set(column)) as u32;
            (0..self.count()).into_par_iter().map(rank_of).collect()
        });
    }

    /// The rank of each column's set.
    pub(crate) fn ranks(&self) -> &[u32] {
        self.ranks.get().expect("prepared before captures are decided")
    }

    /// Calls `visit` for some columns of a word: with the bit in the word, and the rank of the
    /// column's set. Fast if [`prepare_ranks`](Self::prepare_ranks) was called.
    #[inline]
    pub(crate) fn for_each_rank(
        &self,
        word: usize,
        columns: u64,
        mut visit: impl FnMut(usize, usize),
    ) {
        let first = 64 * word;
        if let Some(ranks) = self.ranks.get() {
            members(columns).for_each(|bit| visit(bit, ranks[first + bit] as usize));
            return;
        }
        let (group, mut rest) = (self.sets.group(), columns);
        while rest != 0 {
            let cell = rest.trailing_zeros() as usize / group.order() * group.order();
            let in_cell = low(group.order()) << cell;
            // Finding it takes longer than the rest.
            let representative = self.orbits.representative((first + cell) / group.order());
            for bit in members(rest & in_cell) {
                let symmetry = Symmetry::numbered(bit - cell);
                visit(bit, rank(group.apply(symmetry, representative)) as usize);
            }
            rest &= !in_cell;
        }
    }

    /// The primary column of the set with a rank.
    #[inline]
    pub(crate) fn of_rank(&self, rank: usize) -> usize {
        self.orbits.number_of_rank(rank as u64) as usize
    }

    /// The [`colex::leaf_masks`] of these sets, which have up to [`LEAF`] points.
    pub(crate) fn leaf_masks(&self) -> &[Vec<u64>] {
        &self.leaf_masks
    }

    /// Copies the bits of primary columns to the other columns of the same sets.
    pub(crate) fn fill_duplicates(&self, row: &mut [u64]) {
        for &Duplicate { column, primary } in &self.duplicates {
            let (column, primary) = (column as usize, primary as usize);
            let bit = u64::from(has(row, primary));
            row[column / 64] = row[column / 64] & !(1 << (column % 64)) | bit << (column % 64);
        }
    }

    /// The same for a row with one element per column.
    pub(crate) fn copy_duplicates<T: Copy>(&self, row: &mut [T]) {
        for &Duplicate { column, primary } in &self.duplicates {
            row[column as usize] = row[primary as usize];
        }
    }
}

/// The columns for each number of stones, computed at first use.
#[derive(Default)]
pub(crate) struct ColumnSets<'a> {
    by_stones: [OnceLock<Columns<'a>>; 32],
}

impl<'a> ColumnSets<'a> {
    /// The columns of the sets of a number of stones. The first call computes them and must not be
    /// made from a parallel section, see [`Columns::prepare_ranks`].
    pub(crate) fn find(&self, sets: &'a OrbitSets, stones: u8) -> &Columns<'a> {
        self.by_stones[usize::from(stones)].get_or_init(|| Columns::new(sets, stones))
    }

    /// Columns that [`find`](Self::find) has computed before.
    pub(crate) fn get(&self, stones: u8) -> &Columns<'a> {
        self.by_stones[usize::from(stones)].get().expect("found before threads are at work")
    }
}

fn column_word(sets: &OrbitSets, orbits: &Orbits, word: usize) -> ColumnWord {
    let order = sets.group().order();
    let mut found = ColumnWord { containing: [0; 64], primary: 0 };
    for column in 64 * word..orbits.num_numbers().min(64 * word + 64) {
        let bit = 1 << (column % 64);
        let set_of = |column| orbits.set(sets.group(), orbits.member_with_number(column));
        let set = set_of(column);
        set.iter().for_each(|point| found.containing[point.index()] |= bit);
        let first_in_cell = column / order * order;
        if (first_in_cell..column).all(|other| set_of(other) != set) {
            found.primary |= bit;
        }
    }
    found
}
