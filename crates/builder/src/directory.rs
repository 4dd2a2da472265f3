//! The directory that a build works in.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use fanorona_storage::Operation;
use fanorona_tablebase::format::PARTIAL;
use fanorona_tablebase::{Result, TableError};

use super::checkpoint::CHECKPOINT_FILE;

/// Keeps other builds out of a directory until it is dropped or the process ends.
#[derive(Debug)]
pub(super) struct DirectoryLock {
    /// `None` where directories cannot be locked. There, users must not run two builds at a time.
    _open: Option<File>,
}

impl DirectoryLock {
    /// Locks a directory, and removes temporary files that a killed build has left there.
    pub(super) fn new(dir: &Path) -> Result<Self> {
        let lock = Self { _open: lock(dir)? };
        remove_partial_files(dir)?;
        Ok(lock)
    }
}

fn lock(dir: &Path) -> Result<Option<File>> {
    let Ok(open) = File::open(dir) else { return Ok(None) };
    match open.try_lock() {
        Ok(()) => Ok(Some(open)),
        Err(TryLockError::WouldBlock) => Err(TableError::Busy { dir: dir.to_owned() }),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

fn remove_partial_files(dir: &Path) -> Result<()> {
    let io = || TableError::io(Operation::ListDirectory, dir);
    for entry in fs::read_dir(dir).map_err(io())? {
        let entry = entry.map_err(io())?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if PARTIAL.is_partial(&name) || CHECKPOINT_FILE.is_partial(&name) {
            fs::remove_file(entry.path())
                .map_err(TableError::io(Operation::Remove, &entry.path()))?;
        }
    }
    Ok(())
}

/// The error of a file that was written and has disappeared.
pub(super) fn vanished(path: &Path) -> TableError {
    TableError::io(Operation::Open, path)(ErrorKind::NotFound.into())
}
