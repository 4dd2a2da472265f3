//! Captures, one row at a time.
//!
//! Fix the occupied points and the path of a capturing stone. Which points are empty is known, and
//! so is which points a line can reach. The columns decide who owns the stones: the stone moves if
//! its point belongs to the own set. A line of a certain length is captured if its points do not
//! belong to the own set, and the next point of the line, if occupied, does. So one walk over all
//! paths finds the captures of all own sets at the same time, as masks of columns.
//!
//! A capture leads to another set of occupied points, in a smaller slice. Each of the columns is
//! looked up there.

use fanorona_core::{Chain, Direction, Point, PointSet};
use fanorona_tablebase::orbits::Member;

use super::images::{ImageBuffers, PointMap};
use super::state::{DenseContext, number_in};
use super::turn_ends::{TurnEnd, TurnEnds};
use crate::bits::{for_each_bit, has};
use crate::directions::DirectionsLeft;
use crate::grade_rows::with_grades;
use crate::grades::Grade;
use crate::instructions::compiled;
use crate::solved::SolvedSlice;

/// The positions of a row by the outcome of their captures. All columns are own sets.
#[derive(Default)]
pub(super) struct DenseRow {
    /// Positions that are won, if the build has no distances.
    pub win: Vec<u64>,
    /// Positions that are lost, if the build has no distances.
    pub loss: Vec<u64>,
    /// Positions that paikas can decide.
    pub undecided: Vec<u64>,
    /// Positions with a capture that draws, if the build has no distances.
    pub drawn: Vec<u64>,
}

/// Buffers that a thread uses for each of its rows.
#[derive(Default)]
pub(super) struct WalkBuffers {
    pub row: DenseRow,
    capture: Vec<u64>,
    /// Positions with a step to an empty point.
    movable: Vec<u64>,
    /// For each length of a path, the columns in which it is possible, and a buffer.
    masks: Vec<[Vec<u64>; 2]>,
    /// The columns in which a turn ends.
    ends: Vec<u64>,
    later: TurnEnds,
    map: PointMap,
    pub images: ImageBuffers,
}

/// The path of a capturing stone so far.
#[derive(Clone, Copy)]
struct CapturePath {
    /// The turn, if it ends here.
    end: TurnEnd,
    visited: PointSet,
    directions: DirectionsLeft,
    length: usize,
}

compiled! {
    /// Decides a row by captures. `grades`, if the build has distances, are set to those of the best
    /// captures.
    pub(super) fn decide<G: Grade>(
        _words,
        context: &DenseContext<'_, '_>,
        occupied: PointSet,
        grades: Option<&mut [G]>,
        buffers: &mut WalkBuffers,
    ) {
        let (columns, words) = (context.columns, context.columns.words());
        let DenseRow { win, loss, undecided, drawn } = &mut buffers.row;
        for bits in [win, loss, drawn, &mut buffers.capture, &mut buffers.movable] {
            bits.clear();
            bits.resize(words, 0);
        }
        undecided.clear();
        undecided.extend(columns.all());
        let containing = |point| columns.containing(number_in(occupied, point));
        let mut walk = CaptureWalk { context, occupied, grades, buffers };
        for stone in occupied.iter().map(PointSet::from) {
            walk.mask(0).clone_from_slice(containing(stone));
            let (captured, own) = (PointSet::EMPTY, PointSet::EMPTY);
            let end = TurnEnd { from: stone, at: stone, captured, own };
            let directions = DirectionsLeft::ALL;
            let path = CapturePath { end, visited: stone, directions, length: 0 };
            extend(context.tools.words, &mut walk, &path);
        }
        let grades = walk.grades;
        let WalkBuffers { row, capture, movable, later, .. } = buffers;
        let DenseRow { win, loss, undecided, drawn } = row;
        later.take_over(context, occupied, [win, drawn]);
        for stone in occupied.iter().map(PointSet::from) {
            let own = containing(stone);
            let step = |direction| context.tools.board.shift(stone, direction) - occupied;
            if Direction::ALL.into_iter().any(|direction| !step(direction).is_empty()) {
                movable.iter_mut().zip(own).for_each(|(bits, own)| *bits |= own);
            }
            let targets = context.targets(stone, occupied, DirectionsLeft::ALL) & occupied;
            for target in targets.iter() {
                let target = containing(target.into());
                for (bits, (own, target)) in capture.iter_mut().zip(own.iter().zip(target)) {
                    *bits |= own & !target;
                }
            }
        }
        let (optional, has_grades) = (context.rule.captures_are_optional(), grades.is_some());
        let mut blocked = Vec::new();
        for i in 0..words {
            if !optional && !has_grades {
                loss[i] = capture[i] & !win[i] & !drawn[i];
            }
            if context.rule.blocked_is_drawn {
                blocked.push(undecided[i] & !movable[i]);
                undecided[i] &= movable[i];
            }
            undecided[i] &= if optional { !win[i] } else { !capture[i] };
        }
        if let Some(grades) = grades {
            for_each_bit(&blocked, |column| grades[column] = G::DRAW);
        }
    }
}

