//! `--certificate`: writes what proves the value.

use std::env;
use std::fmt;
use std::fs::File;
use std::io;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, RuleSet};
use fanorona_proof::{Bounds, CertificateError, Claim, Maker};
use fanorona_solver::{Limits, Solver};
use fanorona_storage::{Operation, ReplaceError};
use fanorona_tablebase::Tables;
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::destination::Destination;
use crate::human::counted;
use crate::interrupt;
use crate::output;
use crate::progress::spinner;

/// A certificate to write.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub file: Destination<'a>,
    pub rules: &'a RuleSet,
    pub position: &'a Position,
    pub bounds: Bounds,
    pub tables: Option<&'a Tables>,
    /// The memory limit of each proof, in bytes.
    pub memory: usize,
}

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

impl Order<'_> {
    /// Writes the certificate; `None` if the bounds claim nothing. The solver knows most of the turns,
    /// and searches within these limits for those that its memory has lost.
    ///
    /// # Errors
    /// If a turn cannot be found, if the file cannot be written, and after Ctrl-C.
    pub(super) fn write(
        &self,
        solver: &mut Solver<'_>,
        limits: &Limits,
    ) -> Result<Option<Written>, CertificateError> {
        let claims = Claim::of_bounds(self.bounds, self.position.to_move());
        if claims.is_empty() {
            return Ok(None);
        }
        let progress = spinner("making the certificate".to_owned());
        let stop = interrupt::flag();
        let maker = Maker::new(*self.rules, self.position, self.tables)?;
        let mut maker = maker.with_memory_limit(self.memory);
        let mut positions = 0;
        for claim in claims {
            let mut guide = solver.strategy(claim, limits, stop);
            positions += maker.prove(claim, &mut guide, stop, |found| {
                let positions = counted(positions + found, "position");
                progress.set_message(format!("the certificate has {positions}"));
            })?;
        }
        let bytes = if self.file.is_standard_output() {
            print(&maker, stop)?
        } else {
            maker.write(self.file.path, stop)?
        };
        progress.finish_and_clear();
        Ok(Some(Written { file: self.file.name().to_string(), positions, bytes }))
    }
}

/// Prints a certificate on standard output. Its file is written in any order, so it is temporary.
fn print(maker: &Maker, stop: &AtomicBool) -> Result<u64, CertificateError> {
    let in_temporary = |operation| {
        let dir = env::temp_dir();
        move |error| CertificateError::from(ReplaceError::new(operation, &dir)(error))
    };
    let file = NamedTempFile::new().map_err(in_temporary(Operation::Create))?;
    let bytes = maker.write(file.path(), stop)?;
    let mut written = File::open(file.path()).map_err(in_temporary(Operation::Read))?;
    output::note(io::copy(&mut written, &mut io::stdout()).map(drop));
    Ok(bytes)
}
