//! What `check` prints.

use std::path::{Path, PathBuf};

use fanorona_core::{Board, Position, RuleSet};
use fanorona_proof::Certificate;
use serde::Serialize;

use super::expansion::ExpansionReport;
use crate::command::bounds::BoundsReport;
use crate::human::counted;

/// The JSON object for one file.
#[derive(Serialize)]
pub(super) struct Report {
    ok: bool,
    /// The positions in the certificate; 0 if the file is damaged.
    positions: u64,
    /// `None` if the file is too damaged to name its board and position.
    #[serde(flatten)]
    contents: Option<Contents>,
    /// The length of the file that `--rewrite` wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten_bytes: Option<u64>,
    /// What `--trust-no-table` came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    expansion: Option<ExpansionReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// What a certificate says of itself.
#[derive(Serialize)]
struct Contents {
    board: Board,
    rules: RuleSet,
    position: Position,
    #[serde(flatten)]
    bounds: BoundsReport,
    tables: usize,
    bytes: u64,
    checksum: String,
}

/// The JSON object for several files.
#[derive(Serialize)]
pub(super) struct Reports {
    /// Whether all are.
    pub ok: bool,
    pub certificates: Vec<FileReport>,
    /// What `--trust-no-table` came to, of all files together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expansion: Option<ExpansionReport>,
}

/// The report on one of several files.
#[derive(Serialize)]
pub(super) struct FileReport {
    pub file: PathBuf,
    #[serde(flatten)]
    pub report: Report,
}

impl Report {
    /// A file that is too damaged to be opened.
    pub(super) fn damaged(error: String) -> Self {
        let error = Some(error);
        let (contents, rewritten_bytes, expansion) = (None, None, None);
        Self { ok: false, positions: 0, contents, rewritten_bytes, expansion, error }
    }

    /// A certificate that holds, or does not for a reason.
    pub(super) fn new(certificate: &Certificate, error: Option<String>) -> Self {
        let contents = Contents {
            board: certificate.board(),
            rules: certificate.rules(),
            position: certificate.position(),
            bounds: certificate.bounds().into(),
            tables: certificate.tables().len(),
            bytes: certificate.bytes(),
            checksum: format!("{:016x}", certificate.checksum()),
        };
        Self {
            ok: error.is_none(),
            positions: certificate.positions(),
            contents: Some(contents),
            rewritten_bytes: None,
            expansion: None,
            error,
        }
    }

    /// The same with what `--trust-no-table` came to.
    pub(super) fn with(self, expansion: Option<ExpansionReport>) -> Self {
        Self { expansion, ..self }
    }

    pub(super) fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// What is proved, and by what; `None` if nothing is.
    pub(super) fn in_words(&self) -> Option<String> {
        let contents = self.contents.as_ref().filter(|_| self.ok)?;
        let Contents { rules, position, bounds, tables, bytes, checksum, .. } = contents;
        Some(format!(
            "{position}, {rules}: {}\nproved by {} and {}; {}, checksum {checksum}",
            bounds.in_words(),
            counted(self.positions, "position"),
            counted(tables, "table"),
            counted(bytes, "byte"),
        ))
    }

    /// Where `--rewrite` wrote the certificate.
    pub(super) fn rewritten_in_words(&self, path: &Path) -> Option<String> {
        let bytes = counted(self.rewritten_bytes?, "byte");
        Some(format!("rewritten to {}, {bytes}", path.display()))
    }
}
