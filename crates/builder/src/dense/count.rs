//! Counting the values of a slice.

use fanorona_tablebase::format::Statistics;
use fanorona_tablebase::{Code, Result, Zugzwangs};
use rayon::prelude::*;

use super::entries::lowest_index;
use super::state::{DenseContext, WorkingSlice};
use crate::count::{of_distances, of_values};
use crate::grades::Grade;

/// Counts values without distances, whole words of positions at a time.
pub(super) fn values(
    context: &DenseContext<'_, '_>,
    WorkingSlice { win, loss, .. }: &WorkingSlice,
    zugzwangs: Zugzwangs,
) -> Statistics {
    let count = |orbit: usize| {
        let row = context.row_of(context.rows.representative(orbit));
        let images = u64::from(context.rows.size(orbit));
        [win, loss].map(|plane| images * plane.count(row))
    };
    let add = |[win, loss]: [u64; 2], [more, less]: [u64; 2]| [win + more, loss + less];
    let orbits = (0..context.rows.count()).into_par_iter();
    of_values(&context.index(), orbits.map(count).reduce(|| [0; 2], add), zugzwangs)
}

/// Counts values with distances.
pub(super) fn distances<G: Grade>(
    context: &DenseContext<'_, '_>,
    grades: &[G],
    zugzwangs: Zugzwangs,
) -> Result<Statistics> {
    let columns = context.columns.count();
    // For each code, the number of positions.
    let count = |mut counts: Vec<u64>, (orbit, row): (usize, &[G])| {
        let images = u64::from(context.rows.size(orbit));
        for grade in row {
            let code = usize::from(grade.to_code().0);
            if counts.len() <= code {
                counts.resize(code + 1, 0);
            }
            counts[code] += images;
        }
        counts
    };
    let add = |mut counts: Vec<u64>, mut more: Vec<u64>| {
        if counts.len() < more.len() {
            std::mem::swap(&mut counts, &mut more);
        }
        counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        counts
    };
    let rows = || grades.par_chunks(columns).enumerate().with_min_len(64);
    let counts = rows().fold(Vec::new, count).reduce(Vec::new, add);

    let first = |distance| {
        let grade = G::of_code(Code(distance + 1)).expect("it was counted");
        let first = rows().filter_map(|(orbit, row)| {
            let occupied = context.rows.representative(orbit);
            let with_grade = (0..).zip(row).filter(|(_, found)| **found == grade);
            let index_of = |(column, _)| {
                let own = context.own_set(occupied, column);
                lowest_index(context, u64::MAX, own, occupied - own)
            };
            with_grade.filter_map(index_of).min()
        });
        Ok(first.min().expect("it was counted"))
    };
    // The first code is that of draws.
    let distances = counts.get(1..).unwrap_or_default().to_vec();
    of_distances(&context.index(), distances, zugzwangs, first)
}
