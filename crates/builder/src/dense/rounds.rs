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
use super::select::{Combine, compress, expand};
use super::state::{DenseContext, WorkingSlice, number_in};
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
    images: ImageBuffers,
}

pub(super) struct Row<'r, 's, 'a> {
    pub context: &'r DenseContext<'s, 'a>,
    pub working: &'r WorkingSlice,
    /// The slice to which paikas lead.
    pub swapped: &'r WorkingSlice,
    pub orbit: usize,
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

    /// Adds `buffers.found`, which are wins or losses, to the slice, and marks the rows that they may
    /// decide.
    pub(super) fn decide(&mut self, are_wins: bool, buffers: &mut RoundBuffers) {
        let RoundBuffers { found: new, images, .. } = buffers;
        self.undecided.iter_mut().zip(&*new).for_each(|(undecided, new)| *undecided &= !new);
        let plane = if are_wins { &self.working.win } else { &self.working.loss };
        let (words, flag) =
            (self.context.tools.words, if are_wins { CHECK_LOSSES } else { CHECK_WINS });
        add_to_images(words, self.context, self.occupied, &[(&new[..], plane)], images);
        mark_predecessors(words, self, flag);
    }
}

compiled! {
    /// Combines `buffers.found` with the rows that paikas lead to, in the columns where they are
    /// possible. Stops early if no bit is left.
    fn combine_paikas(
        _words, row: &Row<'_, '_, '_>, after: &Plane, how: Combine, buffers: &mut RoundBuffers,
    ) {
        let &Row { context, occupied, .. } = row;
        let (board, columns, words) = (context.tools.board, context.columns, context.tools.words);
        let optional = context.rule.captures_are_optional();
        let RoundBuffers { found, compressed, combined, forbidden, .. } = buffers;
        // The sets with one stone in common, and words to spare.
        let length = columns.words() + 2;
        compressed.resize(length, 0);
        combined.resize(length, 0);
        for stone in occupied.iter() {
            let own = columns.containing(number_in(occupied, stone.into()));
            let wanted = if how == Combine::Or { &*row.undecided } else { &found[..] };
            if wanted.iter().zip(own).all(|(wanted, own)| wanted & own == 0) {
                continue;
            }
            let mut is_first = true;
            for direction in Direction::ALL {
                let to = board.shift(stone.into(), direction) - occupied;
                if to.is_empty() {
                    continue;
                }
                let occupied_after = (occupied - stone) | to;
                let row_after = after.row(context.row_of(occupied_after));
                let bits = row_after.iter().map(|word| word.load(Relaxed));
                let own_after = columns.containing(number_in(occupied_after, to));
                if optional {
                    compress(words, bits, own_after, compressed);
                    let beyond = board.shift(to, direction);
                    let behind = board.shift(stone.into(), direction.opposite());
                    row.opponents_at((beyond | behind) & occupied, forbidden);
                    expand(words, compressed, own, Some(forbidden), how, found);
                } else if is_first {
                    compress(words, bits, own_after, combined);
                } else {
                    compress(words, bits, own_after, compressed);
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
}

compiled! {
    /// Marks the rows from which paikas lead to a row.
    fn mark_predecessors(_words, row: &Row<'_, '_, '_>, flag: u8) {
        let &Row { context, occupied, swapped, .. } = row;
        for to in occupied.iter() {
            for direction in Direction::ALL {
                let from = context.tools.board.shift(to.into(), direction) - occupied;
                if !from.is_empty() {
                    let before = (occupied - to) | from;
                    let Member { orbit, .. } = context.tools.member_of(context.rows, before);
                    swapped.checks[orbit].fetch_or(flag, Release);
                }
            }
        }
    }
}

fn is_zero(bits: &[u64]) -> bool {
    bits.iter().all(|bits| *bits == 0)
}
