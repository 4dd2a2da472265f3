//! Sets of rows.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::bits::{insert, members};

/// A set of rows of a slice. The default is the empty set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RowSet {
    All,
    /// Some rows, one bit for each.
    Some(Vec<u64>),
}

impl Default for RowSet {
    fn default() -> Self {
        Self::Some(Vec::new())
    }
}

impl RowSet {
    /// The rows whose cell is not zero. Each word has this number of cells.
    pub(crate) fn of_cells(words: impl Iterator<Item = u64>, cells: usize) -> Self {
        let order = 64 / cells;
        // The lowest bit of each cell.
        let lowest = (0..64).step_by(order).fold(0, |bits, bit| bits | 1u64 << bit);
        let mut rows = Vec::new();
        for (i, word) in words.enumerate() {
            if (i * cells).is_multiple_of(64) {
                rows.push(0);
            }
            if word == 0 {
                continue;
            }
            let any = (1..order).fold(word, |any, shift| any | word >> shift) & lowest;
            let found = members(any).fold(0u64, |found, bit| found | 1 << (bit / order));
            *rows.last_mut().expect("pushed before") |= found << (i * cells % 64);
        }
        Self::Some(rows)
    }

    /// The rows that `related` gives for the rows of this set, among `count` rows.
    pub(crate) fn related<I: IntoIterator<Item = usize>>(
        &self,
        count: usize,
        related: impl Fn(usize) -> I + Sync,
    ) -> Self {
        let Self::Some(rows) = self else { return Self::All };
        let found: Vec<_> = (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        rows.par_iter().enumerate().for_each(|(i, word)| {
            for row in members(*word).map(|bit| 64 * i + bit).filter(|row| *row < count) {
                for other in related(row) {
                    found[other / 64].fetch_or(1 << (other % 64), Relaxed);
                }
            }
        });
        Self::Some(found.into_iter().map(AtomicU64::into_inner).collect())
    }

    /// Adds a row, for which there has to be a bit.
    pub(crate) fn insert(&mut self, row: usize) {
        if let Self::Some(rows) = self {
            insert(rows, row);
        }
    }

    #[inline]
    pub(crate) fn contains(&self, row: usize) -> bool {
        match self {
            Self::All => true,
            Self::Some(rows) => rows.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 != 0),
        }
    }

    /// Whether it contains a row of a row group: of those that are the cells of a word.
    pub(crate) fn has_any(&self, row_group: usize, cells: usize) -> bool {
        let first = row_group * cells;
        match self {
            Self::All => true,
            Self::Some(rows) => {
                let mask = (1 << cells) - 1;
                rows.get(first / 64).is_some_and(|word| word >> (first % 64) & mask != 0)
            }
        }
    }

    pub(super) fn has_some_of(&self, rows: &Range<usize>) -> bool {
        let mut rows = rows.clone();
        rows.any(|row| self.contains(row))
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Some(rows) if rows.iter().all(|word| *word == 0))
    }

    /// Whether it has more than one in `share` of `count` rows.
    pub(crate) fn is_dense(&self, count: usize, share: usize) -> bool {
        match self {
            Self::Some(rows) => {
                let len: usize = rows.iter().map(|word| word.count_ones() as usize).sum();
                len * share > count
            }
            Self::All => true,
        }
    }
}
