//! A pass over a stripe of a slice: finds the values that follow from paikas.
//!
//! A paika changes the own set and keeps the opponent's set. It leads from one row to another, at
//! the same column, wherever the arrival point is free. So a row's new wins are an OR over the rows
//! that its paikas lead to, and its new losses an AND. Rows whose paikas lead only to rows that
//! have not changed in the panel are skipped.

use std::collections::BTreeSet;
use std::ops::Range;

use fanorona_core::Point;
use fanorona_tablebase::Result;
use rayon::prelude::*;

use super::columns::Columns;
use super::context::SliceContext;
use super::paikas::{Paika, paikas};
use crate::rows::store::{
    AfterPanel, Changes, FrameBuffers, FrameTile, LOSS, MAX_WIDTH, PanelInput, RoundLog, SAFE,
    SliceChanges, Tiling, WIN, Wanted, encode,
};

/// A pass over a stripe of a slice.
pub(crate) struct Pass<'p> {
    pub sought: Wanted,
    pub layout: Tiling,
    pub swapped: Tiling,
    pub stripe: usize,
    /// For each panel of the stripe, the changes after paikas.
    pub changed: &'p [PanelInput],
    /// For each panel of the stripe, the values after paikas.
    pub after: Vec<AfterPanel<'p>>,
    /// Positions that captures decide, if the build has distances.
    pub due: Option<&'p RoundLog>,
    /// Records what the pass finds.
    pub found: &'p SliceChanges,
}

/// The finds of a pass in a stripe.
#[derive(Default)]
pub(crate) struct PassFound {
    /// The panels and bands with new wins or losses, or positions that are no longer safe.
    pub changed: BTreeSet<(usize, usize)>,
    /// The new wins and losses, if the build has distances.
    pub frames: Vec<(FrameTile, Vec<u8>)>,
}

impl PassFound {
    /// Whether some rows of a panel are in a changed band.
    pub(crate) fn is_in(&self, layout: &Tiling, panel: usize, rows: &Range<usize>) -> bool {
        let band = layout.band_rows;
        let bands = (panel, rows.start / band)..(panel, rows.end.div_ceil(band));
        self.changed.range(bands).next().is_some()
    }
}

/// Finds the new wins and losses in a stripe.
pub(crate) fn run(
    context: &SliceContext<'_, '_>,
    data: &mut [u64],
    pass: &Pass<'_>,
) -> Result<PassFound> {
    let &Pass { layout, stripe, .. } = pass;
    let count = context.own.count();
    let all = split(layout, stripe, data);
    let found =
        all.into_par_iter().enumerate().map_init(PassBuffers::default, |buffers, (i, panels)| {
            let rows = i * layout.band_rows..count.min((i + 1) * layout.band_rows);
            let band = Band { context, pass, index: i, rows: rows.clone(), panels };
            let found = band.update(buffers)?;
            context.build.progress.advance(entries(context, &rows, &layout, stripe));
            Ok(found)
        });
    let mut all = PassFound::default();
    for band in found.collect::<Result<Vec<_>>>()? {
        all.changed.extend(band.changed);
        all.frames.extend(band.frames);
    }
    Ok(all)
}

/// The share of a stripe in the entries of some rows.
pub(crate) fn entries(
    context: &SliceContext<'_, '_>,
    rows: &Range<usize>,
    layout: &Tiling,
    stripe: usize,
) -> u64 {
    let in_panel = |panel| {
        let rows = layout.rows_in(panel, rows).len();
        let all = rows as u128 * u128::from(context.index().columns());
        let until = |word: usize| (all * word as u128 / layout.words as u128) as u64;
        let words = layout.panel(panel);
        until(words.end) - until(words.start)
    };
    layout.stripe(stripe).map(in_panel).sum()
}

struct PanelRows<'r> {
    /// The panel, and its index in the stripe.
    panel: usize,
    index: usize,
    words: Range<usize>,
    win: &'r mut [u64],
    loss: &'r mut [u64],
    /// Empty if the rules make no open position safe.
    safe: &'r mut [u64],
}

/// For each band, what the panels of a stripe have of it.
fn split(layout: Tiling, stripe: usize, data: &mut [u64]) -> Vec<Vec<PanelRows<'_>>> {
    let mut all: Vec<_> = layout.bands().map(|_| Vec::new()).collect();
    let panels = layout.stripe(stripe).zip(data.chunks_mut(layout.panel_room()));
    for (index, (panel, mut rest)) in panels.enumerate() {
        let (rows, words) = (layout.rows_of(panel), layout.panel(panel));
        let width = words.len();
        let mut planes = [WIN, LOSS, SAFE].map(|plane| {
            let len = if plane < layout.planes { rows.len() * width } else { 0 };
            let (matrix, after) = std::mem::take(&mut rest).split_at_mut(len);
            rest = after;
            matrix.chunks_mut(layout.band_rows * width)
        });
        let bands = rows.start / layout.band_rows..rows.end.div_ceil(layout.band_rows);
        for band in &mut all[bands] {
            let [win, loss, safe] = planes.each_mut().map(|rows| rows.next().unwrap_or_default());
            band.push(PanelRows { panel, index, words: words.clone(), win, loss, safe });
        }
    }
    all
}

