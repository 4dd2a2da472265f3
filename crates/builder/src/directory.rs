//! The directory that a build works in.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use fanorona_storage::Operation;
use fanorona_tablebase::format::PARTIAL;
use fanorona_tablebase::{Result, TableError};

use super::checkpoint::CHECKPOINT_FILE;

/// Keeps other builds out of a directory until it is dropped or the process ends.
///
/// It has no file where directories cannot be locked. There, users must not run two builds at a time.
pub(super) struct DirectoryLock(#[expect(dead_code, reason = "it is locked")] Option<File>);

impl DirectoryLock {
    /// Locks a directory, and removes temporary files that a killed build has left there.
    pub(super) fn new(dir: &Path) -> Result<Self> {
        let open = File::open(dir).ok();
        if let Some(Err(TryLockError::WouldBlock)) = open.as_ref().map(File::try_lock) {
            return Err(TableError::Busy { dir: dir.to_owned() });
        }
        let io = || TableError::io(Operation::ListDirectory, dir);
        for entry in fs::read_dir(dir).map_err(io())? {
            let path = entry.map_err(io())?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if PARTIAL.is_partial(&name) || CHECKPOINT_FILE.is_partial(&name) {
                fs::remove_file(&path).map_err(TableError::io(Operation::Remove, &path))?;
            }
        }
        Ok(Self(open))
    }
}

/// The error of a file that was written and has disappeared.
pub(super) fn vanished(path: &Path) -> TableError {
    TableError::io(Operation::Open, path)(ErrorKind::NotFound.into())
}
