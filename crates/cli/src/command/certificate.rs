//! What `analyze` and `check` share: writing a certificate, and what one says.

use std::fmt;
use std::path::Path;

use fanorona_core::{Position, RuleSet, Value};
use fanorona_proof::Bounds;
use fanorona_proof::{CertificateError, Claim, Maker};
use fanorona_solver::{Limits, Solver};
use fanorona_tablebase::Tables;
use serde::Serialize;

use crate::failure::Failure;
use crate::interrupt;
use crate::output::spinner;

/// Bounds of a value.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct BoundsReport {
    value: &'static str,
    at_least: &'static str,
    at_most: &'static str,
}

impl From<Bounds> for BoundsReport {
    fn from(bounds: Bounds) -> Self {
        let name = |value| match value {
            Value::Loss => "loss",
            Value::Draw => "draw",
            Value::Win => "win",
        };
        Self {
            value: bounds.value().map_or("unknown", name),
            at_least: name(bounds.at_least),
            at_most: name(bounds.at_most),
        }
    }
}

impl BoundsReport {
    pub(super) fn in_words(self) -> String {
        match (self.value, self.at_least, self.at_most) {
            ("unknown", "loss", at_most) => format!("at most a {at_most}"),
            ("unknown", at_least, _) => format!("at least a {at_least}"),
            (value, ..) => value.to_owned(),
        }
    }
}

/// A certificate that was written.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Written {
    pub file: String,
    pub positions: usize,
    pub bytes: u64,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, positions, bytes } = self;
        write!(f, "certificate: {file}, {positions} positions, {bytes} bytes")
    }
}

/// Refuses a file that cannot be written, before a long search.
pub(super) fn check_place(file: &Path) -> anyhow::Result<()> {
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if dir.is_dir() && !file.is_dir() {
        return Ok(());
    }
    let (file, dir) = (file.display(), dir.display());
    Err(Failure::input(format!(
        "the certificate '{file}' cannot be written: give a file's name in a directory that is \
         there, and '{dir}' has to be one"
    )))
}

/// Writes what proves the bounds of a position, in so many bytes of memory; `None` if there is
/// nothing to prove. The solver tells the turns, and searches within these limits for each that it
/// has forgotten.
pub(super) fn write(
    file: &Path,
    (rules, position): (&RuleSet, &Position),
    tables: Option<&Tables>,
    bounds: Bounds,
    memory: usize,
    solver: &mut Solver<'_>,
    limits: &Limits,
) -> Result<Option<Written>, CertificateError> {
    let claims = Claim::of_bounds(bounds, position.to_move());
    if claims.is_empty() {
        return Ok(None);
    }
    let progress = spinner("making the certificate".to_owned());
    let stop = interrupt::flag();
    let mut maker = Maker::new(*rules, position, tables)?.with_memory_limit(memory);
    let mut positions = 0;
    for claim in claims {
        let (question, answer) = claim.question();
        let mut guide = solver.strategy(question, answer, limits, stop);
        positions += maker.prove(claim, &mut guide, stop, |found| {
            progress.set_message(format!("the certificate has {} positions", positions + found));
        })?;
    }
    let bytes = maker.write(file, stop)?;
    progress.finish_and_clear();
    Ok(Some(Written { file: file.display().to_string(), positions, bytes }))
}
