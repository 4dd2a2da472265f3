//! Leaves whose values are in tables. Their values are not read one by one: positions are
//! collected, and each block of a table is decompressed once for all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use crate::error::{CheckError, Flaw};
use crate::position::{Position, Side, Value};
use crate::tables::{Slice, Tables};
use crate::turns::Game;

/// Own and opponent's set of a position that is the lowest of its images.
type Stones = (u64, u64);

/// The values that a leaf may have, for its side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Demand {
    pub(crate) to_move: Side,
    pub(crate) least: Value,
    pub(crate) most: Value,
}

impl Demand {
    /// The values with which a prover's claim holds where `to_move` is to move.
    pub(crate) fn new(prover: Side, claim: Value, to_move: Side) -> Self {
        if to_move == prover {
            Self { to_move, least: claim, most: Value::Win }
        } else {
            Self { to_move, least: Value::Loss, most: claim.for_other_side() }
        }
    }

    /// A flaw unless a value is as demanded.
    pub(crate) fn compare(
        self,
        game: &Game,
        (own, opponent): Stones,
        value: Value,
    ) -> Result<(), Flaw> {
        if (self.least..=self.most).contains(&value) {
            return Ok(());
        }
        let position = Position { own, opponent, to_move: self.to_move }.text(&game.board);
        let needed = match (self.least, self.most) {
            (least, Value::Win) => format!("at least a {least}"),
            (_, most) => format!("at most a {most}"),
        };
        Err(Flaw::BadLeaf { position, value, needed })
    }
}

/// The positions of a slice in ascending order, with their values.
struct Solved {
    positions: Vec<Stones>,
    values: Vec<Value>,
}

impl Solved {
    fn value(&self, stones: Stones) -> Option<Value> {
        self.positions.binary_search(&stones).ok().map(|at| self.values[at])
    }
}

type Lists = BTreeMap<(Slice, Demand), Vec<Stones>>;

/// Why a batch of leaves has no values.
enum Stop {
    /// They lead to too many positions at once.
    TooMany,
    Error(CheckError),
}

impl From<CheckError> for Stop {
    fn from(error: CheckError) -> Self {
        Self::Error(error)
    }
}

/// Leaves that wait for their values.
pub(crate) struct Leaves<'a> {
    game: &'a Game,
    tables: &'a mut Tables,
    /// The certificate, for errors.
    path: &'a Path,
    /// The most positions in memory.
    limit: usize,
    lists: Lists,
    count: usize,
    /// The slices of all leaves, and those that captures lead to.
    needed: BTreeSet<Slice>,
}

impl<'a> Leaves<'a> {
    pub(crate) fn new(
        game: &'a Game,
        tables: &'a mut Tables,
        path: &'a Path,
        limit: usize,
    ) -> Self {
        let (lists, needed) = (BTreeMap::new(), BTreeSet::new());
        Self { game, tables, path, limit, lists, count: 0, needed }
    }

    /// Whether the certificate names a table for a position.
    pub(crate) fn has_table(&self, position: &Position) -> bool {
        let (own, opponent) = position.stones();
        self.tables.has(Slice::new(own, opponent)) && !self.game.rules.first_phase(position)
    }

    /// Adds a position that has a table.
    pub(crate) fn add(&mut self, position: &Position, demand: Demand) -> Result<(), CheckError> {
        let (own, opponent) = position.stones();
        let stones = self.game.board.canonical(position.own, position.opponent);
        self.lists.entry((Slice::new(own, opponent), demand)).or_default().push(stones);
        self.count += 1;
        if self.count >= self.limit {
            self.count = compact(self.lists.values_mut());
            if self.count > self.limit / 2 {
                self.settle()?;
            }
        }
        Ok(())
    }

    /// Compares the values of the last leaves, and whether all named tables were needed.
    pub(crate) fn finish(mut self) -> Result<(), CheckError> {
        self.settle()?;
        match self.tables.slices().find(|slice| !self.needed.contains(slice)) {
            Some(slice) => Err(self.flaw(Flaw::TableNotNeeded { slice: slice.name() })),
            None => Ok(()),
        }
    }

    fn settle(&mut self) -> Result<(), CheckError> {
        let lists = std::mem::take(&mut self.lists);
        self.count = 0;
        self.find_needed(&lists)?;
        self.settle_lists(lists)
    }

    /// The slices that leaves and captures from them lead to must have tables.
    fn find_needed(&mut self, lists: &Lists) -> Result<(), CheckError> {
        let mut waiting: Vec<Slice> = lists.keys().map(|(slice, _)| *slice).collect();
        while let Some(slice) = waiting.pop() {
            if !self.needed.insert(slice) {
                continue;
            }
            let Some(table) = self.tables.get(slice) else {
                return Err(self.flaw(Flaw::TableNotNamed { slice: slice.name() }));
            };
            if !table.captures_stored {
                waiting.extend((1..slice.opponent()).map(|left| Slice::new(left, slice.own)));
            }
        }
        Ok(())
    }

