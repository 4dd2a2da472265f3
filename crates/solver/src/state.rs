//! A search kept in a file, to be taken up again.
//!
//! The file is one zstd frame with a checksum: a line of JSON that says what was searched, and the
//! bytes of the memory.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use fanorona_core::{Board, Position, RuleSet};
use fanorona_storage::{PartialKind, open_regular, write_atomically};
use fanorona_tablebase::{TableError, Tables};
use serde::{Deserialize, Serialize};

use crate::error::{Result, SolverError};
use crate::memory::Memory;

/// What the first line calls the file.
const FORMAT: &str = "fanorona-search-2";

/// Names files that are being written.
const PARTIAL: PartialKind = PartialKind::new("search");

/// The longest first line that is read.
const LONGEST_LINE: u64 = 1 << 20;

/// Bytes that are read and written at one time: whole cache lines.
const CHUNK: usize = 1 << 20;

/// What was searched, and how far.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    pub format: String,
    pub board: Board,
    pub rules: RuleSet,
    pub position: Position,
    /// The tables that facts rest on: names and checksums.
    pub tables: Vec<(String, u64)>,
    /// Whether the side to move can force a win, and whether its opponent can.
    pub answers: [Option<bool>; 2],
    pub replies: [u16; 2],
    /// Positions that the next look at a question takes.
    pub slice: u64,
    /// For each question and successor: the positions looked at below it.
    pub below: [Vec<u64>; 2],
    pub nodes: u64,
    pub table_hits: u64,
    pub seconds: f64,
    /// Entries in use.
    pub used: u64,
    /// The memory's size in bytes.
    pub memory: u64,
}

impl State {
    /// A state of a search that begins.
    pub(crate) fn new(rules: RuleSet, position: &Position, tables: Vec<(String, u64)>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            board: position.board(),
            rules,
            position: *position,
            tables,
            answers: [None; 2],
            replies: [crate::memory::NO_REPLY; 2],
            slice: 0,
            below: [Vec::new(), Vec::new()],
            nodes: 0,
            table_hits: 0,
            seconds: 0.0,
            used: 0,
            memory: 0,
        }
    }

    /// Writes the state with the memory, so that the file is either the old one or the new one.
    pub(crate) fn save(&self, path: &Path, memory: &mut Memory) -> Result<()> {
        let written = write_atomically(path, PARTIAL, |out| {
            let mut packed = zstd::Encoder::new(out, 1)?;
            packed.include_checksum(true)?;
            serde_json::to_writer(&mut packed, self)?;
            packed.write_all(b"\n")?;
            packed.write_all(memory.bytes())?;
            packed.finish().map(drop)
        });
        written.map_err(Into::into)
    }

    /// Reads a state, which must be for the same search as `wanted`, and its memory.
    pub(crate) fn load(path: &Path, wanted: &Self) -> Result<(Self, Memory)> {
        let damaged = |why: &str| SolverError::NotAState { path: path.to_owned(), why: why.into() };
        let file = open_regular(path).map_err(SolverError::io("cannot read", path))?;
        let unpacked = zstd::Decoder::new(BufReader::new(file))
            .map_err(SolverError::io("cannot read", path))?;
        let mut unpacked = BufReader::new(unpacked);
        let mut line = Vec::new();
        unpacked
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|error| damaged(&error.to_string()))?;
        let state: Self =
            serde_json::from_slice(&line).map_err(|_| damaged("it does not begin as one"))?;
        if state.format != FORMAT {
            return Err(damaged(&format!("it is of the format {}", state.format)));
        }
        let same = |what, saved: String, wanted: String| {
            let path = path.to_owned();
            if saved == wanted {
                Ok(())
            } else {
                Err(SolverError::OtherState { path, what, saved, wanted })
            }
        };
        same("rule set", state.rules.to_string(), wanted.rules.to_string())?;
        same("position", state.position.to_string(), wanted.position.to_string())?;
        same("tables", describe(&state.tables), describe(&wanted.tables))?;

        let size = usize::try_from(state.memory).unwrap_or(usize::MAX);
        let mut memory =
            Memory::new(size).map_err(|source| SolverError::Memory { mib: size >> 20, source })?;
        if memory.bytes().len() != size {
            return Err(damaged("its memory is not made of whole lines"));
        }
        let mut chunk = vec![0; CHUNK];
        for bytes in memory.bytes().chunks_mut(CHUNK) {
            let chunk = &mut chunk[..bytes.len()];
            unpacked.read_exact(chunk).map_err(|error| damaged(&error.to_string()))?;
            // What is empty stays untouched, and costs nothing.
            if chunk.iter().any(|byte| *byte != 0) {
                bytes.copy_from_slice(chunk);
            }
        }
        match unpacked.read(&mut [0]) {
            Ok(0) => Ok((state, memory)),
            Ok(_) => Err(damaged("it goes on where it should end")),
            Err(error) => Err(damaged(&error.to_string())),
        }
    }
}

/// The tables that facts can rest on, by name.
pub(crate) fn tables(tables: Option<&Tables>) -> Result<Vec<(String, u64)>> {
    let all = tables.map(Tables::all).transpose()?.unwrap_or_default();
    let name = |table: &&fanorona_tablebase::TableFile| {
        let metadata = table.metadata();
        format!("{} {}", metadata.slice, metadata.metric.name())
    };
    Ok(all
        .iter()
        .map(|table| Ok((name(table), table.checksum()?)))
        .collect::<Result<_, TableError>>()?)
}

fn describe(tables: &[(String, u64)]) -> String {
    if tables.is_empty() {
        return "none".to_owned();
    }
    let of = |(name, checksum): &(String, u64)| format!("{name} {checksum:016x}");
    tables.iter().map(of).collect::<Vec<_>>().join(", ")
}
