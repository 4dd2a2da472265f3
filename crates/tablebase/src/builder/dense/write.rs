//! Writing a slice: values in the order of the index.

use std::path::Path;

use fanorona_core::{Position, RuleSet, Side};

use super::count;
use super::entries::for_each_position;
use super::state::DenseBuilder;
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
            match self.context.metric {
                Metric::Wdl => {
                    let working = &self.working[&slice];
                    let mut places = codes.iter_mut();
                    for_each_position(&context, first, places.len(), |own, opponent| {
                        let place = places.next().expect("as many places as positions");
                        *place = working.code(&context, own, opponent);
                    });
                }
                Metric::Dtw => self.values_of(slice, first, codes),
            }
            if !metadata.captures_stored {
                let mut places = codes.iter_mut();
                for_each_position(&context, first, places.len(), |own, opponent| {
                    let place = places.next().expect("as many places as positions");
                    let position = Position::from_mover(key.board, own, opponent, Side::White);
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
    pub(super) fn values_of(
        &self,
        slice: Slice,
        first: u64,
        codes: &mut [Code],
    ) {
        // The order of positions does not depend on rules.
        let (context, solved) = (self.slice_context(slice, &RuleSet::STANDARD), &self.solved[&slice]);
        let mut places = codes.iter_mut();
        for_each_position(&context, first, places.len(), |own, opponent| {
            let place = places.next().expect("as many places as positions");
            *place = solved.code(&context, own, opponent);
        });
    }
}
