//! Writing a certificate.

use std::io::{BufWriter, IntoInnerError, Seek, SeekFrom, Write};
use std::path::Path;

use fanorona_storage::{AtomicFile, PartialKind};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::block::pack;
use super::{Entry, FINISHED, Header, IndexEntry, PRELUDE, Prelude};
use crate::error::CertificateError;

/// Names files that are being written.
const PARTIAL: PartialKind = PartialKind::new("certificate");

/// How hard zstd tries.
const LEVEL: i32 = 12;

/// Blocks that are packed before they are written, and so held in memory.
const BATCH: usize = 256;

/// Replaces the file at `path` with a certificate. `proofs` are the entries of each proof of the
/// header, in order. Returns the length of the file.
pub(crate) fn write(
    path: &Path,
    header: &Header,
    proofs: &[&[Entry]],
) -> Result<u64, CertificateError> {
    let io = |doing| CertificateError::io(doing, path);
    let mut out = BufWriter::new(AtomicFile::create(path, PARTIAL)?);
    out.write_all(&[0; PRELUDE]).map_err(io("cannot write"))?;

    let mut tail = Vec::new();
    let mut offset = PRELUDE as u64;
    for (proof, entries) in header.proofs.iter().zip(proofs) {
        let blocks: Vec<_> = entries.chunks(header.block_entries as usize).collect();
        for batch in blocks.chunks(BATCH) {
            let packed: Vec<_> = batch
                .par_iter()
                .map(|entries| zstd::bulk::compress(&pack(entries, proof.wins), LEVEL))
                .collect::<Result<_, _>>()
                .map_err(io("cannot pack"))?;
            for (entries, block) in batch.iter().zip(packed) {
                let (checksum, first) = (xxh3_64(&block), entries[0].stones);
                tail.extend(IndexEntry { offset, checksum, first }.to_bytes());
                out.write_all(&block).map_err(io("cannot write"))?;
                offset += block.len() as u64;
            }
        }
    }
    let header_offset = offset + tail.len() as u64;
    tail.extend(header.to_bytes());
    out.write_all(&tail).map_err(io("cannot write"))?;

    let prelude = Prelude {
        finished: FINISHED,
        index_offset: offset,
        header_offset,
        file_length: offset + tail.len() as u64,
        tail_checksum: xxh3_64(&tail),
    };
    out.seek(SeekFrom::Start(0)).map_err(io("cannot write"))?;
    out.write_all(&prelude.to_bytes()).map_err(io("cannot write"))?;
    let file = out.into_inner().map_err(IntoInnerError::into_error).map_err(io("cannot write"))?;
    file.commit()?;
    Ok(prelude.file_length)
}
