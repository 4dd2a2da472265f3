//! The walk that proves a set of positions that play by the chosen turns does not leave.
//!
//! This is the part that has to be right. For every position with the prover to move, it finds a turn
//! to a *chosen* position, in which the other side is to move. For every chosen position, all replies
//! are followed. Which positions are chosen makes no difference to this.
//!
//! This proves at least a draw: whoever takes the chosen turns is, after every reply, at a position for
//! which a turn was found, or the game is over and not lost. So it never loses, however long play goes
//! on and however often positions repeat.

use std::collections::HashSet;

use fanorona_core::{Position, Stones, Value};
use fanorona_tablebase::Slice;

use super::lane::{Lane, LaneBuffers, waiting};
use super::layers::{LayerReaders, Outgoing};
use crate::error::{Flaw, Result};
use crate::maps::FastHash;
use crate::turns::successors;

/// Walks from the positions of a layer to all that can come up in their slice, which are added to
/// the layer. Sends those with fewer stones to their layers.
///
/// Choosing and following take turns, so that which turns are chosen does not depend on the threads.
pub(super) fn walk(lane: Lane<'_>) -> Result<()> {
    let account = lane.layers.account;
    lane.exhaust(|batch| {
        let mut chosen = lane.in_parallel(batch, |keys| choose(lane, keys))?;
        let taken = waiting::<Stones>(chosen.len());
        // Those of a slice come one after the other. Threads can have chosen the same, once each.
        chosen.sort_unstable_by_key(|stones| (stones.own.len(), stones.count(), *stones));
        chosen.dedup();
        // Everything that was chosen is followed before anything else is chosen. So a position that a
        // later choice finds among the chosen ones has its replies in the layers.
        let new = lane.in_parallel(&chosen, |chosen| follow(lane, chosen))?;
        account.give_back(taken);
        account.done(batch.len());
        Ok(new)
    })
}

/// Finds turns for positions of the slice. Returns the positions after those turns that were not
/// chosen before.
fn choose(lane: Lane<'_>, keys: &[u64]) -> Result<Vec<Stones>> {
    let (mut chooser, mut after) = (Chooser::new(lane), Vec::new());
    for key in keys {
        lane.steps.check_stop()?;
        let position = lane.position(*key);
        successors(&lane.steps.rules, &position, &mut after);
        if !chooser.choose(&mut after)? {
            return Err(lane.steps.fails(Flaw::NoTurn { position }));
        }
    }
    Ok(chooser.chosen.into_iter().collect())
}

/// Finds all replies to chosen positions. Returns those that are new positions of the slice.
fn follow(lane: Lane<'_>, chosen: &[Stones]) -> Result<Vec<u64>> {
    let (mut here, mut outgoing) = (Vec::new(), Outgoing::new(lane.layers));
    let mut buffers = LaneBuffers::default();
    for of_slice in chosen.chunk_by(|a, b| Slice::from(*a) == Slice::from(*b)) {
        for stones in of_slice {
            lane.steps.check_stop()?;
            lane.replies(&lane.steps.position_after(*stones), &mut buffers)?;
            lane.send(&buffers, &mut here, &mut outgoing)?;
        }
        let of = lane.layers.layer(of_slice[0].into())?;
        let mut numbers = of_slice.iter().map(|stones| of.numbering.number(*stones)).collect();
        of.chosen.add(&mut numbers, lane.layers.account)?;
    }
    outgoing.finish()?;
    lane.layer.keys.add(&mut here, lane.layers.account)?;
    Ok(here)
}

/// Chooses turns of positions of a slice, one after the other.
///
/// Of the turns that are good enough according to the tables, many would do, and a proof that takes
/// any of them wanders through most of a slice. So the proof stays where it has been: a turn to a
/// position that was chosen before comes first. Next is the turn that leads to the fewest new
/// positions.
///
/// Nothing depends on the choice being good. What must be right is only that a chosen turn is legal, and
/// that the position after it is in the layers' sets of chosen positions or in the one here, which its
/// user follows.
struct Chooser<'a> {
    lane: Lane<'a>,
    readers: LayerReaders<'a>,
    /// The positions chosen here, in which the other side is to move.
    chosen: HashSet<Stones, FastHash>,
    stones: Vec<Stones>,
    replies: Vec<Stones>,
}

/// The number of replies that lead to new positions: those without a capture, and all others. The
/// lower, the better.
type Cost = (u32, u32);

const TOGETHER: usize = 1 << 10;

impl<'a> Chooser<'a> {
    fn new(lane: Lane<'a>) -> Self {
        let (readers, chosen) = (LayerReaders::new(lane.layers), HashSet::default());
        let [stones, replies] = [const { Vec::new() }; 2];
        Self { lane, readers, chosen, stones, replies }
    }

    /// Chooses one of the positions after the turns. Returns whether the tables recommend one. A turn that
    /// ends the game well needs no reply.
    fn choose(&mut self, after: &mut Vec<Position>) -> Result<bool> {
        let steps = self.lane.steps;
        // The rules say that the game is over, and how. No table is believed for that.
        let ends_well = |after: &Position| matches!(steps.is_leaf(after), Ok(true));
        if after.iter().any(|after| after.own().is_empty() && ends_well(after)) {
            return Ok(true);
        }
        after.retain(|after| !after.own().is_empty());
        self.stones.clear();
        self.stones.extend(after.iter().map(|after| steps.stones_after(after)));
        let are_chosen = self.readers.look_up(&self.stones, true);
        let mut chosen = self.stones.iter().zip(are_chosen);
        if chosen.any(|(stones, is_chosen)| *is_chosen || self.chosen.contains(stones)) {
            return Ok(true);
        }
        // Most turns hold. So the tables are asked about the best first.
        for (_, number) in self.by_cost(after) {
            if (self.lane.probe)(&after[number as usize])? <= Value::Draw {
                self.chosen.insert(self.stones[number as usize]);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The costs of following all replies to positions, with their numbers, lowest first.
    fn by_cost(&mut self, after: &[Position]) -> Vec<(Cost, u32)> {
        let steps = self.lane.steps;
        let mut costs = Vec::with_capacity(after.len());
        self.replies.clear();
        let mut ends = Vec::new();
        for (number, position) in (0..).zip(after) {
            steps.rules.for_each_successor(position, |reply| {
                self.replies.push(steps.stones(&reply));
            });
            ends.push((number, self.replies.len()));
            if self.replies.len() >= TOGETHER {
                self.add_costs(after, &mut ends, &mut costs);
            }
        }
        self.add_costs(after, &mut ends, &mut costs);
        costs.sort_unstable();
        costs
    }

    /// Adds the costs of positions whose replies are in the buffer, which is left empty. `ends` says
    /// where the replies to each position end.
    fn add_costs(
        &mut self,
        after: &[Position],
        ends: &mut Vec<(u32, usize)>,
        costs: &mut Vec<(Cost, u32)>,
    ) {
        let are_found = self.readers.look_up(&self.replies, false);
        let mut begin = 0;
        for (number, end) in ends.drain(..) {
            let stones = after[number as usize].opponent().len();
            let replies = self.replies[begin..end].iter().zip(&are_found[begin..end]);
            let mut cost = (0, 0);
            for (reply, _) in replies.filter(|(_, is_found)| !**is_found) {
                let is_quiet = reply.own.len() == stones;
                *(if is_quiet { &mut cost.0 } else { &mut cost.1 }) += 1;
            }
            costs.push((cost, number));
            begin = end;
        }
        self.replies.clear();
    }
}
