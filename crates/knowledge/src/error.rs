//! Errors of asking what is known.

use crate::book::BookError;
use fanorona_core::{Board, ErrorKind, RuleSet};
use fanorona_tablebase::TableError;
use thiserror::Error;

/// An error of opening or asking sources of knowledge.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named in the messages")]
pub enum KnowledgeError {
    /// The certificates are of another game than the one that is asked about.
    #[error(
        "the certificates are about {found_board} under {found_rules}, not {board} under {rules}"
    )]
    OtherBook { board: Board, rules: RuleSet, found_board: Board, found_rules: RuleSet },
    /// The stop flag was set.
    #[error("stopped before the answer was complete")]
    Stopped,
    /// There are more turns than are listed.
    #[error("the position has more than {most} turns")]
    TooManyTurns { most: usize },
    /// A table is damaged, of another game, or cannot be read.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// A certificate is damaged, cannot be read, or contradicts another source.
    #[error(transparent)]
    Book(#[from] BookError),
}

impl KnowledgeError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::OtherBook { .. } => ErrorKind::OtherGame,
            Self::Stopped => ErrorKind::Interrupted,
            Self::TooManyTurns { .. } => ErrorKind::TooMany,
            Self::Tables(error) => error.kind(),
            Self::Book(error) => error.kind(),
        }
    }
}
