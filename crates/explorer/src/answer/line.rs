//! The main line: best play by both sides, as far as it is known.

use std::collections::HashSet;

use fanorona_core::Position;
use serde::Serialize;
use utoipa::ToSchema;

use super::position::SideName;
use crate::look::Looker;
use crate::problem::Problem;
use crate::value::KnownValue;
use crate::variant::names_of;

/// The longest line. The longest known win of 9x5 with 8 stones takes 137 turns.
const MAX_TURNS: usize = 1000;

/// A turn of the line.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LineStep {
    /// The turn.
    pub turn: String,
    /// The position after it.
    pub position: String,
    /// The side to move after it.
    pub to_move: SideName,
    /// For the side that makes the turn: its value.
    pub value: KnownValue,
    /// The turns of both sides until the end of the game, this one included, if that is known.
    #[schema(required)]
    pub dtw: Option<u16>,
    /// The points of the captured stones.
    pub captured: Vec<&'static str>,
}

/// Why the line ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineEnd {
    /// The game is over.
    Finished,
    /// No turn is known to be the best from here on, but some were before.
    TableEdge,
    /// The position was there before.
    Repetition,
    /// No turn of the first position is known to be the best.
    Unknown,
    /// The line is longer than an answer may be.
    Length,
}

/// Best play from a position.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LineAnswer {
    /// The position.
    pub position: String,
    /// For the side to move: the value of the position.
    pub value: KnownValue,
    /// The turns of both sides until the end of the game, if that is known.
    #[schema(required)]
    pub dtw: Option<u16>,
    /// The turns. Each is the first one in the list of its position.
    pub line: Vec<LineStep>,
    /// Why it ends.
    pub end: LineEnd,
}

impl LineAnswer {
    /// The main line of a position.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read.
    pub fn new(looker: &Looker, position: &Position) -> Result<Self, Problem> {
        let board = position.board();
        let mut line: Vec<LineStep> = Vec::new();
        let mut seen = HashSet::from([*position]);
        let mut look = looker.with_turns(position)?;
        let first = look.assessment;
        let end = loop {
            if look.outcome.is_some() {
                break LineEnd::Finished;
            }
            let Some(best) = look.best() else {
                break if line.is_empty() { LineEnd::Unknown } else { LineEnd::TableEdge };
            };
            if line.len() == MAX_TURNS {
                break LineEnd::Length;
            }
            let after = best.after;
            line.push(LineStep {
                turn: best.turn.text(board).to_string(),
                position: after.to_string(),
                to_move: after.to_move().into(),
                value: best.assessment.value().into(),
                dtw: best.assessment.dtw,
                captured: names_of(board, best.turn.captured()),
            });
            if !seen.insert(after) {
                break LineEnd::Repetition;
            }
            look = looker.with_turns(&after)?;
        };
        let position = position.to_string();
        Ok(Self { position, value: first.value().into(), dtw: first.dtw, line, end })
    }
}
