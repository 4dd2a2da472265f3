//! The kinds of errors that all crates of the game share.

use std::error::Error;
use std::io;

use crate::board::BoardError;
use crate::names::ParseNameError;
use crate::notation::position::ParsePositionError;
use crate::notation::turn::ParseTurnError;
use crate::point::ParsePointError;
use crate::position::SetupError;
use crate::rule_name::ParseRuleSetError;
use crate::rules::RuleError;
use crate::stepwise::{PlayError, StepError};

/// The kind of an error: what a program, an API or another language answers to.
///
/// Every error type of these crates has a method `kind`. A front end maps kinds to exit statuses,
/// status codes or exceptions, and does not look at the variants of errors. The type is in this
/// crate because every crate with the game uses it; the error of a file, which knows nothing of the
/// game, has a kind of the standard library that converts to this one.
///
/// It is not `non_exhaustive`, so that a front end that does not handle a new kind does not compile.
///
/// ```
/// use fanorona_core::{ErrorKind, Position};
/// let error = "9/9/9/9 w".parse::<Position>().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::BadPosition);
/// assert_eq!(error.kind().code(), "bad_position");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// A size or a text is not a board.
    BadBoard,
    /// A text is not a rule set, or the rule set cannot be used on the board.
    BadRules,
    /// A text or stones are not a position.
    BadPosition,
    /// Stones alone are not enough: their value depends on who has which colour.
    ColoursMatter,
    /// A text is not a turn, or fits more than one.
    BadTurn,
    /// A turn or a step is not legal.
    IllegalTurn,
    /// A text of several lines is not what it should be: a game record, a perft suite.
    BadRecord,
    /// Another argument or option cannot be used.
    BadParameter,
    /// An answer would list more than it may.
    TooMany,
    /// A position, a file or a set of tables is of another board or rule set.
    OtherGame,
    /// A table that is needed does not exist.
    MissingTable,
    /// A certificate that is needed does not exist.
    MissingCertificate,
    /// A file or a directory that was named does not exist.
    NotFound,
    /// A file is damaged or of another format, or contradicts others.
    DamagedFile,
    /// A file has a format version that is not supported.
    OtherVersion,
    /// A file is intact, but not the one that is needed.
    OtherFile,
    /// A certificate does not prove what it claims.
    ProofFails,
    /// No proof was found of what should be proved.
    Unproved,
    /// A slice has too many positions, or its distances are too long.
    TooLarge,
    /// The work needs more memory than it may use.
    MemoryLimit,
    /// The system has no memory, or no thread, left.
    OutOfMemory,
    /// There is too little disk space.
    OutOfDisk,
    /// Files cannot be read or written, or processes cannot exchange data.
    Io,
    /// Other work excludes this work at the moment.
    Busy,
    /// The caller has stopped the work.
    Interrupted,
    /// Another program does not do its part.
    EngineFailed,
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: [Self; 26] = [
        Self::BadBoard,
        Self::BadRules,
        Self::BadPosition,
        Self::ColoursMatter,
        Self::BadTurn,
        Self::IllegalTurn,
        Self::BadRecord,
        Self::BadParameter,
        Self::TooMany,
        Self::OtherGame,
        Self::MissingTable,
        Self::MissingCertificate,
        Self::NotFound,
        Self::DamagedFile,
        Self::OtherVersion,
        Self::OtherFile,
        Self::ProofFails,
        Self::Unproved,
        Self::TooLarge,
        Self::MemoryLimit,
        Self::OutOfMemory,
        Self::OutOfDisk,
        Self::Io,
        Self::Busy,
        Self::Interrupted,
        Self::EngineFailed,
    ];

    /// The name in JSON, such as `bad_position`. Kinds that a caller has no reason to tell apart
    /// there have one code.
    pub fn code(self) -> &'static str {
        match self {
            Self::BadBoard => "bad_board",
            Self::BadRules => "bad_rules",
            Self::BadPosition | Self::ColoursMatter => "bad_position",
            Self::BadTurn | Self::IllegalTurn => "bad_turn",
            Self::BadRecord => "bad_record",
            Self::BadParameter => "bad_parameter",
            Self::TooMany => "too_many",
            Self::OtherGame => "other_game",
            Self::MissingTable => "missing_table",
            Self::MissingCertificate => "missing_certificate",
            Self::NotFound => "not_found",
            Self::DamagedFile => "damaged_file",
            Self::OtherVersion => "other_version",
            Self::OtherFile => "other_file",
            Self::ProofFails => "proof_fails",
            Self::Unproved => "unproved",
            Self::TooLarge => "too_large",
            Self::MemoryLimit => "memory_limit",
            Self::OutOfMemory => "out_of_memory",
            Self::OutOfDisk => "out_of_disk",
            Self::Io => "io",
            Self::Busy => "busy",
            Self::Interrupted => "interrupted",
            Self::EngineFailed => "engine_failed",
        }
    }
}

