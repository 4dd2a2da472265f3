//! The turns of a position, and the replies to a turn.

use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Position, RuleSet, Stones};

use crate::canonicalizer::Canonicalizer;
use crate::claim::Claim;
use crate::error::{CertificateError, Flaw};
use crate::turns::successors;

/// The rules, and a claim about them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Game<'a> {
    pub rules: &'a RuleSet,
    pub claim: Claim,
    pub canonicalizer: &'a Canonicalizer,
    pub stop: &'a AtomicBool,
}

#[derive(Debug, Default)]
pub(super) struct Replies {
    /// The positions in which the prover is to move and the game is not over.
    pub open: Vec<Stones>,
    /// The number of all replies that lead to different positions.
    pub all: u64,
}

impl Game<'_> {
    /// Finds the replies to a turn that led to `after`, in which the other side is to move. There
    /// are none if the game is over.
    ///
    /// # Errors
    /// [`Flaw::BadLeaf`] if the game is over, here or after a reply, with a result that is worse
    /// than the claim.
    pub(super) fn replies(
        &self,
        after: &Position,
        buffer: &mut Vec<Position>,
        replies: &mut Replies,
    ) -> Result<(), Flaw> {
        replies.open.clear();
        replies.all = 0;
        if self.is_over(after)? {
            return Ok(());
        }
        successors(self.rules, after, buffer);
        replies.all = buffer.len() as u64;
        for reply in buffer.iter() {
            if !self.is_over(reply)? {
                replies.open.push(self.canonicalizer.stones(reply));
            }
        }
        Ok(())
    }

    /// Whether the game is over. A result that is worse than the claim is an error.
    pub(super) fn is_over(&self, position: &Position) -> Result<bool, Flaw> {
        let Some(outcome) = self.rules.outcome(position) else { return Ok(false) };
        let value = outcome.value_for(position.to_move());
        if self.claim.is_met_by(value, position.to_move()) {
            return Ok(true);
        }
        Err(Flaw::BadLeaf { position: *position, value })
    }

    pub(super) fn check_stop(&self) -> Result<(), CertificateError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(CertificateError::Stopped);
        }
        Ok(())
    }
}
