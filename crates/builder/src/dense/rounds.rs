//! Paikas, one row at a time: finds the values that follow from them.
//!
//! A paika moves a stone from an occupied point to an empty one. It leads from one row to another.
//! The positions of the first row in which the stone belongs to the side to move correspond to those
//! of the second row in which it belongs to that side at its new point. Removing the stone from both
//! gives the same sets of its other stones. As colexicographic order does not depend on a stone that
//! all sets have, the two lists have the same order: one compresses to the other's bits.
//!
//! The columns of the row that is read are the sets of the opponent of the side to move there, which
//! is the side that made the paika.

use std::sync::atomic::{
    AtomicU8,
    Ordering::{AcqRel, Relaxed, Release},
};

use fanorona_core::{Direction, PointSet};
use fanorona_tablebase::orbits::Member;

use super::images::{ImageBuffers, add_to_images};
use super::plane::Plane;
use super::select::{Combine, compress_shared, expand};
use super::state::{DenseContext, WorkingSlice, number_in};
use crate::bits::for_each_bit;
use crate::grades::Grade;
use crate::instructions::compiled;

/// A flag of [`WorkingSlice::checks`]: a paika leads to a row with new losses, so the row may have
/// new wins.
pub(super) const CHECK_WINS: u8 = 1;

/// A flag of [`WorkingSlice::checks`]: a paika leads to a row with new wins, so the row may have new
/// losses.
pub(super) const CHECK_LOSSES: u8 = 2;

/// Takes flags, and clears those of `wanted`. What set them is visible afterwards.
pub(super) fn take_checks(checks: &AtomicU8, wanted: u8) -> u8 {
    // Most rows have no flag. One that is set just now is found by the next pass.
    if checks.load(Relaxed) & wanted == 0 {
        return 0;
    }
    checks.fetch_and(!wanted, AcqRel) & wanted
}

/// Buffers that a thread uses for each of its rows.
#[derive(Default)]
pub(super) struct RoundBuffers {
    pub found: Vec<u64>,
    /// Positions without a capture, at the paikas of one stone.
    compressed: Vec<u64>,
    combined: Vec<u64>,
    forbidden: Vec<u64>,
    pub images: ImageBuffers,
}

pub(super) struct Row<'r, 's, 'a> {
    pub context: &'r DenseContext<'s, 'a>,
    pub working: &'r WorkingSlice,
    /// The slice to which paikas lead.
    pub swapped: &'r WorkingSlice,
    pub occupied: PointSet,
    pub undecided: &'r mut [u64],
}

