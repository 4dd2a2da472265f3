//! A certificate in a file.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet};
use fanorona_tablebase::Tables;

use crate::checker;
use crate::claim::Bounds;
use crate::error::CertificateError;
use crate::format::{NamedTable, ProofSummary, Reader};

/// A certificate in a file. What it says is proved only if [`check`](Self::check) succeeds.
///
/// The file stays open, and must not change as long as it is.
#[derive(Debug)]
pub struct Certificate(Reader);

impl Certificate {
    /// Opens a certificate. This reads all but the entries, and takes 32 bytes of memory for each
    /// block, which is a thousand entries in certificates that this crate has written.
    ///
    /// # Errors
    /// [`CertificateError::Io`] if the file cannot be read or is not a regular file,
    /// [`CertificateError::NotACertificate`] or [`CertificateError::Version`] if it is something
    /// else, and [`CertificateError::Corrupt`] if it is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CertificateError> {
        Reader::open(path.as_ref()).map(Self)
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.0.header().board()
    }

    /// The rule set.
    pub fn rules(&self) -> RuleSet {
        self.0.header().rules
    }

    /// The position that the claims are about.
    pub fn position(&self) -> Position {
        self.0.header().position
    }

    /// What the proofs claim of the value of the position, for the side to move.
    pub fn bounds(&self) -> Bounds {
        self.0.header().bounds()
    }

    /// The proofs: one, or two that both sides have at least a draw, the side to move first.
    pub fn proofs(&self) -> &[ProofSummary] {
        &self.0.header().proofs
    }

    /// The tables that it rests on, all of one metric, smaller slices first.
    pub fn tables(&self) -> &[NamedTable] {
        &self.0.header().tables
    }

    /// The number of positions of all proofs.
    pub fn positions(&self) -> u64 {
        let positions = self.proofs().iter().map(|proof| proof.positions);
        positions.fold(0, u64::saturating_add)
    }

    /// The length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// The checksum of the certificate, which covers all other checksums in the file.
    pub fn checksum(&self) -> u64 {
        self.0.checksum()
    }

    /// Checks that the proofs hold, on the threads of the current rayon pool, and returns the number
    /// of their positions. `progress` is called with the number of positions checked so far, by any
    /// of the threads.
    ///
    /// `tables` says in which directory the tables are. It is needed if the certificate
    /// [names](Self::tables) tables; then all their bytes are read to compare checksums. The tables'
    /// own board and rule set do not matter.
    ///
    /// # Memory
    /// For each position that is reached a quarter byte, for each block 48 bytes, for each thread
    /// some 48 MiB, and what probing the tables takes.
    ///
    /// # Errors
    /// [`CertificateError::DoesNotHold`] or [`CertificateError::Corrupt`] if nothing is proved (see
    /// [`CertificateError::is_refutation`]). Others if it cannot be checked:
    /// [`NeedsTables`](CertificateError::NeedsTables) if `tables` is `None` and should not be,
    /// [`Tables`](CertificateError::Tables) or [`OtherTable`](CertificateError::OtherTable) if a
    /// table is missing or is not the one that it names, [`Io`](CertificateError::Io), and
    /// [`Stopped`](CertificateError::Stopped) if `stop` was set.
    pub fn check(
        &self,
        tables: Option<&Tables>,
        stop: &AtomicBool,
        progress: impl Fn(u64) + Sync,
    ) -> Result<u64, CertificateError> {
        checker::check(&self.0, tables, stop, &progress)
    }
}