/// A depth-first walk over all ways to capture.
struct CaptureWalk<'w, 'g, 's, 'a, G> {
    context: &'w DenseContext<'s, 'a>,
    occupied: PointSet,
    grades: Option<&'g mut [G]>,
    buffers: &'w mut WalkBuffers,
}

compiled! {
    /// Tries every next capturing step of the stone.
    fn extend<G: Grade>(_words, walk: &mut CaptureWalk<'_, '_, '_, '_, G>, path: &CapturePath) {
        let (board, TurnEnd { from, at, captured, .. }) = (walk.context.tools.board, path.end);
        let stones = walk.occupied - (from | captured);
        for direction in Direction::ALL.into_iter().filter(|next| path.directions.has(*next)) {
            let to = board.shift(at, direction) - (stones | path.visited);
            if !to.is_empty() {
                walk.capture_line(path, stones, direction, to, (to, direction));
                walk.capture_line(path, stones, direction, to, (at, direction.opposite()));
            }
        }
    }
}

impl<G: Grade> CaptureWalk<'_, '_, '_, '_, G> {
    #[inline(always)]
    fn mask(&mut self, length: usize) -> &mut [u64] {
        let words = self.context.columns.words();
        while self.buffers.masks.len() <= length {
            self.buffers.masks.push(Default::default());
        }
        let mask = &mut self.buffers.masks[length][0];
        mask.resize(words, 0);
        mask
    }

    #[inline(always)]
    fn containing(&self, point: PointSet) -> &[u64] {
        self.context.columns.containing(number_in(self.occupied, point))
    }

    /// Tries every length of a captured line.
    #[inline(always)]
    fn capture_line(
        &mut self,
        path: &CapturePath,
        stones: PointSet,
        direction: Direction,
        to: PointSet,
        (start, line): (PointSet, Direction),
    ) {
        let board = self.context.tools.board;
        let mut next = board.shift(start, line) & stones;
        if next.is_empty() {
            return;
        }
        self.mask(path.length + 1);
        let mut all = std::mem::take(&mut self.buffers.masks[path.length][1]);
        let mut ends = std::mem::take(&mut self.buffers.masks[path.length + 1][0]);
        all.clone_from(&self.buffers.masks[path.length][0]);
        if self.grades.is_none() {
            // Won positions need no other capture.
            all.iter_mut().zip(&self.buffers.row.win).for_each(|(all, win)| *all &= !win);
        }
        let mut captured = path.end.captured;
        loop {
            let (mut any_end, mut any_left) = (0, 0);
            if next.is_empty() {
                ends.copy_from_slice(&all);
                any_end = all.iter().fold(0, |any, bits| any | bits);
            } else {
                // The next stone is captured, too, in the columns in which it is not an own one.
                let own = self.containing(next);
                for ((all, end), own) in all.iter_mut().zip(&mut ends).zip(own) {
                    *end = *all & own;
                    *all &= !own;
                    any_end |= *end;
                    any_left |= *all;
                }
            }
            if captured != path.end.captured && any_end != 0 {
                self.buffers.masks[path.length + 1][0] = ends;
                let own = path.end.own | next;
                self.arrive(&CapturePath {
                    end: TurnEnd { at: to, captured, own, ..path.end },
                    visited: path.visited | to,
                    directions: path.directions.after(direction, &self.context.rule.turn),
                    length: path.length + 1,
                });
                ends = std::mem::take(&mut self.buffers.masks[path.length + 1][0]);
            }
            if next.is_empty() || any_left == 0 {
                break;
            }
            captured |= next;
            next = board.shift(next, line) & stones;
        }
        self.buffers.masks[path.length][1] = all;
        self.buffers.masks[path.length + 1][0] = ends;
    }

