//! Writing a certificate.

use std::path::Path;

use fanorona_storage::{
    ContainerWriter, FileError, Operation, checksum, compress, encode_metadata,
};
use rayon::prelude::*;

use super::block::{self, Entry};
use super::header::Header;
use super::index::IndexEntry;
use super::kind::{Form, PARTIAL};
use super::turn_block;
use crate::error::CertificateError;
use crate::stones::Stones;

/// The compression level of zstd.
fn level(form: Form) -> i32 {
    match form {
        Form::Entries => 12,
        Form::Turns => 19,
    }
}

/// The number of blocks that are packed in memory before they are written.
const BATCH: usize = if cfg!(test) { 2 } else { 256 };

/// Replaces a file with a certificate that stores entries. `proofs` are the sorted entries of each
/// proof of the header, in order. Returns the length of the file.
pub(crate) fn write_entries(
    path: &Path,
    header: &Header,
    proofs: &[&[Entry]],
) -> Result<u64, CertificateError> {
    write(path, header, Form::Entries, proofs, |proof, entries| {
        let has_distances = header.proofs[proof].claim.is_win();
        (block::pack(entries, has_distances), Some(entries[0].stones))
    })
}

/// Replaces a file with a certificate that stores only turns. `proofs` are the turns of each proof
/// of the header, in the order of discovery. Returns the length of the file.
pub(crate) fn write_turns(
    path: &Path,
    header: &Header,
    proofs: &[&[u32]],
) -> Result<u64, CertificateError> {
    write(path, header, Form::Turns, proofs, |_, turns| (turn_block::pack(turns), None))
}

/// Replaces a file with a certificate. `pack` returns the content of a block of a proof, and its
/// first entry if the form has that in the index.
fn write<T: Sync>(
    path: &Path,
    header: &Header,
    form: Form,
    proofs: &[&[T]],
    pack: impl Fn(usize, &[T]) -> (Vec<u8>, Option<Stones>) + Sync,
) -> Result<u64, CertificateError> {
    let mut out = ContainerWriter::create(path, form.kind(), PARTIAL)?;
    let mut index = Vec::new();
    for (proof, items) in proofs.iter().enumerate() {
        let blocks: Vec<_> = items.chunks(header.block_entries as usize).collect();
        for batch in blocks.chunks(BATCH) {
            let packed: Vec<_> = batch
                .par_iter()
                .map(|items| {
                    let (bytes, first) = pack(proof, items);
                    Ok((compress(&bytes, level(form))?, first))
                })
                .collect::<Result<_, _>>()
                .map_err(FileError::io(Operation::Write, path))?;
            for (block, first) in packed {
                let (offset, checksum) = (out.offset(), checksum(&block));
                index.extend(IndexEntry { offset, checksum, first }.to_bytes());
                out.write(&block)?;
            }
        }
    }
    let header = encode_metadata(&header.to_raw())
        .expect("a board has less than 1,000 slices, so the header is below its limit");
    Ok(out.finish(&index, &header)?)
}
