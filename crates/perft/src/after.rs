//! The position after a turn.

use fanorona_core::Position;

use crate::generator::Successor;

/// The position with these stones after a turn from `before`.
#[inline]
pub(crate) fn after(before: &Position, stones: Successor) -> Position {
    let Successor { own, opponent } = stones;
    Position::from_mover(before.board(), opponent, own, before.to_move().other())
        .expect("a turn leads from a position to a position")
}
