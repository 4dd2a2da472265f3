//! Reading the blocks of a certificate: their index, and the turns in them.

use xxhash_rust::xxh3::xxh3_64;

use crate::error::CheckError;
use crate::file::{Fields, PRELUDE, Prelude, Source, is_one_frame};

/// Bytes of the index for each block.
pub(crate) const ROW: u64 = 16;
/// The most entries of a block.
pub(crate) const MAX_BLOCK_ENTRIES: u64 = 65_536;
/// The most bytes of a block.
const MAX_BLOCK: u64 = 655_360;
/// The most bytes of a turn in a decompressed block.
const MAX_TURN: usize = 5;

/// A block, as the index describes it.
#[derive(Debug)]
pub(crate) struct Row {
    from: u64,
    to: u64,
    checksum: u64,
}

pub(crate) fn read_index(
    mut fields: Fields<'_>,
    prelude: &Prelude,
) -> Result<Vec<Row>, CheckError> {
    let mut rows: Vec<Row> = Vec::new();
    for _ in 0..(prelude.last - prelude.blocks_end) / ROW {
        let from = fields.number(8, "the offset of a block")?;
        let checksum = fields.number(8, "the checksum of a block")?;
        if let Some(before) = rows.last_mut() {
            before.to = from;
        }
        rows.push(Row { from, to: prelude.blocks_end, checksum });
    }
    let first = rows.first().map_or(prelude.blocks_end, |row| row.from);
    fields.source.same(prelude.blocks_end, "the beginning of the blocks", first, PRELUDE)?;
    for (row, at) in rows.iter().zip((prelude.blocks_end..).step_by(ROW as usize)) {
        let most = row.from.saturating_add(MAX_BLOCK).min(prelude.blocks_end);
        if row.to <= row.from || row.to > most {
            let expected = format!("after {} and at most {most}", row.from);
            return Err(fields.source.damaged(at, "the end of a block", row.to, expected));
        }
    }
    Ok(rows)
}

/// The blocks of a proof that have not been read.
#[derive(Debug)]
pub(crate) struct Blocks {
    rows: std::vec::IntoIter<Row>,
    /// The number of entries in them.
    left: usize,
    block_entries: usize,
}

impl Blocks {
    pub(crate) fn new(rows: Vec<Row>, left: usize, block_entries: usize) -> Self {
        Self { rows: rows.into_iter(), left, block_entries }
    }

    /// Reads the turns of the next block. `None` after the last one.
    fn next(&mut self, source: &mut Source) -> Result<Option<Vec<u32>>, CheckError> {
        let Some(row) = self.rows.next() else { return Ok(None) };
        let entries = self.left.min(self.block_entries);
        self.left -= entries;
        let frame = source.read(row.from, row.to)?;
        source.same(row.from, "the checksum of a block", xxh3_64(&frame), row.checksum)?;
        let damaged =
            |found: String, expected| source.damaged(row.from, "a block", found, expected);
        if !is_one_frame(&frame) {
            return Err(damaged("something else".to_owned(), "one zstd frame".to_owned()));
        }
        let most = MAX_TURN * entries;
        let bytes = zstd::bulk::decompress(&frame, most).map_err(|error| {
            damaged(format!("'{error}'"), format!("a zstd frame of at most {most} bytes"))
        })?;
        let mut rest = &bytes[..];
        let turns: Option<Vec<u32>> = (0..entries).map(|_| number(&mut rest)).collect();
        let turns = turns.filter(|_| rest.is_empty()).ok_or_else(|| {
            let expected = "shortest LEB128 numbers of up to 32 bits, one for each of";
            damaged("something else".to_owned(), format!("{expected} {entries} entries"))
        })?;
        Ok(Some(turns))
    }
}

/// The turns of a proof, one after the other. A block is read when its first turn is asked for.
#[derive(Debug)]
pub(crate) struct Turns<'a> {
    source: &'a mut Source,
    blocks: Blocks,
    block: std::vec::IntoIter<u32>,
}

impl<'a> Turns<'a> {
    pub(crate) fn new(source: &'a mut Source, blocks: Blocks) -> Self {
        Self { source, blocks, block: Vec::new().into_iter() }
    }

    /// The next turn. `None` after the last one.
    pub(crate) fn next(&mut self) -> Result<Option<u32>, CheckError> {
        if self.block.len() == 0
            && let Some(turns) = self.blocks.next(self.source)?
        {
            self.block = turns.into_iter();
        }
        Ok(self.block.next())
    }

    /// Reads all blocks that are left. An error if one is damaged.
    pub(crate) fn read_rest(&mut self) -> Result<(), CheckError> {
        while self.blocks.next(self.source)?.is_some() {}
        Ok(())
    }
}

/// Takes a number in LEB128 from the front of bytes. `None` if it has more than 32 bits, or too many
/// bytes.
fn number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u64;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let is_shortest = *byte != 0 || shift == 0;
            return u32::try_from(number).ok().filter(|_| is_shortest);
        }
    }
    None
}
