//! Finds ranks, by a search that follows the best turns first.
//!
//! Where the prover can win by a capture, the rank is 0. Elsewhere it needs a turn after which all
//! replies in the slice have ranks. Many turns win, and following any of them wanders through the slice.
//! So each position without a rank has a *cost*, and the turn with the lowest is followed. This is the
//! AO* algorithm (Nilsson, *Principles of Artificial Intelligence*, 1980). Where the best turns lead
//! only to one another, their costs grow, until other turns are better.
//!
//! The cost of a turn is the highest cost of its replies without a rank, and one for each of them. Their
//! sum would count positions several times that several replies need. These are the weak proof numbers
//! of Ueda, Hashimoto, Hashimoto and Iida (*Weak proof-number search*, 2008). Positions that were not
//! looked at cost 1.

use fanorona_core::Paikas;
use rayon::prelude::*;

use super::lane::{Lane, LaneBuffers};
use super::open_positions::{Hardness, OpenPositions};
use super::ranked::{Order, Rank};
use crate::error::Result;
use crate::turns::successors;

/// The parts of positions that all threads look at together.
const PARTS: usize = 256;

/// The bytes for each open position in the lists of a round.
const ROUND: u64 = 16;

/// The cost of a position that was not looked at.
const NEW: u32 = 1;

/// Ranks positions of a slice, if the recommended turns allow it.
///
/// The ranks do not depend on the threads: threads read what was known before the round, and what they
/// find is taken in a fixed order. Nothing rests on the ranks being right, as the walk
/// [compares](super::ranked) them.
pub(super) fn find_ranks(lane: Lane<'_>) -> Result<Order> {
    let (order, open) = (Order::default(), OpenPositions::default());
    let mut ranking = Ranking { lane, order, open, open_bytes: 0 };
    let (account, keys) = (lane.layers.account, lane.layer.keys.keys());
    let listed = bytes_of(&keys);
    account.take(listed)?;
    ranking.run(keys)?;
    account.give_back(listed + ranking.open_bytes);
    Ok(ranking.order)
}

struct Ranking<'a> {
    lane: Lane<'a>,
    order: Order,
    open: OpenPositions,
    /// The memory that they took.
    open_bytes: u64,
}

/// Which turns are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follow {
    /// Those that seem best.
    Best,
    /// All.
    All,
}

/// The positions that a round looks at.
#[derive(Default)]
struct Needed {
    /// The numbers of open positions, by distance from those asked for.
    levels: Vec<Vec<usize>>,
    /// Positions that were not looked at before.
    new: Vec<u64>,
}

/// The result of a look at new positions.
#[derive(Default)]
struct Looked {
    ranks: Vec<(u64, Rank)>,
    open: OpenPositions,
}

