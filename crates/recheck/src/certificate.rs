//! Reading a certificate. Nothing in it is proved yet.

use std::path::Path;

use crate::blocks::{self, Blocks, MAX_BLOCK_ENTRIES, ROW};
use crate::board::Board;
use crate::error::CheckError;
use crate::file::{Fields, Prelude, Source};
use crate::position::Position;
use crate::rules::Rules;

const MAX_HEADER: u64 = 1 << 20;
/// They take up to about 1.7 GB of memory, and those of a win up to 3.5 GB. Memory grows with the
/// entries that were discovered, not with those that the header claims.
const MAX_ENTRIES: u64 = 1 << 26;

#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedTable {
    pub(crate) own: u32,
    pub(crate) opponent: u32,
    pub(crate) with_distances: bool,
    pub(crate) checksum: u64,
}

/// A proof. Nothing but its entries is left to check.
#[derive(Debug)]
pub(crate) struct Proof {
    /// Whether the prover is the side to move in the certificate's position.
    pub(crate) by_mover: bool,
    pub(crate) wins: bool,
    pub(crate) entries: usize,
    pub(crate) blocks: Blocks,
}

#[derive(Debug)]
pub(crate) struct Certificate {
    pub(crate) board: Board,
    pub(crate) rules: Rules,
    pub(crate) position: Position,
    pub(crate) tables: Vec<NamedTable>,
    pub(crate) proofs: Vec<Proof>,
    pub(crate) source: Source,
}

struct Header {
    board: Board,
    rules: Rules,
    position: Position,
    tables: Vec<NamedTable>,
    /// By mover, wins, and the number of entries of each proof.
    proofs: Vec<(bool, bool, u64)>,
    block_entries: u64,
}

impl Certificate {
    pub(crate) fn read(path: &Path) -> Result<Self, CheckError> {
        let mut source = Source::open(path)?;
        let prelude = Prelude::read(&mut source, *b"FanoCert", 3..=3)?;
        let header_length = source.length - prelude.last;
        if header_length > MAX_HEADER {
            let expected = format!("at most {MAX_HEADER} bytes");
            return Err(source.damaged(24, "the length of the header", header_length, expected));
        }
        let tail = prelude.tail(&mut source)?;
        let (index, header) = tail.split_at((prelude.last - prelude.blocks_end) as usize);
        let header = read_header(Fields::new(&source, header, prelude.last))?;
        let Header { board, rules, position, tables, proofs: claimed, block_entries } = header;

        let blocks = claimed.iter().map(|(_, _, entries)| entries.div_ceil(block_entries));
        let expected = u128::from(ROW) * blocks.map(u128::from).sum::<u128>();
        let length = index.len() as u128;
        source.same(prelude.blocks_end, "the length of the index", length, expected)?;
        let entries = claimed.iter().map(|(_, _, entries)| u128::from(*entries));
        if entries.sum::<u128>() > MAX_ENTRIES.into() {
            return Err(source.too_large("entries", MAX_ENTRIES));
        }
        let fields = Fields::new(&source, index, prelude.blocks_end);
        let mut rows = blocks::read_index(fields, &prelude)?;
        let mut proofs = Vec::new();
        for (by_mover, wins, entries) in claimed {
            let later = rows.split_off(entries.div_ceil(block_entries) as usize);
            let rows = std::mem::replace(&mut rows, later);
            let entries = entries as usize;
            let blocks = Blocks::new(rows, entries, block_entries as usize);
            proofs.push(Proof { by_mover, wins, entries, blocks });
        }
        Ok(Self { board, rules, position, tables, proofs, source })
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
    let count = fields.number(8, "the number of proofs")?;
    for _ in 0..count.min(3) {
        let by_mover = fields.flag("the field 'by mover'")?;
        let wins = fields.flag("the field 'wins'")?;
        proofs.push((by_mover, wins, fields.number(8, "the number of entries")?));
    }
    let kinds: Vec<_> = proofs.iter().map(|(by_mover, wins, _)| (*by_mover, *wins)).collect();
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
    Ok(Header { board, rules, position, tables, proofs, block_entries })
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

fn quoted(text: &str) -> String {
    // A damaged file can have a text of any length, and with any signs.
    let shown: String = text.chars().take(100).collect();
    format!("'{}'", shown.escape_debug())
}
