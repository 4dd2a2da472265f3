//! Writing tables.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fanorona_storage::{ContainerWriter, Operation, checksum, compress, encode_metadata};
use rayon::prelude::*;
use serde::Serialize;

use super::kinds::{PACKED, PARTIAL};
use super::metadata::Metadata;
use super::packing::Packing;
use crate::error::{Result, TableError};
use crate::value::Code;
use fanorona_storage::{Spent, Stopwatch};

/// The compression level of zstd.
const LEVEL: i32 = 12;

/// The number of blocks that are packed in memory before they are written.
pub const BLOCK_BATCH: u64 = if cfg!(test) { 3 } else { 1024 };

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
/// If the file cannot be written.
pub fn write_table(
    path: &Path,
    metadata: &Metadata,
    fill: impl Fn(u64, &mut [Code]) + Sync,
) -> Result<WriteTimes> {
    let mut writer = TableWriter::create(path)?;
    writer.add(metadata, 0..metadata.values, |values| pack_codes(metadata, values, &fill))?;
    writer.finish(metadata)
}

/// The bytes of a block. `fill` writes the values from the index in its first argument on.
pub fn pack_codes(
    metadata: &Metadata,
    values: Range<u64>,
    fill: impl Fn(u64, &mut [Code]),
) -> Vec<u8> {
    let packing = Packing::from_bits(metadata.bits).expect("a width that was chosen");
    let mut codes = vec![Code::NONE; (values.end - values.start) as usize];
    fill(values.start, &mut codes);
    let mut bytes = Vec::new();
    packing.pack(&mut codes, &mut bytes);
    bytes
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
    pub fn create(path: &Path) -> Result<Self> {
        let whole = Stopwatch::start();
        let out = ContainerWriter::create(path, PACKED, PARTIAL)?;
        let (offsets, checksums) = (vec![out.offset()], Vec::new());
        let times = WriteTimes::default();
        Ok(Self { path: path.to_owned(), out, offsets, checksums, times, whole })
    }

    /// Adds the blocks with the next values. `pack` returns the bytes of a block.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(
        &mut self,
        metadata: &Metadata,
        values: Range<u64>,
        pack: impl Fn(Range<u64>) -> Vec<u8> + Sync,
    ) -> Result<()> {
        let Self { path, out, offsets, checksums, times, .. } = self;
        pack_blocks(path, metadata, values, pack, times, |blocks| {
            blocks.iter().try_for_each(|Block { compressed, .. }| {
                checksums.push(checksum(compressed) as u32);
                out.write(compressed)?;
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
    metadata: &impl Serialize,
) -> Result<()> {
    let metadata = encode_metadata(metadata)
        .map_err(|error| TableError::io(Operation::Write, path)(io::Error::other(error)))?;
    out.finish(index, &metadata)?;
    Ok(())
}

/// Packs and compresses the blocks with some values of the table in a file, some at a time.
pub(super) fn pack_blocks(
    path: &Path,
    metadata: &Metadata,
    values: Range<u64>,
    pack: impl Fn(Range<u64>) -> Vec<u8> + Sync,
    times: &mut WriteTimes,
    mut consume: impl FnMut(&[Block]) -> Result<()>,
) -> Result<()> {
    let make = |values| Block::new(path, values, &pack);
    in_batches(values, metadata.block_values.into(), BLOCK_BATCH, make, |blocks, wall| {
        times.add_batch(wall, blocks);
        consume(blocks)
    })
}

/// A compressed block, and the time that it took.
pub(super) struct Block {
    pub(super) compressed: Vec<u8>,
    pack: Spent,
    compress: Spent,
}

impl Block {
    /// Packs and compresses some values of the table in a file.
    fn new(path: &Path, values: Range<u64>, pack: impl Fn(Range<u64>) -> Vec<u8>) -> Result<Self> {
        let watch = Stopwatch::start_on_this_thread();
        let bytes = pack(values);
        let pack = watch.read();
        let compressed = compress(&bytes, LEVEL).map_err(TableError::io(Operation::Write, path))?;
        let compress = watch.read() - pack;
        Ok(Self { compressed, pack, compress })
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
    fn add_batch(&mut self, wall: Duration, blocks: &[Block]) {
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

/// Makes parts of some values on all threads, a batch of parts after the other. Each part has a number
/// of values, the last one can have fewer. Passes the results of each batch to `consume`, in order,
/// with the wall-clock time that making them took.
pub(super) fn in_batches<T: Send>(
    values: Range<u64>,
    part_values: u64,
    batch: u64,
    make: impl Fn(Range<u64>) -> Result<T> + Sync,
    mut consume: impl FnMut(&[T], Duration) -> Result<()>,
) -> Result<()> {
    let parts = values.start / part_values..values.end.div_ceil(part_values);
    let make = |part: u64| make(part * part_values..values.end.min((part + 1) * part_values));
    for first in parts.clone().step_by(batch as usize) {
        let watch = Stopwatch::start();
        let parts = first..parts.end.min(first + batch);
        let made = parts.into_par_iter().map(make).collect::<Result<Vec<_>>>()?;
        consume(&made, watch.read().wall)?;
    }
    Ok(())
}
