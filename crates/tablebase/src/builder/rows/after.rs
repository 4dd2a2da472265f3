//! The values after paikas: the transposed values of a unit in work, which passes read.
//!
//! A pass over a slice reads the transposed wins or losses of the swapped slice. Word `i` of a row
//! depends only on word `i` of the rows that its paikas lead to. So a pass can run for one *stripe*
//! of columns after the other, and needs the transposed values of one stripe at a time. These are
//! the values of some rows of the swapped slice: those of the sets in the stripe's columns.
//!
//! With enough memory, there is one stripe, and its transposed values are kept from pass to pass.
//! Only what has changed is transposed again. With less memory, they are made for each stripe before
//! its pass, and are then overwritten by those of the next stripe.

use std::collections::HashMap;
use std::ops::Range;

use super::changes::StripeChanges;
use super::matrix::{BitMatrix, Cells};
use crate::builder::memory::RoundMemory;
use crate::slice::Slice;

/// The values after paikas of a unit in work.
#[derive(Debug)]
pub(super) struct After {
    memory: RoundMemory,
    /// The matrices that are kept.
    kept: HashMap<AfterKey, BitMatrix>,
    /// The wins or the losses of the current stripe, or both, if they are not kept.
    stripe: HashMap<bool, BitMatrix>,
}

/// One of the matrices of [`After`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct AfterKey {
    /// The slice that paikas start from.
    pub slice: Slice,
    /// Whether it has the wins after the paikas, or the losses.
    pub wins: bool,
}

/// The rows of a stripe that have to be up to date.
pub(super) enum Needed<'c> {
    /// All rows, of wins and losses at the same time, when nothing has changed since the last pass.
    All,
    /// All rows, with what has changed since the last pass for the same value.
    AllAfter(StripeChanges<'c>),
    /// Only the rows that have changed since the last pass for the same value.
    Changed(StripeChanges<'c>),
}

impl After {
    /// No values.
    pub(super) fn new(memory: RoundMemory) -> Self {
        Self { memory, kept: HashMap::new(), stripe: HashMap::new() }
    }

    /// The stripes of a slice with the rows and words of `matrix`, as ranges of words, if a number
    /// of matrices are needed at a time.
    pub(super) fn stripes(&self, matrix: &BitMatrix, matrices: usize) -> Stripes {
        let (rows, words) = (matrix.num_rows(), matrix.words());
        Stripes { words, width: self.memory.width(rows, words, matrices) }
    }

    /// Brings the values of a stripe up to date. `from` are the wins or losses of the swapped
    /// slice.
    pub(super) fn update(
        &mut self,
        cells: &Cells,
        from: &BitMatrix,
        key: AfterKey,
        stripe: Range<usize>,
        needed: &Needed<'_>,
    ) {
        let rows = from.words() * cells.per_word();
        match self.memory {
            RoundMemory::Kept => match (self.kept.get_mut(&key), needed) {
                (None, _) => {
                    let mut to = BitMatrix::with_words(rows, stripe.len());
                    cells.transpose(from, stripe, |_| true, |_| true, &mut to);
                    self.kept.insert(key, to);
                }
                (Some(_), Needed::All) => {}
                (Some(to), Needed::AllAfter(changes) | Needed::Changed(changes)) => {
                    let (word, group) = (|i| changes.has_word(i), |i| changes.has_group(i));
                    cells.transpose(from, stripe, word, group, to);
                }
            },
            RoundMemory::Striped { .. } => {
                let to = match needed {
                    Needed::All => self.stripe.entry(key.wins).or_default(),
                    // A pass needs one matrix, and overwrites that of the last pass.
                    Needed::AllAfter(_) | Needed::Changed(_) => {
                        let (_, last) = self.stripe.drain().next().unwrap_or_default();
                        self.stripe.entry(key.wins).or_insert(last)
                    }
                };
                to.reshape(rows, stripe.len());
                let word = |word| match needed {
                    Needed::All | Needed::AllAfter(_) => true,
                    Needed::Changed(changes) => changes.has_word(word),
                };
                cells.transpose(from, stripe, word, |_| true, to);
            }
        }
    }

    /// The values of the stripe that was updated last.
    pub(super) fn get(&self, key: AfterKey) -> &BitMatrix {
        match self.memory {
            RoundMemory::Kept => &self.kept[&key],
            RoundMemory::Striped { .. } => &self.stripe[&key.wins],
        }
    }

    /// Frees the matrices of the current stripe.
    pub(super) fn end_stripe(&mut self) {
        self.stripe.clear();
    }

    /// All columns of a matrix, which is removed.
    pub(super) fn take(&mut self, cells: &Cells, from: &BitMatrix, key: AfterKey) -> BitMatrix {
        self.kept.remove(&key).unwrap_or_else(|| cells.transposed(from))
    }
}

/// The columns of a slice in stripes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stripes {
    words: usize,
    width: usize,
}

