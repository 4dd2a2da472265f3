//! Turns ranked by value.

use fanorona_core::{Position, Turn};

use crate::value::{Code, Metric, TableValue};

/// A turn with its value for the side that makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedTurn {
    /// The turn.
    pub turn: Turn,
    /// The position after it, with the other side to move.
    pub after: Position,
    /// The value for the side that makes the turn. The distance counts this turn too.
    pub value: TableValue,
}

/// Sorts turns by value, best first. The sort is stable.
pub(super) fn ranked(mut turns: Vec<(Turn, Position, Code)>, metric: Metric) -> Vec<RankedTurn> {
    turns.sort_by_key(|(_, _, code)| std::cmp::Reverse(code.preference()));
    let ranked = |(turn, after, code): (_, _, Code)| RankedTurn {
        turn,
        after,
        value: code.to_table_value(metric),
    };
    turns.into_iter().map(ranked).collect()
}
