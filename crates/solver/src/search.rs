//! The search: four questions, asked one turn deeper each time.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use fanorona_core::{NoTurns, Position, RuleSet, Turn, Value};
use fanorona_tablebase::{TableError, TableValue, Tables};

use crate::memo::{Memo, Question};
use crate::{Analysis, Bounds, End, Limits, Progress};

/// Positions between two looks at the clock.
const CLOCK: u64 = 1 << 10;

pub struct Search<'a> {
    rules: &'a RuleSet,
    tables: Option<&'a Tables>,
    /// The most stones of a table; positions with more are not looked for.
    table_stones: u32,
    limits: &'a Limits,
    stop: &'a AtomicBool,
    started: Instant,
    memo: Memo,
    nodes: u64,
}

/// Why the search stops in the middle.
enum Halt {
    End(End),
    Tables(TableError),
}

impl From<TableError> for Halt {
    fn from(error: TableError) -> Self {
        Self::Tables(error)
    }
}

/// A turn of the first position.
struct First {
    turn: Turn,
    after: Position,
    /// The depth at which the turn was found to lose.
    lost_at: Option<u16>,
}

impl<'a> Search<'a> {
    pub fn new(
        rules: &'a RuleSet,
        tables: Option<&'a Tables>,
        limits: &'a Limits,
        stop: &'a AtomicBool,
        started: Instant,
    ) -> Result<Self, TableError> {
        let there = tables.map(Tables::all).transpose()?;
        let stones = there.iter().flatten().map(|table| table.metadata().slice.stones());
        let table_stones = stones.max().unwrap_or(0);
        let memo = Memo::new(limits.memory);
        Ok(Self { rules, tables, table_stones, limits, stop, started, memo, nodes: 0 })
    }

