//! Writing tables.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use fanorona_storage::{ContainerWriter, FileKind, Operation, checksum, compress, encode_metadata};
use rayon::prelude::*;
use serde::Serialize;

use super::kinds::{PACKED, PARTIAL};
use super::metadata::Metadata;
use super::packing::Packing;
use crate::clock::{Spent, Stopwatch};
use crate::error::{Result, TableError};
use crate::value::Code;

/// The compression level of zstd.
const LEVEL: i32 = 12;

/// The number of blocks that are packed in memory before they are written.
pub(super) const BATCH: u64 = if cfg!(test) { 3 } else { 1024 };

/// The time that writing a table took, by parts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WriteTimes {
    pub pack: Spent,
    pub compress: Spent,
    pub write: Spent,
}

/// Writes a table.
///
/// `fill` writes the values from the index in its first argument on. [`Code::NONE`] stands for an
/// arbitrary value.
pub(crate) fn write_table(
    path: &Path,
    metadata: &Metadata,
    fill: impl Fn(u64, &mut [Code]) + Sync,
) -> Result<WriteTimes> {
    let pack = |(): &(), values: Range<u64>| pack_codes(metadata, values, &fill);
    write_packed(path, metadata, |_| Ok(()), pack)
}

/// The bytes of a block. `fill` writes the values from the index in its first argument on.
pub(crate) fn pack_codes(
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

/// Writes a table. `prepare` gets the range of the indexes of some blocks, and returns what `pack`
/// needs for each of them. `pack` returns the bytes of a block.
pub(crate) fn write_packed<P: Sync>(
    path: &Path,
    metadata: &Metadata,
    mut prepare: impl FnMut(Range<u64>) -> Result<P>,
    pack: impl Fn(&P, Range<u64>) -> Vec<u8> + Sync,
) -> Result<WriteTimes> {
    let (whole, mut times) = (Stopwatch::start(), WriteTimes::default());
    let mut preparing = Spent::default();
    let make = |prepared: &P, first: u64, count: usize| {
        let pack = |values| pack(prepared, values);
        Block::new(path, first..first + count as u64, pack)
    };
    write_container(path, PACKED, metadata, |out| {
        let (mut offsets, mut checksums) = (vec![out.offset()], Vec::new());
        let (values, part_values) = (metadata.values, metadata.block_values.into());
        let batches = Batches { values, part_values, parts: BATCH };
        let prepare = |values| {
            let watch = Stopwatch::start();
            let prepared = prepare(values);
            preparing += watch.read();
            prepared
        };
        batches.for_each(prepare, make, |blocks: &[Block], wall| {
            times.add_batch(wall, blocks);
            blocks.iter().try_for_each(|Block { compressed, .. }| {
                checksums.push(checksum(compressed) as u32);
                out.write(compressed)?;
                offsets.push(out.offset());
                Ok(())
            })
        })?;
        Ok(index_bytes(&offsets, &checksums))
    })?;
    times.pack += preparing;
    times.write = whole.read() - times.pack - times.compress;
    Ok(times)
}

/// A compressed block, and the time that it took.
pub(super) struct Block {
    pub(super) compressed: Vec<u8>,
    pack: Spent,
    compress: Spent,
}

impl Block {
    /// Packs and compresses some values of the table in a file.
    pub(super) fn new(
        path: &Path,
        values: Range<u64>,
        pack: impl Fn(Range<u64>) -> Vec<u8>,
    ) -> Result<Self> {
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
    /// Adds the times of blocks that several threads packed and compressed in the given wall-clock
    /// time, which is divided in proportion to the time that the threads spent on each.
    pub(super) fn add_batch(&mut self, wall: Duration, blocks: &[Block]) {
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

/// Divides values into parts, and parts into batches that are held in memory together.
pub(super) struct Batches {
    pub(super) values: u64,
    /// The number of values in a part. The last part may have fewer.
    pub(super) part_values: u64,
    pub(super) parts: u64,
}

impl Batches {
    /// Calls `prepare` for each batch, with the range of its values, and then `make` for each part on
    /// all threads, with what was prepared, the index of its first value and its number of values.
    /// Passes the results of each batch to `consume`, in order, with the wall-clock time that making
    /// them took.
    pub(super) fn for_each<P: Sync, T: Send>(
        &self,
        mut prepare: impl FnMut(Range<u64>) -> Result<P>,
        make: impl Fn(&P, u64, usize) -> Result<T> + Sync,
        mut consume: impl FnMut(&[T], Duration) -> Result<()>,
    ) -> Result<()> {
        let &Self { values, part_values, parts: together } = self;
        let parts = values.div_ceil(part_values);
        for begin in (0..parts).step_by(together as usize) {
            let end = parts.min(begin + together);
            let prepared = prepare(begin * part_values..values.min(end * part_values))?;
            let watch = Stopwatch::start();
            let make = |part: u64| {
                let first = part * part_values;
                make(&prepared, first, (values - first).min(part_values) as usize)
            };
            let made = (begin..end).into_par_iter().map(make).collect::<Result<Vec<_>>>()?;
            consume(&made, watch.read().wall)?;
        }
        Ok(())
    }
}

/// Writes a container under a temporary name and renames it when it is complete.
///
/// `write_body` writes the body and returns the index, which goes between body and metadata.
pub(super) fn write_container(
    path: &Path,
    kind: FileKind,
    metadata: &impl Serialize,
    write_body: impl FnOnce(&mut ContainerWriter) -> Result<Vec<u8>>,
) -> Result<()> {
    let metadata = encode_metadata(metadata)
        .map_err(|error| TableError::io(Operation::Write, path)(io::Error::other(error)))?;
    let mut out = ContainerWriter::create(path, kind, PARTIAL)?;
    let index = write_body(&mut out)?;
    out.finish(&index, &metadata)?;
    Ok(())
}
