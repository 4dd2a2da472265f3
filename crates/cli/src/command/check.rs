//! `check`: whether a certificate proves its claims.

use std::path::PathBuf;

use clap::Args;
use fanorona_core::{Board, Position, RuleSet};
use fanorona_proof::Certificate;
use serde::Serialize;

use super::bounds::BoundsReport;
use crate::failure::{self, Failure};
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::options::{CommonOptions, ReadOptions};
use crate::output::spinner;

/// Check a certificate written by analyze
#[derive(Debug, Args)]
#[command(after_help = "\
The certificate names its board, rule set and position, and the checksums of the tables that it \
uses. The check follows the proof turn by turn and shares no code with the search.

Example:
  fanorona check 3x3.cert")]
pub(crate) struct Check {
    /// Certificate to check
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    tables: ReadOptions,

    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Serialize)]
struct Report {
    ok: bool,
    /// The positions in the certificate.
    positions: u64,
    board: Board,
    rules: RuleSet,
    position: Position,
    #[serde(flatten)]
    bounds: BoundsReport,
    tables: usize,
    bytes: u64,
    checksum: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The report on a file too damaged to name its board and position.
#[derive(Serialize)]
struct Damaged {
    ok: bool,
    positions: u64,
    error: String,
}

impl Check {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.common.output();
        self.common.start_threads()?;
        let certificate = match Certificate::open(&self.file) {
            Ok(certificate) => certificate,
            Err(error) if error.is_refutation() => {
                let error = error.to_string();
                output.json(&Damaged { ok: false, positions: 0, error: error.clone() });
                return Err(Failure::Check(error).into());
            }
            Err(error) => return Err(failure::of_certificate(error)),
        };
        let (board, rules) = (certificate.board(), certificate.rules());
        let tables = if certificate.tables().is_empty() {
            None
        } else {
            self.tables.open_if_there(board, rules)?
        };
        interrupt::install()?;
        let all = certificate.positions();
        let progress = spinner("checking".to_owned());
        let of_all = counted(all, "position");
        let show =
            |checked| progress.set_message(format!("{} of {of_all} checked", grouped(checked)));
        let result = certificate.check(tables.as_ref(), interrupt::flag(), show);
        progress.finish_and_clear();

        let error = match result {
            Ok(_) => None,
            Err(error) if error.is_refutation() => Some(error.to_string()),
            Err(error) => return Err(failure::of_certificate(error)),
        };
        let report = Report {
            ok: error.is_none(),
            positions: all,
            board,
            rules,
            position: certificate.position(),
            bounds: certificate.bounds().into(),
            tables: certificate.tables().len(),
            bytes: certificate.bytes(),
            checksum: format!("{:016x}", certificate.checksum()),
            error,
        };
        output.json(&report);
        if let Some(error) = report.error {
            return Err(Failure::Check(error).into());
        }
        let Report { position, bounds, tables, bytes, checksum, .. } = report;
        output.text(format_args!(
            "{position}, {rules}: {}\nproved by {of_all} and {}; {}, checksum {checksum}",
            bounds.in_words(),
            counted(tables, "table"),
            counted(bytes, "byte"),
        ));
        Ok(())
    }
}
