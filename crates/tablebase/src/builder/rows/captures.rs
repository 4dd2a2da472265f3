//! Captures, one row at a time.
//!
//! Fix an own set, and a way to capture: the path of a stone, approach or withdrawal at each step,
//! and the length of each line. The opponent's set `Y` allows this capture if it contains the
//! captured points `L` and none of the points `E`, at which the stone arrives or a line ends. The
//! rest, `Z = Y \ L`, is any set that avoids `L`, `E` and the own stones. So the values after the
//! capture are a row of a smaller slice, and the bit of `Z` in that row decides the bit of `Y = Z ∪
//! L` in the current row.
//!
//! Relays are captures with longer paths. The more they capture, the shorter are the rows. No
//! position is visited individually.

use fanorona_core::{Board, Chain, Direction, DirectionRule, Paikas, Point, PointSet, TurnRule};

use super::columns::Columns;
use super::grades::Grade;
use super::slices::{SolvedDistances, SolvedGrades, SolvedSlice};
use super::state::SliceContext;
use crate::orbits::Member;

/// The row of an own set in each matrix.
pub(super) struct CaptureRow<'r, G> {
    /// Positions that are won.
    pub win: &'r mut [u64],
    /// Positions that are lost.
    pub loss: &'r mut [u64],
    /// Positions that paikas can decide.
    pub open: &'r mut [u64],
    /// Positions that paikas cannot lose, because some capture is not known to lose, or because the
    /// side to move has no turn and that is a draw.
    pub safe: &'r mut [u64],
    /// The grades of the best captures, if the build has distances. Positions are then decided in
    /// the round of their distance, not here.
    pub grades: Option<&'r mut [G]>,
}

/// Buffers that a thread uses for each of its rows.
#[derive(Default)]
pub(super) struct CaptureBuffers {
    /// Positions with a capture.
    capture: Vec<u64>,
    /// Positions with a step to an empty point.
    movable: Vec<u64>,
    /// For each number of stones left, the columns that are possible after a capture.
    valid: Vec<Vec<u64>>,
    /// Rows with their cells permuted by a symmetry.
    win: Vec<u64>,
    loss: Vec<u64>,
}

/// The path of a capturing stone so far.
#[derive(Clone, Copy)]
struct Path {
    at: PointSet,
    visited: PointSet,
    /// The other own stones.
    others: PointSet,
    captured: PointSet,
    /// Points, other than the captured ones, that must not hold an opponent.
    empty: PointSet,
    directions: DirectionsLeft,
}

/// The directions that the next step may have, as bits.
#[derive(Clone, Copy)]
struct DirectionsLeft(u8);

/// Decides the row of an own set by captures.
pub(super) fn decide<G: Grade>(
    context: &SliceContext<'_, '_>,
    own: PointSet,
    row: &mut CaptureRow<'_, G>,
    buffers: &mut CaptureBuffers,
) {
    let columns = context.opponents();
    let words = columns.words();
    for buffer in [&mut buffers.capture, &mut buffers.movable] {
        buffer.clear();
        buffer.resize(words, 0);
    }
    buffers.valid.resize_with(usize::from(context.slice.opponent), Vec::new);
    let mut walk = CaptureWalk { context, row, buffers };
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
    columns.fill_duplicates(row.win);
    columns.fill_duplicates(row.safe);
    if let Some(grades) = &mut row.grades {
        columns.copy_duplicates(grades);
    }

    let CaptureBuffers { capture, movable, .. } = buffers;
    mark_steps(context.board, own, columns, capture, movable);
    let mandatory = context.rule.paikas == Paikas::WhenNoCapture;
    let distances = row.grades.is_some();
    for i in 0..words {
        let overlap = own.iter().fold(0, |bits, p| bits | columns.containing(p)[i]);
        let valid = !overlap & last_word_mask(columns.count(), i);
        row.open[i] = match (mandatory, distances) {
            (true, _) => valid & !capture[i],
            (false, true) => valid,
            (false, false) => valid & !row.win[i],
        };
        row.loss[i] = if mandatory && !distances {
            valid & capture[i] & !row.win[i] & !row.safe[i]
        } else {
            0
        };
        if distances {
            row.safe[i] = valid & capture[i];
        }
        if context.blocked_is_drawn {
            row.safe[i] |= valid & !movable[i];
        }
    }
}

