//! Temporary files for data that does not fit in memory.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::access::{read_at, write_at};
use crate::error::FileError;
use crate::operation::Operation;

/// A file without a name. The system frees its space when the program ends, also if the program is
/// killed.
///
/// Threads can share it: every read and write gives its own offset.
#[derive(Debug)]
pub struct ScratchFile {
    file: File,
    dir: PathBuf,
}

impl ScratchFile {
    /// Creates an empty file in a directory, which decides the disk that it is on.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(dir: impl AsRef<Path>) -> Result<Self, FileError> {
        let dir = dir.as_ref().to_owned();
        let file = tempfile::tempfile_in(&dir).map_err(FileError::io(Operation::Create, &dir))?;
        Ok(Self { file, dir })
    }

    /// Writes bytes at an offset. The file grows if it is shorter.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), FileError> {
        write_at(&self.file, bytes, offset).map_err(self.error(Operation::Write))
    }

    /// Reads bytes at an offset.
    ///
    /// # Errors
    /// If the file is too short or the disk fails.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), FileError> {
        read_at(&self.file, bytes, offset).map_err(self.error(Operation::Read))
    }

    /// Makes the file at least this long. Bytes that were never written are zero.
    ///
    /// # Errors
    /// If the file system refuses the length.
    pub fn extend(&self, length: u64) -> Result<(), FileError> {
        let extend = || match self.file.metadata()?.len() {
            shorter if shorter < length => self.file.set_len(length),
            _ => Ok(()),
        };
        extend().map_err(self.error(Operation::Write))
    }

    /// Maps the whole file. It cannot be written any more.
    ///
    /// # Errors
    /// If the system refuses the mapping.
    pub fn map(self) -> Result<ScratchMap, FileError> {
        #[expect(unsafe_code, reason = "memory mapping")]
        // SAFETY: the mapping is read-only. The file has no name, so no other program can open it,
        // and `self`, its only handle, is consumed.
        let map = unsafe { Mmap::map(&self.file) };
        map.map(ScratchMap).map_err(self.error(Operation::Map))
    }

    fn error(&self, operation: Operation) -> impl FnOnce(io::Error) -> FileError {
        FileError::io(operation, &self.dir)
    }
}

/// A [`ScratchFile`] that is mapped into memory. The system keeps as much of it in memory as there
/// is room for.
#[derive(Debug)]
pub struct ScratchMap(Mmap);

impl Deref for ScratchMap {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_where_they_were_written() {
        let dir = tempfile::tempdir().unwrap();
        let file = ScratchFile::create(dir.path()).unwrap();
        file.write(5, b"abc").unwrap();
        file.write(1_000, b"de").unwrap();
        file.extend(1_010).unwrap();
        file.extend(10).unwrap();
        let mut bytes = [0; 4];
        file.read(4, &mut bytes).unwrap();
        assert_eq!(&bytes, b"\0abc");
        assert!(file.read(1_008, &mut bytes).is_err());
        let map = file.map().unwrap();
        assert_eq!((map.len(), &map[1_000..1_003]), (1_010, &b"de\0"[..]));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn errors_name_the_directory() {
        let error = ScratchFile::create("/nowhere/at/all").unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }
}
