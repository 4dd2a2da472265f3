//! Writing a table. Each of several processes packs neighbouring blocks into a file of its own, and
//! copies them to the table when it is known where they begin.

use std::ops::Range;
use std::path::{Path, PathBuf};

use fanorona_tablebase::format::{BlockSize, Metadata, PackedPart, TableWriter, WriteTimes};
use fanorona_tablebase::{Layout, Result};

use crate::processes::Processes;

/// Returns the bytes of the block with some values.
pub(crate) type Pack<'p> = &'p (dyn Fn(Range<u64>) -> Result<Vec<u8>> + Sync);

/// Writes the blocks of a table. Each process has neighbouring ones.
pub(crate) enum BlockWriter<'a> {
    Alone(TableWriter),
    Shared { path: PathBuf, part: PackedPart, processes: Processes<'a> },
}

impl<'a> BlockWriter<'a> {
    pub(super) fn new(path: &Path, scratch_dir: &Path, processes: Processes<'a>) -> Result<Self> {
        if processes.is_alone() {
            return Ok(Self::Alone(TableWriter::create(path, Layout::Packed)?));
        }
        let part = processes.all(PackedPart::new(path, scratch_dir))?;
        Ok(Self::Shared { path: path.to_owned(), part, processes })
    }

    /// Packs blocks with the next values of this process, and adds them.
    pub(crate) fn add(
        &mut self,
        metadata: &Metadata,
        values: Range<u64>,
        pack: Pack<'_>,
    ) -> Result<()> {
        match self {
            Self::Alone(table) => table.add(metadata, values, pack),
            Self::Shared { part, .. } => part.add(metadata, values, pack),
        }
    }

    /// Completes the table. All processes call this at the same time.
    pub(crate) fn finish(self, metadata: &Metadata, result: Result<()>) -> Result<WriteTimes> {
        let (path, part, processes) = match self {
            Self::Alone(table) => return result.and_then(|()| table.finish(metadata)),
            Self::Shared { path, part, processes } => (path, part, processes),
        };
        processes.all(result)?;
        let numbers = |size: &BlockSize| [size.len, size.checksum.into()];
        let sizes = part.sizes().iter().flat_map(numbers).collect();
        let sizes = processes.gather_numbers(Ok(sizes))?;
        let sizes: Vec<Vec<_>> = sizes.iter().map(|numbers| sizes_of(numbers)).collect();
        // The first process creates the file, and the others need its temporary name.
        let create = || TableWriter::create(&path, Layout::Packed);
        let writer = processes.is_first().then(create).transpose();
        let begin = writer.as_ref().map_or_else(|_| None, |writer| writer.as_ref());
        let name = begin.and_then(|writer| writer.partial_path()?.file_name()?.to_str());
        let name = name.unwrap_or_default().to_owned();
        let first = begin.map_or(0, TableWriter::offset);
        let writer = processes.all(writer)?;
        let name = processes.text_of_first(&name)?;
        let first = processes.max(first)?;
        let before: u64 = sizes[..processes.index()].iter().flatten().map(|size| size.len).sum();
        processes.all(part.copy_to(&path.with_file_name(name), first + before))?;
        let finish = |mut writer: TableWriter| {
            writer.take(sizes.concat())?;
            writer.finish(metadata)
        };
        processes.all(writer.map(finish).transpose())?;
        Ok(part.times())
    }
}

/// Sizes of blocks from the numbers that another process has sent.
fn sizes_of(numbers: &[u64]) -> Vec<BlockSize> {
    let sizes = numbers.chunks_exact(2);
    sizes.map(|size| BlockSize { len: size[0], checksum: size[1] as u32 }).collect()
}
