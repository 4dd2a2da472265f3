//! The failures of a call, and their statuses.

use std::error::Error;

use fanorona_core::{Board, Coordinates, ErrorKind, RuleSet, with_causes};
use thiserror::Error;

use crate::status::Status;

/// A failure of a call.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error("{0} is NULL")]
    Null(&'static str),
    #[error("{0} is not aligned for its type")]
    Unaligned(&'static str),
    #[error("{name} {why}")]
    Argument { name: &'static str, why: String },
    #[error("{name} holds {capacity}, but {needed} are needed")]
    Capacity { name: &'static str, capacity: usize, needed: usize },
    #[error("to_move is {0}, but must be FANORONA_WHITE or FANORONA_BLACK")]
    Side(i32),
    #[error("the game is on the board {expected}, but the position is on {found}")]
    OtherBoard { expected: Board, found: Board },
    #[error("{what} is of {found_board} under {found_rules}, not of {board} under {rules}")]
    OtherGame {
        what: &'static str,
        found_board: Board,
        found_rules: RuleSet,
        board: Board,
        rules: RuleSet,
    },
    #[error("the turn is not one: {0}")]
    BadTurn(String),
    #[error("no link joins {from} and {to}")]
    NoLink { from: Coordinates, to: Coordinates },
    #[error("the game is over: there is no turn to choose")]
    GameOver,
    /// An error of one of the libraries.
    #[error("{error}")]
    Library {
        kind: ErrorKind,
        #[source]
        error: Box<dyn Error + Send + Sync>,
    },
    #[error("threads cannot be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("internal error: {0}")]
    Panic(String),
}

/// Makes failures of errors of the libraries.
macro_rules! library_errors {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Library { kind: error.kind(), error: error.into() }
            }
        })+
    };
}

library_errors! {
    fanorona_core::BoardError,
    fanorona_core::ParseRuleSetError,
    fanorona_core::RuleError,
    fanorona_core::ParsePositionError,
    fanorona_core::SetupError,
    fanorona_core::ParseTurnError,
    fanorona_core::StepError,
    fanorona_core::PlayError,
    fanorona_tablebase::TableError,
    fanorona_knowledge::BookError,
    fanorona_knowledge::KnowledgeError,
    fanorona_engine::inquiry::SolverError,
    fanorona_engine::EngineError,
    fanorona_engine::RecordError,
    fanorona_engine::RecordProblem,
}

impl Failure {
    /// The status that the caller gets.
    pub(crate) fn status(&self) -> Status {
        let kind = match self {
            Self::Null(_) | Self::Unaligned(_) | Self::Argument { .. } => return Status::Argument,
            Self::Capacity { .. } => return Status::Capacity,
            Self::GameOver => return Status::GameOver,
            Self::Panic(_) => return Status::Panic,
            Self::Side(_) => ErrorKind::BadPosition,
            Self::OtherBoard { .. } | Self::OtherGame { .. } => ErrorKind::OtherGame,
            Self::BadTurn(_) => ErrorKind::BadTurn,
            Self::NoLink { .. } => ErrorKind::IllegalTurn,
            Self::Library { kind, .. } => *kind,
            Self::Threads(_) => ErrorKind::OutOfMemory,
        };
        match kind {
            ErrorKind::BadBoard | ErrorKind::BadRules => Status::BadGame,
            ErrorKind::BadPosition => Status::BadPosition,
            ErrorKind::ColoursMatter => Status::VelaPhase,
            ErrorKind::BadTurn => Status::BadTurn,
            ErrorKind::IllegalTurn => Status::IllegalTurn,
            ErrorKind::BadRecord => Status::BadRecord,
            ErrorKind::BadParameter | ErrorKind::TooMany => Status::Argument,
            ErrorKind::OtherGame => Status::OtherGame,
            // A slice that is too large has no table.
            ErrorKind::MissingTable | ErrorKind::TooLarge => Status::NoTable,
            ErrorKind::MissingCertificate => Status::NoBook,
            ErrorKind::NotFound => Status::NotFound,
            ErrorKind::DamagedFile => Status::Damaged,
            ErrorKind::OtherVersion => Status::Version,
            ErrorKind::OtherFile => Status::OtherTable,
            ErrorKind::ProofFails | ErrorKind::Unproved => Status::ProofFails,
            ErrorKind::MemoryLimit | ErrorKind::OutOfMemory => Status::OutOfMemory,
            // Only the first occurs: what is stopped has a result, and nothing here writes files.
            ErrorKind::Io
            | ErrorKind::OutOfDisk
            | ErrorKind::Busy
            | ErrorKind::Interrupted
            | ErrorKind::EngineFailed => Status::Io,
        }
    }

    /// The message with its causes, each once.
    pub(crate) fn message(&self) -> String {
        with_causes(self)
    }
}
