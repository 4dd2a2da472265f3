//! Files that are read whole, up to a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;

use crate::failure::Failure;

/// Reads a file up to `most` bytes, and one more, which is enough to refuse a longer one. What a file
/// says of its length is not asked: a device has no end, and says that it is empty.
pub(crate) fn read_at_most(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text of up to this number of MiB.
///
/// # Errors
/// If the file cannot be read, is longer, or is not UTF-8.
pub(crate) fn read_text(file: &Path, mebibytes: u64) -> anyhow::Result<String> {
    let (name, most) = (file.display(), mebibytes << 20);
    let bytes = read_at_most(file, most).with_context(|| format!("cannot read '{name}'"))?;
    if bytes.len() as u64 > most {
        return Err(Failure::input(format!("'{name}' has more than {mebibytes} MiB")));
    }
    String::from_utf8(bytes).map_err(|_| Failure::input(format!("'{name}' is not a text in UTF-8")))
}
