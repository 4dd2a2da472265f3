//! Errors in requests, and in making their answers.

use std::fmt::Display;

use axum::http::StatusCode;
use fanorona_core::{
    BoardError, ErrorKind, ParsePositionError, ParseRuleSetError, ParseTurnError, RuleError,
};
use fanorona_engine::EngineError;
use fanorona_engine::inquiry::SolverError;
use fanorona_knowledge::BookError;
use fanorona_knowledge::{KnowledgeError, MAX_TURNS};
use fanorona_proof::CertificateError;
use fanorona_tablebase::TableError;
use thiserror::Error;

macro_rules! kinds {
    ($($kind:ident: $code:expr, $status:ident;)+) => {
        /// The kind of a [`Problem`].
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[expect(missing_docs, reason = "the codes say it")]
        pub enum ProblemKind { $($kind),+ }

        impl ProblemKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind),+];

            /// The name in answers: that of the kind of a library's error, if there is one.
            pub fn code(self) -> &'static str {
                match self { $(Self::$kind => $code),+ }
            }

            /// The status of an answer.
            pub(crate) fn status(self) -> StatusCode {
                match self { $(Self::$kind => StatusCode::$status),+ }
            }
        }
    };
}

kinds! {
    BadBoard: ErrorKind::BadBoard.code(), UNPROCESSABLE_ENTITY;
    BadRules: ErrorKind::BadRules.code(), UNPROCESSABLE_ENTITY;
    BadPosition: ErrorKind::BadPosition.code(), UNPROCESSABLE_ENTITY;
    BadTurn: ErrorKind::BadTurn.code(), UNPROCESSABLE_ENTITY;
    BadNumber: "bad_number", UNPROCESSABLE_ENTITY;
    BadRecord: ErrorKind::BadRecord.code(), UNPROCESSABLE_ENTITY;
    BadParameter: ErrorKind::BadParameter.code(), UNPROCESSABLE_ENTITY;
    BadBody: "bad_body", BAD_REQUEST;
    TooLarge: ErrorKind::TooLarge.code(), PAYLOAD_TOO_LARGE;
    TooMany: ErrorKind::TooMany.code(), UNPROCESSABLE_ENTITY;
    Busy: ErrorKind::Busy.code(), SERVICE_UNAVAILABLE;
    NotFound: ErrorKind::NotFound.code(), NOT_FOUND;
    MethodNotAllowed: "method_not_allowed", METHOD_NOT_ALLOWED;
    WrongHost: "wrong_host", MISDIRECTED_REQUEST;
    CrossSite: "cross_site", FORBIDDEN;
    NotOffered: "not_offered", FORBIDDEN;
    GameOver: "game_over", CONFLICT;
    LevelUnavailable: "level_unavailable", UNPROCESSABLE_ENTITY;
    DamagedFile: ErrorKind::DamagedFile.code(), INTERNAL_SERVER_ERROR;
    Timeout: "timeout", SERVICE_UNAVAILABLE;
    Internal: "internal", INTERNAL_SERVER_ERROR;
}

/// An error with the correct input or the remedy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Problem {
    /// Its kind.
    pub kind: ProblemKind,
    /// The error in words. It may be shown to strangers.
    pub message: String,
    /// A correct input instead, or the remedy.
    pub expected: String,
    /// The parameter or field of the request that is wrong, if it is one.
    pub field: Option<&'static str>,
}

impl Problem {
    /// A problem that is not about a part of the request.
    pub fn new(kind: ProblemKind, message: impl ToString, expected: impl Into<String>) -> Self {
        Self { kind, message: message.to_string(), expected: expected.into(), field: None }
    }

    /// A defect of this program.
    pub(crate) fn bug(what: impl Display) -> Self {
        let message = format!("this is a bug in the server: {what}");
        Self::new(ProblemKind::Internal, message, "please report it")
    }

    /// The same problem, about a part of the request.
    #[must_use]
    pub fn in_field(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }
}

