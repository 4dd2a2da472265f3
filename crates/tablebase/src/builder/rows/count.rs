//! Counting the values of a slice.

use std::ops::Range;

use fanorona_core::{Stones, Value};
use rayon::prelude::*;

use super::after::{LOSS, WIN};
use super::bits::members;
use super::log::FrameBuffers;
use super::state::RowsBuilder;
use super::tiles::Tile;
use crate::error::Result;
use crate::format::Statistics;
use crate::slice::PhaseSlice;
use crate::value::{Code, Metric};

impl RowsBuilder<'_> {
    /// Counts the values of a slice of the unit that was solved last.
    pub(super) fn count(&self, slice: PhaseSlice) -> Result<Statistics> {
        match self.context.metric {
            Metric::Wdl => self.count_values(slice),
            Metric::Dtw => self.count_distances(slice),
        }
    }

    /// Counts values without distances, whole words of positions at a time.
    fn count_values(&self, slice: PhaseSlice) -> Result<Statistics> {
        let (own, columns) =
            (self.context.orbits(slice.own()), self.find_columns(slice.opponent()));
        let (store, layout) = (self.store(), self.layout(slice));
        // About as many rows as fill the tiles of transposition.
        let group = self.context.group;
        let tiles = layout.panels_of(group.rank()).into_par_iter().flat_map(|panel| {
            let rows = layout.rows_of(panel);
            let parts = rows.clone().into_par_iter().step_by(1024);
            parts.map(move |first| (panel, first..rows.end.min(first + 1024)))
        });
        let count = |[first, second]: &mut [Vec<u64>; 2],
                     (panel, rows): (usize, Range<usize>)|
         -> Result<[u64; 2]> {
            let words = layout.panel(panel);
            let tile = |plane| Tile { slice, plane, panel, rows: rows.clone() };
            let win = store.read(&tile(WIN), first)?;
            let loss = store.read(&tile(LOSS), second)?;
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
        let counts = tiles.map_init(Default::default, count);
        let counts = counts.try_reduce(|| [0; 2], add).map(|counts| counts.to_vec());
        let [win, loss] = group.sums(counts)?[..] else { unreachable!("two sums") };
        let index = self.context.index(slice.slice);
        let draw = index.positions(0, index.len()) - win - loss;
        let zugzwangs = Some(self.zugzwangs[&slice]);
        Ok(Statistics { win, draw, loss, zugzwangs, ..Statistics::default() })
    }

    /// Counts values with distances: whole words of positions of the log.
    fn count_distances(&self, slice: PhaseSlice) -> Result<Statistics> {
        let index = self.context.index(slice.slice);
        let log = self.working().found(slice).expect("the build has distances");
        let count = |distance| {
            let count = |row: usize, _: usize, word: u64| {
                let positions = self.context.orbits(slice.own()).size(row);
                u64::from(positions) * u64::from(word.count_ones())
            };
            self.fold_log(slice, distance, 0, count, |sum, more| sum + more)
        };
        let mut counts = Ok(Vec::new());
        for distance in log.distances() {
            counts = counts.and_then(|mut counts: Vec<u64>| {
                counts.resize(usize::from(distance), 0);
                counts.push(count(distance)?);
                Ok(counts)
            });
        }
        let distances = self.context.group.sums(counts)?;
        let of = |value| {
            let of_distance = |distance: u16| Code(distance + 1).value() == value;
            let all = (0..).zip(&distances).filter(|(distance, _)| of_distance(*distance));
            all.map(|(_, count)| count).sum()
        };
        let (win, loss) = (of(Value::Win), of(Value::Loss));
        let mut found = Statistics { win, loss, distances, ..Statistics::default() };
        found.draw = index.positions(0, index.len()) - found.win - found.loss;
        let longest = |value| -> Result<Option<_>> {
            let Some(distance) = found.longest(value) else { return Ok(None) };
            let place = self.first_in_log(slice, distance)?;
            let entry = index.entry(place).expect("a position of the slice");
            Ok(Some(entry.stones))
        };
        let (longest_win, longest_loss) = (longest(Value::Win)?, longest(Value::Loss)?);
        let zugzwangs = Some(self.zugzwangs[&slice]);
        Ok(Statistics { longest_win, longest_loss, zugzwangs, ..found })
    }

    /// The first place in the index of a position with a distance.
    fn first_in_log(&self, slice: PhaseSlice, distance: u16) -> Result<u64> {
        let (own, columns) =
            (self.context.orbits(slice.own()), self.find_columns(slice.opponent()));
        let index = self.context.index(slice.slice);
        let first = |row: usize, word: usize, bits: u64| {
            let own = own.representative(row);
            let places = members(bits)
                .map(|bit| index.index(Stones { own, opponent: columns.set(64 * word + bit) }));
            places.min().unwrap_or(u64::MAX)
        };
        let place = self.fold_log(slice, distance, u64::MAX, first, u64::min);
        let all = self.context.group.gather_numbers(place.map(|place| vec![place]))?;
        Ok(all.into_iter().flatten().min().unwrap_or(u64::MAX))
    }

    /// Visits the positions with a distance once each: a row, a word of columns, and the positions
    /// as bits. Returns what `fold` makes of the results.
    fn fold_log(
        &self,
        slice: PhaseSlice,
        distance: u16,
        none: u64,
        visit: impl Fn(usize, usize, u64) -> u64 + Sync,
        fold: impl Fn(u64, u64) -> u64 + Sync,
    ) -> Result<u64> {
        let log = self.working().found(slice).expect("the build has distances");
        let (layout, rows) = (self.layout(slice), self.context.orbits(slice.own()).count());
        let primary = self.find_columns(slice.opponent()).primary();
        let of_panel = |buffers: &mut FrameBuffers, panel: usize| -> Result<u64> {
            let (words, mut result) = (layout.panel(panel), none);
            log.for_each(distance, panel, 0..usize::MAX, &layout, buffers, |band, place, bits| {
                let row = band * layout.band_rows() + place / words.len();
                let word = words.start + place % words.len();
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
}
