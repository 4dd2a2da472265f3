//! The choice of a turn where positions after turns are walked through.

use std::collections::HashSet;

use fanorona_core::{Position, Stones};

use super::lane::Lane;
use super::layers::{LayerReaders, Layers};
use crate::error::CertificateError;
use crate::fast_hash::FastHash;
use crate::turns::successors;

type Result<T> = std::result::Result<T, CertificateError>;

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
pub(super) struct Chooser<'l, 'a> {
    lane: Lane<'l>,
    readers: LayerReaders<'l, 'a>,
    /// The positions chosen here, in which the other side is to move.
    chosen: HashSet<Stones, FastHash>,
    /// Buffers.
    after: Vec<Position>,
    stones: Vec<Stones>,
    replies: Vec<Stones>,
}

/// The number of replies that lead to new positions: those without a capture, and all others. The
/// lower, the better.
type Cost = (u32, u32);

/// The number of replies that are looked up together.
const TOGETHER: usize = 1 << 10;

impl<'l, 'a> Chooser<'l, 'a> {
    pub(super) fn new(lane: Lane<'l>, layers: &'l Layers<'a>) -> Self {
        let (readers, chosen) = (LayerReaders::new(layers), HashSet::default());
        let [stones, replies] = [const { Vec::new() }; 2];
        Self { lane, readers, chosen, after: Vec::new(), stones, replies }
    }

    /// The positions that were chosen here and not before.
    pub(super) fn into_chosen(self) -> Vec<Stones> {
        self.chosen.into_iter().collect()
    }

    /// Chooses a turn of a position. Returns whether the tables recommend one.
    pub(super) fn choose(&mut self, position: &Position) -> Result<bool> {
        let mut after = std::mem::take(&mut self.after);
        successors(self.lane.game.rules, position, &mut after);
        let found = self.choose_of(&mut after);
        self.after = after;
        found
    }

    /// Chooses one of the positions after the turns. A turn that ends the game well needs no reply.
    fn choose_of(&mut self, after: &mut Vec<Position>) -> Result<bool> {
        let game = self.lane.game;
        // The rules say that the game is over, and how. No table is believed for that.
        if after.iter().any(|after| after.own().is_empty() && game.is_over(after) == Ok(true)) {
            return Ok(true);
        }
        after.retain(|after| !after.own().is_empty());
        self.stones.clear();
        self.stones.extend(after.iter().map(|after| game.canonicalizer.stones_after(after)));
        let are_chosen = self.readers.are_chosen(&self.stones);
        let mut chosen = self.stones.iter().zip(are_chosen);
        if chosen.any(|(stones, is_chosen)| *is_chosen || self.chosen.contains(stones)) {
            return Ok(true);
        }
        // Most turns hold. So the tables are asked about the best first.
        for (_, number) in self.by_cost(after) {
            if self.lane.hints.holds(&after[number as usize])? {
                self.chosen.insert(self.stones[number as usize]);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The costs of following all replies to positions, with their numbers, lowest first.
    fn by_cost(&mut self, after: &[Position]) -> Vec<(Cost, u32)> {
        let game = self.lane.game;
        let mut costs = Vec::with_capacity(after.len());
        self.replies.clear();
        let mut ends = Vec::new();
        for (number, position) in (0..).zip(after) {
            game.rules.for_each_successor(position, |reply| {
                self.replies.push(game.canonicalizer.stones(&reply));
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
        let are_found = self.readers.are_found(&self.replies);
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
