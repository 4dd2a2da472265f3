//! The first phase of the vela.
//!
//! The victor may not capture there, and the challenger takes one stone at a time. So the
//! challenger's stones stay, and a unit rests on one smaller slice only: that in which the victor has
//! one stone less and is to move. The units of each number of the challenger's stones are solved one
//! after the other, each by the method that its plan has, and only that slice is kept for the next. At
//! the beginning, and where the method changes, it is loaded from its table.

use fanorona_tablebase::{Result, TableKey};

use super::backend::Solver;
use super::method::Method;
use super::plans::PlannedUnits;
use super::schedule::{is_needed, slices_to_load};
use super::unit_build::{BuildReport, UnitBuild, UnitTables};

/// Builds the missing tables of the units of the first phase, which come in the order of solving. The
/// tables of the second phase must exist.
pub(super) fn build_first_phase(
    build: UnitBuild<'_>,
    planned: &[PlannedUnits],
    units: Vec<UnitTables>,
    report: &mut BuildReport,
) -> Result<()> {
    let context = build.context;
    let missing: Vec<_> =
        units.iter().filter(|unit| unit.is_missing()).map(|unit| unit.unit).collect();
    let mut later = &missing[..];
    let mut last: Option<(Method, Box<dyn Solver>)> = None;
    for (index, tables) in units.into_iter().enumerate() {
        let unit = tables.unit;
        let planned = planned.iter().find(|planned| planned.units.contains(&unit));
        let Some(&PlannedUnits { method, ref plan, .. }) = planned.filter(|_| tables.is_missing())
        else {
            let rank = index % context.processes.count();
            build.read(None, &|_| false, tables, rank, report)?;
            continue;
        };
        later = &later[1..];
        let (_, solver) = match last.take() {
            Some(solver) if solver.0 == method => last.insert(solver),
            _ => last.insert((method, plan.start(context))),
        };
        load(&build, solver.as_mut(), &tables)?;
        build.solve(solver.as_mut(), tables, method, &|slice| is_needed(slice, later), report)?;
    }
    Ok(())
}

/// Loads what a unit needs, and drops the rest.
fn load(
    build: &UnitBuild<'_>,
    solver: &mut dyn Solver,
    UnitTables { unit, tables }: &UnitTables,
) -> Result<()> {
    let TableKey { board, ref rules, metric, .. } = tables[0].0;
    let needed = slices_to_load(board, rules, *unit);
    solver.retain(&|slice| needed.contains(&slice));
    for slice in needed {
        if !solver.has(slice) {
            let key = TableKey::new(board, rules, slice, metric);
            solver.load(key.unit(), &build.open(&key)?, true)?;
        }
    }
    Ok(())
}
