//! Errors of books.

use std::path::PathBuf;

use fanorona_core::{Board, ErrorKind, Position, RuleSet};
use fanorona_tablebase::TableError;
use thiserror::Error;

use fanorona_proof::CertificateError;

/// An error of opening or asking a book.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookError {
    /// No certificate was given.
    #[error("a book needs at least one certificate")]
    Empty,
    /// The certificates are not all of one board and rule set.
    #[error("{} is about {found_board} under {found_rules}, not {board} under {rules}", .path.display())]
    OtherGame {
        /// The certificate.
        path: PathBuf,
        /// Its board.
        found_board: Board,
        /// Its rule set.
        found_rules: RuleSet,
        /// The board of the book.
        board: Board,
        /// The rule set of the book.
        rules: RuleSet,
    },
    /// The position is on another board than the book.
    #[error("the book is about the board {expected}, but the position is on {found}")]
    OtherBoard {
        /// The board of the book.
        expected: Board,
        /// The board of the position.
        found: Board,
    },
    /// Certificates and tables contradict each other. At least one of them is wrong.
    #[error("certificates and tables contradict each other at {position}; check them")]
    Contradiction {
        /// The position.
        position: Position,
    },
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
