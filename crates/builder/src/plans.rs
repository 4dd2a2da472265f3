//! The choice of a method, and the plan of the work by it.

use fanorona_core::Board;
use fanorona_tablebase::{Result, Unit};

use super::backend::Plan;
use super::method::Method;
use super::work::{Step, Work};

/// Some units of one phase, with the method by which they are solved.
pub(super) struct PlannedUnits {
    pub method: Method,
    pub plan: Box<dyn Plan>,
    pub units: Vec<Unit>,
    pub steps: Vec<Step>,
}

impl PlannedUnits {
    /// Plans some work by one method: the given one, if it can do such work. Otherwise the fastest one of
    /// those that can number the positions and for which the available memory is enough. If it is enough
    /// for none, the one that needs the least.
    pub(super) fn new(method: Option<Method>, work: Work<'_>, available: Option<u64>) -> Self {
        let by = |method| Self::by(method, work, available);
        let can = |method: &Method| method.backend().can(work);
        if let Some(method) = method.filter(can) {
            return by(method);
        }
        let able = Method::CHOSEN.into_iter().filter(can).map(by);
        let mut able: Vec<_> = able.filter(|planned| planned.check(work.board).is_ok()).collect();
        able.sort_by(|one, other| one.seconds(work).total_cmp(&other.seconds(work)));
        let least = |planned: &Self| planned.plan.memory().least;
        let fits = |planned: &Self| available.is_none_or(|available| least(planned) <= available);
        let least_of_all = || (0..able.len()).min_by_key(|i| least(&able[*i]));
        match able.iter().position(fits).or_else(least_of_all) {
            Some(found) => able.swap_remove(found),
            None => by(Method::CHOSEN[0]),
        }
    }

    /// Seconds of one thread for what is processed.
    fn seconds(&self, work: Work<'_>) -> f64 {
        let slices = work.to_process.iter().flat_map(|unit| unit.slices());
        slices.map(|slice| self.plan.seconds(slice)).sum()
    }

    fn by(method: Method, work: Work<'_>, available: Option<u64>) -> Self {
        let steps = work.steps();
        let plan = method.backend().plan(work, &steps, available);
        Self { method, plan, units: work.units.to_vec(), steps }
    }

    /// Checks that the method can number the positions of the units.
    pub(super) fn check(&self, board: Board) -> Result<()> {
        let mut slices = self.units.iter().flat_map(|unit| unit.slices());
        slices.try_for_each(|slice| self.method.backend().check(board, slice))
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::RuleSet;

    use super::*;
    use crate::sizes::Sizes;
    use fanorona_tablebase::Metric;

    #[test]
    fn time_decides_and_then_memory() {
        let chosen = |size: &str, stones: u32, available: Option<u64>| {
            let board: Board = size.parse().expect("a board");
            let units: Vec<_> = Unit::up_to(board, stones).collect();
            let (units, rules, metric) = (&units[..], &RuleSet::STANDARD, Metric::Wdl);
            let work = Work {
                board,
                rules,
                metric,
                units,
                to_process: units,
                missing: units,
                processes: 1,
                sizes: &Sizes::USUAL,
            };
            let by = |method| PlannedUnits::new(method, work, available).method;
            assert_eq!(by(Some(Method::Plain)), Method::Plain);
            let least = |method: Method| PlannedUnits::by(method, work, None).plan.memory().least;
            (by(None), least(Method::Rows), least(Method::Dense))
        };
        for (size, stones, expected) in [
            ("9x5", 7, Method::Rows),
            // The sets of 8 points are too many for the dense builder.
            ("9x5", 8, Method::Rows),
            ("7x3", 6, Method::Rows),
            ("7x3", 11, Method::Rows),
            ("7x3", 12, Method::Dense),
            ("7x3", 20, Method::Dense),
            ("5x5", 6, Method::Rows),
            ("5x5", 14, Method::Rows),
            ("5x5", 15, Method::Dense),
            ("5x5", 24, Method::Dense),
        ] {
            assert_eq!(chosen(size, stones, None).0, expected, "{size} to {stones} stones");
        }
        // By rows, much goes to files. On a full board, that takes more memory too.
        let (_, rows, dense) = chosen("5x5", 15, None);
        assert!(rows < dense, "{rows}, {dense}");
        let with = |memory| chosen("5x5", 15, Some(memory)).0;
        assert_eq!((with(dense), with(dense - 1)), (Method::Dense, Method::Rows));
        assert_eq!((with(rows), with(rows - 1)), (Method::Rows, Method::Rows));
        let (_, rows, dense) = chosen("5x5", 24, None);
        assert!(dense < rows, "{rows}, {dense}");
        assert_eq!(chosen("5x5", 24, Some(0)).0, Method::Dense, "it needs the least");
    }
}
