//! Writing tables.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fanorona_storage::{
    ContainerWriter, Operation, Spent, Stopwatch, checksum, compress, encode_metadata,
};
use rayon::prelude::*;

use super::kinds::{PARTIAL, written};
use super::metadata::{LAYOUT_BYTES, Metadata};
use super::packing::Packing;
use crate::error::{Result, TableError};
use crate::key::Layout;
use crate::value::Code;

/// The compression level of zstd.
const LEVEL: i32 = 12;

/// The number of blocks that are packed in memory before they are written.
pub const BLOCK_BATCH: u64 = 1024;

/// The time that writing a table took, by parts.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteTimes {
    /// Packing values.
    pub pack: Spent,
    /// Compressing blocks.
    pub compress: Spent,
    /// Writing the file.
    pub write: Spent,
}

/// Writes a table.
///
/// `fill` writes the values from the index in its first argument on. [`Code::NONE`] stands for an
/// arbitrary value.
///
/// # Errors
/// If the file cannot be written, and those of `fill`.
pub fn write_table(
    path: &Path,
    metadata: &Metadata,
    fill: impl Fn(u64, &mut [Code]) -> Result<()> + Sync,
) -> Result<WriteTimes> {
    let mut writer = TableWriter::create(path, metadata.layout)?;
    writer.add(metadata, 0..metadata.values, |values| pack_codes(metadata, values, &fill))?;
    writer.finish(metadata)
}

/// The bytes of a block. `fill` writes the values from the index in its first argument on.
///
/// # Errors
/// Those of `fill`.
pub fn pack_codes(
    metadata: &Metadata,
    values: Range<u64>,
    fill: impl Fn(u64, &mut [Code]) -> Result<()>,
) -> Result<Vec<u8>> {
    let packing = Packing::from_bits(metadata.bits).expect("a width that was chosen");
    let mut codes = vec![Code::NONE; (values.end - values.start) as usize];
    fill(values.start, &mut codes)?;
    let mut bytes = Vec::new();
    packing.pack(&mut codes, &mut bytes);
    Ok(bytes)
}

/// Writes a table, one block after the other.
#[derive(Debug)]
pub struct TableWriter {
    path: PathBuf,
    out: ContainerWriter,
    offsets: Vec<u64>,
    checksums: Vec<u32>,
    times: WriteTimes,
    whole: Stopwatch,
}

impl TableWriter {
    /// Begins a table.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, layout: Layout) -> Result<Self> {
        let whole = Stopwatch::start();
        let out = ContainerWriter::create(path, written(layout), PARTIAL)?;
        let (offsets, checksums) = (vec![out.offset()], Vec::new());
        let times = WriteTimes::default();
        Ok(Self { path: path.to_owned(), out, offsets, checksums, times, whole })
    }

    /// Adds the blocks with the next values. `pack` returns the bytes of a block.
    ///
    /// # Errors
    /// If the file cannot be written, and those of `pack`.
    pub fn add(
        &mut self,
        metadata: &Metadata,
        values: Range<u64>,
        pack: impl Fn(Range<u64>) -> Result<Vec<u8>> + Sync,
    ) -> Result<()> {
        let Self { path, out, offsets, checksums, times, .. } = self;
        pack_blocks(path, metadata, values, pack, times, |blocks| {
            blocks.iter().try_for_each(|PackedBlock { bytes, .. }| {
                checksums.push(checksum(bytes) as u32);
                out.write(bytes)?;
                offsets.push(out.offset());
                Ok(())
            })
        })
    }

    /// Completes the table.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self, metadata: &Metadata) -> Result<WriteTimes> {
        let Self { path, out, offsets, checksums, times, whole } = self;
        finish_container(out, &path, &index_bytes(&offsets, &checksums), metadata)?;
        Ok(times.with_whole(&whole))
    }
}