impl From<io::ErrorKind> for ErrorKind {
    fn from(kind: io::ErrorKind) -> Self {
        use io::ErrorKind as Kind;
        match kind {
            Kind::NotFound => Self::NotFound,
            Kind::InvalidData => Self::DamagedFile,
            Kind::Unsupported => Self::OtherVersion,
            Kind::OutOfMemory => Self::OutOfMemory,
            Kind::ResourceBusy => Self::Busy,
            Kind::Interrupted => Self::Interrupted,
            Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => Self::OutOfDisk,
            _ => Self::Io,
        }
    }
}

/// Gives error types a method `kind` whose answer is the same for all their values.
#[doc(hidden)]
#[macro_export]
macro_rules! error_kinds {
    ($($kind:ident: $($error:ty),+;)+) => {
        $($(impl $error {
            /// The kind, which all errors of this type have.
            pub fn kind(&self) -> $crate::ErrorKind {
                $crate::ErrorKind::$kind
            }
        })+)+
    };
}

error_kinds! {
    BadBoard: BoardError;
    BadRules: ParseRuleSetError, RuleError;
    BadPosition: SetupError;
    IllegalTurn: StepError, PlayError;
    BadParameter: ParsePointError, ParseNameError;
}

impl ParsePositionError {
    /// Whether the text is no position, or a board that there is not.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Start(error) => error.kind(),
            _ => ErrorKind::BadPosition,
        }
    }
}

impl ParseTurnError {
    /// Whether the text is no turn, or one that is not legal.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Text { .. }
            | Self::Point { .. }
            | Self::OffBoard { .. }
            | Self::Ambiguous { .. } => ErrorKind::BadTurn,
            Self::NoLink { .. } | Self::Step { .. } | Self::Unfinished { .. } => {
                ErrorKind::IllegalTurn
            }
        }
    }
}

/// The message of an error with those of its causes, each once, without the system's numbers of errors.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = Some(error);
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text += ": ";
            text += &message;
        }
        if let Some(number) = error.downcast_ref().and_then(io::Error::raw_os_error) {
            text = text.replace(&format!(" (os error {number})"), "");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use thiserror::Error;

    use super::*;

    #[test]
    fn all_kinds_are_listed_once() {
        let all: HashSet<_> = ErrorKind::ALL.into_iter().collect();
        assert_eq!(all.len(), ErrorKind::ALL.len());
        // The last one has the greatest number.
        assert_eq!(ErrorKind::ALL.len(), ErrorKind::EngineFailed as usize + 1);
    }

    #[test]
    fn codes_are_words_for_scripts() {
        for kind in ErrorKind::ALL {
            let is_word = |c: char| c.is_ascii_lowercase() || c == '_';
            assert!(kind.code().chars().all(is_word), "{kind:?}");
        }
    }

    #[derive(Debug, Error)]
    #[error("cannot read the file: {source}")]
    struct NamesItsCause {
        source: io::Error,
    }

    #[derive(Debug, Error)]
    #[error("no luck")]
    struct Outer(#[source] NamesItsCause);

    #[test]
    fn causes_are_named_once() {
        let error = Outer(NamesItsCause { source: io::Error::other("the disk is gone") });
        assert_eq!(with_causes(&error), "no luck: cannot read the file: the disk is gone");
    }

    #[test]
    fn the_numbers_of_the_system_are_not_told() {
        let gone = || io::Error::from_raw_os_error(2);
        let reason = gone().to_string().replace(" (os error 2)", "");
        assert_ne!(reason, gone().to_string());
        let named = || NamesItsCause { source: gone() };
        for (error, expected) in [
            (&gone() as &(dyn Error + 'static), reason.clone()),
            (&named(), format!("cannot read the file: {reason}")),
            (&Outer(named()), format!("no luck: cannot read the file: {reason}")),
        ] {
            assert_eq!(with_causes(error), expected);
        }
    }
}
