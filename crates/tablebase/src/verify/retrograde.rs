//! Solving a unit backward, by none of the builders' means.
//!
//! Positions are numbered without symmetry. Each begins with what its captures are worth and how
//! many paikas it has. Positions are then decided in the order of their distance: from a lost one
//! its predecessors by paika are won, from a won one each predecessor has one way out less, and is
//! lost when none is left. What is never reached is drawn.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona_core::{
    Board, Direction, FirstSteps, NoTurns, Paikas, PointSet, Position, RuleSet, Side, Value, points,
};
use rayon::prelude::*;

use crate::builder::check_stop;
use crate::error::Result;
use crate::format::Statistics;
use crate::orbits::{binomial, placements, rank, unrank};
use crate::probe::Tables;
use crate::slice::{Slice, Unit};
use crate::value::{Code, Metric};
use crate::zugzwang::Zugzwang;

/// How many positions a thread goes through before it looks up.
const CHUNK: usize = 1 << 14;

/// More paikas than any position has: this one is never lost, for a capture wins or holds it.
const HELD: u16 = u16::MAX;

/// The values of a unit's slices.
pub(super) struct Solution {
    board: Board,
    metric: Metric,
    slices: Vec<Solved>,
}

struct Solved {
    slice: Slice,
    codes: Vec<Code>,
}

/// A position before it is decided.
#[derive(Clone, Copy)]
struct Open {
    /// Paikas that are not known to lose.
    ways_out: u16,
    /// The value that captures give, none without a capture.
    captures: Code,
}

/// Numbers the positions of a slice, no symmetry taken out.
#[derive(Clone, Copy)]
struct Numbering {
    board: Board,
    slice: Slice,
}

impl Numbering {
    fn len(self) -> u64 {
        placements(self.board, self.slice.own.into(), self.slice.opponent.into())
    }

    /// The opponent's sets are ranked among the points that the mover leaves free.
    fn number(self, own: PointSet, opponent: PointSet) -> usize {
        let free = points(self.board.all_points() & !own);
        let within = free.enumerate().filter(|(_, p)| p.set() & opponent != 0);
        let compressed = within.fold(0, |set, (i, _)| set | 1 << i);
        let columns =
            binomial(self.board.points() - u32::from(self.slice.own), self.slice.opponent.into());
        (rank(own) * columns + rank(compressed)) as usize
    }

    fn position(self, number: usize) -> (PointSet, PointSet) {
        let free = self.board.points() - u32::from(self.slice.own);
        let columns = binomial(free, self.slice.opponent.into());
        let own = unrank(number as u64 / columns, self.slice.own.into(), self.board.points());
        let compressed = unrank(number as u64 % columns, self.slice.opponent.into(), free);
        let opponent = points(self.board.all_points() & !own)
            .enumerate()
            .filter(|(i, _)| compressed >> i & 1 != 0)
            .fold(0, |set, (_, p)| set | p.set());
        (own, opponent)
    }
}

