//! The walk that proves a claim: from every position a turn, and all replies to it.
//!
//! This is the part that has to be right. The tables and the ranks only say which turn to look at.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use fanorona_core::Position;

use super::frontier::exhaust;
use super::lane::{Buffers, Lane};
use super::layers::{Layer, Layers, Outgoing, slice_of};
use super::order::Order;
use crate::error::{CertificateError, Flaw};

type Result<T> = std::result::Result<T, CertificateError>;

/// The walk through the positions of one slice.
pub(super) struct Walk<'a> {
    pub lane: Lane<'a>,
    pub layers: &'a Layers<'a>,
    /// The ranks in a proof of a win.
    pub order: Option<&'a Order>,
    /// The certificate, for errors.
    pub path: &'a Path,
    /// Counts the replies.
    pub replies: &'a AtomicU64,
    /// Called with the number of positions walked through.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl Walk<'_> {
    /// Walks from the positions of a layer to all that can come up in their slice, which are added to
    /// the layer. Sends those with fewer stones to their layers.
    pub(super) fn run(&self, layer: &Layer) -> Result<()> {
        let account = self.layers.account;
        exhaust(layer.keys.keys(), account, |keys| {
            let (mut here, mut outgoing) = (Vec::new(), Outgoing::new(self.layers));
            let mut buffers = Buffers::default();
            for key in keys {
                self.lane.game.check_stop()?;
                self.step(*key, &mut buffers)?;
                here.extend_from_slice(&buffers.here);
                for stones in &buffers.replies.open {
                    if slice_of(*stones) != self.lane.slice {
                        outgoing.send(*stones)?;
                    }
                }
                self.replies.fetch_add(buffers.replies.all, Ordering::Relaxed);
            }
            outgoing.finish()?;
            layer.keys.add(&mut here, account)?;
            (self.progress)(keys.len() as u64);
            Ok(here)
        })
    }

    /// Chooses a turn and finds the replies to it. In a proof of a win, those in this slice must have
    /// lower ranks.
    fn step(&self, key: u64, buffers: &mut Buffers) -> Result<()> {
        match self.order {
            None => {
                let after = self.holding_turn(key, buffers)?;
                self.find_replies(&after, buffers)
            }
            Some(order) => {
                let stuck = || self.fails(Flaw::NoProgress { position: self.lane.position(key) });
                let rank = order.get(key).ok_or_else(stuck)?;
                let after = order.turn(self.lane, key, rank, buffers)?.ok_or_else(stuck)?;
                self.find_replies(&after, buffers)?;
                let is_lower = |reply: &u64| order.get(*reply).is_some_and(|lower| lower < rank);
                if buffers.here.iter().all(is_lower) { Ok(()) } else { Err(stuck()) }
            }
        }
    }

    /// A turn that keeps at least a draw according to the tables: the position after it.
    fn holding_turn(&self, key: u64, buffers: &mut Buffers) -> Result<Position> {
        let position = self.lane.position(key);
        self.lane.game.successors(&position, &mut buffers.after);
        match self.lane.hints.holding(&buffers.after)? {
            Some(index) => Ok(buffers.after[index]),
            None => Err(self.fails(Flaw::NoTurn { position })),
        }
    }

    fn find_replies(&self, after: &Position, buffers: &mut Buffers) -> Result<()> {
        self.lane.replies(after, buffers).map_err(|flaw| self.fails(flaw))
    }

    fn fails(&self, flaw: Flaw) -> CertificateError {
        CertificateError::Unproved { path: self.path.to_owned(), flaw }
    }
}
