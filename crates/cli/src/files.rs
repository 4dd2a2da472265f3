//! Files that are read whole, up to a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Context;
use fanorona_engine::{Record, Records};

use crate::failure::Failure;

/// Reads a file up to `most` bytes, and one more, which is enough to refuse a longer one. What a file
/// says of its length is not asked: a device has no end, and says that it is empty.
pub(crate) fn read_at_most(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a text of up to this number of MiB.
pub(crate) fn read_text(file: &Path, mebibytes: u64) -> anyhow::Result<String> {
    let (name, most) = (file.display(), mebibytes << 20);
    let bytes = read_at_most(file, most).with_context(|| format!("cannot read '{name}'"))?;
    if bytes.len() as u64 > most {
        return Err(Failure::input(format!("'{name}' has more than {mebibytes} MiB")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n');
        Failure::input(format!("'{name}': line {} is not UTF-8", before.count() + 1))
    })
}

/// The longest file of games that is read, in MiB.
pub(crate) const MAX_GAMES: u64 = 64;

/// Reads the last game in a file, and how many there are.
pub(crate) fn read_game(file: &Path) -> anyhow::Result<(Record, usize)> {
    let name = file.display();
    let text = read_text(file, MAX_GAMES)?;
    let records: Vec<_> = Records::new(&text).collect();
    let count = records.len();
    let last = records.into_iter().next_back();
    let last = last.ok_or_else(|| Failure::input(format!("'{name}' has no game")))?;
    Ok((last.with_context(|| format!("'{name}' is not a game"))?, count))
}
