//! One turn, read from a text.

use fanorona_core::{Board, Turn};
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::{Problem, ProblemKind};
use crate::variant::{Variant, names_of, point_name, short};

/// A turn that was read from a text.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnAnswer {
    /// The turn in its normal form, as in `d2-e3A-f4W`.
    pub turn: String,
    /// The position after it, with the other side to move.
    pub position: String,
    /// The points of the captured stones.
    pub captured: Vec<&'static str>,
    /// The points that the stone visits, from its start to its end.
    pub path: Vec<&'static str>,
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

/// The points that a turn's stone visits, from its start to its end.
pub(crate) fn path_of(board: Board, turn: &Turn) -> Vec<&'static str> {
    let mut at = turn.origin();
    let mut path = vec![point_name(board, at)];
    for step in turn.steps() {
        let Some(to) = board.neighbour(at, step.direction) else { break };
        path.push(point_name(board, to));
        at = to;
    }
    path
}
