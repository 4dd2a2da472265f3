//! The part of a file that has arrived.

use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use fanorona_storage::{FileError, Operation, PartialKind, Sha256, Sha256Hasher, sync_directory};

use crate::error::FetchError;

const PARTIAL: PartialKind = PartialKind::new("fetch");

/// A file that grows in the directory of the complete one. Its name has the hash of that one, so that
/// a later download finds it. Its lock keeps other processes away.
pub(crate) struct Partial {
    file: File,
    path: PathBuf,
    length: u64,
    hasher: Sha256Hasher,
}

impl Partial {
    /// Opens what an earlier download has left, or an empty file.
    ///
    /// # Errors
    /// If that fails, or if another process has it.
    pub(crate) fn open(dir: &Path, sha256: Sha256) -> Result<Self, FetchError> {
        let path = dir.join(PARTIAL.resumable_name(sha256));
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(FileError::io(Operation::Create, &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FetchError::Busy { path }),
            Err(TryLockError::Error(error)) => {
                return Err(FileError::io(Operation::Open, &path)(error).into());
            }
        }
        let mut hasher = Sha256Hasher::default();
        let length = io::copy(&mut file, &mut hasher);
        let length = length.map_err(FileError::io(Operation::Read, &path))?;
        Ok(Self { file, path, length, hasher })
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Forgets everything.
    ///
    /// # Errors
    /// If that fails.
    pub(crate) fn restart(&mut self) -> Result<(), FileError> {
        let emptied = self.file.set_len(0).and_then(|()| self.file.rewind());
        emptied.map_err(FileError::io(Operation::Write, &self.path))?;
        (self.length, self.hasher) = (0, Sha256Hasher::default());
        Ok(())
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// If that fails.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let written = self.file.write_all(bytes).and_then(|()| self.hasher.write_all(bytes));
        written.map_err(FileError::io(Operation::Write, &self.path))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// The hash of what has arrived.
    pub(crate) fn sha256(&self) -> Sha256 {
        self.hasher.clone().finish()
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// If that fails.
    pub(crate) fn commit(self, to: &Path) -> Result<(), FileError> {
        self.file.sync_all().map_err(FileError::io(Operation::Write, &self.path))?;
        fs::rename(&self.path, to).map_err(FileError::io(Operation::Rename, to))?;
        sync_directory(self.path.parent().unwrap_or(Path::new(".")))
    }

    /// Removes the file.
    ///
    /// # Errors
    /// If that fails.
    pub(crate) fn remove(self) -> Result<(), FileError> {
        fs::remove_file(&self.path).map_err(FileError::io(Operation::Remove, &self.path))
    }
}
