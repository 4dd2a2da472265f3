//! Temporary files for data that does not fit in memory.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use memmap2::Mmap;
use tempfile::TempPath;

use crate::access::{read_at, write_at};
use crate::error::{FileError, Operation};
use crate::replace::{PartialKind, new_partial, sync_directory};
use crate::target::{check_regular, directory_of};

/// A file for data that does not fit in memory.
///
/// Threads can share it: every read and write gives its own offset.
#[derive(Debug)]
pub struct ScratchFile {
    file: File,
    /// Its path, or its directory if it has no lasting name.
    path: PathBuf,
    has_name: bool,
    /// Its temporary name, which is removed when this is dropped.
    partial: Mutex<Option<TempPath>>,
}

impl ScratchFile {
    /// Creates an empty file without a name in a directory, which decides the disk that it is on. The
    /// system frees its space when the program ends, also if the program is killed.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(dir: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = dir.as_ref().to_owned();
        let file = tempfile::tempfile_in(&path).map_err(FileError::io(Operation::Create, &path))?;
        Ok(Self { file, path, has_name: false, partial: Mutex::default() })
    }

    /// Creates an empty file with a temporary name, see [`PartialKind`]. It is removed when it is
    /// dropped, unless [`keep`](Self::keep) is called before.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create_partial(dir: impl AsRef<Path>, kind: PartialKind) -> Result<Self, FileError> {
        let path = dir.as_ref().to_owned();
        let file = new_partial(&path, kind, None);
        let (file, partial) = file.map_err(FileError::io(Operation::Create, &path))?.into_parts();
        Ok(Self { file, path, has_name: true, partial: Mutex::new(Some(partial)) })
    }

    /// Opens a file that was kept, to read it and to write more.
    ///
    /// # Errors
    /// If it cannot be opened, or is no regular file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref().to_owned();
        let open = || {
            check_regular(std::fs::metadata(&path)?.file_type())?;
            File::options().read(true).write(true).open(&path)
        };
        let file = open().map_err(FileError::io(Operation::Open, &path))?;
        Ok(Self { file, path, has_name: true, partial: Mutex::default() })
    }

    /// Replaces the temporary name of a synced file by a lasting one. Without a temporary name, it
    /// changes nothing.
    ///
    /// # Errors
    /// If it cannot be renamed. If only the directory cannot be synced
    /// ([`Operation::SyncDirectory`]), the new name might not survive a crash.
    pub fn keep(&self, path: &Path) -> Result<(), FileError> {
        let mut partial = self.partial.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(name) = partial.take() else { return Ok(()) };
        name.persist(path).map_err(|error| {
            *partial = Some(error.path);
            FileError::io(Operation::Rename, path)(error.error)
        })?;
        sync_directory(directory_of(path))
    }

    /// Waits until everything that was written survives a crash of the system.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn sync(&self) -> Result<(), FileError> {
        self.file.sync_data().map_err(self.error(Operation::Write))
    }

    /// The length, in bytes.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn length(&self) -> Result<u64, FileError> {
        let metadata = self.file.metadata().map_err(self.error(Operation::Read))?;
        Ok(metadata.len())
    }

    /// Makes the file at most this long.
    ///
    /// # Errors
    /// If the file system refuses the length.
    pub fn truncate(&self, length: u64) -> Result<(), FileError> {
        if self.length()? > length {
            self.file.set_len(length).map_err(self.error(Operation::Write))?;
        }
        Ok(())
    }

    /// The path, or the directory if the file has no lasting name.
    pub fn path(&self) -> &Path {
        &self.path
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
        if self.length()? < length {
            self.file.set_len(length).map_err(self.error(Operation::Write))?;
        }
        Ok(())
    }

    /// Maps the whole file, which was [created without a name](Self::create). It cannot be written
    /// any more. The system keeps as much of it in memory as there is room for.
    ///
    /// # Errors
    /// If the file has a name, or the system refuses the mapping.
    pub fn map(self) -> Result<Mmap, FileError> {
        if self.has_name {
            let error = io::Error::new(io::ErrorKind::Unsupported, "other programs can change it");
            return Err(self.error(Operation::Map)(error));
        }
        #[expect(unsafe_code, reason = "memory mapping")]
        // SAFETY: the mapping is read-only, and `self`, its only handle, is consumed. The file has no
        // name, so no other program can open it.
        let map = unsafe { Mmap::map(&self.file) };
        map.map_err(self.error(Operation::Map))
    }

    fn error(&self, operation: Operation) -> impl FnOnce(io::Error) -> FileError {
        FileError::io(operation, &self.path)
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

    /// A named file is removed when it is dropped, unless it was kept.
    #[test]
    fn files_can_be_kept() {
        const KIND: PartialKind = PartialKind::new("scratch");
        let dir = tempfile::tempdir().unwrap();
        let names = || -> Vec<_> {
            let files = std::fs::read_dir(dir.path()).unwrap();
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
        };
        let file = ScratchFile::create_partial(dir.path(), KIND).unwrap();
        assert!(KIND.is_partial(&names()[0]));
        drop(file);
        assert!(names().is_empty());
        let file = ScratchFile::create_partial(dir.path(), KIND).unwrap();
        file.write(0, b"abcdef").unwrap();
        file.sync().unwrap();
        // A directory stands where it should be: it stays a temporary file.
        let path = dir.path().join("kept");
        std::fs::create_dir(&path).unwrap();
        assert!(file.keep(&path).is_err());
        std::fs::remove_dir(&path).unwrap();
        file.keep(&path).unwrap();
        file.keep(&dir.path().join("other")).unwrap();
        drop(file);
        assert_eq!(names(), ["kept"]);
        let file = ScratchFile::open(&path).unwrap();
        file.truncate(10).unwrap();
        file.truncate(4).unwrap();
        file.write(2, b"x").unwrap();
        let mut bytes = [0; 4];
        file.read(0, &mut bytes).unwrap();
        assert_eq!((&bytes, file.length().unwrap()), (b"abxd", 4));
        assert!(file.map().is_err(), "others can change it");
        assert!(ScratchFile::open(dir.path()).is_err());
    }

    #[test]
    fn errors_name_the_directory() {
        let error = ScratchFile::create("/nowhere/at/all").unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }
}
