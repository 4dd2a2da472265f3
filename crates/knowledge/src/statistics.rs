//! The statistics of a table.

use std::collections::BTreeMap;

use fanorona_core::{Board, Position, RuleSet, Value};
use fanorona_tablebase::orbits::placements_up_to_symmetry;
use fanorona_tablebase::{Metric, Role, TableFile, Zugzwang};
use serde::Serialize;

/// The statistics of a table. Counts are over all placements of the stones, symmetric ones included;
/// values are for the side to move, distances in turns of both sides.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SliceStatistics {
    /// The board.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub board: Board,
    /// The stones of the side to move, `v`, and those of the other side: `5v3`. In the first phase of
    /// the vela the role of the side to move follows: `6v3 victor`.
    pub slice: String,
    /// The rule set of the table. It is simpler than that of the game where the difference no
    /// longer matters.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub rules: RuleSet,
    /// The stones of the side to move.
    pub own: u8,
    /// The stones of the other side.
    pub opponent: u8,
    /// The role of the side to move in the first phase of the vela.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, nullable = false))]
    pub role: Option<Role>,
    /// Whether the table holds distances.
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Metric))]
    pub metric: Metric,
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
    /// The longest win; left out without distances, and if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub max_win: Option<u16>,
    /// The longest loss, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub max_loss: Option<u16>,
    /// A position with the longest win, with White to move; in the first phase of the vela, with the
    /// victor or the challenger to move, as `role` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, nullable = false))]
    pub max_win_position: Option<Position>,
    /// A position with the longest loss, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, nullable = false))]
    pub max_loss_position: Option<Position>,
    /// How many positions are won in each number of turns. Left out without distances.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(value_type = Option<BTreeMap<String, u64>>, nullable = false)
    )]
    pub win_distances: Option<BTreeMap<u16, u64>>,
    /// How many positions are lost in each number of turns, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(value_type = Option<BTreeMap<String, u64>>, nullable = false)
    )]
    pub loss_distances: Option<BTreeMap<u16, u64>>,
    /// Left out in tables of an old format, which do not count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub zugzwangs: Option<ZugzwangStatistics>,
    /// The size of the file.
    pub bytes: u64,
}

/// Positions in which neither side can capture, and the side to move would do better if the other
/// side had to move.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ZugzwangStatistics {
    /// All kinds together.
    pub total: u64,
    /// The side to move loses, and would win.
    pub full: u64,
    /// The side to move loses, and would draw.
    pub draw_to_loss: u64,
    /// The side to move draws, and would win.
    pub win_to_draw: u64,
    /// One of each kind that occurs.
    pub examples: Vec<ZugzwangExample>,
}

/// A zugzwang, with White to move.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ZugzwangExample {
    /// How much the side to move loses.
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Zugzwang))]
    pub kind: Zugzwang,
    /// The position.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub position: Position,
}

impl ZugzwangStatistics {
    /// How many there are of a kind.
    pub fn count(&self, kind: Zugzwang) -> u64 {
        match kind {
            Zugzwang::WinToLoss => self.full,
            Zugzwang::DrawToLoss => self.draw_to_loss,
            Zugzwang::WinToDraw => self.win_to_draw,
        }
    }
}

impl SliceStatistics {
    /// The statistics of a table that serves a game.
    pub fn new(table: &TableFile, game: &RuleSet) -> Self {
        let metadata = table.metadata();
        let (board, slice) = (metadata.board, metadata.slice);
        let in_game = |position| metadata.in_game(game, position);
        let statistics = &metadata.statistics;
        let has_distances = metadata.metric.has_distances();
        let longest = |value| statistics.longest_position(board, value).map(in_game);
        let distances = |value| {
            has_distances.then(|| statistics.distances_of(value).collect::<BTreeMap<_, _>>())
        };
        let canonical = placements_up_to_symmetry(board, slice.own.into(), slice.opponent.into());
        let zugzwangs = statistics.zugzwangs.map(|found| ZugzwangStatistics {
            total: found.total(),
            full: found.of(Zugzwang::WinToLoss).count,
            draw_to_loss: found.of(Zugzwang::DrawToLoss).count,
            win_to_draw: found.of(Zugzwang::WinToDraw).count,
            examples: Zugzwang::ALL
                .into_iter()
                .filter_map(|kind| {
                    let position = in_game(found.of(kind).position(board)?);
                    Some(ZugzwangExample { kind, position })
                })
                .collect(),
        });
        // The victor of the table may be that of the game with the colours swapped.
        let victor = |rules: &RuleSet| rules.vela().map(|vela| vela.victor);
        let swapped = metadata.rules.with_colours_swapped();
        let rules = if victor(&swapped) == victor(game) { swapped } else { metadata.rules };
        Self {
            board,
            slice: slice.to_string(),
            rules,
            own: slice.own,
            opponent: slice.opponent,
            role: slice.role,
            metric: metadata.metric,
            positions: statistics.positions(),
            // A slice with a table has fewer positions than 2⁶⁴.
            canonical: u64::try_from(canonical).unwrap_or(u64::MAX),
            win: statistics.win,
            draw: statistics.draw,
            loss: statistics.loss,
            max_win: statistics.longest(Value::Win).filter(|_| has_distances),
            max_loss: statistics.longest(Value::Loss).filter(|_| has_distances),
            max_win_position: longest(Value::Win).filter(|_| has_distances),
            max_loss_position: longest(Value::Loss).filter(|_| has_distances),
            win_distances: distances(Value::Win),
            loss_distances: distances(Value::Loss),
            zugzwangs,
            bytes: table.bytes(),
        }
    }
}
