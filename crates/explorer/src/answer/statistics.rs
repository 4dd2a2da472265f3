//! What the tables of a variant hold, and what is missing.

use std::collections::BTreeMap;

use fanorona_core::{RuleSet, Value};
use fanorona_tablebase::orbits::placements_up_to_symmetry;
use fanorona_tablebase::{Metric, Slice, TableFile, TableKey, Unit, Zugzwang};
use serde::Serialize;
use utoipa::ToSchema;

use super::build::Build;
use crate::library::{Library, VariantTables};
use crate::problem::Problem;
use crate::value::Bound;
use crate::variant::Variant;

/// What a table holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MetricName {
    /// Win, draw or loss.
    Wdl,
    /// And the distance to the end of the game.
    Dtw,
}

impl From<Metric> for MetricName {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Wdl => Self::Wdl,
            Metric::Dtw => Self::Dtw,
        }
    }
}

/// A table. Counts are over all placements of the stones, symmetric ones included.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TableEntry {
    /// The stones of the side to move, `v`, and those of the other side: `5v3`. In the first phase of
    /// the vela the role of the side to move follows: `6v3 victor`.
    pub slice: String,
    /// The rule set of the table. It is simpler than that of the request where the difference no
    /// longer matters.
    pub rules: String,
    /// The stones of the side to move.
    pub own: u8,
    /// The stones of the other side.
    pub opponent: u8,
    /// What the table holds.
    pub metric: MetricName,
    /// The number of positions.
    pub positions: u64,
    /// The number of positions up to symmetry.
    pub canonical: u64,
    /// Positions that the side to move wins.
    pub win: u64,
    /// Positions that are drawn.
    pub draw: u64,
    /// Positions that the side to move loses.
    pub loss: u64,
    /// The longest win of the side to move, in turns of both sides. Null without distances.
    #[schema(required)]
    pub max_win: Option<u16>,
    /// The longest loss of the side to move, likewise.
    #[schema(required)]
    pub max_loss: Option<u16>,
    /// How many positions the side to move wins in each number of turns of both sides. Empty without
    /// distances.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub win_distances: BTreeMap<u16, u64>,
    /// How many positions the side to move loses in each number of turns, likewise.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub loss_distances: BTreeMap<u16, u64>,
    /// The number of zugzwangs of all kinds. Null in tables of an old version, which do not count
    /// them.
    #[schema(required)]
    pub zugzwangs: Option<u64>,
    /// The size of the file.
    pub bytes: u64,
}

/// A position with the longest win or loss of a table.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Extreme {
    /// The slice of the table.
    pub slice: String,
    /// What the table holds; always distances.
    pub metric: MetricName,
    /// For the side to move: the value of the position.
    pub value: Bound,
    /// The turns of both sides until the end of the game.
    pub dtw: u16,
    /// The position, with White to move; in the first phase of the vela, with the victor or the
    /// challenger to move, as the table's rules say.
    pub position: String,
}

/// The kind of a zugzwang: what having to move costs the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ZugzwangName {
    /// It loses, and would win if the other side had to move.
    Full,
    /// It loses, and would draw if the other side had to move.
    DrawToLoss,
    /// It draws, and would win if the other side had to move.
    WinToDraw,
}

impl From<Zugzwang> for ZugzwangName {
    fn from(kind: Zugzwang) -> Self {
        match kind {
            Zugzwang::WinToLoss => Self::Full,
            Zugzwang::DrawToLoss => Self::DrawToLoss,
            Zugzwang::WinToDraw => Self::WinToDraw,
        }
    }
}

