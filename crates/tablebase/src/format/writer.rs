//! Writing tables.

use std::fs::OpenOptions;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fanorona_storage::{
    ContainerWriter, FileKind, Operation, ScratchFile, Spent, Stopwatch, checksum, compress,
    encode_metadata,
};
use rayon::prelude::*;

use super::metadata::{LAYOUT_BYTES, Metadata, PACKED_VERSION, PARTIAL, TABLE};
use super::packing::Packing;
use crate::error::{Result, TableError};
use crate::key::Layout;
use crate::value::Code;

/// The compression level of zstd.
const LEVEL: i32 = 12;

/// The bytes of a part that are copied at a time.
const COPIED: usize = 1 << 20;

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

/// The length of a block in a file, and its checksum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockSize {
    /// Its bytes, compressed if the table is packed.
    pub len: u64,
    /// The checksum of these.
    pub checksum: u32,
}

/// Blocks that have been written, and the time that they took.
#[derive(Debug)]
struct Blocks {
    path: PathBuf,
    sizes: Vec<BlockSize>,
    times: WriteTimes,
    whole: Stopwatch,
}

impl Blocks {
    /// No blocks of the table with a path.
    fn new(path: &Path) -> Self {
        let (times, whole) = (WriteTimes::default(), Stopwatch::start());
        Self { path: path.to_owned(), sizes: Vec::new(), times, whole }
    }

    /// Packs and compresses the blocks with some values, some at a time, and writes them.
    fn add(
        &mut self,
        metadata: &Metadata,
        values: Range<u64>,
        pack: impl Fn(Range<u64>) -> Result<Vec<u8>> + Sync,
        mut write: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let make = |values| PackedBlock::new(&self.path, metadata.layout, values, &pack);
        let block_values = u64::from(metadata.block_values);
        let blocks = values.start / block_values..values.end.div_ceil(block_values);
        for first in blocks.clone().step_by(BLOCK_BATCH as usize) {
            let watch = Stopwatch::start();
            let batch = (first..blocks.end.min(first + BLOCK_BATCH)).into_par_iter();
            let values = |block| block * block_values..values.end.min((block + 1) * block_values);
            let made = batch.map(values).map(make).collect::<Result<Vec<_>>>()?;
            self.times.add_batch(watch.read().wall, &made);
            for PackedBlock { bytes, .. } in made {
                write(&bytes)?;
                let (len, checksum) = (bytes.len() as u64, checksum(&bytes) as u32);
                self.sizes.push(BlockSize { len, checksum });
            }
        }
        Ok(())
    }

    /// The time so far: what was not packing or compressing was writing.
    fn times(&self) -> WriteTimes {
        let WriteTimes { pack, compress, .. } = self.times;
        WriteTimes { write: self.whole.read() - pack - compress, ..self.times }
    }
}

/// Writes a table, one block after the other.
#[derive(Debug)]
pub struct TableWriter {
    out: ContainerWriter,
    blocks: Blocks,
}

impl TableWriter {
    /// Begins a table.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, layout: Layout) -> Result<Self> {
        let blocks = Blocks::new(path);
        let kind = match layout {
            Layout::Packed => FileKind { version: PACKED_VERSION, ..TABLE },
            Layout::Unpacked => TABLE,
        };
        Ok(Self { out: ContainerWriter::create(path, kind, PARTIAL)?, blocks })
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
        self.blocks.add(metadata, values, pack, |bytes| Ok(self.out.write(bytes)?))
    }

    /// The temporary file, to which [`PackedPart`]s can be copied.
    pub fn partial_path(&self) -> Option<&Path> {
        self.out.partial_path()
    }

    /// The offset of the next block.
    pub fn offset(&self) -> u64 {
        self.out.offset()
    }

    /// Takes over the next blocks, which have been copied to the temporary file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn take(&mut self, sizes: Vec<BlockSize>) -> Result<()> {
        self.out.skip(sizes.iter().map(|size| size.len).sum())?;
        self.blocks.sizes.extend(sizes);
        Ok(())
    }

    /// Completes the table.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self, metadata: &Metadata) -> Result<WriteTimes> {
        let Self { out, blocks } = self;
        let mut bytes = encode_metadata(metadata).map_err(|error| {
            TableError::io(Operation::Write, &blocks.path)(io::Error::other(error))
        })?;
        if metadata.layout == Layout::Packed {
            bytes.truncate(bytes.len() - LAYOUT_BYTES);
        }
        // The offset of each block and of the end, then checksums.
        let mut offset = out.offset() - blocks.sizes.iter().map(|size| size.len).sum::<u64>();
        let mut index = offset.to_le_bytes().to_vec();
        for size in &blocks.sizes {
            offset += size.len;
            index.extend(offset.to_le_bytes());
        }
        index.extend(blocks.sizes.iter().flat_map(|size| size.checksum.to_le_bytes()));
        out.finish(&index, &bytes)?;
        Ok(blocks.times())
    }
}

/// Some neighbouring blocks of a table, which one of several processes has packed. They are in a
/// temporary file until it is known where they begin.
#[derive(Debug)]
pub struct PackedPart {
    file: ScratchFile,
    bytes: u64,
    blocks: Blocks,
}

impl PackedPart {
    /// No blocks of the table with a path. The temporary file is in `scratch_dir`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(path: &Path, scratch_dir: &Path) -> Result<Self> {
        let blocks = Blocks::new(path);
        Ok(Self { file: ScratchFile::create(scratch_dir)?, bytes: 0, blocks })
    }

    /// Packs blocks with the next values, and adds them.
    ///
    /// # Errors
    /// If the file cannot be written, and those of `pack`.
    pub fn add(
        &mut self,
        metadata: &Metadata,
        values: Range<u64>,
        pack: impl Fn(Range<u64>) -> Result<Vec<u8>> + Sync,
    ) -> Result<()> {
        self.blocks.add(metadata, values, pack, |bytes| {
            self.file.write(self.bytes, bytes)?;
            self.bytes += bytes.len() as u64;
            Ok(())
        })
    }

    /// The blocks, in order.
    pub fn sizes(&self) -> &[BlockSize] {
        &self.blocks.sizes
    }

    /// The time that it has taken so far.
    pub fn times(&self) -> WriteTimes {
        self.blocks.times()
    }

    /// Copies the blocks to an offset of the table's temporary file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn copy_to(&self, partial: &Path, offset: u64) -> Result<()> {
        let io = |operation| TableError::io(operation, partial);
        let mut out = OpenOptions::new().write(true).open(partial).map_err(io(Operation::Open))?;
        out.seek(SeekFrom::Start(offset)).map_err(io(Operation::Write))?;
        let mut done = 0;
        let mut buffer = Vec::new();
        while done < self.bytes {
            buffer.resize(COPIED.min((self.bytes - done) as usize), 0);
            self.file.read(done, &mut buffer)?;
            out.write_all(&buffer).map_err(io(Operation::Write))?;
            done += buffer.len() as u64;
        }
        out.sync_all().map_err(io(Operation::Write))
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
