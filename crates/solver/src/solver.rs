//! Asking both questions of a position.

use std::fmt;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fanorona_core::{Board, Position, RuleSet, Turn};
use fanorona_proof::{Bounds, Question};
use fanorona_tablebase::Tables;

use crate::engine::{Bound, Counts, Engine};
use crate::error::{NotSaved, Result, SolverError};
use crate::game::{Game, Lister};
use crate::memory::{Memory, Table};
use crate::state::{self, State};
use crate::strategy::Strategy;
use crate::turns::{Turns, remember};
use crate::{Analysis, End, Limits, LineTurn, Progress, QuestionState};

/// Positions that the first look at a question takes; each later one takes twice as many.
const FIRST_SLICE: u64 = 1 << 14;

/// Time between two times that the search is kept in its file. In tests it is kept all the time.
const SAVE: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 180 });

/// Keeping the search takes at most about this part of the time.
const SAVE_PART: u32 = 20;

/// Positions that may be looked at to find a turn of the line of play.
const LINE_NODES: u64 = 1 << 18;

/// The longest line of play, in turns.
const LONGEST_LINE: usize = 100;

/// Proves values of positions of one board under one rule set, and remembers for the next position
/// what it has found out.
pub struct Solver<'a> {
    pub(crate) engine: Engine<'a>,
}

/// An analysis under way.
struct Task<'t> {
    position: Position,
    limits: &'t Limits,
    stop: &'t AtomicBool,
    started: Instant,
    bounds: Bounds,
    questions: [QuestionState; 2],
    /// The places of the turns that the answers stand for.
    replies: [u16; 2],
    turns: Rc<Turns>,
    slice: u64,
    /// What had been counted before, by other analyses.
    before: Counts,
    /// What an earlier part of this one took.
    earlier: Counts,
    earlier_time: Duration,
    /// Why the search was not kept when that was last tried.
    not_saved: Option<NotSaved>,
}

impl fmt::Debug for Solver<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver").finish_non_exhaustive()
    }
}

impl<'a> Solver<'a> {
    /// A solver that remembers what fits into so many bytes.
    ///
    /// # Errors
    /// If there is not so much memory, or a table is damaged.
    pub fn new(
        rules: RuleSet,
        board: Board,
        tables: Option<&'a Tables>,
        memory: usize,
    ) -> Result<Self> {
        let game = Game::new(rules, board, tables)?;
        let memory = Memory::new(memory)
            .map_err(|source| SolverError::Memory { mib: memory >> 20, source })?;
        Ok(Self { engine: Engine { game, memory, counts: Counts::default() } })
    }

    /// Finds the value of a position, or what can be proved of it within the limits.
    ///
    /// `stop` is looked at all the time, and `progress` is told twice a second how it goes.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read, if a thread cannot be started, if the position is
    /// of another board, or if the file to keep the search in is there and cannot be used. A table
    /// that is missing is no error: the search goes on without it. Neither is it if the search cannot
    /// be kept: see [`Analysis::not_saved`].
    pub fn analyze(
        &mut self,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
        mut progress: impl FnMut(&Progress),
    ) -> Result<Analysis> {
        let started = Instant::now();
        let game = &self.engine.game;
        let (expected, found) = (game.board, position.board());
        if expected != found {
            return Err(SolverError::OtherBoard { expected, found });
        }
        let mover = position.to_move();
        let table_value = game.probe(position)?;
        let ranking = match game.tables {
            Some(tables) if table_value.is_some() => Some(tables.rank(position)?),
            _ => None,
        };
        let known = match table_value {
            Some(found) => Some(found.value),
            None => game.rules.outcome(position).map(|outcome| outcome.value_for(mover)),
        };
        let mut task = Task {
            position: *position,
            limits,
            stop,
            started,
            bounds: known.map_or(Bounds::UNKNOWN, Bounds::exact),
            questions: Question::both(mover).map(QuestionState::new),
            replies: [crate::memory::NO_REPLY; 2],
            turns: Rc::default(),
            slice: FIRST_SLICE,
            before: self.engine.counts,
            earlier: Counts::default(),
            earlier_time: Duration::ZERO,
            not_saved: None,
        };
        task.answer();
        if known.is_none() {
            task.turns = Rc::new(Turns::new(game, position, Question::both(mover))?);
        }
        if let Some(path) = limits.resume.as_deref().filter(|_| known.is_none()) {
            self.resume(&mut task, path)?;
        }
        let end = self.ask(&mut task, &mut progress)?;
        if let Some(path) = limits.resume.as_deref().filter(|_| known.is_none()) {
            self.save(&mut task, path);
        }
        let now = task.progress(self.engine.counts, self.engine.memory.table());
        let Progress {
            bounds, questions, turns, nodes, table_hits, memory_filled, elapsed, ..
        } = now;
        let line = match end {
            End::Proved => self.line(position, bounds, limits, stop)?,
            _ => Vec::new(),
        };
        let best = match (line.first(), &ranking) {
            (Some(first), _) => Some(first.turn.clone()),
            (None, Some(ranking)) => ranking.first().map(|ranked| ranked.turn.clone()),
            (None, None) => self.best(&task),
        };
        Ok(Analysis {
            bounds,
            best,
            line,
            dtw: table_value.and_then(|found| found.dtw),
            ranking,
            questions,
            turns,
            nodes,
            table_hits,
            memory_filled,
            elapsed,
            end,
            not_saved: now.not_saved,
        })
    }

