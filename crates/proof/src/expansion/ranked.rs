//! The walk that proves a win by ranks that were found: from every position a turn after which all
//! replies have lower ranks.
//!
//! This is the part that has to be right. No table is asked, and the ranks are compared here.
//!
//! This proves a win: from position to position, the number of stones decreases, or it stays and the rank
//! decreases, which is a number and cannot decrease for ever. So play ends, and no end is bad. Where the
//! ranks are from makes no difference. One that is wrong or missing is an error here.

use super::frontier::{exhaust, in_parallel};
use super::lane::LaneBuffers;
use super::layers::{Layer, Outgoing};
use super::order::Order;
use super::walk::SliceWalk;
use crate::error::{CertificateError, Flaw};
use crate::turns::successors;

type Result<T> = std::result::Result<T, CertificateError>;

/// The walk through the positions of one slice, with their ranks.
pub(super) struct RankedWalk<'w, 'a> {
    pub walk: SliceWalk<'a>,
    pub order: &'w Order,
}

impl RankedWalk<'_, '_> {
    /// Walks from the positions of a layer to all that can come up in their slice, which are added to
    /// the layer. Sends those with fewer stones to their layers.
    pub(super) fn run(&self, layer: &Layer) -> Result<()> {
        let (account, sizes) = (self.walk.layers.account, self.walk.lane.sizes);
        exhaust(layer.keys.keys(), account, sizes, |batch| {
            in_parallel(batch, account, sizes, |keys| self.expand(keys, layer))
        })
    }

    /// Returns the new positions of the slice that can come up after a turn and a reply.
    fn expand(&self, keys: &[u64], layer: &Layer) -> Result<Vec<u64>> {
        let SliceWalk { lane, layers, .. } = self.walk;
        let (mut here, mut outgoing) = (Vec::new(), Outgoing::new(layers));
        let mut buffers = LaneBuffers::default();
        for key in keys {
            lane.game.check_stop()?;
            self.step(*key, &mut buffers)?;
            here.extend_from_slice(&buffers.here);
            self.walk.send(&buffers.replies, &mut outgoing)?;
        }
        outgoing.finish()?;
        layer.keys.add(&mut here, layers.account)?;
        self.walk.meter.done(keys.len());
        Ok(here)
    }

    /// Plays the turn and finds the replies to it. Those in this slice must have lower ranks.
    fn step(&self, key: u64, buffers: &mut LaneBuffers) -> Result<()> {
        let (lane, order) = (self.walk.lane, self.order);
        let position = lane.position(key);
        let stuck = || self.walk.fails(Flaw::NoProgress { position });
        let rank = order.get(key).ok_or_else(stuck)?;
        successors(lane.game.rules, &position, &mut buffers.after);
        let after = *buffers.after.get(rank.turn as usize).ok_or_else(stuck)?;
        lane.replies(&after, buffers).map_err(|flaw| self.walk.fails(flaw))?;
        let is_lower = |reply: &u64| order.get(*reply).is_some_and(|lower| lower.rank < rank.rank);
        if buffers.here.iter().all(is_lower) { Ok(()) } else { Err(stuck()) }
    }
}
