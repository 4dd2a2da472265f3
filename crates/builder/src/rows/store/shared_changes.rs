//! The changes that processes send each other.
//!
//! A pass over a stripe reads rows of the swapped slice, transposed. Its process keeps these, and
//! receives what has changed in them since its last pass. If several processes have panels of a
//! segment, all of them keep all of its rows, and receive the same.

use std::ops::Range;
use std::sync::Arc;

use fanorona_tablebase::{Result, Slice};
use rayon::prelude::*;
use zerocopy::IntoBytes;

use super::changes::Changes;
use super::input::{InputRequest, PanelInput, StripeInput};
use super::layout::Layout;
use super::matrix::{Cells, Shape};
use super::message::Message;
use super::rowset::RowSet;
use super::tiles::{LOSS, Tile, Tiles, WIN};
use super::unit::UnitValues;
use crate::ranks::Processes;

/// The numbers before some changed rows: the segment that they are read for, 1 for wins and 0 for
/// losses, the first word of the segment that is sent, the number of words, and the number of rows.
/// Each row is its number and these words.
type Header = [usize; 5];

/// The input of a pass over a stripe, while it is received.
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
        &InputRequest { slice, sought, changed, .. }: &InputRequest<'_>,
        layout: Layout,
        stripe: usize,
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
    fn take_after(&mut self, after: &mut Tiles) -> Result<()> {
        if self.after.is_empty() {
            self.after = after.take(self.slice, self.stripe, &|_, _| true)?;
        }
        Ok(())
    }

    /// Adds what all processes have sent.
    fn add(&mut self, after: &mut Tiles, messages: &[Vec<u8>]) -> Result<()> {
        if messages.iter().any(|bytes| !bytes.is_empty()) {
            self.has_changed = true;
            self.take_after(after)?;
        }
        let layout = self.layout.of_after();
        let panels = layout.stripe(self.stripe);
        let segments: Vec<_> = panels.clone().map(|panel| layout.segment_of(panel)).collect();
        for bytes in messages {
            let mut message = Message::new(bytes);
            while !message.is_empty() {
                let header: Header = [(); 5].map(|()| message.number());
                let [segment, are_wins, first, width, rows] = header;
                let index = segments.binary_search(&segment).expect("it is read for this stripe");
                let (panel, plane) = (panels.start + index, [LOSS, WIN][are_wins]);
                for _ in 0..rows {
                    let row = message.number();
                    let offset = layout.offset(panel, plane, row) + first;
                    let to = &mut self.after[offset..offset + width];
                    let bytes = message.bytes(size_of_val(to));
                    to.as_mut_bytes().copy_from_slice(bytes);
                    self.changed[index][are_wins].insert(row);
                }
            }
        }
        Ok(())
    }

    fn has_candidates(&self) -> bool {
        self.changed.iter().flatten().any(|rows| !rows.is_empty())
    }

    fn finish(self, request: &InputRequest<'_>) -> StripeInput {
        let Self { stripe, changed, after, has_changed, .. } = self;
        let panels = changed.into_par_iter();
        let panels = panels.map(|[losses, wins]| PanelInput::new(request, &wins, losses));
        StripeInput { stripe, panels: panels.collect(), after, has_changed }
    }
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
    let &InputRequest { slice, step, sought, .. } = request;
    let layout = values.layout(slice);
    let stripe_of = |rank| layout.stripes_of(rank).nth(step);
    let own = stripe_of(processes.rank());
    let mut received = own.map(|stripe| Received::new(request, layout, stripe));
    let segments_for = |rank| {
        let panels = stripe_of(rank).map(|stripe| layout.stripe(stripe));
        panels.unwrap_or_default().map(|panel| layout.segment_of(panel))
    };
    let mut segments: Vec<_> = (0..processes.count()).flat_map(segments_for).collect();
    segments.sort_unstable();
    segments.dedup();
    let own = values.layout(slice.swapped()).panels_of(processes.rank());
    let message = |changes: &Vec<(usize, Vec<u64>)>, rank| {
        let of_segment = |segment| {
            let first = changes.partition_point(|(other, _)| *other < segment);
            changes[first..].iter().take_while(move |(other, _)| *other == segment)
        };
        let sent = || segments_for(rank).flat_map(of_segment);
        let len: usize = sent().map(|(_, words)| size_of_val(&words[..])).sum();
        // A byte for the state of this process follows.
        let mut bytes = Vec::with_capacity(len + 1);
        sent().for_each(|(_, words)| bytes.extend_from_slice(words.as_bytes()));
        bytes
    };
    let changes = changes_for(values, cells, own, segments, request);
    let messages = changes.map(|changes| {
        let ranks = (0..processes.count()).into_par_iter();
        ranks.map(|rank| message(&changes, rank)).collect()
    });
    let messages = processes.exchange(messages)?;
    received.as_mut().map_or(Ok(()), |stripe| stripe.add(after, &messages))?;
    let Some(mut received) = received else { return Ok(None) };
    if received.has_candidates() || values.is_any_due(slice, received.stripe, sought) {
        received.take_after(after)?;
    }
    Ok(Some(received.finish(request)))
}

/// The changes of the swapped slice in its panels `own` that passes over some segments
/// of a slice read: for each segment some changed rows, transposed.
fn changes_for(
    values: &UnitValues,
    cells: &Cells,
    own: Range<usize>,
    segments: Vec<usize>,
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
            let width = in_panel.len() / layout.cells();
            let mut out = Vec::new();
            if width == 0 {
                return Ok((segment, out));
            }
            let first_word = (in_panel.start - of_segment.start) / layout.cells();
            let tile = |plane| Tile { slice: swapped, plane, panel, rows: in_panel.clone() };
            let kinds = [[LOSS, WIN], [WIN, LOSS]];
            for (are_wins, (rows, [is, is_not])) in rows.iter().zip(kinds).enumerate() {
                let has = |word: &usize| rows.has_any(*word, from.cells());
                let row_groups: Vec<_> = words.clone().filter(has).collect();
                if row_groups.is_empty() {
                    continue;
                }
                let is = values.tiles.read(&tile(is), first)?;
                let is_not = values.tiles.read(&tile(is_not), second)?;
                let shape = Shape {
                    from_width: words.len(),
                    row_groups: width,
                    to_width: width,
                    to_first: 0,
                };
                transposed.resize(words.len() * from.cells() * width, 0);
                let wanted: Vec<_> = row_groups.iter().map(|word| word - words.start).collect();
                let word = |i: usize| is[i] & !is_not[i];
                cells.transpose_tile(shape, &wanted, word, transposed);
                let begin = out.len();
                let header: Header = [segment, are_wins, first_word, width, 0];
                out.extend(header.map(|number| number as u64));
                let mut count = 0;
                for row_group in row_groups {
                    let in_group = row_group * from.cells()..(row_group + 1) * from.cells();
                    for row in in_group.filter(|row| rows.contains(*row)) {
                        let offset = (row - words.start * from.cells()) * width;
                        let row_words = &transposed[offset..offset + width];
                        // Bits are only ever added, so there are none at the receiver either.
                        if row_words.iter().any(|word| *word != 0) {
                            out.push(row as u64);
                            out.extend_from_slice(row_words);
                            count += 1;
                        }
                    }
                }
                match count {
                    0 => out.truncate(begin),
                    count => out[begin + header.len() - 1] = count,
                }
            }
            Ok((segment, out))
        },
    );
    sent.collect()
}
