//! The choice of a turn in a proof of at least a draw.

use std::collections::HashSet;

use fanorona_core::Position;

use super::game::Game;
use super::hints::Hints;
use super::layers::{LayerReaders, Layers};
use crate::error::CertificateError;
use crate::stones::Stones;

type Result<T> = std::result::Result<T, CertificateError>;

/// Chooses turns of positions of a slice, one after the other.
///
/// Of the turns that hold according to the tables, many would do, and a proof that takes any of them
/// wanders through most of a slice. So the proof stays where it has been: a turn to a position that
/// was chosen before comes first. Next is the turn that leads to the fewest new positions.
///
/// Nothing depends on the choice being good.
pub(super) struct Chooser<'l, 'a> {
    game: Game<'l>,
    hints: Hints<'l>,
    readers: LayerReaders<'l, 'a>,
    /// The positions chosen here, in which the other side is to move.
    chosen: HashSet<Stones>,
    /// Buffers.
    after: Vec<Position>,
    stones: Vec<Stones>,
}

/// The number of replies that lead to new positions: those without a capture, and all others. The
/// lower, the better.
type Cost = (u32, u32);

impl<'l, 'a> Chooser<'l, 'a> {
    pub(super) fn new(game: Game<'l>, hints: Hints<'l>, layers: &'l Layers<'a>) -> Self {
        let (readers, chosen) = (LayerReaders::new(layers), HashSet::new());
        Self { game, hints, readers, chosen, after: Vec::new(), stones: Vec::new() }
    }

    /// The positions that were chosen here and not before.
    pub(super) fn into_chosen(self) -> Vec<Stones> {
        self.chosen.into_iter().collect()
    }

    /// Chooses a turn. Returns whether there is one that holds.
    pub(super) fn choose(&mut self, position: &Position) -> Result<bool> {
        let mut after = std::mem::take(&mut self.after);
        self.game.successors(position, &mut after);
        let found = self.choose_of(&mut after);
        self.after = after;
        found
    }

    /// Chooses one of the positions after the turns. A turn that ends the game well needs no reply.
    fn choose_of(&mut self, after: &mut Vec<Position>) -> Result<bool> {
        if after.iter().any(|after| after.own().is_empty() && self.game.is_over(after) == Ok(true))
        {
            return Ok(true);
        }
        after.retain(|after| !after.own().is_empty());
        // Lookups one right after the other overlap their cache misses.
        self.stones.clear();
        self.stones.extend(after.iter().map(|after| self.game.canonicalizer.stones_after(after)));
        let mut is_chosen = false;
        for stones in &self.stones {
            is_chosen |= self.readers.is_chosen(*stones);
        }
        if is_chosen || self.stones.iter().any(|stones| self.chosen.contains(stones)) {
            return Ok(true);
        }
        let mut best: Option<(Cost, &Position)> = None;
        for after in after.iter() {
            let below = best.map_or((u32::MAX, 0), |(cost, _)| cost);
            if self.hints.holds(after)?
                && let Some(cost) = self.cost(after, below)
            {
                best = Some((cost, after));
                if cost == (0, 0) {
                    break;
                }
            }
        }
        let Some((_, after)) = best else { return Ok(false) };
        self.chosen.insert(self.game.canonicalizer.stones_after(after));
        Ok(true)
    }

    /// The cost of following all replies to `after`; `None` if it is not below a limit.
    fn cost(&mut self, after: &Position, limit: Cost) -> Option<Cost> {
        self.stones.clear();
        self.game.rules.for_each_turn(after, |turn| {
            let reply = after.play_unchecked(turn);
            self.stones.push(self.game.canonicalizer.stones(&reply));
        });
        let mut cost = (0, 0);
        for stones in &self.stones {
            if !self.readers.is_found(*stones) {
                let is_quiet = stones.own.len() == after.opponent().len();
                *(if is_quiet { &mut cost.0 } else { &mut cost.1 }) += 1;
                if cost >= limit {
                    return None;
                }
            }
        }
        Some(cost)
    }
}
