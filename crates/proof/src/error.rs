//! What can go wrong with certificates.

use std::io;
use std::path::{Path, PathBuf};

use fanorona_core::{Board, Position, RuleError, RuleSet};
use fanorona_storage::ReplaceError;
use fanorona_tablebase::{Metric, Slice, TableError};
use thiserror::Error;

use crate::format::VERSION;
use crate::guide::GuideError;

/// An error of making or checking a certificate.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// Reading or writing failed.
    #[error("{doing} {}: {source}", .path.display())]
    Io {
        /// What was being done, as in "cannot write".
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Not one of our files.
    #[error("{} is not a certificate of this program: {why}", .path.display())]
    NotACertificate {
        /// The file.
        path: PathBuf,
        /// How one can tell.
        why: String,
    },
    /// A format of another time.
    #[error(
        "{} has format version {found}, and this program reads version {}: make it again, or use \
         the program that wrote it",
        .path.display(), VERSION
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The bytes are not those that were written.
    #[error("{} is damaged: {what} (at byte {offset})", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Which part, and how one can tell.
        what: String,
        /// Where in the file.
        offset: u64,
    },
    /// The bytes are whole, but they prove nothing.
    #[error("the proof in {} does not hold: {why}", .path.display())]
    DoesNotHold {
        /// The file.
        path: PathBuf,
        /// Where it fails, and how.
        why: String,
    },
    /// No directory of tables was given.
    #[error(
        "{} rests on {tables} tables, the largest for slice {slice}: say where they are, or make \
         them with 'fanorona build --board {board} --rules {rules} --stones {} --metric {}'",
        .path.display(), .slice.stones(), .metric.name()
    )]
    NeedsTables {
        /// The certificate.
        path: PathBuf,
        /// How many tables it names.
        tables: usize,
        /// The board.
        board: Board,
        /// The rule set that they are for.
        rules: RuleSet,
        /// One with the most stones.
        slice: Slice,
        /// What their values are.
        metric: Metric,
    },
    /// A table with other bytes than the certificate rests on.
    #[error(
        "the table {} has the checksum {found:016x}, and {} rests on one with {expected:016x}: \
         find the tables that it was made with, or make it again with these",
        .table.display(), .path.display()
    )]
    OtherTable {
        /// The certificate.
        path: PathBuf,
        /// The table's file.
        table: PathBuf,
        /// Its checksum.
        found: u64,
        /// The checksum that the certificate names.
        expected: u64,
    },
    /// A table is missing, damaged or cannot be read.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// A rule set without a reading on the board.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// The guide failed.
    #[error(transparent)]
    Guide(GuideError),
    /// The guide has no turn at a position of the proof.
    #[error("there is no certificate, for the search knows no turn at {position}")]
    NoTurn {
        /// A position that can come up, the side that proves to move.
        position: Position,
    },
    /// The guide gave a turn that is not legal.
    #[error("there is no certificate, for the search wants an illegal turn at {position}")]
    IllegalTurn {
        /// Where.
        position: Position,
    },
    /// The guide's turns lead to a worse end than was claimed.
    #[error("there is no certificate, for the search's turns lead to {position}, which is worse")]
    TooBad {
        /// The end, or the position that the tables hold.
        position: Position,
    },
    /// The guide's turns let the loser go round in circles.
    #[error("there is no certificate, for play comes back to {position} by the search's turns")]
    Circle {
        /// A position on the circle.
        position: Position,
    },
    /// The proof is larger than the memory that was given.
    #[error("the certificate has more than {positions} positions, and there is no memory for more")]
    TooLarge {
        /// How many were found.
        positions: usize,
    },
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}

impl From<GuideError> for CertificateError {
    fn from(error: GuideError) -> Self {
        match error {
            GuideError::Stopped => Self::Stopped,
            error => Self::Guide(error),
        }
    }
}

impl From<ReplaceError> for CertificateError {
    fn from(error: ReplaceError) -> Self {
        Self::Io { doing: error.operation.in_words(), path: error.path, source: error.source }
    }
}

impl CertificateError {
    /// Wraps what the system said of a file.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// Whether a certificate was read, and what it says is not proved: it was changed, or was never
    /// right. (Otherwise it could not be read or checked at all.)
    pub fn is_refutation(&self) -> bool {
        matches!(self, Self::Corrupt { .. } | Self::DoesNotHold { .. })
    }
}
