//! Retrograde analysis (K. Thompson, "Retrograde Analysis of Certain Endgames", ICCA Journal 9(3),
//! 1986), independent of the builders.
//!
//! Positions are numbered without symmetry, and the rules generate the turns of one position at a
//! time. First, captures decide positions. Then, for distances 0, 1, 2 and so on, the paikas that
//! lead to the positions of that distance are undone: a position from which a paika leads to a lost
//! position is won, and a position from which a paika leads to a won position is lost if all its
//! turns are known to lose. Positions that are never reached are drawn. So wins justified only by
//! each other (a cycle) are not found.
//!
//! Tables are not read. Smaller slices are solved first, in the same way.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use fanorona_core::{Board, Direction, Point, PointSet, Position, RuleSet, Side, Stones, Value};
use rayon::prelude::*;

use crate::error::Result;
use crate::format::Statistics;
use crate::orbits::{choose, placements, rank, set_after, set_of_rank};
use crate::slice::{Slice, Unit};
use crate::value::{Code, Metric};
use crate::watch::Watch;
use crate::zugzwang::{Zugzwang, Zugzwangs};

/// The number of positions that a thread processes before it checks whether to stop.
const CHUNK: usize = 1 << 14;

/// The [`Code`] of every position of a slice, by number. Until the slice is solved, [`Code::NONE`]
/// is an unknown value, and wins may still become shorter.
type Values = Vec<AtomicU16>;

/// Solves slices, and keeps solved slices in memory.
pub(super) struct RetrogradeSolver<'a> {
    board: Board,
    watch: Watch<'a>,
    solved: HashMap<Slice, Values>,
}

impl<'a> RetrogradeSolver<'a> {
    pub(super) fn new(board: Board, watch: Watch<'a>) -> Self {
        Self { board, watch, solved: HashMap::new() }
    }

    /// The memory of a slice in bytes.
    pub(super) fn memory(board: Board, slice: Slice) -> u64 {
        let positions = placements(board, slice.own.into(), slice.opponent.into());
        u64::try_from(positions * size_of::<AtomicU16>() as u128).unwrap_or(u64::MAX)
    }

