//! Reading the blocks of a certificate: their index, and the entries or turns in them.

use std::cmp::Reverse;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::CheckError;
use crate::file::{Fields, PRELUDE, Prelude, Source, is_one_frame};

/// Own and opponent's set of an entry.
type Stones = (u64, u64);

/// The sizes of the parts in one version of the format.
#[derive(Debug)]
pub(crate) struct Form {
    /// Bytes of the index for each block.
    pub(crate) row: u64,
    /// The most entries of a block.
    pub(crate) block_entries: u64,
    /// The most bytes of a block.
    block: u64,
}

impl Form {
    /// Version 1.
    pub(crate) const ENTRIES: Self = Self { row: 32, block_entries: 4096, block: 245_760 };
    /// Version 2.
    pub(crate) const TURNS: Self = Self { row: 16, block_entries: 65_536, block: 655_360 };
}

/// The most bytes of an entry in a decompressed block.
const MAX_ENTRY: usize = 30;
const MAX_TURN: usize = 5;

/// A block, as the index describes it.
#[derive(Debug)]
pub(crate) struct Row {
    from: u64,
    to: u64,
    checksum: u64,
    /// Its first entry, in version 1.
    first: Stones,
}

pub(crate) fn read_index(
    mut fields: Fields<'_>,
    prelude: &Prelude,
    form: &Form,
) -> Result<Vec<Row>, CheckError> {
    let mut rows: Vec<Row> = Vec::new();
    for _ in 0..(prelude.last - prelude.blocks_end) / form.row {
        let from = fields.number(8, "the offset of a block")?;
        let checksum = fields.number(8, "the checksum of a block")?;
        let mut first = (0, 0);
        if form.row > 16 {
            first.0 = fields.number(8, "the first entry of a block")?;
            first.1 = fields.number(8, "the first entry of a block")?;
        }
        if let Some(before) = rows.last_mut() {
            before.to = from;
        }
        rows.push(Row { from, to: prelude.blocks_end, checksum, first });
    }
    let first = rows.first().map_or(prelude.blocks_end, |row| row.from);
    fields.source.same(prelude.blocks_end, "the beginning of the blocks", first, PRELUDE)?;
    for (row, at) in rows.iter().zip((prelude.blocks_end..).step_by(form.row as usize)) {
        let most = row.from.saturating_add(form.block).min(prelude.blocks_end);
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

    /// Reads the next block: its row, its bytes, and the number of its entries.
    fn next(
        &mut self,
        source: &mut Source,
        bytes_per_entry: usize,
    ) -> Result<Option<(Row, Vec<u8>, usize)>, CheckError> {
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
        let most = bytes_per_entry * entries;
        let bytes = zstd::bulk::decompress(&frame, most).map_err(|error| {
            damaged(format!("'{error}'"), format!("a zstd frame of at most {most} bytes"))
        })?;
        Ok(Some((row, bytes, entries)))
    }
}

/// The turns of version 2, one after the other. A block is read when its first turn is asked for.
#[derive(Debug)]
pub(crate) struct Turns<'a> {
    source: &'a mut Source,
    blocks: Blocks,
    block: std::vec::IntoIter<u64>,
}

impl<'a> Turns<'a> {
    pub(crate) fn new(source: &'a mut Source, blocks: Blocks) -> Self {
        Self { source, blocks, block: Vec::new().into_iter() }
    }

    /// The next turn. `None` after the last one.
    pub(crate) fn next(&mut self) -> Result<Option<u32>, CheckError> {
        if self.block.len() == 0
            && let Some((row, bytes, entries)) = self.blocks.next(self.source, MAX_TURN)?
        {
            let mut columns = Columns { source: self.source, row: &row, rest: &bytes, entries };
            let turns = columns.next(32)?;
            columns.end()?;
            self.block = turns.into_iter();
        }
        Ok(self.block.next().map(|turn| turn as u32))
    }
}

/// The entries of version 1 in their order: more stones first, then by own and by opponent's set.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    pub(crate) stones: Vec<Stones>,
    pub(crate) turns: Vec<u32>,
    /// Empty if the prover does not win.
    pub(crate) distances: Vec<u32>,
    /// The entries with each number of stones.
    groups: Vec<Range<usize>>,
}

