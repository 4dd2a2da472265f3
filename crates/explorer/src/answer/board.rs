//! A board: its points, links and start.

use fanorona_core::Direction;
use serde::Serialize;
use utoipa::ToSchema;

use crate::variant::{Variant, point_names};

/// A board and its start.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BoardAnswer {
    /// The size, as in `9x5`.
    pub board: String,
    /// The number of files.
    pub width: u8,
    /// The number of ranks.
    pub height: u8,
    /// The names of the points, rank by rank from the lowest, each from file a.
    pub points: Vec<String>,
    /// Each link once, as two names of points.
    pub links: Vec<[String; 2]>,
    /// The position at the start of the game.
    pub start: String,
    /// The rule set.
    pub rules: String,
    /// The number of stones that each side starts with. No side ever has more.
    pub max_stones: u32,
}

impl BoardAnswer {
    /// The board of a variant.
    pub fn new(variant: Variant) -> Self {
        let Variant { board, rules } = variant;
        let names = point_names(board);
        let mut links = Vec::new();
        // The other four directions lead back.
        for direction in
            [Direction::East, Direction::NorthEast, Direction::North, Direction::NorthWest]
        {
            for from in board.linked(direction).iter() {
                if let Some(to) = board.neighbour(from, direction) {
                    links.push([from, to].map(|point| names[point.index()].clone()));
                }
            }
        }
        Self {
            board: board.to_string(),
            width: board.width(),
            height: board.height(),
            points: names.to_vec(),
            links,
            start: board.start().to_string(),
            rules: rules.to_string(),
            max_stones: board.max_stones(),
        }
    }
}
