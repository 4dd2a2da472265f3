//! `check`: whether a certificate proves its claims.

mod expansion;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fanorona_core::{Board, Position, RuleSet};
use fanorona_proof::{Certificate, CertificateError, Form};
use fanorona_tablebase::Tables;
use serde::Serialize;

use self::expansion::ExpansionReport;
use super::bounds::BoundsReport;
use crate::failure::{self, Failure};
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::options::{CommonOptions, ReadOptions, at_least};
use crate::progress::spinner;

/// Check a certificate written by analyze
#[derive(Debug, Args)]
#[command(after_help = "\
The certificate names its board, rule set and position, and the checksums of the tables that it \
uses. The check follows the proof turn by turn and shares no code with the search.

With --trust-no-table, no value of a table is believed. Where the proof ends at a table, the check \
follows the game to its end: a turn for the prover in every position, and all replies. The tables \
only recommend the prover's turns, so any tables will do, and with a wrong one the check can fail \
but not succeed wrongly. Unpacked tables make it faster. For a win, build tables with distances \
first (--metric dtw), without which it takes many times as long.

A certificate stores only the turns (version 2 of the format), or entries with their positions \
(version 1), which takes about ten times as much space. --rewrite writes one from the other.

Examples:
  fanorona check 3x3.cert
  fanorona check 3x3.cert --trust-no-table --memory 100
  fanorona check 3x3.cert --rewrite 3x3-entries.cert --form entries")]
pub(crate) struct Check {
    /// Certificate to check
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Prove the leaves whose values are in tables too. Tables only recommend turns
    #[arg(long)]
    trust_no_table: bool,

    /// Memory limit of --trust-no-table in MiB [default: the available memory]
    #[arg(long, value_name = "MIB", value_parser = at_least(1u64), requires = "trust_no_table")]
    memory: Option<u64>,

    /// Write the certificate to OUT if the check succeeds, in the form given by --form
    #[arg(long, value_name = "OUT")]
    rewrite: Option<PathBuf>,

    /// What --rewrite stores: only the turns, or entries with their positions
    #[arg(
        long,
        value_name = "FORM",
        value_enum,
        default_value_t = FormArg::Turns,
        requires = "rewrite"
    )]
    form: FormArg,

    #[command(flatten)]
    tables: ReadOptions,

    #[command(flatten)]
    common: CommonOptions,
}

/// What a certificate stores.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormArg {
    Turns,
    Entries,
}

impl From<FormArg> for Form {
    fn from(form: FormArg) -> Self {
        match form {
            FormArg::Turns => Self::Turns,
            FormArg::Entries => Self::Entries,
        }
    }
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
    /// The length of the file that `--rewrite` wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    rewritten_bytes: Option<u64>,
    /// What `--trust-no-table` came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    expansion: Option<ExpansionReport>,
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
        let (expansion, error) = match self.check(&certificate, tables.as_ref()) {
            Ok(expansion) => (expansion, None),
            Err(error) if is_verdict(&error) => (None, Some(error.to_string())),
            Err(error) => return Err(failure::of_certificate(error)),
        };
        let rewritten_bytes = match &self.rewrite {
            Some(path) if error.is_none() => {
                let written = certificate.rewrite(path, self.form.into(), interrupt::flag());
                Some(written.map_err(failure::of_certificate)?)
            }
            _ => None,
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
            rewritten_bytes,
            expansion,
            error,
        };
        output.json(&report);
        if let Some(error) = report.error {
            return Err(Failure::Check(error).into());
        }
        let Report { position, bounds, tables, bytes, checksum, expansion, .. } = report;
        output.text(format_args!(
            "{position}, {rules}: {}\nproved by {} and {}; {}, checksum {checksum}",
            bounds.in_words(),
            counted(all, "position"),
            counted(tables, "table"),
            counted(bytes, "byte"),
        ));
        if let Some(expansion) = expansion {
            output.text(expansion.in_words());
        }
        if let (Some(path), Some(bytes)) = (&self.rewrite, report.rewritten_bytes) {
            let bytes = counted(bytes, "byte");
            output.text(format_args!("rewritten to {}, {bytes}", path.display()));
        }
        Ok(())
    }

    /// Checks the proofs, in one way or the other.
    fn check(
        &self,
        certificate: &Certificate,
        tables: Option<&Tables>,
    ) -> Result<Option<ExpansionReport>, CertificateError> {
        if self.trust_no_table {
            return expansion::check(certificate, tables, self.memory).map(Some);
        }
        let progress = spinner("checking".to_owned());
        let of_all = counted(certificate.positions(), "position");
        let show =
            |checked| progress.set_message(format!("{} of {of_all} checked", grouped(checked)));
        let result = certificate.check(tables, interrupt::flag(), show);
        progress.finish_and_clear();
        result.map(|_| None)
    }
}

/// Whether an error says that the certificate does not prove its claims in the way asked for.
fn is_verdict(error: &CertificateError) -> bool {
    error.is_refutation() || matches!(error, CertificateError::Unproved { .. })
}
