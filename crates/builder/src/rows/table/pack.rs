//! Packing rows without distances: from the order of columns into the order of the index, and into
//! bytes, whole words of positions at a time.
//!
//! The index has the sets of the opponent in colexicographic order, without those that overlap the
//! own set. So the bits of stored positions are put to the ranks of their sets, and then packed
//! under the mask of the sets that do not overlap. Most positions have a capture and are not
//! stored. So few bits are moved one by one.

use std::ops::Range;

use rayon::prelude::*;

use crate::bits::{low, or_run};
use crate::instructions::Instructions;
use crate::rows::kernel::spread::{pack_under, words};
use crate::rows::kernel::{ColexOrder, LEAF, Mask, SliceContext, captures};

/// Which positions are stored, wins, and losses.
const PLANES: usize = 3;

/// The stored values of some rows, as bits in the order of the index.
pub(crate) struct BitRows {
    /// The index of the first position.
    first: u64,
    /// The positions of a row.
    columns: u64,
    /// The words of a row of a plane.
    words: usize,
    /// The planes of each row.
    data: Vec<u64>,
}

/// Memory that a thread uses for one row after the other.
#[derive(Default)]
struct PackBuffers {
    open: Vec<u64>,
    free: [Vec<u64>; 2],
    /// The bits at the ranks of their sets.
    by_rank: Vec<[u64; PLANES]>,
    mask: Mask,
}

impl BitRows {
    /// Computes what [`new`](Self::new) needs. Must not be called from a parallel section.
    pub(crate) fn prepare(context: &SliceContext<'_, '_>) {
        let opponent = context.slice.opponent;
        for stones in 1..=opponent.min(LEAF as u8) {
            context.find_columns(stones);
        }
        let columns = context.find_columns(opponent);
        if columns.count() as u64 <= context.build.sizes.ranked {
            columns.prepare_ranks();
        }
    }

    /// Takes the won and lost positions of some rows. If not `all` positions are stored, only those
    /// without a capture are.
    pub(crate) fn new(
        context: &SliceContext<'_, '_>,
        rows: Range<usize>,
        all: bool,
        [win, loss]: [Vec<u64>; 2],
    ) -> Self {
        let columns = context.index().columns();
        let (from, words) = (context.opponents().words(), words(columns as usize));
        let mut data = vec![0; rows.len() * PLANES * words];
        let of_rows = data.par_chunks_mut(PLANES * words).zip(rows.clone());
        let values = win.par_chunks(from).zip(loss.par_chunks(from));
        of_rows.zip(values).for_each_init(PackBuffers::default, |buffers, ((to, row), values)| {
            pack_row(context, row, values, all, to, buffers);
        });
        Self { first: rows.start as u64 * columns, columns, words, data }
    }

    /// The bytes of a block, as [`Packing::Two`](fanorona_tablebase::format::Packing::Two) packs them.
    pub(crate) fn pack(&self, values: Range<u64>) -> Vec<u8> {
        let count = (values.end - values.start) as usize;
        let mut planes = [0; PLANES].map(|_| vec![0u64; words(count)]);
        let mut done = 0;
        while done < count {
            let at = values.start + done as u64 - self.first;
            let (row, column) = ((at / self.columns) as usize, (at % self.columns) as usize);
            let some = (self.columns as usize - column).min(count - done);
            let from = self.data[row * PLANES * self.words..].chunks(self.words);
            for (to, from) in planes.iter_mut().zip(from) {
                or_run(to, done, from, column, some);
            }
            done += some;
        }
        let [stored, win, loss] = planes;
        let begin = stored.iter().position(|word| *word != 0).map_or((0, 0), |word| {
            let at = stored[word].trailing_zeros();
            (win[word] >> at & 1, loss[word] >> at & 1)
        });
        // The value before a word, in all bits.
        let mut before = (begin.0.wrapping_neg(), begin.1.wrapping_neg());
        let mut bytes = Vec::with_capacity(16 * stored.len());
        for i in 0..count.div_ceil(64) {
            let (win, loss) = repeat_values(stored[i], win[i], loss[i], before);
            before = ((win >> 63).wrapping_neg(), (loss >> 63).wrapping_neg());
            let here = low(count - 64 * i);
            let (win, loss) = (win & here, loss & here);
            for half in [0, 32] {
                let pairs = spread(loss >> half) | spread(win >> half) << 1;
                bytes.extend_from_slice(&pairs.to_le_bytes());
            }
        }
        bytes.truncate(count.div_ceil(4));
        bytes
    }
}

/// Sets the planes of a row in the order of the index.
fn pack_row(
    context: &SliceContext<'_, '_>,
    row: usize,
    (win, loss): (&[u64], &[u64]),
    all: bool,
    to: &mut [u64],
    buffers: &mut PackBuffers,
) {
    let PackBuffers { open, free, by_rank, mask } = buffers;
    let (columns, own) = (context.opponents(), context.own.representative(row));
    if all {
        columns.avoiding(own, open);
    } else {
        open.resize(columns.words(), 0);
        captures::find_quiet(context, own, open, free);
    }
    let opponent = context.slice.opponent;
    let masks = |stones| context.columns(stones).leaf_masks();
    let order = ColexOrder::new(context.board.num_points(), opponent, masks);
    by_rank.clear();
    by_rank.resize(words(order.count(opponent)), [0; PLANES]);
    for (i, (open, primary)) in open.iter().zip(columns.primary()).enumerate() {
        // Closed positions that are drawn have both bits.
        let (win, loss) = (win[i] & !loss[i], loss[i] & !win[i]);
        columns.for_each_rank(i, open & primary, |from, rank| {
            let [stored, to_win, to_loss] = &mut by_rank[rank / 64];
            *stored |= 1 << (rank % 64);
            *to_win |= (win >> from & 1) << (rank % 64);
            *to_loss |= (loss >> from & 1) << (rank % 64);
        });
    }
    order.avoiding(opponent, own, mask);
    let (stored, values) = to.split_at_mut(to.len() / PLANES);
    let (win, loss) = values.split_at_mut(stored.len());
    pack_under(Instructions::detect(), by_rank, &mask.bits, &mut [stored, win, loss]);
}

/// The values of a word's positions, where each one that is not stored has the value of the last one
/// before it that is. `before` has the value before the word, in all bits.
fn repeat_values(stored: u64, mut win: u64, mut loss: u64, before: (u64, u64)) -> (u64, u64) {
    let mut known = stored;
    for distance in [1, 2, 4, 8, 16, 32] {
        let new = known << distance & !known;
        win |= win << distance & new;
        loss |= loss << distance & new;
        known |= new;
    }
    (win | before.0 & !known, loss | before.1 & !known)
}

/// The lowest 32 bits of a word at even places.
fn spread(word: u64) -> u64 {
    let mut spread = word & 0xffff_ffff;
    for (distance, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        spread = (spread | spread << distance) & mask;
    }
    spread
}