/// Sets `open` to the positions of an own set without a capture.
pub(super) fn find_quiet(
    context: &SliceContext<'_, '_>,
    own: PointSet,
    open: &mut [u64],
    buffers: &mut CaptureBuffers,
) {
    let columns = context.opponents();
    let CaptureBuffers { capture, movable, .. } = buffers;
    for buffer in [&mut *capture, &mut *movable] {
        buffer.clear();
        buffer.resize(columns.words(), 0);
    }
    mark_steps(context.board, own, columns, capture, movable);
    for (i, (open, capture)) in open.iter_mut().zip(capture).enumerate() {
        let overlap = own.iter().fold(0, |bits, p| bits | columns.containing(p)[i]);
        *open = !overlap & last_word_mask(columns.count(), i) & !*capture;
    }
}

/// The bits of a word of a row that are columns.
fn last_word_mask(columns: usize, word: usize) -> u64 {
    match columns - 64 * word {
        64.. => u64::MAX,
        left => (1 << left) - 1,
    }
}

/// Marks the columns against which an own set has a capture, and those against which it has any
/// step.
fn mark_steps(
    board: Board,
    own: PointSet,
    columns: &Columns<'_>,
    capture: &mut [u64],
    movable: &mut [u64],
) {
    let none = vec![0; columns.words()];
    let mask = |set: PointSet| match (set - own).first() {
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

/// A depth-first walk over all ways to capture from an own set.
struct CaptureWalk<'w, 'r, 's, 'a, G> {
    context: &'w SliceContext<'s, 'a>,
    row: &'w mut CaptureRow<'r, G>,
    buffers: &'w mut CaptureBuffers,
}

impl<G: Grade> CaptureWalk<'_, '_, '_, '_, G> {
    /// Tries every next capturing step of the stone.
    fn go_on(&mut self, path: &Path) {
        let board = self.context.board;
        let opponents = u32::from(self.context.slice.opponent);
        for direction in Direction::ALL {
            if !path.directions.has(direction) {
                continue;
            }
            let to = board.shift(path.at, direction) - (path.others | path.visited);
            if to.is_empty() {
                continue;
            }
            // A point where a stone was captured is empty.
            let empty = path.empty | (to - path.captured);
            let free = path.others | path.captured | empty | to;
            for (start, line) in [(to, direction), (path.at, direction.opposite())] {
                let mut captured = path.captured;
                let mut next = board.shift(start, line) - free;
                while !next.is_empty() {
                    captured |= next;
                    if captured.len() > opponents {
                        break;
                    }
                    next = board.shift(next, line) - free;
                    self.arrive(&Path {
                        at: to,
                        visited: path.visited | to,
                        others: path.others,
                        captured,
                        empty: empty | next,
                        directions: path.directions.after(direction, &self.context.rule),
                    });
                }
            }
        }
    }

    fn arrive(&mut self, path: &Path) {
        let left = self.context.slice.opponent - path.captured.len() as u8;
        if left == 0 {
            let column = self.context.opponents().of(path.captured);
            match &mut self.row.grades {
                None => self.row.win[column as usize / 64] |= 1 << (column % 64),
                Some(grades) => grades[column as usize] = G::WIN_IN_1,
            }
            return;
        }
        self.stop(path, left);
        if self.context.rule.chain != Chain::Single {
            self.go_on(path);
        }
    }

    /// Ends the turn here and takes over the values from the smaller slice.
    fn stop(&mut self, path: &Path, left: u8) {
        let columns = self.context.columns(left);
        let mut valid = std::mem::take(&mut self.buffers.valid[usize::from(left)]);
        self.columns_left(path, columns, &mut valid);

        let Member { orbit, symmetry } = self.context.own.member(path.others | path.at);
        let solved = self.context.solved_with(left);
        let cells = self.context.cells;
        let map = ColumnMap::new(self.context, left, path.captured);
        match (&mut self.row.grades, solved) {
            (Some(best), SolvedSlice::Distances(SolvedDistances { grades, .. })) => {
                let source = |column| cells.source(symmetry, column);
                match grades {
                    SolvedGrades::Narrow(grades) => {
                        raise(best, grades.row(orbit), source, G::of_narrow, &valid, &map);
                    }
                    SolvedGrades::Wide(grades) => {
                        raise(best, grades.row(orbit), source, G::of_wide, &valid, &map);
                    }
                }
            }
            (_, SolvedSlice::Distances(_)) => unreachable!("the build has distances"),
            (_, SolvedSlice::Values { win, loss }) => {
                let (win, loss) = (win.row(orbit), loss.row(orbit));
                let win = cells.see_through(symmetry, win, &mut self.buffers.win);
                let loss = cells.see_through(symmetry, loss, &mut self.buffers.loss);
                for (i, valid) in valid.iter().enumerate() {
                    let set = |bits, row: &mut [u64]| {
                        map.for_each(i, bits, |_, to| row[to / 64] |= 1 << (to % 64));
                    };
                    set(loss[i] & valid, self.row.win);
                    set(valid & !loss[i] & !win[i], self.row.safe);
                }
            }
        }
        self.buffers.valid[usize::from(left)] = valid;
    }

    /// Sets `valid` to the columns of the sets that the opponent can have left, one column for each
    /// set.
    fn columns_left(&self, path: &Path, columns: &Columns<'_>, valid: &mut Vec<u64>) {
        valid.clear();
        valid.extend_from_slice(columns.primary());
        for point in (path.others | path.at | path.captured | path.empty).iter() {
            for (bits, taken) in valid.iter_mut().zip(columns.containing(point)) {
                *bits &= !taken;
            }
        }
        if self.context.rule.chain == Chain::MustGoOn {
            self.remove_those_that_go_on(path, columns, valid);
        }
    }

    /// Removes the columns in which the relay can continue. For rules under which it then must.
    fn remove_those_that_go_on(&self, path: &Path, columns: &Columns<'_>, valid: &mut [u64]) {
        let board = self.context.board;
        for direction in Direction::ALL {
            let to = board.shift(path.at, direction) - (path.others | path.visited);
            let Some(arrival) = to.first().filter(|_| path.directions.has(direction)) else {
                continue;
            };
            let beyond = board.shift(to, direction);
            let behind = board.shift(path.at, direction.opposite());
            let arrival = columns.containing(arrival);
            // No valid column has an opponent on an own stone or a captured point, so these need no
            // test.
            for target in (beyond | behind).iter() {
                for (bits, (arrival, target)) in
                    valid.iter_mut().zip(arrival.iter().zip(columns.containing(target)))
                {
                    *bits &= arrival | !target;
                }
            }
        }
    }
}

impl DirectionsLeft {
    fn has(self, direction: Direction) -> bool {
        self.0 >> direction as u8 & 1 != 0
    }

    fn after(self, direction: Direction, rule: &TurnRule) -> Self {
        let all_but = !(1 << direction as u8);
        match rule.direction {
            DirectionRule::NotTwiceRunning => Self(all_but),
            DirectionRule::Strict => Self(self.0 & all_but),
            DirectionRule::Free => Self(0xff),
        }
    }
}

/// Raises the grades of a row to those of a capture that leads to a row of a smaller slice.
/// `source` maps a column to the column of that row.
fn raise<G: Grade, S: Grade>(
    best: &mut [G],
    row: &[S],
    source: impl Fn(usize) -> usize,
    convert: impl Fn(S) -> G,
    valid: &[u64],
    map: &ColumnMap<'_>,
) {
    for (i, valid) in valid.iter().enumerate() {
        map.for_each(i, *valid, |from, to| {
            let after = convert(row[source(from)]);
            best[to] = best[to].max(after.before_turn());
        });
    }
}

/// Maps columns after a capture to columns before it, by adding the captured points one after the
/// other.
struct ColumnMap<'a> {
    first: &'a [u32],
    /// The maps of the second and later captured points.
    rest: [Option<&'a [u32]>; 31],
    /// The number of maps in `rest`.
    length: usize,
}

impl<'a> ColumnMap<'a> {
    fn new(context: &'a SliceContext<'_, '_>, left: u8, captured: PointSet) -> Self {
        let mut maps = captured
            .iter()
            .enumerate()
            .map(|(i, point): (usize, Point)| context.columns(left + i as u8).adding(point));
        let first = maps.next().expect("a capture captures");
        let mut rest = [None; 31];
        let mut length = 0;
        for map in maps {
            rest[length] = Some(map);
            length += 1;
        }
        Self { first, rest, length }
    }

    /// Calls `visit` for each bit of a word, with its column and the column that it maps to.
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
