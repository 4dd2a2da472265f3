//! The methods: choosing one for a build, and creating its builder.

use fanorona_core::Board;

use super::context::{BuildContext, SliceBuilder};
use super::dense::{DenseBuilder, check_dense, dense_places};
use super::memory::{Matrices, MemoryPlan};
use super::options::Method;
use super::plain::PlainBuilder;
use super::rows::{ColumnSets, RowsBuilder, check_columns};
use super::work::Work;
use crate::error::Result;
use crate::slice::Slice;

/// The time of the dense builder per place of a row, as a multiple of that of the builder by rows.
/// Measured without distances on single units: 6.2 to 7.5 on 7x3, where both take about as long (6v5,
/// 6v6, 8v4), and 9.5 on 5x5 (6v5). `docs/BUILDING.md` has all measurements. Not measured with
/// distances.
const DENSE_TIME: u64 = 8;

/// The method of a build: the given one or, without one, the faster one of those that can number
/// the positions and for which the available memory is enough. If it is enough for none, the one
/// that needs the least. Several processes always work by rows.
pub(super) fn method_for(method: Option<Method>, work: Work<'_>, available: Option<u64>) -> Method {
    if work.ranks > 1 {
        return Method::Rows;
    }
    if let Some(method) = method {
        return method;
    }
    let slices = || work.units.iter().flat_map(|unit| unit.slices());
    let can = |method: &Method| check_numbers(*method, work.board, slices()).is_ok();
    let least = |method: Method| MemoryPlan::new(work, method, Some(0)).least;
    let mut methods: Vec<_> = [Method::Rows, Method::Dense].into_iter().filter(can).collect();
    methods.sort_by_key(|method| time(*method, work));
    let fits = |method: &&Method| available.is_none_or(|available| least(**method) <= available);
    let found = methods.iter().find(fits).copied();
    found.or(methods.into_iter().min_by_key(|method| least(*method))).unwrap_or(Method::Rows)
}

/// A measure of the time that a method takes: the length of all rows that it computes. In those of
/// the builder by rows, most of the opponent's sets overlap the own set if the board is full.
fn time(method: Method, work: Work<'_>) -> u64 {
    let Work { board, units, to_process, .. } = work;
    let slices = to_process.iter().flat_map(|unit| unit.slices());
    let places = |place: &dyn Fn(Slice) -> u64| slices.map(place).fold(0, u64::saturating_add);
    match method {
        Method::Dense => places(&|slice| dense_places(board, slice)).saturating_mul(DENSE_TIME),
        Method::Rows | Method::Plain => {
            let matrices = Matrices::new(board, units, work.ranks);
            places(&|slice| matrices.places(slice))
        }
    }
}

/// Checks that a method can number the positions of some slices, beyond what their tables need.
///
/// # Errors
/// [`TableError::TooLarge`](crate::TableError::TooLarge) if not.
pub(super) fn check_numbers(
    method: Method,
    board: Board,
    slices: impl IntoIterator<Item = Slice>,
) -> Result<()> {
    let mut slices = slices.into_iter();
    match method {
        Method::Rows => slices.try_for_each(|slice| check_columns(board, slice)),
        Method::Dense => slices.try_for_each(|slice| check_dense(board, slice)),
        Method::Plain => Ok(()),
    }
}

/// Creates a builder without any solved slices.
pub(super) fn new_builder<'a>(
    method: Method,
    context: BuildContext<'a>,
    columns: &'a ColumnSets<'a>,
) -> Box<dyn SliceBuilder + 'a> {
    match method {
        Method::Rows => Box::new(RowsBuilder::new(context, columns)),
        Method::Dense => Box::new(DenseBuilder::new(context)),
        Method::Plain => Box::new(PlainBuilder::new(context)),
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::RuleSet;

    use super::*;
    use crate::slice::Unit;
    use crate::value::Metric;

    #[test]
    fn time_decides_and_then_memory() {
        let chosen = |size: &str, stones: u32, available: Option<u64>| {
            let board: Board = size.parse().expect("a board");
            let units: Vec<_> = Unit::up_to(board, stones).collect();
            let (units, rules, metric) = (&units[..], &RuleSet::STANDARD, Metric::Wdl);
            let work =
                Work { board, rules, metric, units, to_process: units, missing: units, ranks: 1 };
            assert_eq!(method_for(Some(Method::Plain), work, available), Method::Plain);
            let least = |method| MemoryPlan::new(work, method, None).least;
            (method_for(None, work, available), least(Method::Rows), least(Method::Dense))
        };
        for (size, stones, expected) in [
            ("9x5", 7, Method::Rows),
            // The sets of 8 points are too many for the dense builder.
            ("9x5", 8, Method::Rows),
            ("7x3", 6, Method::Rows),
            ("7x3", 12, Method::Rows),
            ("7x3", 13, Method::Dense),
            ("7x3", 20, Method::Dense),
            ("5x5", 6, Method::Rows),
            ("5x5", 13, Method::Rows),
            ("5x5", 14, Method::Dense),
            ("5x5", 24, Method::Dense),
        ] {
            assert_eq!(chosen(size, stones, None).0, expected, "{size} to {stones} stones");
        }
        // By rows, much goes to files. On a full board, that takes more memory too.
        let (_, rows, dense) = chosen("5x5", 14, None);
        assert!(rows < dense, "{rows}, {dense}");
        let with = |memory| chosen("5x5", 14, Some(memory)).0;
        assert_eq!((with(dense), with(dense - 1)), (Method::Dense, Method::Rows));
        assert_eq!((with(rows), with(rows - 1)), (Method::Rows, Method::Rows));
        let (_, rows, dense) = chosen("5x5", 24, None);
        assert!(dense < rows, "{rows}, {dense}");
        assert_eq!(chosen("5x5", 24, Some(0)).0, Method::Dense, "it needs the least");
    }
}
