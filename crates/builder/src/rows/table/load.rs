//! Loading a slice from its table, some rows at a time. They go to a store, as if a unit had been solved.
//! Each of several processes reads some of the rows.

use std::ops::Range;

use fanorona_tablebase::format::TableFile;
use fanorona_tablebase::{Code, Result, TableError, check_stop};
use rayon::prelude::*;

use super::graded::GradedRows;
use crate::bits::insert;
use crate::grade_rows::with_grades;
use crate::grades::Grade;
use crate::matrix::Matrix;
use crate::rows::kernel::{SliceContext, SliceRows, decide_rows, due, new_rows};
use crate::rows::store::{DecidedRows, Distances, Frames, KeptSlices, Store};

/// Loads a slice into a store, given those that its captures lead to and its longest distance.
pub(crate) fn load(
    context: &SliceContext<'_, '_>,
    store: &mut Store<'_>,
    solved: &KeptSlices,
    table: &TableFile,
    longest: u16,
) -> Result<()> {
    let (processes, all) = (context.build.processes, context.own.count());
    let some = context.layout.rows_together().max(rayon::current_num_threads());
    let some = processes.max(some as u64)? as usize;
    for first in (0..all).step_by(some * processes.count()) {
        let first_of = |rank: usize| all.min(first + rank * some);
        let rows = first_of(processes.index())..first_of(processes.index() + 1);
        let mut loaded = new_rows(context, solved, rows.len(), longest);
        let result = read_rows(context, solved, table, rows.clone(), &mut loaded);
        let loaded = result.map(|()| match loaded.grades {
            None => {
                let planes = [loaded.win, loaded.loss].map(Matrix::into_data).into();
                DecidedRows { rows, planes, due: Frames::default() }
            }
            Some(grades) => {
                let due = due(store.values.layout(context.slice), &rows, &grades);
                DecidedRows { rows, planes: Vec::new(), due }
            }
        });
        store.put_decided(context.slice, loaded)?;
    }
    if let Some(Distances { due, found }) = store.values.distances.get_mut(&context.slice) {
        std::mem::swap(due, found);
    }
    Ok(())
}

/// Copies the values of a slice that was loaded from index `first` on to `codes`.
pub(crate) fn copy_values(
    context: &SliceContext<'_, '_>,
    store: &Store<'_>,
    first: u64,
    codes: &mut [Code],
) -> Result<()> {
    let (slice, index) = (context.slice, context.index());
    let (opponent, count) = (context.build.orbits(slice.opponent), codes.len() as u64);
    let row_of = |value: u64| (value / index.columns()) as usize;
    let rows = row_of(first)..row_of((first + count).saturating_sub(1)) + 1;
    let mut codes = codes.iter_mut();
    let mut fill = |code: &dyn Fn(usize, usize) -> Code| {
        index.for_each_rank(first, count, |row, rank| {
            let to = codes.next().expect("as many codes as values");
            *to = code(row, opponent.number_of_rank(rank) as usize);
        });
    };
    match context.build.metric.has_distances() {
        false => {
            let planes = store.rows(slice, &|_| rows.clone())?;
            let [win, loss] = planes.map(|plane| Matrix::of(context.layout.words, plane));
            let row = |row| row - rows.start;
            fill(&|at, column| Code::of_bits(win.bit(row(at), column), loss.bit(row(at), column)));
        }
        true => {
            let mut received = None;
            let log = store.log(slice, &|_| rows.clone(), &mut received)?;
            let graded = GradedRows::read(context, rows.clone(), true, log)?;
            fill(&|row, column| graded.code(row - rows.start, column));
        }
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
    let reader = ValueReader { context, table, rows };
    let SliceRows { win, loss, open, grades, .. } = to;
    match grades {
        None => reader.read_values(win, loss, open),
        Some(all) => with_grades!(all, grades => reader.read_grades(grades, open)),
    }
}

/// Reads the values of a table into matrices whose rows are own sets.
struct ValueReader<'r, 'a> {
    context: &'r SliceContext<'r, 'a>,
    table: &'r TableFile,
    rows: Range<usize>,
}

impl ValueReader<'_, '_> {
    /// The number of rows that are read together. Only whole blocks can be decompressed, so short
    /// rows are read many at a time.
    fn rows_at_a_time(&self) -> usize {
        let columns = self.context.index().columns();
        (self.context.build.sizes.loaded / columns).max(1) as usize
    }

    /// Visits the values of some rows that are read together, as row among them, column and value.
    /// Skips values that the table does not store; their positions are not open.
    fn for_each(
        &self,
        some: usize,
        open: &Matrix<u64>,
        mut visit: impl FnMut(usize, usize, Code) -> Result<()>,
    ) -> Result<()> {
        check_stop(self.context.build.stop)?;
        let (index, columns) = (self.context.index(), self.context.opponents());
        let all_stored = self.table.metadata().captures_stored;
        let first_row = self.rows.start + some * self.rows_at_a_time();
        let first = first_row as u64 * index.columns();
        let rows = self.rows_at_a_time().min(self.rows.end - first_row);
        let count = rows as u64 * index.columns();
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
        win: &mut Matrix<u64>,
        loss: &mut Matrix<u64>,
        open: &Matrix<u64>,
    ) -> Result<()> {
        let (rows, words) = (self.rows_at_a_time(), open.width());
        let all = win.par_groups_mut(rows).zip(loss.par_groups_mut(rows)).enumerate();
        all.try_for_each(|(some, (win, loss))| {
            self.for_each(some, open, |row, column, code| {
                let at = 64 * row * words + column;
                match code {
                    Code::WIN => insert(win, at),
                    Code::LOSS => insert(loss, at),
                    _ => {}
                }
                Ok(())
            })?;
            win.chunks_mut(words).for_each(|row| self.context.opponents().fill_duplicates(row));
            loss.chunks_mut(words).for_each(|row| self.context.opponents().fill_duplicates(row));
            Ok(())
        })
    }

    fn read_grades<G: Grade>(&self, grades: &mut Matrix<G>, open: &Matrix<u64>) -> Result<()> {
        let (rows, columns) = (self.rows_at_a_time(), grades.width());
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
