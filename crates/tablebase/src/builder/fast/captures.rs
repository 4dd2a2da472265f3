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

use fanorona_core::{
    Board, Chain, Direction, DirectionRule, Paikas, Point, PointSet, TurnRule, points,
};

use super::Space;
use super::columns::Columns;

/// The rows of one own set against all sets of the opponent's, one bit a column.
pub(super) struct Rows<'r> {
    /// Won by a capture.
    pub win: &'r mut [u64],
    /// Where a capture is mandatory, lost by all captures.
    pub loss: &'r mut [u64],
    /// Positions that paikas can decide.
    pub open: &'r mut [u64],
    /// Positions that are not lost whatever paikas do, for a capture draws, or the mover is blocked
    /// where that draws.
    pub held: &'r mut [u64],
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
    for row in [&mut *rows.win, &mut *rows.held] {
        row.fill(0);
    }
    let mut walk = Walk { space, win: rows.win, held: rows.held, scratch };
    for stone in points(own) {
        walk.go_on(&Path {
            at: stone.set(),
            visited: stone.set(),
            others: own & !stone.set(),
            captured: 0,
            empty: stone.set(),
            directions: DirectionsLeft(0xff),
        });
    }
    columns.fill_duplicates(rows.win);
    columns.fill_duplicates(rows.held);

    let Scratch { capture, movable, .. } = scratch;
    mark_steps(space.board, own, columns, capture, movable);
    let mandatory = space.rule.paikas == Paikas::WhenNoCapture;
    for i in 0..words {
        let overlap = points(own).fold(0, |bits, p| bits | columns.containing(p)[i]);
        let valid = !overlap & last_word_mask(columns.count(), i);
        if mandatory {
            rows.loss[i] = valid & capture[i] & !rows.win[i] & !rows.held[i];
            rows.open[i] = valid & !capture[i];
        } else {
            rows.loss[i] = 0;
            rows.open[i] = valid & !rows.win[i];
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
    let mask = |set: PointSet| match points(set & !own).next() {
        Some(point) => columns.containing(point),
        None => &none,
    };
    for stone in points(own) {
        for direction in Direction::ALL {
            let to = board.shift(stone.set(), direction) & !own;
            if to == 0 {
                continue;
            }
            let taken = mask(to);
            let beyond = mask(board.shift(to, direction));
            let behind = mask(board.shift(stone.set(), direction.opposite()));
            for i in 0..columns.words() {
                capture[i] |= !taken[i] & (beyond[i] | behind[i]);
                movable[i] |= !taken[i];
            }
        }
    }
}

struct Walk<'w, 's, 'a> {
    space: &'w Space<'s, 'a>,
    win: &'w mut [u64],
    held: &'w mut [u64],
    scratch: &'w mut Scratch,
}

impl Walk<'_, '_, '_> {
    /// Makes every next capturing step of the stone.
    fn go_on(&mut self, path: &Path) {
        let board = self.space.board;
        let most = u32::from(self.space.slice.opponent);
        for direction in Direction::ALL {
            if path.directions.0 >> direction as u8 & 1 == 0 {
                continue;
            }
            let to = board.shift(path.at, direction) & !(path.others | path.visited);
            if to == 0 {
                continue;
            }
            // Where a stone was captured the point is free for certain.
            let empty = path.empty | to & !path.captured;
            let free = path.others | path.captured | empty | to;
            for (start, line) in [(to, direction), (path.at, direction.opposite())] {
                let mut captured = path.captured;
                let mut next = board.shift(start, line) & !free;
                while next != 0 {
                    captured |= next;
                    if captured.count_ones() > most {
                        break;
                    }
                    next = board.shift(next, line) & !free;
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
        let left = self.space.slice.opponent - path.captured.count_ones() as u8;
        if left == 0 {
            let column = self.space.columns(self.space.slice.opponent).of(path.captured);
            self.win[column as usize / 64] |= 1 << (column % 64);
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

        let order = self.space.sets.group().order();
        let code = self.space.own.code(path.others | path.at) as usize;
        let (row, g) = (code / order, code % order);
        let solved = self.space.solved_with(left);
        let cells = self.space.cells;
        let win = cells.see_through(g, solved.win.row(row), &mut self.scratch.win);
        let loss = cells.see_through(g, solved.loss.row(row), &mut self.scratch.loss);
        let added = Added::new(self.space, left, path.captured);
        for (i, valid) in valid.iter().enumerate() {
            added.scatter(i, loss[i] & valid, self.win);
            added.scatter(i, valid & !loss[i] & !win[i], self.held);
        }
        self.scratch.valid[usize::from(left)] = valid;
    }

    /// The columns of what the opponent can have left, each set once.
    fn columns_left(&self, path: &Path, columns: &Columns<'_>, valid: &mut Vec<u64>) {
        valid.clear();
        valid.extend_from_slice(columns.primary());
        for point in points(path.others | path.at | path.captured | path.empty) {
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
            let to = board.shift(path.at, direction) & !(path.others | path.visited);
            if to == 0 || path.directions.0 >> direction as u8 & 1 == 0 {
                continue;
            }
            let beyond = board.shift(to, direction);
            let behind = board.shift(path.at, direction.opposite());
            let to = points(to).next().map(|p| columns.containing(p)).expect("a point");
            // Points that hold no stone of the opponent's do no harm: no valid column has them.
            for target in points(beyond | behind) {
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
        let mut maps = points(captured)
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

    /// Sets in `row` the bits of a word's columns.
    #[inline]
    fn scatter(&self, word: usize, mut bits: u64, row: &mut [u64]) {
        let first = &self.first[(64 * word).min(self.first.len())..];
        while bits != 0 {
            let mut column = first[bits.trailing_zeros() as usize];
            for map in self.rest[..self.length].iter().flatten() {
                column = map[column as usize];
            }
            row[column as usize / 64] |= 1 << (column % 64);
            bits &= bits - 1;
        }
    }
}
