//! One turn, read from a text.

use fanorona_core::{Board, Coordinates, Position, Turn};
use fanorona_engine::{Analysis, Score};
use fanorona_knowledge::Assessment;
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::{Problem, ProblemKind};
use crate::variant::{Variant, names_of, short};

/// A turn that was read from a text.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnAnswer {
    /// The turn in its normal form, as in `d2-e3A-f4W`.
    pub turn: String,
    /// The position after it, with the other side to move.
    pub position: String,
    /// The points of the captured stones.
    #[schema(value_type = Vec<String>)]
    pub captured: Vec<Coordinates>,
    /// The points that the stone visits, from its start to its end.
    #[schema(value_type = Vec<String>)]
    pub path: Vec<Coordinates>,
}

impl TurnAnswer {
    /// Reads a turn of a position as a person writes it.
    ///
    /// # Errors
    /// If the position or the turn cannot be read, or the turn is not legal.
    pub fn new(variant: Variant, position: Option<&str>, turn: &str) -> Result<Self, Problem> {
        let position = variant.position(position)?;
        let turn = short(turn, ProblemKind::BadTurn, "turn")?;
        let turn = variant.rules.parse_turn(&position, turn)?;
        Ok(Self {
            turn: turn.text(variant.board).to_string(),
            position: position.play_unchecked(&turn).to_string(),
            captured: names_of(variant.board, turn.captured()),
            path: path_of(variant.board, &turn),
        })
    }
}

/// A turn that the program has chosen.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ChosenTurn {
    /// The turn.
    pub turn: String,
    /// The points that the stone visits, from its start to its end.
    #[schema(value_type = Vec<String>)]
    pub path: Vec<Coordinates>,
    /// The points of the captured stones.
    #[schema(value_type = Vec<String>)]
    pub captured: Vec<Coordinates>,
    /// The position after the turn.
    #[schema(value_type = String)]
    pub position: Position,
    /// Of the turn, as far as it is certain, for the side that makes it. The source is `estimate` if
    /// nothing is.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// 100 × the natural logarithm of the odds of winning, for the same side. Left out where the value is
    /// known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub estimate: Option<i32>,
    /// The turns that the program expects, beginning with this one.
    pub line: Vec<String>,
}

impl ChosenTurn {
    /// The choice of a search, with a line of at most so many turns. `None` if there is no turn.
    pub(super) fn of(position: &Position, found: &Analysis, most: usize) -> Option<Self> {
        let (board, turn) = (position.board(), found.turn.as_ref()?);
        let line = found.line.iter().take(most);
        Some(Self {
            turn: turn.text(board).to_string(),
            path: path_of(board, turn),
            captured: names_of(board, turn.captured()),
            position: position.play_unchecked(turn),
            assessment: found.assessment(),
            estimate: match found.score {
                Score::Estimate(score) => Some(score),
                Score::Exact(_) | Score::Proved(_) => None,
            },
            line: line.map(|turn| turn.text(board).to_string()).collect(),
        })
    }
}

/// The points that a turn's stone visits, from its start to its end.
pub(crate) fn path_of(board: Board, turn: &Turn) -> Vec<Coordinates> {
    turn.path(board).map(|point| board.coordinates(point)).collect()
}
