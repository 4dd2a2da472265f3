//! A search on a thread of its own, and its answers.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, Turn};
use fanorona_engine::{Analysis, Choice, Engine, EngineError, Level, Limits, Score};
use fanorona_knowledge::Knowledge;

use super::control::Control;
use super::output::Output;
use crate::protocol::{Basis, Info, Message};

/// The positions to search for a turn after the tables failed.
const EMERGENCY_NODES: u64 = 10_000;

/// A search to be made.
pub(super) struct Job {
    pub engine: Engine,
    pub position: Position,
    /// The game's positions before it.
    pub earlier: Vec<Position>,
    /// The turns that may be played; `None`: all.
    pub turns: Option<Vec<Turn>>,
    pub lines: usize,
    pub limits: Limits,
    pub control: Arc<Control>,
    pub output: Output,
}

impl Job {
    /// Searches, reports, and gives the engine back after the answer. A panic may leave the engine in
    /// disorder: then the answer is the turn reported last, or any one, and the engine is dropped.
    pub(super) fn run(mut self) -> Option<Engine> {
        let mut reported = Vec::new();
        let searched = panic::catch_unwind(AssertUnwindSafe(|| self.search(&mut reported)));
        let is_whole = searched.is_ok();
        let lines = searched.unwrap_or_else(|_| {
            self.output.say("the search failed; the next one is by a new engine");
            reported
        });
        self.control.finish();
        self.output.send(&[Message::BestMove(self.best_move(&lines))]);
        is_whole.then_some(self.engine)
    }

    /// Searches, reports, and returns the best lines. `reported` has those of the last report.
    fn search(&mut self, reported: &mut Vec<Analysis>) -> Vec<Analysis> {
        let Self { engine, position, earlier, limits, control, output, .. } = self;
        let choice = Choice { turns: self.turns.as_deref(), lines: self.lines };
        let mut report = |lines: &[Analysis]| {
            output.send(&report(lines, position.board(), choice.lines > 1));
            *reported = lines.to_vec();
        };
        let stop = control.flag();
        let found = engine.analyze_lines(position, earlier, &choice, limits, stop, &mut report);
        let lines = found.unwrap_or_else(|error| {
            output.say(format_args!("searching without tables: {error}"));
            let found = without_tables(engine, position, earlier, &choice);
            found.unwrap_or_else(|error| {
                output.say(error);
                Vec::new()
            })
        });
        // The answer to `stop` may be another one than that of the last depth.
        if answers(&lines) != answers(reported) {
            output.send(&self::report(&lines, position.board(), choice.lines > 1));
        }
        lines
    }

    fn best_move(&self, lines: &[Analysis]) -> Option<String> {
        let turn = lines.first().map_or_else(|| self.any_turn(), |best| best.turn.clone());
        turn.map(|turn| turn.text(self.position.board()).to_string())
    }

    /// A turn that may be played; `None` if the game is over.
    fn any_turn(&self) -> Option<Turn> {
        let rules = self.engine.rules();
        if rules.outcome(&self.position).is_some() {
            return None;
        }
        let turns = self.turns.clone().unwrap_or_else(|| rules.turns(&self.position));
        turns.into_iter().next()
    }
}

/// A short search by an engine that needs no files.
fn without_tables(
    engine: &Engine,
    position: &Position,
    earlier: &[Position],
    choice: &Choice<'_>,
) -> Result<Vec<Analysis>, EngineError> {
    let mut options = engine.options().clone();
    options.level = options.level.min(Level::FULL);
    options.memory = 1 << 20;
    let mut engine = Engine::new(Knowledge::of_rules(engine.board(), engine.rules()), options)?;
    let limits = Limits { nodes: Some(EMERGENCY_NODES), ..Limits::default() };
    let stop = AtomicBool::new(false);
    engine.analyze_lines(position, earlier, choice, &limits, &stop, |_| {})
}

/// The answers in a report, without the numbers that grow.
fn answers(lines: &[Analysis]) -> Vec<(Option<Turn>, Score, Vec<Turn>)> {
    lines.iter().map(|found| (found.turn.clone(), found.score, found.line.clone())).collect()
}

/// The lines of a search as messages: for each its basis, and its info.
fn report(lines: &[Analysis], board: Board, are_numbered: bool) -> Vec<Message> {
    let mut messages = Vec::new();
    for (i, found) in lines.iter().enumerate() {
        let seconds = found.elapsed.as_secs_f64();
        let info = Info {
            depth: Some(found.depth),
            multipv: are_numbered.then_some(i as u32 + 1),
            score: Some(found.score.into()),
            nodes: Some(found.nodes),
            nps: (seconds > 0.0).then(|| (found.nodes as f64 / seconds) as u64),
            seldepth: Some(found.seldepth),
            hashfull: Some(found.memory_used),
            tbhits: Some(found.table_hits),
            time: Some(found.elapsed),
            pv: found.line.iter().map(|turn| turn.text(board).to_string()).collect(),
            ..Info::default()
        };
        messages.push(Message::Info(Info::text(Basis(found.score))));
        messages.push(Message::Info(info));
    }
    messages
}
