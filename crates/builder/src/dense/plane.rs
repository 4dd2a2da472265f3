//! One bit for each position of a slice, for threads that read and write at the same time.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

/// A matrix of bits. Each row has one writer at a time; any thread may read it meanwhile. While
/// a slice is in work, bits are only ever set, so a reader sees values that were true at some time and stay true.
pub(super) struct Plane {
    words: usize,
    data: Vec<AtomicU64>,
}

impl Plane {
    /// A zero matrix.
    pub(super) fn new(rows: usize, words: usize) -> Self {
        let mut data = Vec::new();
        (0..rows * words).into_par_iter().map(|_| AtomicU64::new(0)).collect_into_vec(&mut data);
        Self { words, data }
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &[AtomicU64] {
        &self.data[row * self.words..][..self.words]
    }

    /// All words, row by row.
    pub(super) fn into_words(self) -> Vec<u64> {
        // In place.
        self.data.into_iter().map(AtomicU64::into_inner).collect()
    }

    pub(super) fn copy_row(&self, row: usize, to: &mut Vec<u64>) {
        to.clear();
        to.extend(self.row(row).iter().map(|word| word.load(Relaxed)));
    }

    /// The number of bits of a row that are set.
    pub(super) fn count(&self, row: usize) -> u64 {
        self.row(row).iter().map(|word| u64::from(word.load(Relaxed).count_ones())).sum()
    }

    #[inline]
    pub(super) fn bit(&self, row: usize, column: usize) -> bool {
        self.row(row)[column / 64].load(Relaxed) >> (column % 64) & 1 != 0
    }
}

/// Sets a bit of a row to which other threads may write at the same time.
#[inline]
pub(super) fn add_bit(row: &[AtomicU64], column: usize) {
    row[column / 64].fetch_or(1 << (column % 64), Relaxed);
}

/// Sets the bits of some words of a row. No other thread may write to the row at the same time.
#[inline(always)]
pub(super) fn add_words(row: &[AtomicU64], words: &[u64]) {
    for (to, bits) in row.iter().zip(words).filter(|(_, bits)| **bits != 0) {
        to.store(to.load(Relaxed) | bits, Relaxed);
    }
}

/// Sets a bit of a row. No other thread may write to the row at the same time.
#[inline]
pub(super) fn set_bit(row: &[AtomicU64], column: usize) {
    let word = &row[column / 64];
    word.store(word.load(Relaxed) | 1 << (column % 64), Relaxed);
}
