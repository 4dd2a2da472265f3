//! What captures are worth, a row at a time.
//!
//! For a fixed set of the mover's stones, a way of capturing (which stone goes where, by approach
//! or withdrawal, and how long each line is) says of the opponent's set `Y` that it contains the
//! captured points `L`, and none of some points `E`: those that the stone arrives at and those that
//! end the lines. What is left, `Z = Y \ L`, is any set that avoids `L`, `E` and the mover. So the
//! values after the capture are a row of a smaller slice, and each of its bits decides the bit of
//! `Y = Z ∪ L` in the row that is being made.
//!
//! Relays are the same with a longer path, and the more is captured the shorter are the rows. No
//! position is looked at by itself.

use fanorona_core::{Board, Chain, Direction, DirectionRule, Paikas, Point, PointSet, TurnRule};

use super::Space;
use super::columns::Columns;
use super::grades::{self, Grade};
use crate::orbits::Member;

/// The rows of one own set against all sets of the opponent's, one bit a column.
pub(super) struct Rows<'r> {
    /// Won already.
    pub win: &'r mut [u64],
    /// Lost already.
    pub loss: &'r mut [u64],
    /// Positions that paikas can decide.
    pub open: &'r mut [u64],
    /// Positions that paikas cannot lose, for some capture is better than a loss known so far, or
    /// the mover is blocked where that draws.
    pub held: &'r mut [u64],
    /// What captures are worth, a byte a column, if distances are wanted. Then nothing is won or
    /// lost at once, but each at its time.
    pub grades: Option<&'r mut [Grade]>,
}

/// Buffers that are used again for each row.
#[derive(Default)]
pub(super) struct Scratch {
    /// Positions with a capture.
    capture: Vec<u64>,
    /// Positions with a step to an empty point.
    movable: Vec<u64>,
    /// For each number of stones left, the columns that a capture leaves.
    valid: Vec<Vec<u64>>,
    /// Rows seen through a symmetry.
    win: Vec<u64>,
    loss: Vec<u64>,
}

/// A stone on its way.
#[derive(Clone, Copy)]
struct Path {
    at: PointSet,
    visited: PointSet,
    others: PointSet,
    captured: PointSet,
    /// Points that must be free of the opponent, beside those captured.
    empty: PointSet,
    directions: DirectionsLeft,
}

#[derive(Clone, Copy)]
struct DirectionsLeft(u8);

/// Decides the rows of `own` by captures.
pub(super) fn decide(
    space: &Space<'_, '_>,
    own: PointSet,
    rows: &mut Rows<'_>,
    scratch: &mut Scratch,
) {
    let columns = space.columns(space.slice.opponent);
    let words = columns.words();
    for buffer in [&mut scratch.capture, &mut scratch.movable] {
        buffer.clear();
        buffer.resize(words, 0);
    }
    scratch.valid.resize_with(usize::from(space.slice.opponent), Vec::new);
    let mut walk = Walk { space, rows, scratch };
    for stone in own.iter() {
        walk.go_on(&Path {
            at: stone.into(),
            visited: stone.into(),
            others: own - stone,
            captured: PointSet::EMPTY,
            empty: stone.into(),
            directions: DirectionsLeft(0xff),
        });
    }
    columns.fill_duplicates(rows.win);
    columns.fill_duplicates(rows.held);
    if let Some(grades) = &mut rows.grades {
        columns.copy_duplicates(grades);
    }

    let Scratch { capture, movable, .. } = scratch;
    mark_steps(space.board, own, columns, capture, movable);
    let mandatory = space.rule.paikas == Paikas::WhenNoCapture;
    let distances = rows.grades.is_some();
    for i in 0..words {
        let overlap = own.iter().fold(0, |bits, p| bits | columns.containing(p)[i]);
        let valid = !overlap & last_word_mask(columns.count(), i);
        rows.open[i] = match (mandatory, distances) {
            (true, _) => valid & !capture[i],
            (false, true) => valid,
            (false, false) => valid & !rows.win[i],
        };
        rows.loss[i] = if mandatory && !distances {
            valid & capture[i] & !rows.win[i] & !rows.held[i]
        } else {
            0
        };
        if distances {
            rows.held[i] = valid & capture[i];
        }
        if space.blocked_is_drawn {
            rows.held[i] |= valid & !movable[i];
        }
    }
}

