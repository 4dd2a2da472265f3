//! What a table says of itself, as `build` and `tables` report it.

use std::collections::BTreeMap;

use fanorona_core::{Board, Position, RuleSet, Value};
use fanorona_tablebase::orbits::placements_up_to_symmetry;
use fanorona_tablebase::{Metric, TableFile, Zugzwang, Zugzwangs};
use serde::Serialize;

/// One table. Counts are over all placements, no symmetry taken out.
#[derive(Debug, Serialize)]
pub(super) struct SliceReport {
    pub board: Board,
    pub rules: RuleSet,
    pub own: u8,
    pub opponent: u8,
    pub metric: &'static str,
    pub positions: u64,
    /// Up to symmetry.
    pub canonical: u128,
    pub win: u64,
    pub draw: u64,
    pub loss: u64,
    #[serde(flatten)]
    pub distances: Option<Distances>,
    /// None in tables of format version 1, which were written before they were counted.
    pub zugzwang: Option<ZugzwangReport>,
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
pub(super) struct Distances {
    pub max_win: Option<u16>,
    pub max_loss: Option<u16>,
    /// Positions of the longest win and loss.
    pub max_win_position: Option<Position>,
    pub max_loss_position: Option<Position>,
    /// How many positions are won in so many turns.
    pub win_distances: BTreeMap<u16, u64>,
    pub loss_distances: BTreeMap<u16, u64>,
}

/// Positions, quiet for both sides, in which the mover would do better if the other side had to
/// move.
#[derive(Debug, Serialize)]
pub(super) struct ZugzwangReport {
    pub total: u64,
    /// Whoever has to move loses.
    pub full: u64,
    /// The mover loses, and would draw.
    pub draw_to_loss: u64,
    /// The mover draws, and would win.
    pub win_to_draw: u64,
    /// One of each kind that there is.
    pub examples: Vec<ZugzwangExample>,
}

#[derive(Debug, Serialize)]
pub(super) struct ZugzwangExample {
    pub kind: &'static str,
    pub position: Position,
}

impl ZugzwangReport {
    fn new(board: Board, found: &Zugzwangs) -> Self {
        let examples = Zugzwang::ALL.into_iter().filter_map(|(kind, zugzwang)| {
            found.of(zugzwang).position(board).map(|position| ZugzwangExample { kind, position })
        });
        Self {
            total: found.total(),
            full: found.of(Zugzwang::WinToLoss).count,
            draw_to_loss: found.of(Zugzwang::DrawToLoss).count,
            win_to_draw: found.of(Zugzwang::WinToDraw).count,
            examples: examples.collect(),
        }
    }

    /// The kinds with their names in sentences, and an example of each that there is.
    pub(super) fn kinds(&self) -> [(&'static str, u64, Option<Position>); 3] {
        let counts = [self.full, self.draw_to_loss, self.win_to_draw];
        let names = ["full", "draw to loss", "win to draw"];
        std::array::from_fn(|i| {
            let (kind, _) = Zugzwang::ALL[i];
            let example = self.examples.iter().find(|example| example.kind == kind);
            (names[i], counts[i], example.map(|example| example.position))
        })
    }
}

impl SliceReport {
    pub(super) fn new(table: &TableFile) -> Self {
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
            zugzwang: statistics.zugzwangs.map(|found| ZugzwangReport::new(board, &found)),
            bytes: table.bytes(),
            checksum: None,
            unpacked_bytes: None,
            written: None,
        }
    }
}
