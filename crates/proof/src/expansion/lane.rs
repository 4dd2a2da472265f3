//! The positions of one slice, and play among them.

use fanorona_core::Position;
use fanorona_tablebase::Slice;

use super::game::{Game, Replies};
use super::hints::Hints;
use super::layers::{Layer, slice_of};
use super::numbering::Numbering;
use crate::error::Flaw;

/// Play from the positions of one slice, in which the prover is to move.
#[derive(Clone, Copy)]
pub(super) struct Lane<'a> {
    pub game: Game<'a>,
    pub hints: Hints<'a>,
    pub slice: Slice,
    pub numbering: Numbering,
    pub sizes: Sizes,
}

/// How much work is done at a time. Tests have all cases in few positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// The number of positions that a thread expands at a time.
    pub expanded: usize,
    /// The number of positions that a thread ranks at a time.
    pub ranked: usize,
    /// The number of rounds of ranking without a new position or rank, after which all turns are
    /// followed. By then the costs have reached their limit.
    pub stalled: u32,
}

/// Buffers for one position at a time.
#[derive(Debug, Default)]
pub(super) struct LaneBuffers {
    /// The positions after the prover's turns.
    pub after: Vec<Position>,
    pub successors: Vec<Position>,
    pub replies: Replies,
    /// The replies that stay in the slice, as keys.
    pub here: Vec<u64>,
}

impl<'a> Lane<'a> {
    pub(super) fn new(game: Game<'a>, hints: Hints<'a>, layer: &Layer, sizes: Sizes) -> Self {
        Self { game, hints, slice: layer.slice, numbering: layer.numbering, sizes }
    }

    pub(super) fn position(&self, key: u64) -> Position {
        self.game.canonicalizer.position(self.numbering.stones(key))
    }

    /// Finds the replies to `after`, and puts the keys of those that stay in the slice into
    /// `buffers.here`.
    pub(super) fn replies(&self, after: &Position, buffers: &mut LaneBuffers) -> Result<(), Flaw> {
        self.game.replies(after, &mut buffers.successors, &mut buffers.replies)?;
        let here = buffers.replies.open.iter().filter(|stones| slice_of(**stones) == self.slice);
        buffers.here.clear();
        buffers.here.extend(here.map(|stones| self.numbering.number(*stones)));
        Ok(())
    }

    /// Puts the keys of the replies to a position of the slice that stay there into `buffers.here`. The
    /// position is given by its number. The other side is to move, and cannot end the game well for
    /// itself.
    pub(super) fn replies_in_slice(&self, after: u64, buffers: &mut LaneBuffers) {
        let after = self.game.canonicalizer.position_after(self.numbering.stones(after));
        self.replies(&after, buffers).expect("no reply was a flaw when the turn was found");
    }
}
