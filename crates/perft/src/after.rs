//! The position after a turn.

use fanorona_core::{Position, Stones};

/// The position after a turn from `before` that leaves these stones, as the mover sees them.
#[inline]
pub(crate) fn after(before: &Position, stones: Stones) -> Position {
    Position::from_mover(before.board(), stones.swapped(), before.to_move().other())
        .expect("a turn leads from a position to a position")
}
