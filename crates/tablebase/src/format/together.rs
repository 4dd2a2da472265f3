//! Writing a table whose blocks several processes have packed.

use std::fs::OpenOptions;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use fanorona_storage::{ContainerWriter, Operation, ScratchFile, checksum, encode_metadata};
use rayon::prelude::*;

use super::kinds::{PACKED, PARTIAL};
use super::metadata::Metadata;
use super::writer::{BATCH, Block, WriteTimes, index_bytes};
use crate::clock::Stopwatch;
use crate::error::{Result, TableError};

/// The bytes of a part that are copied together.
const COPIED: usize = 1 << 20;

/// Some neighbouring blocks of a table, which a process has packed. They are in a temporary file
/// until it is known where they begin.
pub(crate) struct PackedPart {
    path: PathBuf,
    file: ScratchFile,
    bytes: u64,
    sizes: Vec<BlockSize>,
    times: WriteTimes,
}

/// The length of a compressed block, and its checksum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockSize {
    pub len: u64,
    pub checksum: u32,
}

/// The values of a table that are packed together, from a block on.
pub(crate) fn batch(metadata: &Metadata, block: u64, end: u64) -> Range<u64> {
    let until = |block: u64| metadata.values.min(block * u64::from(metadata.block_values));
    until(block.min(end))..until((block + BATCH).min(end))
}

/// The number of blocks that are packed together.
pub(crate) const PACKED_TOGETHER: u64 = BATCH;

impl PackedPart {
    /// No blocks of the table with a path. The temporary file is in `work`.
    pub(crate) fn new(path: &Path, work: &Path) -> Result<Self> {
        let (file, sizes, times) = (ScratchFile::create(work)?, Vec::new(), WriteTimes::default());
        Ok(Self { path: path.to_owned(), file, bytes: 0, sizes, times })
    }

    /// Packs blocks with the next values, and adds them.
    pub(crate) fn add(
        &mut self,
        metadata: &Metadata,
        values: Range<u64>,
        pack: impl Fn(Range<u64>) -> Vec<u8> + Sync,
    ) -> Result<()> {
        let watch = Stopwatch::start();
        let of_block = u64::from(metadata.block_values);
        let blocks = values.start / of_block..values.end.div_ceil(of_block);
        let make = |block: u64| {
            let first = block * of_block;
            Block::new(&self.path, first..values.end.min(first + of_block), &pack)
        };
        let blocks = blocks.into_par_iter().map(make).collect::<Result<Vec<_>>>()?;
        self.times.add_batch(watch.read().wall, &blocks);
        let mut together = Vec::new();
        for Block { compressed, .. } in blocks {
            let checksum = checksum(&compressed) as u32;
            self.sizes.push(BlockSize { len: compressed.len() as u64, checksum });
            together.extend(compressed);
        }
        self.file.write(self.bytes, &together)?;
        self.bytes += together.len() as u64;
        Ok(())
    }

    pub(crate) fn sizes(&self) -> &[BlockSize] {
        &self.sizes
    }

    /// The time that packing took.
    pub(crate) fn times(&self) -> WriteTimes {
        self.times
    }

    /// Copies the blocks to an offset of the table's temporary file.
    pub(crate) fn copy_to(&self, partial: &Path, offset: u64) -> Result<()> {
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

/// A table whose blocks several processes write.
pub(crate) struct TogetherWriter(ContainerWriter);

impl TogetherWriter {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        Ok(Self(ContainerWriter::create(path, PACKED, PARTIAL)?))
    }

    /// The file that the processes write to.
    pub(crate) fn partial_path(&self) -> Option<&Path> {
        self.0.partial_path()
    }

    /// The offset of the first block.
    pub(crate) fn offset(&self) -> u64 {
        self.0.offset()
    }

    /// Completes the table. All blocks have to be there.
    pub(crate) fn finish(
        mut self,
        path: &Path,
        metadata: &Metadata,
        sizes: &[BlockSize],
    ) -> Result<()> {
        let metadata = encode_metadata(metadata)
            .map_err(|error| TableError::io(Operation::Write, path)(io::Error::other(error)))?;
        let mut offsets = vec![self.0.offset()];
        for BlockSize { len, .. } in sizes {
            self.0.skip(*len)?;
            offsets.push(self.0.offset());
        }
        let checksums: Vec<_> = sizes.iter().map(|size| size.checksum).collect();
        self.0.finish(&index_bytes(&offsets, &checksums), &metadata)?;
        Ok(())
    }
}
