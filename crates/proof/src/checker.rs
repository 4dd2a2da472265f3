//! Checking certificates: each proof is followed to its end ([`discovery`](crate::discovery)), and
//! every named table has to be needed.

use std::sync::atomic::AtomicBool;

use fanorona_tablebase::{Slice, Tables};

use crate::discovery::Limits;
use crate::error::{CertificateError, Flaw};
use crate::format::Reader;
use crate::leaves::Leaves;
use crate::stored::check_stored;

/// Checks all proofs of a certificate, and returns the number of their entries.
pub(crate) fn check(
    reader: &Reader,
    tables: Option<&Tables>,
    stop: &AtomicBool,
    progress: impl Fn(u64),
) -> Result<u64, CertificateError> {
    let header = reader.header();
    let leaves = Leaves::of_named_tables(reader.path(), header, tables, stop)?;
    let mut entries = 0;
    for (number, proof) in header.proofs.iter().enumerate() {
        let progress = |followed| progress(entries + followed);
        check_stored(reader, number, &leaves, Limits::available(stop), progress)?;
        entries += proof.positions;
    }
    // Tables that are not named are never probed.
    let needed = leaves.needed(leaves.take_probed())?;
    let named: Vec<Slice> = header.tables.iter().map(|table| table.slice).collect();
    if let Some(&slice) = named.iter().find(|slice| !needed.contains(slice)) {
        let flaw = Flaw::UnusedTable { slice };
        return Err(CertificateError::DoesNotHold { path: reader.path().to_owned(), flaw });
    }
    Ok(entries)
}
