//! Reading packed endgame tables, versions 1 and 2.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::CheckError;
use crate::file::{Fields, PRELUDE, Prelude, Source, is_one_frame};
use crate::position::Value;

const MAX_METADATA: u64 = 1 << 20;
const MAX_BLOCK_VALUES: u64 = 4_194_304;
const MAX_DISTANCES: u64 = 65_001;
/// More than any frame with a block of values needs.
const MAX_FRAME: u64 = 1 << 24;

/// The contents that a table should have.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    pub(crate) board: String,
    pub(crate) rules: String,
    pub(crate) with_distances: bool,
    pub(crate) own: u32,
    pub(crate) opponent: u32,
    /// Rows times columns.
    pub(crate) values: u64,
    /// All placements of the stones.
    pub(crate) placements: u128,
    /// Whether values of positions with captures must be stored.
    pub(crate) capturing_is_optional: bool,
}

#[derive(Debug)]
pub(crate) struct Table {
    source: Source,
    prelude: Prelude,
    bits: u64,
    values: u64,
    block_values: u64,
    /// The largest value that may occur.
    most: u64,
    /// Whether positions with captures have values.
    pub(crate) captures_stored: bool,
}

impl Table {
    /// Opens a table, which must be the one with this checksum and these contents.
    pub(crate) fn open(path: &Path, named: u64, contents: &Contents) -> Result<Self, CheckError> {
        let mut source = Source::open(path)?;
        let found = source.checksum()?;
        if found != named {
            return Err(CheckError::OtherTable { path: path.to_owned(), found, named });
        }
        let prelude = Prelude::read(&mut source, *b"FanoTabl", 1..=2)?;
        let length = source.length - prelude.last;
        if length > MAX_METADATA {
            let expected = format!("at most {MAX_METADATA} bytes");
            return Err(source.damaged(24, "the length of the metadata", length, expected));
        }
        let tail = prelude.tail(&mut source)?;
        let metadata = &tail[(prelude.last - prelude.blocks_end) as usize..];
        let fields = Fields::new(&source, metadata, prelude.last);
        let (bits, block_values, most, captures_stored) =
            read_metadata(fields, prelude.version, contents)?;
        let values = contents.values;
        let blocks = values.div_ceil(block_values);
        source.same(
            prelude.blocks_end,
            "the length of the offset table",
            u128::from(prelude.last - prelude.blocks_end),
            12 * u128::from(blocks) + 8,
        )?;
        Ok(Self { source, prelude, bits, values, block_values, most, captures_stored })
    }

    /// Reads the values with these indexes, which are in ascending order.
    pub(crate) fn read(
        &mut self,
        indexes: impl Iterator<Item = u64>,
        mut found: impl FnMut(Value),
    ) -> Result<(), CheckError> {
        let tail = self.prelude.tail(&mut self.source)?;
        let mut blocks = Blocks::new(self, &tail)?;
        for index in indexes {
            found(blocks.value(index)?);
        }
        Ok(())
    }
}

/// Checks the metadata. Returns the bits of a value, the values of a block, the largest value, and
/// whether values of positions with captures are stored.
fn read_metadata(
    mut fields: Fields<'_>,
    version: u32,
    contents: &Contents,
) -> Result<(u64, u64, u64, bool), CheckError> {
    let source = fields.source;
    for (what, expected) in [("the board", &contents.board), ("the rule set", &contents.rules)] {
        let at = fields.offset();
        source.same(at, what, fields.text(what)?, expected)?;
    }
    for (what, length, expected) in [
        ("the metric", 4, u64::from(contents.with_distances)),
        ("the number of own stones", 1, contents.own.into()),
        ("the number of the opponent's stones", 1, contents.opponent.into()),
    ] {
        let at = fields.offset();
        source.same(at, what, fields.number(length, what)?, expected)?;
    }
    let at = fields.offset();
    let bits = fields.number(1, "the bits of a value")?;
    let possible: &[u64] = if contents.with_distances { &[8, 16] } else { &[2] };
    if !possible.contains(&bits) {
        return Err(source.damaged(at, "the bits of a value", bits, format!("in {possible:?}")));
    }
    let at = fields.offset();
    source.same(
        at,
        "the number of values",
        fields.number(8, "the number of values")?,
        contents.values,
    )?;
    let at = fields.offset();
    let block_values = fields.number(4, "the values of a block")?;
    if !(1..=MAX_BLOCK_VALUES).contains(&block_values) {
        let expected = format!("from 1 to {MAX_BLOCK_VALUES}");
        return Err(source.damaged(at, "the values of a block", block_values, expected));
    }
    let at = fields.offset();
    let captures_stored = fields.flag("the field 'captures stored'")?;
    if !captures_stored && contents.capturing_is_optional {
        let expected = "1, because capturing is optional";
        return Err(source.damaged(at, "the field 'captures stored'", 0, expected));
    }
    let at = fields.offset();
    let mut placements = 0_u128;
    for what in ["the number of wins", "the number of draws", "the number of losses"] {
        placements += u128::from(fields.number(8, what)?);
    }
    source.same(at, "wins, draws and losses together", placements, contents.placements)?;
    let at = fields.offset();
    let distances = fields.number(8, "the number of distances")?;
    let most = if contents.with_distances { MAX_DISTANCES } else { 0 };
    if distances > most {
        let expected = format!("at most {most}");
        return Err(source.damaged(at, "the number of distances", distances, expected));
    }
    for _ in 0..distances {
        fields.number(8, "a number of positions with one distance")?;
    }
    for what in ["the longest win", "the longest loss"] {
        read_example(&mut fields, what)?;
    }
    if version > 1 && fields.flag("the field 'zugzwangs'")? {
        for what in ["the full zugzwangs", "the zugzwangs to loss", "the zugzwangs to draw"] {
            fields.number(8, what)?;
            read_example(&mut fields, what)?;
        }
    }
    fields.end("the end of the metadata")?;
    let most = if contents.with_distances { distances } else { 2 };
    Ok((bits, block_values, most, captures_stored))
}

