//! The opponent's turn.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Coordinates, MovingStone, Position, RuleSet, StepKind, Stones, Turn};
use fanorona_engine::{Engine, EngineError, Game, Limits, Options, Score};
use fanorona_knowledge::{Assessment, Source, schema};
use serde::Serialize;
use utoipa::ToSchema;

use super::game::{GameAnswer, end_of};
use super::turn::ChosenTurn;
use crate::library::OpenVariant;
use crate::problem::{Problem, ProblemKind};
use crate::variant::names_of;

/// A step of a turn.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayedStep {
    /// The point where the stone is before the step.
    #[schema(value_type = String)]
    pub from: Coordinates,
    /// The point where it is after the step.
    #[schema(value_type = String)]
    pub to: Coordinates,
    /// Whether and how the step captures.
    #[schema(value_type = schema::StepKind)]
    pub kind: StepKind,
    /// The points of the stones that this step captures.
    #[schema(value_type = Vec<String>)]
    pub captured: Vec<Coordinates>,
}

/// A remark on a choice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Note {
    /// The game ends within this number of turns of both sides.
    AtMost {
        /// The number.
        turns: u16,
    },
    /// The certificates prove the value; the search only estimates.
    ByBook,
}

/// A turn that the program plays.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OpponentAnswer {
    /// The turn.
    #[serde(flatten)]
    pub chosen: ChosenTurn,
    /// The steps.
    pub steps: Vec<PlayedStep>,
    /// The turns that the program has looked ahead.
    pub depth: u32,
    /// The positions that it has visited.
    pub nodes: u64,
    /// The time that it took, in seconds.
    pub seconds: f64,
    /// A remark on the choice.
    #[schema(required)]
    pub note: Option<Note>,
    /// The game with the turn, from this turn on. Left out if it was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub after: Option<Box<GameAnswer>>,
}

/// How the opponent plays.
#[derive(Clone, Debug)]
pub struct Opponent {
    /// The player. It uses the tables and the book of the server.
    pub player: Options,
    /// The time for a turn at full strength.
    pub time: Duration,
}

impl Opponent {
    /// The turn of the opponent in a game.
    ///
    /// # Errors
    /// If the game is over, if there is not enough memory, or if a table cannot be read.
    pub fn play(
        &self,
        open: &OpenVariant,
        game: &Game,
        stop: &AtomicBool,
    ) -> Result<OpponentAnswer, Problem> {
        let over = || {
            let expected = "a game that goes on";
            Problem::new(ProblemKind::GameOver, "the game is over", expected).in_field("turns")
        };
        if end_of(game).is_some() {
            return Err(over());
        }
        let known = open.knowledge();
        let mut engine = Engine::new(known.clone(), self.player.clone())?;
        let limits = Limits { time: Some(self.time), ..Limits::default() };
        let position = game.position();
        let found = engine.analyze(position, game.earlier(), &limits, stop, |_| {})?;
        let chosen = ChosenTurn::of(position, &found, usize::MAX);
        let (Some(turn), Some(chosen)) = (&found.turn, chosen) else {
            return Err(over());
        };
        let Assessment { source, .. } = chosen.assessment;
        let is_by_book = chosen.assessment.value().is_some() && source == Some(Source::Proof);
        let note = match found.score {
            Score::Exact(_) => None,
            Score::Proved(proved) => proved.turns.map(|turns| Note::AtMost { turns }),
            Score::Estimate(_) => is_by_book.then_some(Note::ByBook),
        };
        Ok(OpponentAnswer {
            chosen,
            steps: steps_of(known.rules(), position, turn),
            depth: found.depth,
            nodes: found.nodes,
            seconds: found.elapsed.as_secs_f64(),
            note,
            after: None,
        })
    }
}

/// The steps of a turn with what each captures.
fn steps_of(rules: RuleSet, position: &Position, turn: &Turn) -> Vec<PlayedStep> {
    let board = position.board();
    let rule = rules.turn_rule(position);
    let mut stone = MovingStone::new(Stones::of(position), turn.origin());
    let mut steps = Vec::new();
    for &step in turn.steps() {
        let Some(after) = stone.after(board, step, &rule) else { break };
        let [from, to] = [stone, after].map(|stone| board.coordinates(stone.point()));
        let captured = names_of(board, stone.stones().opponent - after.stones().opponent);
        steps.push(PlayedStep { from, to, kind: step.kind, captured });
        stone = after;
    }
    steps
}

/// The files that the level that cannot lose lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum LevelNeeds {
    /// A certificate of the start of the game.
    Certificate,
    /// The tables that the certificate ends in.
    Tables {
        /// The most stones of these.
        stones: u32,
    },
    /// Files that can be read: some are damaged.
    IntactFiles,
}

impl LevelNeeds {
    /// The lack that keeps a level from being played; `None` if there is none.
    pub fn of(open: &OpenVariant) -> Option<Self> {
        match Engine::check_unbeatable(open.knowledge()) {
            Ok(()) => None,
            Err(EngineError::MissingBook { .. }) => Some(Self::Certificate),
            Err(EngineError::MissingTables { missing, .. }) => {
                Some(Self::Tables { stones: missing.stones() })
            }
            Err(_) => Some(Self::IntactFiles),
        }
    }
}
