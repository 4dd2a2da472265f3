//! All entries of a certificate, from and to either form. Table values are not asked for.

use std::path::Path;

use crate::discovery::{Limits, TurnsOf, discover, discover_stored};
use crate::error::CertificateError;
use crate::format::{Entry, Form, Header, Reader, write_entries, write_turns};
use crate::leaves::NamedSlices;
use crate::steps::Steps;

type Result<T> = std::result::Result<T, CertificateError>;

/// The sorted entries of a proof of a certificate.
///
/// # Errors
/// If the certificate is damaged, if it stores only turns and they are not a proof, or if a limit
/// is reached.
pub(crate) fn entries(reader: &Reader, proof: usize, limits: Limits<'_>) -> Result<Vec<Entry>> {
    match reader.form() {
        Form::Entries => {
            let mut entries = Vec::new();
            for block in reader.blocks(proof) {
                limits.check_stop()?;
                entries.extend(reader.entries(proof, block)?);
                if (size_of::<Entry>() * entries.len()) as u64 > limits.memory {
                    let (path, limit) = (reader.path().to_owned(), limits.memory);
                    let entries = entries.len() as u64;
                    return Err(CertificateError::EntryMemory { path, entries, limit });
                }
            }
            Ok(entries)
        }
        Form::Turns => {
            let header = reader.header();
            let ends = NamedSlices::new(&header.rules, &header.tables);
            let mut entries = discover_stored(reader, proof, &ends, limits, &|_| {})?;
            entries.sort_unstable_by_key(|entry| entry.stones);
            Ok(entries)
        }
    }
}

/// Replaces a file with a certificate in a form. `proofs` are the sorted entries of each proof of
/// the header. The number of entries of a block is chosen anew. Returns the length of the file.
///
/// # Errors
/// If the file cannot be written, if the entries are not proofs of the header's claims, or if a limit
/// is reached.
pub(crate) fn write(
    path: &Path,
    header: &Header,
    proofs: &[&[Entry]],
    form: Form,
    limits: Limits<'_>,
) -> Result<u64> {
    let header = Header { block_entries: form.block_entries(), ..header.clone() };
    if form == Form::Entries {
        return write_entries(path, &header, proofs);
    }
    let ends = NamedSlices::new(&header.rules, &header.tables);
    let turns = header.proofs.iter().zip(proofs).map(|(proof, entries)| {
        let steps = Steps::of(path, &header.rules, &header.position, proof.claim, &ends);
        let found = discover(&steps, &header.position, &mut TurnsOf(entries), limits, &|_| {})?;
        Ok(found.iter().map(|entry| entry.turn).collect::<Vec<_>>())
    });
    let turns: Vec<_> = turns.collect::<Result<_>>()?;
    let turns: Vec<_> = turns.iter().map(Vec::as_slice).collect();
    write_turns(path, &header, &turns)
}
