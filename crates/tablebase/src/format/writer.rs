//! Writing tables.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fanorona_storage::{
    ContainerWriter, FileKind, Operation, Spent, Stopwatch, checksum, compress, encode_metadata,
};
use rayon::prelude::*;

use super::metadata::{LAYOUT_BYTES, Metadata, PACKED_VERSION, PARTIAL, TABLE};
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
    let (mut packer, mut table) =
        (BlockPacker::new(path), TableWriter::create(path, metadata.layout)?);
    let together = BLOCK_BATCH * u64::from(metadata.block_values);
    for first in (0..metadata.values).step_by(together as usize) {
        let values = first..metadata.values.min(first + together);
        let blocks = packer.pack(metadata, values, |values| pack_codes(metadata, values, &fill))?;
        blocks.iter().try_for_each(|block| table.add(block))?;
    }
    table.finish(metadata)?;
    Ok(packer.times())
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

/// Packs and compresses the blocks of a table, and takes the time.
#[derive(Debug)]
pub struct BlockPacker {
    path: PathBuf,
    times: WriteTimes,
    whole: Stopwatch,
}

impl BlockPacker {
    /// Begins the table with a path.
    pub fn new(path: &Path) -> Self {
        let (times, whole) = (WriteTimes::default(), Stopwatch::start());
        Self { path: path.to_owned(), times, whole }
    }

    /// The blocks with some values, as they are in the file. `pack` returns the bytes of a block.
    ///
    /// # Errors
    /// Those of `pack`, and if there is too little memory.
    pub fn pack(
        &mut self,
        metadata: &Metadata,
        values: Range<u64>,
        pack: impl Fn(Range<u64>) -> Result<Vec<u8>> + Sync,
    ) -> Result<Vec<Vec<u8>>> {
        let watch = Stopwatch::start();
        let block_values = u64::from(metadata.block_values);
        let blocks = values.start / block_values..values.end.div_ceil(block_values);
        let values = |block| block * block_values..values.end.min((block + 1) * block_values);
        let make = |values| PackedBlock::new(&self.path, metadata.layout, values, &pack);
        let made = blocks.into_par_iter().map(values).map(make).collect::<Result<Vec<_>>>()?;
        self.times.add_batch(watch.read().wall, &made);
        Ok(made.into_iter().map(|block| block.bytes).collect())
    }

    /// The time so far: what was not packing or compressing was writing.
    pub fn times(&self) -> WriteTimes {
        let WriteTimes { pack, compress, .. } = self.times;
        WriteTimes { write: self.whole.read() - pack - compress, ..self.times }
    }
}

/// Writes a table, one block after the other.
#[derive(Debug)]
pub struct TableWriter {
    out: ContainerWriter,
    path: PathBuf,
    /// The offset of each block and of the end.
    offsets: Vec<u64>,
    checksums: Vec<u32>,
}

impl TableWriter {
    /// Begins a table.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, layout: Layout) -> Result<Self> {
        let kind = match layout {
            Layout::Packed => FileKind { version: PACKED_VERSION, ..TABLE },
            Layout::Unpacked => TABLE,
        };
        let out = ContainerWriter::create(path, kind, PARTIAL)?;
        let (offsets, checksums) = (vec![out.offset()], Vec::new());
        Ok(Self { out, path: path.to_owned(), offsets, checksums })
    }

    /// Adds the next block.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, block: &[u8]) -> Result<()> {
        self.out.write(block)?;
        self.offsets.push(self.out.offset());
        self.checksums.push(checksum(block) as u32);
        Ok(())
    }

    /// Completes the table.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self, metadata: &Metadata) -> Result<()> {
        let mut bytes = encode_metadata(metadata).map_err(|error| {
            TableError::io(Operation::Write, &self.path)(io::Error::other(error))
        })?;
        if metadata.layout == Layout::Packed {
            bytes.truncate(bytes.len() - LAYOUT_BYTES);
        }
        let mut index: Vec<u8> = self.offsets.iter().flat_map(|at| at.to_le_bytes()).collect();
        index.extend(self.checksums.iter().flat_map(|sum| sum.to_le_bytes()));
        self.out.finish(&index, &bytes)?;
        Ok(())
    }
}

/// A block as it is in the file, and the time that it took.
struct PackedBlock {
    bytes: Vec<u8>,
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

impl WriteTimes {
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
