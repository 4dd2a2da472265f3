//! The changes that processes send each other.
//!
//! A pass over a stripe reads rows of the swapped slice, transposed. Its process keeps these, and
//! receives what has changed in them since its last pass. If several processes have panels of a
//! segment, all of them keep all of its rows, and receive the same.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use fanorona_tablebase::Result;
use rayon::prelude::*;
use zerocopy::IntoBytes;

use super::changes::Changes;
use super::input::{InputRequest, PanelInput, StripeInput};
use super::matrix::{Cells, Shape};
use super::message::Message;
use super::rowset::RowSet;
use super::tiles::{LOSS, Tile, Tiles, WIN};
use super::unit::UnitValues;
use crate::processes::Processes;

/// The numbers before some changed rows: the segment that they are read for, 1 for wins and 0 for
/// losses, the first word of the segment that is sent, the number of words, and the number of rows.
/// Each row is its number and these words.
type Header = [usize; 5];

/// The input of a pass over a stripe, from what all processes have sent for it.
fn receive(
    values: &UnitValues,
    after: &mut Tiles,
    stripe: usize,
    request: &InputRequest<'_>,
    messages: &[Vec<u8>],
) -> Result<StripeInput> {
    let &InputRequest { slice, sought, changed, .. } = request;
    let layout = values.layout(slice).of_after();
    // Rows without any win or loss are not sent. If everything counts as changed, they do too:
    // positions without a turn are lost although nothing has changed.
    let not_sent = |changes: &Changes, wanted| match wanted && changes.are_all() {
        true => RowSet::All,
        false => RowSet::Some(vec![0; layout.rows.div_ceil(64)]),
    };
    let not_sent =
        [not_sent(&changed.losses, sought.wins()), not_sent(&changed.wins, sought.losses())];
    let has_changed = messages.iter().any(|bytes| !bytes.is_empty());
    let has_candidates = has_changed || not_sent.iter().any(|rows| !rows.is_empty());
    let mut data = match has_candidates || values.is_any_due(slice, stripe, sought) {
        true => after.take(slice, stripe, &|_, _| true)?,
        false => Vec::new(),
    };
    let panels = layout.stripe(stripe);
    let mut changed = vec![not_sent; panels.len()];
    for bytes in messages {
        let mut message = Message::new(bytes);
        while !message.is_empty() {
            let header: Header = [(); 5].map(|()| message.number());
            let [segment, are_wins, first, width, rows] = header;
            let is_read = |panel: &usize| layout.segment_of(*panel) == segment;
            let panel = panels.clone().find(is_read).expect("it is read for this stripe");
            for _ in 0..rows {
                let row = message.number();
                let offset = layout.offset(panel, [LOSS, WIN][are_wins], row) + first;
                let to = data[offset..offset + width].as_mut_bytes();
                to.copy_from_slice(message.bytes(to.len()));
                changed[panel - panels.start][are_wins].insert(row);
            }
        }
    }
    let panels = changed.into_par_iter();
    let panels = panels.map(|[losses, wins]| PanelInput::new(request, &wins, losses));
    Ok(StripeInput { stripe, panels: panels.collect(), after: data, has_changed })
}

/// Brings what passes over a slice read up to date, for one stripe of each process: the first,
/// second and so on of its own. Returns what the pass of this process reads, if there is such a
/// stripe. An error can be one of this process that the others do not know of yet.
pub(crate) fn exchange_changes(
    values: &UnitValues,
    after: &mut Tiles,
    cells: &Cells,
    processes: Processes<'_>,
    request: &InputRequest<'_>,
) -> Result<Option<StripeInput>> {
    let layout = values.layout(request.slice);
    let stripe_of = |process| layout.stripes_of(process).nth(request.step);
    let segments_for = |process| {
        let panels = stripe_of(process).map(|stripe| layout.stripe(stripe));
        panels.unwrap_or_default().map(|panel| layout.segment_of(panel))
    };
    let segments: BTreeSet<_> = (0..processes.count()).flat_map(segments_for).collect();
    let own = values.layout(request.slice.swapped()).panels_of(processes.index());
    let message = |changes: &[(usize, Vec<u64>)], process| {
        let segments: Vec<_> = segments_for(process).collect();
        let sent = || changes.iter().filter(|(segment, _)| segments.contains(segment));
        let len: usize = sent().map(|(_, words)| size_of_val(&words[..])).sum();
        // A byte for the state of this process follows.
        let mut bytes = Vec::with_capacity(len + 1);
        sent().for_each(|(_, words)| bytes.extend_from_slice(words.as_bytes()));
        bytes
    };
    let messages = changes_for(values, cells, own, segments, request).map(|changes| {
        let processes = (0..processes.count()).into_par_iter();
        processes.map(|process| message(&changes, process)).collect()
    });
    let messages = processes.exchange(messages)?;
    let stripe = stripe_of(processes.index());
    stripe.map(|stripe| receive(values, after, stripe, request, &messages)).transpose()
}

