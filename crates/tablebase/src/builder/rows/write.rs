//! Writing a slice: values in the order of the index.

use std::path::Path;

use super::count;
use super::state::RowsBuilder;
use crate::builder::context::new_metadata;
use crate::builder::progress::{Part, Phase, report_write_times};
use crate::clock::Stopwatch;
use crate::error::Result;
use crate::format::write_table;
use crate::key::TableKey;
use crate::slice::{Slice, Unit};
use crate::value::Code;

impl RowsBuilder<'_> {
    /// Writes the table of a slice of the unit that was solved last.
    pub(super) fn write_slice(&self, unit: Unit, key: &TableKey, path: &Path) -> Result<()> {
        let slice = key.slice;
        let index = self.context.index(slice);
        let working = &self.working[&slice];
        self.context.progress.begin(unit, Phase::Write, index.len());
        let watch = Stopwatch::start();
        let zugzwangs = self.zugzwangs[&slice];
        let statistics = match &working.distances {
            None => {
                let columns = self.find_columns(slice.opponent);
                count::values(&self.context, slice, columns, working, zugzwangs)
            }
            Some(_) => count::distances(&self.context, slice, working, zugzwangs),
        };
        self.context.progress.spent(unit, Part::Count, watch.read());
        let metadata = new_metadata(key, index.len(), statistics);
        let all_stored = metadata.captures_stored;
        let opponent = self.context.orbits(slice.opponent);
        let times = write_table(path, &metadata, |first, codes| {
            let mut places = codes.iter_mut();
            index.for_each_rank(first, places.len() as u64, |row, rank| {
                let column = opponent.number_of_rank(rank) as usize;
                let place = places.next().expect("as many places as values");
                let is_stored = all_stored || working.open.bit(row, column);
                *place = if is_stored { working.code(row, column) } else { Code::NONE };
            });
            self.context.progress.advance(codes.len() as u64);
        })?;
        report_write_times(self.context.progress, unit, times);
        Ok(())
    }

    /// Copies the values from index `first` on to `codes`, for the slice that was loaded last.
    pub(super) fn codes(&self, slice: Slice, first: u64, codes: &mut [Code]) {
        let opponent = self.context.orbits(slice.opponent);
        let working = &self.working[&slice];
        let mut places = codes.iter_mut();
        let index = self.context.index(slice);
        index.for_each_rank(first, places.len() as u64, |row, rank| {
            let place = places.next().expect("as many places as values");
            *place = working.code(row, opponent.number_of_rank(rank) as usize);
        });
    }
}
