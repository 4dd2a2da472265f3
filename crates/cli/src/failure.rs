//! How a command can fail, with its messages and exit statuses.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Context;
use fanorona_builder::ProcessGroup;
use fanorona_core::{ErrorKind, with_causes};
use fanorona_tablebase::TableError;
use serde::Serialize;
use thiserror::Error;

use crate::{advice, hints, output};

/// A failure that is no error of a library.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// A check that the command makes failed.
    #[error("{0}")]
    Check(String),
    /// Arguments or input that cannot be used.
    #[error("{0}")]
    Input(String),
    /// An error of another kind.
    #[error("{1}")]
    Other(ErrorKind, String),
    /// The answer is printed, but a file could not be written.
    #[error("{0}")]
    NotKept(String),
    /// Ctrl-C; the text says what was finished or saved.
    #[error("interrupted: {0}")]
    Interrupted(String),
}

impl Failure {
    /// An error in the arguments or the input.
    pub(crate) fn input(message: impl ToString) -> anyhow::Error {
        Self::Input(message.to_string()).into()
    }
}

/// The kind of the first of an error and its causes that is an error of a library.
fn kind(mut chain: anyhow::Chain<'_>) -> Option<ErrorKind> {
    if let Some(Failure::Other(kind, _)) = chain.clone().find_map(|cause| cause.downcast_ref()) {
        return Some(*kind);
    }
    macro_rules! first_kind {
        ($($(#[$attribute:meta])? $error:ty,)+) => {
            chain.find_map(|cause| {
                $($(#[$attribute])?
                if let Some(error) = cause.downcast_ref::<$error>() {
                    return Some(error.kind().into());
                })+
                None
            })
        };
    }
    first_kind! {
        fanorona_core::BoardError,
        fanorona_core::ParsePositionError,
        fanorona_core::ParseRuleSetError,
        fanorona_core::ParseTurnError,
        fanorona_core::RuleError,
        fanorona_perft::compare::CompareError<fanorona_ugi::client::ClientError>,
        fanorona_perft::LevelError,
        fanorona_perft::PerftTableError,
        fanorona_perft::suite::SuiteError,
        fanorona_storage::FileError,
        fanorona_tablebase::TableError,
        fanorona_proof::CertificateError,
        fanorona_knowledge::BookError,
        fanorona_knowledge::KnowledgeError,
        fanorona_engine::inquiry::SolverError,
        fanorona_engine::EngineError,
        fanorona_engine::RecordError,
        fanorona_ugi::arena::MatchError,
        fanorona_ugi::arena::OpeningError,
        fanorona_ugi::client::ClientError,
        #[cfg(feature = "serve")]
        fanorona_explorer::ServeError,
        std::io::Error,
    }
}

/// The exit status of an error, and its code in JSON.
fn status_and_code(chain: anyhow::Chain<'_>) -> (u8, &'static str) {
    let kind = match chain.clone().find_map(|cause| cause.downcast_ref()) {
        Some(Failure::Check(_)) => return (1, "check_failed"),
        Some(Failure::Input(_)) => Some(ErrorKind::BadParameter),
        Some(Failure::Other(kind, _)) => Some(*kind),
        Some(Failure::NotKept(_)) => Some(ErrorKind::Io),
        Some(Failure::Interrupted(_)) => Some(ErrorKind::Interrupted),
        None => kind(chain),
    };
    let status = if kind == Some(ErrorKind::Interrupted) { 130 } else { 2 };
    (status, kind.map_or("internal", ErrorKind::code))
}

/// An error in JSON.
#[derive(Serialize)]
pub(crate) struct ErrorReport {
    code: &'static str,
    pub message: String,
}

impl ErrorReport {
    pub(crate) fn new(error: &anyhow::Error) -> Self {
        Self { code: status_and_code(error.chain()).1, message: describe(error) }
    }
}

/// Whether an error says that Ctrl-C was pressed.
pub(crate) fn is_interruption(error: &anyhow::Error) -> bool {
    status_and_code(error.chain()).0 == 130
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

fn describe_chain(mut chain: anyhow::Chain<'_>) -> String {
    let advice = chain.clone().find_map(advice::about);
    let text = chain.next().map(with_causes).unwrap_or_default();
    match advice {
        Some(advice) => format!("{text}; {advice}"),
        None => text,
    }
}

/// Prints the message of an error, and returns the exit status. With `json`, standard output gets the
/// error too, unless the command has printed an answer that says what is wrong.
pub(crate) fn exit_code(result: anyhow::Result<()>, json: bool) -> ExitCode {
    let result = result.map_err(|error| match error.downcast_ref::<Failure>() {
        None if is_interruption(&error) => {
            Failure::Interrupted("nothing was saved".to_owned()).into()
        }
        _ => error,
    });
    if let (Err(error), true) = (&result, json && !output::has_begun()) {
        print_error(ErrorReport::new(error));
    }
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
            ExitCode::from(status_and_code(error.chain()).0)
        }
    }
}

/// The same for one of some processes that build together. An error of all is printed once, and an
/// error of another process by that one.
pub(crate) fn exit_code_of_process(
    result: anyhow::Result<()>,
    processes: &dyn ProcessGroup,
    json: bool,
) -> ExitCode {
    let json = json && processes.index() == 0;
    let Err(error) = &result else { return exit_code(result, json) };
    let is_of_all = error.downcast_ref::<Failure>().is_some();
    let is_of_another = matches!(error.downcast_ref(), Some(TableError::OtherProcess { .. }));
    if is_of_another || is_of_all && processes.index() > 0 {
        return ExitCode::from(status_and_code(error.chain()).0);
    }
    match processes.count() {
        1 => exit_code(result, json),
        _ => exit_code(
            result.with_context(|| format!("process {} has failed", processes.index())),
            json,
        ),
    }
}

/// The same for arguments that cannot be used, which `clap` describes. `program` is the command whose
/// help says more.
pub(crate) fn exit_code_of_arguments(error: &clap::Error, program: &str, json: bool) -> ExitCode {
    if json {
        let chain = anyhow::Chain::new(error);
        let text = error.to_string();
        let message = text.split("\n\n").next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message).to_owned();
        let code = kind(chain).unwrap_or(ErrorKind::BadParameter).code();
        print_error(ErrorReport { code, message });
        output::finish();
    }
    let rendered = error.render();
    let text = match io::stderr().is_terminal() && !output::is_plain_terminal() {
        true => rendered.ansi().to_string(),
        false => rendered.to_string(),
    };
    let text = brief(&text, hints::about(error).as_deref(), program);
    let _ = io::stderr().write_all(text.as_bytes());
    ExitCode::from(error.exit_code() as u8)
}

/// The text of `clap` in few lines: without the usage, which the help has, with our own tip in the
/// place of its tips, and with the name of the command in its hint.
fn brief(text: &str, tip: Option<&str>, program: &str) -> String {
    let is_kept = |part: &&str| {
        let is_tip = part.trim_start().contains("tip:") && tip.is_some();
        !part.contains("Usage:") && !is_tip
    };
    let mut parts: Vec<String> =
        text.trim_end().split("\n\n").filter(is_kept).map(str::to_owned).collect();
    if let Some(tip) = tip {
        let at = parts.len().min(1);
        parts.insert(at, format!("  tip: {tip}"));
    }
    let hint = "For more information, try '";
    parts.join("\n").replace(hint, &format!("{hint}{program} ")) + "\n"
}

fn print_error(error: ErrorReport) {
    #[derive(Serialize)]
    struct Report {
        error: ErrorReport,
    }
    output::print_json(&Report { error });
}

#[cfg(test)]
mod tests {
    use std::io;

    use fanorona_core::Board;
    use fanorona_knowledge::BookError;
    use fanorona_proof::{CertificateError, Flaw};

    use super::*;

    #[test]
    fn the_text_about_arguments_is_short() {
        let text = "error: no\n  [possible values: a]\n\n  tip: b\n\nUsage: c\n   d\n\nFor more \
                    information, try '--help'.\n";
        let hint = "For more information, try 'fanorona e --help'.\n";
        let expected = format!("error: no\n  [possible values: a]\n  tip: b\n{hint}");
        assert_eq!(brief(text, None, "fanorona e"), expected);
        let expected = format!("error: no\n  [possible values: a]\n  tip: f\n{hint}");
        assert_eq!(brief(text, Some("f"), "fanorona e"), expected);
    }

    #[test]
    fn the_kind_is_found_under_what_was_added() {
        let error = io::Error::from(io::ErrorKind::NotFound);
        let error = anyhow::Error::from(error).context("cannot read 'x'").context("no luck");
        assert_eq!(status_and_code(error.chain()), (2, "not_found"));
        let error = anyhow::Error::from(TableError::Stopped).context("process 1 has failed");
        assert_eq!(status_and_code(error.chain()), (130, "interrupted"));
        let error =
            anyhow::Error::from(Failure::Check("they differ".to_owned())).context("no luck");
        assert_eq!(status_and_code(error.chain()), (1, "check_failed"));
    }

    /// Only commands that check a certificate say that a check failed.
    #[test]
    fn a_proof_that_does_not_hold_is_input_that_cannot_be_used() {
        let position = Board::telo().start();
        let flaw = Flaw::NoSuchTurn { position, turn: 99 };
        let error = CertificateError::DoesNotHold { path: "x.proof".into(), flaw };
        assert!(error.is_refutation());
        let error = anyhow::Error::from(BookError::from(error)).context("no luck");
        assert_eq!(status_and_code(error.chain()), (2, "proof_fails"));
    }
}
