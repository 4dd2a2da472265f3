//! The output of `check`.

use fanorona_core::{Board, Position, RuleSet};
use fanorona_knowledge::{Assessment, Source};
use fanorona_proof::Certificate;
use serde::Serialize;

use super::expansion::ExpansionReport;
use crate::failure::Failure;
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
    /// `None` without `--trust-no-table`.
    #[serde(skip_serializing_if = "Option::is_none")]
    expansion: Option<ExpansionReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Whether there is no verdict, because the file or a table could not be used.
    #[serde(skip)]
    is_unusable: bool,
}

/// The description of a certificate in its header.
#[derive(Serialize)]
struct Contents {
    board: Board,
    rules: RuleSet,
    position: Position,
    #[serde(flatten)]
    assessment: Assessment,
    tables: usize,
    bytes: u64,
    checksum: String,
}

/// The JSON object for several files.
#[derive(Serialize)]
pub(super) struct Reports {
    /// Whether all are proved.
    pub ok: bool,
    pub certificates: Vec<FileReport>,
    /// For all files together; `None` without `--trust-no-table`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expansion: Option<ExpansionReport>,
}

/// The report on one of several files.
#[derive(Serialize)]
pub(super) struct FileReport {
    pub file: String,
    #[serde(flatten)]
    pub report: Report,
}

impl Reports {
    /// The failure of the command, if there is one. A certificate that does not prove its claims counts
    /// more than a file that cannot be used.
    pub(super) fn failure(&self) -> Option<Failure> {
        let mut errors: Vec<String> = Vec::new();
        for FileReport { file, report } in &self.certificates {
            let Some(error) = &report.error else { continue };
            let is_named = self.certificates.len() == 1 || error.contains(file.as_str());
            let error = if is_named { error.clone() } else { format!("{file}: {error}") };
            // Files that were expanded together can have the same error, which is named once.
            if !errors.contains(&error) {
                errors.push(error);
            }
        }
        let text = errors.join("\n");
        let mut reports = self.certificates.iter().map(|of| &of.report);
        if reports.any(|report| report.error.is_some() && !report.is_unusable) {
            return Some(Failure::Check(text));
        }
        (!errors.is_empty()).then_some(Failure::Input(text))
    }

    /// The report of one file alone, or the reports unchanged.
    pub(super) fn into_one(mut self) -> Result<Report, Self> {
        match self.certificates.pop() {
            Some(FileReport { report, .. }) if self.certificates.is_empty() => {
                Ok(Report { expansion: self.expansion, ..report })
            }
            last => {
                self.certificates.extend(last);
                Err(self)
            }
        }
    }
}

impl FileReport {
    pub(super) fn is_proved(&self) -> bool {
        self.report.ok
    }
}

impl Report {
    /// A file without a certificate that could be read.
    fn without_contents(error: String, is_unusable: bool) -> Self {
        let (error, contents, expansion) = (Some(error), None, None);
        Self { ok: false, positions: 0, contents, expansion, error, is_unusable }
    }

    /// A file that is too damaged to be opened.
    pub(super) fn damaged(error: String) -> Self {
        Self::without_contents(error, false)
    }

    /// A file of which nothing is known.
    pub(super) fn unusable(error: String) -> Self {
        Self::without_contents(error, true)
    }

    /// A certificate that holds, or does not for a reason.
    pub(super) fn new(certificate: &Certificate, error: Option<String>) -> Self {
        let contents = Contents {
            board: certificate.board(),
            rules: certificate.rules(),
            position: certificate.position(),
            assessment: Assessment::new(certificate.bounds(), Source::Proof),
            tables: certificate.tables().len(),
            bytes: certificate.bytes(),
            checksum: format!("{:016x}", certificate.checksum()),
        };
        Self {
            ok: error.is_none(),
            positions: certificate.positions(),
            contents: Some(contents),
            expansion: None,
            error,
            is_unusable: false,
        }
    }

    /// The proved claim, with its basis; `None` if nothing is proved.
    pub(super) fn in_words(&self) -> Option<String> {
        let contents = self.contents.as_ref().filter(|_| self.ok)?;
        let Contents { rules, position, assessment, tables, bytes, checksum, .. } = contents;
        Some(format!(
            "{position}, {rules}: {assessment}\nproved by {} and {}; {}, checksum {checksum}",
            counted(self.positions, "position"),
            counted(tables, "table"),
            counted(bytes, "byte"),
        ))
    }
}
