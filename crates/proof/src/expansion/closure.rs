//! The walk that proves a set of positions that play by the chosen turns does not leave.
//!
//! This is the part that has to be right. For every position with the prover to move, it finds a turn
//! to a *chosen* position, in which the other side is to move. For every chosen position, all replies
//! are followed. Which positions are chosen makes no difference to this.
//!
//! This proves at least a draw: whoever takes the chosen turns is, after every reply, at a position for
//! which a turn was found, or the game is over and not lost. So it never loses, however long play goes
//! on and however often positions repeat.

use super::choice::Chooser;
use super::frontier::{exhaust, in_parallel, waiting};
use super::game::Replies;
use super::layers::{Layer, Outgoing, slice_of};
use super::walk::SliceWalk;
use crate::error::{CertificateError, Flaw};
use fanorona_core::Stones;

type Result<T> = std::result::Result<T, CertificateError>;

pub(super) struct Closure<'a>(pub SliceWalk<'a>);

impl Closure<'_> {
    /// Walks from the positions of a layer to all that can come up in their slice, which are added to
    /// the layer. Sends those with fewer stones to their layers.
    ///
    /// Choosing and following take turns, so that which turns are chosen does not depend on the
    /// threads.
    pub(super) fn run(&self, layer: &Layer) -> Result<()> {
        let (account, sizes) = (self.0.layers.account, self.0.lane.sizes);
        exhaust(layer.keys.keys(), account, sizes, |batch| {
            let mut chosen = in_parallel(batch, account, sizes, |keys| self.choose(keys))?;
            let taken = waiting::<Stones>(chosen.len());
            // Those of a slice come one after the other. Threads can have chosen the same, once each.
            chosen.sort_unstable_by_key(|stones| (stones.own.len(), stones.count(), *stones));
            chosen.dedup();
            // Everything that was chosen is followed before anything else is chosen. So a position that a
            // later choice finds among the chosen ones has its replies in the layers.
            let new = in_parallel(&chosen, account, sizes, |chosen| self.follow(chosen, layer))?;
            account.give_back(taken);
            self.0.meter.done(batch.len());
            Ok(new)
        })
    }

    /// Finds turns for positions of the slice. Returns the positions after those turns that were not
    /// chosen before.
    fn choose(&self, keys: &[u64]) -> Result<Vec<Stones>> {
        let SliceWalk { lane, layers, .. } = self.0;
        let mut chooser = Chooser::new(lane, layers);
        for key in keys {
            lane.game.check_stop()?;
            let position = lane.position(*key);
            if !chooser.choose(&position)? {
                return Err(self.0.fails(Flaw::NoTurn { position }));
            }
        }
        Ok(chooser.into_chosen())
    }

    /// Finds all replies to chosen positions. Returns those that are new positions of the slice.
    fn follow(&self, chosen: &[Stones], layer: &Layer) -> Result<Vec<u64>> {
        let SliceWalk { lane, layers, .. } = self.0;
        let (mut here, mut outgoing) = (Vec::new(), Outgoing::new(layers));
        let (mut successors, mut replies) = (Vec::new(), Replies::default());
        for of_slice in chosen.chunk_by(|a, b| slice_of(*a) == slice_of(*b)) {
            for stones in of_slice {
                lane.game.check_stop()?;
                let after = lane.game.canonicalizer.position_after(*stones);
                let found = lane.game.replies(&after, &mut successors, &mut replies);
                found.map_err(|flaw| self.0.fails(flaw))?;
                let in_slice = replies.open.iter().filter(|reply| slice_of(**reply) == lane.slice);
                here.extend(in_slice.map(|reply| lane.numbering.number(*reply)));
                self.0.send(&replies, &mut outgoing)?;
            }
            let of = layers.layer(slice_of(of_slice[0]))?;
            let mut numbers = of_slice.iter().map(|stones| of.numbering.number(*stones)).collect();
            of.chosen.add(&mut numbers, layers.account)?;
        }
        outgoing.finish()?;
        layer.keys.add(&mut here, layers.account)?;
        Ok(here)
    }
}
