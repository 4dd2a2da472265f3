//! The walk that proves a set of positions that play by the chosen turns does not leave.
//!
//! This is the part that has to be right. For every position with the prover to move, it finds a turn
//! to a *chosen* position, in which the other side is to move. For every chosen position, all replies
//! are followed. Which positions are chosen makes no difference to this.
//!
//! This proves at least a draw. For a win, each position also has a rank, with either side to move.
//! Within a slice, each turn and each reply must lead to a lower rank. So a stone is captured or the
//! game ends. Any number can be the rank of a position, as long as it is always the same: this walk
//! takes the distances in the tables, right or wrong.

use super::choice::{Choice, Chooser};
use super::frontier::{exhaust, in_parallel, waiting};
use super::game::Replies;
use super::layers::{Layer, Outgoing, slice_of};
use super::walk::Walk;
use crate::error::{CertificateError, Flaw};
use crate::stones::Stones;

type Result<T> = std::result::Result<T, CertificateError>;

/// The walk through the positions of one slice.
pub(super) struct Closure<'a> {
    pub walk: Walk<'a>,
    /// Whether ranks must decrease, as the proof of a win needs it.
    pub is_ranked: bool,
}

impl Closure<'_> {
    /// Walks from the positions of a layer to all that can come up in their slice, which are added to
    /// the layer. Sends those with fewer stones to their layers.
    ///
    /// Choosing and following take turns, so that which turns are chosen does not depend on the
    /// threads.
    pub(super) fn run(&self, layer: &Layer) -> Result<()> {
        let account = self.walk.layers.account;
        if self.is_ranked {
            // Captures from larger slices led to these, and no rank was compared then.
            layer.chosen.clear(account);
        }
        exhaust(layer.keys.keys(), account, |batch| {
            let mut chosen = in_parallel(batch, account, |keys| self.choose(keys))?;
            let taken = waiting::<Stones>(chosen.len());
            // Those of a slice come one after the other.
            chosen.sort_unstable_by_key(|stones| (stones.own.len(), *stones));
            chosen.dedup();
            let new = in_parallel(&chosen, account, |chosen| self.follow(chosen, layer))?;
            account.give_back(taken);
            (self.walk.progress)(batch.len() as u64);
            Ok(new)
        })
    }

    /// Finds turns for positions of the slice. Returns the positions after those turns that were not
    /// chosen before.
    fn choose(&self, keys: &[u64]) -> Result<Vec<Stones>> {
        let Walk { lane, layers, .. } = self.walk;
        let mut chooser = Chooser::new(lane, layers);
        for key in keys {
            lane.game.check_stop()?;
            let position = lane.position(*key);
            let fails = |flaw| Err(self.walk.fails(flaw));
            if !self.is_ranked {
                if chooser.choose(&position, None)?.is_none() {
                    return fails(Flaw::NoTurn { position });
                }
                continue;
            }
            let Some(rank) = lane.rank(&position)? else {
                return fails(Flaw::NoProgress { position });
            };
            let is_good = match chooser.choose(&position, Some(rank))? {
                Some(Choice::End) => true,
                Some(Choice::After(stones)) => lane.leads_down(stones, Some(rank))?,
                None => false,
            };
            if !is_good {
                return fails(Flaw::NoProgress { position });
            }
        }
        Ok(chooser.into_chosen())
    }

    /// Finds all replies to chosen positions. Returns those that are new positions of the slice.
    fn follow(&self, chosen: &[Stones], layer: &Layer) -> Result<Vec<u64>> {
        let Walk { lane, layers, .. } = self.walk;
        let (mut here, mut outgoing) = (Vec::new(), Outgoing::new(layers));
        let (mut successors, mut replies) = (Vec::new(), Replies::default());
        for of_slice in chosen.chunk_by(|a, b| slice_of(*a) == slice_of(*b)) {
            for stones in of_slice {
                lane.game.check_stop()?;
                let after = lane.game.position_after(*stones);
                let found = lane.game.replies(&after, &mut successors, &mut replies);
                found.map_err(|flaw| self.walk.fails(flaw))?;
                if self.is_ranked && slice_of(*stones) == lane.slice {
                    self.check_ranks(*stones, &replies)?;
                }
                let in_slice = replies.open.iter().filter(|reply| slice_of(**reply) == lane.slice);
                here.extend(in_slice.map(|reply| lane.numbering.number(*reply)));
                self.walk.send(&replies, &mut outgoing)?;
            }
            let of = layers.layer(slice_of(of_slice[0]))?;
            let mut numbers = of_slice.iter().map(|stones| of.numbering.number(*stones)).collect();
            of.chosen.add(&mut numbers, layers.account)?;
        }
        outgoing.finish()?;
        layer.keys.add(&mut here, layers.account)?;
        Ok(here)
    }

    /// Checks that the replies to a chosen position of the slice that stay there have lower ranks.
    fn check_ranks(&self, chosen: Stones, replies: &Replies) -> Result<()> {
        let lane = self.walk.lane;
        let highest = lane.rank_after(chosen)?;
        for reply in replies.open.iter().filter(|reply| slice_of(**reply) == lane.slice) {
            let position = lane.game.position(*reply);
            let rank = lane.rank(&position)?;
            let is_lower = rank.zip(highest).is_some_and(|(rank, highest)| rank < highest);
            if !is_lower {
                return Err(self.walk.fails(Flaw::NoProgress { position }));
            }
        }
        Ok(())
    }
}
