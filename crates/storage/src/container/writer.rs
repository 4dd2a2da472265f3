//! Writing containers.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::prelude::{FileKind, PRELUDE, Prelude};
use crate::error::{FileError, Operation};
use crate::replace::{AtomicFile, PartialKind};

type Result<T> = std::result::Result<T, FileError>;

/// Writes a container: first the body, then index and metadata. Like every [`AtomicFile`], the file
/// gets its name when it is complete.
#[derive(Debug)]
pub struct ContainerWriter {
    out: BufWriter<AtomicFile>,
    path: PathBuf,
    kind: FileKind,
    offset: u64,
}

impl ContainerWriter {
    /// Begins a new container.
    ///
    /// # Errors
    /// As for [`AtomicFile::create`], and if the prelude cannot be written.
    pub fn create(path: impl AsRef<Path>, kind: FileKind, partial: PartialKind) -> Result<Self> {
        let path = path.as_ref();
        let out = BufWriter::new(AtomicFile::create(path, partial)?);
        let mut writer = Self { out, path: path.to_owned(), kind, offset: 0 };
        writer.write(&[0; PRELUDE])?;
        Ok(writer)
    }

    /// The offset in the file at which the next bytes of the body will be written.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Appends bytes to the body.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.offset += bytes.len() as u64;
        let written = self.out.write_all(bytes);
        written.map_err(FileError::io(Operation::Write, &self.path))
    }

    /// Writes index, metadata and prelude, and commits the file. Returns its length in bytes.
    ///
    /// # Errors
    /// If it cannot be written, or as for [`AtomicFile::commit`].
    pub fn finish(mut self, index: &[u8], metadata: &[u8]) -> Result<u64> {
        let index_offset = self.offset;
        self.write(index)?;
        let metadata_offset = self.offset;
        self.write(metadata)?;
        let mut hasher = Xxh3::new();
        hasher.update(index);
        hasher.update(metadata);
        let prelude = Prelude {
            version: self.kind.version,
            index_offset,
            metadata_offset,
            file_length: self.offset,
            tail_checksum: hasher.digest(),
        };
        let Self { mut out, path, kind, offset: length } = self;
        let written = out.seek(SeekFrom::Start(0)).and_then(|_| {
            out.write_all(&prelude.to_bytes(kind.magic))?;
            out.into_inner().map_err(io::IntoInnerError::into_error)
        });
        written.map_err(FileError::io(Operation::Write, &path))?.commit()?;
        Ok(length)
    }
}
