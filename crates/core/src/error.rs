//! The kinds of errors that all crates of the game share.

use std::error::Error;
use std::io;

use crate::board::BoardError;
use crate::names::ParseNameError;
use crate::point::ParsePointError;
use crate::position::{ParsePositionError, SetupError};
use crate::rules::{ParseRuleSetError, RuleError};
use crate::stepwise::{ParseTurnError, PlayError, StepError};

/// Makes the enum of kinds with their codes.
macro_rules! kinds {
    (
        $(#[$of_all:meta])*
        pub enum ErrorKind { $($(#[$of_one:meta])* $kind:ident $code:literal,)+ }
    ) => {
        $(#[$of_all])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum ErrorKind {
            $($(#[$of_one])* $kind,)+
        }

        impl ErrorKind {
            /// All kinds.
            pub const ALL: [Self; [$($code),+].len()] = [$(Self::$kind),+];

            /// The name in JSON, such as `bad_position`. Kinds that a caller has no reason to tell
            /// apart there have one code.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$kind => $code,)+
                }
            }
        }
    };
}

kinds! {
    /// The kind of an error: what a program, an API or another language answers to.
    ///
    /// Every error type of these crates has a method `kind`. A front end maps kinds to exit statuses,
    /// status codes or exceptions, and does not look at the variants of errors. The enum is not
    /// `non_exhaustive`, so that a front end that does not handle a new kind does not compile. The error
    /// of a file, which knows nothing of the game, has a kind of the standard library that converts.
    pub enum ErrorKind {
        /// A size or a text is not a board.
        BadBoard "bad_board",
        /// A text is not a rule set, or the rule set cannot be used on the board.
        BadRules "bad_rules",
        /// A text or stones are not a position.
        BadPosition "bad_position",
        /// Stones alone are not enough: their value depends on who has which colour.
        ColoursMatter "bad_position",
        /// A text is not a turn, or fits more than one.
        BadTurn "bad_turn",
        /// A turn or a step is not legal.
        IllegalTurn "bad_turn",
        /// A text of several lines is not what it should be: a game record, a perft suite.
        BadRecord "bad_record",
        /// Another argument or option cannot be used.
        BadParameter "bad_parameter",
        /// An answer would list more than it may.
        TooMany "too_many",
        /// A position, a file or a set of tables is of another board or rule set.
        OtherGame "other_game",
        /// A table that is needed does not exist.
        MissingTable "missing_table",
        /// A certificate that is needed does not exist.
        MissingCertificate "missing_certificate",
        /// A file or a directory that was named does not exist.
        NotFound "not_found",
        /// A file is damaged or of another format, or contradicts others.
        DamagedFile "damaged_file",
        /// A file has a format version that is not supported.
        OtherVersion "other_version",
        /// A file is intact, but not the one that is needed.
        OtherFile "other_file",
        /// A certificate does not prove what it claims.
        ProofFails "proof_fails",
        /// No proof was found of what should be proved.
        Unproved "unproved",
        /// A slice has too many positions, or its distances are too long.
        TooLarge "too_large",
        /// The work needs more memory than it may use.
        MemoryLimit "memory_limit",
        /// The system has no memory, or no thread, left.
        OutOfMemory "out_of_memory",
        /// There is too little disk space.
        OutOfDisk "out_of_disk",
        /// Files cannot be read or written, or processes cannot exchange data.
        Io "io",
        /// Other work excludes this work at the moment.
        Busy "busy",
        /// The caller has stopped the work.
        Interrupted "interrupted",
        /// Another program does not do its part.
        EngineFailed "engine_failed",
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
            Self::NoLink { .. } | Self::Step { .. } | Self::Unfinished { .. } => {
                ErrorKind::IllegalTurn
            }
            _ => ErrorKind::BadTurn,
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