impl Stripes {
    /// The words of each stripe; the last one can have less.
    pub(super) fn width(self) -> usize {
        self.width
    }

    /// The stripes as ranges of words.
    pub(super) fn ranges(self) -> impl Iterator<Item = Range<usize>> {
        let Self { words, width } = self;
        (0..words).step_by(width).map(move |begin| begin..words.min(begin + width))
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Board, SymmetryGroup};

    use super::super::changes::Changes;
    use super::*;

    /// The next number of a sequence that looks random (the finalizer of splitmix64).
    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// The bit of row `row` and column `column` of the transposed matrix, from the definition: a
    /// cell moves, and the symmetries in it become their inverses.
    fn transposed_bit(from: &BitMatrix, group: &SymmetryGroup, row: usize, column: usize) -> bool {
        let order = group.order();
        from.bit(column / order, row * order + group.inverse(column % order))
    }

    /// Values that are made for each stripe, and values that are kept and updated by changes, are
    /// those of the transposed matrix wherever they are needed.
    #[test]
    fn stripes_are_parts_of_the_transposed_matrix() {
        let key = AfterKey { slice: "3v2".parse().expect("a slice"), wins: true };
        for board in ["9x5", "5x5"] {
            let board: Board = board.parse().expect("a board");
            let group = SymmetryGroup::new(board);
            let cells = Cells::new(&group);
            let (groups, words) = (7, 11);
            let (rows, after_rows) = (groups * cells.per_word(), words * cells.per_word());
            let mut from = BitMatrix::with_words(rows, words);
            let mut random = 1;
            let one_word = 8 * after_rows as u64;
            for bytes in [None, Some(one_word), Some(3 * one_word), Some(7 * one_word)] {
                let memory =
                    bytes.map_or(RoundMemory::Kept, |bytes| RoundMemory::Striped { bytes });
                let mut after = After::new(memory);
                let shape = BitMatrix::with_words(after_rows, groups);
                let stripes = after.stripes(&shape, 1);
                let width = |bytes| (bytes / one_word) as usize;
                assert!(stripes.width() <= bytes.map_or(groups, width));
                let all: Vec<_> = stripes.ranges().flatten().collect();
                assert_eq!(all, (0..groups).collect::<Vec<_>>());
                let mut changes = Changes::all(&from, stripes.width(), &group);
                for pass in 0..6 {
                    for stripe in stripes.ranges() {
                        let changed = changes.in_stripe(stripe.clone());
                        // The other value was needed before.
                        let other = AfterKey { wins: !key.wins, ..key };
                        after.update(&cells, &from, other, stripe.clone(), &Needed::All);
                        let needed = match pass % 3 {
                            0 => Needed::AllAfter(changed),
                            1 => Needed::Changed(changed),
                            _ => Needed::All,
                        };
                        after.update(&cells, &from, key, stripe.clone(), &needed);
                        let together = if matches!(needed, Needed::All) { 2 } else { 1 };
                        assert!(bytes.is_none() || after.stripe.len() == together);
                        let found = after.get(key);
                        assert_eq!((found.num_rows(), found.words()), (after_rows, stripe.len()));
                        for row in 0..after_rows {
                            if matches!(needed, Needed::Changed(changed) if !changed.has_row(row)) {
                                continue;
                            }
                            for column in 64 * stripe.start..64 * stripe.end {
                                let bit = found.bit(row, column - 64 * stripe.start);
                                let expected = transposed_bit(&from, &group, row, column);
                                assert_eq!(bit, expected, "{row} {column}");
                            }
                        }
                    }
                    // Nothing changes before a pass that reads no changes, and at the end.
                    let count = if pass % 3 == 1 || pass == 5 { 0 } else { 10 };
                    changes = Changes::none(&from, stripes.width(), &group);
                    let mut is_changed = vec![vec![false; after_rows]; stripes.ranges().count()];
                    for _ in 0..count {
                        let row = next(&mut random) as usize % rows;
                        let column = next(&mut random) as usize % (64 * words);
                        from.rows_mut(row..row + 1)[column / 64] |= 1 << (column % 64);
                        let group_of_row = row / cells.per_word();
                        let marks = changes.of_group(group_of_row, column / 64..words);
                        marks.add(0, 1 << (column % 64));
                        marks.mark_group();
                        is_changed[group_of_row / stripes.width()][column / group.order()] = true;
                    }
                    for (stripe, is_changed) in stripes.ranges().zip(is_changed) {
                        let found = changes.in_stripe(stripe);
                        assert_eq!(found.any(), is_changed.contains(&true));
                        for (row, is_changed) in is_changed.into_iter().enumerate() {
                            assert_eq!(found.has_row(row), is_changed);
                        }
                    }
                }
                let whole = after.take(&cells, &from, key);
                for row in 0..after_rows {
                    for column in 0..64 * groups {
                        let expected = transposed_bit(&from, &group, row, column);
                        assert_eq!(whole.bit(row, column), expected);
                    }
                }
            }
        }
    }
}
