//! Writes a table of more than 2³² entries that is small on the disk: `large_table DIR`.
//!
//! A `usize` of the module has 32 bits. So its tests ask this table and compare with the program. Each
//! block has one value, another one than the block before it; the values mean nothing. It has the name
//! of a table of 9x5, so do not mix it with real ones.

use std::error::Error;
use std::path::PathBuf;

use fanorona_builder::{BuildOptions, estimate};
use fanorona_core::{Board, RuleSet};
use fanorona_storage::{
    ContainerWriter, FileKind, PartialKind, checksum, compress, encode_metadata,
};
use fanorona_tablebase::{Layout, Metadata, Metric, Slice, Statistics, VERSION};

/// The values of a block: as many as a block may have.
const BLOCK_VALUES: u32 = 1 << 22;

fn main() -> Result<(), Box<dyn Error>> {
    let dir = PathBuf::from(std::env::args_os().nth(1).ok_or("expected a directory")?);
    let (board, rules, slice) = (Board::tsivy(), RuleSet::STANDARD, Slice::new(5, 4));
    let options = BuildOptions::new(&dir, board, rules, slice.stones());
    let estimate = estimate(&options)?;
    let found = estimate.slices.iter().find(|found| found.slice == slice);
    let values = found.ok_or("the estimate lacks the slice")?.entries;
    assert!(values > 1 << 32, "{values}");
    let metadata = Metadata {
        board,
        rules,
        metric: Metric::Wdl,
        slice,
        bits: 2,
        values,
        block_values: BLOCK_VALUES,
        captures_stored: true,
        layout: Layout::Packed,
        statistics: Statistics::default(),
    };
    let path = dir.join(metadata.key().file_name());
    let kind = FileKind { name: "a table", magic: *b"FanoTabl", version: VERSION, oldest: VERSION };
    let mut out = ContainerWriter::create(&path, kind, PartialKind::new("table"))?;
    let (mut offsets, mut checksums) = (vec![out.offset()], Vec::new());
    for block in 0..values.div_ceil(BLOCK_VALUES.into()) {
        let length = (values - block * u64::from(BLOCK_VALUES)).min(BLOCK_VALUES.into());
        // Four values of two bits: 0, 1 or 2 in all of them.
        let bytes = vec![0b0101_0101 * (block % 3) as u8; length.div_ceil(4) as usize];
        let compressed = compress(&bytes, 1)?;
        out.write(&compressed)?;
        offsets.push(out.offset());
        checksums.push(checksum(&compressed) as u32);
    }
    let offsets = offsets.into_iter().flat_map(u64::to_le_bytes);
    let index: Vec<_> = offsets.chain(checksums.into_iter().flat_map(u32::to_le_bytes)).collect();
    out.finish(&index, &encode_metadata(&metadata)?)?;
    println!("{values} entries in {}", path.display());
    Ok(())
}
