//! Errors of files and flaws of proofs.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::position::Value;

/// Why a check did not accept a certificate.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum CheckError {
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// A file does not have its format, or has changed.
    #[error("{}: byte {offset}: {what} is {found}, and should be {expected}", path.display())]
    Damaged {
        path: PathBuf,
        /// Where the wrong bytes are, or where their part begins.
        offset: u64,
        what: &'static str,
        found: String,
        expected: String,
    },
    #[error(
        "{}: it names {tables} tables; {name} is in none of the given directories",
        path.display()
    )]
    NoTable { path: PathBuf, tables: usize, name: String },
    #[error(
        "{}: its checksum is {found:016x}; the certificate names the table with {named:016x}",
        path.display()
    )]
    OtherTable { path: PathBuf, found: u64, named: u64 },
    /// A file needs more than this checker is made for. It may still be valid.
    #[error("{}: it has more than {limit} {what}, the limit of this checker", path.display())]
    TooLarge { path: PathBuf, what: &'static str, limit: u64 },
    /// The certificate can be read, but does not prove its claim.
    #[error("{}: the proof does not hold: {flaw}", path.display())]
    DoesNotHold { path: PathBuf, flaw: Flaw },
}

impl CheckError {
    /// Whether the certificate was read and does not prove its claim. After other errors, a file is
    /// unusable.
    #[must_use]
    pub fn does_not_hold(&self) -> bool {
        matches!(self, Self::DoesNotHold { .. })
    }
}

/// Why a proof does not hold. Positions are in their text form.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Flaw {
    /// A position needs an entry, and no turn is left for it.
    #[error("{position} can come up with the prover to move, and has no entry")]
    NoEntry { position: String },
    /// The value of a leaf is worse for the prover than the claim.
    #[error("{position} can come up, a {value} for the side to move; the prover needs {needed}")]
    BadLeaf {
        /// The position, or one that a symmetry maps to it.
        position: String,
        value: Value,
        /// The worst value for the side to move that would do.
        needed: String,
    },
    #[error("{position} has {turns} turns, and its entry has turn {turn}, counted from 0")]
    NoSuchTurn { position: String, turns: usize, turn: u32 },
    #[error("{position}: turn {earlier} leads to the same position as turn {turn}")]
    DuplicateTurn { position: String, turn: u32, earlier: usize },
    /// In a proof of a win, entries lead to each other in a cycle, and no stone is captured.
    #[error("{position} can come up again and again without a capture, so that play never ends")]
    Cycle { position: String },
    /// Turns are left when every entry has one.
    #[error("{unreached} of {entries} entries never come up, the first of them entry {first}")]
    Unreached { unreached: usize, entries: usize, first: usize },
    #[error("it names the table {slice} and does not need it")]
    TableNotNeeded { slice: String },
    #[error("captures lead to the slice {slice}, whose table it does not name")]
    TableNotNamed { slice: String },
}