    #[inline(always)]
    fn arrive(&mut self, path: &CapturePath) {
        let WalkBuffers { masks, row, .. } = &mut *self.buffers;
        let mask = &mut masks[path.length][0];
        if path.end.captured.len() == u32::from(self.context.slice.opponent) {
            match &mut self.grades {
                None => row.win.iter_mut().zip(mask).for_each(|(win, mask)| *win |= *mask),
                Some(grades) => for_each_bit(mask, |column| grades[column] = G::WIN_IN_1),
            }
            return;
        }
        // Longer turns capture more and win more often, so they come first.
        if self.context.rule.turn.chain != Chain::Single {
            extend(self.context.tools.words, self, path);
        }
        self.stop(path);
    }

    /// Ends the turn here and takes over the values from the smaller slice.
    #[inline(always)]
    fn stop(&mut self, path: &CapturePath) {
        let mut end = path.end;
        let mut ends = std::mem::take(&mut self.buffers.ends);
        ends.clone_from(&self.buffers.masks[path.length][0]);
        if self.context.rule.turn.chain == Chain::MustGoOn {
            // It ends if there are only own stones that the relay could go on to capture.
            let stones = self.occupied - (end.from | end.captured);
            let blocked = stones | path.visited;
            let targets = stones & self.context.targets(end.at, blocked, path.directions);
            for target in targets.iter() {
                let own = self.containing(target.into());
                ends.iter_mut().zip(own).for_each(|(ends, own)| *ends &= own);
            }
            end.own |= targets;
        }
        if self.grades.is_none() {
            // Won positions need no other capture.
            ends.iter_mut().zip(&self.buffers.row.win).for_each(|(ends, win)| *ends &= !win);
        }
        let uses = ends.iter().map(|bits| bits.count_ones() as usize).sum();
        if uses > 0 {
            self.take_over(&end, &ends, uses);
        }
        self.buffers.ends = ends;
    }

    #[inline(always)]
    fn take_over(&mut self, end: &TurnEnd, ends: &[u64], uses: usize) {
        let (context, tools) = (self.context, self.context.tools);
        let (after, occupied) = end.after(context.slice, self.occupied);
        let rows = context.build.orbits(after.stones() as u8);
        let Member { orbit, symmetry } = tools.member_of(rows, occupied);
        let representative = rows.representative(orbit);
        // Renumbers own sets before the capture as own sets after it, as the representative has
        // them.
        let back = symmetry.inverse();
        if self.grades.is_none()
            && TurnEnds::is_faster(uses, ends.len(), context.build.sizes.few_uses)
        {
            self.buffers.later.add(back, orbit, *end);
            return;
        }
        let (images, at) = (&tools.images[back as usize], end.at.first().expect("a point"));
        let number_after = |point: Point| match point {
            point if end.captured.contains(point) => 0,
            point => {
                let after = if end.from.contains(point) { at } else { point };
                1 << number_in(representative, images[after.index()])
            }
        };
        let map = &mut self.buffers.map;
        map.set(self.occupied.iter().map(number_after), uses);
        let after_columns = tools.columns.of(after.stones(), after.opponent.into());
        let column_after = |column| tools.ranks.rank(map.image(context.columns.set(column)).into());
        match (&mut self.grades, &context.solved[&after]) {
            (Some(best), SolvedSlice::Distances { grades, .. }) => {
                with_grades!(grades, grades => {
                    let grades = grades.row(orbit);
                    for_each_bit(ends, |column| {
                        let after = after_columns.of_other_side(column_after(column));
                        best[column] = best[column].max(G::of(grades[after]).before_turn());
                    });
                });
            }
            (None, SolvedSlice::Values { win, loss }) => {
                let (win, loss) = (win.row(orbit), loss.row(orbit));
                let row = &mut self.buffers.row;
                for (i, ends) in ends.iter().enumerate().filter(|(_, ends)| **ends != 0) {
                    let (mut wins, mut draws) = (0, 0);
                    for_each_bit(&[*ends], |bit| {
                        let after = column_after(64 * i + bit);
                        let is = |row| u64::from(has(row, after));
                        let loss = is(loss);
                        wins |= loss << bit;
                        draws |= (1 ^ (loss | is(win))) << bit;
                    });
                    row.win[i] |= wins;
                    row.drawn[i] |= draws;
                }
            }
            _ => unreachable!("all slices of a build have distances, or none"),
        }
    }
}
