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
    /// The wins and losses of the current stripe, if they are not kept.
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
    /// All rows. Nothing has changed since the last pass.
    All,
    /// All rows.
    AllAfter(StripeChanges<'c>),
    /// The rows that have changed.
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
                let to = self.stripe.entry(key.wins).or_default();
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

    /// Frees the matrix of the current stripe.
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
