//! Errors of other programs.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use fanorona_core::ParseTurnError;
use thiserror::Error;

use crate::protocol::OptionValueError;

/// Why another program cannot be used, or gives no turn.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ClientError {
    #[error("cannot start '{command}'")]
    Start { command: String, source: io::Error },
    #[error("the program has not sent '{expected}' within {} s", .limit.as_secs_f64())]
    Silent { expected: &'static str, limit: Duration },
    #[error("the program has ended{}", status_text(.0))]
    Ended(Option<ExitStatus>),
    #[error("the program does not read its input")]
    NotReading,
    #[error("'{text}' is not a legal turn: {reason}")]
    IllegalTurn { text: String, reason: ParseTurnError },
    #[error("the program gave no turn in a game that goes on")]
    NoTurn,
    #[error("the program has no option '{name}'; it has {known}")]
    UnknownOption { name: String, known: String },
    #[error(transparent)]
    OptionValue(#[from] OptionValueError),
    #[error("the program declares more than {most} options")]
    TooManyOptions { most: usize },
    #[error("stopped")]
    Stopped,
}

fn status_text(status: &Option<ExitStatus>) -> String {
    status.map_or_else(String::new, |status| format!(" ({status})"))
}