/// A position that is there or not.
fn read_example(fields: &mut Fields<'_>, what: &'static str) -> Result<(), CheckError> {
    if fields.flag(what)? {
        fields.number(8, what)?;
        fields.number(8, what)?;
    }
    Ok(())
}

/// The blocks of a table, read in their order.
struct Blocks<'a> {
    table: &'a Table,
    file: BufReader<&'a std::fs::File>,
    /// Where the file is read next.
    at: u64,
    /// The offset table.
    tail: &'a [u8],
    /// The number of the block that is decompressed, and its bytes.
    number: Option<u64>,
    bytes: Vec<u8>,
    frame: Vec<u8>,
    decompressor: zstd::bulk::Decompressor<'static>,
}

impl<'a> Blocks<'a> {
    fn new(table: &'a Table, tail: &'a [u8]) -> Result<Self, CheckError> {
        let source = &table.source;
        let mut file = BufReader::with_capacity(1 << 20, &source.file);
        file.seek(SeekFrom::Start(PRELUDE)).map_err(|error| source.io(error))?;
        let decompressor = zstd::bulk::Decompressor::new().map_err(|error| source.io(error))?;
        let (bytes, frame) = (Vec::new(), Vec::new());
        Ok(Self { table, file, at: PRELUDE, tail, number: None, bytes, frame, decompressor })
    }

    fn value(&mut self, index: u64) -> Result<Value, CheckError> {
        let Table { source, bits, block_values, most, .. } = self.table;
        let block = index / block_values;
        if self.number != Some(block) {
            self.decompress(block)?;
            self.number = Some(block);
        }
        let place = index % block_values;
        let byte = |at: u64| u64::from(self.bytes[at as usize]);
        let value = match bits {
            2 => byte(place / 4) >> (2 * (place % 4)) & 3,
            8 => byte(place),
            _ => byte(2 * place) | byte(2 * place + 1) << 8,
        };
        if value > *most {
            let from = self.offset(block);
            return Err(source.damaged(from, "a value of a block", value, format!("up to {most}")));
        }
        Ok(match value {
            0 => Value::Draw,
            odd if odd % 2 == 1 => Value::Loss,
            _ => Value::Win,
        })
    }

    /// An offset of the offset table. The table ends behind the last of them.
    fn offset(&self, number: u64) -> u64 {
        let mut word = [0; 8];
        let at = 8 * number as usize;
        word.copy_from_slice(&self.tail[at..at + 8]);
        u64::from_le_bytes(word)
    }

    fn decompress(&mut self, block: u64) -> Result<(), CheckError> {
        let Table { source, prelude, bits, values, block_values, .. } = self.table;
        let (from, to) = (self.offset(block), self.offset(block + 1));
        // In a sound file, blocks are read in ascending order and do not overlap.
        let least = if block == 0 { PRELUDE } else { self.at.max(PRELUDE) };
        if from < least || to <= from || to > prelude.blocks_end {
            let row = prelude.blocks_end + 8 * block;
            let expected = format!("ascending, from {least} to {}", prelude.blocks_end);
            return Err(source.damaged(row, "a block", format!("from {from} to {to}"), expected));
        }
        if to - from > MAX_FRAME {
            return Err(source.too_large("bytes in a block", MAX_FRAME));
        }
        self.frame.resize((to - from) as usize, 0);
        let skipped = self.file.seek_relative((from - self.at) as i64);
        let read = skipped.and_then(|()| self.file.read_exact(&mut self.frame));
        read.map_err(|error| source.io(error))?;
        self.at = to;

        let blocks = values.div_ceil(*block_values);
        let mut checksum = [0; 4];
        let at = (8 * (blocks + 1) + 4 * block) as usize;
        checksum.copy_from_slice(&self.tail[at..at + 4]);
        let found = xxh3_64(&self.frame) as u32;
        source.same(from, "the checksum of a block", found, u32::from_le_bytes(checksum))?;

        let here = (values - block * block_values).min(*block_values);
        let size = (here * bits).div_ceil(8) as usize;
        self.bytes.clear();
        self.bytes.reserve_exact(size);
        let expected = || format!("one zstd frame of {size} bytes");
        if !is_one_frame(&self.frame) {
            return Err(source.damaged(from, "a block", "something else", expected()));
        }
        let mut out = std::mem::take(&mut self.bytes);
        let length = self.decompressor.decompress_to_buffer(&self.frame, &mut out);
        self.bytes = out;
        match length {
            Ok(length) if length == size => Ok(()),
            Ok(length) => {
                Err(source.damaged(from, "a block", format!("{length} bytes"), expected()))
            }
            Err(error) => Err(source.damaged(from, "a block", format!("'{error}'"), expected())),
        }
    }
}
