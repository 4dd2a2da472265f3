//! How a command can end without success, and the exit status of each ending.

use std::io;
use std::process::ExitCode;

use fanorona_proof::CertificateError;
use fanorona_tablebase::TableError;
use thiserror::Error;

/// An ending that has a meaning of its own. Every other error is about arguments or input.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// The check that was asked for failed.
    #[error("{0}")]
    Check(String),
    /// Arguments or input that nothing can be done with.
    #[error("{0}")]
    Input(String),
    /// Ctrl-C; the text says what was kept.
    #[error("interrupted: {0}")]
    Interrupted(String),
}

impl Failure {
    /// An error about what the user gave.
    ///
    /// The message is taken as it stands: the errors of the crates below tell their sources
    /// themselves, and a chain would say them twice.
    pub(crate) fn input(message: impl ToString) -> anyhow::Error {
        Self::Input(message.to_string()).into()
    }
}

/// An error of tables. They tell their sources themselves.
pub(crate) fn of_tables(error: TableError) -> anyhow::Error {
    match error {
        TableError::Stopped => Failure::Interrupted("nothing was kept".to_owned()).into(),
        error => Failure::input(error),
    }
}

/// An error of certificates, with advice where there is some.
pub(crate) fn of_certificate(error: CertificateError) -> anyhow::Error {
    let advice = match &error {
        CertificateError::Stopped => {
            return Failure::Interrupted("nothing was kept".to_owned()).into();
        }
        // These name their causes themselves.
        CertificateError::Tables(_) | CertificateError::Guide(_) => return Failure::input(error),
        error if error.is_refutation() => return Failure::Check(error.to_string()).into(),
        CertificateError::Version { .. } => {
            ": make it again, or use the program that wrote it".to_owned()
        }
        CertificateError::NeedsTables { board, rules, slice, metric, .. } => format!(
            ": give their directory with --tables, or make them with 'fanorona build --board \
             {board} --rules {rules} --stones {} --metric {}'",
            slice.stones(),
            metric.name()
        ),
        CertificateError::OtherTable { .. } => {
            ": use the tables that it was made with, or make it again with these".to_owned()
        }
        CertificateError::MemoryLimit { .. } => ": give more with --memory".to_owned(),
        _ => String::new(),
    };
    let error = anyhow::Error::from(error);
    Failure::input(format!("{error:#}{advice}"))
}

/// The one place where endings become exit statuses, and errors messages.
pub(crate) fn exit_code(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else {
        return ExitCode::SUCCESS;
    };
    if is_broken_pipe(&error) {
        // The reader has what it wanted.
        return ExitCode::SUCCESS;
    }
    eprintln!("error: {error:#}");
    ExitCode::from(match error.downcast_ref() {
        Some(Failure::Check(_)) => 1,
        Some(Failure::Interrupted(_)) => 130,
        Some(Failure::Input(_)) | None => 2,
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut io_errors = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    io_errors.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
