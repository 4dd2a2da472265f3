//! Opening tables and checking that they are what their names say.

use std::path::Path;

use fanorona_core::ErrorKind;
use fanorona_storage::Access;

use crate::error::{Result, TableError};
use crate::format::{TableFile, UnpackedFile};
use crate::key::TableKey;

/// Opens a table and checks that its metadata match `key`. `None` if the file does not exist.
///
/// # Errors
/// If the file is damaged, or holds another table.
pub fn open_table(dir: &Path, key: &TableKey, access: Access) -> Result<Option<TableFile>> {
    let path = dir.join(key.file_name());
    let Some(file) = if_there(TableFile::open_with(&path, access))? else { return Ok(None) };
    check_key(&path, file.metadata().key(), *key)?;
    Ok(Some(file))
}

/// Opens the unpacked table beside a packed one, and checks that it was made from that. `None` if
/// the file does not exist.
///
/// # Errors
/// If the file is damaged, or holds another table.
pub fn open_unpacked(
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

/// Turns the error of a file that does not exist into `None`.
fn if_there<T>(opened: Result<T>) -> Result<Option<T>> {
    match opened {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        file => file.map(Some),
    }
}
