//! The store of one process, which has all rows.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use fanorona_tablebase::format::{Metadata, TableWriter, WriteTimes};
use fanorona_tablebase::{Layout, Result, Slice};
use rayon::prelude::*;

use super::after::panel_len;
use super::changes::Changes;
use super::input::{InputRequest, PanelInput, StripeInput};
use super::log::RoundLog;
use super::matrix::{Cells, Shape};
use super::rowset::RowSet;
use super::tiles::{LOSS, Tile, Tiles, WIN};
use super::unit::{BlockWriter, DecidedRows, Pack, RowsOf, Store, UnitValues};

/// The values of a unit in one process: in memory, and in files.
pub(crate) struct LocalStore {
    pub values: UnitValues,
    pub cells: Cells,
    /// The values after paikas that were read last, to use their memory again.
    pub after: Vec<u64>,
}

impl Store for LocalStore {
    fn values(&self) -> &UnitValues {
        &self.values
    }

    fn values_mut(&mut self) -> &mut UnitValues {
        &mut self.values
    }

    fn put_decided(&mut self, slice: Slice, decided: Result<DecidedRows>) -> Result<()> {
        let DecidedRows { rows, planes, due } = decided?;
        self.values.add_due(slice, due)?;
        self.values.tiles.write_rows(slice, rows, &planes)
    }

    fn take_input(&mut self, request: &InputRequest<'_>) -> Result<Option<StripeInput>> {
        let &InputRequest { slice, step, sought, changed, near } = request;
        let layout = self.values.layout(slice);
        let Some(stripe) = layout.stripes_of(0).nth(step) else { return Ok(None) };
        let panels = layout.stripe(stripe).into_par_iter().map(|panel| {
            let rows_of = |changes: &Changes, wanted| match wanted {
                true => changes.rows_in(layout.segment_of(panel)),
                false => RowSet::default(),
            };
            let wins = rows_of(&changed.wins, sought.losses());
            PanelInput::new(request, &wins, rows_of(&changed.losses, sought.wins()))
        });
        let panels: Vec<_> = panels.collect();
        let mut after = std::mem::take(&mut self.after);
        let wanted = |i: usize| {
            let input: &PanelInput = &panels[i];
            let is_due = self.values.is_due(slice, layout.stripe(stripe).start + i, sought);
            let wins = match sought.losses() && layout.planes() > 2 && is_due {
                // Positions that are no longer safe are candidates too.
                true => RowSet::All,
                false => near(&input.loss_candidates),
            };
            [Cow::Owned(wins), Cow::Borrowed(&input.changed_losses)]
        };
        read_stripe(&self.values.tiles, &self.cells, (slice, stripe), &mut after, wanted)?;
        Ok(Some(StripeInput { stripe, panels, after, has_changed: false }))
    }

    fn take_after(&mut self, slice: Slice, stripe: usize) -> Result<StripeInput> {
        let mut after = std::mem::take(&mut self.after);
        let all = |_| [Cow::Owned(RowSet::All), Cow::Owned(RowSet::All)];
        read_stripe(&self.values.tiles, &self.cells, (slice, stripe), &mut after, all)?;
        Ok(StripeInput { stripe, panels: Vec::new(), after, has_changed: false })
    }

    fn give_back(&mut self, _: Slice, input: StripeInput) -> Result<()> {
        self.after = input.after;
        Ok(())
    }

    fn end_passes(&mut self) {
        self.after = Vec::new();
    }

    fn rows(&self, slice: Slice, rows_of: RowsOf<'_>, result: Result<()>) -> Result<[Vec<u64>; 2]> {
        result?;
        let rows = |plane| self.values.tiles.whole_rows(slice, plane, rows_of(0));
        Ok([rows(WIN)?, rows(LOSS)?])
    }

    fn log<'l>(
        &'l self,
        slice: Slice,
        _: RowsOf<'_>,
        result: Result<()>,
        _: &'l mut Option<RoundLog>,
    ) -> Result<&'l RoundLog> {
        result?;
        Ok(self.values.found(slice).expect("the build has distances"))
    }

    fn new_table(&self, path: &Path) -> Result<Box<dyn BlockWriter + '_>> {
        Ok(Box::new(TableWriter::create(path, Layout::Packed)?))
    }
}

impl BlockWriter for TableWriter {
    fn add(&mut self, metadata: &Metadata, values: Range<u64>, pack: Pack<'_>) -> Result<()> {
        self.add(metadata, values, pack)
    }

    fn finish(self: Box<Self>, metadata: &Metadata, result: Result<()>) -> Result<WriteTimes> {
        result?;
        (*self).finish(metadata)
    }
}

/// Reads the wins and losses after paikas for a stripe of `slice` from its swapped slice: for each
/// panel, the rows of the sets that `wanted` returns. `data` is what was read for some stripe
/// before.
fn read_stripe<'w>(
    store: &Tiles,
    cells: &Cells,
    (slice, stripe): (Slice, usize),
    data: &mut Vec<u64>,
    wanted: impl Fn(usize) -> [Cow<'w, RowSet>; 2] + Sync,
) -> Result<()> {
    let layout = store.layout(slice);
    let len = layout.of_after().stripe_len(stripe);
    if data.len() != len {
        // Longer data would take memory that is not planned.
        *data = Vec::new();
        *data = vec![0; len];
    }
    let panels = data.par_chunks_mut(panel_len(&layout, stripe)).enumerate();
    panels.try_for_each(|(i, to)| {
        let [wins, losses] = wanted(i);
        read_panel(store, cells, slice, layout.stripe(stripe).start + i, [&wins, &losses], to)
    })
}

fn read_panel(
    store: &Tiles,
    cells: &Cells,
    slice: Slice,
    panel: usize,
    wanted: [&RowSet; 2],
    to: &mut [u64],
) -> Result<()> {
    let layout = store.layout(slice);
    let width = layout.panel(panel).len();
    let swapped = slice.swapped();
    let from = store.layout(swapped);
    let rows = layout.swapped_rows(layout.segment_of(panel));
    let chunk = from.swapped_rows(0).len() * width;
    let (wins_to, losses_to) = to.split_at_mut(to.len() / 2);
    wins_to
        .par_chunks_mut(chunk)
        .zip(losses_to.par_chunks_mut(chunk))
        .enumerate()
        .try_for_each_init(
            <[Vec<u64>; 2]>::default,
            |[win, loss], (segment, (wins_to, losses_to))| {
                let from_panel = from.panel_at(segment, rows.start);
                let words = from.segment(segment);
                let row_groups = wanted.map(|wanted| -> Vec<usize> {
                    let has = |word: &usize| wanted.has_any(*word, cells.per_word());
                    words.clone().filter(has).map(|word| word - words.start).collect()
                });
                let [wins, losses] = row_groups;
                if wins.is_empty() && losses.is_empty() {
                    return Ok(());
                }
                let tile =
                    |plane| Tile { slice: swapped, plane, panel: from_panel, rows: rows.clone() };
                let win = store.read(&tile(WIN), win)?;
                let loss = store.read(&tile(LOSS), loss)?;
                let (from_width, row_groups) = (words.len(), width);
                let shape = Shape { from_width, row_groups, to_width: width, to_first: 0 };
                cells.transpose_tile(shape, &wins, |i| win[i] & !loss[i], wins_to);
                cells.transpose_tile(shape, &losses, |i| loss[i] & !win[i], losses_to);
                Ok(())
            },
        )
}