/// Solves a unit, given the tables of smaller ones.
pub(super) fn solve(
    tables: &Tables,
    unit: Unit,
    metric: Metric,
    stop: &AtomicBool,
) -> Result<Solution> {
    let board = tables.board();
    let rules = unit.stronger().rules(board, &tables.rules())?;
    let mut slices: Vec<Solved> = unit
        .slices()
        .map(|slice| {
            let len = Numbering { board, slice }.len() as usize;
            Solved { slice, codes: vec![Code::NONE; len] }
        })
        .collect();
    let mut open = Vec::new();
    for solved in &slices {
        open.push(open_slice(tables, &rules, solved.slice, metric, stop)?);
    }

    // What is to be decided at each distance.
    let mut due: Vec<Vec<(u8, u32)>> = Vec::new();
    let schedule = |due: &mut Vec<Vec<(u8, u32)>>, code: Code, at: (u8, u32)| {
        if let Some(distance) = code.distance() {
            let distance = usize::from(distance);
            if due.len() <= distance {
                due.resize(distance + 1, Vec::new());
            }
            due[distance].push(at);
        }
    };
    for (which, open) in open.iter().enumerate() {
        for (number, position) in open.iter().enumerate() {
            let at = (which as u8, number as u32);
            match position.captures.value() {
                Value::Win if position.captures != Code::NONE => {
                    schedule(&mut due, position.captures, at);
                }
                _ if position.ways_out == 0 => {
                    let lost = position.captures;
                    schedule(&mut due, if lost == Code::NONE { Code::LOSS } else { lost }, at);
                }
                _ => {}
            }
        }
    }
    let mut distance = 0;
    while distance < due.len() {
        check_stop(stop)?;
        let code = Code(distance as u16 + 1);
        for (which, number) in std::mem::take(&mut due[distance]) {
            let solved = &mut slices[usize::from(which)];
            let known = &mut solved.codes[number as usize];
            if *known != Code::NONE {
                continue;
            }
            *known = code;
            let (own, opponent) =
                Numbering { board, slice: solved.slice }.position(number as usize);
            let other = if slices.len() == 1 { 0 } else { 1 - which };
            let before = Numbering { board, slice: slices[usize::from(other)].slice };
            for mover in predecessors(board, &rules, own, opponent) {
                let number = before.number(mover, own);
                let at = (other, number as u32);
                let position = &mut open[usize::from(other)][number];
                if code.value() == Value::Loss {
                    schedule(&mut due, code.before_turn(Metric::Dtw), at);
                } else if position.ways_out != HELD {
                    position.ways_out -= 1;
                    if position.ways_out == 0 {
                        let paika = code.before_turn(Metric::Dtw);
                        let captures = position.captures;
                        let latest = captures.0.max(paika.0);
                        let code = if captures == Code::NONE { paika } else { Code(latest) };
                        schedule(&mut due, code, at);
                    }
                }
            }
        }
        distance += 1;
    }
    for solved in &mut slices {
        for code in &mut solved.codes {
            if *code == Code::NONE {
                *code = Code::DRAW;
            }
        }
    }
    Ok(Solution { board, metric, slices })
}

/// The beginning: what captures are worth, and how many paikas there are.
fn open_slice(
    tables: &Tables,
    rules: &RuleSet,
    slice: Slice,
    metric: Metric,
    stop: &AtomicBool,
) -> Result<Vec<Open>> {
    let numbering = Numbering { board: tables.board(), slice };
    let closed = Open { ways_out: HELD, captures: Code::NONE };
    let mut open = vec![closed; numbering.len() as usize];
    open.par_chunks_mut(CHUNK).enumerate().try_for_each(|(chunk, places)| {
        check_stop(stop)?;
        for (i, place) in places.iter_mut().enumerate() {
            let (own, opponent) = numbering.position(chunk * CHUNK + i);
            let position = Position::from_mover(numbering.board, own, opponent, Side::White)
                .expect("sets of a slice are apart");
            let mut captures: Option<Code> = None;
            let mut paikas = 0;
            let mut error = None;
            rules.for_each_turn(&position, |turn| {
                if turn.is_paika() {
                    paikas += 1;
                } else {
                    match tables.code(&position.play_unchecked(turn), metric) {
                        Ok(code) => {
                            let code = code.before_turn(metric);
                            captures = Some(captures.map_or(code, |best| best.better(code)));
                        }
                        Err(found) => error = Some(found),
                    }
                }
            });
            if let Some(error) = error {
                return Err(error);
            }
            let blocked = captures.is_none() && paikas == 0;
            let held = captures.is_some_and(|code| code.value() != Value::Loss)
                || blocked && rules.no_turns == NoTurns::Draw;
            *place = Open {
                ways_out: if held { HELD } else { paikas },
                captures: captures.unwrap_or(Code::NONE),
            };
        }
        Ok(())
    })?;
    Ok(open)
}

/// The stones that the side that has just moved can have had before a paika: `own` is to move now.
fn predecessors(
    board: Board,
    rules: &RuleSet,
    own: PointSet,
    opponent: PointSet,
) -> impl Iterator<Item = PointSet> {
    let empty = board.all_points() & !(own | opponent);
    let rules = *rules;
    points(opponent).flat_map(move |to| {
        Direction::ALL.into_iter().filter_map(move |direction| {
            let from =
                board.neighbour(to, direction.opposite()).filter(|p| p.set() & empty != 0)?;
            let mover = opponent & !to.set() | from.set();
            let before = Position::from_mover(board, mover, own, Side::White).ok()?;
            let steps = FirstSteps::all(board, mover, own);
            let quiet = steps[direction as usize].quiet & from.set() != 0;
            let legal = quiet
                && match rules.turn_rule(&before).paikas {
                    Paikas::WhenNoCapture => steps.iter().all(|steps| steps.capturing() == 0),
                    Paikas::NonCapturingStep | Paikas::AnyStep => true,
                    Paikas::Never => false,
                };
            legal.then_some(mover)
        })
    })
}

