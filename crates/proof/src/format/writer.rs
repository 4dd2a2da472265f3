//! Writing a certificate.

use std::path::Path;

use fanorona_storage::{ContainerWriter, Operation, checksum, compress, encode_metadata};
use rayon::prelude::*;

use super::block::{Entry, pack};
use super::header::Header;
use super::index::IndexEntry;
use super::kind::{KIND, PARTIAL};
use crate::error::CertificateError;

/// The compression level of zstd.
const LEVEL: i32 = 12;

/// The number of blocks that are packed in memory before they are written.
const BATCH: usize = if cfg!(test) { 2 } else { 256 };

/// Replaces a file with a certificate. `proofs` are the entries of each proof of the header, in
/// order. Returns the length of the file.
pub(crate) fn write(
    path: &Path,
    header: &Header,
    proofs: &[&[Entry]],
) -> Result<u64, CertificateError> {
    let mut out = ContainerWriter::create(path, KIND, PARTIAL)?;
    let mut index = Vec::new();
    for (proof, entries) in header.proofs.iter().zip(proofs) {
        let blocks: Vec<_> = entries.chunks(header.block_entries as usize).collect();
        for batch in blocks.chunks(BATCH) {
            let packed: Vec<_> = batch
                .par_iter()
                .map(|entries| compress(&pack(entries, proof.claim.is_win()), LEVEL))
                .collect::<Result<_, _>>()
                .map_err(|source| CertificateError::Io {
                    operation: Operation::Write,
                    path: path.to_owned(),
                    source,
                })?;
            for (entries, block) in batch.iter().zip(packed) {
                let (offset, checksum) = (out.offset(), checksum(&block));
                let first = entries[0].stones;
                index.extend(IndexEntry { offset, checksum, first }.to_bytes());
                out.write(&block)?;
            }
        }
    }
    let header = encode_metadata(&header.to_raw())
        .expect("a board has less than 1,000 slices, so the header is below its limit");
    Ok(out.finish(&index, &header)?)
}
