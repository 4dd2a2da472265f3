//! One analysis: asking both questions of a position by turns.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fanorona_core::{Position, Turn, Value, with_causes};
use fanorona_proof::{Bounds, Question};
use web_time::Instant;

use crate::error::{Result, SolverError};
use crate::game::SuccessorList;
use crate::limits::Limits;
use crate::prover::{Counts, NodeLimits, Prover};
use crate::report::{End, QuestionState, SearchReport};
use crate::root_turns::{RootTurns, update};
use crate::saved_search::SavedSearch;
use crate::transposition::{NO_REPLY, TableView};

/// How many positions to search for a question before the other has its turn. Doubles each time.
const FIRST_SLICE: u64 = 1 << 14;

/// The most positions for a question at a time that a saved search may ask for.
const MAX_SAVED_SLICE: u64 = 1 << 40;

/// The usual time between saves.
const SAVE_INTERVAL: Duration = Duration::from_secs(180);

/// Saving takes at most about this part of the time.
const SAVE_SHARE: u32 = 20;

/// An analysis in progress.
pub(crate) struct Session<'s, 'a> {
    prover: &'s mut Prover<'a>,
    root_turns: RootTurns,
    state: State<'s>,
    /// The description of the search for its file, without how far it has come. `None` if it is not
    /// saved. Computing it reads all tables.
    saved_as: Option<SavedSearch>,
    /// Whether the analysis was interrupted before it was ready to search.
    is_abandoned: bool,
}

/// How far an analysis has come.
struct State<'s> {
    position: Position,
    limits: &'s Limits,
    stop: &'s AtomicBool,
    started: Instant,
    deadline: Option<Instant>,
    /// Bounds that the caller knows.
    given: Bounds,
    /// Bounds that this analysis has proved.
    bounds: Bounds,
    questions: [QuestionState; 2],
    /// For each answer, the index of the successor that it comes from.
    replies: [u16; 2],
    slice: u64,
    /// The counts of the prover before this analysis.
    counts_before: Counts,
    /// The counts of earlier runs of a resumed search.
    earlier: Counts,
    earlier_time: Duration,
    not_saved: Option<String>,
}

impl<'s, 'a> Session<'s, 'a> {
    /// Begins an analysis, or resumes it. `known` is the value of the position if the rules or a
    /// table know it. Questions that `given` answers are not asked.
    pub(crate) fn new(
        prover: &'s mut Prover<'a>,
        position: &Position,
        known: Option<Value>,
        given: Bounds,
        limits: &'s Limits,
        stop: &'s AtomicBool,
    ) -> Result<Self> {
        let started = Instant::now();
        let questions = Question::both(position.to_move());
        let state = State {
            position: *position,
            limits,
            stop,
            started,
            deadline: limits.time.and_then(|time| started.checked_add(time)),
            given,
            bounds: known.map_or(Bounds::UNKNOWN, Bounds::exact),
            questions: questions.map(QuestionState::new),
            replies: [NO_REPLY; 2],
            slice: FIRST_SLICE,
            counts_before: prover.counts,
            earlier: Counts::default(),
            earlier_time: Duration::ZERO,
            not_saved: None,
        };
        let root_turns = RootTurns::default();
        let mut session = Self { prover, root_turns, state, saved_as: None, is_abandoned: false };
        session.state.answer_questions();
        if known.is_none() {
            session.is_abandoned = !session.prepare(questions)?;
        }
        Ok(session)
    }

    /// Lists the turns and loads the saved search; returns false if that was interrupted.
    fn prepare(&mut self, questions: [Question; 2]) -> Result<bool> {
        let Self { prover, state, .. } = self;
        let is_stopped = || state.interruption().is_some();
        let turns = RootTurns::new(&prover.game, &state.position, questions, is_stopped)?;
        let Some(turns) = turns else { return Ok(false) };
        self.root_turns = turns;
        let Some(path) = self.state.limits.resume.as_deref() else { return Ok(true) };
        let Prover { game, .. } = &*self.prover;
        let wanted = SavedSearch::new(game.rules, &self.state.position, game.tables)?;
        let resumed = self.resume(path, &wanted);
        self.saved_as = Some(wanted);
        match resumed {
            Err(SolverError::Stopped) => Ok(false),
            resumed => resumed.map(|()| true),
        }
    }

