//! The walk that proves a win by ranks that were found: from every position a turn after which all
//! replies have lower ranks.
//!
//! This is the part that has to be right. No table is asked, and the ranks are compared here.
//!
//! This proves a win: from position to position, the number of stones decreases, or it stays and the rank
//! decreases, which is a number and cannot decrease for ever. So play ends, and no end is bad. Where the
//! ranks are from makes no difference. One that is wrong or missing is an error here.

use super::lane::{Lane, LaneBuffers};
use super::layers::Outgoing;
use super::ranking::{Order, find_ranks};
use crate::error::{Flaw, Result};
use crate::turns::successors;

/// Walks from the positions of a layer to all that can come up in their slice, which are added to
/// the layer. Sends those with fewer stones to their layers.
pub(super) fn walk(lane: Lane<'_>) -> Result<()> {
    // All positions that come from larger slices are there, so the ranks of a slice are found at once.
    let order = find_ranks(lane)?;
    lane.exhaust(|batch| lane.in_parallel(batch, |keys| expand(lane, &order, keys)))?;
    order.drop_from(lane.layers.account);
    Ok(())
}

/// Returns the new positions of the slice that can come up after a turn and a reply.
fn expand(lane: Lane<'_>, order: &Order, keys: &[u64]) -> Result<Vec<u64>> {
    let (mut here, mut outgoing) = (Vec::new(), Outgoing::new(lane.layers));
    let mut buffers = LaneBuffers::default();
    for key in keys {
        lane.steps.check_stop()?;
        step(lane, order, *key, &mut buffers)?;
        lane.send(&buffers, &mut here, &mut outgoing)?;
    }
    outgoing.finish()?;
    lane.layer.keys.add(&mut here, lane.layers.account)?;
    lane.layers.account.done(keys.len());
    Ok(here)
}

/// Plays the turn and finds the replies to it. Those in this slice must have lower ranks.
fn step(lane: Lane<'_>, order: &Order, key: u64, buffers: &mut LaneBuffers) -> Result<()> {
    let position = lane.position(key);
    let stuck = || lane.steps.fails(Flaw::NoProgress { position });
    let rank = order.get(key).ok_or_else(stuck)?;
    successors(&lane.steps.rules, &position, &mut buffers.after);
    let after = *buffers.after.get(rank.turn as usize).ok_or_else(stuck)?;
    lane.replies(&after, buffers)?;
    let is_lower = |reply: &u64| order.get(*reply).is_some_and(|lower| lower.rank < rank.rank);
    if buffers.here.iter().all(is_lower) { Ok(()) } else { Err(stuck()) }
}
