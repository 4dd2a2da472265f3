//! The common part of the walks for both kinds of proof.

use super::game::Replies;
use super::group::Group;
use super::lane::Lane;
use super::layers::{Layers, Outgoing, slice_of};
use super::meter::Meter;
use crate::error::{CertificateError, Flaw};

/// The walk through the positions of one slice.
#[derive(Clone, Copy)]
pub(super) struct SliceWalk<'a> {
    pub lane: Lane<'a>,
    pub layers: &'a Layers<'a>,
    /// The proofs, for errors.
    pub group: &'a Group<'a>,
    /// Counts replies, and positions walked through.
    pub meter: &'a Meter<'a>,
}

impl SliceWalk<'_> {
    /// Sends the replies outside the slice to their layers, and counts all.
    pub(super) fn send(
        &self,
        replies: &Replies,
        outgoing: &mut Outgoing<'_, '_>,
    ) -> Result<(), CertificateError> {
        self.meter.replied(replies.all);
        let outside = replies.open.iter().filter(|stones| slice_of(**stones) != self.lane.slice);
        outside.copied().try_for_each(|stones| outgoing.send(stones))
    }

    pub(super) fn fails(&self, flaw: Flaw) -> CertificateError {
        CertificateError::Unproved { paths: self.group.paths(), flaw }
    }
}