    /// Asks until the value is known or a limit is reached.
    pub(crate) fn run(&mut self, mut progress: impl FnMut(&SearchReport)) -> Result<End> {
        if self.is_abandoned {
            // What is saved must not be replaced by less.
            return Ok(self.state.interruption().unwrap_or(End::Stopped));
        }
        let is_known = self.state.is_proved();
        let end = self.ask(&mut progress)?;
        if let Some(path) = self.state.limits.resume.as_deref().filter(|_| !is_known) {
            self.save(path);
        }
        Ok(end)
    }

    /// Asks both questions by turns, each time longer.
    fn ask(&mut self, progress: &mut impl FnMut(&SearchReport)) -> Result<End> {
        let mut pause = self.state.limits.save_interval.unwrap_or(SAVE_INTERVAL);
        let mut save_at = self.state.limits.resume.as_ref().map(|_| Instant::now() + pause);
        loop {
            for i in 0..self.state.questions.len() {
                if self.state.is_proved() {
                    return Ok(End::Proved);
                }
                let mut left = self.state.slice;
                while left > 0 && self.state.is_open(i) {
                    if let Some(end) = self.state.interruption() {
                        return Ok(end);
                    }
                    let max_nodes = self.state.limits.nodes.unwrap_or(u64::MAX);
                    let max_nodes = max_nodes.saturating_sub(self.searched());
                    if max_nodes == 0 {
                        return Ok(End::Nodes);
                    }
                    if let Some(path) = &self.state.limits.resume
                        && save_at.is_some_and(|at| Instant::now() >= at)
                    {
                        let begun = Instant::now();
                        self.save(path);
                        pause = pause.max(SAVE_SHARE * begun.elapsed());
                        save_at = Some(Instant::now() + pause);
                    }
                    let until = self.state.deadline.into_iter().chain(save_at).min();
                    let before = self.searched();
                    self.ask_one(i, left.min(max_nodes), until, progress)?;
                    left = left.saturating_sub(self.searched() - before);
                }
            }
            self.state.slice = self.state.slice.saturating_mul(2);
        }
    }

    /// The number of positions that this run has searched.
    fn searched(&self) -> u64 {
        self.prover.counts.nodes - self.state.counts_before.nodes
    }

    /// Asks one question for a while.
    fn ask_one(
        &mut self,
        i: usize,
        nodes: u64,
        deadline: Option<Instant>,
        progress: &mut impl FnMut(&SearchReport),
    ) -> Result<()> {
        let Self { prover, root_turns, state, .. } = self;
        let node = prover.game.node(&state.position, state.questions[i].question.attacker);
        let threads = state.limits.num_threads();
        let limits = NodeLimits { threads, nodes, deadline, stop: state.stop };
        let nodes_below = &root_turns.nodes_below[i];
        let verdict = prover.prove(node, &limits, nodes_below, |counts, table, filled| {
            // The answer comes with the verdict.
            let answer = state.questions[i].answer;
            update(&mut state.questions[i], node, table);
            state.questions[i].answer = answer;
            progress(&state.report(counts, root_turns, table, filled));
        })?;
        if let Some(verdict) = verdict {
            state.answer(i, verdict.proved, verdict.reply);
        }
        Ok(())
    }

    /// A turn that gets what is proved.
    pub(crate) fn best(&self) -> Option<Turn> {
        let Self { prover, state, .. } = self;
        // The mover's own question gives a turn that wins; the other question one that does not
        // lose, or loses late.
        let i = usize::from(state.questions[0].answer != Some(true));
        let game = &prover.game;
        let attacker = state.questions[i].question.attacker;
        let mut successors = SuccessorList::new(game);
        let reply = Some(state.replies[i]).filter(|reply| *reply != NO_REPLY)?;
        let after = successors.of(game, game.node(&state.position, attacker));
        game.turn_to(&state.position, attacker, *after.get(usize::from(reply))?)
    }

    /// How far the analysis has come.
    pub(crate) fn report(&mut self) -> SearchReport {
        let Self { prover: Prover { table, counts, .. }, root_turns, state, .. } = self;
        let filled = table.filled();
        state.report(*counts, root_turns, table.view(), filled)
    }

