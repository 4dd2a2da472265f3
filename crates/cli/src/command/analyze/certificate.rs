//! `--certificate`: writes what proves the value.

use std::env;
use std::fmt;
use std::fs::File;
use std::io;
use std::sync::atomic::AtomicBool;

use fanorona_engine::inquiry::{Answer, Inquiry};
use fanorona_proof::{CertificateError, Maker};
use fanorona_storage::{FileError, Operation};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::destination::Destination;
use crate::human::counted;
use crate::interrupt;
use crate::output;
use crate::progress::spinner;

#[derive(Clone, Debug, Serialize)]
pub(super) struct Written {
    /// The file; what is not UTF-8 in its name is replaced.
    file: String,
    positions: usize,
    bytes: u64,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, positions, bytes } = self;
        let (positions, bytes) = (counted(positions, "position"), counted(bytes, "byte"));
        write!(f, "certificate: {file}, {positions}, {bytes}")
    }
}

/// Writes a certificate of what an analysis has proved; `None` if that is nothing.
pub(super) fn write(
    inquiry: &mut Inquiry<'_>,
    answer: &Answer,
    file: Destination<'_>,
) -> Result<Option<Written>, CertificateError> {
    let progress = spinner("making the certificate".to_owned());
    let (stop, mut positions) = (interrupt::flag(), 0);
    let maker = inquiry.certify(answer, stop, |found| {
        positions = found;
        let found = counted(found, "position");
        progress.set_message(format!("the certificate has {found}"));
    })?;
    let Some(maker) = maker else { return Ok(None) };
    let bytes = match file.is_standard_output() {
        true => print(&maker, stop)?,
        false => maker.write(file.path, stop)?,
    };
    progress.finish_and_clear();
    Ok(Some(Written { file: file.name().to_string(), positions, bytes }))
}

/// Prints a certificate on standard output. Its file is written in any order, so it is temporary.
fn print(maker: &Maker, stop: &AtomicBool) -> Result<u64, CertificateError> {
    let in_temporary = |operation| {
        let dir = env::temp_dir();
        move |error| CertificateError::from(FileError::io(operation, &dir)(error))
    };
    let file = NamedTempFile::new().map_err(in_temporary(Operation::Create))?;
    let bytes = maker.write(file.path(), stop)?;
    let mut written = File::open(file.path()).map_err(in_temporary(Operation::Read))?;
    output::note(io::copy(&mut written, &mut io::stdout()).map(drop));
    Ok(bytes)
}
