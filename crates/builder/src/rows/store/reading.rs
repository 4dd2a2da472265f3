//! Reads the input of passes from the swapped slice, transposed, if this process has all of it.

use std::borrow::Cow;

use fanorona_tablebase::{Result, Slice};
use rayon::prelude::*;

use super::changes::Changes;
use super::input::{InputRequest, PanelInput, StripeInput, panel_len};
use super::matrix::{Cells, Shape};
use super::rowset::RowSet;
use super::tiles::{LOSS, Tile, Tiles, WIN};
use super::unit::UnitValues;

/// Reads the input of a pass over a stripe, if there is such a stripe, into the memory of `after`.
pub(super) fn read_input(
    values: &UnitValues,
    cells: &Cells,
    after: &mut Vec<u64>,
    request: &InputRequest<'_>,
) -> Result<Option<StripeInput>> {
    let &InputRequest { slice, step, sought, changed, near } = request;
    let layout = values.layout(slice);
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
    let wanted = |i: usize| {
        let input: &PanelInput = &panels[i];
        let is_due = values.is_due(slice, layout.stripe(stripe).start + i, sought);
        let wins = match sought.losses() && layout.planes > 2 && is_due {
            // Positions that are no longer safe are candidates too.
            true => RowSet::All,
            false => near(&input.loss_candidates),
        };
        [Cow::Owned(wins), Cow::Borrowed(&input.changed_losses)]
    };
    let after = read_stripe(&values.tiles, cells, (slice, stripe), after, wanted)?;
    Ok(Some(StripeInput { stripe, panels, after, has_changed: false }))
}

/// Reads all values after paikas for a stripe.
pub(super) fn read_all(
    tiles: &Tiles,
    cells: &Cells,
    after: &mut Vec<u64>,
    of: (Slice, usize),
) -> Result<Vec<u64>> {
    read_stripe(tiles, cells, of, after, |_| [Cow::Owned(RowSet::All), Cow::Owned(RowSet::All)])
}

/// Reads the wins and losses after paikas for a stripe of `slice` from its swapped slice: for each
/// panel, the rows of the sets that `wanted` returns. Uses the memory of what was read before.
fn read_stripe<'w>(
    store: &Tiles,
    cells: &Cells,
    (slice, stripe): (Slice, usize),
    last: &mut Vec<u64>,
    wanted: impl Fn(usize) -> [Cow<'w, RowSet>; 2] + Sync,
) -> Result<Vec<u64>> {
    let layout = store.layout(slice);
    let len = layout.of_after().stripe_len(stripe);
    let mut data = std::mem::take(last);
    if data.len() != len {
        // Longer data would take memory that is not planned.
        drop(data);
        data = vec![0; len];
    }
    let panels = data.par_chunks_mut(panel_len(&layout, stripe)).enumerate();
    panels.try_for_each(|(i, to)| {
        let [wins, losses] = wanted(i);
        read_panel(store, cells, slice, layout.stripe(stripe).start + i, [&wins, &losses], to)
    })?;
    Ok(data)
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
