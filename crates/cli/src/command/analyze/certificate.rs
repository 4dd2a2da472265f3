//! Writing what proves the value.

use std::fmt;
use std::path::Path;

use fanorona_core::{Position, RuleSet};
use fanorona_proof::{Bounds, CertificateError, Claim, Maker};
use fanorona_solver::{Limits, Solver};
use fanorona_tablebase::Tables;
use serde::Serialize;

use crate::interrupt;
use crate::output::spinner;

/// What a certificate is to prove, and with what.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub path: &'a Path,
    pub rules: &'a RuleSet,
    pub position: &'a Position,
    pub bounds: Bounds,
    pub tables: Option<&'a Tables>,
    /// The most memory for each proof, in bytes.
    pub memory: usize,
}

/// A certificate that was written.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Written {
    /// The file, as far as its name is text.
    file: String,
    positions: usize,
    bytes: u64,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, positions, bytes } = self;
        write!(f, "certificate: {file}, {positions} positions, {bytes} bytes")
    }
}

impl Order<'_> {
    /// Writes the certificate; `None` if the bounds claim nothing. The solver knows the turns, and
    /// searches within these limits for each that it has forgotten.
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
                let positions = positions + found;
                progress.set_message(format!("the certificate has {positions} positions"));
            })?;
        }
        let bytes = maker.write(self.path, stop)?;
        progress.finish_and_clear();
        Ok(Some(Written { file: self.path.display().to_string(), positions, bytes }))
    }
}
