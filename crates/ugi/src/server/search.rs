//! A search on a thread of its own, and its answers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use fanorona_core::{Board, Position, Turn};
use fanorona_engine::{Analysis, Choice, Engine, EngineError, Level, Limits};
use fanorona_knowledge::Knowledge;

use super::control::Control;
use super::output::Output;
use crate::protocol::{Basis, BestMove, Dialect, Info, Message};

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
    pub dialect: Dialect,
}

impl Job {
    /// Searches, reports, and gives the engine back after the answer.
    pub(super) fn run(mut self) -> Engine {
        let board = self.position.board();
        let mut reported = Vec::new();
        let choice = Choice { turns: self.turns.as_deref(), lines: self.lines };
        let (position, earlier) = (&self.position, self.earlier.as_slice());
        let report = |lines: &[Analysis]| {
            self.output.send(&report(lines, board, self.lines > 1));
            reported = answers(lines);
        };
        let (limits, stop) = (&self.limits, self.control.flag());
        let found = self.engine.analyze_lines(position, earlier, &choice, limits, stop, report);
        let lines = found.unwrap_or_else(|error| {
            self.output.say(format_args!("searching without tables: {error}"));
            let found = without_tables(&self.engine, position, earlier, &choice);
            found.unwrap_or_else(|error| {
                self.output.say(error);
                Vec::new()
            })
        });
        // The answer to `stop` may be another one than that of the last depth.
        let mut last = Vec::new();
        if answers(&lines) != reported {
            last = self::report(&lines, board, self.lines > 1);
        }
        self.control.finish();
        last.push(Message::BestMove(self.best_move(&lines)));
        self.output.send(&last);
        self.engine
    }

    fn best_move(&self, lines: &[Analysis]) -> BestMove {
        let board = self.position.board();
        let best = lines.first();
        let text = |turn: &Turn| turn.text(board).to_string();
        let reply = best.and_then(|best| best.line.get(1)).map(text);
        BestMove {
            turn: best.and_then(|best| best.turn.as_ref()).map(text),
            // Programs that speak UGI expect two words.
            ponder: reply.filter(|_| self.dialect == Dialect::Uci),
        }
    }
}

/// Answers `bestmove 0000` if a search ends by a panic: whoever sent `go` waits for an answer.
pub(super) struct AnswerOnPanic(pub Output);

impl Drop for AnswerOnPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.send(&[Message::BestMove(BestMove { turn: None, ponder: None })]);
        }
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
fn answers(lines: &[Analysis]) -> Vec<(Option<Turn>, Basis, i32, Vec<Turn>)> {
    let answer = |found: &Analysis| {
        let estimate = match found.score {
            fanorona_engine::Score::Estimate(estimate) => estimate,
            _ => 0,
        };
        (found.turn.clone(), found.score.into(), estimate, found.line.clone())
    };
    lines.iter().map(answer).collect()
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
            hashfull: Some(found.memory_used),
            tbhits: Some(found.table_hits),
            time: Some(found.elapsed),
            pv: found.line.iter().map(|turn| turn.text(board).to_string()).collect(),
            ..Info::default()
        };
        messages.push(Message::Info(Info::text(Basis::from(found.score))));
        messages.push(Message::Info(info));
    }
    messages
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::Mutex;

    use super::*;

    /// A writer whose bytes can be read while it is used.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no writer panics").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_search_that_panics_answers() {
        for (panics, expected) in [(true, "bestmove 0000\n"), (false, "")] {
            let written = Shared::default();
            let output = Output::new(written.clone());
            let search = thread::spawn(move || {
                let _answer = AnswerOnPanic(output);
                assert!(!panics, "on purpose");
            });
            assert_eq!(search.join().is_err(), panics);
            assert_eq!(*written.0.lock().expect("no writer panics"), expected.as_bytes());
        }
    }
}
