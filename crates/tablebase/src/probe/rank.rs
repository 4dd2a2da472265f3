//! Turns ranked by value.

use fanorona_core::{Position, Turn};

use crate::value::TableValue;

/// A turn with its value for the side that makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct RankedTurn {
    pub turn: Turn,
    /// The position after it, with the other side to move.
    pub after: Position,
    /// The value for the side that makes the turn. The distance counts this turn too.
    pub value: TableValue,
}

impl RankedTurn {
    /// A turn to a position with this value for the side to move there.
    pub(super) fn new(turn: Turn, after: Position, value: TableValue) -> Self {
        Self { turn, after, value: value.before_turn() }
    }

    /// Sorts turns, best first. Turns of equal value keep their order.
    pub(super) fn sort(turns: &mut [Self]) {
        turns.sort_by(|a, b| a.value.best_first(&b.value));
    }
}