impl Solution {
    fn of(&self, slice: Slice) -> &Solved {
        self.slices.iter().find(|solved| solved.slice == slice).expect("a slice of the unit")
    }

    /// Compares all values with what probing gives; how many were compared, and the first
    /// difference by number.
    pub fn compare(
        &self,
        tables: &Tables,
        slice: Slice,
        stop: &AtomicBool,
    ) -> Result<(u64, Option<String>)> {
        let numbering = Numbering { board: self.board, slice };
        let codes = &self.of(slice).codes;
        let checked = AtomicU64::new(0);
        let differences = codes
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, codes)| {
                check_stop(stop)?;
                for (i, expected) in codes.iter().enumerate() {
                    let (own, opponent) = numbering.position(chunk * CHUNK + i);
                    let position = Position::from_mover(self.board, own, opponent, Side::White)
                        .expect("sets of a slice are apart");
                    let found = tables.code(&position, self.metric)?;
                    let expected = match self.metric {
                        Metric::Wdl => expected.as_wdl(),
                        Metric::Dtw => *expected,
                    };
                    checked.fetch_add(1, Ordering::Relaxed);
                    if found != expected {
                        let show = |code: Code| match code.to_table_value(self.metric) {
                            value if value.dtw.is_some() => {
                                format!("{} in {}", value.value, value.dtw.unwrap_or_default())
                            }
                            value => value.value.to_string(),
                        };
                        let (found, expected) = (show(found), show(expected));
                        return Ok(Some(format!(
                            "{position} is {found}, and should be {expected}"
                        )));
                    }
                }
                Ok(None)
            })
            .collect::<Result<Vec<_>>>()?;
        Ok((checked.into_inner(), differences.into_iter().flatten().next()))
    }

    /// What zugzwang a position of the unit is.
    pub fn zugzwang(&self, rules: &RuleSet, position: &Position) -> Option<Zugzwang> {
        let value = |position: &Position| {
            let slice = Slice::of(position).expect("a position of the unit");
            let number = Numbering { board: self.board, slice };
            self.of(slice).codes[number.number(position.own(), position.opponent())].value()
        };
        let other = position.with_other_to_move();
        Zugzwang::of(value(position), value(&other))
            .filter(|_| !rules.has_capture(position) && !rules.has_capture(&other))
    }

    /// How many zugzwangs of each kind a slice has.
    pub fn zugzwangs(&self, slice: Slice, rules: &RuleSet, stop: &AtomicBool) -> Result<[u64; 3]> {
        let numbering = Numbering { board: self.board, slice };
        let counts = self.of(slice).codes.par_chunks(CHUNK).enumerate().map(|(chunk, codes)| {
            check_stop(stop)?;
            let mut counts = [0; 3];
            for (i, code) in codes.iter().enumerate() {
                // Who wins by moving is in none.
                if code.value() == Value::Win {
                    continue;
                }
                let (own, opponent) = numbering.position(chunk * CHUNK + i);
                let position = Position::from_mover(self.board, own, opponent, Side::White)
                    .expect("sets of a slice are apart");
                if let Some(kind) = self.zugzwang(rules, &position) {
                    counts[kind as usize] += 1;
                }
            }
            Ok(counts)
        });
        counts.try_reduce(|| [0; 3], |a, b| Ok(std::array::from_fn(|i| a[i] + b[i])))
    }

    /// The counts of a slice.
    pub fn statistics(&self, slice: Slice) -> Statistics {
        let mut statistics = Statistics::default();
        for code in &self.of(slice).codes {
            match code.value() {
                Value::Win => statistics.win += 1,
                Value::Draw => statistics.draw += 1,
                Value::Loss => statistics.loss += 1,
            }
            if let Some(distance) = code.distance().map(usize::from) {
                if statistics.distances.len() <= distance {
                    statistics.distances.resize(distance + 1, 0);
                }
                statistics.distances[distance] += 1;
            }
        }
        statistics
    }
}
