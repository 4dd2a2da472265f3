//! Counting the values of a slice.

use std::ops::Range;

use fanorona_core::Stones;
use fanorona_tablebase::format::Statistics;
use fanorona_tablebase::{Result, Zugzwangs};
use rayon::prelude::*;

use crate::bits::members;
use crate::count::{of_distances, of_values};
use crate::rows::kernel::SliceContext;
use crate::rows::store::{FrameBuffers, LOSS, RoundLog, Tile, Tiles, UnitValues, WIN};

/// Counts the values of a slice of a solved unit.
pub(crate) fn count(
    context: &SliceContext<'_, '_>,
    values: &UnitValues,
    zugzwangs: Zugzwangs,
) -> Result<Statistics> {
    let index = &context.index();
    match values.found(context.slice) {
        None => Ok(of_values(index, count_values(context, &values.tiles)?, zugzwangs)),
        Some(log) => of_distances(index, count_distances(context, log)?, zugzwangs, |distance| {
            first_in_log(context, log, distance)
        }),
    }
}

/// Counts won and lost positions, whole words at a time.
fn count_values(context: &SliceContext<'_, '_>, tiles: &Tiles) -> Result<[u64; 2]> {
    let (slice, layout, own) = (context.slice, context.layout, context.own);
    let (processes, columns) = (context.build.processes, context.opponents());
    // About as many rows as fill the tiles of transposition.
    let all = layout.panels_of(processes.index()).into_par_iter().flat_map(|panel| {
        let rows = layout.rows_of(panel);
        let parts = rows.clone().into_par_iter().step_by(1024);
        parts.map(move |first| (panel, first..rows.end.min(first + 1024)))
    });
    let count = |[first, second]: &mut [Vec<u64>; 2],
                 (panel, rows): (usize, Range<usize>)|
     -> Result<[u64; 2]> {
        let words = layout.panel(panel);
        let tile = |plane| Tile { slice, plane, panel, rows: rows.clone() };
        let win = tiles.read(&tile(WIN), first)?;
        let loss = tiles.read(&tile(LOSS), second)?;
        let primary = &columns.primary()[words.clone()];
        let mut counts = [0u64; 2];
        let all = win.chunks(words.len()).zip(loss.chunks(words.len()));
        for (row, (win, loss)) in (rows.start..own.count()).zip(all) {
            let positions = u64::from(own.size(row));
            for ((win, loss), primary) in win.iter().zip(loss).zip(primary) {
                counts[0] += positions * u64::from((win & !loss & primary).count_ones());
                counts[1] += positions * u64::from((loss & !win & primary).count_ones());
            }
        }
        Ok(counts)
    };
    let add = |[win, loss]: [u64; 2], [more, less]: [u64; 2]| Ok([win + more, loss + less]);
    let counts = all.map_init(Default::default, count);
    let counts = counts.try_reduce(|| [0; 2], add).map(|counts| counts.to_vec());
    Ok(processes.sums(counts)?.try_into().expect("two sums"))
}

/// Counts positions by distance: whole words of the log.
fn count_distances(context: &SliceContext<'_, '_>, log: &RoundLog) -> Result<Vec<u64>> {
    let count = |distance| {
        let count = |row: usize, _: usize, word: u64| {
            let positions = context.own.size(row);
            u64::from(positions) * u64::from(word.count_ones())
        };
        fold_log(context, log, distance, 0, count, |sum, more| sum + more)
    };
    let mut counts = Ok(Vec::new());
    for distance in log.distances() {
        counts = counts.and_then(|mut counts: Vec<u64>| {
            counts.resize(usize::from(distance), 0);
            counts.push(count(distance)?);
            Ok(counts)
        });
    }
    context.build.processes.sums(counts)
}

/// The lowest index of a position with a distance.
fn first_in_log(context: &SliceContext<'_, '_>, log: &RoundLog, distance: u16) -> Result<u64> {
    let (own, columns, index) = (context.own, context.opponents(), context.index());
    let first = |row: usize, word: usize, bits: u64| {
        let own = own.representative(row);
        let stones = |bit| Stones { own, opponent: columns.set(64 * word + bit) };
        let indexes = members(bits).map(|bit| index.index(stones(bit)));
        indexes.min().unwrap_or(u64::MAX)
    };
    let lowest = fold_log(context, log, distance, u64::MAX, first, u64::min);
    let all = context.build.processes.gather(lowest)?;
    Ok(all.into_iter().min().unwrap_or(u64::MAX))
}

/// Visits the positions with a distance once each: a row, a word of columns, and the positions
/// as bits. Returns what `fold` makes of the results.
fn fold_log(
    context: &SliceContext<'_, '_>,
    log: &RoundLog,
    distance: u16,
    none: u64,
    visit: impl Fn(usize, usize, u64) -> u64 + Sync,
    fold: impl Fn(u64, u64) -> u64 + Sync,
) -> Result<u64> {
    let (layout, rows) = (context.layout, context.own.count());
    let primary = context.opponents().primary();
    let of_panel = |buffers: &mut FrameBuffers, panel: usize| -> Result<u64> {
        let (words, mut result) = (layout.panel(panel), none);
        log.for_each(distance, panel, 0..usize::MAX, &layout, buffers, |band, index, bits| {
            let row = band * layout.band_rows + index / words.len();
            let word = words.start + index % words.len();
            let bits = bits & primary[word];
            if bits != 0 && row < rows {
                result = fold(result, visit(row, word, bits));
            }
        })?;
        Ok(result)
    };
    let panels = (0..layout.num_panels()).into_par_iter();
    let results = panels.map_init(FrameBuffers::default, of_panel);
    results.try_reduce(|| none, |first, second| Ok(fold(first, second)))
}
