//! Checking certificates: each proof is followed to its end ([`discovery`](crate::discovery)), and
//! every named table has to be needed.

use std::sync::atomic::AtomicBool;

use fanorona_core::Position;
use fanorona_tablebase::Tables;

use crate::error::{CertificateError, Flaw, Result};
use crate::expansion::{self, Expansion, ExpansionProgress};
use crate::format::Certificate;
use crate::leaves::Leaves;
use crate::steps::{Limits, Steps};
use crate::stored::check_stored;

impl Certificate {
    /// Checks that the proofs hold, and returns the number of their positions. Uses all threads of
    /// the current rayon pool. Calls `progress` with the number of positions checked so far.
    ///
    /// `tables` is needed if the certificate [names](Self::tables) tables. Only its directory
    /// matters, not its board or rule set. All bytes of the named tables are read to compare
    /// checksums.
    ///
    /// # Memory
    /// Up to 100 bytes per position, 8 for each link between positions of a win with as many stones,
    /// and what probing the tables takes. A small file can have very many positions. The check ends
    /// with an error when it needs more than the memory that is available.
    ///
    /// # Errors
    /// - [`CertificateError::DoesNotHold`] or [`CertificateError::File`] if the certificate
    ///   proves nothing (see [`CertificateError::is_refutation`]).
    /// - [`NeedsTables`](CertificateError::NeedsTables) if `tables` is `None`, but the certificate
    ///   names tables.
    /// - [`Tables`](CertificateError::Tables) if a table is missing or damaged, and
    ///   [`OtherTable`](CertificateError::OtherTable) if it is not the one named.
    /// - [`File`](CertificateError::File) if the file cannot be read.
    /// - [`EntryMemory`](CertificateError::EntryMemory) if there is too little memory.
    /// - [`Stopped`](CertificateError::Stopped) if `stop` was set.
    pub fn check(
        &self,
        tables: Option<&Tables>,
        stop: &AtomicBool,
        progress: impl Fn(u64),
    ) -> Result<u64> {
        let header = &self.header;
        let leaves = Leaves::of_named_tables(self.path(), header, tables, stop)?;
        let ends = |position: &Position| leaves.leaf(position);
        let mut entries = 0;
        for (number, proof) in header.proofs.iter().enumerate() {
            let steps = Steps::of_proof(self, number, &ends, Limits::available(stop));
            check_stored(self, number, &steps, &mut |followed| progress(entries + followed))?;
            entries += proof.positions;
        }
        // Tables that are not named are never probed.
        let needed = leaves.needed(leaves.take_probed())?;
        let mut named = header.tables.iter().map(|table| table.slice);
        if let Some(slice) = named.find(|slice| !needed.contains(slice)) {
            let flaw = Flaw::UnusedTable { slice };
            return Err(CertificateError::DoesNotHold { path: self.path().to_owned(), flaw });
        }
        Ok(entries)
    }

    /// Checks that the proofs of certificates hold, without believing tables, and returns what that took.
    ///
    /// Where [`check`](Self::check) takes the value of a leaf from a table, this follows the game to
    /// its end: a turn for the prover in every position, and all replies. The tables only recommend
    /// the turns. If a table is wrong, the check can fail, but it never accepts a false claim. Any
    /// tables will do: neither the metric nor the checksum of the named ones matters. Unpacked tables
    /// are used.
    ///
    /// Proofs of the same kind, of wins or of draws, about the same board and rules share the positions
    /// of their expansion. So checking the certificates of many openings together takes little more
    /// than checking one. In the vela, only proofs about the same side share positions.
    ///
    /// `tables` is needed if a certificate [names](Self::tables) tables. Only its directory
    /// and its options matter. Uses all threads of the current rayon pool, and calls `progress` from
    /// any of them.
    ///
    /// # Memory
    /// `memory_limit` is in bytes, for the positions of all proofs that are expanded together. A
    /// position takes 11 to 16 bytes until its slice is done, in proofs of draws as much again for the
    /// position after its turn, and 16 more while it waits. Proofs of wins take more: 20 to 39 bytes
    /// for each rank in the slice, 16 for each position that came from larger slices, and for each that
    /// does not get a rank at once 60 to 100 bytes, 24 for each winning turn, and 8 for each reply to
    /// one; up to twice that, because lists double when they grow.
    /// In addition, this takes what [`check`](Self::check) takes, and a megabyte per thread.
    ///
    /// # Errors
    /// The first one. Then none of the certificates is proved.
    /// - As for [`check`](Self::check), except for [`OtherTable`](CertificateError::OtherTable).
    /// - [`Unproved`](CertificateError::Unproved) if the turns that the tables recommend do not prove
    ///   the claim.
    /// - [`Tables`](CertificateError::Tables) if a table is missing that is needed to recommend a turn.
    /// - [`ExpansionMemory`](CertificateError::ExpansionMemory) if the limit is too low, and
    ///   [`SliceTooLarge`](CertificateError::SliceTooLarge) if the positions of a slice cannot be
    ///   numbered with 64 bits.
    pub fn check_without_trust(
        certificates: &[&Self],
        tables: Option<&Tables>,
        memory_limit: u64,
        stop: &AtomicBool,
        progress: impl Fn(ExpansionProgress) + Sync,
    ) -> Result<Expansion> {
        expansion::expand(certificates, tables, memory_limit, stop, &progress)
    }
}