/// The problem of an error of the libraries. `shown` is its message if that names no file and no
/// directory: it may be read by strangers.
fn of_library(kind: ErrorKind, shown: Option<String>) -> Problem {
    const FILES: &str = "the server's tables and certificates, checked with 'fanorona verify --quick' \
                         and 'fanorona check'";
    const ROOM: &str = "room for temporary files on the server";
    let of_request = |kind, expected, field| {
        Problem::new(kind, shown.clone().unwrap_or_default(), expected).in_field(field)
    };
    let of_server = |what| Problem::new(ProblemKind::DamagedFile, what, FILES);
    match kind {
        ErrorKind::BadBoard => {
            let expected = "width and height, both odd and at least 3, with at most 63 points: 9x5";
            of_request(ProblemKind::BadBoard, expected, "board")
        }
        ErrorKind::BadRules => {
            let expected = "a preset and its options: standard, forced-relay+no-turns-draw";
            of_request(ProblemKind::BadRules, expected, "rules")
        }
        ErrorKind::BadPosition | ErrorKind::ColoursMatter => {
            let expected = "the ranks from the top down and the side to move: 9/9/2W1B4/9/9 w";
            of_request(ProblemKind::BadPosition, expected, "position")
        }
        ErrorKind::BadTurn | ErrorKind::IllegalTurn => {
            let expected =
                "a legal turn: points, and A or W behind each that captures, as in d2-e3A";
            of_request(ProblemKind::BadTurn, expected, "turn")
        }
        ErrorKind::TooMany => {
            let message = format!("the position has more than {MAX_TURNS} turns");
            let expected = "ask for its value alone, with detail=value";
            Problem::new(ProblemKind::TooMany, message, expected).in_field("position")
        }
        // Only the levels of the opponent need files that need not be there.
        ErrorKind::MissingTable | ErrorKind::MissingCertificate => {
            let expected = "another level, or a server with these files (--book, --tables)";
            of_request(ProblemKind::LevelUnavailable, expected, "level")
        }
        ErrorKind::DamagedFile => {
            of_server("a table or a certificate is damaged, or they contradict each other")
        }
        ErrorKind::OtherVersion => {
            of_server("a table or a certificate has a version that is not supported")
        }
        ErrorKind::OtherFile => of_server("a table is not the one that is needed"),
        ErrorKind::ProofFails => of_server("a certificate does not hold"),
        ErrorKind::NotFound | ErrorKind::Io => of_server("a file cannot be read or written"),
        ErrorKind::OutOfDisk => {
            Problem::new(ProblemKind::Internal, "the certificate cannot be written", ROOM)
        }
        ErrorKind::OutOfMemory => {
            let message = "there is not enough memory now";
            Problem::new(ProblemKind::Busy, message, "the same request later")
        }
        ErrorKind::MemoryLimit => {
            let message = "the certificate needs more memory than a search may use";
            let expected = "'fanorona analyze --certificate FILE' on a machine of your own";
            Problem::new(ProblemKind::TooLarge, message, expected)
        }
        ErrorKind::Unproved => {
            let expected = "a longer search, or 'fanorona analyze --certificate FILE'";
            Problem::new(ProblemKind::Timeout, "the certificate cannot be made", expected)
        }
        ErrorKind::Interrupted => {
            let message = "the work was stopped before its answer was complete";
            Problem::new(ProblemKind::Timeout, message, "a smaller request")
        }
        // Nothing that is asked of the libraries here fails in these ways.
        ErrorKind::BadRecord
        | ErrorKind::BadParameter
        | ErrorKind::OtherGame
        | ErrorKind::TooLarge
        | ErrorKind::Busy
        | ErrorKind::EngineFailed => Problem::bug("something unexpected happened"),
    }
}

macro_rules! library_errors {
    (shown: $($shown:ty),+; hidden: $($hidden:ty),+ $(,)?) => {
        $(impl From<$shown> for Problem {
            fn from(error: $shown) -> Self {
                of_library(error.kind(), Some(error.to_string()))
            }
        })+
        $(impl From<$hidden> for Problem {
            fn from(error: $hidden) -> Self {
                of_library(error.kind(), None)
            }
        })+
    };
}

library_errors! {
    shown: BoardError, ParseRuleSetError, RuleError, ParsePositionError, ParseTurnError;
    hidden: TableError, BookError, KnowledgeError, CertificateError, SolverError,
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Knowledge(error) => error.into(),
            EngineError::Solver(error) => error.into(),
            error => of_library(error.kind(), Some(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_is_to_be_reported() {
        let Problem { kind, message, expected, .. } = Problem::from(BookError::Empty);
        assert_eq!((kind, expected.as_str()), (ProblemKind::Internal, "please report it"));
        assert!(message.starts_with("this is a bug in the server"), "{message}");
    }
}
