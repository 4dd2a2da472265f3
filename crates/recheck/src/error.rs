//! What can be wrong: with files, and with proofs.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::position::Value;

/// Why a check did not accept a certificate.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file does not have its format, or has changed.
    #[error("{}: byte {offset}: {what} is {found}, and should be {expected}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the wrong bytes are, or where their part begins.
        offset: u64,
        /// The field or the part.
        what: &'static str,
        /// What it is.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// A table of the certificate is in none of the directories.
    #[error(
        "{}: it names {tables} tables; {name} is in none of the given directories",
        path.display()
    )]
    NoTable {
        /// The certificate.
        path: PathBuf,
        /// The number of named tables.
        tables: usize,
        /// The name of the missing file.
        name: String,
    },
    /// A table is not the one that the certificate names.
    #[error(
        "{}: its checksum is {found:016x}; the certificate names the table with {named:016x}",
        path.display()
    )]
    OtherTable {
        /// The table.
        path: PathBuf,
        /// The checksum of the file.
        found: u64,
        /// The checksum in the certificate.
        named: u64,
    },
    /// A file needs more than this checker is made for. It may still be valid.
    #[error("{}: it has more than {limit} {what}, the limit of this checker", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What it has too many of.
        what: &'static str,
        /// How many it may have.
        limit: u64,
    },
    /// The certificate can be read, but does not prove its claim.
    #[error("{}: the proof does not hold: {flaw}", path.display())]
    DoesNotHold {
        /// The certificate.
        path: PathBuf,
        /// Why it does not hold.
        flaw: Flaw,
    },
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
pub enum Flaw {
    /// A position needs an entry, and no turn is left for it.
    #[error("{position} can come up with the prover to move, and has no entry")]
    NoEntry {
        /// The position.
        position: String,
    },
    /// The value of a leaf is worse for the prover than the claim.
    #[error("{position} can come up, a {value} for the side to move; the prover needs {needed}")]
    BadLeaf {
        /// The position, or one that a symmetry maps to it.
        position: String,
        /// Its value.
        value: Value,
        /// The worst value for the side to move that would do.
        needed: String,
    },
    /// The number of an entry's turn is too large.
    #[error("{position} has {turns} turns, and its entry has turn {turn}, counted from 0")]
    NoSuchTurn {
        /// The position.
        position: String,
        /// The number of its turns.
        turns: usize,
        /// The number in the entry.
        turn: u32,
    },
    /// A turn with a lower number leads to the same position.
    #[error("{position}: turn {earlier} leads to the same position as turn {turn}")]
    DuplicateTurn {
        /// The position.
        position: String,
        /// The number in the entry.
        turn: u32,
        /// The lower number.
        earlier: usize,
    },
    /// In a proof of a win, entries lead to each other in a cycle, and no stone is captured.
    #[error("{position} can come up again and again without a capture, so that play never ends")]
    Cycle {
        /// The position.
        position: String,
    },
    /// Turns are left when every entry has one.
    #[error("{unreached} of {entries} entries never come up, the first of them entry {first}")]
    Unreached {
        /// The number of these entries.
        unreached: usize,
        /// The number of all entries of the proof.
        entries: usize,
        /// The number of the first of these entries in its proof, counted from 0.
        first: usize,
    },
    /// A table is named and not needed.
    #[error("it names the table {slice} and does not need it")]
    TableNotNeeded {
        /// The slice, as in `3v2`.
        slice: String,
    },
    /// A table is needed and not named.
    #[error("captures lead to the slice {slice}, whose table it does not name")]
    TableNotNamed {
        /// The slice, as in `3v2`.
        slice: String,
    },
}
