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

use std::collections::HashMap;

use fanorona_core::Paikas;
use rayon::prelude::*;

use super::account::Account;
use super::lane::{Lane, LaneBuffers};
use crate::error::Result;
use crate::maps::{FastHash, map_bytes};
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

#[derive(Default)]
struct Needed {
    /// The numbers of open positions, by distance from those asked for.
    levels: Vec<Vec<usize>>,
    /// Positions that were not looked at before.
    new: Vec<u64>,
}

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
            let follow_all = stalled == self.lane.sizes.stalled;
            let needed = self.needed(&asked, follow_all);
            self.look_at(&needed.new)?;
            let mut is_stalled = needed.new.is_empty();
            for level in needed.levels.iter().rev() {
                is_stalled &= !self.judge_all(level, is_stalled)?;
            }
            match is_stalled {
                true if follow_all => return Ok(()),
                true => stalled += 1,
                false => stalled = 0,
            }
        }
    }

    /// Finds the positions without a rank that the ones asked for need, after the turns that seem best or
    /// after all.
    fn needed(&self, asked: &[u64], follow_all: bool) -> Needed {
        let mut needed = Needed::default();
        let mut is_seen = vec![false; self.open.positions.len()];
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
                let best = self.open.positions[*number].estimate.best;
                for (turn, (_, replies)) in (0..).zip(self.open.turns(*number)) {
                    if follow_all || turn == best {
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
            let bytes = self.open.bytes() + ROUND * self.open.positions.len() as u64;
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
                let before = &mut self.open.positions[number].estimate;
                if is_stalled {
                    estimate.cost = estimate.cost.max(before.cost.saturating_mul(2));
                }
                *before = estimate;
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
                (None, Some(number)) => Some(self.open.positions[number].estimate.cost),
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
                found.push((self.open.positions[number].key, rank));
                return Ok(Hardness::NONE);
            }
        }
        Ok(estimate)
    }
}

fn bytes_of(keys: &Vec<u64>) -> u64 {
    (size_of::<u64>() * keys.capacity()) as u64
}

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

/// Positions of a slice without a rank, numbered in the order in which they came.
#[derive(Debug, Default)]
struct OpenPositions {
    numbers: HashMap<u64, usize, FastHash>,
    positions: Vec<OpenPosition>,
    turns: Vec<OpenTurn>,
    /// The replies to all turns that need a closer look, as keys.
    replies: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct OpenPosition {
    key: u64,
    estimate: Hardness,
    /// Where its turns end.
    turns_end: usize,
}

/// How hard it seems to give a position a rank, and how it seems easiest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Hardness {
    cost: u32,
    /// The turn for which that seems least hard, by its place among the open turns.
    best: u32,
}

impl Hardness {
    /// That of a position none of whose turns can give it a rank.
    const NONE: Self = Self { cost: u32::MAX, best: 0 };

    fn improve(&mut self, turn: u32, cost: u32) {
        if cost < self.cost {
            *self = Self { cost, best: turn };
        }
    }
}

/// A turn that would give a position a rank if all replies had one.
#[derive(Clone, Copy, Debug)]
struct OpenTurn {
    /// The number of the position after it among those after all turns.
    turn: u32,
    /// The position after it, as a number of the slice.
    after: u64,
    /// Where its replies end.
    replies_end: usize,
}

impl OpenPositions {
    /// Adds a position that is not there yet, after its turns.
    fn push(&mut self, key: u64, estimate: Hardness) {
        self.numbers.insert(key, self.positions.len());
        self.positions.push(OpenPosition { key, estimate, turns_end: self.turns.len() });
    }

    /// Adds a turn of the position that is added next. `replies` are the keys of those that need a
    /// closer look.
    fn push_turn(&mut self, turn: u32, after: u64, replies: &[u64]) {
        self.replies.extend_from_slice(replies);
        self.turns.push(OpenTurn { turn, after, replies_end: self.replies.len() });
    }

    /// Moves all positions of another list here. Those that are here already are dropped.
    fn append(&mut self, other: &Self) {
        for (number, position) in other.positions.iter().enumerate() {
            if self.numbers.contains_key(&position.key) {
                continue;
            }
            for (turn, replies) in other.turns(number) {
                self.push_turn(turn.turn, turn.after, replies);
            }
            self.push(position.key, position.estimate);
        }
    }

    fn number(&self, key: u64) -> Option<usize> {
        self.numbers.get(&key).copied()
    }

    fn turns(&self, number: usize) -> impl Iterator<Item = (OpenTurn, &[u64])> {
        let begin = number.checked_sub(1).map_or(0, |before| self.positions[before].turns_end);
        let first_reply = begin.checked_sub(1).map_or(0, |before| self.turns[before].replies_end);
        let turns = &self.turns[begin..self.positions[number].turns_end];
        turns.iter().scan(first_reply, |begin, turn| {
            let replies = &self.replies[*begin..turn.replies_end];
            *begin = turn.replies_end;
            Some((*turn, replies))
        })
    }

    fn bytes(&self) -> u64 {
        let numbers = map_bytes::<u64, usize>(self.numbers.capacity());
        let positions = size_of::<OpenPosition>() * self.positions.capacity();
        let turns = size_of::<OpenTurn>() * self.turns.capacity();
        numbers + (positions + turns + size_of::<u64>() * self.replies.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(open: &OpenPositions, key: u64) -> Vec<(u32, u64, Vec<u64>)> {
        let number = open.number(key).unwrap();
        assert_eq!(open.positions[number].key, key);
        open.turns(number)
            .map(|(turn, replies)| (turn.turn, turn.after, replies.to_vec()))
            .collect()
    }

    #[test]
    fn positions_keep_their_turns_when_lists_are_joined() {
        let estimate = Hardness { cost: 3, best: 1 };
        let mut first = OpenPositions::default();
        first.push_turn(4, 40, &[7, 8]);
        first.push_turn(5, 50, &[9]);
        first.push(1, estimate);
        first.push(2, Hardness::NONE);

        let mut second = OpenPositions::default();
        second.push_turn(0, 10, &[3]);
        second.push(1, Hardness::NONE);
        second.push_turn(6, 60, &[]);
        second.push_turn(7, 70, &[2, 1]);
        second.push(3, estimate);

        first.append(&second);
        assert_eq!(first.positions.len(), 3);
        assert_eq!(turns(&first, 1), [(4, 40, vec![7, 8]), (5, 50, vec![9])]);
        assert_eq!(turns(&first, 2), []);
        assert_eq!(turns(&first, 3), [(6, 60, vec![]), (7, 70, vec![2, 1])]);
        assert_eq!(first.number(4), None);
        assert_eq!(first.positions[0].estimate, estimate);
        assert_eq!(first.positions[1].estimate, Hardness::NONE);
        assert!(first.bytes() >= 8 * 5 + 24 * 4 + 24 * 3);
    }

    #[test]
    fn the_first_of_the_best_turns_counts() {
        let mut estimate = Hardness::NONE;
        for (turn, cost) in [(0, u32::MAX), (1, 5), (2, 4), (3, 4), (4, 6)] {
            estimate.improve(turn, cost);
        }
        assert_eq!(estimate, Hardness { cost: 4, best: 2 });
    }
}
