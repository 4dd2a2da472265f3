//! The units that a build has to process, and the slices that it has to keep in memory.

use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{Slice, Unit, captures_decide};

use super::work::Work;

/// The units to be solved, and those to be loaded for them, in order. Loading a slice recomputes
/// the values of positions with captures, so it depends on the same smaller slices as solving it.
pub(super) fn units_to_process(units: &[Unit], missing: &[Unit]) -> Vec<Unit> {
    let mut to_process = Vec::new();
    for unit in units.iter().rev() {
        let is_needed = |slice| is_needed(slice, &to_process);
        if missing.contains(unit) || unit.slices().any(is_needed) {
            to_process.push(*unit);
        }
    }
    to_process.reverse();
    to_process
}

/// The units that are processed, in order. Each has the smaller slices that are kept when it begins,
/// and the units after it.
pub(super) fn steps<'w>(
    Work { units, to_process, .. }: Work<'w>,
) -> impl Iterator<Item = (Unit, Vec<Slice>, &'w [Unit])> {
    to_process.iter().enumerate().map(move |(i, unit)| {
        let smaller = units.iter().take_while(|other| *other != unit);
        let kept = smaller.flat_map(|unit| unit.slices());
        let kept = kept.filter(|slice| is_needed(*slice, &to_process[i..]));
        (*unit, kept.collect(), &to_process[i + 1..])
    })
}

/// Whether a slice has to be in memory when these units are processed.
pub(super) fn is_needed(slice: Slice, units: &[Unit]) -> bool {
    units.iter().any(|unit| unit.captures_into(slice))
}

/// The slices that must be loaded to solve a unit of the first phase, in this order.
pub(super) fn slices_to_load(board: Board, rules: &RuleSet, unit: Unit) -> Vec<Slice> {
    let mut needed: Vec<_> = unit.after_captures().collect();
    // If captures are mandatory in the second phase, loading computes values from smaller slices.
    let decided = |slice: &Slice| captures_decide(&slice.rules(board, rules));
    let settled: Vec<_> = needed.iter().copied().filter(decided).collect();
    for slice in settled {
        let unit = Unit::of(slice);
        let smaller =
            Unit::up_to(board, unit.stones() - 1).filter(|smaller| unit.rests_on(*smaller));
        needed.extend(smaller.flat_map(|smaller| smaller.slices()));
    }
    needed.sort_by_key(|slice| slice.stones());
    needed
}

#[cfg(test)]
mod tests {
    use fanorona_core::Board;

    use super::*;

    #[test]
    fn only_slices_that_captures_lead_to_are_loaded() {
        let unit = |slice: &str| Unit::of(slice.parse().expect("a slice"));
        let units: Vec<_> = Unit::up_to(Board::tsivy(), 5).collect();
        let process = |missing: &[Unit]| units_to_process(&units, missing);
        assert_eq!(process(&[]), []);
        // From 2v1 and 1v2 captures lead to 1v1 at most.
        assert_eq!(process(&[unit("1v1")]), [unit("1v1")]);
        assert_eq!(process(&[unit("2v1")]), [unit("1v1"), unit("2v1")]);
        assert_eq!(
            process(&[unit("3v2")]),
            ["1v1", "2v1", "2v2", "3v1", "3v2"].map(unit),
            "3v2 leads to 1v3, 2v3 to 1v2 and 2v2"
        );
        assert_eq!(process(&[unit("4v1")]), ["1v1", "2v1", "3v1", "4v1"].map(unit));
    }
}
