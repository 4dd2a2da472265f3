//! The changes that processes send each other.
//!
//! A pass over a stripe reads rows of the swapped slice, transposed. Its process keeps these, and
//! receives the ones that have changed since its last pass.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use zerocopy::IntoBytes;

use super::after::{LOSS, WIN};
use super::changes::Changes;
use super::exchange::Input;
use super::input::{PanelInput, StripeInput};
use super::layout::Layout;
use super::matrix::Shape;
use super::rounds::{SliceChanges, Sought};
use super::rowset::RowSet;
use super::state::{RowsBuilder, SliceContext, WorkingUnit};
use super::tiles::Tile;
use crate::error::Result;
use crate::slice::Slice;

/// The bit of a row's number that says that its wins are sent, not its losses.
const ARE_WINS: u64 = 1 << 63;

/// The bits of a row's number below that of its panel.
const PANEL_SHIFT: u32 = 40;

/// What a pass over a stripe reads, while it is received.
struct Received {
    slice: Slice,
    stripe: usize,
    layout: Layout,
    /// For each panel, the rows whose losses and wins after paikas have changed.
    changed: Vec<[RowSet; 2]>,
    /// The values after paikas. Empty as long as nothing is read.
    after: Vec<u64>,
    has_changed: bool,
}

impl Received {
    fn new(
        slice: Slice,
        stripe: usize,
        layout: Layout,
        sought: Sought,
        changed: &SliceChanges,
    ) -> Self {
        // Rows without any win or loss are not sent. If everything counts as changed, they do too:
        // positions without a turn are lost although nothing has changed.
        let none = |changes: &Changes, wanted| match wanted && changes.are_all() {
            true => RowSet::All,
            false => RowSet::Some(vec![0; layout.rows().div_ceil(64)]),
        };
        let [losses, wins] =
            [none(&changed.losses, sought.wins()), none(&changed.wins, sought.losses())];
        let panels = layout.stripe(stripe);
        let changed = panels.map(|_| [losses.clone(), wins.clone()]).collect();
        Self { slice, stripe, layout, changed, after: Vec::new(), has_changed: false }
    }

    /// Takes the values after paikas from where they are kept.
    fn take_after(&mut self, working: &mut WorkingUnit) -> Result<()> {
        if self.after.is_empty() {
            self.after = working.after.take(self.slice, self.stripe)?;
        }
        Ok(())
    }

    /// Adds what all processes have sent.
    fn add(&mut self, working: &mut WorkingUnit, messages: &[Vec<u8>]) -> Result<()> {
        if messages.iter().any(|bytes| !bytes.is_empty()) {
            self.has_changed = true;
            self.take_after(working)?;
        }
        let layout = self.layout.with_planes(2);
        let first = layout.stripe(self.stripe).start;
        for bytes in messages {
            let mut message = Input::new(bytes);
            while !message.is_empty() {
                let header = message.number() as u64;
                let panel = ((header & !ARE_WINS) >> PANEL_SHIFT) as usize;
                let row = (header & ((1 << PANEL_SHIFT) - 1)) as usize;
                let are_wins = header & ARE_WINS != 0;
                let place = layout.offset(panel, if are_wins { WIN } else { LOSS }, row);
                let to = &mut self.after[place..place + layout.panel(panel).len()];
                let bytes = message.bytes(size_of_val(to));
                to.as_mut_bytes().copy_from_slice(bytes);
                self.changed[panel - first][usize::from(are_wins)].insert(row);
            }
        }
        Ok(())
    }

    fn has_candidates(&self) -> bool {
        self.changed.iter().flatten().any(|rows| !rows.is_empty())
    }

    fn finish(self, context: &SliceContext<'_, '_>) -> StripeInput {
        let Self { changed, after, has_changed, .. } = self;
        let panels = changed.into_par_iter();
        let panels = panels.map(|[losses, wins]| PanelInput::new(context, &wins, losses));
        StripeInput { panels: panels.collect(), after, has_changed }
    }
}