/// The bits of a row's word that are columns.
fn last_word_mask(columns: usize, word: usize) -> u64 {
    match columns - 64 * word {
        64.. => u64::MAX,
        left => (1 << left) - 1,
    }
}

/// Marks the columns against which a set of stones has a capture, and those against which it has
/// any step.
fn mark_steps(
    board: Board,
    own: PointSet,
    columns: &Columns<'_>,
    capture: &mut [u64],
    movable: &mut [u64],
) {
    let none = vec![0; columns.words()];
    let mask = |set: PointSet| match (set - own).iter().next() {
        Some(point) => columns.containing(point),
        None => &none,
    };
    for stone in own.iter() {
        for direction in Direction::ALL {
            let to = board.shift(stone.into(), direction) - own;
            if to.is_empty() {
                continue;
            }
            let taken = mask(to);
            let beyond = mask(board.shift(to, direction));
            let behind = mask(board.shift(stone.into(), direction.opposite()));
            for i in 0..columns.words() {
                capture[i] |= !taken[i] & (beyond[i] | behind[i]);
                movable[i] |= !taken[i];
            }
        }
    }
}

struct Walk<'w, 'r, 's, 'a> {
    space: &'w Space<'s, 'a>,
    rows: &'w mut Rows<'r>,
    scratch: &'w mut Scratch,
}

impl Walk<'_, '_, '_, '_> {
    /// Makes every next capturing step of the stone.
    fn go_on(&mut self, path: &Path) {
        let board = self.space.board;
        let most = u32::from(self.space.slice.opponent);
        for direction in Direction::ALL {
            if path.directions.0 >> direction as u8 & 1 == 0 {
                continue;
            }
            let to = board.shift(path.at, direction) - (path.others | path.visited);
            if to.is_empty() {
                continue;
            }
            // Where a stone was captured the point is free for certain.
            let empty = path.empty | to - path.captured;
            let free = path.others | path.captured | empty | to;
            for (start, line) in [(to, direction), (path.at, direction.opposite())] {
                let mut captured = path.captured;
                let mut next = board.shift(start, line) - free;
                while !next.is_empty() {
                    captured |= next;
                    if captured.len() > most {
                        break;
                    }
                    next = board.shift(next, line) - free;
                    self.arrive(&Path {
                        at: to,
                        visited: path.visited | to,
                        others: path.others,
                        captured,
                        empty: empty | next,
                        directions: path.directions.after(direction, &self.space.rule),
                    });
                }
            }
        }
    }

    fn arrive(&mut self, path: &Path) {
        let left = self.space.slice.opponent - path.captured.len() as u8;
        if left == 0 {
            let column = self.space.columns(self.space.slice.opponent).of(path.captured);
            match &mut self.rows.grades {
                None => self.rows.win[column as usize / 64] |= 1 << (column % 64),
                Some(grades) => grades[column as usize] = grades::WIN_IN_1,
            }
            return;
        }
        self.stop(path, left);
        if self.space.rule.chain != Chain::Single {
            self.go_on(path);
        }
    }

