//! The file format of certificates. `docs/CERTIFICATE.md` specifies every byte; that page and this
//! module change together.

mod block;
mod header;
mod reader;

use std::path::Path;

use fanorona_storage::{
    ContainerWriter, FileError, Operation, PartialKind, checksum, compress, encode_metadata,
};
use rayon::prelude::*;

pub(crate) use self::header::{BLOCK_ENTRIES, Header};
pub use self::header::{NamedTable, ProofSummary};
use self::reader::KIND;
pub use self::reader::{Certificate, VERSION};
use crate::error::Result;

const PARTIAL: PartialKind = PartialKind::new("certificate");

/// Of zstd. A certificate is written once and kept long.
const LEVEL: i32 = 19;

/// The number of blocks that are packed in memory before they are written.
const BATCH: usize = 256;

/// Replaces a file with a certificate. `proofs` are the turns of each proof of the header, in their
/// order. Returns the length of the file.
pub(crate) fn write(path: &Path, header: &Header, proofs: &[&[u32]]) -> Result<u64> {
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

#[cfg(test)]
mod tests {
    use fanorona_core::{Board, RuleSet, Side};

    use super::*;
    use crate::claim::{Claim, ClaimKind};
    use crate::format::ProofSummary;

    #[test]
    fn every_batch_is_written() {
        let turns: Vec<_> = (0..2 * BATCH as u32 + 1).collect();
        let claim = Claim { side: Side::White, kind: ClaimKind::Holds };
        let header = Header {
            rules: RuleSet::STANDARD,
            position: Board::telo().start(),
            tables: Vec::new(),
            proofs: vec![ProofSummary { claim, positions: turns.len() as u64 }],
            block_entries: 1,
        };
        let dir = fanorona_tests::directory().unwrap();
        let path = dir.path().join("proof");
        write(&path, &header, &[&turns]).unwrap();
        let reader = Certificate::open(&path).unwrap();
        let found = reader.blocks(0).flat_map(|block| reader.turns(0, block).unwrap());
        assert!(found.eq(turns));
    }
}
