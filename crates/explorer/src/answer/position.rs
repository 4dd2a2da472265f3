//! A position with its turns and steps.

use std::str::FromStr;

use fanorona_core::{Outcome, Position, Side, Value};
use serde::Serialize;
use utoipa::ToSchema;

use super::build::Build;
use super::steps::Step;
use super::turn::path_of;
use crate::library::{Library, MissingTable};
use crate::look::{AssessedTurn, Look, Looker, MAX_TURNS};
use crate::problem::{Problem, ProblemKind};
use crate::value::{Basis, Bound, KnownValue, Source};
use crate::variant::{Variant, names_of};

/// How much an answer has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Detail {
    /// The value alone.
    Value,
    /// And the turns.
    Turns,
    /// And the tree of steps.
    #[default]
    Tree,
    /// And for each turn, how many replies hold the opponent's value.
    Replies,
}

impl FromStr for Detail {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        Ok(match text {
            "value" => Self::Value,
            "turns" => Self::Turns,
            "tree" => Self::Tree,
            "replies" => Self::Replies,
            _ => {
                let message = "this detail is not known";
                let expected = "detail=value, turns, tree or replies";
                return Err(
                    Problem::new(ProblemKind::BadParameter, message, expected).in_field("detail")
                );
            }
        })
    }
}

/// A side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum SideName {
    White,
    Black,
}

impl From<Side> for SideName {
    fn from(side: Side) -> Self {
        match side {
            Side::White => Self::White,
            Side::Black => Self::Black,
        }
    }
}

/// The result of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeName {
    /// White has won.
    White,
    /// Black has won.
    Black,
    /// A draw.
    Draw,
}

impl From<Outcome> for OutcomeName {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Won(Side::White) => Self::White,
            Outcome::Won(Side::Black) => Self::Black,
            Outcome::Drawn => Self::Draw,
        }
    }
}

/// The points of the stones of both sides.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Stones {
    /// White's.
    pub white: Vec<&'static str>,
    /// Black's.
    pub black: Vec<&'static str>,
}

/// Tables that would hold the position.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The number of stones of the position, both sides together.
    pub stones: u32,
    /// The slices that are missing, as own stones, `v` and the opponent's: `5v4`.
    pub slices: Vec<String>,
    /// How they can be built.
    pub build: Build,
}

/// A turn with its value.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnEntry {
    /// The turn, as in `d2-e3A-f4W`.
    pub turn: String,
    /// For the side that makes the turn: its value.
    pub value: KnownValue,
    /// For the side that makes the turn: its value is this or better.
    pub at_least: Bound,
    /// For the side that makes the turn: its value is this or worse.
    pub at_most: Bound,
    /// The turns of both sides until the end of the game, this one included, if that is known.
    #[schema(required)]
    pub dtw: Option<u16>,
    /// Where the value or the bound comes from.
    pub source: Source,
    /// The position after the turn.
    pub position: String,
    /// The side to move after the turn.
    pub to_move: SideName,
    /// The points of the captured stones.
    pub captured: Vec<&'static str>,
    /// The points that the stone visits, from its start to its end.
    pub path: Vec<&'static str>,
    /// Whether the turn keeps the value of the position. False if that is not known.
    pub holds: bool,
    /// The number of the opponent's replies that keep the opponent's value. Null if that is not
    /// known, or if it was not asked for with `detail=replies`.
    #[schema(required)]
    pub replies_that_hold: Option<usize>,
}

/// A position with what is known about it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionAnswer {
    /// The size of the board.
    pub board: String,
    /// The rule set.
    pub rules: String,
    /// The position in its normal form.
    pub position: String,
    /// The side to move.
    pub to_move: SideName,
    /// The number of files.
    pub width: u8,
    /// The number of ranks.
    pub height: u8,
    /// The stones.
    pub stones: Stones,
    /// The result. Null if the game is not over.
    #[schema(required)]
    pub outcome: Option<OutcomeName>,
    /// For the side to move: the value of the position.
    pub value: KnownValue,
    /// For the side to move: the value is this or better.
    pub at_least: Bound,
    /// For the side to move: the value is this or worse.
    pub at_most: Bound,
    /// The turns of both sides until the end of the game, if that is known.
    #[schema(required)]
    pub dtw: Option<u16>,
    /// Where the value or the bound comes from.
    pub source: Source,
    /// What the value or the bound rests on.
    pub basis: Basis,
    /// Tables that would hold the position, if the value is unknown because they are missing.
    #[schema(required)]
    pub missing: Option<Missing>,
    /// The text of the best turn. Null if no turn is known to be the best.
    #[schema(required)]
    pub best: Option<String>,
    /// The turns, best first: by the lower bound, then by the upper bound, then sooner wins and later
    /// losses. Empty with `detail=value`.
    pub turns: Vec<TurnEntry>,
    /// The first steps of all turns, each with the steps that can follow. Empty with `detail=value`
    /// and `detail=turns`.
    pub steps: Vec<Step>,
}