    /// Ends the turn: takes the values after it from the smaller slice.
    fn stop(&mut self, path: &Path, left: u8) {
        let columns = self.space.columns(left);
        let mut valid = std::mem::take(&mut self.scratch.valid[usize::from(left)]);
        self.columns_left(path, columns, &mut valid);

        let Member { orbit: row, symmetry: g } = self.space.own.member(path.others | path.at);
        let solved = self.space.solved_with(left);
        let cells = self.space.cells;
        let added = Added::new(self.space, left, path.captured);
        match (&mut self.rows.grades, &solved.grades) {
            (Some(best), Some(grades)) => {
                let grades = grades.row(row);
                for (i, valid) in valid.iter().enumerate() {
                    added.for_each(i, *valid, |from, to| {
                        let grade = grades::before_turn(grades[cells.source(g, from)]);
                        best[to] = best[to].max(grade);
                    });
                }
            }
            _ => {
                let win = cells.see_through(g, solved.win.row(row), &mut self.scratch.win);
                let loss = cells.see_through(g, solved.loss.row(row), &mut self.scratch.loss);
                for (i, valid) in valid.iter().enumerate() {
                    let set = |bits, row: &mut [u64]| {
                        added.for_each(i, bits, |_, to| row[to / 64] |= 1 << (to % 64));
                    };
                    set(loss[i] & valid, self.rows.win);
                    set(valid & !loss[i] & !win[i], self.rows.held);
                }
            }
        }
        self.scratch.valid[usize::from(left)] = valid;
    }

    /// The columns of what the opponent can have left, each set once.
    fn columns_left(&self, path: &Path, columns: &Columns<'_>, valid: &mut Vec<u64>) {
        valid.clear();
        valid.extend_from_slice(columns.primary());
        for point in (path.others | path.at | path.captured | path.empty).iter() {
            for (bits, taken) in valid.iter_mut().zip(columns.containing(point)) {
                *bits &= !taken;
            }
        }
        if self.space.rule.chain == Chain::MustGoOn {
            self.remove_those_that_go_on(path, columns, valid);
        }
    }

    /// Where a relay must go on while it can, it does not stop where it can.
    fn remove_those_that_go_on(&self, path: &Path, columns: &Columns<'_>, valid: &mut [u64]) {
        let board = self.space.board;
        for direction in Direction::ALL {
            let to = board.shift(path.at, direction) - (path.others | path.visited);
            if to.is_empty() || path.directions.0 >> direction as u8 & 1 == 0 {
                continue;
            }
            let beyond = board.shift(to, direction);
            let behind = board.shift(path.at, direction.opposite());
            let to = to.iter().next().map(|p| columns.containing(p)).expect("a point");
            // Points that hold no stone of the opponent's do no harm: no valid column has them.
            for target in (beyond | behind).iter() {
                for (bits, (to, target)) in
                    valid.iter_mut().zip(to.iter().zip(columns.containing(target)))
                {
                    *bits &= to | !target;
                }
            }
        }
    }
}

impl DirectionsLeft {
    fn after(self, direction: Direction, rule: &TurnRule) -> Self {
        let all_but = !(1 << direction as u8);
        match rule.direction {
            DirectionRule::NotTwiceRunning => Self(all_but),
            DirectionRule::Strict => Self(self.0 & all_but),
            DirectionRule::Free => Self(0xff),
        }
    }
}

/// How columns of what is left become columns of what there was before a capture.
struct Added<'a> {
    first: &'a [u32],
    /// For captures of several stones, the maps that follow.
    rest: [Option<&'a [u32]>; 31],
    length: usize,
}

impl<'a> Added<'a> {
    fn new(space: &'a Space<'_, '_>, left: u8, captured: PointSet) -> Self {
        let mut maps = captured
            .iter()
            .enumerate()
            .map(|(i, point): (usize, Point)| space.columns(left + i as u8).adding(point));
        let first = maps.next().expect("a capture captures");
        let mut rest = [None; 31];
        let mut length = 0;
        for map in maps {
            rest[length] = Some(map);
            length += 1;
        }
        Self { first, rest, length }
    }

    /// Calls `visit` for each column of a word's bits, with the column that it becomes.
    #[inline]
    fn for_each(&self, word: usize, mut bits: u64, mut visit: impl FnMut(usize, usize)) {
        while bits != 0 {
            let from = 64 * word + bits.trailing_zeros() as usize;
            let mut to = self.first[from];
            for map in self.rest[..self.length].iter().flatten() {
                to = map[to as usize];
            }
            visit(from, to as usize);
            bits &= bits - 1;
        }
    }
}
