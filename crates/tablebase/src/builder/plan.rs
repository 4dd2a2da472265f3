//! Which builder solves which units, and the memory of a build.

use fanorona_core::{Board, RuleSet};

use super::dense::{DenseMemory, check_dense_size, is_cheaper_dense};
use super::memory::MemoryPlan;
use super::options::Method;
use super::schedule::units_to_process;
use crate::error::Result;
use crate::slice::Unit;
use crate::value::Metric;

/// Which builder solves which units, and the memory of the build in bytes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BuildPlan {
    /// The method of the first units: by rows, or plain.
    pub first: Method,
    /// The number of units that it solves. The dense builder solves the others.
    pub dense_from: usize,
    /// The memory of the first units.
    pub memory: MemoryPlan,
    /// What the build takes: as much of the available memory as makes it faster, or the least
    /// memory if that is not available.
    pub needed: u64,
    /// The least memory with which it works.
    pub least: u64,
    /// The memory with which it is fastest.
    pub most: u64,
}

/// What a plan is for.
#[derive(Clone, Copy)]
pub(super) struct PlanInput<'p> {
    pub board: Board,
    pub rules: &'p RuleSet,
    /// The units of the goal, in the order of solving.
    pub units: &'p [Unit],
    /// Those with a missing table.
    pub missing: &'p [Unit],
    pub metric: Metric,
    /// The available memory; `None` if unknown.
    pub available: Option<u64>,
}

impl BuildPlan {
    /// Plans a build.
    ///
    /// # Errors
    /// [`TableError::TooLarge`](crate::TableError::TooLarge) if the method cannot number the sets of
    /// stones.
    pub(super) fn new(input: PlanInput<'_>, method: Method) -> Result<Self> {
        Ok(match method {
            Method::Rows | Method::Plain => Self::switching_at(input, method, input.units.len()),
            Method::Dense => {
                input.units.iter().try_for_each(|unit| check_dense_size(input.board, *unit))?;
                Self::switching_at(input, Method::Rows, 0)
            }
            Method::Auto => Self::automatic(input),
        })
    }

    /// Uses the dense builder from the first unit on where it is cheaper. If the memory is not
    /// enough for that, uses it from an earlier unit on, if that helps.
    fn automatic(input: PlanInput<'_>) -> Self {
        let all = input.units.len();
        let can_be_dense = |unit: &&Unit| check_dense_size(input.board, **unit).is_ok();
        let first = all - input.units.iter().rev().take_while(can_be_dense).count();
        let is_dense = |at: &usize| is_cheaper_dense(input.board, input.units[*at]);
        let cheapest = (first..all).find(is_dense).unwrap_or(all);
        let plan = Self::switching_at(input, Method::Rows, cheapest);
        match input.available {
            Some(available) if plan.least > available => {
                let earlier = (first..cheapest).rev();
                let mut plans = earlier.map(|at| Self::switching_at(input, Method::Rows, at));
                plans.find(|plan| plan.least <= available).unwrap_or(plan)
            }
            _ => plan,
        }
    }

    /// The first units by one method, and the others by the dense builder.
    fn switching_at(input: PlanInput<'_>, first: Method, dense_from: usize) -> Self {
        let PlanInput { board, rules, units, missing, metric, available } = input;
        let (before, _) = units.split_at(dense_from);
        let is_before = |unit: &Unit| before.contains(unit);
        let (missing_before, missing_after): (Vec<Unit>, Vec<Unit>) =
            missing.iter().partition(|unit| is_before(unit));
        let to_process = units_to_process(before, &missing_before);
        let memory = MemoryPlan::new(board, rules, before, &to_process, first, metric, available);
        let MemoryPlan { needed, least, most, .. } = memory;
        let mut plan = Self { first, dense_from, needed, least, most, memory };
        if dense_from < units.len() {
            let dense = DenseMemory::new(board, &missing_after, metric, available);
            plan.needed = plan.needed.max(dense.needed);
            plan.least = plan.least.max(dense.least);
            plan.most = plan.most.max(dense.most);
        }
        plan
    }

    /// The method that solves a unit of the goal, by its number.
    pub(super) fn method(&self, unit: usize) -> Method {
        if unit < self.dense_from { self.first } else { Method::Dense }
    }
}

/// The method for loading the slices of some units.
///
/// # Errors
/// [`TableError::TooLarge`](crate::TableError::TooLarge) if the method cannot number the sets of
/// stones.
pub(super) fn method_to_load(method: Method, board: Board, units: &[Unit]) -> Result<Method> {
    let can_be_dense = || units.iter().try_for_each(|unit| check_dense_size(board, *unit));
    match method {
        Method::Auto => {
            let is_dense = units.last().is_some_and(|unit| is_cheaper_dense(board, *unit));
            Ok(if is_dense && can_be_dense().is_ok() { Method::Dense } else { Method::Rows })
        }
        Method::Dense => can_be_dense().map(|()| method),
        Method::Rows | Method::Plain => Ok(method),
    }
}
