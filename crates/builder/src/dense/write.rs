//! Writing a slice: values in the order of the index.

use std::path::Path;

use fanorona_core::{Position, Side, Stones};
use fanorona_tablebase::format::write_table;
use fanorona_tablebase::{Code, Metric, Result, TableKey};

use super::count;
use super::entries::{Entry, code_of, for_each_batch, for_each_entry};
use super::state::{DenseContext, WorkingSlice};
use super::unit::WorkingUnit;
use crate::backend::{Loaded, Solved};
use crate::context::BuildContext;
use crate::grade_rows::with_grades;
use crate::instructions::compiled;
use crate::progress::report_write_times;
use crate::solved::SolvedSlice;

impl Solved for WorkingUnit<'_, '_> {
    fn write(&self, key: &TableKey, path: &Path) -> Result<()> {
        let BuildContext { progress, metric, .. } = self.solver.context;
        let (slice, rules) = (key.slice, &key.rules);
        // The first slice is that of the stronger side.
        let i = usize::from(slice != self.unit.stronger());
        let context = self.slice_context(slice);
        let zugzwangs = self.zugzwangs[i];
        let from = match metric {
            Metric::Wdl => TableValues::Working(&self.slices[i]),
            Metric::Dtw => TableValues::Solved(&self.solver.solved[&slice]),
        };
        let metadata = self.solver.context.begin_write(key, || match from {
            TableValues::Working(working) => Ok(count::values(&context, working, zugzwangs)),
            TableValues::Solved(solved) => with_grades!(solved.grades(), grades => {
                count::distances(&context, grades.all(), zugzwangs)
            }),
        })?;
        let times = write_table(path, &metadata, |first, codes| {
            copy_values(context.tools.words, &context, from, first, codes);
            if !metadata.captures_stored {
                let mut codes = codes.iter_mut();
                for_each_entry(&context, first, codes.len(), |Entry { own, opponent, .. }| {
                    let code = codes.next().expect("as many codes as entries");
                    let position =
                        Position::from_mover(key.board, Stones { own, opponent }, Side::White);
                    if rules.has_capture(&position.expect("an entry is a position")) {
                        *code = Code::NONE;
                    }
                });
            }
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
        let Self { context, values } = self;
        copy_values(context.tools.words, context, TableValues::Solved(values), first, codes);
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum TableValues<'v> {
    Working(&'v WorkingSlice),
    Solved(&'v SolvedSlice),
}

compiled! {
    /// Copies values from index `first` on to `codes`.
    fn copy_values(
        _words, context: &DenseContext<'_, '_>, from: TableValues<'_>, first: u64, codes: &mut [Code],
    ) {
        let count = codes.len();
        let mut rest = codes;
        for_each_batch(context, first, count, |batch| {
            let (codes, after) = std::mem::take(&mut rest).split_at_mut(batch.len());
            rest = after;
            for (code, entry) in codes.iter_mut().zip(batch) {
                *code = match from {
                    TableValues::Working(working) => working.code(entry),
                    TableValues::Solved(solved) => code_of(context, solved, entry),
                };
            }
        });
    }
}
