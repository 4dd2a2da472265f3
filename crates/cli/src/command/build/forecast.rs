//! The time left of a whole build.

use std::time::Duration;

use fanorona_builder::Estimate;
use fanorona_tablebase::Unit;

/// The speed of the machine is not measured on less than this, in seconds.
const TOO_SHORT: f64 = 1.0;

/// Estimates the time left from the times of the finished units: if they took twice as long as
/// expected, so will the others. Times count from the beginning of the build.
#[derive(Debug, Default)]
pub(super) struct Forecast {
    /// The units to solve, in their order, with the expected seconds of each.
    units: Vec<(Unit, f64)>,
    /// The index of the unit being solved, and when that began. None while a unit is loaded.
    current: Option<(usize, Duration)>,
    /// Units before this index are solved.
    next: usize,
    /// Their expected seconds.
    expected: f64,
    /// The seconds that they took.
    taken: f64,
}

impl Forecast {
    /// The forecast at the beginning of a build.
    pub(super) fn new(estimate: &Estimate) -> Self {
        let mut units: Vec<(Unit, f64)> = Vec::new();
        for slice in estimate.slices.iter().filter(|slice| !slice.there) {
            match units.last_mut() {
                Some((unit, sum)) if *unit == slice.unit => *sum += slice.seconds,
                _ => units.push((slice.unit, slice.seconds)),
            }
        }
        Self { units, ..Self::default() }
    }

    /// A phase of a unit begins.
    pub(super) fn begin(&mut self, unit: Unit, now: Duration) {
        if self.current.is_some_and(|(index, _)| self.units[index].0 == unit) {
            return;
        }
        if let Some((index, since)) = self.current.take() {
            self.expected += self.units[index].1;
            self.taken += now.saturating_sub(since).as_secs_f64();
        }
        if let Some(index) = self.units.iter().position(|(planned, _)| *planned == unit) {
            self.current = Some((index, now));
            self.next = index + 1;
        }
    }

    /// The seconds until the end; `None` if nothing has to be solved.
    pub(super) fn seconds_left(&self, now: Duration) -> Option<f64> {
        let later: f64 = self.units[self.next..].iter().map(|(_, seconds)| seconds).sum();
        let (current, spent) = match self.current {
            Some((index, since)) => (self.units[index].1, now.saturating_sub(since).as_secs_f64()),
            None => (0.0, 0.0),
        };
        if self.units.is_empty() {
            return None;
        }
        let known = if self.taken >= TOO_SHORT { self.taken / self.expected } else { 1.0 };
        // A unit that already took longer than expected shows that the machine is slower.
        let is_slower = spent > current * known && self.taken + spent >= TOO_SHORT;
        let slowness =
            if is_slower { (self.taken + spent) / (self.expected + current) } else { known };
        Some(((current + later) * slowness - spent).max(later * slowness))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona_builder::{BuildOptions, estimate};
    use fanorona_core::{Board, RuleSet};
    use fanorona_tablebase::Metric;

    #[test]
    fn the_forecast_learns_from_units_that_are_done() {
        let dir = tempfile::tempdir().expect("a directory");
        let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
        let options = BuildOptions::new(dir.path(), board, rules, 6).with_metric(Metric::Wdl);
        let estimate = estimate(&options).expect("it can be estimated");
        let mut forecast = Forecast::new(&estimate);
        let units = forecast.units.clone();
        assert_eq!(units.len(), 9, "1v1, 2v1, 2v2, 3v1, 3v2, 4v1, 3v3, 4v2, 5v1");
        let left = |forecast: &Forecast, now| forecast.seconds_left(now).expect("there are units");
        let close = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + b);

        // At the beginning it is the estimate; loading other units changes nothing.
        assert!(close(left(&forecast, Duration::ZERO), estimate.seconds));
        // Each unit takes a thousand times what was expected.
        let mut now = Duration::ZERO;
        let mut rest = 1000.0 * estimate.seconds;
        for (i, (unit, seconds)) in units.iter().enumerate() {
            forecast.begin(*unit, now);
            if i >= 4 {
                let found = left(&forecast, now);
                assert!(close(found, rest), "{unit}: {found} of {rest}");
            }
            let half = Duration::from_secs_f64(500.0 * seconds);
            forecast.begin(*unit, now + half);
            if i >= 4 {
                assert!(close(left(&forecast, now + half), rest - 500.0 * seconds));
            }
            now += 2 * half;
            rest -= 1000.0 * seconds;
        }
        assert!(left(&forecast, now) < 1e-3 * estimate.seconds * 1000.0);
    }

    #[test]
    fn a_slow_unit_is_noticed_while_it_is_at_work() {
        let unit = |slice: &str| Unit::of(slice.parse().expect("a slice"));
        let units = vec![(unit("2v1"), 10.0), (unit("2v2"), 100.0)];
        let mut forecast = Forecast { units, ..Forecast::default() };
        forecast.begin(unit("2v1"), Duration::ZERO);
        assert_eq!(forecast.seconds_left(Duration::from_secs(5)), Some(105.0));
        assert_eq!(forecast.seconds_left(Duration::from_secs(20)), Some(200.0));
        forecast.begin(unit("2v2"), Duration::from_secs(20));
        assert_eq!(forecast.seconds_left(Duration::from_secs(120)), Some(100.0));
        // A tenth of a second says nothing, though the unit should take a millionth of one.
        let units = vec![(unit("1v1"), 1e-6), (unit("2v2"), 100.0)];
        let mut forecast = Forecast { units, ..Forecast::default() };
        forecast.begin(unit("1v1"), Duration::ZERO);
        assert_eq!(forecast.seconds_left(Duration::from_millis(100)), Some(100.0));
        assert_eq!(Forecast::default().seconds_left(Duration::ZERO), None);
    }

    #[test]
    fn the_first_moments_say_nothing_about_the_machine() {
        let unit = |slice: &str| Unit::of(slice.parse().expect("a slice"));
        let units = vec![(unit("1v1"), 0.001), (unit("2v1"), 10.0)];
        let mut forecast = Forecast { units, ..Forecast::default() };
        forecast.begin(unit("1v1"), Duration::ZERO);
        let left = forecast.seconds_left(Duration::from_millis(500)).expect("there are units");
        assert!((left - 10.0).abs() < 0.01, "{left}");
    }
}