impl PositionAnswer {
    /// The answer about a position.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read, or there are more than [`MAX_TURNS`] turns to list.
    pub fn new(
        library: &Library,
        looker: &Looker,
        position: &Position,
        detail: Detail,
    ) -> Result<Self, Problem> {
        let Variant { board, rules } = looker.variant();
        let look = match detail {
            Detail::Value => looker.assess(position)?,
            Detail::Turns | Detail::Tree | Detail::Replies => looker.with_turns(position)?,
        };
        let (mut turns, mut steps) = (Vec::new(), Vec::new());
        if detail >= Detail::Turns {
            turns = look.turns()?.iter().map(|turn| TurnEntry::new(&look, turn)).collect();
        }
        if detail >= Detail::Tree {
            steps = Step::tree(&rules, position, look.turns()?);
        }
        if detail >= Detail::Replies {
            let mut replies = Replies { looker, left: MAX_TURNS };
            for (entry, turn) in turns.iter_mut().zip(look.turns()?) {
                entry.replies_that_hold = replies.that_hold(turn)?;
            }
        }
        // Without turns, the best one would have to be looked for first.
        let best = if detail >= Detail::Turns { look.best() } else { None };
        let found = look.assessment;
        Ok(Self {
            board: board.to_string(),
            rules: rules.to_string(),
            position: position.to_string(),
            to_move: position.to_move().into(),
            width: board.width(),
            height: board.height(),
            stones: Stones {
                white: names_of(board, position.stones(Side::White)),
                black: names_of(board, position.stones(Side::Black)),
            },
            outcome: look.outcome.map(OutcomeName::from),
            value: found.value().into(),
            at_least: found.bounds.at_least.into(),
            at_most: found.bounds.at_most.into(),
            dtw: found.dtw,
            source: found.source,
            basis: found.basis(),
            missing: look.missing.and_then(|table| missing_of(library, looker, position, table)),
            best: best.map(|best| best.turn.text(board).to_string()),
            turns,
            steps,
        })
    }
}

/// The tables that would hold a position; `None` if no machine could build them.
fn missing_of(
    library: &Library,
    looker: &Looker,
    position: &Position,
    table: MissingTable,
) -> Option<Missing> {
    let stones = position.own().len() + position.opponent().len();
    let plan = looker.tables().build_plan(library, table.variant, stones)?;
    Some(Missing { stones, slices: vec![table.slice.to_string()], build: plan.into() })
}

impl TurnEntry {
    fn new(look: &Look, assessed: &AssessedTurn) -> Self {
        let AssessedTurn { turn, after, assessment } = assessed;
        let board = after.board();
        let value = assessment.value();
        Self {
            turn: turn.text(board).to_string(),
            value: value.into(),
            at_least: assessment.bounds.at_least.into(),
            at_most: assessment.bounds.at_most.into(),
            dtw: assessment.dtw,
            source: assessment.source,
            position: after.to_string(),
            to_move: after.to_move().into(),
            captured: names_of(board, turn.captured()),
            path: path_of(board, turn),
            holds: value.is_some() && value == look.assessment.value(),
            replies_that_hold: None,
        }
    }
}

/// Counts replies. The number of those that are looked at is limited for a whole answer.
struct Replies<'a> {
    looker: &'a Looker,
    left: usize,
}

impl Replies<'_> {
    /// The number of replies to a turn that keep the opponent's value; `None` if that is not known.
    fn that_hold(&mut self, turn: &AssessedTurn) -> Result<Option<usize>, Problem> {
        let Some(value) = turn.assessment.value().filter(|_| self.left > 0) else {
            return Ok(None);
        };
        let look = self.looker.with_turns(&turn.after)?;
        let Some(replies) = look.turns.as_ref().filter(|turns| turns.len() <= self.left) else {
            self.left = 0;
            return Ok(None);
        };
        self.left -= replies.len();
        let value: Value = -value;
        let values = replies.iter().map(|reply| reply.assessment.value());
        if values.clone().any(|reply| reply.is_none()) {
            return Ok(None);
        }
        Ok(Some(values.filter(|reply| *reply == Some(value)).count()))
    }
}
