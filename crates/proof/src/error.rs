//! What can go wrong with certificates.

use std::io;
use std::path::PathBuf;

use fanorona_core::{Board, Position, RuleError, RuleSet, SetupError, Value};
use fanorona_storage::{ContainerError, Operation, ReplaceError};
use fanorona_tablebase::{Metric, Slice, TableError};
use thiserror::Error;

use crate::claim::Claim;
use crate::guide::GuideError;

/// An error of making, opening or checking a certificate.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// Reading or writing failed, or the file is not a regular file.
    #[error("{} {}", .operation.in_words(), .path.display())]
    Io {
        /// What failed.
        operation: Operation,
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} is not a certificate: {why}", .path.display())]
    NotACertificate {
        /// The file.
        path: PathBuf,
        /// How this shows.
        why: String,
    },
    /// The file has a format version that is not supported.
    #[error(
        "{} has format version {found}, and versions {oldest} to {newest} can be read",
        .path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The oldest version that can be read.
        oldest: u32,
        /// The newest version that can be read.
        newest: u32,
    },
    /// The file is damaged, or was not written by the rules of the format.
    #[error("{} is damaged: {what} (at byte {offset})", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Which part, and what is wrong with it.
        what: String,
        /// Where in the file.
        offset: u64,
    },
    /// The file is whole, but what it says is not a proof.
    #[error("the proof in {} does not hold: {flaw}", .path.display())]
    DoesNotHold {
        /// The file.
        path: PathBuf,
        /// Where the proof fails.
        flaw: Flaw,
    },
    /// The certificate names tables, and no tables were given.
    #[error(
        "{} rests on {tables} {metric} tables of {board} under {rules}, up to slice {slice}",
        .path.display()
    )]
    NeedsTables {
        /// The certificate.
        path: PathBuf,
        /// How many tables it names.
        tables: usize,
        /// The board.
        board: Board,
        /// The rule set that the tables are for.
        rules: RuleSet,
        /// The last slice that it names; none has more stones.
        slice: Slice,
        /// The metric of the tables.
        metric: Metric,
    },
    /// A table is not the one that the certificate names.
    #[error(
        "{} has the checksum {found:016x}, and {} rests on a table with {expected:016x}",
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
    /// The rule set cannot be played on the board.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// The guide failed.
    #[error(transparent)]
    Guide(GuideError),
    /// The guide knows no turn at a position that can come up.
    #[error("no certificate: the guide knows no turn at {position}")]
    NoTurn {
        /// The position, the prover to move.
        position: Position,
    },
    /// The guide chose a turn that is not legal.
    #[error("no certificate: the guide chose an illegal turn at {position}")]
    IllegalTurn {
        /// The position, the prover to move.
        position: Position,
    },
    /// The guide's turns lead to a leaf that is worse for the prover than the claim.
    #[error("no certificate: the guide's turns lead to {position}, which is worse than the claim")]
    BadLeaf {
        /// A finished game, or a position of the tables.
        position: Position,
    },
    /// The guide's turns let the opponent of a win repeat positions for ever.
    #[error("no certificate: the guide's turns lead back to {position}")]
    Cycle {
        /// A position of the cycle, the prover to move.
        position: Position,
    },
    /// A proof needs more memory than it may take.
    #[error("no certificate: after {positions} positions the proof needs more than {limit} bytes")]
    MemoryLimit {
        /// How many positions had been found.
        positions: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// A certificate cannot hold just these proofs: it has one, or two that both sides have at least
    /// a draw.
    #[error("no certificate consists of proofs of {}", in_words(.claims))]
    Claims {
        /// What the proofs claim; empty if there is none.
        claims: Vec<Claim>,
    },
    /// It was asked to stop.
    #[error("stopped")]
    Stopped,
}

impl CertificateError {
    /// Whether a certificate was read and what it says is not proved: it is damaged, or its proof
    /// does not hold. Other errors say that it could not be read or checked.
    pub fn is_refutation(&self) -> bool {
        matches!(self, Self::Corrupt { .. } | Self::DoesNotHold { .. })
    }
}

impl From<GuideError> for CertificateError {
    fn from(error: GuideError) -> Self {
        match error {
            GuideError::Stopped => Self::Stopped,
            error => Self::Guide(error),
        }
    }
}

impl From<ContainerError> for CertificateError {
    fn from(error: ContainerError) -> Self {
        match error {
            ContainerError::Io { operation, path, source } => Self::Io { operation, path, source },
            ContainerError::OtherKind { path, why } => Self::NotACertificate { path, why },
            ContainerError::Version { path, found, oldest, newest } => {
                Self::Version { path, found, oldest, newest }
            }
            ContainerError::Corrupt { path, what, offset } => Self::Corrupt { path, what, offset },
            // A variant that a later version of storage may add.
            other => Self::Io {
                operation: Operation::Read,
                path: PathBuf::new(),
                source: io::Error::other(other),
            },
        }
    }
}

impl From<ReplaceError> for CertificateError {
    fn from(error: ReplaceError) -> Self {
        let ReplaceError { operation, path, source, .. } = error;
        Self::Io { operation, path, source }
    }
}

fn in_words(claims: &[Claim]) -> String {
    if claims.is_empty() {
        return "nothing".to_owned();
    }
    let claims: Vec<_> = claims.iter().map(|claim| format!("'{claim}'")).collect();
    claims.join(" and ")
}

/// Where a proof fails.
///
/// The page on the format explains entries, leaves and distances.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The stones of an entry are not a position.
    #[error("an entry is not a position: {why}")]
    NotAPosition {
        /// What is wrong with them.
        why: SetupError,
    },
    /// An entry has a turn with a number that no legal turn has.
    #[error("there is no turn {turn} at {position}")]
    NoSuchTurn {
        /// The entry's position.
        position: Position,
        /// The number, from 0.
        turn: u32,
    },
    /// An entry has a turn that leads to the same position as an earlier one, which would have to be
    /// there instead.
    #[error("at {position} an earlier turn leads to the same position as turn {turn}")]
    DuplicateTurn {
        /// The entry's position.
        position: Position,
        /// The number, from 0.
        turn: u32,
    },
    /// A position can come up that is neither a leaf nor an entry.
    #[error("{position} can come up and has no entry")]
    NoEntry {
        /// The position, the prover to move.
        position: Position,
    },
    /// A leaf can come up that is worse for the prover than the claim.
    #[error("{position} can come up, which is a {value} for the side to move")]
    BadLeaf {
        /// The position.
        position: Position,
        /// Its value.
        value: Value,
    },
    /// An entry of a win has another distance to conversion than follows from the others.
    #[error("{position} has the distance {found}, which should be {expected}")]
    WrongDistance {
        /// The entry's position.
        position: Position,
        /// Its distance.
        found: u32,
        /// What it should be.
        expected: u64,
    },
    /// Entries never come up.
    #[error("{unreached} of its {entries} positions never come up")]
    Unreached {
        /// How many.
        unreached: u64,
        /// How many entries the proof has.
        entries: u64,
    },
    /// A table is named that no leaf needs.
    #[error("it names the table {slice}, which it does not rest on")]
    UnusedTable {
        /// The table's slice.
        slice: Slice,
    },
    /// A table is named without those that it needs for positions with captures.
    #[error("it names the table {slice} without all those that captures lead to")]
    IncompleteTables {
        /// The table's slice.
        slice: Slice,
    },
}
