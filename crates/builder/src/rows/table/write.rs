//! Writing a slice: values in the order of the index. Each of several processes packs some of the
//! blocks.

use std::ops::Range;
use std::path::Path;

use fanorona_storage::{Spent, Stopwatch};
use fanorona_tablebase::format::{BLOCK_BATCH, Metadata};
use fanorona_tablebase::{Result, TableKey, Zugzwangs};

use super::count::count;
use super::graded::GradedRows;
use super::pack::BitRows;
use crate::processes::share;
use crate::progress::report_write_times;
use crate::rows::kernel::SliceContext;
use crate::rows::store::{Pack, RowsOf, Store};

/// Writes the table of a slice of a solved unit.
pub(crate) fn write(
    context: &SliceContext<'_, '_>,
    store: &Store<'_>,
    zugzwangs: Zugzwangs,
    key: &TableKey,
    path: &Path,
) -> Result<()> {
    let progress = context.build.progress;
    let count = || count(context, &store.values, zugzwangs);
    let metadata = &context.build.begin_write(key, count)?;
    if !key.metric.has_distances() {
        BitRows::prepare(context);
    }
    let steps = WriteSteps::new(context, metadata)?;
    let (mut table, mut reading) = (store.new_table(path)?, Spent::default());
    for step in 0..steps.count {
        let rows_of: RowsOf<'_> = &|process| steps.rows(&steps.values(process, step));
        let values = steps.values(context.build.processes.index(), step);
        let (rows, all) = (steps.rows(&values), metadata.captures_stored);
        let mut pack = |pack: Pack<'_>| {
            table.pack(metadata, values.clone(), &|values| {
                progress.advance(values.end - values.start);
                pack(values)
            })
        };
        let watch = Stopwatch::start();
        let packed = match key.metric.has_distances() {
            false => {
                let planes = store.rows(context.slice, rows_of)?;
                let rows = BitRows::new(context, rows, all, planes);
                reading += watch.read();
                pack(&|values| Ok(rows.pack(values)))
            }
            true => {
                let mut received = None;
                let log = store.log(context.slice, rows_of, &mut received)?;
                let rows = GradedRows::read(context, rows, all, log);
                reading += watch.read();
                rows.and_then(|rows| pack(&|values| rows.pack(context, metadata, values)))
            }
        };
        table.add(packed)?;
    }
    let mut times = table.finish(metadata)?;
    times.count_as_packing(reading);
    report_write_times(progress, key.unit(), times);
    Ok(())
}

/// The steps of writing. In each step, every process reads some rows and packs the blocks that begin
/// in them.
struct WriteSteps<'m> {
    metadata: &'m Metadata,
    /// The positions of a row.
    columns: u64,
    processes: usize,
    /// The number of blocks.
    all: usize,
    /// The blocks of a step.
    together: usize,
    count: usize,
}

impl<'m> WriteSteps<'m> {
    fn new(context: &SliceContext<'_, '_>, metadata: &'m Metadata) -> Result<Self> {
        let (processes, layout) = (context.build.processes, context.layout);
        // At least one row for each thread.
        let threads = processes.max(rayon::current_num_threads() as u64)?;
        let rows = (layout.rows_together() as u64).max(threads);
        let rows = match metadata.metric.has_distances() {
            false => rows,
            // The log has whole bands.
            true => rows.next_multiple_of(layout.band_rows as u64),
        };
        let columns = context.index().columns();
        let in_rows = rows.saturating_mul(columns) / u64::from(metadata.block_values);
        let all = metadata.values.div_ceil(metadata.block_values.into()) as usize;
        let processes = processes.count();
        let together = processes * in_rows.max(BLOCK_BATCH) as usize;
        let count = all.div_ceil(together);
        Ok(Self { metadata, columns, processes, all, together, count })
    }

    /// The values that a process packs in a step.
    fn values(&self, process: usize, step: usize) -> Range<u64> {
        let first = step * self.together;
        let Range { start, end } =
            share(self.together.min(self.all - first), process, self.processes);
        let until = |block: usize| {
            let block = (first + block) as u64;
            self.metadata.values.min(block * u64::from(self.metadata.block_values))
        };
        until(start)..until(end)
    }

    fn rows(&self, values: &Range<u64>) -> Range<usize> {
        match values.is_empty() {
            true => 0..0,
            false => {
                let last = (values.end - 1) / self.columns;
                (values.start / self.columns) as usize..last as usize + 1
            }
        }
    }
}
