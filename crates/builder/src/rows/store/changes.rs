//! The changes of a slice, for the passes that read it.
//!
//! A pass over a segment of the swapped slice reads the rows that are the columns of the segment. So
//! changes are recorded for each of these ranges of rows, as a union over the range.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::layout::Tiling;
use super::rowset::RowSet;

/// The positions that a pass looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// Wins and losses at any distance.
    All,
    /// Positions decided in this number of turns: losses if it is even, wins if it is odd.
    Distance(u16),
}

impl Wanted {
    pub(crate) fn wins(self) -> bool {
        match self {
            Self::All => true,
            Self::Distance(distance) => distance % 2 == 1,
        }
    }

    pub(crate) fn losses(self) -> bool {
        match self {
            Self::All => true,
            Self::Distance(distance) => distance % 2 == 0,
        }
    }
}

pub(crate) struct SliceChanges {
    pub wins: Changes,
    pub losses: Changes,
}

impl SliceChanges {
    /// No changes in the panels of a process, or everything counts as changed: passes then find all
    /// that follows from what is known. `swapped` is the layout of the swapped slice.
    pub(crate) fn new(layout: &Tiling, swapped: &Tiling, process: usize, are_all: bool) -> Self {
        let new = || Changes::new(layout, swapped, process, are_all);
        Self { wins: new(), losses: new() }
    }

    pub(crate) fn any(&self) -> bool {
        self.wins.any() || self.losses.any()
    }
}

/// The changes of a slice's wins or losses. Threads add to them at the same time.
pub(crate) struct Changes {
    layout: Tiling,
    /// The panels of this process.
    own: Range<usize>,
    /// For each segment of the swapped slice, the union of the changes of its rows: the words of the
    /// panels of this process.
    columns: Vec<AtomicU64>,
    /// Whether everything counts as changed.
    are_all: bool,
}

impl Changes {
    fn new(layout: &Tiling, swapped: &Tiling, process: usize, are_all: bool) -> Self {
        let own = layout.panels_of(process);
        let len = swapped.num_segments() * layout.words_of(&own);
        let word = if are_all { u64::MAX } else { 0 };
        let columns = (0..len).map(|_| AtomicU64::new(word)).collect();
        Self { layout: *layout, own, columns, are_all }
    }

    /// Whether everything counts as changed.
    pub(crate) fn are_all(&self) -> bool {
        self.are_all
    }

    fn any(&self) -> bool {
        self.columns.iter().any(|word| word.load(Relaxed) != 0)
    }

    /// Records new bits of a word of a panel of this process, in rows that are columns of a segment
    /// of the swapped slice.
    #[inline]
    pub(crate) fn add(&self, of_swapped: usize, panel: usize, word: usize, bits: u64) {
        let offset = (panel - self.own.start) * self.layout.width + word;
        let columns = &self.columns[of_swapped * self.num_words() + offset];
        // Most bits are known soon. Reading alone leaves the cache line to other threads.
        if bits & !columns.load(Relaxed) != 0 {
            columns.fetch_or(bits, Relaxed);
        }
    }

    /// The rows of the swapped slice that have changed in one of its segments.
    pub(crate) fn rows_in(&self, of_swapped: usize) -> RowSet {
        let len = self.num_words();
        let mut columns = self.columns[of_swapped * len..(of_swapped + 1) * len].iter();
        let mut words = vec![0; self.layout.words];
        for panel in self.own.clone() {
            for (word, changed) in words[self.layout.panel(panel)].iter_mut().zip(&mut columns) {
                *word = changed.load(Relaxed);
            }
        }
        RowSet::of_cells(words.into_iter(), self.layout.cells)
    }

    fn num_words(&self) -> usize {
        self.layout.words_of(&self.own)
    }
}
