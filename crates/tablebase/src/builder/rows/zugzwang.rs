//! Counting zugzwangs, one row at a time.
//!
//! A slice and the transposed matrices of its swapped slice have the values of the same stones,
//! with either side to move, at the same row and column. So the candidates, by their values, are an
//! AND of rows.
//!
//! Whether some side can capture depends on pairs of points that follow from the own set, in the
//! same way under all rule sets. Let `p` be the neighbour of an own stone in some direction, `q`
//! the next point, and `r` the neighbour in the opposite direction, each without an own stone. Some
//! side can capture if
//! - `q` holds an opponent and `p` does not: the own stone approaches, or the opponent does;
//! - `p` holds an opponent and `q` does not: the opponent withdraws;
//! - `r` holds an opponent and `p` does not: the own stone withdraws.
//!
//! These are all cases.

use std::ops::Range;

use fanorona_core::{Board, Direction, Point, PointSet};
use rayon::prelude::*;

use super::columns::Columns;
use super::matrix::BitMatrix;
use super::slices::WorkingSlice;
use crate::builder::context::BuildContext;
use crate::error::Result;
use crate::index::SliceIndex;
use crate::slice::Slice;
use crate::stop::check_stop;
use crate::zugzwang::{Zugzwang, ZugzwangCounter};

/// A stripe of a slice with the values of its positions for either side to move.
pub(super) struct ZugzwangSearch<'s, 'a> {
    pub context: BuildContext<'a>,
    pub slice: Slice,
    pub columns: &'s Columns<'a>,
    /// The values with the side of the row's own set to move.
    pub moving: &'s WorkingSlice,
    /// The words of each row that are searched.
    pub stripe: Range<usize>,
    /// The wins of the stripe with the other side to move.
    pub other_win: &'s BitMatrix,
    /// Its losses with the other side to move.
    pub other_loss: &'s BitMatrix,
}

impl ZugzwangSearch<'_, '_> {
    /// Counts the zugzwangs of the stripe.
    pub(super) fn run(&self) -> Result<ZugzwangCounter> {
        let index = self.context.index(self.slice);
        let own = self.context.orbits(self.slice.own);
        let counts = (0..own.count())
            .into_par_iter()
            .map(|row| {
                check_stop(self.context.stop)?;
                let mut counts = [0u64; 3];
                self.for_each_word(row, |_, kinds| {
                    for (count, bits) in counts.iter_mut().zip(kinds) {
                        *count += u64::from(bits.count_ones());
                    }
                });
                Ok(counts)
            })
            .collect::<Result<Vec<_>>>()?;
        let mut counter = ZugzwangCounter::default();
        for kind in Zugzwang::ALL {
            let with = counts.iter().map(|counts| counts[kind as usize]).enumerate();
            let mut with = with.filter(|(_, count)| *count > 0).peekable();
            let Some((row, _)) = with.peek() else { continue };
            let place = self.first_in_row(&index, *row, kind);
            let positions = with.map(|(row, count)| count * u64::from(own.size(row))).sum();
            counter.add(kind, positions, place);
        }
        Ok(counter)
    }

    /// The lowest index of a zugzwang of a kind in a row that has some.
    fn first_in_row(&self, index: &SliceIndex<'_>, row: usize, kind: Zugzwang) -> u64 {
        let own = self.context.orbits(self.slice.own).representative(row);
        let mut first = u64::MAX;
        self.for_each_word(row, |word, kinds| {
            let mut bits = kinds[kind as usize];
            while bits != 0 {
                let column = 64 * word + bits.trailing_zeros() as usize;
                first = first.min(index.index(own, self.columns.set(column)));
                bits &= bits - 1;
            }
        });
        first
    }

    /// Visits the words of a row that have zugzwangs, with the bits of each kind. Each set of the
    /// opponent has one bit.
    fn for_each_word(&self, row: usize, mut visit: impl FnMut(usize, [u64; 3])) {
        let own = self.context.orbits(self.slice.own).representative(row);
        let (captures, columns) = (captures(self.context.sets.board(), own), self.columns);
        let words = self.stripe.clone();
        let [win, loss] = [&self.moving.win, &self.moving.loss];
        let [win, loss] = [win, loss].map(|matrix| &matrix.row(row)[words.clone()]);
        let [other_win, other_loss] = [self.other_win, self.other_loss].map(|m| m.row(row));
        for (i, word) in words.enumerate() {
            let drawn = !(win[i] | loss[i]);
            let other_drawn = !(other_win[i] | other_loss[i]);
            let mut kinds = [0; 3];
            kinds[Zugzwang::WinToLoss as usize] = loss[i] & other_loss[i];
            kinds[Zugzwang::DrawToLoss as usize] = loss[i] & other_drawn;
            kinds[Zugzwang::WinToDraw as usize] = drawn & other_loss[i];

            let primary = columns.primary()[word];
            let has = |point: Point| columns.containing(point)[word];
            let mut quiet = kinds.iter().fold(0, |all, bits| all | bits) & primary;
            own.iter().for_each(|point| quiet &= !has(point));
            for &CapturePoints { opponent, none } in &captures {
                if quiet == 0 {
                    break;
                }
                quiet &= !has(opponent) | has(none);
            }
            if quiet != 0 {
                visit(word, kinds.map(|bits| bits & quiet));
            }
        }
    }
}

/// Two points such that some side can capture if `opponent` holds an opponent and `none` does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CapturePoints {
    opponent: Point,
    none: Point,
}

/// All such pairs for an own set.
fn captures(board: Board, own: PointSet) -> Vec<CapturePoints> {
    let mut pairs = Vec::new();
    for stone in own.iter() {
        for direction in Direction::ALL {
            let free = |point: Option<Point>| point.filter(|point| !own.contains(*point));
            let Some(beside) = free(board.neighbour(stone, direction)) else { continue };
            if let Some(beyond) = free(board.neighbour(beside, direction)) {
                pairs.push(CapturePoints { opponent: beyond, none: beside });
                pairs.push(CapturePoints { opponent: beside, none: beyond });
            }
            if let Some(behind) = free(board.neighbour(stone, direction.opposite())) {
                pairs.push(CapturePoints { opponent: behind, none: beside });
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
