//! What a table says of itself, as `build` and `tables` report it.

use std::collections::BTreeMap;

use fanorona_core::{Board, Position, RuleSet, Value};
use fanorona_tablebase::orbits::placements_up_to_symmetry;
use fanorona_tablebase::{Metric, TableFile};
use serde::Serialize;

/// One table. Counts are over all placements, no symmetry taken out.
#[derive(Debug, Serialize)]
pub struct SliceReport {
    pub board: Board,
    pub rules: RuleSet,
    pub own: u8,
    pub opponent: u8,
    pub metric: &'static str,
    pub positions: u64,
    /// Up to symmetry.
    pub canonical: u64,
    pub win: u64,
    pub draw: u64,
    pub loss: u64,
    #[serde(flatten)]
    pub distances: Option<Distances>,
    pub bytes: u64,
    /// xxh3 of the whole file, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// The size of the unpacked table, if there is one; told by `tables`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpacked_bytes: Option<u64>,
    /// Whether it was written now; told by `build`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<bool>,
}

/// What tables with distances say more.
#[derive(Debug, Serialize)]
pub struct Distances {
    pub max_win: Option<u16>,
    pub max_loss: Option<u16>,
    /// Positions of the longest win and loss.
    pub max_win_position: Option<Position>,
    pub max_loss_position: Option<Position>,
    /// How many positions are won in so many turns.
    pub win_distances: BTreeMap<u16, u64>,
    pub loss_distances: BTreeMap<u16, u64>,
}

impl SliceReport {
    pub fn new(table: &TableFile) -> Self {
        let metadata = table.metadata();
        let (board, slice) = (metadata.board, metadata.slice);
        let statistics = &metadata.statistics;
        let distances = (metadata.metric == Metric::Dtw).then(|| Distances {
            max_win: statistics.longest(Value::Win),
            max_loss: statistics.longest(Value::Loss),
            max_win_position: statistics.longest_position(board, Value::Win),
            max_loss_position: statistics.longest_position(board, Value::Loss),
            win_distances: statistics.distances_of(Value::Win).collect(),
            loss_distances: statistics.distances_of(Value::Loss).collect(),
        });
        Self {
            board,
            rules: metadata.rules,
            own: slice.own,
            opponent: slice.opponent,
            metric: metadata.metric.name(),
            positions: statistics.positions(),
            canonical: placements_up_to_symmetry(board, slice.own.into(), slice.opponent.into()),
            win: statistics.win,
            draw: statistics.draw,
            loss: statistics.loss,
            distances,
            bytes: table.bytes(),
            checksum: None,
            unpacked_bytes: None,
            written: None,
        }
    }
}
