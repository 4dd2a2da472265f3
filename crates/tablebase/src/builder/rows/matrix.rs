//! Matrices of bits, a position a bit, and their transposition.
//!
//! A row is an orbit of one side's sets, a column a set of the other side's: `order` columns an
//! orbit, one for each symmetry `k`, meaning `k` applied to the orbit's representative. The group
//! of columns of one orbit is a *cell*, a nibble on most boards and a byte on square ones.

use std::ops::Range;

use fanorona_core::SymmetryGroup;
use rayon::prelude::*;

/// Rows that are worked on together: those whose cells fill a word of the transposed matrix.
pub(super) fn rows_per_word(group: &SymmetryGroup) -> usize {
    64 / group.order()
}

/// Rows of bits, each in whole words.
#[derive(Debug)]
pub(super) struct BitMatrix {
    words: usize,
    data: Vec<u64>,
}

impl BitMatrix {
    /// All bits zero. Rows are as many as cells fill whole words in the transposed matrix, and one
    /// matrix more of them costs nothing until it is written to.
    pub(super) fn new(rows: usize, columns: usize, group: &SymmetryGroup) -> Self {
        let words = columns.div_ceil(64);
        let rows = rows.next_multiple_of(rows_per_word(group));
        Self { words, data: vec![0; rows * words] }
    }

    /// Words in a row.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.data[row * self.words..][..self.words]
    }

    /// One bit.
    #[inline]
    pub(super) fn bit(&self, row: usize, column: usize) -> bool {
        self.row(row)[column / 64] >> (column % 64) & 1 != 0
    }

    /// The first so many rows, one behind the other.
    pub(super) fn rows(&self, rows: usize) -> &[u64] {
        &self.data[..rows * self.words]
    }

    /// Some rows, one behind the other.
    pub(super) fn rows_mut(&mut self, rows: Range<usize>) -> &mut [u64] {
        &mut self.data[rows.start * self.words..rows.end * self.words]
    }

    /// Groups of so many rows, one after the other.
    pub(super) fn par_groups_mut(&mut self, rows: usize) -> rayon::slice::ChunksMut<'_, u64> {
        self.data.par_chunks_mut(rows * self.words)
    }
}

/// Moves the bits of cells as symmetries of the columns' board move their sets.
#[derive(Debug)]
pub(super) struct Cells {
    order: usize,
    /// For each symmetry, which bits of a word are rotated how far to the left.
    seen_through: Vec<Vec<(u64, u32)>>,
    /// What transposing does to the bits of a cell: `k` becomes its inverse.
    inverted: Vec<(u64, u32)>,
    inverse: Vec<usize>,
    /// For each symmetry, the place in a cell of `R` that a place in a cell of `g(R)` shows.
    sources: Vec<Vec<usize>>,
}

impl Cells {
    pub(super) fn new(group: &SymmetryGroup) -> Self {
        let order = group.order();
        // What does `k` first, then undoes `g`.
        let quotient = |g, k| group.product(group.inverse(g), k);
        let moves = |from: &dyn Fn(usize) -> usize| {
            let mut terms: Vec<(u64, u32)> = Vec::new();
            for to in 0..order {
                let shift = (to as i32 - from(to) as i32).rem_euclid(64) as u32;
                let bits =
                    (0..64).step_by(order).fold(0, |bits, cell| bits | 1 << (cell + from(to)));
                match terms.iter_mut().find(|(_, known)| *known == shift) {
                    Some((mask, _)) => *mask |= bits,
                    None => terms.push((bits, shift)),
                }
            }
            terms
        };
        let seen_through = (0..order).map(|g| moves(&|k| quotient(g, k))).collect();
        let inverse: Vec<_> = (0..order).map(|k| group.inverse(k)).collect();
        let inverted = moves(&|k| inverse[k]);
        let sources = (0..order).map(|g| (0..order).map(|k| quotient(g, k)).collect()).collect();
        Self { order, seen_through, inverted, inverse, sources }
    }

