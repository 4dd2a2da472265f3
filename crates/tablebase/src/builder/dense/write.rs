//! Writing a slice: values in the order of the index.

use std::path::Path;

use fanorona_core::{Position, RuleSet, Side, Stones};

use super::bits::Job;
use super::count;
use super::entries::{Entry, for_each_batch, for_each_entry};
use super::state::{DenseBuilder, SliceContext, SolvedSlice, WorkingSlice};
use crate::builder::context::new_metadata;
use crate::builder::progress::{Part, Phase, report_write_times};
use crate::clock::Stopwatch;
use crate::error::Result;
use crate::format::write_table;
use crate::key::TableKey;
use crate::slice::{Slice, Unit};
use crate::value::{Code, Metric};

impl DenseBuilder<'_> {
    /// Writes the table of a slice of the unit that was solved last.
    pub(super) fn write_slice(&self, unit: Unit, key: &TableKey, path: &Path) -> Result<()> {
        let (slice, rules) = (key.slice, &key.rules);
        let context = self.slice_context(slice, rules);
        let index = context.index();
        self.context.progress.begin(unit, Phase::Write, index.len());
        let watch = Stopwatch::start();
        let zugzwangs = self.zugzwangs[&slice];
        let statistics = match self.context.metric {
            Metric::Wdl => count::values(&context, &self.working[&slice], zugzwangs),
            Metric::Dtw => count::distances(&context, &self.solved[&slice], zugzwangs),
        };
        self.context.progress.spent(unit, Part::Count, watch.read());
        let metadata = new_metadata(key, index.len(), statistics);
        let times = write_table(path, &metadata, |first, codes| {
            let from = match self.context.metric {
                Metric::Wdl => Values::Working(&self.working[&slice]),
                Metric::Dtw => Values::Solved(&self.solved[&slice]),
            };
            context.tools.bits.run(CopyValues { context: &context, from, first, codes });
            if !metadata.captures_stored {
                let mut places = codes.iter_mut();
                for_each_entry(&context, first, places.len(), |Entry { own, opponent, .. }| {
                    let place = places.next().expect("as many places as entries");
                    let position =
                        Position::from_mover(key.board, Stones { own, opponent }, Side::White);
                    if rules.has_capture(&position.expect("an entry is a position")) {
                        *place = Code::NONE;
                    }
                });
            }
            self.context.progress.advance(codes.len() as u64);
        })?;
        report_write_times(self.context.progress, unit, times);
        Ok(())
    }

    /// Copies the values of a solved slice from index `first` on to `codes`.
    pub(super) fn values_of(&self, slice: Slice, first: u64, codes: &mut [Code]) {
        // The order of entries does not depend on rules.
        let context = self.slice_context(slice, &RuleSet::STANDARD);
        let from = Values::Solved(&self.solved[&slice]);
        context.tools.bits.run(CopyValues { context: &context, from, first, codes });
    }
}

/// Where values are.
enum Values<'v> {
    Working(&'v WorkingSlice),
    Solved(&'v SolvedSlice),
}

/// Copies values from index `first` on to `codes`.
struct CopyValues<'v, 's, 'a> {
    context: &'v SliceContext<'s, 'a>,
    from: Values<'v>,
    first: u64,
    codes: &'v mut [Code],
}

impl Job for CopyValues<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { context, from, first, codes } = self;
        let count = codes.len();
        let mut rest = codes;
        for_each_batch(context, first, count, |batch| {
            let (codes, after) = std::mem::take(&mut rest).split_at_mut(batch.len());
            rest = after;
            for (code, entry) in codes.iter_mut().zip(batch) {
                *code = match from {
                    Values::Working(working) => working.code(entry),
                    Values::Solved(solved) => solved.code(context, entry),
                };
            }
        });
    }
}
