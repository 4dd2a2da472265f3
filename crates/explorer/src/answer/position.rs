//! A position with its turns and steps.

use std::str::FromStr;

use fanorona_core::{Board, Coordinates, Outcome, Position, RuleSet, Side};
use fanorona_knowledge::{Assessment, Look, MissingTable, RankedTurn, StepTree, schema};
use serde::Serialize;
use utoipa::ToSchema;

use super::turn::path_of;
use crate::build::Build;
use crate::library::OpenVariant;
use crate::problem::{Problem, ProblemKind};
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

/// The points of the stones of both sides.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Stones {
    /// White's.
    #[schema(value_type = Vec<String>)]
    pub white: Vec<Coordinates>,
    /// Black's.
    #[schema(value_type = Vec<String>)]
    pub black: Vec<Coordinates>,
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

/// A turn with what is known about it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TurnEntry {
    /// The turn with its value and the position after it.
    #[serde(flatten)]
    pub ranked: RankedTurn,
    /// The side to move after the turn.
    #[schema(value_type = schema::Side)]
    pub to_move: Side,
    /// The points that the stone visits, from its start to its end.
    #[schema(value_type = Vec<String>)]
    pub path: Vec<Coordinates>,
    /// Whether the turn keeps the value of the position. False if that is not known.
    pub holds: bool,
    /// The number of the opponent's replies that keep the opponent's value. Null if that is not
    /// known, or if it was not asked for with `detail=replies`.
    #[schema(required)]
    pub replies_that_hold: Option<usize>,
}

/// A position with what is known about it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PositionAnswer {
    /// The size of the board.
    #[schema(value_type = String)]
    pub board: Board,
    /// The rule set.
    #[schema(value_type = String)]
    pub rules: RuleSet,
    /// The position in its normal form.
    #[schema(value_type = String)]
    pub position: Position,
    /// The side to move.
    #[schema(value_type = schema::Side)]
    pub to_move: Side,
    /// The number of files.
    pub width: u8,
    /// The number of ranks.
    pub height: u8,
    /// The stones.
    pub stones: Stones,
    /// The result. Left out if the game is not over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schema::Outcome>, nullable = false)]
    pub outcome: Option<Outcome>,
    /// The known value of the position.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// Tables that would hold the position, if the value is unknown because they are missing.
    #[schema(required)]
    pub missing: Option<Missing>,
    /// The text of the best turn. Left out if no turn is known to be the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub best: Option<String>,
    /// The text of the turn that makes it hardest for the opponent: of those that keep the value, and
    /// after which the opponent can give a value away, the one after which the fewest replies keep the
    /// opponent's value; of as many, the smallest part of all replies. Left out if it was not asked for
    /// with `detail=replies`, if there is none, if not all is known of the turns that keep the value, or
    /// if only one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub trickiest: Option<String>,
    /// The turns, best first: by the lower bound, then by the upper bound, then sooner wins and
    /// later losses. A win of unknown length comes after those of known length, a loss of unknown
    /// length before a known loss in 4. Empty with `detail=value`.
    pub turns: Vec<TurnEntry>,
    /// The first steps of all turns, each with the steps that can follow. Empty with `detail=value`
    /// and `detail=turns`.
    #[schema(value_type = Vec<StepTree>)]
    pub steps: Vec<StepTree>,
}

impl PositionAnswer {
    /// The answer about a position.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read, or there are more than
    /// [`MAX_TURNS`](fanorona_knowledge::MAX_TURNS) turns to list.
    pub fn new(open: &OpenVariant, position: &Position, detail: Detail) -> Result<Self, Problem> {
        let known = open.knowledge();
        let (assessment, look) = match detail {
            Detail::Value => (known.assess(position)?, None),
            Detail::Turns | Detail::Tree | Detail::Replies => {
                let look = known.look(position)?;
                (look.assessment, Some(look))
            }
        };
        Self::of(open, position, detail, assessment, look)
    }

    /// The answer about a position of which this is known.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub(crate) fn of_look(open: &OpenVariant, look: Look) -> Result<Self, Problem> {
        let (position, assessment) = (look.position, look.assessment);
        Self::of(open, &position, Detail::Tree, assessment, Some(look))
    }

    fn of(
        open: &OpenVariant,
        position: &Position,
        detail: Detail,
        assessment: Assessment,
        look: Option<Look>,
    ) -> Result<Self, Problem> {
        let Variant { board, rules } = open.variant();
        let known = open.knowledge();
        let (mut turns, mut steps) = (Vec::new(), Vec::new());
        if let Some(look) = &look {
            turns = look.turns()?.iter().map(|turn| TurnEntry::new(look, turn)).collect();
            if detail >= Detail::Tree {
                steps = StepTree::of_turns(&rules, position, look.turns()?);
            }
        }
        let mut trickiest = None;
        if let Some(look) = look.as_ref().filter(|_| detail >= Detail::Replies) {
            let replies = known.replies(look)?;
            for (entry, replies) in turns.iter_mut().zip(&replies) {
                entry.replies_that_hold = replies.map(|replies| replies.holding);
            }
            trickiest =
                look.trickiest(&replies).map(|i| turns[i].ranked.turn.text(board).to_string());
        }
        let missing = match assessment.value() {
            None => known.missing(position)?.and_then(|table| missing_of(open, position, table)),
            Some(_) => None,
        };
        // Without turns, the best one would have to be looked for first.
        let best = look.as_ref().and_then(Look::best);
        Ok(Self {
            board,
            rules,
            position: *position,
            to_move: position.to_move(),
            width: board.width(),
            height: board.height(),
            stones: Stones {
                white: names_of(board, position.stones(Side::White)),
                black: names_of(board, position.stones(Side::Black)),
            },
            outcome: rules.outcome(position),
            assessment,
            missing,
            best: best.map(|best| best.turn.text(board).to_string()),
            trickiest,
            turns,
            steps,
        })
    }
}

/// The tables that would hold a position; `None` if no machine could build them.
fn missing_of(open: &OpenVariant, position: &Position, table: MissingTable) -> Option<Missing> {
    let MissingTable { slice, board, rules } = table;
    let stones = fanorona_core::Stones::of(position).count();
    let build = open.build(Variant { board, rules }, stones)?;
    Some(Missing { stones, slices: vec![slice.to_string()], build })
}

impl TurnEntry {
    fn new(look: &Look, ranked: &RankedTurn) -> Self {
        let value = ranked.assessment.value();
        Self {
            to_move: ranked.after.to_move(),
            path: path_of(ranked.after.board(), &ranked.turn),
            holds: value.is_some() && value == look.assessment.value(),
            replies_that_hold: None,
            ranked: ranked.clone(),
        }
    }
}
