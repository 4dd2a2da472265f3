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
use fanorona_tablebase::Slice;
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
    from: PointSet,
    at: PointSet,
    visited: PointSet,
    captured: PointSet,
    /// The points that end a captured line because they have own stones.
    own: PointSet,
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
        decide_row(context, occupied, grades, buffers);
    }
}

#[inline(always)]
fn decide_row<G: Grade>(
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
    let mut walk = CaptureWalk { context, occupied, grades, buffers };
    for stone in occupied.iter() {
        let number = number_in(occupied, stone.into());
        walk.mask(0).clone_from_slice(columns.containing(number));
        let path = CapturePath {
            from: stone.into(),
            at: stone.into(),
            visited: stone.into(),
            captured: PointSet::EMPTY,
            own: PointSet::EMPTY,
            directions: DirectionsLeft::ALL,
            length: 0,
        };
        extend(context.tools.words, &mut walk, &path);
    }
    let grades = walk.grades;
    let WalkBuffers { row: DenseRow { win, drawn, .. }, later, .. } = &mut *buffers;
    later.take_over(context, occupied, (win, drawn));
    mark_steps(context, occupied, buffers);
    let WalkBuffers { row, capture, movable, .. } = buffers;
    let DenseRow { win, loss, undecided, drawn } = row;
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

#[inline(always)]
fn mark_steps(context: &DenseContext<'_, '_>, occupied: PointSet, buffers: &mut WalkBuffers) {
    let (board, columns) = (context.tools.board, context.columns);
    let WalkBuffers { capture, movable, .. } = buffers;
    for stone in occupied.iter() {
        let own = columns.containing(number_in(occupied, stone.into()));
        let mut can_move = false;
        let mut targets = PointSet::EMPTY;
        for direction in Direction::ALL {
            let to = board.shift(stone.into(), direction) - occupied;
            if !to.is_empty() {
                can_move = true;
                targets |= board.shift(to, direction);
                targets |= board.shift(stone.into(), direction.opposite());
            }
        }
        if can_move {
            movable.iter_mut().zip(own).for_each(|(bits, own)| *bits |= own);
        }
        for target in (targets & occupied).iter() {
            let target = columns.containing(number_in(occupied, target.into()));
            for (bits, (own, target)) in capture.iter_mut().zip(own.iter().zip(target)) {
                *bits |= own & !target;
            }
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

    /// Tries every next capturing step of the stone.
    #[inline(always)]
    fn go_on(&mut self, path: &CapturePath) {
        let board = self.context.tools.board;
        let stones = self.occupied - (path.from | path.captured);
        for direction in Direction::ALL {
            if !path.directions.has(direction) {
                continue;
            }
            let to = board.shift(path.at, direction) - (stones | path.visited);
            if to.is_empty() {
                continue;
            }
            for (start, line) in [(to, direction), (path.at, direction.opposite())] {
                self.capture_line(path, stones, direction, to, start, line);
            }
        }
    }

    /// Tries every length of a captured line.
    #[inline(always)]
    fn capture_line(
        &mut self,
        path: &CapturePath,
        stones: PointSet,
        direction: Direction,
        to: PointSet,
        start: PointSet,
        line: Direction,
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
        let mut captured = path.captured;
        loop {
            // The next stone is captured, too, in these columns.
            let own = match next.is_empty() {
                true => None,
                false => Some(self.containing(next)),
            };
            let mut any_end = 0;
            let mut any_left = 0;
            match own {
                None => {
                    ends.copy_from_slice(&all);
                    any_end = all.iter().fold(0, |any, bits| any | bits);
                }
                Some(own) => {
                    for ((all, end), own) in all.iter_mut().zip(&mut ends).zip(own) {
                        *end = *all & own;
                        *all &= !own;
                        any_end |= *end;
                        any_left |= *all;
                    }
                }
            }
            if captured != path.captured && any_end != 0 {
                self.buffers.masks[path.length + 1][0] = ends;
                self.arrive(&CapturePath {
                    from: path.from,
                    at: to,
                    visited: path.visited | to,
                    captured,
                    own: path.own | next,
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
        let left = self.context.slice.opponent - path.captured.len() as u8;
        if left == 0 {
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
        self.stop(path, left);
    }

    /// Ends the turn here and takes over the values from the smaller slice.
    #[inline(always)]
    fn stop(&mut self, path: &CapturePath, left: u8) {
        let mut path = *path;
        let mut ends = std::mem::take(&mut self.buffers.ends);
        ends.clone_from(&self.buffers.masks[path.length][0]);
        if self.context.rule.turn.chain == Chain::MustGoOn {
            let targets = self.next_targets(&path);
            for target in targets.iter() {
                let own = self.containing(target.into());
                ends.iter_mut().zip(own).for_each(|(ends, own)| *ends &= own);
            }
            path.own |= targets;
        }
        if self.grades.is_none() {
            // Won positions need no other capture.
            ends.iter_mut().zip(&self.buffers.row.win).for_each(|(ends, win)| *ends &= !win);
        }
        let uses = ends.iter().map(|bits| bits.count_ones() as usize).sum();
        if uses > 0 {
            self.take_over(&path, left, &ends, uses);
        }
        self.buffers.ends = ends;
    }

    #[inline(always)]
    fn take_over(&mut self, path: &CapturePath, left: u8, ends: &[u64], uses: usize) {
        let context = self.context;
        let after = Slice::new(left, context.slice.own);
        let solved = &context.solved[&after];
        let rows = context.build.orbits(after.stones() as u8);
        let occupied = (self.occupied - (path.from | path.captured)) | path.at;
        let number = rows.number_of_rank(context.row_of(occupied) as u64);
        let Member { orbit, symmetry } = rows.member_with_number(number as usize);
        let representative = rows.representative(orbit);
        // Renumbers own sets before the capture as own sets after it, as the representative has
        // them.
        let back = symmetry.inverse();
        if self.grades.is_none()
            && TurnEnds::is_faster(uses, ends.len(), context.build.sizes.few_uses)
        {
            let &CapturePath { from, at, captured, own, .. } = path;
            self.buffers.later.add(back, orbit, TurnEnd { from, at, captured, own });
            return;
        }
        let at = path.at.first().expect("a point");
        let number_after = |point: Point| match point {
            point if path.captured.contains(point) => 0,
            point => {
                let after = if path.from.contains(point) { at } else { point };
                1 << number_in(representative, context.tools.image(back, after))
            }
        };
        let map = &mut self.buffers.map;
        map.set(self.occupied.iter().map(number_after), uses);
        let columns = context.columns;
        let ranks = &context.tools.ranks;
        let after_columns = context.tools.columns.of(after.stones(), after.opponent.into());
        let column_after = |column| ranks.rank(map.image(columns.set(column)).into());
        match (&mut self.grades, solved) {
            (Some(best), SolvedSlice::Distances { grades, .. }) => {
                let place = |column| after_columns.of_other_side(column_after(column));
                with_grades!(grades, grades => {
                    let grades = grades.row(orbit);
                    raise(best, ends, |column| G::of(grades[place(column)]));
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

    /// The stones that the relay can go on to capture if they are the opponent's.
    #[inline(always)]
    fn next_targets(&self, path: &CapturePath) -> PointSet {
        let board = self.context.tools.board;
        let stones = self.occupied - (path.from | path.captured);
        let mut targets = PointSet::EMPTY;
        for direction in Direction::ALL {
            let to = board.shift(path.at, direction) - (stones | path.visited);
            if !to.is_empty() && path.directions.has(direction) {
                targets |= board.shift(to, direction);
                targets |= board.shift(path.at, direction.opposite());
            }
        }
        targets & stones
    }
}

compiled! {
    /// The recursive call of the walk.
    fn extend<G: Grade>(_words, walk: &mut CaptureWalk<'_, '_, '_, '_, G>, path: &CapturePath) {
        walk.go_on(path);
    }
}

#[inline(always)]
fn raise<G: Grade>(best: &mut [G], columns: &[u64], after: impl Fn(usize) -> G) {
    for_each_bit(columns, |column| {
        best[column] = best[column].max(after(column).before_turn());
    });
}
