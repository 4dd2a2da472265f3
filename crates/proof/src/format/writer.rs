//! Writing a certificate.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use fanorona_storage::{PartialKind, ReplaceError, write_atomically};
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::block::{Entry, pack};
use super::header::Header;
use super::index::IndexEntry;
use super::prelude::Prelude;

/// Names files that are being written.
const PARTIAL: PartialKind = PartialKind::new("certificate");

/// The compression level of zstd.
const LEVEL: i32 = 12;

/// How many blocks are packed at a time, and held in memory.
const BATCH: usize = 256;

/// Replaces a file with a certificate. `proofs` are the entries of each proof of the header, in
/// order. Returns the length of the file.
pub(crate) fn write(
    path: &Path,
    header: &Header,
    proofs: &[&[Entry]],
) -> Result<u64, ReplaceError> {
    write_atomically(path, PARTIAL, |out| {
        out.write_all(&[0; Prelude::LENGTH])?;
        let mut tail = Vec::new();
        let mut offset = Prelude::LENGTH as u64;
        for (proof, entries) in header.proofs.iter().zip(proofs) {
            let blocks: Vec<_> = entries.chunks(header.block_entries as usize).collect();
            for batch in blocks.chunks(BATCH) {
                let packed: Vec<_> = batch
                    .par_iter()
                    .map(|entries| {
                        zstd::bulk::compress(&pack(entries, proof.claim.is_win()), LEVEL)
                    })
                    .collect::<Result<_, _>>()?;
                for (entries, block) in batch.iter().zip(packed) {
                    let (checksum, first) = (xxh3_64(&block), entries[0].stones);
                    tail.extend(IndexEntry { offset, checksum, first }.to_bytes());
                    out.write_all(&block)?;
                    offset += block.len() as u64;
                }
            }
        }
        let header_offset = offset + tail.len() as u64;
        tail.extend(header.to_bytes());
        out.write_all(&tail)?;

        let prelude = Prelude {
            index_offset: offset,
            header_offset,
            file_length: offset + tail.len() as u64,
            tail_checksum: xxh3_64(&tail),
        };
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&prelude.to_bytes())?;
        Ok(prelude.file_length)
    })
}
