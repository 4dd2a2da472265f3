//! The walk that proves a win by ranks that were found: from every position a turn after which all
//! replies have lower ranks.
//!
//! This is the part that has to be right. No table is asked, and the ranks are compared here.
//!
//! This proves a win: from position to position, the number of stones decreases, or it stays and the rank
//! decreases, which is a number and cannot decrease for ever. So play ends, and no end is bad. Where the
//! ranks are from makes no difference. One that is wrong or missing is an error here.

use std::collections::HashMap;

use super::account::Account;
use super::lane::{Lane, LaneBuffers};
use super::layers::Outgoing;
use super::ranking::find_ranks;
use crate::error::{Flaw, Result};
use crate::maps::{FastHash, map_bytes};
use crate::turns::successors;

/// Ranks of positions of one slice with the prover to move.
///
/// A position has a rank if one of the recommended turns leads only to positions of lower rank, to
/// positions with fewer stones, and to the end of the game. So the rank decreases from position to
/// position as long as no stone is captured.
#[derive(Debug, Default)]
pub(super) struct Order {
    ranks: HashMap<u64, Rank, FastHash>,
    /// The memory that they took.
    bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rank {
    pub rank: u32,
    /// A turn that leads only to lower ranks in the slice: the number of the position after it among
    /// those after all turns.
    pub turn: u32,
}

impl Order {
    /// Gives positions their ranks, and takes the memory. A rank stays once it is given: others were
    /// found by it, and must stay above it.
    pub(super) fn add(&mut self, found: &[(u64, Rank)], account: &Account<'_>) -> Result<()> {
        let keys = self.ranks.len() + found.len();
        if keys > self.ranks.capacity() {
            let bytes = map_bytes::<u64, Rank>(keys);
            account.take(bytes)?;
            self.ranks.reserve(found.len());
            account.give_back(self.bytes);
            self.bytes = bytes;
        }
        for (key, rank) in found {
            self.ranks.entry(*key).or_insert(*rank);
        }
        Ok(())
    }

    pub(super) fn len(&self) -> u64 {
        self.ranks.len() as u64
    }

    pub(super) fn get(&self, key: u64) -> Option<Rank> {
        self.ranks.get(&key).copied()
    }

    pub(super) fn drop_from(self, account: &Account<'_>) {
        account.give_back(self.bytes);
    }
}

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
