//! The opponent's turn.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{MovingStone, Position, Turn, Value};
use fanorona_engine::{Engine, EngineError, Game, Level, Limits, Options, Score};
use fanorona_proof::Bounds;
use fanorona_ugi::protocol::ScoreValue;
use serde::Serialize;
use utoipa::ToSchema;

use super::game::{Draws, end_of};
use super::steps::KindName;
use super::turn::path_of;
use crate::engine::ExternalEngine;
use crate::library::of_book;
use crate::look::Looker;
use crate::problem::{Problem, ProblemKind};
use crate::value::{Bound, KnownValue};
use crate::variant::{Variant, names_of, point_name};

/// A step of a turn.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayedStep {
    /// The point where the stone is before the step.
    pub from: &'static str,
    /// The point where it is after the step.
    pub to: &'static str,
    /// Whether and how the step captures.
    pub kind: KindName,
    /// The points of the stones that this step captures.
    pub captured: Vec<&'static str>,
}

/// What a score rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScoreBasis {
    /// Endgame tables.
    Exact,
    /// A search to the end of the game, or a certificate. The certificate may prove a bound alone;
    /// then there is an estimate besides.
    Proved,
    /// The evaluation of a search: not a value.
    Estimate,
    /// The word of an external engine: not a value.
    Engine,
}

/// A turn that the program plays.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OpponentAnswer {
    /// The turn.
    pub turn: String,
    /// The points that the stone visits, from its start to its end.
    pub path: Vec<&'static str>,
    /// The steps.
    pub steps: Vec<PlayedStep>,
    /// The position after the turn.
    pub position: String,
    /// What the score rests on.
    pub basis: ScoreBasis,
    /// For the side that makes the turn: its value. Unknown for an estimate and for a bound.
    pub value: KnownValue,
    /// The turns of both sides until the end of the game, this one included, if tables know it.
    #[schema(required)]
    pub dtw: Option<u16>,
    /// For the side that makes the turn: its value is this or better.
    pub at_least: Bound,
    /// For the side that makes the turn: its value is this or worse.
    pub at_most: Bound,
    /// For the side that makes the turn: the natural logarithm of the odds of a win. 1 means a win is
    /// 2.7 times as likely as a loss. Null if tables or a search have the value, and for an engine.
    #[schema(required)]
    pub estimate: Option<f64>,
    /// The turns that the program expects, beginning with its own.
    pub line: Vec<String>,
    /// The turns that the program has looked ahead; 0 if an engine does not say it.
    pub depth: u32,
    /// The positions that it has visited; 0 if an engine does not say it.
    pub nodes: u64,
    /// The time that it took, in seconds.
    pub seconds: f64,
    /// A remark on the choice.
    #[schema(required)]
    pub note: Option<String>,
}

/// How the opponent plays.
#[derive(Clone, Copy, Debug)]
pub struct Opponent {
    /// The level.
    pub level: Level,
    /// The seed of the noise of the lower levels.
    pub seed: u64,
    /// The time for a turn at full strength.
    pub time: Duration,
    /// The threads at full strength.
    pub threads: usize,
    /// The draws of the game.
    pub draws: Draws,
}

impl Opponent {
    /// The turn of the opponent in a game.
    ///
    /// # Errors
    /// If the game is over, if there is not enough memory, or if a table cannot be read.
    pub fn play(
        &self,
        looker: &Looker,
        game: &Game,
        stop: &AtomicBool,
    ) -> Result<OpponentAnswer, Problem> {
        check_goes_on(game)?;
        let variant = looker.variant();
        let mut options = Options::default();
        options.level = self.level;
        options.seed = self.seed;
        options.threads = self.threads;
        options.threefold = self.draws.threefold;
        options.without_capture = self.draws.without_capture;
        let tables = looker.tables().tables().cloned();
        let book = looker.tables().book().cloned();
        let engine = Engine::with_book(variant.rules, variant.board, tables, book, options);
        let mut engine = engine.map_err(problem_of)?;
        let limits = Limits { time: Some(self.time), ..Limits::default() };
        let position = game.position();
        let found =
            engine.analyze(position, game.earlier(), &limits, stop, |_| {}).map_err(problem_of)?;
        let Some(turn) = found.turn.clone() else {
            let expected = "a game that goes on";
            return Err(Problem::new(ProblemKind::GameOver, "the game is over", expected));
        };
        let bounds = found.bounds();
        let (basis, dtw, estimate, note) = match found.score {
            Score::Exact(known) => (ScoreBasis::Exact, known.turns, None, None),
            Score::Proved(known) => {
                let note = known.turns.map(|turns| format!("{} in at most {turns}", known.value));
                (ScoreBasis::Proved, None, None, note)
            }
            Score::Estimate(score) => {
                let estimate = f64::from(score) / 100.0;
                let is_proved = bounds != Bounds::UNKNOWN;
                let basis = if is_proved { ScoreBasis::Proved } else { ScoreBasis::Estimate };
                let note = is_proved.then(|| match bounds.value() {
                    Some(value) => format!("{value}, proved by the book"),
                    None if bounds.at_least > Value::Loss => {
                        "at least a draw, proved by the book".to_owned()
                    }
                    None => "at most a draw, proved by the book".to_owned(),
                });
                (basis, None, Some(estimate), note)
            }
        };
        let texts = found.line.iter().map(|turn| turn.text(variant.board).to_string());
        Ok(OpponentAnswer {
            turn: turn.text(variant.board).to_string(),
            path: path_of(variant.board, &turn),
            steps: steps_of(looker, position, &turn),
            position: position.play_unchecked(&turn).to_string(),
            basis,
            value: bounds.value().into(),
            dtw,
            at_least: bounds.at_least.into(),
            at_most: bounds.at_most.into(),
            estimate,
            line: texts.collect(),
            depth: found.depth,
            nodes: found.nodes,
            seconds: found.elapsed.as_secs_f64(),
            note,
        })
    }
}

