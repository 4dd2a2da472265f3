//! A board: its points, links and start.

use fanorona_core::{Board, Coordinates, Position, RuleSet};
use serde::Serialize;
use utoipa::ToSchema;

use crate::variant::{Variant, names_of};

/// A board and its start.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardAnswer {
    /// The size, as in `9x5`.
    #[schema(value_type = String)]
    pub board: Board,
    /// The number of files.
    pub width: u8,
    /// The number of ranks.
    pub height: u8,
    /// The names of the points, rank by rank from the lowest, each from file a.
    #[schema(value_type = Vec<String>)]
    pub points: Vec<Coordinates>,
    /// Each link once, as two names of points.
    #[schema(value_type = Vec<[String; 2]>)]
    pub links: Vec<[Coordinates; 2]>,
    /// The position at the start of the game.
    #[schema(value_type = String)]
    pub start: Position,
    /// The rule set.
    #[schema(value_type = String)]
    pub rules: RuleSet,
    /// The number of stones that each side starts with. No side ever has more.
    pub max_stones: u32,
}

impl BoardAnswer {
    /// The board of a variant.
    pub fn new(variant: Variant) -> Self {
        let Variant { board, rules } = variant;
        let links = board.links().map(|link| link.map(|point| board.coordinates(point)));
        Self {
            board,
            width: board.width(),
            height: board.height(),
            points: names_of(board, board.all_points()),
            links: links.collect(),
            start: board.start(),
            rules,
            max_stones: board.max_stones(),
        }
    }
}
