//! Reading a certificate. Nothing in it is proved yet.

use std::cmp::Reverse;
use std::ops::Range;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::board::Board;
use crate::error::CheckError;
use crate::file::{Fields, PRELUDE, Prelude, Source, is_one_frame};
use crate::position::Position;
use crate::rules::Rules;

const MAX_HEADER: u64 = 1 << 20;
const MAX_BLOCK: u64 = 245_760;
const MAX_BLOCK_ENTRIES: u64 = 4096;
const MAX_ENTRY: usize = 30;
/// Bytes of the index for each block.
const ROW: u64 = 32;
/// What fits into 1.5 GB of memory.
const MAX_ENTRIES: u64 = 1 << 26;

/// A table that a certificate names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedTable {
    pub(crate) own: u32,
    pub(crate) opponent: u32,
    pub(crate) with_distances: bool,
    pub(crate) checksum: u64,
}

/// Entries in their order: more stones first, then by own and by opponent's set.
#[derive(Debug)]
pub(crate) struct Proof {
    /// Whether the prover is the side to move in the certificate's position.
    pub(crate) by_mover: bool,
    pub(crate) wins: bool,
    pub(crate) stones: Vec<(u64, u64)>,
    pub(crate) turns: Vec<u32>,
    /// Empty if the prover does not win.
    pub(crate) distances: Vec<u32>,
    /// The entries with each number of stones.
    groups: Vec<Range<usize>>,
}

impl Proof {
    /// The number of the entry with these sets.
    pub(crate) fn find(&self, stones: (u64, u64)) -> Option<usize> {
        let group = self.groups.get(count(stones))?.clone();
        let found = self.stones[group.clone()].binary_search(&stones).ok()?;
        Some(group.start + found)
    }
}

/// A certificate.
#[derive(Debug)]
pub(crate) struct Certificate {
    pub(crate) board: Board,
    pub(crate) rules: Rules,
    pub(crate) position: Position,
    pub(crate) tables: Vec<NamedTable>,
    pub(crate) proofs: Vec<Proof>,
}

struct Header {
    certificate: Certificate,
    /// The number of entries of each proof.
    entries: Vec<u64>,
    block_entries: u64,
}

impl Certificate {
    pub(crate) fn read(path: &Path) -> Result<Self, CheckError> {
        let mut source = Source::open(path)?;
        let prelude = Prelude::read(&mut source, *b"FanoCert", 1)?;
        let header_length = source.length - prelude.last;
        if header_length > MAX_HEADER {
            let expected = format!("at most {MAX_HEADER} bytes");
            return Err(source.damaged(24, "the length of the header", header_length, expected));
        }
        let tail = prelude.tail(&mut source)?;
        let (index, header) = tail.split_at((prelude.last - prelude.blocks_end) as usize);
        let Header { mut certificate, entries, block_entries } =
            read_header(Fields::new(&source, header, prelude.last))?;

        let blocks = entries.iter().map(|entries| u128::from(entries.div_ceil(block_entries)));
        let expected = u128::from(ROW) * blocks.sum::<u128>();
        source.same(
            prelude.blocks_end,
            "the length of the index",
            index.len() as u128,
            expected,
        )?;
        if entries.iter().map(|entries| u128::from(*entries)).sum::<u128>() > MAX_ENTRIES.into() {
            return Err(source.too_large("entries", MAX_ENTRIES));
        }
        let rows = read_index(Fields::new(&source, index, prelude.blocks_end), &prelude)?;
        let mut rows = rows.into_iter();
        for (proof, entries) in certificate.proofs.iter_mut().zip(entries) {
            let mut left = entries;
            while left > 0 {
                let Some(row) = rows.next() else { break };
                let here = left.min(block_entries) as usize;
                read_block(&mut source, &row, here, proof)?;
                left -= here as u64;
            }
            proof.groups = groups(&proof.stones);
        }
        Ok(certificate)
    }
}