    /// Tells turns of a proof: those by which the question's attacker wins, if `answer` is yes, and
    /// else those by which the other side prevents it. What the memory has lost is searched again,
    /// as far as the limits allow for each turn.
    pub fn strategy<'s>(
        &'s mut self,
        question: Question,
        answer: bool,
        limits: &Limits,
        stop: &'s AtomicBool,
    ) -> Strategy<'s, 'a> {
        Strategy::new(&mut self.engine, question, answer, limits, stop)
    }

    /// Asks both questions in turn, each time with more patience.
    fn ask(&mut self, task: &mut Task<'_>, progress: &mut impl FnMut(&Progress)) -> Result<End> {
        let deadline = task.limits.time.map(|time| task.started + time);
        let mut pause = SAVE;
        let mut save_at = task.limits.resume.as_ref().map(|_| Instant::now() + pause);
        loop {
            for i in 0..task.questions.len() {
                if task.bounds.value().is_some() {
                    return Ok(End::Proved);
                }
                if task.questions[i].answer.is_some() {
                    continue;
                }
                let mut left = task.slice;
                while left > 0 && task.questions[i].answer.is_none() {
                    if task.stop.load(Ordering::Relaxed) {
                        return Ok(End::Stopped);
                    }
                    if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                        return Ok(End::Time);
                    }
                    let done = self.engine.counts.nodes - task.before.nodes;
                    let most = task.limits.nodes.unwrap_or(u64::MAX).saturating_sub(done);
                    if most == 0 {
                        return Ok(End::Nodes);
                    }
                    if let Some(path) = &task.limits.resume
                        && save_at.is_some_and(|at| Instant::now() >= at)
                    {
                        let begun = Instant::now();
                        self.save(task, path);
                        pause = pause.max(SAVE_PART * begun.elapsed());
                        save_at = Some(Instant::now() + pause);
                    }
                    let until = deadline.into_iter().chain(save_at).min();
                    let nodes = self.engine.counts.nodes;
                    self.slice(task, i, left.min(most), until, progress)?;
                    left = left.saturating_sub(self.engine.counts.nodes - nodes);
                }
            }
            task.slice = task.slice.saturating_mul(2);
        }
    }

    /// Asks one question for a while.
    fn slice(
        &mut self,
        task: &mut Task<'_>,
        i: usize,
        nodes: u64,
        deadline: Option<Instant>,
        progress: &mut impl FnMut(&Progress),
    ) -> Result<()> {
        let question = task.questions[i].question;
        let node = self.engine.game.node(&task.position, question.attacker);
        let bound = Bound { threads: task.limits.threads(), nodes, deadline, stop: task.stop };
        let turns = task.turns.clone();
        let verdict = self.engine.prove(node, &bound, &turns.below[i], |now, table| {
            // The answer is told by the verdict.
            remember(&mut task.questions[i], node, table);
            task.questions[i].answer = None;
            progress(&task.progress(now, table));
        })?;
        if let Some(verdict) = verdict {
            task.replies[i] = verdict.reply;
            question.apply(verdict.wins, &mut task.bounds, task.position.to_move());
            task.answer();
        }
        Ok(())
    }

    /// A turn that gets what is proved.
    fn best(&self, task: &Task<'_>) -> Option<Turn> {
        // The mover's own question tells how it wins; the other's, how the mover prevents a loss,
        // or puts it off.
        let i = usize::from(task.questions[0].answer != Some(true));
        let game = &self.engine.game;
        let attacker = task.questions[i].question.attacker;
        let mut lister = Lister::new(game);
        let after = lister.list(game, game.node(&task.position, attacker));
        game.turn_to(&task.position, attacker, *after.get(usize::from(task.replies[i]))?)
    }

    /// How play goes on from a position with a known value, as far as it can be told without much
    /// work: to the end, into a table or round in a circle.
    fn line(
        &mut self,
        position: &Position,
        bounds: Bounds,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<Vec<LineTurn>> {
        let limits = Limits { nodes: Some(LINE_NODES), time: None, ..limits.clone() };
        let mut line: Vec<LineTurn> = Vec::new();
        let (mut here, Some(mut value)) = (*position, bounds.value()) else {
            return Ok(line);
        };
        while line.len() < LONGEST_LINE && self.engine.game.rules.outcome(&here).is_none() {
            let turn = match Strategy::best(&mut self.engine, &here, value, &limits, stop) {
                Ok(turn) => turn,
                Err(SolverError::Stopped) => None,
                Err(error) => return Err(error),
            };
            let Some(turn) = turn else { break };
            let after = here.play_unchecked(&turn);
            let is_new = after != *position && line.iter().all(|earlier| earlier.after != after);
            line.push(LineTurn { turn, after, value });
            if !is_new {
                break;
            }
            (here, value) = (after, -value);
        }
        Ok(line)
    }

    /// Keeps the search. That this fails is no reason to end it.
    fn save(&mut self, task: &mut Task<'_>, path: &Path) {
        let saved = self.try_save(task, path);
        task.not_saved = saved.err().map(|error| NotSaved::new(path, &error));
    }

    fn try_save(&mut self, task: &Task<'_>, path: &Path) -> Result<()> {
        let Engine { game, memory, counts } = &mut self.engine;
        let now = task.progress(*counts, memory.table());
        let state = State {
            answers: task.questions.map(|question| question.answer),
            replies: task.replies,
            slice: task.slice,
            below: task.turns.below(),
            nodes: now.nodes,
            table_hits: now.table_hits,
            seconds: now.elapsed.as_secs_f64(),
            used: counts.used,
            memory: memory.bytes().len() as u64,
            ..State::new(game.rules, &task.position, state::tables(game.tables)?)
        };
        state.save(path, memory)
    }

    /// Goes on where a file says, if it is there.
    fn resume(&mut self, task: &mut Task<'_>, path: &Path) -> Result<()> {
        if !path.try_exists().map_err(SolverError::io("cannot read", path))? {
            return Ok(());
        }
        let Engine { game, memory, counts } = &mut self.engine;
        let wanted = State::new(game.rules, &task.position, state::tables(game.tables)?);
        let (state, kept) = State::load(path, &wanted)?;
        *memory = kept;
        counts.used = state.used;
        let mover = task.position.to_move();
        for (state, answer) in task.questions.iter().zip(state.answers) {
            if let Some(answer) = answer {
                state.question.apply(answer, &mut task.bounds, mover);
            }
        }
        task.answer();
        task.replies = state.replies;
        task.slice = state.slice.max(1);
        task.turns.set_below(&state.below);
        task.earlier = Counts { nodes: state.nodes, table_hits: state.table_hits, used: 0 };
        task.earlier_time = Duration::try_from_secs_f64(state.seconds).unwrap_or_default();
        Ok(())
    }
}

