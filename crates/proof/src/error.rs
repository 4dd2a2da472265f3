//! Errors of certificates, and flaws of proofs.

use std::io;
use std::path::PathBuf;

use fanorona_core::{Board, Position, RuleError, RuleSet, Value};
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
        /// The operation that failed.
        operation: Operation,
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not a certificate.
    #[error("{} is not a certificate: {why}", .path.display())]
    NotACertificate {
        /// The file.
        path: PathBuf,
        /// Why it is not one.
        why: String,
    },
    /// The file has a format version that is not supported.
    #[error(
        "{} has format version {found}; supported are versions {oldest} to {newest}",
        .path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The oldest supported version.
        oldest: u32,
        /// The newest supported version.
        newest: u32,
    },
    /// The file is damaged or violates the format.
    #[error("{} is damaged: {what} (at byte {offset})", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Which part is damaged, and in what way.
        what: String,
        /// The offset of that part in the file.
        offset: u64,
    },
    /// The file is intact, but its proof is wrong.
    #[error("the proof in {} does not hold: {flaw}", .path.display())]
    DoesNotHold {
        /// The file.
        path: PathBuf,
        /// Where the proof fails.
        flaw: Flaw,
    },
    /// The files are intact, but their claims are not proved without believing tables.
    #[error("{} not proved without believing tables: {flaw}", are(.paths))]
    Unproved {
        /// The files whose proofs were expanded together.
        paths: Vec<PathBuf>,
        /// Where the turns that the tables recommend fail.
        flaw: Flaw,
    },
    /// Checking without believing tables needs more memory than the limit.
    #[error("after {positions} positions, expanding the proof needs more than {limit} bytes")]
    ExpansionMemory {
        /// The number of positions found so far.
        positions: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// Following the proof of a certificate needs more memory than the limit.
    #[error(
        "after {entries} positions, the proof in {} needs more than {limit} bytes", .path.display()
    )]
    EntryMemory {
        /// The certificate.
        path: PathBuf,
        /// The number of positions found so far.
        entries: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// A slice has too many positions to number them.
    #[error("slice {slice} of {board} has too many positions to be expanded")]
    SliceTooLarge {
        /// The slice.
        slice: Slice,
        /// The board.
        board: Board,
    },
    /// The certificate names tables, but no tables were given.
    #[error(
        "{} rests on {tables} {metric} tables of {board} under {rules}, up to slice {slice}",
        .path.display()
    )]
    NeedsTables {
        /// The certificate.
        path: PathBuf,
        /// The number of tables that it names.
        tables: usize,
        /// The board.
        board: Board,
        /// The rule set of the tables.
        rules: RuleSet,
        /// The largest slice that it names.
        slice: Slice,
        /// The metric of the tables.
        metric: Metric,
    },
    /// A table is not the one that the certificate names.
    #[error(
        "{} has the checksum {found:016x}, but {} rests on a table with {expected:016x}",
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
    /// The guide's turns do not prove the claim.
    #[error("no certificate: {flaw}")]
    NoProof {
        /// Where they fail.
        flaw: Flaw,
    },
    /// A proof needs more memory than the limit.
    #[error("no certificate: after {positions} positions the proof needs more than {limit} bytes")]
    MemoryLimit {
        /// The number of positions found so far.
        positions: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// No certificate can have exactly these claims. It has one claim, or two that each side has at
    /// least a draw.
    #[error("no certificate consists of proofs of {}", in_words(.claims))]
    Claims {
        /// The claims; may be empty.
        claims: Vec<Claim>,
    },
    /// The work was stopped by the caller's flag or by the guide.
    #[error("stopped")]
    Stopped,
}

impl CertificateError {
    /// Whether the error shows that a certificate proves nothing: it is damaged, or its proof does
    /// not hold. After other errors, it may still be a valid proof.
    pub fn is_refutation(&self) -> bool {
        matches!(self, Self::Corrupt { .. } | Self::DoesNotHold { .. })
    }
}

/// The first of some files, the number of the others, and the verb.
fn are(paths: &[PathBuf]) -> String {
    match paths {
        [] => "no file is".to_owned(),
        [path] => format!("{} is", path.display()),
        [path, others @ ..] => format!("{} and {} more are", path.display(), others.len()),
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
            // `ContainerError` is non-exhaustive.
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

/// The reason why a proof does not hold.
///
/// The [crate's documentation](crate) explains entries, leaves and distances.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The number of an entry's turn is too large.
    #[error("there is no turn {turn} at {position}")]
    NoSuchTurn {
        /// The entry's position.
        position: Position,
        /// The number of the turn, from 0.
        turn: u32,
    },
    /// An entry's turn leads to the same position as a turn with a lower number, which must be used
    /// instead.
    #[error("at {position} an earlier turn leads to the same position as turn {turn}")]
    DuplicateTurn {
        /// The entry's position.
        position: Position,
        /// The number of the turn, from 0.
        turn: u32,
    },
    /// A position can come up that is neither a leaf nor an entry.
    #[error("{position} can come up and has no entry")]
    NoEntry {
        /// The position, with the prover to move.
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
    /// In a proof of a win, play can return to a position without a capture.
    #[error("play can return to {position}, so it need not end")]
    Cycle {
        /// The position, with the prover to move.
        position: Position,
    },
    /// The guide or the tables, which recommend turns, have none that keeps the claim.
    #[error("no turn is known at {position} that keeps the claim")]
    NoTurn {
        /// The position, with the prover to move.
        position: Position,
    },
    /// The guide chose an illegal turn.
    #[error("an illegal turn was chosen at {position}")]
    IllegalTurn {
        /// The position, with the prover to move.
        position: Position,
    },
    /// The tables recommend no winning turn that leads closer to the end of the game.
    #[error("the winning turns that the tables have at {position} do not force an end of the game")]
    NoProgress {
        /// The position, with the prover to move.
        position: Position,
    },
    /// Some entries never come up.
    #[error("{unreached} of its {entries} positions never come up")]
    Unreached {
        /// The number of these entries.
        unreached: u64,
        /// The number of entries of the proof.
        entries: u64,
    },
    /// The certificate names a table that no leaf needs.
    #[error("it names the table {slice}, which it does not rest on")]
    UnusedTable {
        /// The table's slice.
        slice: Slice,
    },
    /// The certificate names a table, but not those that it needs for positions with captures.
    #[error("it names the table {slice} without all those that captures lead to")]
    IncompleteTables {
        /// The table's slice.
        slice: Slice,
    },
}
