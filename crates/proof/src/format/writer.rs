//! Writing a certificate.

use std::path::Path;

use fanorona_storage::{
    ContainerWriter, FileError, Operation, checksum, compress, encode_metadata,
};
use rayon::prelude::*;

use super::block;
use super::header::Header;
use super::kind::{KIND, PARTIAL};
use crate::error::CertificateError;

/// Of zstd. A certificate is written once and kept long.
const LEVEL: i32 = 19;

/// The number of blocks that are packed in memory before they are written.
const BATCH: usize = if cfg!(test) { 2 } else { 256 };

/// Replaces a file with a certificate. `proofs` are the turns of each proof of the header, in their
/// order. Returns the length of the file.
pub(crate) fn write(
    path: &Path,
    header: &Header,
    proofs: &[&[u32]],
) -> Result<u64, CertificateError> {
    let mut out = ContainerWriter::create(path, KIND, PARTIAL)?;
    let mut index = Vec::new();
    let blocks = proofs.iter().flat_map(|turns| turns.chunks(header.block_entries as usize));
    let blocks: Vec<_> = blocks.collect();
    for batch in blocks.chunks(BATCH) {
        let packed = batch.par_iter().map(|turns| compress(&block::pack(turns), LEVEL));
        let packed = packed.collect::<Result<Vec<_>, _>>();
        for block in packed.map_err(FileError::io(Operation::Write, path))? {
            index.extend([out.offset(), checksum(&block)].into_iter().flat_map(u64::to_le_bytes));
            out.write(&block)?;
        }
    }
    let header = encode_metadata(&header.to_raw())
        .expect("a board has less than 1,000 slices, so the header is below its limit");
    Ok(out.finish(&index, &header)?)
}
