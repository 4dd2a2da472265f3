//! Loading a slice from its table. Each of several processes reads some rows. Values without distances
//! go to a store, as if captures had decided them, so that rows are read a few at a time.

use std::ops::Range;

use rayon::prelude::*;

use crate::builder::context::{BuildContext, LOADED_TOGETHER};
use crate::builder::grade_rows::{Grades, with_grades};
use crate::builder::grades::Grade;
use crate::builder::ranks::share;
use crate::builder::rows::kernel::{SliceContext, SliceRows, decide_rows, new_rows};
use crate::builder::rows::memory::rows_together;
use crate::builder::rows::store::{BitMatrix, DecidedRows, Frames, KeptSlices, Store};
use crate::error::{Result, TableError};
use crate::format::TableFile;
use crate::stop::check_stop;
use crate::value::{Code, Metric};

/// The values of a slice that was loaded.
pub(crate) enum LoadedRows<'a> {
    /// Without distances.
    Values(Box<dyn Store + 'a>),
    /// The rows that this process has read.
    Distances(SliceRows),
}

/// Loads a slice, given those that its captures lead to and its longest distance.
pub(crate) fn load<'a>(
    context: &SliceContext<'_, '_>,
    mut store: Box<dyn Store + 'a>,
    solved: &KeptSlices,
    table: &TableFile,
    longest: u16,
) -> Result<LoadedRows<'a>> {
    let BuildContext { metric, processes, .. } = context.build;
    if metric == Metric::Wdl {
        load_values(context, solved, table, &mut *store)?;
        return Ok(LoadedRows::Values(store));
    }
    let rows = rows_loaded(context, processes.rank());
    let mut loaded = new_rows(context, solved, rows.len(), longest);
    processes.agree(read_rows(context, solved, table, rows, &mut loaded))?;
    Ok(LoadedRows::Distances(loaded))
}

/// The rows of a slice that a process loads: whole words of the transposed matrix.
pub(crate) fn rows_loaded(context: &SliceContext<'_, '_>, rank: usize) -> Range<usize> {
    let (all, cells) = (context.own.count(), context.cells.per_word());
    let Range { start, end } = share(all.div_ceil(cells), rank, context.build.processes.count());
    all.min(start * cells)..all.min(end * cells)
}

/// Loads the values of a slice, some rows at a time.
fn load_values(
    context: &SliceContext<'_, '_>,
    solved: &KeptSlices,
    table: &TableFile,
    store: &mut dyn Store,
) -> Result<()> {
    let (processes, all) = (context.build.processes, context.own.count());
    let words = context.layout.words();
    let some = rows_together(words as u64).max(rayon::current_num_threads() as u64);
    let some = processes.max(some)? as usize;
    for first in (0..all).step_by(some * processes.count()) {
        let first_of = |rank: usize| all.min(first + rank * some);
        let rows = first_of(processes.rank())..first_of(processes.rank() + 1);
        let mut loaded = new_rows(context, solved, rows.len(), 0);
        let result = read_rows(context, solved, table, rows.clone(), &mut loaded);
        let decided = result.map(|()| {
            let mut planes = [loaded.win, loaded.loss].map(BitMatrix::into_data);
            planes.iter_mut().for_each(|plane| plane.truncate(rows.len() * words));
            DecidedRows { rows, planes: planes.into(), due: Frames::default() }
        });
        store.put_decided(context.slice, decided)?;
    }
    Ok(())
}

/// Reads some rows of a slice from its table.
fn read_rows(
    context: &SliceContext<'_, '_>,
    solved: &KeptSlices,
    table: &TableFile,
    rows: Range<usize>,
    to: &mut SliceRows,
) -> Result<()> {
    // Values that are not stored are recomputed.
    if !table.metadata().captures_stored {
        decide_rows(context, solved, to, rows.clone())?;
    }
    let reader = Reader { context, table, rows };
    let SliceRows { win, loss, open, grades, .. } = to;
    match grades {
        None => reader.read_values(win, loss, open),
        Some(all) => with_grades!(all, grades => reader.read_grades(grades, open)),
    }
}

/// Reads the values of a table into matrices whose rows are own sets.
struct Reader<'r, 'a> {
    context: &'r SliceContext<'r, 'a>,
    table: &'r TableFile,
    rows: Range<usize>,
}

impl Reader<'_, '_> {
    /// The number of rows that are read together. Only whole blocks can be decompressed, so short
    /// rows are read many at a time.
    fn rows_at_a_time(&self) -> usize {
        let columns = self.context.index().columns();
        (LOADED_TOGETHER / columns).max(1) as usize
    }

    /// Visits the values of some rows that are read together, as row among them, column and value.
    /// Skips values that the table does not store; their positions are not open.
    fn for_each(
        &self,
        some: usize,
        open: &BitMatrix,
        mut visit: impl FnMut(usize, usize, Code) -> Result<()>,
    ) -> Result<()> {
        check_stop(self.context.build.stop)?;
        let (index, columns) = (self.context.index(), self.context.opponents());
        let all_stored = self.table.metadata().captures_stored;
        let first_row = self.rows.start + some * self.rows_at_a_time();
        let first = first_row as u64 * index.columns();
        let most = self.rows_at_a_time() as u64 * index.columns();
        // Matrices have more rows than orbits, to fill the words of their transposed matrices.
        let end = self.rows.end as u64 * index.columns();
        let count = most.min(end.saturating_sub(first));
        if count == 0 {
            return Ok(());
        }
        let mut codes = self.table.codes(first, count)?.into_iter();
        let mut result = Ok(());
        index.for_each_rank(first, count, |row, rank| {
            let column = columns.of_rank(rank as usize);
            let code = codes.next().expect("as many values as positions");
            if result.is_ok() && (all_stored || open.bit(row - self.rows.start, column)) {
                result = visit(row - first_row, column, code);
            }
        });
        self.context.build.progress.advance(count);
        result
    }

    fn read_values(
        &self,
        win: &mut BitMatrix,
        loss: &mut BitMatrix,
        open: &BitMatrix,
    ) -> Result<()> {
        let (rows, words) = (self.rows_at_a_time(), open.words());
        let all = win.par_groups_mut(rows).zip(loss.par_groups_mut(rows)).enumerate();
        all.try_for_each(|(some, (win, loss))| {
            self.for_each(some, open, |row, column, code| {
                let word = row * words + column / 64;
                match code {
                    Code::WIN => win[word] |= 1 << (column % 64),
                    Code::LOSS => loss[word] |= 1 << (column % 64),
                    _ => {}
                }
                Ok(())
            })?;
            win.chunks_mut(words).for_each(|row| self.context.opponents().fill_duplicates(row));
            loss.chunks_mut(words).for_each(|row| self.context.opponents().fill_duplicates(row));
            Ok(())
        })
    }

    fn read_grades<G: Grade>(&self, grades: &mut Grades<G>, open: &BitMatrix) -> Result<()> {
        let (rows, columns) = (self.rows_at_a_time(), grades.columns());
        let slice = self.table.metadata().slice;
        grades.par_groups_mut(rows).enumerate().try_for_each(|(some, grades)| {
            self.for_each(some, open, |row, column, code| {
                let limit = G::MAX_DISTANCE;
                let grade = G::of_code(code).ok_or(TableError::TooFar { slice, limit })?;
                grades[row * columns + column] = grade;
                Ok(())
            })?;
            grades
                .chunks_mut(columns)
                .for_each(|row| self.context.opponents().copy_duplicates(row));
            Ok(())
        })
    }
}
