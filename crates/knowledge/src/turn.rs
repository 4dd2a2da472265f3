//! A turn with what is known about it.

use fanorona_core::{Coordinates, Position, Turn};
use serde::{Serialize, Serializer};

use crate::assessment::Assessment;

/// A turn with what is known about it.
///
/// Its JSON form has the fields of the [`Assessment`], and `{turn, position, captured}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedTurn {
    /// The turn.
    pub turn: Turn,
    /// The position after it.
    pub after: Position,
    /// For the side that makes the turn.
    pub assessment: Assessment,
}

/// A turn with what is known about it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = RankedTurn))]
pub(crate) struct Fields {
    /// The turn, as in `d2-e3A-f4W`.
    turn: String,
    #[serde(flatten)]
    assessment: Assessment,
    /// The position after the turn, with the other side to move.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    position: Position,
    /// The points of the captured stones.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    captured: Vec<Coordinates>,
}

impl Serialize for RankedTurn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let board = self.after.board();
        let captured = self.turn.captured().iter().map(|point| board.coordinates(point));
        Fields {
            turn: self.turn.text(board).to_string(),
            assessment: self.assessment,
            position: self.after,
            captured: captured.collect(),
        }
        .serialize(serializer)
    }
}

#[cfg(feature = "schema")]
crate::schema::as_its_fields!(RankedTurn, Fields);
