//! A unit in work.

use std::sync::atomic::AtomicU8;

use fanorona_core::RuleSet;
use fanorona_tablebase::orbits::choose;
use fanorona_tablebase::{Result, Slice, Unit, Zugzwangs, captures_decide};

use super::plane::Plane;
use super::rounds::{CHECK_LOSSES, CHECK_WINS};
use super::state::{DenseContext, DenseSolver, OwnRows, WorkingSlice};
use crate::checkpoint::{Extent, UnitProgress};
use crate::grade_rows::GradeRows;

/// A unit in work. When it is solved, its tables are written from it.
pub(super) struct WorkingUnit<'s, 'a> {
    pub solver: &'s mut DenseSolver<'a>,
    pub unit: Unit,
    pub rules: RuleSet,
    /// The slices of the unit, in its order.
    pub slices: Vec<WorkingSlice>,
    pub done: UnitProgress,
    /// The frames of the last checkpoint.
    pub saved: Vec<Extent>,
    /// The zugzwangs of each slice, when the unit is solved.
    pub zugzwangs: Vec<Zugzwangs>,
}

impl<'a> WorkingUnit<'_, 'a> {
    pub(super) fn slice_context(&self, slice: Slice) -> DenseContext<'_, 'a> {
        self.solver.slice_context(slice, &self.rules)
    }

    /// A slice, and the one with the sides swapped. They are the same if the unit has only one.
    pub(super) fn with_swapped(&self, i: usize) -> [&WorkingSlice; 2] {
        [i, self.slices.len() - 1 - i].map(|i| &self.slices[i])
    }
}

impl DenseSolver<'_> {
    /// The slices of a unit without any decided position.
    pub(super) fn new_slices(&self, unit: Unit, rules: &RuleSet) -> Result<Vec<WorkingSlice>> {
        let mut slices = Vec::new();
        for slice in unit.slices() {
            let context = self.slice_context(slice, rules);
            let (orbits, words) = (context.rows.count(), context.columns.words());
            let rows = choose(self.tools.board.num_points(), slice.stones()) as usize;
            let grades = match self.context.metric.has_distances() {
                false => None,
                true => {
                    let width = self.width_of(slice, 0, &slices)?;
                    Some(GradeRows::new(orbits, context.columns.count(), width))
                }
            };
            let has_safe = grades.is_none() && !captures_decide(rules);
            let safe = vec![0; if has_safe { orbits * words } else { 0 }];
            slices.push(WorkingSlice {
                win: Plane::new(rows, words),
                loss: Plane::new(rows, words),
                own: OwnRows { undecided: vec![0; orbits * words], safe, grades },
                filters: Vec::new(),
                checks: (0..orbits).map(|_| AtomicU8::new(CHECK_WINS | CHECK_LOSSES)).collect(),
            });
        }
        Ok(slices)
    }
}