    /// The memory of what is kept, in bytes.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        let values: usize = self.solved.values().map(Vec::len).sum();
        (values * size_of::<AtomicU16>()) as u64
    }

    /// Drops all slices but these.
    pub(super) fn retain(&mut self, slices: &[Slice]) {
        self.solved.retain(|slice, _| slices.contains(slice));
    }

    fn numbering(&self, slice: Slice) -> Numbering {
        Numbering { board: self.board, slice }
    }

    /// The value of a position of a solved slice.
    pub(super) fn code(&self, rules: &RuleSet, position: &Position) -> Code {
        let Some(slice) = Slice::in_game(rules, position) else { return Code::LOSS };
        let number = self.numbering(slice).number(Stones::of(position));
        Code(self.solved[&slice][number].load(Ordering::Relaxed))
    }

    /// The work of solving a unit: a position is done when its captures are known, and when its value is.
    pub(super) fn work(board: Board, unit: Unit) -> u64 {
        let positions = |slice: Slice| placements(board, slice.own.into(), slice.opponent.into());
        let work = 2 * unit.slices().map(positions).sum::<u128>();
        u64::try_from(work).unwrap_or(u64::MAX)
    }

    /// Solves a unit. All units that captures lead to must be solved.
    pub(super) fn solve(&mut self, unit: Unit, rules: &RuleSet) -> Result<()> {
        for slice in unit.slices() {
            let unknown = || AtomicU16::new(Code::NONE.0);
            let values = (0..self.numbering(slice).len()).map(|_| unknown()).collect();
            self.solved.insert(slice, values);
        }
        let rules = |slice: Slice| slice.rules(self.board, rules);
        let latest = AtomicU16::new(0);
        let note = |code: Code| {
            latest.fetch_max(code.distance().unwrap_or(0), Ordering::Relaxed);
        };
        for slice in unit.slices() {
            let rules = rules(slice);
            self.for_each_chunk(slice, |first, places| {
                self.numbering(slice).for_each(first, places.len(), |i, stones| {
                    if let Some(code) = self.evaluate(&rules, stones, 0) {
                        places[i].store(code.0, Ordering::Relaxed);
                        note(code);
                    }
                });
                self.watch.progress.add(places.len() as u64);
            })?;
        }
        let mut distance = 0;
        while distance <= latest.load(Ordering::Relaxed) {
            for slice in unit.slices() {
                let before = (slice.swapped(), rules(slice.swapped()));
                self.for_each_chunk(slice, |first, places| {
                    let mut decided = 0;
                    for (number, place) in (first..).zip(places) {
                        if place.load(Ordering::Relaxed) == distance + 1 {
                            let stones = self.numbering(slice).stones(number);
                            self.undo_paikas(&before, stones, distance, note);
                            decided += 1;
                        }
                    }
                    self.watch.progress.add(decided);
                })?;
            }
            distance += 1;
        }
        for slice in unit.slices() {
            self.for_each_chunk(slice, |_, places| {
                let mut drawn = 0;
                for place in places {
                    // Captures alone can make a draw.
                    if [Code::NONE.0, Code::DRAW.0].contains(&place.load(Ordering::Relaxed)) {
                        place.store(Code::DRAW.0, Ordering::Relaxed);
                        drawn += 1;
                    }
                }
                self.watch.progress.add(drawn);
            })?;
        }
        Ok(())
    }

    fn for_each_chunk(
        &self,
        slice: Slice,
        visit: impl Fn(usize, &[AtomicU16]) + Sync,
    ) -> Result<()> {
        self.solved[&slice].par_chunks(CHUNK).enumerate().try_for_each(|(chunk, places)| {
            visit(chunk * CHUNK, places);
            self.watch.done(0)
        })
    }

    /// The value of a position that follows from its captures, and from paikas to positions decided
    /// in fewer than `known` turns. `None` if these do not decide it.
    fn evaluate(&self, rules: &RuleSet, stones: Stones, known: u16) -> Option<Code> {
        let position = self.position(stones);
        let mut best: Option<Code> = None;
        let _: ControlFlow<()> = rules.try_for_each_turn(&position, |turn| {
            let after = position.play_unchecked(turn);
            let code = self.code(rules, &after);
            let is_known = !turn.is_paika() || code.distance().is_some_and(|d| d < known);
            let code = if is_known { code.before_turn(Metric::Dtw) } else { Code::NONE };
            best = Some(best.map_or(code, |best| better(best, code)));
            // Rounds look for losses, which one unknown paika refutes.
            if known > 0 && !is_known { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match best {
            None => {
                let outcome = rules.outcome(&position).expect("without a turn, the game is over");
                Some(Code::finished(outcome.value_for(Side::White)))
            }
            best => best.filter(|code| *code != Code::NONE),
        }
    }

    /// Updates the positions from which a paika leads to this one. This one is decided in
    /// `distance` turns. `before` is the slice of those positions, with its rules.
    fn undo_paikas(
        &self,
        &(slice, ref rules): &(Slice, RuleSet),
        stones: Stones,
        distance: u16,
        note: impl Fn(Code),
    ) {
        let lost = Code(distance + 1).value() == Value::Loss;
        let win = Code(distance + 2);
        let (numbering, values) = (self.numbering(slice), &self.solved[&slice]);
        for_each_before(self.board, stones, |before, from, direction| {
            let place = &values[numbering.number(before)];
            let found = place.load(Ordering::Relaxed);
            let settled = if lost { found <= win.0 } else { found != Code::NONE.0 };
            if settled || !is_paika(rules, &self.position(before), from, direction) {
                return;
            }
            let code = if lost { Some(win) } else { self.evaluate(rules, before, distance + 1) };
            if let Some(code) = code {
                place.fetch_min(code.0, Ordering::Relaxed);
                note(code);
            }
        });
    }

    fn position(&self, stones: Stones) -> Position {
        Position::from_mover(self.board, stones, Side::White)
            .expect("sets of a slice are on the board and apart")
    }

    /// The kind of zugzwang of a position in a solved slice, if it is one.
    fn zugzwang(&self, rules: &RuleSet, position: &Position) -> Option<Zugzwang> {
        let value = |position: &Position| self.code(rules, position).value();
        let other = position.with_other_to_move();
        Zugzwang::of(value(position), value(&other))
            .filter(|_| !rules.has_capture(position) && !rules.has_capture(&other))
    }

    /// The number of zugzwangs of each kind in a solved slice.
    fn zugzwangs(&self, slice: Slice, rules: &RuleSet) -> Result<Zugzwangs> {
        let counts = [const { AtomicU64::new(0) }; 3];
        self.for_each_chunk(slice, |first, places| {
            self.numbering(slice).for_each(first, places.len(), |i, stones| {
                // A side that wins is not in zugzwang.
                if Code(places[i].load(Ordering::Relaxed)).value() != Value::Win
                    && let Some(kind) = self.zugzwang(rules, &self.position(stones))
                {
                    counts[kind as usize].fetch_add(1, Ordering::Relaxed);
                }
            });
        })?;
        Ok(Zugzwangs::of_counts(counts.map(AtomicU64::into_inner)))
    }

    /// The counts of a solved slice, without examples.
    pub(super) fn statistics(&self, slice: Slice, rules: &RuleSet) -> Result<Statistics> {
        let mut codes = vec![0u64; usize::from(u16::MAX) + 1];
        for place in &self.solved[&slice] {
            codes[usize::from(place.load(Ordering::Relaxed))] += 1;
        }
        let zugzwangs = Some(self.zugzwangs(slice, rules)?);
        let mut statistics = Statistics { zugzwangs, ..Statistics::default() };
        for (code, count) in (0..=u16::MAX).map(Code).zip(codes).filter(|(_, count)| *count > 0) {
            match code.value() {
                Value::Win => statistics.win += count,
                Value::Draw => statistics.draw += count,
                Value::Loss => statistics.loss += count,
            }
            if let Some(distance) = code.distance() {
                statistics.distances.resize(usize::from(distance), 0);
                statistics.distances.push(count);
            }
        }
        Ok(statistics)
    }
}

/// The better of two turns' values for the side to move. [`Code::NONE`] is an unknown value: it is
/// better than a loss or a draw, and worse than a win.
fn better(one: Code, other: Code) -> Code {
    let is_win = |code: Code| code != Code::NONE && code.value() == Value::Win;
    match (one, other) {
        (Code::NONE, known) | (known, Code::NONE) if !is_win(known) => Code::NONE,
        (Code::NONE, win) | (win, Code::NONE) => win,
        _ => one.better(other),
    }
}

/// Calls `visit` for each step by which the side not to move may have reached this position: with the
/// stones before the step, as that side sees them, the point where it begins, and its direction.
fn for_each_before(
    board: Board,
    stones: Stones,
    mut visit: impl FnMut(Stones, PointSet, Direction),
) {
    let after = stones.swapped();
    let empty = board.all_points() - stones.occupied();
    for to in after.own.iter() {
        for direction in Direction::ALL {
            let from = board.shift(to.into(), direction.opposite()) & empty;
            if !from.is_empty() {
                visit(Stones { own: (after.own - to) | from, ..after }, from, direction);
            }
        }
    }
}

/// Whether a step to an empty point is a legal paika.
fn is_paika(rules: &RuleSet, position: &Position, from: PointSet, direction: Direction) -> bool {
    let rule = rules.turn_rule(position);
    let steps = rule.first_steps(position.board(), Stones::of(position));
    steps[direction as usize].quiet.intersects(from)
}

/// Numbers the positions of a slice, without symmetry. The opponent's set is ranked among the
/// points that the own set leaves free.
#[derive(Clone, Copy)]
struct Numbering {
    board: Board,
    slice: Slice,
}

impl Numbering {
    /// The number of positions.
    fn len(self) -> u64 {
        let positions = placements(self.board, self.slice.own.into(), self.slice.opponent.into());
        u64::try_from(positions).expect("memory for them was checked")
    }

    fn free(self) -> u32 {
        self.board.num_points() - u32::from(self.slice.own)
    }

    fn columns(self) -> u64 {
        choose(self.free(), self.slice.opponent.into())
    }

    /// The number of a position.
    fn number(self, Stones { own, opponent }: Stones) -> usize {
        let free_below = |p: Point| (((1 << p.index()) - 1) & !own.bits()).count_ones();
        let column: u64 = (1..).zip(opponent.iter()).map(|(k, p)| choose(free_below(p), k)).sum();
        (rank(own) * self.columns() + column) as usize
    }

    fn stones(self, number: usize) -> Stones {
        let mut found = Stones::from_bits(0, 0);
        self.for_each(number, 1, |_, stones| found = stones);
        found
    }

    /// Visits `count` positions from the number `first` on. The first argument of `visit` counts
    /// from 0.
    fn for_each(self, first: usize, count: usize, mut visit: impl FnMut(usize, Stones)) {
        let columns = self.columns();
        let (mut row, mut column) = (first as u64 / columns, first as u64 % columns);
        let mut done = 0;
        while done < count {
            let own = set_of_rank(row, self.slice.own.into(), self.board.num_points());
            let free: Vec<Point> = (self.board.all_points() - own).iter().collect();
            let mut set = set_of_rank(column, self.slice.opponent.into(), self.free());
            let here = (count - done).min((columns - column) as usize);
            for i in 0..here {
                let opponent = set.iter().map(|p| free[p.index()]).collect();
                visit(done + i, Stones { own, opponent });
                if i + 1 < here {
                    set = set_after(set);
                }
            }
            done += here;
            (row, column) = (row + 1, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_positions_belong_together() {
        for (board, own, opponent) in [("3x3", 2, 3), ("5x3", 3, 2), ("9x5", 2, 1), ("9x7", 1, 2)] {
            let board: Board = board.parse().expect("a board");
            let numbering = Numbering { board, slice: Slice::new(own, opponent) };
            let mut next = 0;
            numbering.for_each(0, numbering.len() as usize, |i, stones| {
                assert_eq!((i, numbering.number(stones)), (next, next));
                assert_eq!(numbering.stones(next), stones);
                next += 1;
            });
            assert_eq!(next as u64, numbering.len());
        }
    }
}
