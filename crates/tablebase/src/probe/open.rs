//! Opening tables and checking that they are what their names say.

use std::path::Path;

use fanorona_core::ErrorKind;
use fanorona_storage::{Access, FileError};

use crate::error::{Result, TableError};
use crate::format::TableFile;
use crate::key::{Layout, TableKey};

/// Opens a table and checks that its metadata match its name. `None` if the file does not exist.
///
/// # Errors
/// If the file is damaged, or holds another table.
pub fn open_table(
    dir: &Path,
    key: &TableKey,
    layout: Layout,
    access: Access,
) -> Result<Option<TableFile>> {
    let path = dir.join(key.file_name_in(layout));
    let file = match TableFile::open_with(&path, access) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let (found, expected) = (file.metadata().key(), *key);
    if found != expected {
        return Err(TableError::Other { path, found, expected });
    }
    if file.metadata().layout != layout {
        let what =
            "it is packed and its name is that of an unpacked table, or the reverse".to_owned();
        return Err(FileError::Corrupt { path, what, offset: 0 }.into());
    }
    Ok(Some(file))
}
