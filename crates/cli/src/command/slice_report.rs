//! The statistics of a table, as `build`, `tables` and `report` print them.

use std::collections::BTreeMap;

use fanorona_core::{Board, Position, RuleSet, Value};
use fanorona_tablebase::orbits::placements_up_to_symmetry;
use fanorona_tablebase::{Metric, Role, Slice, TableFile, Zugzwang, Zugzwangs};
use serde::{Serialize, Serializer};

/// One table. Counts of positions include symmetric ones.
#[derive(Debug, Serialize)]
pub(super) struct SliceReport {
    pub board: Board,
    pub rules: RuleSet,
    pub own: u8,
    pub opponent: u8,
    /// The role of the side to move in the first phase of the vela.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "role_name")]
    pub role: Option<Role>,
    pub metric: Metric,
    pub positions: u64,
    /// Up to symmetry.
    pub canonical: u128,
    pub win: u64,
    pub draw: u64,
    pub loss: u64,
    #[serde(flatten)]
    pub distances: Option<Distances>,
    /// None in tables of format version 1, which do not have it.
    pub zugzwang: Option<ZugzwangReport>,
    pub bytes: u64,
    /// The XXH3 hash of the whole file, in hexadecimal digits; reported by `tables`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// The size of the unpacked table, if there is one; reported by `tables`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpacked_bytes: Option<u64>,
    /// Whether this build wrote it; reported by `build`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<bool>,
}

/// What only tables with distances have.
#[derive(Debug, Serialize)]
pub(super) struct Distances {
    pub max_win: Option<u16>,
    pub max_loss: Option<u16>,
    /// Positions of the longest win and loss.
    pub max_win_position: Option<Position>,
    pub max_loss_position: Option<Position>,
    /// How many positions are won in each number of turns.
    pub win_distances: BTreeMap<u16, u64>,
    pub loss_distances: BTreeMap<u16, u64>,
}

/// A position with the longest win or loss.
#[derive(Clone, Copy)]
pub(super) struct Longest {
    /// A win or a loss.
    pub value: Value,
    pub distance: u16,
    pub position: Position,
}

impl Distances {
    /// The longest win and the longest loss, if there are any.
    pub(super) fn longest(&self) -> impl Iterator<Item = Longest> {
        let win = (Value::Win, self.max_win, self.max_win_position);
        let loss = (Value::Loss, self.max_loss, self.max_loss_position);
        [win, loss].into_iter().filter_map(|(value, distance, position)| {
            Some(Longest { value, distance: distance?, position: position? })
        })
    }
}

/// Positions in which neither side can capture, and the side to move would do better if the other
/// side had to move.
#[derive(Debug, Serialize)]
pub(super) struct ZugzwangReport {
    pub total: u64,
    /// Either side loses if it has to move.
    pub full: u64,
    /// The mover loses, and would draw.
    pub draw_to_loss: u64,
    /// The mover draws, and would win.
    pub win_to_draw: u64,
    /// One of each kind that occurs.
    pub examples: Vec<ZugzwangExample>,
}

#[derive(Debug, Serialize)]
pub(super) struct ZugzwangExample {
    #[serde(serialize_with = "kind_name")]
    pub kind: Zugzwang,
    pub position: Position,
}

impl ZugzwangReport {
    fn new(board: Board, found: &Zugzwangs, in_game: impl Fn(Position) -> Position) -> Self {
        let examples = Zugzwang::ALL.into_iter().filter_map(|kind| {
            let position = in_game(found.of(kind).position(board)?);
            Some(ZugzwangExample { kind, position })
        });
        Self {
            total: found.total(),
            full: found.of(Zugzwang::WinToLoss).count,
            draw_to_loss: found.of(Zugzwang::DrawToLoss).count,
            win_to_draw: found.of(Zugzwang::WinToDraw).count,
            examples: examples.collect(),
        }
    }

    /// All kinds, whether they occur or not.
    pub(super) fn kinds(&self) -> [KindOfZugzwang; 3] {
        [
            ("full", Zugzwang::WinToLoss, self.full),
            ("draw to loss", Zugzwang::DrawToLoss, self.draw_to_loss),
            ("win to draw", Zugzwang::WinToDraw, self.win_to_draw),
        ]
        .map(|(name, kind, count)| {
            let example = self.examples.iter().find(|example| example.kind == kind);
            KindOfZugzwang { kind, name, count, example: example.map(|example| example.position) }
        })
    }
}

/// The zugzwangs of one kind.
pub(super) struct KindOfZugzwang {
    pub kind: Zugzwang,
    /// For people; JSON has the name of `kind`.
    pub name: &'static str,
    pub count: u64,
    pub example: Option<Position>,
}

/// The name of a kind in JSON.
fn kind_name<S: Serializer>(kind: &Zugzwang, serializer: S) -> Result<S::Ok, S::Error> {
    kind.name().serialize(serializer)
}

/// The role of the side to move in JSON.
pub(super) fn role_name<S: Serializer>(
    role: &Option<Role>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    role.map(|role| role.to_string()).serialize(serializer)
}

/// The width of a column of names of slices.
pub(super) fn name_width(rules: RuleSet) -> usize {
    if rules.vela.is_some() { "10v10 challenger".len() } else { 6 }
}

impl SliceReport {
    /// The statistics of a table of a game by `game`.
    pub(super) fn new(table: &TableFile, game: &RuleSet) -> Self {
        let metadata = table.metadata();
        let (board, slice, role) = (metadata.board, metadata.slice, metadata.key().role());
        let in_game = |position| metadata.in_game(game, position);
        let victor = game.vela.map(|vela| vela.victor);
        let longest = |value| metadata.statistics.longest_position(board, value).map(in_game);
        // The victor of the table may be that of the game with the colours swapped.
        let swapped = metadata.rules.with_colours_swapped();
        let is_of_game = |rules: &RuleSet| rules.vela.map(|vela| vela.victor) == victor;
        let rules = if is_of_game(&swapped) { swapped } else { metadata.rules };
        let statistics = &metadata.statistics;
        let distances = (metadata.metric == Metric::Dtw).then(|| Distances {
            max_win: statistics.longest(Value::Win),
            max_loss: statistics.longest(Value::Loss),
            max_win_position: longest(Value::Win),
            max_loss_position: longest(Value::Loss),
            win_distances: statistics.distances_of(Value::Win).collect(),
            loss_distances: statistics.distances_of(Value::Loss).collect(),
        });
        Self {
            board,
            rules,
            own: slice.own,
            opponent: slice.opponent,
            role,
            metric: metadata.metric,
            positions: statistics.positions(),
            canonical: placements_up_to_symmetry(board, slice.own.into(), slice.opponent.into()),
            win: statistics.win,
            draw: statistics.draw,
            loss: statistics.loss,
            distances,
            zugzwang: statistics.zugzwangs.map(|found| ZugzwangReport::new(board, &found, in_game)),
            bytes: table.bytes(),
            checksum: None,
            unpacked_bytes: None,
            written: None,
        }
    }

    /// The slice for people.
    pub(super) fn name(&self) -> String {
        Slice { own: self.own, opponent: self.opponent }.name(self.role)
    }
}