/// The zugzwangs of one kind in a slice.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ZugzwangEntry {
    /// The slice.
    pub slice: String,
    /// The kind.
    pub kind: ZugzwangName,
    /// How many there are.
    pub count: u64,
    /// One of them, with White to move. Null if there is none.
    #[schema(required)]
    pub position: Option<String>,
}

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
    pub board: String,
    /// The rule set.
    pub rules: String,
    /// The tables, smaller slices first.
    pub available: Vec<TableEntry>,
    /// A position with the longest win and one with the longest loss of each table with distances.
    pub extremes: Vec<Extreme>,
    /// The zugzwangs of each slice by kind.
    pub zugzwangs: Vec<ZugzwangEntry>,
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
    pub fn new(library: &Library, tables: &VariantTables) -> Result<Self, Problem> {
        let variant = tables.variant();
        let all = tables.tables().map(|tables| tables.all()).transpose()?.unwrap_or_default();
        let available: Vec<_> = all.iter().map(|table| TableEntry::new(table)).collect();
        let missing = missing(variant, &all);
        let stones = missing.first().map(|slice| slice.stones());
        let plan = stones.and_then(|stones| library.build_plan(variant, stones));
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
            board: variant.board.to_string(),
            rules: variant.rules.to_string(),
            available,
            extremes: all.iter().flat_map(|table| Extreme::list(table, &variant.rules)).collect(),
            zugzwangs: zugzwangs(&all, &variant.rules),
            missing: missing
                .into_iter()
                .map(|slice| MissingSlice { slice: slice.to_string(), stones: slice.stones() })
                .collect(),
            build: plan.map(Into::into),
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
            .map(|rules| TableKey::new(board, &rules, slice, Metric::Wdl))
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

impl TableEntry {
    fn new(table: &TableFile) -> Self {
        let metadata = table.metadata();
        let (board, slice) = (metadata.board, metadata.slice);
        let statistics = &metadata.statistics;
        let canonical = placements_up_to_symmetry(board, slice.own.into(), slice.opponent.into());
        Self {
            slice: slice.name(metadata.key().role()),
            rules: RuleSet::to_string(&metadata.rules),
            own: slice.own,
            opponent: slice.opponent,
            metric: metadata.metric.into(),
            positions: statistics.positions(),
            // A slice with a table has fewer positions than 2⁶⁴.
            canonical: u64::try_from(canonical).unwrap_or(u64::MAX),
            win: statistics.win,
            draw: statistics.draw,
            loss: statistics.loss,
            max_win: statistics.longest(Value::Win),
            max_loss: statistics.longest(Value::Loss),
            win_distances: statistics.distances_of(Value::Win).collect(),
            loss_distances: statistics.distances_of(Value::Loss).collect(),
            zugzwangs: statistics.zugzwangs.map(|found| found.total()),
            bytes: table.bytes(),
        }
    }
}

impl Extreme {
    /// Those of a table of a game by these rules.
    fn list(table: &TableFile, rules: &RuleSet) -> impl Iterator<Item = Self> {
        let metadata = table.metadata();
        let statistics = &metadata.statistics;
        [Value::Win, Value::Loss].into_iter().filter_map(move |value| {
            Some(Self {
                slice: metadata.slice.name(metadata.key().role()),
                metric: metadata.metric.into(),
                value: value.into(),
                dtw: statistics.longest(value)?,
                position: metadata
                    .in_game(rules, statistics.longest_position(metadata.board, value)?)
                    .to_string(),
            })
        })
    }
}

/// The zugzwangs of each slice. Tables of both metrics have the same.
fn zugzwangs(all: &[&TableFile], rules: &RuleSet) -> Vec<ZugzwangEntry> {
    let mut entries = Vec::new();
    let mut seen = Vec::new();
    for table in all {
        let metadata = table.metadata();
        let Some(found) = metadata.statistics.zugzwangs else { continue };
        if seen.contains(&(metadata.slice, metadata.rules)) {
            continue;
        }
        seen.push((metadata.slice, metadata.rules));
        entries.extend(Zugzwang::ALL.map(|kind| {
            ZugzwangEntry {
                slice: metadata.slice.name(metadata.key().role()),
                kind: kind.into(),
                count: found.of(kind).count,
                position: found
                    .of(kind)
                    .position(metadata.board)
                    .map(|position| metadata.in_game(rules, position).to_string()),
            }
        }));
    }
    entries
}