impl Sorted {
    pub(crate) fn read(
        source: &mut Source,
        mut blocks: Blocks,
        wins: bool,
    ) -> Result<Self, CheckError> {
        let mut entries = Self::default();
        while let Some((row, bytes, count)) = blocks.next(source, MAX_ENTRY)? {
            let columns = Columns { source, row: &row, rest: &bytes, entries: count };
            entries.read_block(columns, wins)?;
        }
        entries.groups = groups(&entries.stones);
        Ok(entries)
    }

    /// The number of the entry with these sets.
    pub(crate) fn find(&self, stones: Stones) -> Option<usize> {
        let group = self.groups.get(count(stones))?.clone();
        let found = self.stones[group.clone()].binary_search(&stones).ok()?;
        Some(group.start + found)
    }

    fn read_block(&mut self, mut columns: Columns<'_>, wins: bool) -> Result<(), CheckError> {
        let (own, opponent, turns) = (columns.next(64)?, columns.next(64)?, columns.next(32)?);
        let distances = if wins { columns.next(32)? } else { Vec::new() };
        columns.end()?;

        let Columns { source, row, .. } = columns;
        let damaged = |what, found, expected| source.damaged(row.from, what, found, expected);
        self.turns.extend(turns.iter().map(|turn| *turn as u32));
        self.distances.extend(distances.iter().map(|distance| *distance as u32));
        let (mut last_own, mut last_opponent) = (0, 0);
        for (number, (own, opponent)) in own.into_iter().zip(opponent).enumerate() {
            last_own ^= own;
            last_opponent ^= opponent;
            let stones = (last_own, last_opponent);
            let text = |(own, opponent): Stones| format!("own {own:#x}, opponent {opponent:#x}");
            if number == 0 && stones != row.first {
                let expected = format!("{}, as in the index", text(row.first));
                return Err(damaged("the first entry of a block", text(stones), expected));
            }
            if let Some(before) = self.stones.last()
                && place(*before) >= place(stones)
            {
                let expected = format!("in the order of entries, after {}", text(*before));
                return Err(damaged("an entry of a block", text(stones), expected));
            }
            self.stones.push(stones);
        }
        Ok(())
    }
}

/// The columns of a block.
struct Columns<'a> {
    source: &'a Source,
    row: &'a Row,
    rest: &'a [u8],
    entries: usize,
}

impl Columns<'_> {
    fn next(&mut self, bits: u32) -> Result<Vec<u64>, CheckError> {
        let numbers: Option<Vec<u64>> =
            (0..self.entries).map(|_| number(&mut self.rest, bits)).collect();
        numbers.ok_or_else(|| {
            let (found, entries) = ("something else", self.entries);
            let expected = format!(
                "shortest LEB128 numbers of up to {bits} bits, one for each of {entries} entries"
            );
            self.source.damaged(self.row.from, "a column of a block", found, expected)
        })
    }

    fn end(&self) -> Result<(), CheckError> {
        let what = "the bytes behind the columns of a block";
        self.source.same(self.row.from, what, self.rest.len(), 0)
    }
}

/// Takes a number in LEB128 from the front of bytes. `None` if it has too many bits or bytes.
fn number(bytes: &mut &[u8], bits: u32) -> Option<u64> {
    let mut number = 0_u128;
    for shift in (0..bits).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u128::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let shortest = *byte != 0 || shift == 0;
            return Some(number as u64).filter(|_| shortest && number >> bits == 0);
        }
    }
    None
}

/// The number of stones. Two sets that overlap, which are no position, count twice.
fn count((own, opponent): (u64, u64)) -> usize {
    (own.count_ones() + opponent.count_ones()) as usize
}

fn place(stones: (u64, u64)) -> (Reverse<usize>, (u64, u64)) {
    (Reverse(count(stones)), stones)
}

fn groups(stones: &[(u64, u64)]) -> Vec<Range<usize>> {
    (0..=128)
        .map(|size| {
            let first = stones.partition_point(|stones| count(*stones) > size);
            first..stones.partition_point(|stones| count(*stones) >= size)
        })
        .collect()
}
