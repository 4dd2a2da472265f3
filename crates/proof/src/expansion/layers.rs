//! The positions of an expansion, by slice.

use std::sync::OnceLock;

use fanorona_core::{Board, Stones};
use fanorona_tablebase::Slice;

use super::account::Account;
use super::key_set::{KeyReader, KeySet, Lookup};
use super::numbering::Numbering;
use crate::error::{CertificateError, Result};
use crate::leaves::{SLICE_INDICES, slice_index};

pub(super) struct Layer {
    pub slice: Slice,
    pub numbering: Numbering,
    /// The positions with the prover to move. Each is expanded, or waits for that.
    pub keys: KeySet,
    /// The positions after chosen turns, with the other side to move, where turns are chosen. All
    /// replies to them are in the layers, or were: so a turn to one of them needs nothing more.
    pub chosen: KeySet,
}

impl Layer {
    pub(super) fn new(board: Board, slice: Slice) -> Result<Self> {
        let too_large = CertificateError::SliceTooLarge { slice, board };
        let numbering = Numbering::new(board, slice).ok_or(too_large)?;
        Ok(Self { slice, numbering, keys: KeySet::new(), chosen: KeySet::new() })
    }
}

/// The positions of all slices that are not expanded yet.
pub(super) struct Layers<'a> {
    board: Board,
    pub account: &'a Account<'a>,
    /// By [`slice_index`].
    layers: Vec<OnceLock<Layer>>,
}

impl<'a> Layers<'a> {
    pub(super) fn new(board: Board, account: &'a Account<'a>) -> Self {
        let layers = (0..SLICE_INDICES).map(|_| OnceLock::new()).collect();
        Self { board, account, layers }
    }

    /// The layer of a slice, which is made if there is none.
    pub(super) fn layer(&self, slice: Slice) -> Result<&Layer> {
        let place = &self.layers[slice_index(slice)];
        if place.get().is_none() {
            // Another thread may be faster. Then its layer stays, and this one has no positions yet.
            let _ = place.set(Layer::new(self.board, slice)?);
        }
        Ok(place.get().expect("it was made just now"))
    }

    pub(super) fn add(&self, stones: Stones) -> Result<()> {
        let layer = self.layer(stones.into())?;
        layer.keys.add(&mut vec![layer.numbering.number(stones)], self.account)
    }

    pub(super) fn drop_layer(&mut self, slice: Slice) {
        if let Some(layer) = self.layers[slice_index(slice)].take() {
            layer.keys.drop_from(self.account);
            layer.chosen.drop_from(self.account);
        }
    }

    pub(super) fn largest(&self) -> Option<Slice> {
        self.all().map(|layer| layer.slice).max_by_key(|slice| (slice.stones(), slice.own))
    }

    pub(super) fn positions(&self) -> u64 {
        self.all().map(|layer| layer.keys.len()).sum()
    }

    fn all(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().filter_map(OnceLock::get)
    }
}

/// Lookups in the sets of all layers. Nothing can be added meanwhile.
pub(super) struct LayerReaders<'a> {
    layers: &'a Layers<'a>,
    /// By [`slice_index`].
    readers: Vec<Option<LayerReader<'a>>>,
    lookups: Vec<(usize, Lookup)>,
    answers: Vec<bool>,
}

struct LayerReader<'a> {
    numbering: Numbering,
    /// Of the positions with the prover to move, and of the chosen ones.
    sets: [KeyReader<'a>; 2],
}

impl<'a> LayerReaders<'a> {
    pub(super) fn new(layers: &'a Layers<'a>) -> Self {
        let readers = (0..SLICE_INDICES).map(|_| None).collect();
        Self { layers, readers, lookups: Vec::new(), answers: Vec::new() }
    }

    /// Whether the positions with these stones were found, with the prover to move, or were chosen, with
    /// the other side to move. The answers are left in `self`.
    pub(super) fn look_up(&mut self, stones: &[Stones], are_chosen: bool) -> &[bool] {
        let set = usize::from(are_chosen);
        // In three passes, so that the cache misses of the second overlap. A slice without a layer has no
        // positions: its lookups are not begun, and the answer is no.
        let mut lookups = std::mem::take(&mut self.lookups);
        lookups.clear();
        for stones in stones {
            let of = slice_index((*stones).into());
            let lookup = self.of(of).map(|of| of.sets[set].lookup(of.numbering.number(*stones)));
            lookups.push((of, lookup.unwrap_or_default()));
        }
        let reader = |of: usize| self.readers[of].as_ref().map(|reader| &reader.sets[set]);
        for (of, lookup) in &mut lookups {
            reader(*of).inspect(|reader| reader.begin(lookup));
        }
        self.answers.clear();
        let answer = |(of, lookup): &(usize, Lookup)| reader(*of).is_some_and(|of| of.end(lookup));
        self.answers.extend(lookups.iter().map(answer));
        self.lookups = lookups;
        &self.answers
    }

    fn of(&mut self, index: usize) -> Option<&LayerReader<'a>> {
        let reader = &mut self.readers[index];
        if reader.is_none()
            && let Some(Layer { numbering, keys, chosen, .. }) = self.layers.layers[index].get()
        {
            let sets = [keys.reader(), chosen.reader()];
            *reader = Some(LayerReader { numbering: *numbering, sets });
        }
        reader.as_ref()
    }
}

/// Positions on their way into layers, sorted by slice. They are added many at a time.
pub(super) struct Outgoing<'a> {
    layers: &'a Layers<'a>,
    /// By [`slice_index`].
    waiting: Vec<Vec<u64>>,
}

/// The number of waiting positions of a slice at which they are added.
const FULL: usize = 1 << 12;

impl<'a> Outgoing<'a> {
    pub(super) fn new(layers: &'a Layers<'a>) -> Self {
        Self { layers, waiting: vec![Vec::new(); SLICE_INDICES] }
    }

    pub(super) fn send(&mut self, stones: Stones) -> Result<()> {
        let slice = stones.into();
        let layer = self.layers.layer(slice)?;
        let waiting = &mut self.waiting[slice_index(slice)];
        waiting.push(layer.numbering.number(stones));
        if waiting.len() >= FULL {
            layer.keys.add(waiting, self.layers.account)?;
            waiting.clear();
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<()> {
        for layer in self.layers.all() {
            layer.keys.add(&mut self.waiting[slice_index(layer.slice)], self.layers.account)?;
        }
        Ok(())
    }
}
