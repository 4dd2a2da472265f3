//! The positions of one slice, and play among them.

use fanorona_core::Position;
use fanorona_tablebase::Slice;

use super::game::{Game, Replies};
use super::hints::Hints;
use super::layers::{Layer, slice_of};
use super::numbering::Numbering;
use crate::error::{CertificateError, Flaw};

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

    /// The first of the recommended winning turns whose replies in this slice pass a test: the
    /// position after it. A turn after which the other side can end the game well for itself is left
    /// out, because the tables are wrong about it.
    pub(super) fn winning_turn(
        &self,
        key: u64,
        buffers: &mut Buffers,
        mut test: impl FnMut(&[u64]) -> bool,
    ) -> Result<Option<Position>> {
        self.game.check_stop()?;
        let position = self.position(key);
        self.game.successors(&position, &mut buffers.after);
        for index in self.hints.winning(&position, &buffers.after)? {
            let after = buffers.after[index];
            if self.replies(&after, buffers).is_ok() && test(&buffers.here) {
                return Ok(Some(after));
            }
        }
        Ok(None)
    }
}
