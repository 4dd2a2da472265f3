//! `check`: whether a certificate proves its claims.

mod expansion;
mod report;

use std::path::PathBuf;

use clap::Args;
use fanorona_proof::{Certificate, CertificateError};
use fanorona_tablebase::Tables;

use self::expansion::ExpansionReport;
use self::report::{FileReport, Report, Reports};
use crate::failure;
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::options::{CommonOptions, TableOptions, at_least};
use crate::progress::spinner;

/// Check certificates written by analyze
#[derive(Debug, Args)]
#[command(after_help = "\
The certificate names its board, rule set and position, and the checksums of the tables that it \
uses. The check follows the proof turn by turn and shares no code with the search.

With --trust-no-table, no value of a table is believed. Where the proof ends at a table, the check \
follows the game to its end: a turn for the prover in every position, and all replies. The tables \
only recommend the prover's turns: they are needed, but with wrong ones the check can fail and not \
succeed wrongly. Unpacked tables make it faster. Several certificates of the same board and \
rule set share positions, so checking them together takes less time than one by one.

Of several files, each gets a verdict, also if another cannot be used. The exit status is 1 if one \
of them does not hold.

Examples:
  fanorona check 3x3.cert
  fanorona check 3x3.cert --trust-no-table --memory 100
  fanorona check 3x3.cert 5x3.cert")]
pub(crate) struct Check {
    /// Certificates to check
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Believe no table: prove the values that the certificate takes from tables
    #[arg(long)]
    trust_no_table: bool,

    /// Memory limit, in MiB [default: the available memory]
    #[arg(long, value_name = "MIB", value_parser = at_least(1u64), requires = "trust_no_table")]
    memory: Option<u64>,

    #[command(flatten)]
    tables: TableOptions,

    #[command(flatten)]
    common: CommonOptions,
}

impl Check {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.common.output();
        self.common.start_threads()?;
        let is_one = self.files.len() == 1;
        interrupt::install()?;
        let opened: Vec<_> =
            self.files.iter().map(|file| verdict(Certificate::open(file))).collect();
        let expansion = self.expand(opened.iter().flatten().flatten())?;
        let mut certificates = Vec::new();
        for (file, opened) in self.files.iter().zip(opened) {
            let report = opened.and_then(|opened| self.report(&opened, expansion.as_ref()));
            let report = match report {
                // Of several files the others are checked all the same.
                Err(error) if !is_one && !failure::is_interruption(&error) => {
                    Report::unusable(failure::describe(&error))
                }
                report => report?,
            };
            if let Some(words) = report.in_words() {
                if !is_one {
                    output.text(format_args!("{}:", file.display()));
                }
                output.text(words);
            }
            certificates.push(FileReport { file: file.display().to_string(), report });
        }
        let expansion = expansion.and_then(Result::ok);
        if let Some(expansion) = &expansion {
            output.text(expansion.in_words());
        }
        let reports =
            Reports { ok: certificates.iter().all(FileReport::is_proved), certificates, expansion };
        let failure = reports.failure();
        match reports.into_one() {
            Ok(report) => output.json(&report),
            Err(reports) => output.json(&reports),
        }
        failure.map_or(Ok(()), |failure| Err(failure.into()))
    }

    /// The report on a file. It is checked here, unless all were expanded together.
    fn report(
        &self,
        opened: &Verdict<Certificate>,
        of_all: Option<&Result<ExpansionReport, CertificateError>>,
    ) -> anyhow::Result<Report> {
        let certificate = match opened {
            Ok(certificate) => certificate,
            Err(damage) => return Ok(Report::damaged(damage.clone())),
        };
        let error = match of_all {
            Some(Err(error)) if !expansion::concerns(error, certificate.path()) => {
                let why = "not checked, because the check of another certificate failed";
                return Ok(Report::unusable(why.to_owned()));
            }
            Some(of_all) => of_all.as_ref().err().map(ToString::to_string),
            None => self.check(certificate)?.err(),
        };
        Ok(Report::new(certificate, error))
    }

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

    /// Checks certificates together without believing tables, if that was asked for and there are any.
    fn expand<'a>(
        &self,
        certificates: impl Iterator<Item = &'a Certificate>,
    ) -> anyhow::Result<Option<Result<ExpansionReport, CertificateError>>> {
        let certificates: Vec<_> = certificates.collect();
        if !self.trust_no_table || certificates.is_empty() {
            return Ok(None);
        }
        let with_tables = certificates.iter().find(|of| !of.tables().is_empty());
        let tables = with_tables.map(|certificate| self.tables_of(certificate)).transpose()?;
        match expansion::check(&certificates, tables.flatten().as_ref(), self.memory) {
            Err(error) if !is_verdict(&error) => Err(error.into()),
            found => Ok(Some(found)),
        }
    }

    /// The tables for a certificate, if it needs any and their directory exists.
    fn tables_of(&self, certificate: &Certificate) -> anyhow::Result<Option<Tables>> {
        if certificate.tables().is_empty() {
            return Ok(None);
        }
        self.tables.open_if_there(certificate.board(), certificate.rules())
    }
}

/// The result of a check; an error says why the certificate does not prove its claims.
type Verdict<T> = Result<T, String>;

/// The verdict of a check, unless it could not be made.
fn verdict<T>(result: Result<T, CertificateError>) -> anyhow::Result<Verdict<T>> {
    match result {
        Ok(found) => Ok(Ok(found)),
        Err(error) if is_verdict(&error) => Ok(Err(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// Whether an error says that the certificate does not prove its claims in the way asked for.
fn is_verdict(error: &CertificateError) -> bool {
    error.is_refutation() || matches!(error, CertificateError::Unproved { .. })
}

#[cfg(test)]
mod tests {
    use fanorona_proof::Flaw;

    use super::*;

    /// Turns that prove nothing say something about the certificate; a stop does not.
    #[test]
    fn a_check_that_proves_nothing_has_a_verdict() {
        let flaw = Flaw::NoProgress { position: fanorona_core::Board::telo().start() };
        let unproved = CertificateError::Unproved { paths: vec!["a.cert".into()], flaw };
        let message = unproved.to_string();
        assert_eq!(verdict::<()>(Err(unproved)).expect("it is a verdict"), Err(message));
        assert!(verdict::<()>(Err(CertificateError::Stopped)).is_err());
        assert_eq!(verdict(Ok(7)).expect("it is a verdict"), Ok(7));
    }
}