/// Refuses a game that is over.
fn check_goes_on(game: &Game) -> Result<(), Problem> {
    if end_of(game).is_none() {
        return Ok(());
    }
    let expected = "a game that goes on";
    Err(Problem::new(ProblemKind::GameOver, "the game is over", expected).in_field("turns"))
}

/// The turn of an external engine in a game. What the engine says about its value is a remark, and
/// nothing more.
///
/// # Errors
/// If the game is over, if the engine cannot play it, or if it fails or is busy.
pub(crate) fn engine_turn(
    engine: &ExternalEngine,
    looker: &Looker,
    game: &Game,
    time: Duration,
    stop: &AtomicBool,
) -> Result<OpponentAnswer, Problem> {
    check_goes_on(game)?;
    let variant = looker.variant();
    let found = engine.play(variant, game, time, stop)?;
    let (position, info) = (game.position(), found.info.unwrap_or_default());
    let text = found.turn.text(variant.board).to_string();
    let note = info.score.map(|score| match score.value {
        ScoreValue::Cp(hundredths) => {
            format!("{} says {:+.2}", engine.name(), f64::from(hundredths) / 100.0)
        }
        ScoreValue::Mate(turns) if turns > 0 => {
            format!("{} says it wins in {turns}", engine.name())
        }
        ScoreValue::Mate(turns) => {
            format!("{} says it loses in {}", engine.name(), turns.unsigned_abs())
        }
    });
    Ok(OpponentAnswer {
        path: path_of(variant.board, &found.turn),
        steps: steps_of(looker, position, &found.turn),
        position: position.play_unchecked(&found.turn).to_string(),
        basis: ScoreBasis::Engine,
        value: KnownValue::Unknown,
        dtw: None,
        at_least: Value::Loss.into(),
        at_most: Value::Win.into(),
        estimate: None,
        line: vec![text.clone()],
        turn: text,
        depth: info.depth.unwrap_or(0),
        nodes: info.nodes.unwrap_or(0),
        seconds: found.elapsed.as_secs_f64(),
        note,
    })
}

/// The steps of a turn with what each captures.
fn steps_of(looker: &Looker, position: &Position, turn: &Turn) -> Vec<PlayedStep> {
    let board = position.board();
    let rule = looker.variant().rules.turn_rule(position);
    let mut stone = MovingStone::new(position.own(), position.opponent(), turn.origin());
    let mut steps = Vec::new();
    for &step in turn.steps() {
        let Some(after) = stone.after(board, step, &rule) else { break };
        let [from, to] = [stone, after].map(|stone| point_name(board, stone.point()));
        let captured = names_of(board, stone.opponent() - after.opponent());
        steps.push(PlayedStep { from, to, kind: step.kind.into(), captured });
        stone = after;
    }
    steps
}

fn problem_of(error: EngineError) -> Problem {
    match error {
        EngineError::Tables(error) => error.into(),
        EngineError::Rules(error) => error.into(),
        error @ EngineError::Memory { .. } => {
            Problem::new(ProblemKind::Busy, error, "the same request later")
        }
        EngineError::Book(error) => of_book(error),
        error @ (EngineError::MissingBook { .. } | EngineError::MissingTables(_)) => {
            let expected = "another level, or a server with these files (--book, --tables)";
            Problem::new(ProblemKind::LevelUnavailable, error, expected).in_field("level")
        }
        error => Problem::new(ProblemKind::Internal, error, "nothing: report it"),
    }
}

/// What the level that cannot lose needs and these tables and certificates lack; `None` if it can be
/// played.
///
/// # Errors
/// If a file is damaged or cannot be read.
pub fn missing_for_unbeatable(looker: &Looker) -> Result<Option<String>, Problem> {
    let Variant { board, rules } = looker.variant();
    let (tables, book) = (looker.tables().tables(), looker.tables().book());
    let (tables, book) = (tables.map(Arc::as_ref), book.map(Arc::as_ref));
    let checked = Engine::check_unbeatable(rules, board, tables, book);
    match checked.map_err(problem_of) {
        Ok(()) => Ok(None),
        Err(problem) if problem.kind == ProblemKind::LevelUnavailable => Ok(Some(problem.message)),
        Err(problem) => Err(problem),
    }
}
