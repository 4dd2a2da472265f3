//! The order of work on units: which are processed, and what has to be kept meanwhile. Builds,
//! unpacking and verification follow it.

use crate::slice::{Slice, Unit};

/// A unit that is processed after others.
#[derive(Debug)]
pub struct UnitStep<'u> {
    /// The unit.
    pub unit: Unit,
    /// The slices of units before it that this one or later ones capture into.
    pub before: Vec<Slice>,
    later: &'u [Unit],
}

impl UnitStep<'_> {
    /// Whether a later unit captures into a slice.
    pub fn is_kept(&self, slice: Slice) -> bool {
        is_needed(slice, self.later)
    }
}

/// The units that are wanted and those that they rest on, in order.
pub fn units_to_process(units: &[Unit], wanted: &[Unit]) -> Vec<Unit> {
    let mut to_process = Vec::new();
    for unit in units.iter().rev() {
        let is_needed = |slice| is_needed(slice, &to_process);
        if wanted.contains(unit) || unit.slices().any(is_needed) {
            to_process.push(*unit);
        }
    }
    to_process.reverse();
    to_process
}

/// A step for each unit.
pub fn steps(units: &[Unit]) -> impl Iterator<Item = UnitStep<'_>> {
    units.iter().enumerate().map(|(i, unit)| {
        let before = units[..i].iter().flat_map(|unit| unit.slices());
        let before = before.filter(|slice| is_needed(*slice, &units[i..])).collect();
        UnitStep { unit: *unit, before, later: &units[i + 1..] }
    })
}

/// Whether units capture into a slice.
fn is_needed(slice: Slice, units: &[Unit]) -> bool {
    units.iter().any(|unit| unit.captures_into(slice))
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
