//! The transposition of matrices with one bit per position.
//!
//! A row is an orbit of one side's sets. A column is a set of the other side, numbered by its
//! [`Member`](fanorona_tablebase::orbits::Member): each orbit has one column for each symmetry `k`, for the
//! image of the representative under `k`. The columns of one orbit are a *cell*: 4 bits, or 8 on
//! square boards.
//!
//! Blocks of cells are transposed by recursive swaps, as bit matrices in H. S. Warren, "Hacker's
//! Delight", 2nd edition, section 7-3.

use fanorona_core::{Symmetry, SymmetryGroup};

/// A rotation of some bits of a word.
#[derive(Clone, Copy, Debug)]
struct Rotation {
    /// The mask of the bits that are rotated.
    bits: u64,
    distance: u32,
}

/// The shape of a tile, and of the matrix that its transposed tile is written to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The words of a row of the tile.
    pub from_width: usize,
    /// The row groups of the tile. Each becomes a word of the target's rows.
    pub row_groups: usize,
    /// The words of a row of the target.
    pub to_width: usize,
    /// The word of the target's rows for the first row group.
    pub to_first: usize,
}

/// Permutes the bits of cells as symmetries of the board permute sets.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    order: usize,
    /// For each symmetry, the rotations that permute a word.
    seen_through: Vec<Vec<Rotation>>,
    /// The rotations that move bit `k` of each cell to the inverse of `k`, for transposition.
    inverted: Vec<Rotation>,
    inverse: Vec<usize>,
    /// For each symmetry `g` and each bit in a cell of row `g(R)`, the same bit in the cell of row
    /// `R`.
    sources: Vec<Vec<usize>>,
}

impl Cells {
    pub(crate) fn new(group: &SymmetryGroup) -> Self {
        let order = group.order();
        let numbered = Symmetry::numbered;
        // `k`, then the inverse of `g`.
        let quotient = |g, k| numbered(g).inverse().after(numbered(k)) as usize;
        let moves = |from: &dyn Fn(usize) -> usize| {
            let mut rotations: Vec<Rotation> = Vec::new();
            for to in 0..order {
                let distance = (to as i32 - from(to) as i32).rem_euclid(64) as u32;
                let bits =
                    (0..64).step_by(order).fold(0, |bits, cell| bits | 1 << (cell + from(to)));
                match rotations.iter_mut().find(|known| known.distance == distance) {
                    Some(known) => known.bits |= bits,
                    None => rotations.push(Rotation { bits, distance }),
                }
            }
            rotations
        };
        let seen_through = (0..order).map(|g| moves(&|k| quotient(g, k))).collect();
        let inverse: Vec<_> = (0..order).map(|k| numbered(k).inverse() as usize).collect();
        let inverted = moves(&|k| inverse[k]);
        let sources = (0..order).map(|g| (0..order).map(|k| quotient(g, k)).collect()).collect();
        Self { order, seen_through, inverted, inverse, sources }
    }

    /// The row of the set `g(R)`, from the row of `R`: column `Y` of the former is column `g⁻¹(Y)`
    /// of the latter. Works on any whole words of a row.
    pub(crate) fn see_through<'r>(
        &self,
        g: Symmetry,
        row: &'r [u64],
        buffer: &'r mut Vec<u64>,
    ) -> &'r [u64] {
        if g == Symmetry::Identity {
            return row;
        }
        buffer.clear();
        // The compiler vectorizes these loops if the number of rotations is constant.
        match *self.seen_through[g as usize].as_slice() {
            [a, b] => buffer.extend(row.iter().map(|word| apply(&[a, b], *word))),
            [a, b, c, d] => buffer.extend(row.iter().map(|word| apply(&[a, b, c, d], *word))),
            ref all => buffer.extend(row.iter().map(|word| apply(all, *word))),
        }
        buffer
    }

    /// The column in the row of `R` that equals a column in the row of `g(R)`.
    #[inline]
    pub(crate) fn source(&self, g: Symmetry, column: usize) -> usize {
        column / self.order * self.order + self.sources[g as usize][column % self.order]
    }

    /// The index in a cell to which transposition moves index `k`.
    pub(crate) fn inverse(&self, k: usize) -> usize {
        self.inverse[k]
    }

    pub(crate) fn per_word(&self) -> usize {
        64 / self.order
    }

    /// Transposes the words `wanted` of each row of a tile. `word(i)` is word `i` of the tile, row by
    /// row. Each becomes a row group of `to`, and each row group a word.
    pub(crate) fn transpose_tile(
        &self,
        shape: Shape,
        wanted: &[usize],
        word: impl Fn(usize) -> u64,
        to: &mut [u64],
    ) {
        let cells = self.per_word();
        let Shape { from_width, row_groups, to_width, to_first } = shape;
        let mut block = [0u64; 16];
        // A cache line of each row at a time.
        for columns in wanted.chunk_by(|a, b| a / 8 == b / 8) {
            for row_group in 0..row_groups {
                for &column in columns {
                    for (i, block) in block[..cells].iter_mut().enumerate() {
                        *block = word((row_group * cells + i) * from_width + column);
                    }
                    self.transpose_block(&mut block);
                    for (j, block) in block[..cells].iter().enumerate() {
                        to[(column * cells + j) * to_width + to_first + row_group] = *block;
                    }
                }
            }
        }
    }

    /// Transposes a square of cells: cell `j` of word `i` becomes cell `i` of word `j`.
    #[inline]
    fn transpose_block(&self, block: &mut [u64; 16]) {
        // The compiler unrolls and vectorizes these loops if the number of cells is constant.
        match self.order {
            4 => swap_cells::<16>(block),
            _ => swap_cells::<8>(block.first_chunk_mut().expect("16 words")),
        }
        if self.inverted.len() > 1 {
            block.iter_mut().for_each(|word| *word = apply(&self.inverted, *word));
        }
    }
}

/// Cell `j` of word `i` becomes cell `i` of word `j`.
#[inline]
fn swap_cells<const CELLS: usize>(block: &mut [u64; CELLS]) {
    let order = 64 / CELLS;
    let mut distance = CELLS / 2;
    // The bits in the lower half of each pair of fields of `width` bits.
    let mut mask: u64 = 0xffff_ffff;
    while distance > 0 {
        let width = distance * order;
        for pair in 0..CELLS / 2 {
            let i = pair / distance * 2 * distance + pair % distance;
            let (low, high) = (block[i], block[i + distance]);
            let swap = ((low >> width) ^ high) & mask;
            block[i] = low ^ (swap << width);
            block[i + distance] = high ^ swap;
        }
        distance /= 2;
        mask ^= mask << (width / 2);
    }
}

#[inline]
fn apply(rotations: &[Rotation], word: u64) -> u64 {
    rotations
        .iter()
        .fold(0, |moved, &Rotation { bits, distance }| moved | (word & bits).rotate_left(distance))
}