fn read_header(mut fields: Fields<'_>) -> Result<Header, CheckError> {
    let source = fields.source;
    let at = fields.offset();
    let name = fields.text("the board")?;
    let expected = "a board such as 9x5, with odd sides and up to 63 points";
    let board = Board::from_name(name)
        .ok_or_else(|| source.damaged(at, "the board", quoted(name), expected))?;

    let at = fields.offset();
    let name = fields.text("the rule set")?;
    let rules = Rules::from_name(name).filter(|rules| rules.fits(&board)).ok_or_else(|| {
        let expected = "standard, first-capture-single, forced-relay, free-capture or vela, with \
                        options in their order";
        source.damaged(at, "the rule set", quoted(name), expected)
    })?;

    let at = fields.offset();
    let text = fields.text("the position")?;
    let possible = |position: &Position| {
        let (own, opponent) = position.stones();
        own + opponent > 0 && own.max(opponent) <= board.half()
    };
    let position = Position::from_text(&board, text).filter(possible).ok_or_else(|| {
        let (name, half) = (board.name(), board.half());
        let expected = format!(
            "a position on {name} in its normal form, with stones and at most {half} of each side"
        );
        source.damaged(at, "the position", quoted(text), expected)
    })?;

    let tables = read_named_tables(&mut fields, &board)?;

    let at = fields.offset();
    let mut proofs = Vec::new();
    let mut entries = Vec::new();
    let count = fields.number(8, "the number of proofs")?;
    for _ in 0..count.min(3) {
        let by_mover = fields.flag("the field 'by mover'")?;
        let wins = fields.flag("the field 'wins'")?;
        entries.push(fields.number(8, "the number of entries")?);
        proofs.push(Proof {
            by_mover,
            wins,
            stones: Vec::new(),
            turns: Vec::new(),
            distances: Vec::new(),
            groups: Vec::new(),
        });
    }
    let kinds: Vec<_> = proofs.iter().map(|proof| (proof.by_mover, proof.wins)).collect();
    if kinds.len() != 1 && kinds != [(true, false), (false, false)] {
        let expected = "one, or two of a draw, first that of the side to move";
        return Err(source.damaged(at, "the list of proofs", format!("{count} proofs"), expected));
    }

    let at = fields.offset();
    let block_entries = fields.number(4, "the entries per block")?;
    if !(1..=MAX_BLOCK_ENTRIES).contains(&block_entries) {
        let expected = format!("from 1 to {MAX_BLOCK_ENTRIES}");
        return Err(source.damaged(at, "the entries per block", block_entries, expected));
    }
    fields.end("the end of the header")?;
    let certificate = Certificate { board, rules, position, tables, proofs };
    Ok(Header { certificate, entries, block_entries })
}

fn read_named_tables(
    fields: &mut Fields<'_>,
    board: &Board,
) -> Result<Vec<NamedTable>, CheckError> {
    let mut tables: Vec<NamedTable> = Vec::new();
    let place = |table: &NamedTable| (table.own + table.opponent, table.own);
    for _ in 0..fields.number(8, "the number of tables")? {
        let at = fields.offset();
        let own = fields.number(1, "the own stones of a table")? as u32;
        let opponent = fields.number(1, "the opponent's stones of a table")? as u32;
        let metric = fields.number(4, "the metric of a table")?;
        let checksum = fields.number(8, "the checksum of a table")?;
        let half = board.half();
        let damaged = |what, found: String, expected: String| {
            Err(fields.source.damaged(at, what, found, expected))
        };
        if own == 0 || opponent == 0 || own.max(opponent) > half {
            let found = format!("{own}v{opponent}");
            return damaged("the slice of a table", found, format!("from 1v1 to {half}v{half}"));
        }
        if metric > 1 {
            return damaged("the metric of a table", metric.to_string(), "0 or 1".to_owned());
        }
        let table = NamedTable { own, opponent, with_distances: metric == 1, checksum };
        if let Some(before) = tables.last() {
            if place(before) >= place(&table) {
                let found = format!("{own}v{opponent} after {}v{}", before.own, before.opponent);
                let expected = "more stones, or as many and more own stones".to_owned();
                return damaged("the order of the tables", found, expected);
            }
            if before.with_distances != table.with_distances {
                let expected = (1 - metric).to_string();
                return damaged("the metric of a table", metric.to_string(), expected);
            }
        }
        tables.push(table);
    }
    Ok(tables)
}

