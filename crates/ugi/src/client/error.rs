//! Errors of other programs.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use fanorona_core::{ErrorKind, ParseTurnError};
use thiserror::Error;

use super::command::MeantFile;
use crate::protocol::OptionValueError;

/// Why another program cannot be used, or gives no turn.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ClientError {
    /// It cannot be started.
    #[error("cannot start '{command}'{}", file_text(.file.as_ref()))]
    Start {
        command: String,
        /// A file that the command means, and does not name as it has to.
        file: Option<MeantFile>,
        source: io::Error,
    },
    /// It has not answered in time.
    #[error("the program has not sent {expected} within {} s", .limit.as_secs_f64())]
    Silent { expected: &'static str, limit: Duration },
    /// It has not ended in time.
    #[error("the program has not finished within {} s", .limit.as_secs_f64())]
    Unfinished { limit: Duration },
    /// It prints without end.
    #[error("the program has printed more than {} MiB", .most >> 20)]
    Flood { most: usize },
    /// It has ended.
    #[error("the program has ended{}", status_text(.0))]
    Ended(Option<ExitStatus>),
    /// It does not read what it is sent.
    #[error("the program does not read its input")]
    NotReading,
    /// It gave a turn that is not legal.
    #[error("'{text}' is not a legal turn: {reason}")]
    IllegalTurn { text: String, reason: ParseTurnError },
    /// It gave no turn although there is one.
    #[error("the program gave no turn in a game that goes on")]
    NoTurn,
    /// It has no option with this name.
    #[error("the program has no option '{name}'; it has {known}")]
    UnknownOption { name: String, known: String },
    /// An option does not have this value.
    #[error(transparent)]
    OptionValue(#[from] OptionValueError),
    /// It declares more options than any program needs.
    #[error("the program declares more than {most} options")]
    TooManyOptions { most: usize },
    /// The caller has set the stop flag.
    #[error("stopped")]
    Stopped,
}

impl ClientError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownOption { .. } | Self::OptionValue(_) => ErrorKind::BadParameter,
            Self::Stopped => ErrorKind::Interrupted,
            Self::Start { .. }
            | Self::Silent { .. }
            | Self::Unfinished { .. }
            | Self::Flood { .. }
            | Self::Ended(_)
            | Self::NotReading
            | Self::IllegalTurn { .. }
            | Self::NoTurn
            | Self::TooManyOptions { .. } => ErrorKind::EngineFailed,
        }
    }
}

fn file_text(file: Option<&MeantFile>) -> String {
    match file {
        None => String::new(),
        Some(MeantFile::WithBlanks(file)) => {
            format!(" (for the file '{file}', put quotes around the path)")
        }
        Some(MeantFile::Here(file)) => format!(" (for the file here, write './{file}')"),
        Some(MeantFile::NoProgram(file)) => {
            format!(" (if '{file}' is a script, write its language before it, as in python3)")
        }
    }
}

fn status_text(status: &Option<ExitStatus>) -> String {
    status.map_or_else(String::new, |status| format!(" ({status})"))
}
