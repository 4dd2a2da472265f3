//! The first phase of the vela.
//!
//! The victor may not capture there, and the challenger takes one stone at a time. So the
//! challenger's stones stay, and a unit rests on one smaller slice only: that in which the victor has
//! one stone less and is to move. The units of each number of the challenger's stones are solved one
//! after the other, each by the method that its plan has, and only that slice is kept for the next. At
//! the beginning, and where the method changes, it is loaded from its table.

use super::context::{BuildContext, SliceBuilder};
use super::first_phase_plan::FirstPhasePlan;
use super::methods::new_builder;
use super::options::Method;
use super::rows::ColumnSets;
use super::schedule::{is_needed, slices_to_load};
use super::unit_build::{UnitBuild, UnitPlan};
use super::unit_tables::{BuildReport, UnitTables};
use crate::error::Result;
use crate::format::TableFile;
use crate::key::TableKey;

/// Builds the missing tables of some units of the first phase, which come in the order of solving.
/// The tables of the second phase must exist.
pub(super) fn build_first_phase<'a>(
    build: UnitBuild<'a>,
    columns: &'a ColumnSets<'a>,
    plan: &'a FirstPhasePlan,
    units: Vec<UnitTables>,
    report: &mut BuildReport,
) -> Result<()> {
    let context = BuildContext { plan: &plan.by_rows, ..build.context };
    let build = UnitBuild { context, ..build };
    let is_missing = |unit: &&UnitTables| unit.tables.iter().any(|(_, table)| table.is_none());
    let missing: Vec<_> = units.iter().filter(is_missing).map(|unit| unit.unit).collect();
    let mut builder: Option<(Method, Box<dyn SliceBuilder>)> = None;
    let mut later = &missing[..];
    for (place, tables) in units.into_iter().enumerate() {
        let unit = tables.unit;
        let method = plan.method(unit);
        let is_missing = later.first() == Some(&unit);
        if is_missing {
            later = &later[1..];
        }
        let (_, builder) = match builder.take() {
            Some(last) if last.0 == method || !is_missing => builder.insert(last),
            _ => builder.insert((method, new_builder(method, context, columns))),
        };
        if is_missing {
            load(&build, builder.as_mut(), &tables)?;
        }
        let depends_on = |table: &TableFile| {
            let other = table.metadata().key().unit();
            other != unit && unit.rests_on(other)
        };
        let plan = UnitPlan {
            method,
            is_loaded: false,
            rank: place % context.group.count(),
            is_needed: &|slice| is_needed(slice, later),
            depends_on: &depends_on,
        };
        build.build(builder.as_mut(), tables, &plan, report)?;
    }
    Ok(())
}

/// Loads what a unit needs, and drops the rest.
fn load(
    build: &UnitBuild<'_>,
    builder: &mut dyn SliceBuilder,
    UnitTables { unit, tables }: &UnitTables,
) -> Result<()> {
    let TableKey { board, ref rules, metric, .. } = tables[0].0;
    let needed = slices_to_load(board, rules, *unit);
    builder.retain(&|slice| needed.contains(&slice));
    for slice in needed {
        if !builder.has(slice) {
            let key = TableKey::of(board, rules, slice, metric);
            builder.load(key.unit(), &build.open(&key)?)?;
        }
    }
    Ok(())
}
