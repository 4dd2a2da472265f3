//! Collects the leaves of a proof whose values are in tables, instead of believing the tables.

use std::path::Path;

use fanorona_core::Position;

use super::game::{Game, Replies};
use super::layers::Layers;
use crate::error::CertificateError;
use crate::leaves::{Ends, Leaf, SliceSet};

/// Lets a proof end at positions of the slices with named tables, and adds to the layers what has to
/// be expanded for them: the position itself if the prover is to move, otherwise all replies.
pub(super) struct LeafCollector<'a> {
    pub game: Game<'a>,
    /// Those with named tables.
    pub slices: SliceSet,
    pub layers: &'a Layers<'a>,
    /// The certificate, for errors.
    pub path: &'a Path,
}

impl Ends for LeafCollector<'_> {
    fn leaf(&self, position: &Position) -> Result<Leaf, CertificateError> {
        let Game { rules, claim, canonicalizer, .. } = self.game;
        if let Some(outcome) = rules.outcome(position) {
            return Ok(Leaf::Value(outcome.value_for(position.to_move())));
        }
        if self.slices.slice_with_tables(rules, position).is_none() {
            return Ok(Leaf::No);
        }
        if position.to_move() == claim.side {
            self.layers.add(canonicalizer.stones(position))?;
            return Ok(Leaf::Unchecked);
        }
        let (mut successors, mut replies) = (Vec::new(), Replies::default());
        let found = self.game.replies(position, &mut successors, &mut replies);
        found.map_err(|flaw| CertificateError::DoesNotHold { path: self.path.to_owned(), flaw })?;
        replies.open.iter().try_for_each(|stones| self.layers.add(*stones))?;
        Ok(Leaf::Unchecked)
    }
}
