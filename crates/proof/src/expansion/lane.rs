//! The positions of one slice, and play among them.

use fanorona_core::{Position, Stones, Value};
use fanorona_tablebase::{Slice, TableError};
use rayon::prelude::*;

use super::layers::{Layer, Layers, Outgoing};
use crate::error::Result;
use crate::steps::{StepBuffers, Steps};

/// A source of values for hints, right or wrong. Nothing depends on their being right.
pub(super) type Probe<'a> = dyn Fn(&Position) -> Result<Value, TableError> + Sync + 'a;

/// Play from the positions of one slice, in which the prover is to move.
#[derive(Clone, Copy)]
pub(super) struct Lane<'a> {
    pub steps: &'a Steps<'a>,
    pub probe: &'a Probe<'a>,
    pub layers: &'a Layers<'a>,
    pub layer: &'a Layer,
    pub sizes: LaneSizes,
}

/// How much work is done at a time. Tests have all cases in few positions.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneSizes {
    /// The number of positions that a thread expands at a time.
    pub expanded: usize,
    /// The number of positions that a thread ranks at a time.
    pub ranked: usize,
    /// The number of rounds of ranking without a new position or rank, after which all turns are
    /// followed. By then the costs have reached their limit.
    pub stalled: u32,
}

/// Buffers for one position at a time.
#[derive(Default)]
pub(super) struct LaneBuffers {
    /// The positions after the prover's turns.
    pub after: Vec<Position>,
    steps: StepBuffers,
    /// The replies to the last turn after which the game goes on.
    open: Vec<Stones>,
    /// Those that stay in the slice, as keys.
    pub here: Vec<u64>,
}

/// The parts that all threads expand together, before the positions found are used.
const PARTS: usize = 32;

/// The bytes that positions take while they wait: in the lists of their threads and in that of all.
pub(super) const fn waiting<T>(positions: usize) -> u64 {
    2 * (size_of::<T>() * positions) as u64
}

impl Lane<'_> {
    pub(super) fn position(&self, key: u64) -> Position {
        self.steps.position(self.layer.numbering.stones(key))
    }

    /// The position with this number of the slice and the other side to move.
    pub(super) fn position_after(&self, number: u64) -> Position {
        self.steps.position_after(self.layer.numbering.stones(number))
    }

    fn is_here(&self, stones: Stones) -> bool {
        Slice::from(stones) == self.layer.slice
    }

    /// The successors that win, as indices, according to the hints. A win by a capture comes alone,
    /// because it makes progress by itself. Those with the fewest stones are asked about first.
    pub(super) fn winning(
        &self,
        position: &Position,
        successors: &[Position],
    ) -> Result<Vec<usize>> {
        let mut by_stones: Vec<usize> = (0..successors.len()).collect();
        by_stones.sort_by_key(|index| successors[*index].own().len());
        let mut winning = Vec::new();
        for index in by_stones {
            if (self.probe)(&successors[index])? == Value::Loss {
                if successors[index].own().len() < position.opponent().len() {
                    return Ok(vec![index]);
                }
                winning.push(index);
            }
        }
        Ok(winning)
    }

    /// Finds the replies to a turn that led to `after`, and puts the keys of those that stay in the
    /// slice into `buffers.here`. An end of the game that is worse than the claim is an error.
    pub(super) fn replies(&self, after: &Position, buffers: &mut LaneBuffers) -> Result<()> {
        let LaneBuffers { steps, open, here, .. } = buffers;
        open.clear();
        self.steps.replies(after, steps, |stones| open.push(stones))?;
        let staying = open.iter().filter(|stones| self.is_here(**stones));
        here.clear();
        here.extend(staying.map(|stones| self.layer.numbering.number(*stones)));
        Ok(())
    }

    /// Counts the replies that were found last. Adds those in the slice to `here`, and sends the others
    /// to their layers.
    pub(super) fn send(
        &self,
        buffers: &LaneBuffers,
        here: &mut Vec<u64>,
        outgoing: &mut Outgoing<'_>,
    ) -> Result<()> {
        self.layers.account.replied(buffers.steps.replies.len());
        here.extend_from_slice(&buffers.here);
        let outside = buffers.open.iter().filter(|stones| !self.is_here(**stones));
        outside.copied().try_for_each(|stones| outgoing.send(stones))
    }

    /// Calls `expand` with parts of the positions of the layer, then with parts of what it has returned,
    /// and so on until nothing is left. The memory for what it returns must be taken already, as
    /// [`in_parallel`](Self::in_parallel) does.
    ///
    /// `expand` must return each position that is new once. Then each is expanded once, and when nothing
    /// is left, nothing that was found is unexpanded.
    ///
    /// The last found are expanded first, which keeps the list short. Their order does not depend on the
    /// order in which threads find them.
    pub(super) fn exhaust(&self, expand: impl Fn(&[u64]) -> Result<Vec<u64>>) -> Result<()> {
        let (mut keys, account) = (self.layer.keys.keys(), self.layers.account);
        account.take(waiting::<u64>(keys.len()))?;
        keys.par_sort_unstable();
        while !keys.is_empty() {
            let batch = keys.split_off(keys.len().saturating_sub(PARTS * self.sizes.expanded));
            let mut found = expand(&batch)?;
            account.give_back(waiting::<u64>(batch.len()));
            found.sort_unstable();
            keys.append(&mut found);
        }
        Ok(())
    }

    /// Calls `work` with parts of a list on all threads. Returns all that it has returned, and takes the
    /// memory for that.
    pub(super) fn in_parallel<I: Sync, T: Send + Clone>(
        &self,
        list: &[I],
        work: impl Fn(&[I]) -> Result<Vec<T>> + Sync,
    ) -> Result<Vec<T>> {
        let found = list.par_chunks(self.sizes.expanded).map(|part| {
            let found = work(part)?;
            self.layers.account.take(waiting::<T>(found.len()))?;
            Ok(found)
        });
        Ok(found.collect::<Result<Vec<_>>>()?.concat())
    }
}
