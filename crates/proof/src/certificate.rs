//! A certificate in a file.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet};
use fanorona_tablebase::Tables;

use crate::checker;
use crate::claim::Bounds;
use crate::error::CertificateError;
use crate::format::{self, NamedTable};

/// A certificate in a file. What it says is not proved before it is [checked](Self::check).
#[derive(Debug)]
pub struct Certificate(format::Reader);

impl Certificate {
    /// Opens a certificate. It reads all but the entries; 32 bytes of memory for each thousand of
    /// those.
    ///
    /// # Errors
    /// If the file cannot be read, is no certificate of this version, or is damaged.
    pub fn open(path: &Path) -> Result<Self, CertificateError> {
        format::Reader::open(path).map(Self)
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.0.header().board
    }

    /// The rule set.
    pub fn rules(&self) -> RuleSet {
        self.0.header().rules
    }

    /// The position whose value is claimed.
    pub fn position(&self) -> Position {
        self.0.header().position
    }

    /// What is claimed of its value.
    pub fn bounds(&self) -> Bounds {
        self.0.header().bounds()
    }

    /// The tables that it rests on, smaller slices first.
    pub fn tables(&self) -> &[NamedTable] {
        &self.0.header().tables
    }

    /// The number of entries of all proofs.
    pub fn positions(&self) -> u64 {
        self.0.header().proofs.iter().fold(0, |sum: u64, proof| sum.saturating_add(proof.entries))
    }

    /// The size of the file, in bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// The checksum in which all others go.
    pub fn checksum(&self) -> u64 {
        self.0.checksum()
    }

    /// Checks that the proofs hold, on all threads of the current pool, and tells the number of
    /// their positions; `progress` is told how many are checked.
    ///
    /// `tables` tell the directory, and may be missing where the certificate names none. Every byte of
    /// those that it names is read, to compare checksums.
    ///
    /// Memory: a quarter byte for each entry, 32 bytes for each block, and some 64 MiB for each
    /// thread; whatever probing the tables takes comes on top.
    ///
    /// # Errors
    /// [`CertificateError::DoesNotHold`] or [`CertificateError::Corrupt`] if the proof fails; others
    /// if it cannot be checked: a table is missing or is another one, or somebody asked to stop.
    pub fn check(
        &self,
        tables: Option<&Tables>,
        stop: &AtomicBool,
        progress: impl Fn(u64) + Sync,
    ) -> Result<u64, CertificateError> {
        checker::check(&self.0, tables, stop, &progress)
    }
}
