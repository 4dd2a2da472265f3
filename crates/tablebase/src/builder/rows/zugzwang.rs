//! Zugzwangs by the row.
//!
//! A slice and its swapped one hold, in the same row and column, the values of the same stones with
//! either side to move, once the swapped one is laid out by the sets of the side that waits. So
//! what is a zugzwang by its values is an AND of rows.
//!
//! That neither side can capture is found from the row's own set alone, in the same way under all
//! rule sets. Let `p` be the point beside an own stone in some direction, `q` the next one, and `r`
//! the point on the stone's other side, all without an own stone. Some side can capture
//! - with an opponent at `q` and none at `p`: the own stone approaches, or the opponent does;
//! - with one at `p` and none at `q`: the opponent withdraws;
//! - with one at `r` and none at `p`: the own stone withdraws;
//!
//! and there is no other way.

use fanorona_core::{Board, Direction, Point, PointSet};
use rayon::prelude::*;

use super::columns::Columns;
use super::slices::{SolvedSlice, WorkingSlice};
use crate::builder::context::BuildContext;
use crate::error::Result;
use crate::index::SliceIndex;
use crate::slice::Slice;
use crate::stop::check_stop;
use crate::zugzwang::{Zugzwang, ZugzwangCounter, Zugzwangs};

/// A slice with the values of its positions for either side to move.
pub(super) struct ZugzwangSearch<'s, 'a> {
    pub context: BuildContext<'a>,
    pub slice: Slice,
    pub columns: &'s Columns<'a>,
    /// The values with the row's side to move.
    pub moving: &'s WorkingSlice,
    /// The values with the other side to move.
    pub waiting: &'s SolvedSlice,
}

impl ZugzwangSearch<'_, '_> {
    /// Counts the zugzwangs of the slice.
    pub(super) fn run(&self) -> Result<Zugzwangs> {
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
        Ok(counter.finish(&index))
    }

    /// The first place of a row that has some of a kind.
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

    /// Visits the words of a row that have zugzwangs, with the bits of each kind; each of the
    /// opponent's sets has one bit.
    fn for_each_word(&self, row: usize, mut visit: impl FnMut(usize, [u64; 3])) {
        let own = self.context.orbits(self.slice.own).representative(row);
        let (captures, columns) = (captures(self.context.sets.board(), own), self.columns);
        let (win, loss) = (self.moving.win.row(row), self.moving.loss.row(row));
        let (other_win, other_loss) = (self.waiting.win.row(row), self.waiting.loss.row(row));
        for (word, primary) in columns.primary().iter().enumerate() {
            let drawn = !(win[word] | loss[word]);
            let other_drawn = !(other_win[word] | other_loss[word]);
            let mut kinds = [0; 3];
            kinds[Zugzwang::WinToLoss as usize] = loss[word] & other_loss[word];
            kinds[Zugzwang::DrawToLoss as usize] = loss[word] & other_drawn;
            kinds[Zugzwang::WinToDraw as usize] = drawn & other_loss[word];

            let has = |point: Point| columns.containing(point)[word];
            let mut quiet = kinds.iter().fold(0, |all, bits| all | bits) & primary;
            own.iter().for_each(|point| quiet &= !has(point));
            for &(opponent, none) in &captures {
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

/// The pairs of points such that one side or the other can capture if the first holds an opponent
/// and the second does not.
fn captures(board: Board, own: PointSet) -> Vec<(Point, Point)> {
    let mut pairs = Vec::new();
    for stone in own.iter() {
        for direction in Direction::ALL {
            let free = |point: Option<Point>| point.filter(|point| !own.contains(*point));
            let Some(beside) = free(board.neighbour(stone, direction)) else { continue };
            if let Some(beyond) = free(board.neighbour(beside, direction)) {
                pairs.extend([(beyond, beside), (beside, beyond)]);
            }
            if let Some(behind) = free(board.neighbour(stone, direction.opposite())) {
                pairs.push((behind, beside));
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
