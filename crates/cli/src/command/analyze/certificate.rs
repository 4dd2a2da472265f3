//! `--certificate`: writes what proves the value.

use std::fmt;
use std::path::Path;

use fanorona_core::Position;
use fanorona_proof::{Bounds, CertificateError};
use fanorona_solver::{Limits, Solver};
use serde::Serialize;

use crate::human::counted;
use crate::interrupt;
use crate::progress::spinner;

/// A certificate that was written.
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
///
/// # Errors
/// If a turn cannot be found, if the file cannot be written, and after Ctrl-C.
pub(super) fn write(
    solver: &mut Solver<'_>,
    position: &Position,
    bounds: Bounds,
    limits: &Limits,
    path: &Path,
) -> Result<Option<Written>, CertificateError> {
    let progress = spinner("making the certificate".to_owned());
    let (stop, mut positions) = (interrupt::flag(), 0);
    let maker = solver.certify(position, bounds, limits, stop, |found| {
        positions = found;
        let found = counted(found, "position");
        progress.set_message(format!("the certificate has {found}"));
    })?;
    let bytes = maker.map(|maker| maker.write(path, stop)).transpose()?;
    progress.finish_and_clear();
    Ok(bytes.map(|bytes| Written { file: path.display().to_string(), positions, bytes }))
}
