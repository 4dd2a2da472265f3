//! The first phase of the vela.
//!
//! The victor may not capture there, and the challenger takes one stone at a time. So the
//! challenger's stones stay, and a unit rests on one smaller slice only: that in which the victor has
//! one stone less and is to move. The units of each number of the challenger's stones are solved one
//! after the other by the [`plain`](super::plain) builder, and only that slice is kept for the next.

use std::path::Path;

use fanorona_storage::Access;

use super::checkpoint::CheckpointStore;
use super::context::{BuildContext, SliceBuilder};
use super::directory::vanished;
use super::plain::PlainBuilder;
use super::schedule::slices_to_load;
use super::unit_tables::{BuildReport, UnitTables, check};
use crate::error::Result;
use crate::format::TableFile;
use crate::key::TableKey;
use crate::probe::open_table;
use crate::slice::PhaseSlice;

/// Builds the missing tables of some units of the first phase, which come in the order of solving.
/// The tables of the second phase must exist.
pub(super) fn build_first_phase(
    context: BuildContext<'_>,
    dir: &Path,
    units: Vec<UnitTables>,
    report: &mut BuildReport,
) -> Result<()> {
    let mut builder = PlainBuilder::new(context);
    for UnitTables { unit, tables } in units {
        let (key, _) = tables[0];
        let needed = slices_to_load(key.board, &key.rules, unit);
        builder.retain_slices(|slice| needed.contains(&slice));
        let missing = tables.iter().any(|(_, table)| table.is_none());
        if missing {
            for slice in needed {
                if !builder.has(slice) {
                    builder.load(unit, &table_of(dir, &key, slice)?)?;
                }
            }
            let (sums, progress, group) = (&[], context.progress, context.group);
            let mut no_checkpoints =
                CheckpointStore::new(dir, key, "plain", sums, None, progress, group);
            builder.solve(unit, &key.rules, &mut no_checkpoints)?;
        }
        for (key, table) in tables {
            let written = table.is_none();
            let table = match table {
                Some(table) => {
                    if !missing {
                        check(unit, &table, context.progress)?;
                    }
                    table
                }
                None => {
                    builder.write(unit, &key, &dir.join(key.file_name()))?;
                    table_of(dir, &key, key.phase_slice())?
                }
            };
            context.progress.finished(&table, written);
            report.written += usize::from(written);
            report.tables.push(table);
        }
    }
    Ok(())
}

/// The table of a slice of the same game and metric.
fn table_of(dir: &Path, key: &TableKey, slice: PhaseSlice) -> Result<TableFile> {
    let key = TableKey::of(key.board, &key.rules, slice, key.metric);
    open_table(dir, &key, Access::READ)?.ok_or_else(|| vanished(&dir.join(key.file_name())))
}
