//! What a pass has changed in a slice.
//!
//! The next pass reads the transposed values of the slice, one stripe of columns at a time. A
//! stripe is a range of groups of the slice's rows (see [`rows_per_word`]), so changes are recorded
//! for each of these ranges.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use fanorona_core::SymmetryGroup;

use super::matrix::{BitMatrix, rows_per_word};

/// The changes of a slice's wins or losses. Threads add to them at the same time.
pub(super) struct Changes {
    /// The bits of a cell.
    order: usize,
    /// The words of a row.
    words: usize,
    /// The groups of rows in a range.
    width: usize,
    /// The groups that have a change.
    groups: Vec<AtomicBool>,
    /// For each range of groups, the union of the changes of its rows.
    columns: Vec<AtomicU64>,
}

impl Changes {
    /// No changes of a matrix, with a number of groups in a range.
    pub(super) fn none(matrix: &BitMatrix, width: usize, group: &SymmetryGroup) -> Self {
        let (groups, words) = (matrix.num_rows() / rows_per_word(group), matrix.words());
        Self {
            order: group.order(),
            words,
            width,
            groups: (0..groups).map(|_| AtomicBool::new(false)).collect(),
            columns: (0..groups.div_ceil(width) * words).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Counts everything as changed. A pass then finds everything that follows from what is known.
    pub(super) fn all(matrix: &BitMatrix, width: usize, group: &SymmetryGroup) -> Self {
        let all = Self::none(matrix, width, group);
        all.groups.iter().for_each(|group| group.store(true, Relaxed));
        all.columns.iter().for_each(|word| word.store(u64::MAX, Relaxed));
        all
    }

    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        self.groups.iter().any(|group| group.load(Relaxed))
    }

    /// Where the rows of a group record the changes of these words.
    pub(super) fn of_group(&self, group: usize, words: Range<usize>) -> GroupChanges<'_> {
        let first = group / self.width * self.words;
        GroupChanges {
            group: &self.groups[group],
            columns: &self.columns[first + words.start..first + words.end],
        }
    }

    /// The changes of a range of groups, which is a stripe of the transposed matrix.
    pub(super) fn in_stripe(&self, groups: Range<usize>) -> StripeChanges<'_> {
        let first = groups.start / self.width * self.words;
        StripeChanges {
            order: self.order,
            groups: &self.groups[groups],
            columns: &self.columns[first..first + self.words],
        }
    }
}

/// Where the rows of a group record their changes.
#[derive(Clone, Copy)]
pub(super) struct GroupChanges<'c> {
    group: &'c AtomicBool,
    columns: &'c [AtomicU64],
}

impl GroupChanges<'_> {
    /// Records new bits of a word.
    #[inline]
    pub(super) fn add(&self, word: usize, bits: u64) {
        let columns = &self.columns[word];
        // Most bits are known soon. Reading alone leaves the cache line to other threads.
        if bits & !columns.load(Relaxed) != 0 {
            columns.fetch_or(bits, Relaxed);
        }
    }

    /// Records that some row of the group has changed.
    pub(super) fn mark_group(&self) {
        self.group.store(true, Relaxed);
    }
}

/// The changes of a stripe of a transposed matrix.
#[derive(Clone, Copy)]
pub(super) struct StripeChanges<'c> {
    order: usize,
    groups: &'c [AtomicBool],
    columns: &'c [AtomicU64],
}

impl StripeChanges<'_> {
    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        self.groups.iter().any(|group| group.load(Relaxed))
    }

    /// Whether a row of the transposed matrix has changed in this stripe.
    #[inline]
    pub(super) fn has_row(&self, row: usize) -> bool {
        let bit = row * self.order;
        let cell = (1 << self.order) - 1;
        self.columns[bit / 64].load(Relaxed) >> (bit % 64) & cell != 0
    }

    /// Whether a word of the matrix has changed in some row of the stripe's groups.
    pub(super) fn has_word(&self, word: usize) -> bool {
        self.columns[word].load(Relaxed) != 0
    }

    /// Whether a group has changed, counted from the first of the stripe.
    pub(super) fn has_group(&self, group: usize) -> bool {
        self.groups[group].load(Relaxed)
    }
}