    /// Saves the search. A failure does not end it.
    fn save(&mut self, path: &Path) {
        let saved = self.try_save(path);
        self.state.not_saved = saved.err().map(|error| with_causes(&error));
    }

    fn try_save(&mut self, path: &Path) -> Result<()> {
        let Self { prover: Prover { table, counts, .. }, root_turns, state, saved_as, .. } = self;
        let Some(mut search) = saved_as.clone() else { return Ok(()) };
        let now = state.report_without_turns(*counts, table.filled());
        search.slice = state.slice;
        search.below = root_turns.nodes_below();
        search.nodes = now.nodes;
        search.table_hits = now.table_hits;
        search.seconds = now.elapsed.as_secs_f64();
        search.memory = table.bytes().len() as u64;
        search.save(path, table)
    }

    /// Continues the search of a file, if it exists.
    fn resume(&mut self, path: &Path, wanted: &SavedSearch) -> Result<()> {
        if !path.try_exists().map_err(SolverError::reading(path))? {
            return Ok(());
        }
        let Self { prover: Prover { game, table, .. }, root_turns, state, .. } = self;
        let saved;
        (saved, *table) = SavedSearch::load(path, wanted, state.stop)?;
        for i in 0..state.questions.len() {
            if state.questions[i].answer.is_some() {
                continue;
            }
            let node = game.node(&state.position, state.questions[i].question.attacker);
            update(&mut state.questions[i], node, table.view());
            if let Some(answer) = state.questions[i].answer {
                let entry = table.view().get(node.key());
                state.answer(i, answer, entry.map_or(NO_REPLY, |entry| entry.reply));
            }
        }
        state.slice = saved.slice.clamp(1, MAX_SAVED_SLICE);
        root_turns.set_nodes_below(&saved.below);
        state.earlier = Counts { nodes: saved.nodes, table_hits: saved.table_hits };
        state.earlier_time = Duration::try_from_secs_f64(saved.seconds).unwrap_or_default();
        Ok(())
    }
}

impl State<'_> {
    /// Why to end now, if there is a reason.
    fn interruption(&self) -> Option<End> {
        if self.stop.load(Ordering::Relaxed) {
            return Some(End::Stopped);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(End::Time)
    }

    /// Whether the value is known, together with what was given. Bounds that contradict each other
    /// leave nothing to ask either.
    fn is_proved(&self) -> bool {
        (0..self.questions.len()).all(|i| !self.is_open(i))
    }

    /// Whether a question has no answer yet.
    fn is_open(&self, i: usize) -> bool {
        let QuestionState { question, answer, .. } = self.questions[i];
        answer.is_none() && question.answer(self.given, self.position.to_move()).is_none()
    }

    /// Takes the answer of a question, with the successor that it comes from.
    fn answer(&mut self, i: usize, answer: bool, reply: u16) {
        self.replies[i] = reply;
        let mover = self.position.to_move();
        self.questions[i].question.apply(answer, &mut self.bounds, mover);
        self.answer_questions();
    }

    /// Answers the questions from the bounds.
    fn answer_questions(&mut self) {
        for state in &mut self.questions {
            state.answer = state.question.answer(self.bounds, self.position.to_move());
        }
    }

    fn report(
        &self,
        counts: Counts,
        root_turns: &RootTurns,
        table: TableView<'_>,
        memory_filled: f64,
    ) -> SearchReport {
        let questions = self.questions.map(|state| state.question);
        let turns = root_turns.states(questions, table);
        SearchReport { turns, ..self.report_without_turns(counts, memory_filled) }
    }

    fn report_without_turns(&self, counts: Counts, memory_filled: f64) -> SearchReport {
        let Counts { nodes, table_hits } = self.counts_before;
        SearchReport {
            bounds: self.bounds,
            questions: self.questions,
            turns: Vec::new(),
            nodes: self.earlier.nodes.saturating_add(counts.nodes - nodes),
            table_hits: self.earlier.table_hits.saturating_add(counts.table_hits - table_hits),
            memory_filled,
            elapsed: self.earlier_time.saturating_add(self.started.elapsed()),
            not_saved: self.not_saved.clone(),
        }
    }
}
