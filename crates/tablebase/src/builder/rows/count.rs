//! Counting the values of a slice.

use rayon::prelude::*;

use super::after::{LOSS, WIN};
use super::reader::RowReader;
use super::state::RowsBuilder;
use super::tiles::Tile;
use crate::error::Result;
use crate::format::{Counter, Statistics};
use crate::slice::Slice;
use crate::value::Metric;

impl RowsBuilder<'_> {
    /// Counts the values of a slice of the unit that was solved last.
    pub(super) fn count(&self, slice: Slice) -> Result<Statistics> {
        match self.context.metric {
            Metric::Wdl => self.count_values(slice),
            Metric::Dtw => self.count_distances(slice),
        }
    }

    /// Counts values without distances, whole words of positions at a time.
    fn count_values(&self, slice: Slice) -> Result<Statistics> {
        let (own, columns) = (self.context.orbits(slice.own), self.find_columns(slice.opponent));
        let (store, layout) = (self.store(), self.layout(slice));
        // About as many rows as fill the tiles of transposition.
        let all = layout.rows().div_ceil(1024);
        let tiles = (0..layout.num_panels())
            .into_par_iter()
            .flat_map(|panel| (0..all).into_par_iter().map(move |part| (panel, part)));
        let count = |[first, second]: &mut [Vec<u64>; 2],
                     (panel, part): (usize, usize)|
         -> Result<[u64; 2]> {
            let rows = part * 1024..layout.rows().min((part + 1) * 1024);
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
        let [win, loss] = counts.try_reduce(|| [0; 2], add)?;
        let index = self.context.index(slice);
        let draw = index.positions(0, index.len()) - win - loss;
        let zugzwangs = Some(self.zugzwangs[&slice]);
        Ok(Statistics { win, draw, loss, zugzwangs, ..Statistics::default() })
    }

    /// Counts values with distances, one position at a time.
    fn count_distances(&self, slice: Slice) -> Result<Statistics> {
        let (own, opponent) = (self.context.orbits(slice.own), self.context.orbits(slice.opponent));
        let index = self.context.index(slice);
        let columns = index.columns();
        let mut reader = RowReader::new(self, slice, false);
        let mut counter = Counter::default();
        let mut next = 0;
        while next < own.count() {
            let chunk = reader.read(next..next + 1)?;
            let count = |row: usize| {
                let mut counter = Counter::default();
                let mut place = row as u64 * columns;
                index.for_each_rank(place, columns, |row, rank| {
                    let code = chunk.code(row, opponent.number_of_rank(rank) as usize);
                    counter.count(place, own.size(row), code, Metric::Dtw);
                    place += 1;
                });
                counter
            };
            let rows = chunk.rows();
            next = rows.end;
            let counted = rows.into_par_iter().map(count);
            counter = counter.append(counted.reduce(Counter::default, Counter::append));
        }
        Ok(counter.finish(&index, self.zugzwangs[&slice]))
    }
}