    fn settle_lists(&mut self, mut lists: Lists) -> Result<(), CheckError> {
        compact(lists.values_mut());
        let solved = match self.solve(&lists) {
            Ok(solved) => solved,
            Err(Stop::Error(error)) => return Err(error),
            Err(Stop::TooMany) if lists.values().all(|list| list.len() < 2) => {
                let (path, limit) = (self.path.to_owned(), self.limit as u64);
                let what = "positions that captures lead to from a few leaves";
                return Err(CheckError::TooLarge { path, what, limit });
            }
            // One half after the other.
            Err(Stop::TooMany) => {
                let second =
                    lists.iter_mut().map(|(key, list)| (*key, list.split_off(list.len() / 2)));
                let second = second.collect();
                self.settle_lists(lists)?;
                return self.settle_lists(second);
            }
        };
        for ((slice, demand), list) in lists {
            for stones in list {
                let value = solved.get(&slice).and_then(|solved| solved.value(stones));
                if let Some(value) = value {
                    demand.compare(self.game, stones, value).map_err(|flaw| self.flaw(flaw))?;
                } else {
                    // Each leaf was put among the positions to solve.
                    unreachable!("a leaf has no value");
                }
            }
        }
        Ok(())
    }

    /// The values of leaves, and of the positions that captures lead to from them.
    fn solve(&mut self, lists: &Lists) -> Result<BTreeMap<Slice, Solved>, Stop> {
        let mut waiting: BTreeMap<Slice, Vec<Stones>> = BTreeMap::new();
        for ((slice, _), list) in lists {
            waiting.entry(*slice).or_default().extend(list);
        }
        // Captures lead to fewer stones, so the slices with the most stones are complete.
        let mut complete: BTreeMap<Slice, Vec<Stones>> = BTreeMap::new();
        let mut finished = 0;
        while let Some((slice, mut positions)) = waiting.pop_last() {
            compact([&mut positions].into_iter());
            finished += positions.len();
            if self.tables.get(slice).is_some_and(|table| !table.captures_stored) {
                let mut count = finished + waiting.values().map(Vec::len).sum::<usize>();
                for stones in &positions {
                    self.after_captures(*stones, |slice, after| {
                        waiting.entry(slice).or_default().push(after);
                        count += 1;
                        ControlFlow::Continue(())
                    });
                    if count > self.limit {
                        count = finished + compact(waiting.values_mut());
                        if count > self.limit / 2 {
                            return Err(Stop::TooMany);
                        }
                    }
                }
            }
            complete.insert(slice, positions);
        }
        let mut solved = BTreeMap::new();
        for (slice, positions) in complete {
            let values = self.values(slice, &positions, &solved)?;
            solved.insert(slice, Solved { positions, values });
        }
        Ok(solved)
    }

    /// The values of positions of a slice. Those that captures lead to from them are `smaller`.
    fn values(
        &mut self,
        slice: Slice,
        positions: &[Stones],
        smaller: &BTreeMap<Slice, Solved>,
    ) -> Result<Vec<Value>, CheckError> {
        let mut values = vec![Value::Loss; positions.len()];
        let captures_stored = self.tables.get(slice).is_some_and(|table| table.captures_stored);
        let mut stored: Vec<(u64, usize)> = Vec::new();
        for (number, stones) in positions.iter().enumerate() {
            if captures_stored || !self.can_capture(*stones) {
                stored.push((self.tables.index(*stones), number));
                continue;
            }
            let mut best = Value::Loss;
            self.after_captures_or_end(*stones, |after| {
                let value = match after {
                    // The other side has lost its last stone.
                    None => Value::Loss,
                    Some((slice, after)) => smaller
                        .get(&slice)
                        .and_then(|solved| solved.value(after))
                        .unwrap_or_else(|| unreachable!("a position after a capture has no value")),
                };
                best = best.max(value.for_other_side());
                if best == Value::Win { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            values[number] = best;
        }
        stored.sort_unstable();
        if let Some(table) = self.tables.get_mut(slice) {
            let mut numbers = stored.iter().map(|(_, number)| *number);
            table.read(stored.iter().map(|(index, _)| *index), |value| {
                if let Some(number) = numbers.next() {
                    values[number] = value;
                }
            })?;
        }
        Ok(values)
    }

    fn can_capture(&self, (own, opponent): Stones) -> bool {
        // Tables know no colours.
        self.game.can_capture(&Position { own, opponent, to_move: Side::White })
    }

    /// Calls `visit` with the positions after captures in which both sides have stones.
    fn after_captures(
        &self,
        stones: Stones,
        mut visit: impl FnMut(Slice, Stones) -> ControlFlow<()>,
    ) {
        self.after_captures_or_end(stones, |after| match after {
            Some((slice, stones)) => visit(slice, stones),
            None => ControlFlow::Continue(()),
        });
    }

    /// Calls `visit` with the positions after captures, or `None` where the last stone is taken.
    fn after_captures_or_end(
        &self,
        (own, opponent): Stones,
        mut visit: impl FnMut(Option<(Slice, Stones)>) -> ControlFlow<()>,
    ) {
        let position = Position { own, opponent, to_move: Side::White };
        if !self.can_capture((own, opponent)) {
            return;
        }
        let board = &self.game.board;
        // Whether the visitor broke off does not matter here.
        let _ = self.game.turns(&position, &mut |after| {
            let (own, opponent) = after.stones();
            let stones = || board.canonical(after.own, after.opponent);
            visit((own > 0).then(|| (Slice::new(own, opponent), stones())))
        });
    }

    fn flaw(&self, flaw: Flaw) -> CheckError {
        CheckError::DoesNotHold { path: self.path.to_owned(), flaw }
    }
}

/// Sorts lists and leaves out what is in one twice. Returns the number of positions that are left.
fn compact<'a>(lists: impl Iterator<Item = &'a mut Vec<Stones>>) -> usize {
    let mut count = 0;
    for list in lists {
        list.sort_unstable();
        list.dedup();
        count += list.len();
    }
    count
}
