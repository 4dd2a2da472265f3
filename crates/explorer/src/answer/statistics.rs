//! Counts over the tables of a variant, and the missing tables.

use fanorona_core::{Board, RuleSet};
use fanorona_knowledge::SliceStatistics;
use fanorona_tablebase::{Metric, Slice, TableFile, TableKey, Unit};
use serde::Serialize;
use utoipa::ToSchema;

use crate::build::Build;
use crate::library::OpenVariant;
use crate::problem::Problem;
use crate::variant::Variant;

/// A slice without a table.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MissingSlice {
    /// The slice.
    pub slice: String,
    /// Its stones, both sides together.
    pub stones: u32,
}

/// The tables of a variant.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TablesAnswer {
    /// The board.
    #[schema(value_type = String)]
    pub board: Board,
    /// The rule set.
    #[schema(value_type = String)]
    pub rules: RuleSet,
    /// The tables, smaller slices first.
    pub slices: Vec<SliceStatistics>,
    /// The slices without a table that have the fewest stones; all of them have the same number.
    pub missing: Vec<MissingSlice>,
    /// How the missing tables can be built. Null if no common machine can build them.
    #[schema(required)]
    pub build: Option<Build>,
    /// The size of all files.
    pub total_bytes: u64,
    /// The positions of all slices. A slice with tables of both metrics counts once.
    pub total_positions: u64,
}

impl TablesAnswer {
    /// The tables of a variant.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read.
    pub fn new(open: &OpenVariant) -> Result<Self, Problem> {
        let variant = open.variant();
        let tables = open.knowledge().tables();
        let all = tables.map(|tables| tables.all()).transpose()?.unwrap_or_default();
        let missing = missing(variant, &all);
        let stones = missing.first().map(|slice| slice.stones());
        let build = stones.and_then(|stones| open.build(variant, stones));
        let mut total_positions = 0u64;
        let mut seen = Vec::new();
        for table in &all {
            let metadata = table.metadata();
            if !seen.contains(&(metadata.slice, metadata.rules)) {
                seen.push((metadata.slice, metadata.rules));
                total_positions = total_positions.saturating_add(metadata.statistics.positions());
            }
        }
        Ok(Self {
            board: variant.board,
            rules: variant.rules,
            slices: all.iter().map(|table| SliceStatistics::new(table, &variant.rules)).collect(),
            missing: missing
                .into_iter()
                .map(|slice| MissingSlice { slice: slice.to_string(), stones: slice.stones() })
                .collect(),
            build,
            total_bytes: all.iter().fold(0, |sum, table| sum.saturating_add(table.bytes())),
            total_positions,
        })
    }
}

/// The slices without a table that have the fewest stones.
fn missing(variant: Variant, all: &[&TableFile]) -> Vec<Slice> {
    let Variant { board, rules } = variant;
    let mut missing: Vec<Slice> = Vec::new();
    for slice in Unit::up_to(board, 2 * board.max_stones()).flat_map(Unit::slices) {
        if missing.first().is_some_and(|first| first.stones() < slice.stones()) {
            break;
        }
        // Whoever is to move has White: in the vela, either side may be the victor.
        let mut keys = [rules, rules.with_colours_swapped()]
            .map(|rules| (rules, slice.with_role_of_white(board, &rules)))
            .map(|(rules, slice)| TableKey::new(board, &rules, slice, Metric::Wdl))
            .into_iter();
        let is_there = |key: TableKey| {
            all.iter()
                .map(|table| table.metadata())
                .any(|table| (table.slice, table.rules) == (key.slice, key.rules))
        };
        if !keys.all(is_there) {
            missing.push(slice);
        }
    }
    missing
}