impl Row<'_, '_, '_> {
    /// Sets `buffers.found` to the undecided positions from which a paika leads to a loss of the
    /// other side. Returns whether there are any.
    pub(super) fn find_wins(&self, buffers: &mut RoundBuffers) -> bool {
        buffers.found.clear();
        buffers.found.resize(self.undecided.len(), 0);
        if is_zero(self.undecided) {
            return false;
        }
        let words = self.context.tools.words;
        combine_paikas(words, self, &self.swapped.loss, Combine::Or, buffers);
        let mut any = 0;
        for (found, undecided) in buffers.found.iter_mut().zip(&*self.undecided) {
            *found &= undecided;
            any |= *found;
        }
        any != 0
    }

    /// Sets `buffers.found` to those of its positions from which every paika leads to a win of the
    /// other side. Returns whether there are any.
    pub(super) fn find_losses(&self, buffers: &mut RoundBuffers) -> bool {
        if is_zero(&buffers.found) {
            return false;
        }
        let words = self.context.tools.words;
        combine_paikas(words, self, &self.swapped.win, Combine::And, buffers);
        !is_zero(&buffers.found)
    }

    /// Combines `buffers.found` with the rows that paikas lead to, in the columns where they are
    /// possible. Stops early if no bit is left.
    #[inline(always)]
    fn combine_now(&self, after: &Plane, how: Combine, buffers: &mut RoundBuffers) {
        let &Self { context, occupied, .. } = self;
        let (board, columns, words) = (context.tools.board, context.columns, context.tools.words);
        let optional = context.rule.captures_are_optional();
        let RoundBuffers { found, compressed, combined, forbidden, .. } = buffers;
        // The sets with one stone in common, and words to spare.
        let length = columns.words() + 2;
        compressed.resize(length, 0);
        combined.resize(length, 0);
        for stone in occupied.iter() {
            let own = columns.containing(number_in(occupied, stone.into()));
            let is_wanted = match how {
                Combine::Or => intersects(self.undecided, own),
                Combine::And => intersects(found, own),
            };
            if !is_wanted {
                continue;
            }
            let mut is_first = true;
            for direction in Direction::ALL {
                let to = board.shift(stone.into(), direction) - occupied;
                if to.is_empty() {
                    continue;
                }
                let occupied_after = (occupied - stone) | to;
                let row = after.row(context.row_of(occupied_after));
                let own_after = columns.containing(number_in(occupied_after, to));
                if optional {
                    compress_shared(words, row, own_after, compressed);
                    let beyond = board.shift(to, direction);
                    let behind = board.shift(stone.into(), direction.opposite());
                    self.opponents_at((beyond | behind) & occupied, forbidden);
                    expand(words, compressed, own, Some(forbidden), how, found);
                } else if is_first {
                    compress_shared(words, row, own_after, combined);
                } else {
                    compress_shared(words, row, own_after, compressed);
                    let both = combined.iter_mut().zip(compressed.iter());
                    match how {
                        Combine::Or => both.for_each(|(all, bits)| *all |= bits),
                        Combine::And => both.for_each(|(all, bits)| *all &= bits),
                    }
                }
                is_first = false;
            }
            if !optional && !is_first {
                expand(words, combined, own, None, how, found);
            }
            if how == Combine::And && is_zero(found) {
                return;
            }
        }
    }

    /// Sets `at` to the columns in which the opponent holds one of some occupied points.
    fn opponents_at(&self, points: PointSet, at: &mut Vec<u64>) {
        let columns = self.context.columns;
        at.clear();
        at.resize(columns.words(), 0);
        for point in points.iter() {
            let own = columns.containing(number_in(self.occupied, point.into()));
            at.iter_mut().zip(own).for_each(|(at, own)| *at |= !own);
        }
    }

    /// Adds new wins or losses to the slice, and marks the rows that they may decide.
    pub(super) fn decide(&mut self, new: &[u64], are_wins: bool, images: &mut ImageBuffers) {
        self.undecided.iter_mut().zip(new).for_each(|(undecided, new)| *undecided &= !new);
        let plane = if are_wins { &self.working.win } else { &self.working.loss };
        add_to_images(
            self.context.tools.words,
            self.context,
            self.occupied,
            &[(new, plane)],
            images,
        );
        let flag = if are_wins { CHECK_LOSSES } else { CHECK_WINS };
        mark_predecessors(self.context.tools.words, self, flag);
    }

    /// Marks the rows from which paikas lead here.
    #[inline(always)]
    fn mark_now(&self, flag: u8) {
        let &Self { context, occupied, swapped, .. } = self;
        for to in occupied.iter() {
            for direction in Direction::ALL {
                let from = context.tools.board.shift(to.into(), direction) - occupied;
                if !from.is_empty() {
                    let Member { orbit, .. } = context.member_of((occupied - to) | from);
                    swapped.checks[orbit].fetch_or(flag, Release);
                }
            }
        }
    }
}

compiled! {
    fn combine_paikas(
        _words, row: &Row<'_, '_, '_>, after: &Plane, how: Combine, buffers: &mut RoundBuffers,
    ) {
        row.combine_now(after, how, buffers);
    }
}

compiled! {
    fn mark_predecessors(_words, row: &Row<'_, '_, '_>, flag: u8) {
        row.mark_now(flag);
    }
}

/// Sets `found` to the positions of a row with the given grade.
pub(super) fn bits_of<G: Grade>(grades: &[G], grade: G, found: &mut Vec<u64>) {
    found.clear();
    found.extend(grades.chunks(64).map(|word| {
        (0..).zip(word).fold(0, |bits, (i, found)| bits | u64::from(*found == grade) << i)
    }));
}

/// Gives some positions of a row a grade.
pub(super) fn set_grades<G: Grade>(grades: &mut [G], grade: G, columns: &[u64]) {
    for_each_bit(columns, |column| grades[column] = grade);
}

fn is_zero(bits: &[u64]) -> bool {
    bits.iter().all(|bits| *bits == 0)
}

fn intersects(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}
