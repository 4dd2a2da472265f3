//! Writing a slice: values in the order of the index.

use std::ops::Range;
use std::path::Path;

use super::graded::{GradedRows, RowReader};
use super::pack::BitRows;
use crate::builder::context::new_metadata;
use crate::builder::progress::{Part, Phase, report_write_times};
use crate::builder::ranks::share;
use crate::builder::rows::state::RowsBuilder;
use crate::clock::Stopwatch;
use crate::error::Result;
use crate::format::{
    BlockSize, Metadata, PACKED_TOGETHER, PackedPart, TogetherWriter, WriteTimes, batch,
    pack_codes, write_packed,
};
use crate::key::TableKey;
use crate::slice::{PhaseSlice, Unit};
use crate::value::Metric;

impl RowsBuilder<'_> {
    /// Writes the table of a slice of the unit that was solved last.
    pub(crate) fn write_slice(&self, unit: Unit, key: &TableKey, path: &Path) -> Result<()> {
        let slice = key.phase_slice();
        let index = self.context.index(slice.slice);
        self.context.progress.begin(unit, Phase::Write, index.len());
        let watch = Stopwatch::start();
        let statistics = self.count(slice)?;
        self.context.progress.spent(unit, Part::Count, watch.read());
        let metadata = new_metadata(key, index.len(), statistics);
        let all_stored = metadata.captures_stored;
        if !self.context.group.is_alone() {
            let times = self.write_together(slice, &metadata, path)?;
            report_write_times(self.context.progress, unit, times);
            return Ok(());
        }
        let rows = |values: &Range<u64>| self.rows_with(slice, values);
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
                let log = self.working().found(slice).expect("the build has distances");
                let mut reader = RowReader::new(self, slice);
                let read = |rows| GradedRows::read(self, slice, log, rows, all_stored);
                let prepare = |values| reader.read(rows(&values), read);
                write_packed(path, &metadata, prepare, |chunk, values| {
                    advance(&values);
                    self.pack_graded(&metadata, values, &chunk.rows, &chunk.values)
                })?
            }
        };
        report_write_times(self.context.progress, unit, times);
        Ok(())
    }

    /// The rows that have some values of a slice.
    fn rows_with(&self, slice: PhaseSlice, values: &Range<u64>) -> Range<usize> {
        let columns = self.context.index(slice.slice).columns();
        match values.is_empty() {
            true => 0..0,
            false => (values.start / columns) as usize..((values.end - 1) / columns) as usize + 1,
        }
    }

    /// The bytes of a block with distances, given some rows that have its values.
    fn pack_graded(
        &self,
        metadata: &Metadata,
        values: Range<u64>,
        rows: &Range<usize>,
        graded: &GradedRows,
    ) -> Vec<u8> {
        let opponent = self.context.orbits(metadata.slice.opponent);
        let index = self.context.index(metadata.slice);
        pack_codes(metadata, values, |first, codes| {
            let mut places = codes.iter_mut();
            index.for_each_rank(first, places.len() as u64, |row, rank| {
                let column = opponent.number_of_rank(rank) as usize;
                let place = places.next().expect("as many places as values");
                *place = graded.code(row - rows.start, column);
            });
        })
    }

    /// Writes a table together with other processes. Each packs some neighbouring blocks, and writes
    /// them to their place.
    fn write_together(
        &self,
        slice: PhaseSlice,
        metadata: &Metadata,
        path: &Path,
    ) -> Result<WriteTimes> {
        let group = self.context.group;
        let all_stored = metadata.captures_stored;
        let blocks = metadata.values.div_ceil(metadata.block_values.into());
        let blocks_of = |rank| share(blocks as usize, rank, group.count());
        let steps = blocks.div_ceil(group.count() as u64).div_ceil(PACKED_TOGETHER);
        if metadata.metric == Metric::Wdl {
            BitRows::prepare(self, slice);
        }
        let mut part = group.all(PackedPart::new(path, self.context.work))?;
        let mut result = Ok(());
        for step in 0..steps {
            let values_of = |rank| {
                let Range { start, end } = blocks_of(rank);
                batch(metadata, start as u64 + step * PACKED_TOGETHER, end as u64)
            };
            let values = values_of(group.rank());
            let rows_of = |rank| self.rows_with(slice, &values_of(rank));
            let rows = rows_of(group.rank());
            self.context.progress.advance(values.end - values.start);
            result = match metadata.metric {
                Metric::Wdl => {
                    let planes = self.fetch_rows(slice, rows_of, result)?;
                    let rows = BitRows::new(self, slice, rows, all_stored, planes);
                    part.add(metadata, values, |values| rows.pack(values))
                }
                Metric::Dtw => {
                    let log = self.fetch_log(slice, rows_of, result)?;
                    let graded = GradedRows::read(self, slice, &log, rows.clone(), all_stored);
                    graded.and_then(|graded| {
                        let pack = |values| self.pack_graded(metadata, values, &rows, &graded);
                        part.add(metadata, values, pack)
                    })
                }
            };
        }
        group.agree(result)?;

        let numbers = |size: &BlockSize| [size.len, size.checksum.into()];
        let sizes = group.gather_numbers(Ok(part.sizes().iter().flat_map(numbers).collect()))?;
        let sizes: Vec<Vec<_>> = sizes.iter().map(|numbers| sizes_of(numbers)).collect();
        // The first process creates the file, and the others need its temporary name.
        let writer = group.is_first().then(|| TogetherWriter::create(path)).transpose();
        let begin = writer.as_ref().map_or_else(|_| None, |writer| writer.as_ref());
        let name = begin.and_then(|writer| writer.partial_path()?.file_name()?.to_str());
        let name = name.unwrap_or_default().to_owned();
        let first = begin.map_or(0, TogetherWriter::offset);
        let writer = group.all(writer)?;
        let name = group.text_of_first(&name)?;
        let first = group.max(first)?;
        let before: u64 = sizes[..group.rank()].iter().flatten().map(|size| size.len).sum();
        group.agree(part.copy_to(&path.with_file_name(name), first + before))?;
        let finished = match writer {
            Some(writer) => writer.finish(path, metadata, &sizes.concat()),
            None => Ok(()),
        };
        group.agree(finished)?;
        Ok(part.times())
    }
}

/// Sizes of blocks from the numbers that another process has sent.
fn sizes_of(numbers: &[u64]) -> Vec<BlockSize> {
    let sizes = numbers.chunks_exact(2);
    sizes.map(|size| BlockSize { len: size[0], checksum: size[1] as u32 }).collect()
}
