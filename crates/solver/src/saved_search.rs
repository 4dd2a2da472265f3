//! A search in a file, to be resumed.
//!
//! The file is one zstd frame with a checksum: a line of JSON that says what was searched and how
//! far, and the bytes of the transposition table.
//!
//! The checksum is against accidents, and what has a range is checked. Facts are believed: see the
//! [crate documentation](crate#saved-searches).

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Board, Position, RuleSet};
use fanorona_storage::{PartialKind, open_regular, write_atomically};
use fanorona_tablebase::{TableError, TableFile, Tables, memory_available};
use serde::{Deserialize, Serialize};

use crate::error::{Result, SolverError};
use crate::transposition::{BUCKET_BYTES, TranspositionTable};

/// The name of the format in the first line.
const FORMAT: &str = "fanorona-search-3";

/// Names files that are being written.
const PARTIAL: PartialKind = PartialKind::new("search");

/// The longest first line that is read.
const MAX_LINE: u64 = 1 << 26;

/// Bytes to read at a time: whole buckets.
const CHUNK: usize = 1 << 20;
const _: () = assert!(CHUNK.is_multiple_of(BUCKET_BYTES));

/// The first line of the file: the search, and how far it has come.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct SavedSearch {
    format: String,
    board: Board,
    rules: RuleSet,
    position: Position,
    /// The tables that facts depend on: names and checksums.
    tables: Vec<(String, u64)>,
    /// How many positions to search for a question before the next one has its turn.
    pub slice: u64,
    /// For each question: the number of positions searched below each successor.
    pub below: [Vec<u64>; 2],
    pub nodes: u64,
    pub table_hits: u64,
    pub seconds: f64,
    /// The size of the transposition table in bytes.
    pub memory: u64,
}

impl SavedSearch {
    /// A search that has not begun.
    pub(crate) fn new(
        rules: RuleSet,
        position: &Position,
        tables: Option<&Tables>,
    ) -> Result<Self> {
        Ok(Self {
            format: FORMAT.to_owned(),
            board: position.board(),
            rules,
            position: *position,
            tables: names_and_checksums(tables)?,
            slice: 0,
            below: [Vec::new(), Vec::new()],
            nodes: 0,
            table_hits: 0,
            seconds: 0.0,
            memory: 0,
        })
    }

    /// Writes the search with its table. The file is the old one until the new one is complete.
    pub(crate) fn save(&self, path: &Path, table: &mut TranspositionTable) -> Result<()> {
        let written = write_atomically(path, PARTIAL, |out| {
            let mut packed = zstd::Encoder::new(out, 1)?;
            packed.include_checksum(true)?;
            serde_json::to_writer(&mut packed, self)?;
            packed.write_all(b"\n")?;
            packed.write_all(table.bytes())?;
            packed.finish().map(drop)
        });
        written.map_err(Into::into)
    }