impl Task<'_> {
    /// Answers the questions from the bounds.
    fn answer(&mut self) {
        for state in &mut self.questions {
            state.answer = state.question.answer(self.bounds, self.position.to_move());
        }
    }

    fn progress(&self, now: Counts, table: Table<'_>) -> Progress {
        Progress {
            bounds: self.bounds,
            questions: self.questions,
            turns: self.turns.states(self.questions.map(|state| state.question), table),
            nodes: self.earlier.nodes + now.nodes - self.before.nodes,
            table_hits: self.earlier.table_hits + now.table_hits - self.before.table_hits,
            memory_filled: now.used as f64 / table.capacity() as f64,
            elapsed: self.earlier_time + self.started.elapsed(),
            not_saved: self.not_saved.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_cannot_be_kept_goes_on() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("none").join("search");
        let start = "7x3".parse::<Board>().expect("a board").start();
        let limits = Limits { threads: 1, resume: Some(path.clone()), ..Limits::default() };
        let mut solver = Solver::new(RuleSet::STANDARD, start.board(), None, 1 << 20).unwrap();
        let (mut reports, mut warned) = (0, 0);
        let stop = AtomicBool::new(false);
        let analysis = solver.analyze(&start, &limits, &stop, |now| {
            reports += 1;
            warned += u32::from(now.not_saved.as_ref().is_some_and(|failed| failed.path == path));
        });
        assert_eq!(analysis.expect("it is finished").end, End::Proved);
        assert!(reports > 1 && warned > 1, "{warned} of {reports}");
    }
}
