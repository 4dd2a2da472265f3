//! Loading a slice from its table.

use std::ops::Range;

use rayon::prelude::*;

use crate::builder::context::{BuildContext, check_distances};
use crate::builder::grades::Grade;
use crate::builder::progress::Phase;
use crate::builder::rows::kernel::columns::Columns;
use crate::builder::rows::state::RowsBuilder;
use crate::builder::rows::store::grades::Grades;
use crate::builder::rows::store::matrix::BitMatrix;
use crate::builder::rows::store::slices::{GradeRows, SliceRows};
use crate::error::{Result, TableError};
use crate::format::TableFile;
use crate::slice::{PhaseSlice, Unit};
use crate::stop::check_stop;
use crate::value::Code;

/// The number of values that a thread reads from a table at a time, if rows are short. Small in
/// this crate's tests, so that small tables are read in many parts.
const LOADED_TOGETHER: u64 = if cfg!(test) { 1 << 6 } else { 1 << 18 };

impl RowsBuilder<'_> {
    /// Loads a slice's values from its table. Each of several processes reads some rows.
    pub(crate) fn load_slice(&mut self, unit: Unit, table: &TableFile) -> Result<()> {
        let metadata = table.metadata();
        let (slice, rules) = (metadata.key().phase_slice(), metadata.rules);
        self.working = None;
        self.loaded = None;
        let longest = check_distances(table)?;
        // Values that are not stored are recomputed.
        let passes = if metadata.captures_stored { 1 } else { 2 };
        let entries = self.context.index(slice.slice).len();
        self.context.progress.begin(unit, Phase::Load, passes * entries);
        let rows = self.rows_loaded(slice, self.context.group.rank());
        let mut loaded =
            self.new_rows(slice, &rules, rows.len(), self.width_of(slice, &rules, longest));
        let result = self.read_rows(table, rows, &mut loaded);
        self.context.group.agree(result)?;
        self.keep_loaded(slice, loaded)
    }

    /// Reads some rows of a slice from its table.
    fn read_rows(&self, table: &TableFile, rows: Range<usize>, to: &mut SliceRows) -> Result<()> {
        let metadata = table.metadata();
        let (slice, rules) = (metadata.key().phase_slice(), metadata.rules);
        if !metadata.captures_stored {
            self.decide_rows(slice, &rules, to, rows.clone())?;
        }
        let columns = self.find_columns(slice.opponent());
        let reader = Reader { context: &self.context, table, columns, rows };
        let SliceRows { win, loss, open, grades, .. } = to;
        match grades {
            None => reader.read_values(win, loss, open),
            Some(GradeRows::Narrow(grades)) => reader.read_grades(grades, open),
            Some(GradeRows::Wide(grades)) => reader.read_grades(grades, open),
        }
    }

    /// Copies the values from index `first` on to `codes`, for the slice that was loaded last.
    pub(crate) fn loaded_codes(&self, slice: PhaseSlice, first: u64, codes: &mut [Code]) {
        let (loaded, rows) = self.loaded.as_ref().expect("a slice was loaded");
        assert_eq!(*loaded, slice, "the slice was loaded last");
        let opponent = self.context.orbits(slice.opponent());
        let mut places = codes.iter_mut();
        let index = self.context.index(slice.slice);
        index.for_each_rank(first, places.len() as u64, |row, rank| {
            let place = places.next().expect("as many places as values");
            *place = rows.code(row, opponent.number_of_rank(rank) as usize);
        });
    }
}

/// Reads the values of a table into matrices whose rows are own sets.
struct Reader<'r, 'a> {
    context: &'r BuildContext<'a>,
    table: &'r TableFile,
    /// The columns of the matrices.
    columns: &'r Columns<'a>,
    rows: Range<usize>,
}

impl Reader<'_, '_> {
    /// The number of rows that are read together. Only whole blocks can be decompressed, so short
    /// rows are read many at a time.
    fn rows_together(&self) -> usize {
        let columns = self.context.index(self.table.metadata().slice).columns();
        (LOADED_TOGETHER / columns).max(1) as usize
    }

    /// Visits the values of a group of rows, as row in the group, column and value. Skips values
    /// that the table does not store; their positions are not open.
    fn for_each(
        &self,
        group: usize,
        open: &BitMatrix,
        mut visit: impl FnMut(usize, usize, Code) -> Result<()>,
    ) -> Result<()> {
        check_stop(self.context.stop)?;
        let metadata = self.table.metadata();
        let (slice, all_stored) = (metadata.slice, metadata.captures_stored);
        let (index, opponent) = (self.context.index(slice), self.context.orbits(slice.opponent));
        let first_row = self.rows.start + group * self.rows_together();
        let first = first_row as u64 * index.columns();
        let together = self.rows_together() as u64 * index.columns();
        // Matrices have more rows than orbits, to fill the words of their transposed matrices.
        let end = self.rows.end as u64 * index.columns();
        let count = together.min(end.saturating_sub(first));
        if count == 0 {
            return Ok(());
        }
        let mut codes = self.table.codes(first, count)?.into_iter();
        let mut result = Ok(());
        index.for_each_rank(first, count, |row, rank| {
            let column = opponent.number_of_rank(rank) as usize;
            let code = codes.next().expect("as many values as places");
            if result.is_ok() && (all_stored || open.bit(row - self.rows.start, column)) {
                result = visit(row - first_row, column, code);
            }
        });
        self.context.progress.advance(count);
        result
    }

    fn read_values(
        &self,
        win: &mut BitMatrix,
        loss: &mut BitMatrix,
        open: &BitMatrix,
    ) -> Result<()> {
        let (rows, words) = (self.rows_together(), open.words());
        let groups = win.par_groups_mut(rows).zip(loss.par_groups_mut(rows)).enumerate();
        groups.try_for_each(|(group, (win, loss))| {
            self.for_each(group, open, |row, column, code| {
                let place = row * words + column / 64;
                match code {
                    Code::WIN => win[place] |= 1 << (column % 64),
                    Code::LOSS => loss[place] |= 1 << (column % 64),
                    _ => {}
                }
                Ok(())
            })?;
            win.chunks_mut(words).for_each(|row| self.columns.fill_duplicates(row));
            loss.chunks_mut(words).for_each(|row| self.columns.fill_duplicates(row));
            Ok(())
        })
    }

    fn read_grades<G: Grade>(&self, grades: &mut Grades<G>, open: &BitMatrix) -> Result<()> {
        let (rows, columns) = (self.rows_together(), grades.columns());
        let slice = self.table.metadata().slice;
        grades.par_groups_mut(rows).enumerate().try_for_each(|(group, grades)| {
            self.for_each(group, open, |row, column, code| {
                let limit = G::MAX_DISTANCE;
                let grade = G::of_code(code).ok_or(TableError::TooFar { slice, limit })?;
                grades[row * columns + column] = grade;
                Ok(())
            })?;
            grades.chunks_mut(columns).for_each(|row| self.columns.copy_duplicates(row));
            Ok(())
        })
    }
}
