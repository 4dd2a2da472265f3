//! The positions of one slice, and play among them.

use fanorona_core::{Position, Value};
use fanorona_tablebase::Slice;

use super::game::{Game, Replies};
use super::hints::Hints;
use super::layers::{Layer, slice_of};
use super::numbering::Numbering;
use crate::error::{CertificateError, Flaw};
use crate::stones::Stones;

type Result<T> = std::result::Result<T, CertificateError>;

/// Play from the positions of one slice, in which the prover is to move.
#[derive(Clone, Copy)]
pub(super) struct Lane<'a> {
    pub game: Game<'a>,
    pub hints: Hints<'a>,
    pub slice: Slice,
    pub numbering: Numbering,
}

/// Buffers for one position at a time.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// The positions after the prover's turns.
    pub after: Vec<Position>,
    pub successors: Vec<Position>,
    pub replies: Replies,
    /// The replies that stay in the slice, as keys.
    pub here: Vec<u64>,
}

impl<'a> Lane<'a> {
    pub(super) fn new(game: Game<'a>, hints: Hints<'a>, layer: &Layer) -> Self {
        Self { game, hints, slice: layer.slice, numbering: layer.numbering }
    }

    /// Whether the tables have distances for a layer of this slice, to judge by its first position.
    pub(super) fn has_distances(&self, layer: &Layer) -> Result<bool> {
        let Some(first) = layer.keys.keys().into_iter().min() else { return Ok(false) };
        Ok(self.rank(&self.position(first))?.is_some())
    }

    /// The rank of a canonical position by distances: that of a win in the tables.
    pub(super) fn rank(&self, position: &Position) -> Result<Option<u16>> {
        Ok(self.hints.distance(position, Value::Win)?)
    }

    /// The rank of the position with the other side to move and these canonical stones: the distance
    /// of its loss in the tables.
    pub(super) fn rank_after(&self, stones: Stones) -> Result<Option<u16>> {
        Ok(self.hints.distance(&self.game.position_after(stones), Value::Loss)?)
    }

    /// Whether a turn from a position of this slice is allowed by its rank, if it has one: it captures,
    /// or leads to a lower rank.
    pub(super) fn leads_down(&self, after: Stones, rank: Option<u16>) -> Result<bool> {
        let Some(rank) = rank else { return Ok(true) };
        if slice_of(after) != self.slice {
            return Ok(true);
        }
        Ok(self.rank_after(after)?.is_some_and(|lower| lower < rank))
    }

    /// Whether the tables recommend a turn to `after`, with these canonical stones, from a position of
    /// this slice: it holds, or if the position has a rank, it wins and makes progress.
    pub(super) fn is_recommended(
        &self,
        after: &Position,
        stones: Stones,
        rank: Option<u16>,
    ) -> Result<bool> {
        match rank {
            None => Ok(self.hints.holds(after)?),
            Some(_) if slice_of(stones) == self.slice => self.leads_down(stones, rank),
            Some(_) => Ok(self.hints.wins(after)?),
        }
    }

    /// The position with a key.
    pub(super) fn position(&self, key: u64) -> Position {
        self.game.position(self.numbering.stones(key))
    }

    /// Finds the replies to `after`, and puts the keys of those that stay in the slice into
    /// `buffers.here`.
    pub(super) fn replies(
        &self,
        after: &Position,
        buffers: &mut Buffers,
    ) -> std::result::Result<(), Flaw> {
        self.game.replies(after, &mut buffers.successors, &mut buffers.replies)?;
        let here = buffers.replies.open.iter().filter(|stones| slice_of(**stones) == self.slice);
        buffers.here.clear();
        buffers.here.extend(here.map(|stones| self.numbering.number(*stones)));
        Ok(())
    }

    /// Puts the keys of the replies to a position of the slice that stay there into `buffers.here`. The
    /// position is given by its number. The other side is to move, and cannot end the game well for
    /// itself.
    pub(super) fn replies_in_slice(&self, after: u64, buffers: &mut Buffers) {
        let after = self.game.position_after(self.numbering.stones(after));
        self.replies(&after, buffers).expect("no reply was a flaw when the turn was found");
    }
}
