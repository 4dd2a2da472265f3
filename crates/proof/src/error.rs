//! Errors of certificates, and flaws of proofs.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Board, ErrorKind, Position, RuleError, RuleSet, Value};
use fanorona_tablebase::{FileError, Metric, Slice, TableError};
use thiserror::Error;

use crate::claim::Claim;

pub(crate) type Result<T, E = CertificateError> = std::result::Result<T, E>;

/// The error of work that was stopped, if the flag is set.
pub(crate) fn check_stop(stop: &AtomicBool) -> Result<()> {
    if stop.load(Ordering::Relaxed) { Err(CertificateError::Stopped) } else { Ok(()) }
}

/// An error of making, opening or checking a certificate.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum CertificateError {
    /// A file cannot be read or written, or is damaged.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is intact, but its proof is wrong.
    #[error("the proof in {} does not hold: {flaw}", .path.display())]
    DoesNotHold { path: PathBuf, flaw: Flaw },
    /// The files are intact, but their claims are not proved without believing tables.
    #[error("{} not proved without believing tables: {flaw}", are(.paths))]
    Unproved { paths: Vec<PathBuf>, flaw: Flaw },
    /// Checking without believing tables needs more memory than the limit.
    #[error("after {positions} positions, expanding the proof needs more than {limit} bytes")]
    ExpansionMemory { positions: u64, limit: u64 },
    /// Following the proof of a certificate needs more memory than the limit.
    #[error(
        "after {entries} positions, the proof in {} needs more than {limit} bytes", .path.display()
    )]
    EntryMemory { path: PathBuf, entries: u64, limit: u64 },
    /// A slice has too many positions to number them.
    #[error("slice {slice} of {board} has too many positions to be expanded")]
    SliceTooLarge { slice: Slice, board: Board },
    /// The certificate names tables, but no tables were given.
    #[error(
        "{} rests on {tables} {metric} tables of {board} under {rules}, up to slice {slice}",
        .path.display()
    )]
    NeedsTables {
        path: PathBuf,
        tables: usize,
        board: Board,
        rules: RuleSet,
        slice: Slice,
        metric: Metric,
    },
    /// A table is not the one that the certificate names.
    #[error(
        "{} has the checksum {found:016x}, but {} rests on a table with {expected:016x}",
        .table.display(), .path.display()
    )]
    OtherTable { path: PathBuf, table: PathBuf, found: u64, expected: u64 },
    /// A table is missing, damaged or cannot be read.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// The rule set cannot be played on the board.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// The guide failed for a reason of this kind.
    #[error("{source}")]
    Guide { kind: ErrorKind, source: Box<dyn std::error::Error + Send + Sync> },
    /// The guide's turns do not prove the claim.
    #[error("no certificate: {flaw}")]
    NoProof { flaw: Flaw },
    /// A proof needs more memory than the limit.
    #[error("no certificate: after {positions} positions the proof needs more than {limit} bytes")]
    MemoryLimit { positions: usize, limit: usize },
    /// No certificate can have exactly these claims. It has one claim, or two that each side has at
    /// least a draw.
    #[error("no certificate can claim exactly this: {}", in_words(.claims))]
    Claims { claims: Vec<Claim> },
    /// The work was stopped by the caller's flag or by the guide.
    #[error("stopped")]
    Stopped,
}

impl CertificateError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::File(error) => error.kind().into(),
            Self::DoesNotHold { .. } => ErrorKind::ProofFails,
            Self::ExpansionMemory { .. } | Self::EntryMemory { .. } | Self::MemoryLimit { .. } => {
                ErrorKind::MemoryLimit
            }
            Self::SliceTooLarge { .. } => ErrorKind::TooLarge,
            Self::NeedsTables { .. } => ErrorKind::MissingTable,
            Self::OtherTable { .. } => ErrorKind::OtherFile,
            Self::Tables(error) => error.kind(),
            Self::Rules(error) => error.kind(),
            Self::Guide { kind, .. } => *kind,
            Self::Unproved { .. } | Self::NoProof { .. } | Self::Claims { .. } => {
                ErrorKind::Unproved
            }
            Self::Stopped => ErrorKind::Interrupted,
        }
    }

    /// Whether the error shows that a certificate proves nothing: it is damaged, or its proof does
    /// not hold. After other errors, it may still be a valid proof.
    pub fn is_refutation(&self) -> bool {
        matches!(self, Self::File(FileError::Corrupt { .. }) | Self::DoesNotHold { .. })
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
#[expect(missing_docs, reason = "the messages say it")]
pub enum Flaw {
    /// The number of an entry's turn is too large.
    #[error("there is no turn {turn} at {position}")]
    NoSuchTurn { position: Position, turn: u32 },
    /// An entry's turn leads to the same position as a turn with a lower number, which must be used
    /// instead.
    #[error("at {position} an earlier turn leads to the same position as turn {turn}")]
    DuplicateTurn { position: Position, turn: u32 },
    /// A position can come up that is neither a leaf nor an entry.
    #[error("{position} can come up and has no entry")]
    NoEntry { position: Position },
    /// A leaf can come up that is worse for the prover than the claim.
    #[error("{position} can come up, which is a {value} for the side to move")]
    BadLeaf { position: Position, value: Value },
    /// In a proof of a win, play can return to a position without a capture.
    #[error("play can return to {position}, so it need not end")]
    Cycle { position: Position },
    /// The guide or the tables, which recommend turns, have none that keeps the claim.
    #[error("no turn is known at {position} that keeps the claim")]
    NoTurn { position: Position },
    /// The guide chose an illegal turn.
    #[error("an illegal turn was chosen at {position}")]
    IllegalTurn { position: Position },
    /// The tables recommend no winning turn that leads closer to the end of the game.
    #[error("the winning turns that the tables have at {position} do not force an end of the game")]
    NoProgress { position: Position },
    /// Some entries never come up.
    #[error("{unreached} of its {entries} positions never come up")]
    Unreached { unreached: u64, entries: u64 },
    /// The certificate names a table that no leaf needs.
    #[error("it names the table {slice}, which it does not rest on")]
    UnusedTable { slice: Slice },
    /// The certificate names a table, but not those that it needs for positions with captures.
    #[error("it names the table {slice} without all those that captures lead to")]
    IncompleteTables { slice: Slice },
}
