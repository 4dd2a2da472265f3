//! Writing files.

use std::io;
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

/// How hard zstd tries.
const LEVEL: i32 = 12;

/// Blocks that are packed before they are written, and so held in memory.
const BATCH: u64 = if cfg!(test) { 3 } else { 1024 };

/// What writing a table took, by parts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WriteTimes {
    pub pack: Spent,
    pub compress: Spent,
    pub write: Spent,
}

/// Writes a table.
///
/// `fill` gives the values from the index of its first argument on; [`Code::NONE`] where any value
/// will do.
pub(crate) fn write_table(
    path: &Path,
    metadata: &Metadata,
    fill: impl Fn(u64, &mut [Code]) + Sync,
) -> Result<WriteTimes> {
    let (whole, mut times) = (Stopwatch::start(), WriteTimes::default());
    let packing = Packing::from_bits(metadata.bits).expect("a width that was chosen");
    let make = |first: u64, count: usize| {
        let watch = Stopwatch::start_on_this_thread();
        let mut codes = vec![Code::NONE; count];
        fill(first, &mut codes);
        let mut bytes = Vec::new();
        packing.pack(&mut codes, &mut bytes);
        let pack = watch.read();
        let compressed = compress(&bytes, LEVEL).map_err(TableError::io(Operation::Write, path))?;
        let compress = watch.read() - pack;
        Ok(Block { compressed, pack, compress })
    };
    write_container(path, PACKED, metadata, |out| {
        let (mut offsets, mut checksums) = (vec![out.offset()], Vec::new());
        let (values, part_values) = (metadata.values, metadata.block_values.into());
        let batches = Batches { values, part_values, parts: BATCH };
        batches.for_each(make, |blocks: &[Block], wall| {
            times.add_batch(wall, blocks);
            blocks.iter().try_for_each(|Block { compressed, .. }| {
                checksums.push(checksum(compressed) as u32);
                out.write(compressed)?;
                offsets.push(out.offset());
                Ok(())
            })
        })?;
        let offsets = offsets.iter().flat_map(|offset| offset.to_le_bytes());
        let checksums = checksums.iter().flat_map(|checksum| checksum.to_le_bytes());
        Ok(offsets.chain(checksums).collect())
    })?;
    times.write = whole.read() - times.pack - times.compress;
    Ok(times)
}

/// A compressed block, and what it took.
struct Block {
    compressed: Vec<u8>,
    pack: Spent,
    compress: Spent,
}

impl WriteTimes {
    /// Adds blocks that several threads packed and compressed together in the given time.
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

/// Values that are worked on in parts, and parts that are held in memory together.
pub(super) struct Batches {
    /// How many values there are.
    pub(super) values: u64,
    /// How many values a part has; the last one may have fewer.
    pub(super) part_values: u64,
    /// How many parts are made before they are consumed.
    pub(super) parts: u64,
}

impl Batches {
    /// Makes something of each part on all threads, from the number of its first value and how many
    /// values it has. Passes the parts of a batch to `consume`, in their order, with the time that it
    /// took to make them.
    pub(super) fn for_each<T: Send>(
        &self,
        make: impl Fn(u64, usize) -> Result<T> + Sync,
        mut consume: impl FnMut(&[T], Duration) -> Result<()>,
    ) -> Result<()> {
        let &Self { values, part_values, parts: together } = self;
        let parts = values.div_ceil(part_values);
        let make = |part: u64| {
            let first = part * part_values;
            make(first, (values - first).min(part_values) as usize)
        };
        for begin in (0..parts).step_by(together as usize) {
            let watch = Stopwatch::start();
            let parts = (begin..parts.min(begin + together)).into_par_iter();
            let made = parts.map(make).collect::<Result<Vec<_>>>()?;
            consume(&made, watch.read().wall)?;
        }
        Ok(())
    }
}

/// Writes a file that has its name when it is whole.
///
/// `write_body` returns the index, which goes between the body and the metadata.
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
