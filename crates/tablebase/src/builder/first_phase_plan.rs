//! How the first phase of the vela is solved: the method of each unit, and the memory.
//!
//! On open boards the builder by rows is much faster. On nearly full ones, most sets of the opponent
//! overlap the own set, and the plain builder is. The dense builder does not know the first phase.

use fanorona_core::Board;

use super::memory::{MemoryPlan, plain_first_phase};
use super::methods::check_numbers;
use super::options::Method;
use super::times::first_phase_seconds;
use super::work::Work;
use crate::error::Result;
use crate::slice::Unit;
use crate::value::Metric;

/// How some units of the first phase are solved.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FirstPhasePlan {
    methods: Vec<(Unit, Method)>,
    /// The memory of the units that are solved by rows.
    pub by_rows: MemoryPlan,
    /// The memory of the plain builder in bytes.
    plain: u64,
}

impl FirstPhasePlan {
    /// A plan for the units that are missing in some work.
    pub(super) fn new(method: Option<Method>, work: Work<'_>, available: Option<u64>) -> Self {
        let Work { board, rules, missing, .. } = work;
        let of_unit = |unit: &Unit| (*unit, method_of(method, work, *unit, available));
        let methods: Vec<_> = missing.iter().map(of_unit).collect();
        let with = |method: Method| -> Vec<Unit> {
            methods.iter().filter(|(_, other)| *other == method).map(|(unit, _)| *unit).collect()
        };
        let units = &with(Method::Rows)[..];
        let by_rows = Work { units, to_process: units, missing: units, ..work };
        let by_rows = MemoryPlan::first_phase(by_rows, available);
        let plain = with(Method::Plain);
        let plain = plain.iter().map(|unit| plain_first_phase(board, rules, *unit));
        Self { by_rows, plain: plain.max().unwrap_or(0), methods }
    }

    /// The method of a unit. The plain one if the unit is not missing.
    pub(super) fn method(&self, unit: Unit) -> Method {
        let found = self.methods.iter().find(|(other, _)| *other == unit);
        found.map_or(Method::Plain, |(_, method)| *method)
    }

    /// The memory in bytes: what the build takes, the least, and the most.
    pub(super) fn memory(&self) -> [u64; 3] {
        let MemoryPlan { needed, least, most, .. } = self.by_rows;
        [needed, least, most].map(|bytes| bytes.max(self.plain))
    }

    /// Checks that the methods can number the positions.
    ///
    /// # Errors
    /// [`TableError::TooLarge`](crate::TableError::TooLarge) if not.
    pub(super) fn check_numbers(&self, board: Board) -> Result<()> {
        let mut methods = self.methods.iter();
        methods.try_for_each(|(unit, method)| check_numbers(*method, board, unit.slices()))
    }
}

/// The method of a unit: the given one if it knows the first phase. Otherwise the faster one of those
/// that can number the positions and for which the available memory is enough; if it is enough for
/// none, the one that needs the least.
fn method_of(method: Option<Method>, work: Work<'_>, unit: Unit, available: Option<u64>) -> Method {
    let Work { board, rules, metric, ranks, .. } = work;
    if ranks > 1 {
        return Method::Rows;
    }
    if let Some(method) = method.filter(|method| *method != Method::Dense) {
        return method;
    }
    if check_numbers(Method::Rows, board, unit.slices()).is_err() {
        return Method::Plain;
    }
    let units = &[unit];
    let least = |method: Method| match method {
        Method::Plain => plain_first_phase(board, rules, unit),
        _ => {
            MemoryPlan::first_phase(
                Work { units, to_process: units, missing: units, ..work },
                Some(0),
            )
            .least
        }
    };
    let fits = |method: Method| available.is_none_or(|available| least(method) <= available);
    let (rows, plain) = (Method::Rows, Method::Plain);
    let is_faster = seconds(rows, metric, board, unit) <= seconds(plain, metric, board, unit);
    match (fits(rows), fits(plain)) {
        (true, true) if is_faster => rows,
        (true, true) => plain,
        (true, false) => rows,
        (false, true) => plain,
        (false, false) if least(rows) <= least(plain) => rows,
        (false, false) => plain,
    }
}

fn seconds(method: Method, metric: Metric, board: Board, unit: Unit) -> f64 {
    unit.slices().map(|slice| first_phase_seconds(method, metric, board, slice)).sum()
}