/// PassBuffers that a thread uses for each of its bands.
#[derive(Default)]
struct PassBuffers {
    paikas: Vec<Paika>,
    /// A row with its cells permuted by a symmetry.
    seen: Vec<u64>,
    frame: FrameBuffers,
}

struct Band<'b, 's, 'a> {
    context: &'b SliceContext<'s, 'a>,
    pass: &'b Pass<'b>,
    index: usize,
    rows: Range<usize>,
    panels: Vec<PanelRows<'b>>,
}

impl Band<'_, '_, '_> {
    fn update(mut self, buffers: &mut PassBuffers) -> Result<PassFound> {
        let mut found = PassFound::default();
        let &Pass { sought, changed, .. } = self.pass;
        // The new positions in each panel, if the build has distances.
        let mut new: Vec<Vec<u64>> = Vec::new();
        let mut released_rows = Vec::new();
        if let Wanted::Distance(distance) = sought {
            for i in 0..self.panels.len() {
                new.push(vec![0; self.panels[i].win.len()]);
                released_rows.push(self.apply_due(distance, i, &mut new[i], buffers)?);
            }
        }
        let released = |panel: usize, row: usize| {
            released_rows.get(panel).is_some_and(|rows: &Vec<usize>| rows.contains(&row))
        };
        for row in self.rows.clone() {
            let mut has_paikas = false;
            for i in 0..self.panels.len() {
                let input = &changed[self.panels[i].index];
                let win_candidate = input.win_candidates.contains(row);
                let loss_candidate = input.loss_candidates.contains(row)
                    || sought.losses() && released(i, row - self.rows.start);
                if (win_candidate || loss_candidate) && self.is_undecided(i, row) {
                    if !has_paikas {
                        let own = self.context.own.representative(row);
                        buffers.paikas.clear();
                        buffers.paikas.extend(paikas(self.context, own));
                        has_paikas = true;
                    }
                    let new = new.get_mut(i).map_or(&mut [][..], |new| new);
                    let candidate = [win_candidate, loss_candidate];
                    if self.update_row(i, row, candidate, new, buffers) {
                        found.changed.insert((self.panels[i].panel, self.index));
                    }
                }
            }
        }
        for ((new, rows), released) in new.iter().zip(&self.panels).zip(&released_rows) {
            let frame = encode(new);
            if frame.is_some() || !released.is_empty() {
                found.changed.insert((rows.panel, self.index));
            }
            let tile = FrameTile { panel: rows.panel as u32, band: self.index as u32 };
            found.frames.extend(frame.map(|frame| (tile, frame)));
        }
        Ok(found)
    }

    /// Decides the positions that captures decide in this number of turns. If the best capture
    /// loses and paikas are possible too, the position is no longer safe from then on. Returns the
    /// rows of the band that have such positions.
    fn apply_due(
        &mut self,
        distance: u16,
        i: usize,
        new: &mut [u64],
        buffers: &mut PassBuffers,
    ) -> Result<Vec<usize>> {
        let &Pass { layout, swapped, found, due, .. } = self.pass;
        let Some(due) = due else { return Ok(Vec::new()) };
        let (first, wins) = (self.rows.start, self.pass.sought.wins());
        let &mut PanelRows { panel, ref words, ref mut win, ref mut loss, ref mut safe, .. } =
            &mut self.panels[i];
        let bands = self.index..self.index + 1;
        let mut released = Vec::new();
        due.for_each(distance, panel, bands, &layout, &mut buffers.frame, |_, index, due| {
            let (row, word) = (index / words.len(), index % words.len());
            let is_column_of = swapped.segment_of_word((first + row) / layout.cells);
            let decided = if wins {
                let decided = due & !(win[index] ^ loss[index]);
                win[index] |= decided;
                loss[index] &= !decided;
                found.wins.add(is_column_of, panel, word, decided);
                decided
            } else {
                let decided = due & win[index] & loss[index];
                win[index] &= !decided;
                found.losses.add(is_column_of, panel, word, decided);
                if let Some(safe) = safe.get_mut(index)
                    && due & !decided & *safe != 0
                {
                    *safe &= !due | decided;
                    if released.last() != Some(&row) {
                        released.push(row);
                    }
                }
                decided
            };
            new[index] |= decided;
        })?;
        Ok(released)
    }

    fn is_undecided(&self, i: usize, row: usize) -> bool {
        let PanelRows { words, win, loss, .. } = &self.panels[i];
        let width = words.len();
        let begin = (row - self.rows.start) * width;
        let rows = win[begin..begin + width].iter().zip(&loss[begin..begin + width]);
        rows.fold(u64::MAX, |all, (win, loss)| all & (win | loss)) != u64::MAX
    }

    /// Adds new positions to a row of a panel. Returns whether there are any.
    fn update_row(
        &mut self,
        i: usize,
        row: usize,
        [win_candidate, loss_candidate]: [bool; 2],
        logged: &mut [u64],
        buffers: &mut PassBuffers,
    ) -> bool {
        let &Pass { layout, swapped, changed, ref after, found, .. } = self.pass;
        let &mut PanelRows { panel, index, ref words, ref mut win, ref mut loss, ref mut safe } =
            &mut self.panels[i];
        let changed_losses = &changed[index].changed_losses;
        let (context, after, width) = (self.context, after[index], words.len());
        let begin = (row - self.rows.start) * width;
        let (win, loss) = (&mut win[begin..begin + width], &mut loss[begin..begin + width]);
        let logged = logged.get_mut(begin..begin + width).unwrap_or_default();
        let is_column_of = swapped.segment_of_word(row / layout.cells);
        let columns = context.opponents();
        let (mut wanted, mut bits) = ([0; MAX_WIDTH], [0; MAX_WIDTH]);
        let (wanted, bits) = (&mut wanted[..width], &mut bits[..width]);
        for (wanted, (win, loss)) in wanted.iter_mut().zip(win.iter().zip(loss.iter())) {
            *wanted = !(win | loss);
        }
        let mut any = false;
        let mut add = |i: usize, changes: &Changes, target: &mut u64, new: u64| {
            any = true;
            *target |= new;
            changes.add(is_column_of, panel, i, new);
            if let Some(logged) = logged.get_mut(i) {
                *logged |= new;
            }
        };
        let paikas = &buffers.paikas;
        if win_candidate {
            for paika in paikas.iter().filter(|paika| changed_losses.contains(paika.row)) {
                let row = after.row(false, paika.row, width);
                let row = context.cells.see_through(paika.symmetry, row, &mut buffers.seen);
                combine(columns, paika, words.start, row, bits, true);
            }
            for i in 0..width {
                let new = bits[i] & wanted[i];
                if new != 0 {
                    add(i, &found.wins, &mut win[i], new);
                    wanted[i] &= !new;
                }
            }
        }
        if !loss_candidate {
            return any;
        }
        bits.copy_from_slice(wanted);
        if let Some(safe) = safe.get(begin..begin + width) {
            bits.iter_mut().zip(safe).for_each(|(bits, safe)| *bits &= !safe);
        }
        if bits.iter().all(|bits| *bits == 0) {
            return any;
        }
        for paika in paikas {
            let row = after.row(true, paika.row, width);
            let row = context.cells.see_through(paika.symmetry, row, &mut buffers.seen);
            if !combine(columns, paika, words.start, row, bits, false) {
                return any;
            }
        }
        for i in (0..width).filter(|i| bits[*i] != 0) {
            add(i, &found.losses, &mut loss[i], bits[i]);
        }
        any
    }
}

