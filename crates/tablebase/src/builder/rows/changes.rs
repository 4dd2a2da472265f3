//! What has changed in a slice, for the passes that read it.
//!
//! A pass over a panel of the swapped slice reads the rows that are the columns of the panel. So
//! changes are recorded for each of these ranges of rows, as a union over the range.

use std::iter;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::layout::Layout;
use super::rowset::RowSet;

/// The changes of a slice's wins or losses. Threads add to them at the same time.
pub(super) struct Changes {
    /// The words of a row of the slice that this process has.
    words: Range<usize>,
    /// For each panel of the swapped slice, the union of the changes of its rows.
    columns: Vec<AtomicU64>,
    /// Whether everything counts as changed.
    are_all: bool,
}

impl Changes {
    /// No changes in the panels of a process. `swapped` is the layout of the swapped slice.
    pub(super) fn none(layout: &Layout, swapped: &Layout, rank: usize) -> Self {
        let words = layout.words_of(&layout.panels_of(rank));
        let len = swapped.num_panels() * words.len();
        let columns = (0..len).map(|_| AtomicU64::new(0)).collect();
        Self { words, columns, are_all: false }
    }

    /// Counts everything as changed. Passes then find everything that follows from what is known.
    pub(super) fn all(layout: &Layout, swapped: &Layout, rank: usize) -> Self {
        let all = Self { are_all: true, ..Self::none(layout, swapped, rank) };
        all.columns.iter().for_each(|word| word.store(u64::MAX, Relaxed));
        all
    }

    /// Whether everything counts as changed.
    pub(super) fn are_all(&self) -> bool {
        self.are_all
    }

    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        self.columns.iter().any(|word| word.load(Relaxed) != 0)
    }

    /// Records new bits of a word of this process, in rows that are columns of a panel of the swapped slice.
    #[inline]
    pub(super) fn add(&self, panel: usize, word: usize, bits: u64) {
        let columns = &self.columns[panel * self.words.len() + word - self.words.start];
        // Most bits are known soon. Reading alone leaves the cache line to other threads.
        if bits & !columns.load(Relaxed) != 0 {
            columns.fetch_or(bits, Relaxed);
        }
    }

    /// The rows of the swapped slice that have changed in one of its panels.
    pub(super) fn rows_in(&self, panel: usize, cells: usize) -> RowSet {
        let len = self.words.len();
        let columns = self.columns[panel * len..(panel + 1) * len].iter();
        let before = iter::repeat_n(0, self.words.start);
        RowSet::of_cells(before.chain(columns.map(|word| word.load(Relaxed))), cells)
    }
}