/// The changes of the swapped slice in its panels `own` that passes over some segments
/// of a slice read: for each segment some changed rows, transposed.
fn changes_for(
    values: &UnitValues,
    cells: &Cells,
    own: Range<usize>,
    segments: BTreeSet<usize>,
    &InputRequest { slice, sought, changed, .. }: &InputRequest<'_>,
) -> Result<Vec<(usize, Vec<u64>)>> {
    let swapped = slice.swapped();
    let (layout, from) = (values.layout(slice), values.layout(swapped));
    let rows_of = |changes: &Changes, segment, wanted| match wanted {
        true => changes.rows_in(segment),
        false => RowSet::default(),
    };
    let tiles = segments.into_par_iter().flat_map(|segment| {
        let losses = rows_of(&changed.losses, segment, sought.wins());
        let wins = rows_of(&changed.wins, segment, sought.losses());
        let rows = Arc::new([losses, wins]);
        own.clone().into_par_iter().map(move |panel| (segment, panel, rows.clone()))
    });
    let sent = tiles.map_init(
        <(Vec<u64>, [Vec<u64>; 2])>::default,
        |(transposed, [first, second]), (segment, panel, rows)| {
            let words = from.panel(panel);
            let of_segment = layout.swapped_rows(segment);
            let in_panel = from.rows_in(panel, &of_segment);
            // The words of the segment that are rows of the panel.
            let width = in_panel.len() / layout.cells;
            let mut out = Vec::new();
            if width == 0 {
                return Ok((segment, out));
            }
            let first_word = (in_panel.start - of_segment.start) / layout.cells;
            let (from_width, row_groups) = (words.len(), width);
            let shape = Shape { from_width, row_groups, to_width: width, to_first: 0 };
            let tile = |plane| Tile { slice: swapped, plane, panel, rows: in_panel.clone() };
            let kinds = [[LOSS, WIN], [WIN, LOSS]];
            for (are_wins, (rows, [is, is_not])) in rows.iter().zip(kinds).enumerate() {
                let has = |word: &usize| rows.has_any(words.start + word, from.cells);
                let wanted: Vec<_> = (0..words.len()).filter(has).collect();
                if wanted.is_empty() {
                    continue;
                }
                let is = values.tiles.read(&tile(is), first)?;
                let is_not = values.tiles.read(&tile(is_not), second)?;
                transposed.resize(words.len() * from.cells * width, 0);
                cells.transpose_tile(shape, &wanted, |i| is[i] & !is_not[i], transposed);
                let all = (words.start * from.cells..).zip(transposed.chunks(width));
                // Bits are only ever added, so the receiver has none either in rows without any.
                let is_sent = |(row, words): &(usize, &[u64])| {
                    rows.contains(*row) && words.iter().any(|word| *word != 0)
                };
                let sent: Vec<_> = all.filter(is_sent).collect();
                if !sent.is_empty() {
                    let header: Header = [segment, are_wins, first_word, width, sent.len()];
                    out.extend(header.map(|number| number as u64));
                }
                for (row, words) in sent {
                    out.push(row as u64);
                    out.extend_from_slice(words);
                }
            }
            Ok((segment, out))
        },
    );
    sent.collect()
}
