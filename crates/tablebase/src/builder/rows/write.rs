//! Writing a slice: values in the order of the index.

use std::ops::Range;
use std::path::Path;

use super::pack::BitRows;
use super::reader::{GradedRows, RowReader};
use super::state::RowsBuilder;
use crate::builder::context::new_metadata;
use crate::builder::progress::{Part, Phase, report_write_times};
use crate::clock::Stopwatch;
use crate::error::Result;
use crate::format::{pack_codes, write_packed};
use crate::key::TableKey;
use crate::slice::Unit;
use crate::value::Metric;

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
        let rows = |values: &Range<u64>| {
            let row = |place: u64| (place / index.columns()) as usize;
            row(values.start)..row(values.end - 1) + 1
        };
        let advance = |values: &Range<u64>| {
            self.context.progress.advance(values.end - values.start);
        };
        let times = match key.metric {
            Metric::Wdl => {
                BitRows::prepare(self, slice);
                let mut reader = RowReader::new(self, slice);
                let read = |rows| BitRows::read(self, slice, rows, all_stored);
                let prepare = |values| reader.read(rows(&values), read);
                write_packed(path, &metadata, prepare, |chunk, values| {
                    advance(&values);
                    chunk.values.pack(values)
                })?
            }
            Metric::Dtw => {
                let opponent = self.context.orbits(slice.opponent);
                let mut reader = RowReader::new(self, slice);
                let read = |rows| GradedRows::read(self, slice, rows, all_stored);
                let prepare = |values| reader.read(rows(&values), read);
                write_packed(path, &metadata, prepare, |chunk, values| {
                    advance(&values);
                    pack_codes(&metadata, values, |first, codes| {
                        let mut places = codes.iter_mut();
                        index.for_each_rank(first, places.len() as u64, |row, rank| {
                            let column = opponent.number_of_rank(rank) as usize;
                            let place = places.next().expect("as many places as values");
                            *place = chunk.values.code(chunk.place(row), column);
                        });
                    })
                })?
            }
        };
        report_write_times(self.context.progress, unit, times);
        Ok(())
    }
}
