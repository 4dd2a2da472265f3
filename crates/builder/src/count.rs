//! The statistics of a slice, from counts of positions.

use fanorona_core::{Stones, Value};
use fanorona_tablebase::format::Statistics;
use fanorona_tablebase::index::SliceIndex;
use fanorona_tablebase::{Code, Metric, Result, Zugzwangs};

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

/// The statistics of a slice, from its positions by [`Code`]. `first` returns the lowest index with a
/// code.
pub(super) fn of_codes(
    index: &SliceIndex<'_>,
    metric: Metric,
    codes: &[u64],
    zugzwangs: Zugzwangs,
    first: impl Fn(Code) -> Result<u64>,
) -> Result<Statistics> {
    if !metric.has_distances() {
        let of = |code: Code| codes.get(usize::from(code.0)).copied().unwrap_or(0);
        return Ok(of_values(index, [Code::WIN, Code::LOSS].map(of), zugzwangs));
    }
    // The first code is that of draws.
    let distances = codes.get(1..).unwrap_or_default().to_vec();
    of_distances(index, distances, zugzwangs, |distance| first(Code(distance + 1)))
}

/// Counts positions of a code.
pub(super) fn add_code(codes: &mut Vec<u64>, code: Code, positions: u8) {
    let code = usize::from(code.0);
    codes.resize(codes.len().max(code + 1), 0);
    codes[code] += u64::from(positions);
}

/// Adds counts, place by place. Those missing at the end count as 0.
pub(super) fn sum(mut counts: Vec<u64>, more: Vec<u64>) -> Vec<u64> {
    counts.resize(counts.len().max(more.len()), 0);
    counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
    counts
}
