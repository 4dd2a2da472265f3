//! Errors of books.

use std::path::PathBuf;

use fanorona_core::{Board, ErrorKind, Position, RuleSet};
use fanorona_tablebase::TableError;
use thiserror::Error;

use fanorona_proof::CertificateError;

/// An error of opening or asking a book.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum BookError {
    #[error("a book needs at least one certificate")]
    Empty,
    #[error("{} is about {found_board} under {found_rules}, not {board} under {rules}", .path.display())]
    OtherGame {
        path: PathBuf,
        found_board: Board,
        found_rules: RuleSet,
        board: Board,
        rules: RuleSet,
    },
    #[error("the book is about the board {expected}, but the position is on {found}")]
    OtherBoard { expected: Board, found: Board },
    /// Certificates and tables contradict each other. At least one of them is wrong.
    #[error("certificates and tables contradict each other at {position}; check them")]
    Contradiction { position: Position },
    /// A certificate cannot be read, is damaged, or does not hold.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// A table is damaged or cannot be read.
    #[error(transparent)]
    Tables(#[from] TableError),
}

impl BookError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Empty => ErrorKind::BadParameter,
            Self::OtherGame { .. } | Self::OtherBoard { .. } => ErrorKind::OtherGame,
            Self::Contradiction { .. } => ErrorKind::DamagedFile,
            Self::Certificate(error) => error.kind(),
            Self::Tables(error) => error.kind(),
        }
    }
}