/// Completes a container, given what goes between its body and its metadata.
pub(super) fn finish_container(
    out: ContainerWriter,
    path: &Path,
    index: &[u8],
    metadata: &Metadata,
) -> Result<()> {
    let mut bytes = encode_metadata(metadata)
        .map_err(|error| TableError::io(Operation::Write, path)(error))?;
    if metadata.layout == Layout::Packed {
        bytes.truncate(bytes.len() - LAYOUT_BYTES);
    }
    out.finish(index, &bytes)?;
    Ok(())
}

/// Packs and compresses the blocks with some values of the table in a file, some at a time.
pub(super) fn pack_blocks(
    path: &Path,
    metadata: &Metadata,
    values: Range<u64>,
    pack: impl Fn(Range<u64>) -> Result<Vec<u8>> + Sync,
    times: &mut WriteTimes,
    mut consume: impl FnMut(&[PackedBlock]) -> Result<()>,
) -> Result<()> {
    let make = |values| PackedBlock::new(path, metadata.layout, values, &pack);
    let block_values = u64::from(metadata.block_values);
    let blocks = values.start / block_values..values.end.div_ceil(block_values);
    for first in blocks.clone().step_by(BLOCK_BATCH as usize) {
        let watch = Stopwatch::start();
        let batch = (first..blocks.end.min(first + BLOCK_BATCH)).into_par_iter();
        let values = |block| block * block_values..values.end.min((block + 1) * block_values);
        let made = batch.map(values).map(make).collect::<Result<Vec<_>>>()?;
        times.add_batch(watch.read().wall, &made);
        consume(&made)?;
    }
    Ok(())
}

/// A block as it is in the file, and the time that it took.
pub(super) struct PackedBlock {
    pub(super) bytes: Vec<u8>,
    pack: Spent,
    compress: Spent,
}

impl PackedBlock {
    /// Packs some values of the table in a file, and compresses them if its layout says so.
    fn new(
        path: &Path,
        layout: Layout,
        values: Range<u64>,
        pack: impl Fn(Range<u64>) -> Result<Vec<u8>>,
    ) -> Result<Self> {
        let watch = Stopwatch::start_on_this_thread();
        let mut bytes = pack(values)?;
        let pack = watch.read();
        if layout == Layout::Packed {
            bytes = compress(&bytes, LEVEL).map_err(TableError::io(Operation::Write, path))?;
        }
        let compress = watch.read() - pack;
        Ok(Self { bytes, pack, compress })
    }
}

/// The index of a table: the offset of each block and of the end, then checksums.
pub(super) fn index_bytes(offsets: &[u64], checksums: &[u32]) -> Vec<u8> {
    let offsets = offsets.iter().flat_map(|offset| offset.to_le_bytes());
    let checksums = checksums.iter().flat_map(|checksum| checksum.to_le_bytes());
    offsets.chain(checksums).collect()
}

impl WriteTimes {
    /// The times of a table, given the time since it was begun.
    pub(super) fn with_whole(self, whole: &Stopwatch) -> Self {
        Self { write: whole.read() - self.pack - self.compress, ..self }
    }

    /// Counts some time, in which values were read, as time of packing.
    pub fn count_as_packing(&mut self, spent: Spent) {
        self.pack += spent;
        self.write = self.write - spent;
    }

    /// Adds the times of blocks that several threads packed and compressed in the given wall-clock
    /// time, which is divided in proportion to the time that the threads spent on each.
    fn add_batch(&mut self, wall: Duration, blocks: &[PackedBlock]) {
        let (mut pack, mut compress) = (Spent::default(), Spent::default());
        for block in blocks {
            pack += block.pack;
            compress += block.compress;
        }
        let busy = pack.wall + compress.wall;
        let share = if busy.is_zero() { 0.0 } else { pack.wall.as_secs_f64() / busy.as_secs_f64() };
        pack.wall = wall.mul_f64(share);
        compress.wall = wall.saturating_sub(pack.wall);
        self.pack += pack;
        self.compress += compress;
    }
}
