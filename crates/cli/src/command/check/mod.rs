//! `check`: whether a certificate proves its claims.

mod expansion;
mod report;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fanorona_proof::{Certificate, CertificateError, Form};
use fanorona_tablebase::Tables;

use self::expansion::ExpansionReport;
use self::report::{FileReport, Report, Reports};
use crate::failure::{self, Failure};
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::options::{CommonOptions, ReadOptions, at_least};
use crate::progress::spinner;

/// Check certificates written by analyze
#[derive(Debug, Args)]
#[command(after_help = "\
The certificate names its board, rule set and position, and the checksums of the tables that it \
uses. The check follows the proof turn by turn and shares no code with the search.

With --trust-no-table, no value of a table is believed. Where the proof ends at a table, the check \
follows the game to its end: a turn for the prover in every position, and all replies. The tables \
only recommend the prover's turns, so any tables will do, and with a wrong one the check can fail \
but not succeed wrongly. Unpacked tables make it faster. Several certificates of the same board and \
rule set share positions, so checking them together takes less time than one by one.

A certificate stores only the turns (version 2 of the format), or entries with their positions \
(version 1), which takes about ten times as much space. --rewrite writes one from the other.

Examples:
  fanorona check 3x3.cert
  fanorona check 3x3.cert --trust-no-table --memory 100
  fanorona check 3x3.cert --rewrite 3x3-entries.cert --form entries
  fanorona check 3x3.cert 3x3-entries.cert")]
pub(crate) struct Check {
    /// Certificates to check
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Prove the leaves whose values are in tables too. Tables only recommend turns
    #[arg(long)]
    trust_no_table: bool,

    /// Memory limit of --trust-no-table in MiB [default: the available memory]
    #[arg(long, value_name = "MIB", value_parser = at_least(1u64), requires = "trust_no_table")]
    memory: Option<u64>,

    /// Write the certificate to OUT if the check succeeds, in the form given by --form; needs one FILE
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

impl Check {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.common.output();
        self.common.start_threads()?;
        let is_one = self.files.len() == 1;
        if self.rewrite.is_some() && !is_one {
            return Err(Failure::input("--rewrite writes one certificate, so it needs one FILE"));
        }
        let opened = self.files.iter().map(|file| verdict(Certificate::open(file)));
        let opened = opened.collect::<anyhow::Result<Vec<_>>>()?;
        interrupt::install()?;
        let expansion = self.expand(opened.iter().flatten())?;
        let mut certificates = Vec::new();
        for (file, opened) in self.files.iter().zip(&opened) {
            let report = self.report(opened, expansion.as_ref())?;
            if let Some(words) = report.in_words() {
                if !is_one {
                    output.text(format_args!("{}:", file.display()));
                }
                output.text(words);
            }
            certificates.push(FileReport { file: file.clone(), report });
        }
        let expansion = expansion.and_then(Result::ok);
        if let Some(expansion) = &expansion {
            output.text(expansion.in_words());
        }
        if let Some(path) = &self.rewrite
            && let Some(words) = certificates[0].report.rewritten_in_words(path)
        {
            output.text(words);
        }
        // Files that were expanded together have the same error, which is named once.
        let mut errors: Vec<String> = Vec::new();
        for error in certificates.iter().filter_map(|of| of.report.error()) {
            if errors.iter().all(|known| known != error) {
                errors.push(error.to_owned());
            }
        }
        match certificates.pop() {
            Some(FileReport { report, .. }) if is_one => output.json(&report.with(expansion)),
            last => {
                certificates.extend(last);
                output.json(&Reports { ok: errors.is_empty(), certificates, expansion });
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(Failure::Check(errors.join("\n")).into()) }
    }

    /// The report on a file. It is checked here, unless all were expanded together, and rewritten if
    /// that was asked for.
    fn report(
        &self,
        opened: &Verdict<Certificate>,
        of_all: Option<&Verdict<ExpansionReport>>,
    ) -> anyhow::Result<Report> {
        let certificate = match opened {
            Ok(certificate) => certificate,
            Err(damage) => return Ok(Report::damaged(damage.clone())),
        };
        let error = match of_all {
            Some(of_all) => of_all.as_ref().err().cloned(),
            None => self.check(certificate)?.err(),
        };
        let mut report = Report::new(certificate, error);
        if let (Some(path), None) = (&self.rewrite, report.error()) {
            let written = certificate.rewrite(path, self.form.into(), interrupt::flag());
            report.rewritten_bytes = Some(written.map_err(failure::of_certificate)?);
        }
        Ok(report)
    }

    /// Checks a certificate.
    fn check(&self, certificate: &Certificate) -> anyhow::Result<Verdict<u64>> {
        let tables = self.tables_of(certificate)?;
        let progress = spinner("checking".to_owned());
        let of_all = counted(certificate.positions(), "position");
        let show =
            |checked| progress.set_message(format!("{} of {of_all} checked", grouped(checked)));
        let result = certificate.check(tables.as_ref(), interrupt::flag(), show);
        progress.finish_and_clear();
        verdict(result)
    }

    /// Checks certificates together without believing tables, if that was asked for.
    fn expand<'a>(
        &self,
        certificates: impl Iterator<Item = &'a Certificate>,
    ) -> anyhow::Result<Option<Verdict<ExpansionReport>>> {
        if !self.trust_no_table {
            return Ok(None);
        }
        let certificates: Vec<_> = certificates.collect();
        let with_tables = certificates.iter().find(|of| !of.tables().is_empty());
        let tables = with_tables.map(|certificate| self.tables_of(certificate)).transpose()?;
        let tables = tables.flatten();
        verdict(expansion::check(&certificates, tables.as_ref(), self.memory)).map(Some)
    }

    /// The tables for a certificate, if it needs any and their directory exists.
    fn tables_of(&self, certificate: &Certificate) -> anyhow::Result<Option<Tables>> {
        if certificate.tables().is_empty() {
            return Ok(None);
        }
        self.tables.open_if_there(certificate.board(), certificate.rules())
    }
}

/// What a check came to; an error says why the certificate does not prove its claims.
type Verdict<T> = Result<T, String>;

/// The verdict of a check, unless it could not be made.
fn verdict<T>(result: Result<T, CertificateError>) -> anyhow::Result<Verdict<T>> {
    match result {
        Ok(found) => Ok(Ok(found)),
        Err(error) if is_verdict(&error) => Ok(Err(error.to_string())),
        Err(error) => Err(failure::of_certificate(error)),
    }
}

/// Whether an error says that the certificate does not prove its claims in the way asked for.
fn is_verdict(error: &CertificateError) -> bool {
    error.is_refutation() || matches!(error, CertificateError::Unproved { .. })
}