    /// Reads a search, which must have the same rule set, position and tables as `wanted`, and its
    /// table.
    pub(crate) fn load(
        path: &Path,
        wanted: &Self,
        stop: &AtomicBool,
    ) -> Result<(Self, TranspositionTable)> {
        let damaged = |reason: String| {
            let path = path.to_owned();
            SolverError::NotASavedSearch { path, reason }
        };
        let file = open_regular(path).map_err(SolverError::reading(path))?;
        let unpacked =
            zstd::Decoder::new(BufReader::new(file)).map_err(SolverError::reading(path))?;
        let mut unpacked = BufReader::new(unpacked);
        let mut line = Vec::new();
        unpacked
            .by_ref()
            .take(MAX_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|error| damaged(error.to_string()))?;
        let search: Self = serde_json::from_slice(&line)
            .map_err(|error| damaged(format!("its first line is not that of one: {error}")))?;
        if search.format != FORMAT {
            return Err(damaged(format!("its format is {}", search.format)));
        }
        search.check_same(wanted, path)?;
        if !search.seconds.is_finite() || search.seconds < 0.0 {
            return Err(damaged(format!("it took {} seconds", search.seconds)));
        }

        let bytes = usize::try_from(search.memory).unwrap_or(usize::MAX);
        let mut table = TranspositionTable::new(bytes)
            .map_err(|source| SolverError::Memory { bytes, source })?;
        if table.bytes().len() != bytes {
            return Err(damaged(format!(
                "its table has {bytes} bytes, which are no whole buckets"
            )));
        }
        let available = memory_available().unwrap_or(u64::MAX);
        let mut chunk = vec![0; CHUNK];
        let (mut offset, mut used, mut filled) = (0, 0, 0);
        for bytes in table.bytes().chunks_mut(CHUNK) {
            if stop.load(Ordering::Relaxed) {
                return Err(SolverError::Stopped);
            }
            let chunk = &mut chunk[..bytes.len()];
            unpacked.read_exact(chunk).map_err(|error| damaged(error.to_string()))?;
            let valid = TranspositionTable::admit(chunk).map_err(|at| {
                damaged(format!("the entry at byte {} of its table is invalid", offset + at))
            })?;
            // Unused parts are not touched, and take no memory.
            if valid > 0 {
                filled += chunk.len();
                if filled as u64 > available {
                    let source = io::ErrorKind::OutOfMemory.into();
                    return Err(SolverError::Memory { bytes: filled, source });
                }
                bytes.copy_from_slice(chunk);
            }
            offset += chunk.len();
            used += valid;
        }
        table.used = used;
        match unpacked.read(&mut [0]) {
            Ok(0) => Ok((search, table)),
            Ok(_) => Err(damaged("it has more bytes than it should".to_owned())),
            Err(error) => Err(damaged(error.to_string())),
        }
    }

    fn check_same(&self, wanted: &Self, path: &Path) -> Result<()> {
        let same = |difference, saved: String, wanted: String| {
            if saved == wanted {
                return Ok(());
            }
            let path = path.to_owned();
            Err(SolverError::OtherSearch { path, difference, saved, wanted })
        };
        same("rule set", self.rules.to_string(), wanted.rules.to_string())?;
        same("position", self.position.to_string(), wanted.position.to_string())?;
        same("set of tables", describe(&self.tables), describe(&wanted.tables))
    }
}

/// The tables that facts can depend on.
fn names_and_checksums(tables: Option<&Tables>) -> Result<Vec<(String, u64)>> {
    let all = tables.map(Tables::all).transpose()?.unwrap_or_default();
    let name = |table: &TableFile| {
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

#[cfg(test)]
mod tests {
    use fanorona_core::{Side, Value};

    use super::*;
    use crate::game::{Game, SuccessorList};
    use crate::transposition::{Entry, Fact, MAX_PN};
    use crate::{Limits, Solver};

    /// Numbers at their limit would stop the search at the root, whatever it is asked.
    #[test]
    fn a_file_with_the_highest_numbers_does_not_stop_a_search() {
        let start: Position = "BBB/BBB/B1W/WWW/WWW w".parse().expect("a position");
        let rules = RuleSet::STANDARD;
        let game = Game::new(rules, start.board(), None).expect("there are no tables");
        let mut table = TranspositionTable::new(1 << 16).expect("there is memory");
        let mut successors = SuccessorList::new(&game);
        for attacker in [Side::White, Side::Black] {
            let root = game.node(&start, attacker);
            let nodes = successors.of(&game, root).iter().copied().chain([root]);
            for node in nodes.collect::<Vec<_>>() {
                let fact = Fact::Open { phi: MAX_PN, delta: MAX_PN };
                table.view().set(node.key(), Entry { fact, reply: 0, work: 1 });
            }
        }
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("search");
        let mut search = SavedSearch::new(rules, &start, None).expect("there are no tables");
        (search.memory, search.slice) = (1 << 16, u64::MAX);
        search.save(&path, &mut table).expect("it can be saved");

        let mut solver = Solver::new(rules, start.board(), None, 1 << 16).expect("memory");
        let limits = Limits::default().with_nodes(1_000_000).with_threads(1).with_resume(&path);
        let analysis = solver.analyze(&start, &limits, &AtomicBool::new(false), |_| {});
        assert_eq!(analysis.expect("the file can be used").value(), Some(Value::Win));
    }
}
