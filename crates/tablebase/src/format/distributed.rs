//! Writing a table whose blocks several processes have packed.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use fanorona_storage::{ContainerWriter, Operation, ScratchFile, Stopwatch, checksum};

use super::kinds::{PARTIAL, written};
use super::metadata::Metadata;
use super::writer::{PackedBlock, WriteTimes, finish_container, index_bytes, pack_blocks};
use crate::error::{Result, TableError};
use crate::key::Layout;

/// The bytes of a part that are copied at a time.
const COPIED: usize = 1 << 20;

/// Some neighbouring blocks of a table, which a process has packed. They are in a temporary file
/// until it is known where they begin.
#[derive(Debug)]
pub struct PackedPart {
    path: PathBuf,
    file: ScratchFile,
    bytes: u64,
    sizes: Vec<BlockSize>,
    times: WriteTimes,
    whole: Stopwatch,
}

/// The length of a compressed block, and its checksum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockSize {
    /// Its compressed bytes.
    pub len: u64,
    /// The checksum of these.
    pub checksum: u32,
}

impl PackedPart {
    /// No blocks of the table with a path. The temporary file is in `scratch_dir`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(path: &Path, scratch_dir: &Path) -> Result<Self> {
        let (sizes, times, whole) = (Vec::new(), WriteTimes::default(), Stopwatch::start());
        let file = ScratchFile::create(scratch_dir)?;
        Ok(Self { path: path.to_owned(), file, bytes: 0, sizes, times, whole })
    }

    /// Packs blocks with the next values, and adds them.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(
        &mut self,
        metadata: &Metadata,
        values: Range<u64>,
        pack: impl Fn(Range<u64>) -> Result<Vec<u8>> + Sync,
    ) -> Result<()> {
        let Self { path, file, bytes, sizes, times, .. } = self;
        pack_blocks(path, metadata, values, pack, times, |blocks| {
            let mut all = Vec::new();
            for PackedBlock { bytes: block, .. } in blocks {
                let checksum = checksum(block) as u32;
                sizes.push(BlockSize { len: block.len() as u64, checksum });
                all.extend_from_slice(block);
            }
            file.write(*bytes, &all)?;
            *bytes += all.len() as u64;
            Ok(())
        })
    }

    /// The blocks, in order.
    pub fn sizes(&self) -> &[BlockSize] {
        &self.sizes
    }

    /// The time that it has taken so far.
    pub fn times(&self) -> WriteTimes {
        self.times.with_whole(&self.whole)
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

/// A table whose blocks several processes write.
#[derive(Debug)]
pub struct DistributedWriter(ContainerWriter);

impl DistributedWriter {
    /// Begins a table.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self(ContainerWriter::create(path, written(Layout::Packed), PARTIAL)?))
    }

    /// The file that the processes write to.
    pub fn partial_path(&self) -> Option<&Path> {
        self.0.partial_path()
    }

    /// The offset of the first block.
    pub fn offset(&self) -> u64 {
        self.0.offset()
    }

    /// Completes the table. All blocks have to be there.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(mut self, path: &Path, metadata: &Metadata, sizes: &[BlockSize]) -> Result<()> {
        let mut offsets = vec![self.0.offset()];
        for BlockSize { len, .. } in sizes {
            self.0.skip(*len)?;
            offsets.push(self.0.offset());
        }
        let checksums: Vec<_> = sizes.iter().map(|size| size.checksum).collect();
        finish_container(self.0, path, &index_bytes(&offsets, &checksums), metadata)
    }
}
