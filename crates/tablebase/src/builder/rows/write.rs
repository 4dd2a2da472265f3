//! Writing a slice: values in the order of the index.

use std::path::Path;

use super::reader::RowReader;
use super::state::RowsBuilder;
use crate::builder::context::new_metadata;
use crate::builder::progress::{Part, Phase, report_write_times};
use crate::clock::Stopwatch;
use crate::error::Result;
use crate::format::write_table_in_parts;
use crate::key::TableKey;
use crate::slice::Unit;
use crate::value::Code;

impl RowsBuilder<'_> {
    /// Writes the table of a slice of the unit that was solved last.
    pub(super) fn write_slice(&self, unit: Unit, key: &TableKey, path: &Path) -> Result<()> {
        let slice = key.slice;
        let index = self.context.index(slice);
        self.context.progress.begin(unit, Phase::Write, index.len());
        let watch = Stopwatch::start();
        let statistics = self.count(slice)?;
        self.context.progress.spent(unit, Part::Count, watch.read());
        let metadata = new_metadata(key, index.len(), statistics);
        let all_stored = metadata.captures_stored;
        let opponent = self.context.orbits(slice.opponent);
        let mut reader = RowReader::new(self, slice, !all_stored);
        let prepare = |values: std::ops::Range<u64>| {
            let row = |place: u64| (place / index.columns()) as usize;
            reader.read(row(values.start)..row(values.end - 1) + 1)
        };
        let times = write_table_in_parts(path, &metadata, prepare, |chunk, first, codes| {
            let mut places = codes.iter_mut();
            index.for_each_rank(first, places.len() as u64, |row, rank| {
                let column = opponent.number_of_rank(rank) as usize;
                let place = places.next().expect("as many places as values");
                let is_stored = all_stored || chunk.is_open(row, column);
                *place = if is_stored { chunk.code(row, column) } else { Code::NONE };
            });
            self.context.progress.advance(codes.len() as u64);
        })?;
        report_write_times(self.context.progress, unit, times);
        Ok(())
    }
}
