//! How a command can fail, with its messages and exit statuses.

use std::process::ExitCode;

use anyhow::Context;
use fanorona_engine::EngineError;
use fanorona_knowledge::KnowledgeError;
use fanorona_proof::{BookError, CertificateError};
use fanorona_solver::SolverError;
use fanorona_tablebase::{Ranks, TableError, Tables};
use thiserror::Error;

use crate::{advice, output};

/// A failure whose exit status or wording matters. Every other error has status 2.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// A check that the command makes failed: status 1.
    #[error("{0}")]
    Check(String),
    /// Arguments or input that cannot be used: status 2.
    #[error("{0}")]
    Input(String),
    /// The answer is printed, but a file could not be written: status 2.
    #[error("{0}")]
    NotKept(String),
    /// Ctrl-C; the text says what was finished or saved: status 130.
    #[error("interrupted: {0}")]
    Interrupted(String),
}

impl Failure {
    /// An error in the arguments or the input.
    pub(crate) fn input(message: impl ToString) -> anyhow::Error {
        Self::Input(message.to_string()).into()
    }

    fn status(&self) -> u8 {
        match self {
            Self::Check(_) => 1,
            Self::Input(_) | Self::NotKept(_) => 2,
            Self::Interrupted(_) => 130,
        }
    }
}

/// Whether an error says that Ctrl-C was pressed.
pub(crate) fn is_interruption(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Failure::Interrupted(_)))
}

/// An error of tables.
pub(crate) fn of_tables(error: TableError) -> anyhow::Error {
    match error {
        TableError::Stopped => Failure::Interrupted("nothing was saved".to_owned()).into(),
        error => error.into(),
    }
}

/// An error of the search.
pub(crate) fn of_solver(error: SolverError) -> anyhow::Error {
    match error {
        SolverError::Tables(error) => of_tables(error),
        SolverError::Stopped => Failure::Interrupted("nothing was saved".to_owned()).into(),
        error => error.into(),
    }
}

/// An error of the engine.
pub(crate) fn of_engine(error: EngineError) -> anyhow::Error {
    match error {
        EngineError::Knowledge(error) => of_knowledge(error),
        error => error.into(),
    }
}

/// An error of building an engine that plays with these tables: it says how to get what is missing.
pub(crate) fn of_unbeatable(error: EngineError, tables: Option<&Tables>) -> anyhow::Error {
    let advice = match &error {
        EngineError::MissingTables(missing) => advice::about_missing(missing, tables),
        EngineError::MissingBook { board, rules } => advice::about_missing_book(*board, *rules),
        _ => return of_engine(error),
    };
    Failure::input(format!("{error}; {advice}"))
}

/// An error of certificates.
pub(crate) fn of_certificate(error: CertificateError) -> anyhow::Error {
    match error {
        CertificateError::Stopped => Failure::Interrupted("nothing was saved".to_owned()).into(),
        error if error.is_refutation() => Failure::Check(error.to_string()).into(),
        error => error.into(),
    }
}

/// An error of a book.
pub(crate) fn of_book(error: BookError) -> anyhow::Error {
    match error {
        BookError::Certificate(error) => error.into(),
        BookError::Tables(error) => of_tables(error),
        error => error.into(),
    }
}

/// An error of asking what is known.
pub(crate) fn of_knowledge(error: KnowledgeError) -> anyhow::Error {
    match error {
        KnowledgeError::Tables(error) => of_tables(error),
        KnowledgeError::Book(error) => of_book(error),
        error => error.into(),
    }
}

/// An error with its causes, and what to do about it. Causes that the error's message already names
/// are not repeated.
pub(crate) fn describe(error: &anyhow::Error) -> String {
    describe_chain(error.chain())
}

/// The same for an error of a library.
pub(crate) fn describe_error(error: &(dyn std::error::Error + 'static)) -> String {
    describe_chain(anyhow::Chain::new(error))
}

fn describe_chain(chain: anyhow::Chain<'_>) -> String {
    let mut text = String::new();
    for cause in chain.clone().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text += &format!(": {cause}");
        }
    }
    if let Some(advice) = chain.clone().find_map(advice_about) {
        text += &format!("; {advice}");
    }
    text
}

/// Advice about an error of tables or certificates, or about one that it wraps.
fn advice_about(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref() {
        return advice::about_tables(error);
    }
    if let Some(SolverError::Tables(error)) = error.downcast_ref() {
        return advice::about_tables(error);
    }
    advice::about_certificate(error.downcast_ref()?)
}

/// The same for one of some processes that build together. An error of all is printed once, and an
/// error of another process by that one.
pub(crate) fn exit_code_of_rank(result: anyhow::Result<()>, ranks: &dyn Ranks) -> ExitCode {
    let Err(error) = &result else { return exit_code(result) };
    let is_of_all = error.downcast_ref::<Failure>().is_some();
    let is_of_another = matches!(error.downcast_ref(), Some(TableError::OtherRank { .. }));
    if is_of_another || is_of_all && ranks.rank() > 0 {
        return ExitCode::from(error.downcast_ref().map_or(2, Failure::status));
    }
    match ranks.count() {
        1 => exit_code(result),
        _ => exit_code(result.with_context(|| format!("process {} has failed", ranks.rank()))),
    }
}

/// Prints the message of an error, and returns the exit status.
pub(crate) fn exit_code(result: anyhow::Result<()>) -> ExitCode {
    let lost = output::finish();
    match (result, lost) {
        (Ok(()), None) => ExitCode::SUCCESS,
        (Ok(()), Some(lost)) => {
            output::message(format_args!("error: cannot write to standard output: {lost}"));
            ExitCode::from(2)
        }
        (Err(error), lost) => {
            if let Some(lost) = lost {
                output::message(format_args!("warning: cannot write to standard output: {lost}"));
            }
            output::message(format_args!("error: {}", describe(&error)));
            ExitCode::from(error.downcast_ref().map_or(2, Failure::status))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::Context;

    use super::*;

    #[derive(Debug, Error)]
    #[error("cannot read the file: {source}")]
    struct NamesItsCause {
        source: io::Error,
    }

    #[test]
    fn causes_are_named_once() {
        let source = || io::Error::other("the disk is gone");
        let error = anyhow::Error::from(NamesItsCause { source: source() }).context("no luck");
        assert_eq!(describe(&error), "no luck: cannot read the file: the disk is gone");
        let error = Err::<(), _>(source()).context("cannot read the file").expect_err("it is one");
        assert_eq!(describe(&error), "cannot read the file: the disk is gone");
    }
}
