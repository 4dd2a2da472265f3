//! Opening tables that must be what their names say.

use std::io;
use std::path::Path;

use fanorona_storage::Access;

use crate::error::{Result, TableError};
use crate::format::{TableFile, UnpackedFile};
use crate::key::TableKey;

/// Opens a table and compares what it says with what it should be for; `None` if there is no such
/// file.
pub(crate) fn open_table(dir: &Path, key: &TableKey, access: Access) -> Result<Option<TableFile>> {
    let path = dir.join(key.file_name());
    let Some(file) = if_there(TableFile::open_with(&path, access))? else { return Ok(None) };
    check_key(&path, file.metadata().key(), *key)?;
    Ok(Some(file))
}

/// Opens the unpacked table beside a packed one, and compares what it says with that; `None` if
/// there is no such file.
pub(crate) fn open_unpacked(
    dir: &Path,
    packed: &TableFile,
    access: Access,
) -> Result<Option<UnpackedFile>> {
    let key = packed.metadata().key();
    let path = dir.join(key.unpacked_name());
    let Some(file) = if_there(UnpackedFile::open(&path, access))? else { return Ok(None) };
    check_key(&path, file.metadata().key(), key)?;
    file.checked_against(packed).map(Some)
}

fn check_key(path: &Path, found: TableKey, expected: TableKey) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(TableError::Other { path: path.to_owned(), found, expected })
}

/// A file that was opened; `None` if there is none.
fn if_there<T>(opened: Result<T>) -> Result<Option<T>> {
    match opened {
        Err(TableError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(Some),
    }
}
