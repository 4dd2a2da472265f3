//! The statistics of a slice, from counts of whole words of positions.

use fanorona_core::{Stones, Value};
use fanorona_tablebase::format::Statistics;
use fanorona_tablebase::index::SliceIndex;
use fanorona_tablebase::{Code, Result, Zugzwangs};

/// The statistics of a slice without distances, from its won and lost positions.
pub(super) fn of_values(
    index: &SliceIndex<'_>,
    [win, loss]: [u64; 2],
    zugzwangs: Zugzwangs,
) -> Statistics {
    let draw = index.positions(0, index.len()) - win - loss;
    Statistics { win, draw, loss, zugzwangs: Some(zugzwangs), ..Statistics::default() }
}

/// The statistics of a slice with distances, from its positions by distance. `first` returns the
/// lowest index with a distance.
pub(super) fn of_distances(
    index: &SliceIndex<'_>,
    distances: Vec<u64>,
    zugzwangs: Zugzwangs,
    first: impl Fn(u16) -> Result<u64>,
) -> Result<Statistics> {
    let of = |value| {
        let of_distance = |distance: u16| Code(distance + 1).value() == value;
        let all = (0..).zip(&distances).filter(|(distance, _)| of_distance(*distance));
        all.map(|(_, count)| count).sum()
    };
    let found = of_values(index, [of(Value::Win), of(Value::Loss)], zugzwangs);
    let found = Statistics { distances, ..found };
    let longest = |value| -> Result<Option<Stones>> {
        let first = found.longest(value).map(&first).transpose()?;
        Ok(first.map(|first| index.entry(first).expect("a position of the slice").stones))
    };
    let (longest_win, longest_loss) = (longest(Value::Win)?, longest(Value::Loss)?);
    Ok(Statistics { longest_win, longest_loss, ..found })
}
