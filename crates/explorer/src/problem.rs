//! What can be wrong with a request, and what can go wrong with its answer.

use fanorona_core::{BoardError, ParsePositionError, ParseRuleSetError, ParseTurnError, RuleError};
use fanorona_knowledge::KnowledgeError;
use fanorona_proof::BookError;
use fanorona_tablebase::TableError;
use thiserror::Error;

/// The kind of a [`Problem`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the codes say it")]
pub enum ProblemKind {
    BadBoard,
    BadRules,
    BadPosition,
    BadTurn,
    BadNumber,
    BadRecord,
    BadParameter,
    BadBody,
    TooLarge,
    TooMany,
    TooFast,
    Busy,
    NotFound,
    MethodNotAllowed,
    WrongHost,
    CrossSite,
    NotOffered,
    GameOver,
    LevelUnavailable,
    EngineFailed,
    DamagedTable,
    Timeout,
    Internal,
}

impl ProblemKind {
    /// All kinds.
    pub const ALL: [Self; 23] = [
        Self::BadBoard,
        Self::BadRules,
        Self::BadPosition,
        Self::BadTurn,
        Self::BadNumber,
        Self::BadRecord,
        Self::BadParameter,
        Self::BadBody,
        Self::TooLarge,
        Self::TooMany,
        Self::TooFast,
        Self::Busy,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::WrongHost,
        Self::CrossSite,
        Self::NotOffered,
        Self::GameOver,
        Self::LevelUnavailable,
        Self::EngineFailed,
        Self::DamagedTable,
        Self::Timeout,
        Self::Internal,
    ];

    /// The name in answers.
    pub fn code(self) -> &'static str {
        match self {
            Self::BadBoard => "bad_board",
            Self::BadRules => "bad_rules",
            Self::BadPosition => "bad_position",
            Self::BadTurn => "bad_turn",
            Self::BadNumber => "bad_number",
            Self::BadRecord => "bad_record",
            Self::BadParameter => "bad_parameter",
            Self::BadBody => "bad_body",
            Self::TooLarge => "too_large",
            Self::TooMany => "too_many",
            Self::TooFast | Self::Busy => "busy",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::WrongHost => "wrong_host",
            Self::CrossSite => "cross_site",
            Self::NotOffered => "not_offered",
            Self::GameOver => "game_over",
            Self::LevelUnavailable => "level_unavailable",
            Self::EngineFailed => "engine_failed",
            Self::DamagedTable => "damaged_table",
            Self::Timeout => "timeout",
            Self::Internal => "internal",
        }
    }
}

/// What is wrong, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Problem {
    /// Its kind.
    pub kind: ProblemKind,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub expected: String,
    /// The parameter or field of the request that is wrong, if it is one.
    pub field: Option<&'static str>,
}

impl Problem {
    /// A problem that is not about a part of the request.
    pub fn new(kind: ProblemKind, message: impl ToString, expected: impl Into<String>) -> Self {
        Self { kind, message: message.to_string(), expected: expected.into(), field: None }
    }

    /// The same problem, about a part of the request.
    #[must_use]
    pub fn in_field(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }
}

impl From<KnowledgeError> for Problem {
    fn from(error: KnowledgeError) -> Self {
        match error {
            KnowledgeError::Tables(error) => error.into(),
            KnowledgeError::Book(error) => error.into(),
            KnowledgeError::TooManyTurns { .. } => {
                let expected = "ask for its value alone, with detail=value";
                Self::new(ProblemKind::TooMany, error, expected).in_field("position")
            }
            KnowledgeError::Stopped => {
                let message = "nobody waits for the answer";
                Self::new(ProblemKind::Timeout, message, "a smaller request")
            }
            error => Self::new(ProblemKind::Internal, error, "nothing: report it"),
        }
    }
}

impl From<BookError> for Problem {
    /// The message names no file and no directory: it may be read by strangers.
    fn from(error: BookError) -> Self {
        let expected = "the server's certificates and tables, checked with 'fanorona check'";
        let what = match error {
            BookError::Tables(error) => return error.into(),
            BookError::Contradiction { .. } => "certificates and tables contradict each other",
            BookError::Certificate(_) => "a certificate is damaged or cannot be read",
            error => return Self::new(ProblemKind::Internal, error, "nothing: report it"),
        };
        Self::new(ProblemKind::DamagedTable, what, expected)
    }
}

impl From<BoardError> for Problem {
    fn from(error: BoardError) -> Self {
        let expected = "width and height, both odd and at least 3, with at most 63 points: 9x5";
        Self::new(ProblemKind::BadBoard, error, expected).in_field("board")
    }
}

impl From<ParseRuleSetError> for Problem {
    fn from(error: ParseRuleSetError) -> Self {
        let expected = "a preset and its options: standard, forced-relay+no-turns-draw";
        Self::new(ProblemKind::BadRules, error, expected).in_field("rules")
    }
}

impl From<RuleError> for Problem {
    fn from(error: RuleError) -> Self {
        let expected = "rules that can be played on this board: vela+stones-3";
        Self::new(ProblemKind::BadRules, error, expected).in_field("rules")
    }
}

impl From<ParsePositionError> for Problem {
    fn from(error: ParsePositionError) -> Self {
        let expected = "the ranks from the top down and the side to move: 9/9/2W1B4/9/9 w";
        Self::new(ProblemKind::BadPosition, error, expected).in_field("position")
    }
}

impl From<ParseTurnError> for Problem {
    fn from(error: ParseTurnError) -> Self {
        let expected = "a legal turn: points, and A or W behind each that captures, as in d2-e3A";
        Self::new(ProblemKind::BadTurn, error, expected).in_field("turn")
    }
}

impl From<TableError> for Problem {
    /// The message names no file and no directory: it may be read by strangers.
    fn from(error: TableError) -> Self {
        let what = match &error {
            TableError::Corrupt { .. } => "a table is damaged",
            TableError::NotATable { .. } => "a file that should be a table is not one",
            TableError::Version { .. } => "a table has a version that is not supported",
            TableError::Other { .. } => "a table is not the one that its name says",
            TableError::Foreign { .. } => "an unpacked table does not belong to its packed one",
            TableError::Io { .. } | TableError::NoDirectory { .. } => "a table cannot be read",
            _ => return Self::new(ProblemKind::Internal, error, "nothing: report it"),
        };
        let expected = "the server's tables, checked with 'fanorona verify --quick'";
        Self::new(ProblemKind::DamagedTable, what, expected)
    }
}