    /// A row of the set `g(R)`, from the row of `R`: column `Y` of the former is column `g⁻¹(Y)`
    /// of the latter. Any whole words of a row will do.
    pub(super) fn see_through<'r>(
        &self,
        g: usize,
        row: &'r [u64],
        buffer: &'r mut Vec<u64>,
    ) -> &'r [u64] {
        if g == 0 {
            return row;
        }
        buffer.clear();
        // With the number of terms known, the compiler makes vector instructions of a pass.
        match *self.seen_through[g].as_slice() {
            [a, b] => buffer.extend(row.iter().map(|word| apply(&[a, b], *word))),
            [a, b, c, d] => buffer.extend(row.iter().map(|word| apply(&[a, b, c, d], *word))),
            ref terms => buffer.extend(row.iter().map(|word| apply(terms, *word))),
        }
        buffer
    }

    /// The column in the row of `R` that shows what a column in the row of `g(R)` is.
    #[inline]
    pub(super) fn source(&self, g: usize, column: usize) -> usize {
        column / self.order * self.order + self.sources[g][column % self.order]
    }

    /// Where the entry `k` of a cell goes when matrices are transposed.
    pub(super) fn inverse(&self, k: usize) -> usize {
        self.inverse[k]
    }

    /// Writes the transposed matrix of `from` into `to`, for the groups of
    /// [`rows_per_word`] rows that are `dirty`, and returns which rows of `to` changed.
    pub(super) fn transpose(
        &self,
        from: &BitMatrix,
        dirty: &[bool],
        to: &mut BitMatrix,
    ) -> Vec<bool> {
        let cells = 64 / self.order;
        // A cache line of each row of `from` is a band of eight words of cells.
        const BAND: usize = 8;
        let words = to.words;
        let bands: Vec<Vec<bool>> = to
            .par_groups_mut(BAND * cells)
            .enumerate()
            .map(|(band, rows)| {
                let mut changed = vec![false; rows.len() / words];
                let mut block = [0u64; 16];
                for group in (0..dirty.len()).filter(|group| dirty[*group]) {
                    for column in 0..(rows.len() / words / cells) {
                        let from_word = band * BAND + column;
                        for (i, word) in block[..cells].iter_mut().enumerate() {
                            *word = from.data[(group * cells + i) * from.words + from_word];
                        }
                        self.transpose_block(&mut block);
                        for (j, word) in block[..cells].iter().enumerate() {
                            let row = column * cells + j;
                            let place = &mut rows[row * words + group];
                            if *place != *word {
                                *place = *word;
                                changed[row] = true;
                            }
                        }
                    }
                }
                changed
            })
            .collect();
        bands.concat()
    }

    /// Transposes a square of cells: cell `j` of word `i` becomes cell `i` of word `j`.
    #[inline]
    fn transpose_block(&self, block: &mut [u64; 16]) {
        let cells = 64 / self.order;
        let block = &mut block[..cells];
        let mut width = 32;
        // The bits in the lower half of each pair of fields of `width` bits.
        let mut mask: u64 = 0xffff_ffff;
        while width >= self.order {
            let distance = width / self.order;
            for i in (0..cells).filter(|i| i & distance == 0) {
                let (low, high) = (block[i], block[i + distance]);
                let swap = ((low >> width) ^ high) & mask;
                block[i] = low ^ (swap << width);
                block[i + distance] = high ^ swap;
            }
            width /= 2;
            mask ^= mask << width;
        }
        if self.inverted.len() > 1 {
            block.iter_mut().for_each(|word| *word = apply(&self.inverted, *word));
        }
    }
}

#[inline]
fn apply(terms: &[(u64, u32)], word: u64) -> u64 {
    terms.iter().fold(0, |moved, &(mask, shift)| moved | (word & mask).rotate_left(shift))
}
