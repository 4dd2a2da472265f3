//! A game replayed: the value of each position, and what each turn gave away.

use fanorona_core::{Board, Coordinates, Outcome, Position, RuleSet, Side, Turn};
use fanorona_engine::review::{Mistake, better_turns};
use fanorona_engine::{DrawRules, Game, GameEnd, Record, RecordError};
use fanorona_knowledge::{Assessment, Knowledge, Look, schema};
use serde::Serialize;
use utoipa::ToSchema;

use super::notes::GameNotes;
use super::position::{Detail, PositionAnswer};
use super::turn::path_of;
use crate::library::OpenVariant;
use crate::problem::{Problem, ProblemKind};
use crate::variant::{names_of, short};

/// The most turns of a game.
pub const MAX_GAME: usize = 2000;

/// The draw rules of a request: none if it has none.
///
/// # Errors
/// If the number of turns is 0.
pub fn read_draws(asked: Option<DrawRules>) -> Result<DrawRules, Problem> {
    let draws = asked.unwrap_or(DrawRules::NONE);
    if draws.without_capture == Some(0) {
        let message = "0 turns without a capture are no game";
        return Err(Problem::new(ProblemKind::BadNumber, message, "a number from 1, or null")
            .in_field("draw_rules"));
    }
    Ok(draws)
}

/// A position of a game.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GamePosition {
    /// The position.
    #[schema(value_type = String)]
    pub position: Position,
    /// The side to move.
    #[schema(value_type = schema::Side)]
    pub to_move: Side,
    /// The known value of the position.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// How the game ends here. Null if it does not.
    #[schema(required)]
    pub end: Option<End>,
}

/// A turn of a game.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GameTurn {
    /// The turn in its normal form.
    pub turn: String,
    /// The points of the captured stones.
    #[schema(value_type = Vec<String>)]
    pub captured: Vec<Coordinates>,
    /// The points that the stone visits, from its start to its end.
    #[schema(value_type = Vec<String>)]
    pub path: Vec<Coordinates>,
    /// The known value of the turn, for the side that makes it.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// The mistake of the turn. Null if it is none, or if that is not known.
    #[schema(required)]
    pub mistake: Option<Mistake>,
    /// Up to three better turns without this mistake, best first. Empty if there was none.
    pub better: Vec<String>,
}

/// Why a game has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// A side has no stones.
    NoStones,
    /// The side to move has no turn.
    NoTurn,
    /// The position has occurred three times.
    Threefold,
    /// No stone was captured for as many turns as was agreed.
    WithoutCapture,
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// The winner, or a draw.
    #[schema(value_type = schema::Outcome)]
    pub outcome: Outcome,
    /// Why it has ended.
    pub reason: EndReason,
}

/// A game with what is known about it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GameAnswer {
    /// The board.
    #[schema(value_type = String)]
    pub board: Board,
    /// The rule set.
    #[schema(value_type = String)]
    pub rules: RuleSet,
    /// The position at the start.
    #[schema(value_type = String)]
    pub start: Position,
    /// The positions, from the start to the one after the last turn; without those before `from`.
    pub positions: Vec<GamePosition>,
    /// The turns, without those before `from`.
    pub turns: Vec<GameTurn>,
    /// The draw rules of the game.
    pub draw_rules: DrawRules,
    /// How the game has ended. Null if it has not.
    #[schema(required)]
    pub end: Option<End>,
    /// The players, the date, the result and the remarks of its text.
    pub notes: GameNotes,
    /// The game as a text with a header, which can be kept and read again.
    pub record: String,
    /// The last position with its turns. Left out if no `detail` was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub here: Option<PositionAnswer>,
}

/// The part of a game that is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct GamePart {
    /// The number of turns before it.
    pub from: usize,
    /// How much to say of the last position besides its value.
    pub detail: Option<Detail>,
}

/// Replays turns from a position.
///
/// # Errors
/// If there are too many turns, or one of them cannot be played.
pub fn replay(
    rules: RuleSet,
    start: Position,
    turns: &[String],
    draws: DrawRules,
) -> Result<Game, Problem> {
    check_length(turns.len())?;
    let mut game = Game::with_draws(rules, start, draws);
    for (number, text) in (1..).zip(turns) {
        let problem = |problem: Problem| {
            let message = format!("turn {number}: {}", problem.message);
            Problem { message, field: Some("turns"), ..problem }
        };
        let text = short(text, ProblemKind::BadTurn, "turn").map_err(problem)?;
        let turn = rules.parse_turn(game.position(), text);
        game.play(turn.map_err(|error| problem(error.into()))?);
    }
    Ok(game)
}