/// A block, as the index describes it.
struct Row {
    from: u64,
    to: u64,
    checksum: u64,
    first: (u64, u64),
    /// Where this row is.
    at: u64,
}

fn read_index(mut fields: Fields<'_>, prelude: &Prelude) -> Result<Vec<Row>, CheckError> {
    let mut rows: Vec<Row> = Vec::new();
    for _ in 0..(prelude.last - prelude.blocks_end) / ROW {
        let at = fields.offset();
        let from = fields.number(8, "the offset of a block")?;
        let checksum = fields.number(8, "the checksum of a block")?;
        let own = fields.number(8, "the first entry of a block")?;
        let opponent = fields.number(8, "the first entry of a block")?;
        if let Some(before) = rows.last_mut() {
            before.to = from;
        }
        rows.push(Row { from, to: prelude.blocks_end, checksum, first: (own, opponent), at });
    }
    let first = rows.first().map_or(prelude.blocks_end, |row| row.from);
    fields.source.same(prelude.blocks_end, "the beginning of the blocks", first, PRELUDE)?;
    for row in &rows {
        let most = row.from.saturating_add(MAX_BLOCK).min(prelude.blocks_end);
        if row.to <= row.from || row.to > most {
            let expected = format!("after {} and at most {most}", row.from);
            return Err(fields.source.damaged(row.at, "the end of a block", row.to, expected));
        }
    }
    Ok(rows)
}

fn read_block(
    source: &mut Source,
    row: &Row,
    entries: usize,
    proof: &mut Proof,
) -> Result<(), CheckError> {
    let frame = source.read(row.from, row.to)?;
    source.same(row.from, "the checksum of a block", xxh3_64(&frame), row.checksum)?;
    let damaged = |what, found, expected: String| source.damaged(row.from, what, found, expected);
    if !is_one_frame(&frame) {
        return Err(damaged("a block", "something else".to_owned(), "one zstd frame".to_owned()));
    }
    let most = MAX_ENTRY * entries;
    let bytes = zstd::bulk::decompress(&frame, most).map_err(|error| {
        damaged("a block", format!("'{error}'"), format!("a zstd frame of at most {most} bytes"))
    })?;
    let mut rest = bytes.as_slice();
    let mut column = |bits| {
        let numbers: Option<Vec<u64>> = (0..entries).map(|_| number(&mut rest, bits)).collect();
        let expected = format!(
            "shortest LEB128 numbers of up to {bits} bits, one for each of {entries} entries"
        );
        numbers.ok_or_else(|| damaged("a column of a block", "something else".to_owned(), expected))
    };
    let (own, opponent, turns) = (column(64)?, column(64)?, column(32)?);
    let distances = if proof.wins { column(32)? } else { Vec::new() };
    source.same(row.from, "the bytes behind the columns of a block", rest.len(), 0)?;

    proof.turns.extend(turns.iter().map(|turn| *turn as u32));
    proof.distances.extend(distances.iter().map(|distance| *distance as u32));
    let (mut last_own, mut last_opponent) = (0, 0);
    for (number, (own, opponent)) in own.into_iter().zip(opponent).enumerate() {
        last_own ^= own;
        last_opponent ^= opponent;
        let stones = (last_own, last_opponent);
        let text = |(own, opponent): (u64, u64)| format!("own {own:#x}, opponent {opponent:#x}");
        if number == 0 && stones != row.first {
            let expected = format!("{}, as in the index", text(row.first));
            return Err(damaged("the first entry of a block", text(stones), expected));
        }
        if let Some(before) = proof.stones.last()
            && place(*before) >= place(stones)
        {
            let expected = format!("in the order of entries, after {}", text(*before));
            return Err(damaged("an entry of a block", text(stones), expected));
        }
        proof.stones.push(stones);
    }
    Ok(())
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

fn quoted(text: &str) -> String {
    // A damaged file can have a text of any length, and with any signs.
    let shown: String = text.chars().take(100).collect();
    format!("'{}'", shown.escape_debug())
}