impl RowsBuilder<'_> {
    /// Brings what passes over a slice read up to date, for one stripe of each process: the first,
    /// second and so on of its own. `changed` are the changes of the swapped slice since the last
    /// pass. Returns what the pass of this process reads, if there is such a stripe, and an error of
    /// this process that the others do not know of yet.
    pub(super) fn exchange_changes(
        &mut self,
        slice: Slice,
        step: usize,
        sought: Sought,
        changed: &SliceChanges,
    ) -> Result<(Option<StripeInput>, Result<()>)> {
        let (group, layout) = (self.context.group, self.layout(slice));
        let stripe_of = |rank| layout.stripes_of(rank).nth(step);
        let own = stripe_of(group.rank());
        let mut received = own.map(|stripe| Received::new(slice, stripe, layout, sought, changed));
        let mut result = Ok(());
        // A few panels at a time: what is sent and received takes memory.
        for part in 0..layout.parts_of_stripe() {
            let message = |rank| match stripe_of(rank) {
                Some(stripe) => self.changes_for(slice, layout.part(stripe, part), sought, changed),
                None => Ok(Vec::new()),
            };
            let messages = group.exchange_with(result, message)?;
            let working = self.working_mut();
            result = received.as_mut().map_or(Ok(()), |stripe| stripe.add(working, &messages));
        }
        let Some(mut received) = received else { return Ok((None, result)) };
        let is_read = received.has_candidates() || self.is_any_due(slice, received.stripe, sought);
        if is_read && result.is_ok() {
            result = received.take_after(self.working_mut());
        }
        let context = self.slice_context(slice, &self.working().rules);
        Ok((Some(received.finish(&context)), result))
    }

    /// Gives back what a pass over a stripe has read.
    pub(super) fn put_after(
        &mut self,
        slice: Slice,
        stripe: usize,
        after: Vec<u64>,
        has_changed: bool,
    ) -> Result<()> {
        match self.context.group.is_alone() {
            true => self.after = after,
            // Nothing was read.
            false if after.is_empty() => {}
            false => self.working_mut().after.put(slice, stripe, after, has_changed)?,
        }
        Ok(())
    }

    /// The rows of the swapped slice that have changed in the panels of this process and that passes
    /// over some panels of a slice read, transposed: for each a number and its words.
    fn changes_for(
        &self,
        slice: Slice,
        panels: Range<usize>,
        sought: Sought,
        changed: &SliceChanges,
    ) -> Result<Vec<u8>> {
        let swapped = slice.swapped();
        let (layout, from) = (self.layout(slice), self.layout(swapped));
        let own = from.panels_of(self.context.group.rank());
        let rows_of = |changes: &Changes, panel, wanted| match wanted {
            true => changes.rows_in(panel),
            false => RowSet::default(),
        };
        let tiles = panels.into_par_iter().flat_map(|panel| {
            let losses = rows_of(&changed.losses, panel, sought.wins());
            let wins = rows_of(&changed.wins, panel, sought.losses());
            let rows = Arc::new([losses, wins]);
            own.clone().into_par_iter().map(move |from_panel| (panel, from_panel, rows.clone()))
        });
        let sent = tiles.map_init(
            <(Vec<u64>, [Vec<u64>; 2])>::default,
            |(transposed, [first, second]), (panel, from_panel, rows)| {
                let (words, width) = (from.panel(from_panel), layout.panel(panel).len());
                let tile = |plane| Tile {
                    slice: swapped,
                    plane,
                    panel: from_panel,
                    rows: layout.swapped_rows(panel),
                };
                let mut out = Vec::new();
                let kinds = [([LOSS, WIN], 0), ([WIN, LOSS], ARE_WINS)];
                for (rows, ([is, is_not], kind)) in rows.iter().zip(kinds) {
                    let has = |word: &usize| rows.has_group(*word, from.cells());
                    let groups: Vec<_> = words.clone().filter(has).collect();
                    if groups.is_empty() {
                        continue;
                    }
                    let is = self.store().read(&tile(is), first)?;
                    let is_not = self.store().read(&tile(is_not), second)?;
                    let shape = Shape {
                        from_width: words.len(),
                        groups: width,
                        to_width: width,
                        to_first: 0,
                    };
                    transposed.resize(words.len() * from.cells() * width, 0);
                    let places: Vec<_> = groups.iter().map(|word| word - words.start).collect();
                    let word = |i: usize| is[i] & !is_not[i];
                    self.cells.transpose_tile(shape, &places, word, transposed);
                    for group in groups {
                        let in_group = group * from.cells()..(group + 1) * from.cells();
                        for row in in_group.filter(|row| rows.contains(*row)) {
                            let place = (row - words.start * from.cells()) * width;
                            let row_words = &transposed[place..place + width];
                            // Bits are only ever added, so there are none at the receiver either.
                            if row_words.iter().any(|word| *word != 0) {
                                out.push(kind | (panel as u64) << PANEL_SHIFT | row as u64);
                                out.extend_from_slice(row_words);
                            }
                        }
                    }
                }
                Ok(out)
            },
        );
        let sent = sent.collect::<Result<Vec<_>>>()?;
        let mut bytes = Vec::with_capacity(8 * sent.iter().map(Vec::len).sum::<usize>() + 1);
        // Each part is freed when it is copied.
        sent.into_iter().for_each(|words| bytes.extend_from_slice(words.as_bytes()));
        Ok(bytes)
    }
}