impl Ranking<'_> {
    /// Looks for ranks in rounds. Each looks at the new positions that the best turns lead to, and then
    /// goes back from there to the positions asked for.
    ///
    /// It ends: a round finds a new position or gives a rank, which both are limited by the slice, or it
    /// is stalled. After some stalled rounds one after the other, all turns are followed, and if even that
    /// finds nothing, there is nothing to find.
    fn run(&mut self, mut asked: Vec<u64>) -> Result<()> {
        asked.par_sort_unstable();
        let mut stalled = 0;
        loop {
            asked.retain(|key| self.order.get(*key).is_none());
            if asked.is_empty() {
                return Ok(());
            }
            let follow = if stalled < self.lane.sizes.stalled { Follow::Best } else { Follow::All };
            let needed = self.needed(&asked, follow);
            self.look_at(&needed.new)?;
            let mut is_stalled = needed.new.is_empty();
            for level in needed.levels.iter().rev() {
                is_stalled &= !self.judge_all(level, is_stalled)?;
            }
            match (is_stalled, follow) {
                (true, Follow::All) => return Ok(()),
                (true, Follow::Best) => stalled += 1,
                (false, _) => stalled = 0,
            }
        }
    }

    /// Finds the positions without a rank that the ones asked for need.
    fn needed(&self, asked: &[u64], follow: Follow) -> Needed {
        let mut needed = Needed::default();
        let mut is_seen = vec![false; self.open.len()];
        let mut level = Vec::new();
        let mut look_up = |key: u64, level: &mut Vec<usize>, new: &mut Vec<u64>| {
            if self.order.get(key).is_some() {
                return;
            }
            match self.open.number(key) {
                None => new.push(key),
                Some(number) if is_seen[number] => {}
                Some(number) => {
                    is_seen[number] = true;
                    level.push(number);
                }
            }
        };
        asked.iter().for_each(|key| look_up(*key, &mut level, &mut needed.new));
        while !level.is_empty() {
            let mut next = Vec::new();
            for number in &level {
                let best = self.open.estimate(*number).best;
                for (turn, (_, replies)) in (0..).zip(self.open.turns(*number)) {
                    if follow == Follow::All || turn == best {
                        replies.iter().for_each(|key| look_up(*key, &mut next, &mut needed.new));
                    }
                }
            }
            needed.levels.push(std::mem::replace(&mut level, next));
        }
        needed.new.par_sort_unstable();
        needed.new.dedup();
        needed
    }

    /// Looks at new positions. They get ranks, or become open ones.
    fn look_at(&mut self, new: &Vec<u64>) -> Result<()> {
        let listed = bytes_of(new);
        self.lane.layers.account.take(listed)?;
        let part = self.lane.sizes.ranked;
        for batch in new.chunks(PARTS * part) {
            let looked = batch.par_chunks(part).map(|keys| {
                let (mut looked, mut buffers) = (Looked::default(), LaneBuffers::default());
                for key in keys {
                    self.look_at_one(*key, &mut looked, &mut buffers)?;
                }
                Ok(looked)
            });
            for looked in looked.collect::<Result<Vec<_>>>()? {
                self.add_ranks(&looked.ranks)?;
                self.open.append(&looked.open);
            }
            let bytes = self.open.bytes() + ROUND * self.open.len() as u64;
            self.lane.layers.account.take(bytes - self.open_bytes)?;
            self.open_bytes = bytes;
        }
        self.lane.layers.account.give_back(listed);
        Ok(())
    }

    fn add_ranks(&mut self, found: &[(u64, Rank)]) -> Result<()> {
        let (account, before) = (self.lane.layers.account, self.order.len());
        self.order.add(found, account)?;
        account.ranked(self.order.len() - before);
        Ok(())
    }

    /// Looks at a new position.
    fn look_at_one(&self, key: u64, looked: &mut Looked, buffers: &mut LaneBuffers) -> Result<()> {
        let lane = self.lane;
        lane.steps.check_stop()?;
        let position = lane.position(key);
        let mut after = Vec::new();
        successors(&lane.steps.rules, &position, &mut after);
        let mut turns = Vec::new();
        for turn in lane.winning(&position, &after)? {
            // If the other side can end the game well for itself, the tables are wrong about the turn.
            if lane.replies(&after[turn], buffers).is_err() {
                continue;
            }
            // Replies after which the prover must capture nearly always win by that. They are looked
            // at when all others have ranks.
            let is_hard = |key: &u64| self.order.get(*key).is_none() && !self.must_capture(*key);
            let hard: Vec<u64> = buffers.here.iter().copied().filter(is_hard).collect();
            if !hard.is_empty() {
                turns.push((turn, hard));
            } else if let Some(rank) = self.confirm(turn as u32, &mut looked.ranks, buffers)? {
                looked.ranks.push((key, rank));
                return Ok(());
            }
        }
        let mut estimate = Hardness::NONE;
        for (number, (turn, hard)) in (0..).zip(turns) {
            estimate.improve(number, NEW + hard.len() as u32);
            let after = lane.steps.stones_after(&after[turn]);
            looked.open.push_turn(turn as u32, lane.layer.numbering.number(after), &hard);
        }
        looked.open.push(key, estimate);
        Ok(())
    }

    /// Whether the prover must capture. Then it very likely wins by that.
    fn must_capture(&self, key: u64) -> bool {
        let (rules, position) = (&self.lane.steps.rules, self.lane.position(key));
        let paikas = rules.turn_rule(&position).paikas;
        matches!(paikas, Paikas::WhenNoCapture | Paikas::Never) && rules.has_capture(&position)
    }

    /// The rank of a position with this turn, if all replies in the slice have ranks or can get rank 0.
    /// The replies are in `buffers`, and are lost. `found` gets the ranks of replies.
    fn confirm(
        &self,
        turn: u32,
        found: &mut Vec<(u64, Rank)>,
        buffers: &mut LaneBuffers,
    ) -> Result<Option<Rank>> {
        let mut rank = 0;
        for key in std::mem::take(&mut buffers.here) {
            let of_reply = match self.order.get(key) {
                Some(of_reply) => of_reply,
                None => match self.turn_of_rank_0(key, buffers)? {
                    Some(turn) => {
                        found.push((key, Rank { rank: 0, turn }));
                        Rank { rank: 0, turn }
                    }
                    None => return Ok(None),
                },
            };
            rank = rank.max(of_reply.rank + 1);
        }
        Ok(Some(Rank { rank, turn }))
    }

    /// A winning turn after which no reply stays in the slice: any capture that wins, if the tables know
    /// one. Of other turns only the first is tried.
    fn turn_of_rank_0(&self, key: u64, buffers: &mut LaneBuffers) -> Result<Option<u32>> {
        let lane = self.lane;
        let position = lane.position(key);
        successors(&lane.steps.rules, &position, &mut buffers.after);
        let Some(turn) = lane.winning(&position, &buffers.after)?.first().copied() else {
            return Ok(None);
        };
        let after = buffers.after[turn];
        let wins = lane.replies(&after, buffers).is_ok() && buffers.here.is_empty();
        Ok(wins.then_some(turn as u32))
    }

    /// Judges open positions. Returns whether any of them got a rank. If nothing else has changed in
    /// this round, costs grow.
    fn judge_all(&mut self, numbers: &[usize], is_stalled: bool) -> Result<bool> {
        let judged = numbers.par_chunks(self.lane.sizes.ranked).map(|numbers| {
            let (mut buffers, mut found) = (LaneBuffers::default(), Vec::new());
            let estimates = numbers.iter().map(|number| {
                let judged = self.judge(*number, &mut found, &mut buffers);
                Ok((*number, judged?))
            });
            let estimates = estimates.collect::<Result<Vec<_>>>()?;
            Ok((found, estimates))
        });
        let mut any = false;
        for (found, estimates) in judged.collect::<Result<Vec<_>>>()? {
            any |= !found.is_empty();
            self.add_ranks(&found)?;
            for (number, mut estimate) in estimates {
                // Positions whose best turns only lead to one another become too dear, and others are
                // tried. Doubling comes to the limit of the numbers before all turns are followed.
                if is_stalled {
                    let before = self.open.estimate(number);
                    estimate.cost = estimate.cost.max(before.cost.saturating_mul(2));
                }
                self.open.set_estimate(number, estimate);
            }
        }
        Ok(any)
    }

    /// Gives an open position a rank in `found`, or estimates again what it needs.
    fn judge(
        &self,
        number: usize,
        found: &mut Vec<(u64, Rank)>,
        buffers: &mut LaneBuffers,
    ) -> Result<Hardness> {
        self.lane.steps.check_stop()?;
        let mut estimate = Hardness::NONE;
        for (place, (turn, replies)) in (0..).zip(self.open.turns(number)) {
            let cost = |key: &u64| match (self.order.get(*key), self.open.number(*key)) {
                (Some(_), _) => None,
                (None, Some(number)) => Some(self.open.estimate(number).cost),
                (None, None) => Some(NEW),
            };
            let missing = replies.iter().filter_map(cost);
            let (count, highest) = missing.fold((0, 0), |(n, most), cost| (n + 1, most.max(cost)));
            if count > 0 {
                estimate.improve(place, highest.saturating_add(count));
                continue;
            }
            let found_well = self.lane.replies(&self.lane.position_after(turn.after), buffers);
            found_well.expect("no reply was a bad end when the turn was found");
            if let Some(rank) = self.confirm(turn.turn, found, buffers)? {
                found.push((self.open.key(number), rank));
                return Ok(Hardness::NONE);
            }
        }
        Ok(estimate)
    }
}

fn bytes_of(keys: &Vec<u64>) -> u64 {
    (size_of::<u64>() * keys.capacity()) as u64
}
