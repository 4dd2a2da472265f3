//! Counting the values of a slice.

use rayon::prelude::*;

use super::columns::Columns;
use super::slices::WorkingSlice;
use crate::builder::context::BuildContext;
use crate::format::{Counter, Statistics};
use crate::slice::Slice;
use crate::value::Metric;
use crate::zugzwang::Zugzwangs;

/// Counts values without distances, whole words of positions at a time.
pub(super) fn values(
    context: &BuildContext<'_>,
    slice: Slice,
    columns: &Columns<'_>,
    WorkingSlice { win, loss, .. }: &WorkingSlice,
    zugzwangs: Zugzwangs,
) -> Statistics {
    let own = context.orbits(slice.own);
    let once = |row: &[u64]| -> u64 {
        let each_set_once = row.iter().zip(columns.primary()).map(|(bits, primary)| bits & primary);
        each_set_once.map(|bits| u64::from(bits.count_ones())).sum()
    };
    let count = |row: usize| {
        let positions = u64::from(own.size(row));
        [win, loss].map(|matrix| positions * once(matrix.row(row)))
    };
    let add = |[win, loss]: [u64; 2], [more, less]: [u64; 2]| [win + more, loss + less];
    let [win, loss] = (0..own.count()).into_par_iter().map(count).reduce(|| [0; 2], add);
    let index = context.index(slice);
    let draw = index.positions(0, index.len()) - win - loss;
    Statistics { win, draw, loss, zugzwangs: Some(zugzwangs), ..Statistics::default() }
}

/// Counts values with distances, one position at a time.
pub(super) fn distances(
    context: &BuildContext<'_>,
    slice: Slice,
    working: &WorkingSlice,
    zugzwangs: Zugzwangs,
) -> Statistics {
    let (own, opponent) = (context.orbits(slice.own), context.orbits(slice.opponent));
    let index = context.index(slice);
    let columns = index.columns();
    let count = |row: usize| {
        let mut counter = Counter::default();
        let mut place = row as u64 * columns;
        index.for_each_rank(place, columns, |row, rank| {
            let code = working.code(row, opponent.number_of_rank(rank) as usize);
            counter.count(place, own.size(row), code, Metric::Dtw);
            place += 1;
        });
        counter
    };
    let rows = (0..own.count()).into_par_iter();
    rows.map(count).reduce(Counter::default, Counter::append).finish(&index, zugzwangs)
}
