//! The tables that certificates need and that are missing.

use std::collections::BTreeMap;

use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{Metric, Slice, TableError, Tables};
use thiserror::Error;

use super::error::BookError;
use fanorona_proof::Certificate;

/// Tables that the certificates of a book need and that are missing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "the book needs {metric} tables of {board} under {rules} up to {} stones; {} {} missing",
    self.stones(), .slices.len(), if .slices.len() == 1 { "is" } else { "are" }
)]
#[non_exhaustive]
pub struct MissingTables {
    /// The board.
    pub board: Board,
    /// The rule set of the tables.
    pub rules: RuleSet,
    /// The metric that the certificates name. Tables of the other one answer as well.
    pub metric: Metric,
    /// The slices without a table, smaller ones first. Not empty.
    pub slices: Vec<Slice>,
}

impl MissingTables {
    /// The stones of the largest missing table. Building all tables up to this number leaves none
    /// missing.
    pub fn stones(&self) -> u32 {
        self.slices.iter().map(|slice| slice.stones()).max().unwrap_or(0)
    }
}

/// The missing tables of some certificates of one game; `None` if there are none.
pub(super) fn missing(
    board: Board,
    rules: &RuleSet,
    certificates: &[Certificate],
    tables: Option<&Tables>,
) -> Result<Option<MissingTables>, BookError> {
    // By number of stones, so that captures lead to earlier ones.
    let named = certificates.iter().flat_map(Certificate::tables);
    let named = named.map(|table| ((table.slice.stones(), table.slice.own), table));
    let named: BTreeMap<_, _> = named.collect();
    let rules = rules.without_vela();
    let tables = tables.map(|tables| tables.packed(board, rules)).transpose()?;
    let mut usable: Vec<Slice> = Vec::new();
    let mut missing: Option<MissingTables> = None;
    for table in named.values() {
        let slice = table.slice;
        if let Some(tables) = &tables
            && is_usable(tables, slice, &usable)?
        {
            usable.push(slice);
            continue;
        }
        let (metric, slices) = (table.metric, Vec::new());
        let missing = missing.get_or_insert(MissingTables { board, rules, metric, slices });
        missing.slices.push(slice);
    }
    Ok(missing)
}

/// Whether a slice has a table that answers: if it leaves out positions with captures, smaller tables
/// of either metric decide these.
fn is_usable(tables: &Tables, slice: Slice, usable: &[Slice]) -> Result<bool, TableError> {
    for metric in Metric::ALL {
        if let Some(table) = tables.table(slice, metric)? {
            let mut smaller = slice.after_captures();
            return Ok(
                table.metadata().captures_stored || smaller.all(|slice| usable.contains(&slice))
            );
        }
    }
    Ok(false)
}