    /// What the tables say of a position; `None` if it is not in them.
    pub fn table_value(&self, position: &Position) -> Result<Option<TableValue>, TableError> {
        let stones = (position.own() | position.opponent()).count_ones();
        let Some(tables) = self.tables.filter(|_| stones <= self.table_stones) else {
            return Ok(None);
        };
        match tables.probe(position) {
            Ok(value) => Ok(Some(value)),
            Err(TableError::Missing { .. } | TableError::VelaPhase1 { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Asks deeper and deeper.
    pub fn deepen(
        mut self,
        position: &Position,
        mut progress: impl FnMut(&Progress),
    ) -> Result<Analysis, TableError> {
        let mut bounds = match self.rules.outcome(position) {
            Some(outcome) => Bounds::exact(outcome.value_for(position.to_move())),
            None => Bounds::UNKNOWN,
        };
        let mut turns = self.first_turns(position);
        let mut best = None;
        let mut depth = 0;
        let end = loop {
            if bounds.value().is_some() {
                break End::Proved;
            }
            if depth == self.limits.depth.unwrap_or(u16::MAX) {
                break End::Depth;
            }
            match self.iteration(position, &mut turns, depth + 1, &mut bounds, &mut best) {
                Ok(()) => {}
                Err(Halt::End(end)) => break end,
                Err(Halt::Tables(error)) => return Err(error),
            }
            depth += 1;
            let (nodes, elapsed) = (self.nodes, self.started.elapsed());
            progress(&Progress { depth, bounds, nodes, elapsed });
        };
        if bounds.at_most == Value::Loss {
            // Reversed, for of the longest ones the first is to be found.
            best = turns.iter().rev().max_by_key(|first| first.lost_at).map(|f| f.turn.clone());
        }
        Ok(Analysis {
            bounds,
            best,
            dtw: None,
            ranking: None,
            depth,
            nodes: self.nodes,
            elapsed: self.started.elapsed(),
            end,
        })
    }

    /// A turn with which the side to move gets its goal, by asking deeper and deeper; `None` if the
    /// depth or the time is over, or the search was stopped.
    pub fn turn(mut self, position: &Position, goal: Value) -> Result<Option<Turn>, TableError> {
        let question = Question { attacker: position.to_move(), goal };
        for depth in 0..self.limits.depth.unwrap_or(u16::MAX) {
            for first in self.first_turns(position) {
                match self.prove(&first.after, depth, question) {
                    Ok(true) => return Ok(Some(first.turn)),
                    Ok(false) => {}
                    Err(Halt::End(_)) => return Ok(None),
                    Err(Halt::Tables(error)) => return Err(error),
                }
            }
        }
        Ok(None)
    }

    /// The first position's turns, those that take most first.
    fn first_turns(&self, position: &Position) -> Vec<First> {
        let turns = self.rules.turns(position).into_iter();
        let mut turns: Vec<_> = turns
            .map(|turn| {
                let after = position.play_unchecked(&turn);
                First { turn, after, lost_at: None }
            })
            .collect();
        turns.sort_by_key(|first| Reverse(first.turn.captured().count_ones()));
        turns
    }

    /// Asks every open question of the first position to this depth.
    fn iteration(
        &mut self,
        position: &Position,
        turns: &mut [First],
        depth: u16,
        bounds: &mut Bounds,
        best: &mut Option<Turn>,
    ) -> Result<(), Halt> {
        let mover = position.to_move();
        // Draws come from tables and from the rule set; where there are none, nobody can prove one.
        let draws = self.table_stones > 0 || self.rules.no_turns == NoTurns::Draw;
        let goals = [(Value::Win, true), (Value::Draw, draws)];
        for goal in goals.into_iter().filter_map(|(goal, possible)| possible.then_some(goal)) {
            for attacker in [mover, mover.other()] {
                let question = Question { attacker, goal };
                if question.answer(*bounds, mover).is_some() {
                    continue;
                }
                if attacker == mover {
                    for first in turns.iter() {
                        if self.prove(&first.after, depth - 1, question)? {
                            question.raise(bounds, mover);
                            *best = Some(first.turn.clone());
                            break;
                        }
                    }
                } else if self.refute_all(turns, depth, question)? {
                    question.raise(bounds, mover);
                }
            }
        }
        Ok(())
    }

    /// Whether the waiting side gets its goal after every first turn.
    fn refute_all(
        &mut self,
        turns: &mut [First],
        depth: u16,
        question: Question,
    ) -> Result<bool, Halt> {
        for first in turns {
            if !self.prove(&first.after, depth - 1, question)? {
                return Ok(false);
            }
            if question.goal == Value::Win {
                first.lost_at.get_or_insert(depth);
            }
        }
        Ok(true)
    }

    /// Whether the answer is yes, as far as `depth` turns can tell.
    fn prove(&mut self, position: &Position, depth: u16, question: Question) -> Result<bool, Halt> {
        self.look_at_clock()?;
        let mover = position.to_move();
        let mut facts = self.memo.get(position);
        if let Some(answer) = question.answer(facts.bounds, mover) {
            return Ok(answer);
        }
        if let Some(value) = self.known_value(position)? {
            facts.bounds = Bounds::exact(value);
            if position.own() != 0 && position.opponent() != 0 {
                self.memo.set(position, facts);
            }
            return Ok(question.answer(facts.bounds, mover).unwrap_or(false));
        }
        // At depth 0 this is so from the beginning.
        if facts.failed[question.index()] >= depth {
            return Ok(false);
        }
        let attacks = mover == question.attacker;
        let mut proved = !attacks;
        for after in self.successors(position) {
            if self.prove(&after, depth - 1, question)? == attacks {
                proved = attacks;
                break;
            }
        }
        // What lies below may have found out more of this very position.
        facts = self.memo.get(position);
        if proved {
            question.raise(&mut facts.bounds, mover);
        } else {
            let failed = &mut facts.failed[question.index()];
            *failed = depth.max(*failed);
        }
        self.memo.set(position, facts);
        Ok(proved)
    }

    /// The value of a finished game or of a position in the tables.
    fn known_value(&self, position: &Position) -> Result<Option<Value>, TableError> {
        if let Some(outcome) = self.rules.outcome(position) {
            return Ok(Some(outcome.value_for(position.to_move())));
        }
        Ok(self.table_value(position)?.map(|found| found.value))
    }

    /// The positions after every turn, those with the fewest stones first: the sooner a question
    /// is answered there, the fewer are asked.
    fn successors(&self, position: &Position) -> Vec<Position> {
        let mut successors = Vec::new();
        self.rules.for_each_turn(position, |turn| successors.push(position.play_unchecked(turn)));
        successors.sort_unstable_by_key(|p| (p.own().count_ones(), p.own(), p.opponent()));
        successors.dedup();
        successors
    }

    fn look_at_clock(&mut self) -> Result<(), Halt> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(CLOCK) {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Halt::End(End::Stopped));
            }
            if self.limits.time.is_some_and(|time| self.started.elapsed() >= time) {
                return Err(Halt::End(End::Time));
            }
        }
        Ok(())
    }
}
