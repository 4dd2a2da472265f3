//! Writing a slice: counts its values, and puts them in the order of the index.

use std::path::Path;

use fanorona_core::{RuleSet, Stones};
use fanorona_tablebase::format::{Statistics, write_table};
use fanorona_tablebase::{Code, Metric, Result, TableKey, Zugzwangs};
use rayon::prelude::*;

use super::entries::{BATCH, list_positions, lowest_index};
use super::state::{DenseContext, WorkingSlice};
use super::unit::WorkingUnit;
use crate::backend::{Loaded, Solved};
use crate::context::BuildContext;
use crate::count::{add_code, of_codes, of_values, sum};
use crate::grade_rows::with_grades;
use crate::grades::Grade;
use crate::instructions::compiled;
use crate::progress::report_write_times;
use crate::solved::SolvedSlice;

impl Solved for WorkingUnit<'_, '_> {
    fn write(&self, key: &TableKey, path: &Path) -> Result<()> {
        let BuildContext { progress, metric, .. } = self.solver.context;
        // The first slice is that of the stronger side.
        let i = usize::from(key.slice != self.unit.stronger());
        let (context, zugzwangs) = (self.slice_context(key.slice), self.zugzwangs[i]);
        let from = match metric.has_distances() {
            false => TableValues::Working(&self.slices[i]),
            true => TableValues::Solved(&self.solver.solved[&key.slice]),
        };
        let metadata = context.build.begin_write(key, || match from {
            TableValues::Working(working) => Ok(count_values(&context, working, zugzwangs)),
            TableValues::Solved(solved) => with_grades!(solved.grades(), grades => {
                count_distances(&context, grades.all(), zugzwangs)
            }),
        })?;
        let without = (!metadata.captures_stored).then_some(&key.rules);
        let times = write_table(path, &metadata, |first, codes| {
            copy_values(context.tools.words, &context, from, without, first, codes);
            progress.advance(codes.len() as u64);
            Ok(())
        })?;
        report_write_times(progress, self.unit, times);
        Ok(())
    }
}

pub(super) struct DenseSlice<'s, 'a> {
    pub context: DenseContext<'s, 'a>,
    pub values: &'s SolvedSlice,
}

impl Loaded for DenseSlice<'_, '_> {
    fn values(&self, first: u64, codes: &mut [Code]) -> Result<()> {
        let (context, from) = (&self.context, TableValues::Solved(self.values));
        copy_values(context.tools.words, context, from, None, first, codes);
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum TableValues<'v> {
    /// A slice without distances that is still in work.
    Working(&'v WorkingSlice),
    Solved(&'v SolvedSlice),
}

compiled! {
    /// Copies values from index `first` on to `codes`, with rules only those of positions without a
    /// capture.
    fn copy_values(
        _words,
        context: &DenseContext<'_, '_>,
        from: TableValues<'_>,
        without: Option<&RuleSet>,
        first: u64,
        codes: &mut [Code],
    ) {
        for (i, codes) in codes.chunks_mut(BATCH).enumerate() {
            let batch = list_positions(context, first + (i * BATCH) as u64, codes.len());
            for (code, stones) in codes.iter_mut().zip(&batch) {
                let is_left_out = without.is_some_and(|rules| context.has_capture(rules, *stones));
                *code = if is_left_out { Code::NONE } else { Code::DRAW };
            }
            for (code, stones) in codes.iter_mut().zip(batch) {
                if *code != Code::NONE {
                    *code = from.code(context, stones);
                }
            }
        }
    }
}

impl TableValues<'_> {
    #[inline(always)]
    fn code(self, context: &DenseContext<'_, '_>, stones: Stones) -> Code {
        let solved = match self {
            Self::Working(WorkingSlice { win, loss, .. }) => {
                let occupied = stones.occupied();
                let row = context.row_of(occupied);
                let column = context.opponents_column(occupied, stones.opponent);
                return Code::of_bits(win.bit(row, column), loss.bit(row, column));
            }
            Self::Solved(solved) => solved,
        };
        let (orbit, column) = context.place_of(stones);
        match solved {
            SolvedSlice::Values { win, loss } => {
                Code::of_bits(win.bit(orbit, column), loss.bit(orbit, column))
            }
            SolvedSlice::Distances { grades, .. } => {
                grades.code(orbit, context.columns.of_other_side(column))
            }
        }
    }
}

/// Counts values without distances, whole words of positions at a time.
fn count_values(
    context: &DenseContext<'_, '_>,
    WorkingSlice { win, loss, .. }: &WorkingSlice,
    zugzwangs: Zugzwangs,
) -> Statistics {
    let count = |orbit: usize| {
        let row = context.row_of(context.rows.representative(orbit));
        let images = u64::from(context.rows.size(orbit));
        [win, loss].map(|plane| images * plane.count(row))
    };
    let add = |[win, loss]: [u64; 2], [more, less]: [u64; 2]| [win + more, loss + less];
    let orbits = (0..context.rows.count()).into_par_iter();
    of_values(&context.index(), orbits.map(count).reduce(|| [0; 2], add), zugzwangs)
}

fn count_distances<G: Grade>(
    context: &DenseContext<'_, '_>,
    grades: &[G],
    zugzwangs: Zugzwangs,
) -> Result<Statistics> {
    let columns = context.columns.count();
    let count = |mut codes: Vec<u64>, (orbit, row): (usize, &[G])| {
        let images = context.rows.size(orbit);
        row.iter().for_each(|grade| add_code(&mut codes, grade.to_code(), images));
        codes
    };
    let rows = || grades.par_chunks(columns).enumerate().with_min_len(64);
    let codes = rows().fold(Vec::new, count).reduce(Vec::new, sum);

    let first = |code| {
        let grade = G::of_code(code).expect("it was counted");
        let first = rows().filter_map(|(orbit, row)| {
            let with_grade = (0..).zip(row).filter(|(_, found)| **found == grade);
            let index_of =
                |(column, _)| lowest_index(context, u64::MAX, context.stones(orbit, column));
            with_grade.filter_map(index_of).min()
        });
        Ok(first.min().expect("it was counted"))
    };
    of_codes(&context.index(), Metric::Dtw, &codes, zugzwangs, first)
}
