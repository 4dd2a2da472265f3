//! Counting who wins, whole words of positions at a time.

use rayon::prelude::*;

use super::columns::Columns;
use super::rounds::Native;
use crate::format::Statistics;
use crate::index::SliceIndex;
use crate::orbits::Orbits;
use crate::zugzwang::Zugzwangs;

/// Counts the values of a slice without distances.
pub(super) fn values(
    index: &SliceIndex<'_>,
    own: &Orbits,
    columns: &Columns<'_>,
    Native { win, loss, .. }: &Native,
    zugzwangs: Zugzwangs,
) -> Statistics {
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
    let draw = index.positions(0, index.len()) - win - loss;
    Statistics { win, draw, loss, zugzwangs: Some(zugzwangs), ..Statistics::default() }
}