/// Reads the text of a game.
///
/// # Errors
/// If it is not a game, with the number of the line; or if it has too many turns.
pub fn read_record(text: &str) -> Result<Record, Problem> {
    let record: Record = text.parse().map_err(|error: RecordError| {
        let expected = "the text of a game, as the answer to a game has it in 'record'";
        Problem::new(ProblemKind::BadRecord, error, expected).in_field("text")
    })?;
    check_length(record.game().turns().len())?;
    Ok(record)
}

/// Refuses a game that is too long.
fn check_length(turns: usize) -> Result<(), Problem> {
    if turns <= MAX_GAME {
        return Ok(());
    }
    let message = format!("the game has {turns} turns");
    let expected = format!("at most {MAX_GAME} turns");
    Err(Problem::new(ProblemKind::TooMany, message, expected).in_field("turns"))
}

/// How a game has ended, if it has.
pub fn end_of(game: &Game) -> Option<End> {
    let (outcome, reason) = match game.end()? {
        GameEnd::Won(winner) => {
            let position = game.position();
            let is_bare = position.own().is_empty() || position.opponent().is_empty();
            let reason = if is_bare { EndReason::NoStones } else { EndReason::NoTurn };
            (Outcome::Won(winner), reason)
        }
        GameEnd::NoTurn => (Outcome::Drawn, EndReason::NoTurn),
        GameEnd::Threefold => (Outcome::Drawn, EndReason::Threefold),
        GameEnd::WithoutCapture => (Outcome::Drawn, EndReason::WithoutCapture),
    };
    Some(End { outcome, reason })
}

impl GameAnswer {
    /// The answer for a game.
    ///
    /// # Errors
    /// If the part begins behind the game, or a table is damaged or cannot be read.
    pub fn new(open: &OpenVariant, record: &Record, part: GamePart) -> Result<Self, Problem> {
        let (known, game) = (open.knowledge(), record.game());
        let GamePart { from, detail } = part;
        let last = game.turns().len();
        if from > last {
            let expected = format!("a number from 0 to {last}, the number of turns");
            let message = "the part begins behind the game";
            return Err(Problem::new(ProblemKind::BadNumber, message, expected).in_field("from"));
        }
        let here = detail.map(|detail| PositionAnswer::new(open, game.position(), detail));
        let here = here.transpose()?;
        let mut replayed = Game::with_draws(*game.rules(), *game.start(), *game.draws());
        let (mut positions, mut turns) = (Vec::new(), Vec::new());
        for ply in 0..=last {
            let (position, turn) = (*replayed.position(), game.turns().get(ply));
            if ply >= from {
                let assessment = match (turn, &here) {
                    (Some(turn), _) => {
                        let look = known.look(&position)?;
                        turns.push(GameTurn::new(known, &look, turn)?);
                        look.assessment
                    }
                    (None, Some(here)) => here.assessment,
                    (None, None) => known.assess(&position)?,
                };
                let (to_move, end) = (position.to_move(), end_of(&replayed));
                positions.push(GamePosition { position, to_move, assessment, end });
            }
            if let Some(turn) = turn {
                replayed.play(turn.clone());
            }
        }
        Ok(Self {
            board: known.board(),
            rules: known.rules(),
            start: *game.start(),
            positions,
            turns,
            draw_rules: *game.draws(),
            end: end_of(game),
            notes: GameNotes::of(record),
            record: record.to_string(),
            here,
        })
    }
}

impl GameTurn {
    fn new(known: &Knowledge, look: &Look, turn: &Turn) -> Result<Self, Problem> {
        let board = look.position.board();
        let turns = look.turns.as_deref().unwrap_or_default();
        let played = match turns.iter().find(|listed| listed.turn == *turn) {
            Some(listed) => listed.assessment,
            // There are too many turns to list.
            None => known.assess(&look.position.play_unchecked(turn))?.before_turn(),
        };
        let mistake = Mistake::certain(&look.assessment, &played);
        let better = mistake.map_or(Vec::new(), |_| better_turns(look, &played));
        Ok(Self {
            turn: turn.text(board).to_string(),
            captured: names_of(board, turn.captured()),
            path: path_of(board, turn),
            assessment: played,
            mistake,
            better: better.iter().map(|turn| turn.text(board).to_string()).collect(),
        })
    }
}