/// Combines `bits` with the row that a paika leads to, in the columns where the paika is possible:
/// OR with the opponent's losses if wins are sought, otherwise AND with the opponent's wins.
/// Returns whether any bit is set.
fn combine(
    columns: &Columns<'_>,
    paika: &Paika,
    begin: usize,
    row: &[u64],
    bits: &mut [u64],
    wins: bool,
) -> bool {
    let containing = |point: Point| &columns.containing(point)[begin..begin + row.len()];
    let mut union = [0u64; MAX_WIDTH];
    let mut forbidden = containing(paika.to);
    if paika.captures != [None; 2] {
        let union = &mut union[..row.len()];
        union.copy_from_slice(forbidden);
        for captures in paika.captures.into_iter().flatten().map(containing) {
            for (union, captures) in union.iter_mut().zip(captures) {
                *union |= captures;
            }
        }
        forbidden = union;
    }
    let rows = row.iter().zip(forbidden);
    if wins {
        bits.iter_mut().zip(rows).for_each(|(bits, (row, forbidden))| *bits |= row & !forbidden);
    } else {
        bits.iter_mut().zip(rows).for_each(|(bits, (row, forbidden))| *bits &= row | forbidden);
    }
    bits.iter().fold(0, |any, bits| any | bits) != 0
}
