//! The stones after a turn.

use fanorona_core::PointSet;

/// The stones on the board after a turn. They are ordered by `own`, then `opponent`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Successor {
    /// The stones of the side that has made the turn.
    pub own: PointSet,
    /// The stones of the other side, which is to move.
    pub opponent: PointSet,
}
