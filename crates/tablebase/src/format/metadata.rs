//! The kind of file, and its metadata.

use fanorona_core::{Board, Position, RuleSet, Side, Stones, Value};
use fanorona_storage::{FileKind, PartialKind};
use serde::{Deserialize, Serialize};

use super::packing::Packing;
use crate::key::{Layout, TableKey};
use crate::slice::{Slice, encoded_counts};
use crate::value::{Code, Metric};
use crate::zugzwang::Zugzwangs;

/// The latest format version of tables, that of unpacked ones. Versions from [`OLDEST_VERSION`] on are
/// read.
pub const VERSION: u32 = 3;

/// The version that packed tables are written in. Version 3 would add a byte that says that they are
/// packed.
pub(super) const PACKED_VERSION: u32 = 2;

/// The oldest format version of tables that is read.
pub const OLDEST_VERSION: u32 = 1;

pub(super) const TABLE: FileKind =
    FileKind { name: "a table", magic: *b"FanoTabl", version: VERSION, oldest: OLDEST_VERSION };

/// The partial files of tables and checkpoints.
pub const PARTIAL: PartialKind = PartialKind::new("table");

/// The metadata of a table: its identity, how values are packed, and statistics.
/// `docs/FORMAT.md` specifies every byte of its encoding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// The board.
    pub board: Board,
    /// The rule set.
    pub rules: RuleSet,
    /// Whether values have distances.
    pub metric: Metric,
    /// In the first phase of the vela with the role that White has by the rules.
    #[serde(with = "encoded_counts")]
    pub slice: Slice,
    /// Bits per value: 2, 8 or 16.
    pub bits: u8,
    /// The number of values: the length of the slice's index.
    pub values: u64,
    /// Values per block. The last block may have fewer.
    pub block_values: u32,
    /// Whether values of positions with a capture are stored. If not, the file has arbitrary values
    /// there, and a prober searches the captures.
    pub captures_stored: bool,
    /// Counts and examples.
    pub statistics: Statistics,
    /// Whether blocks are compressed. The last field, which only version 3 has.
    pub layout: Layout,
}

/// The bytes of the field that only version 3 has.
pub(super) const LAYOUT_BYTES: usize = 4;

/// The bytes of a block of an unpacked table. So much is read together if the file is not mapped.
const UNPACKED_BLOCK: u32 = 1 << 12;

impl Metadata {
    /// Those of the unpacked table with the same values.
    #[must_use]
    pub fn unpacked(&self) -> Self {
        let block_values = UNPACKED_BLOCK * 8 / u32::from(self.bits);
        Self { block_values, captures_stored: true, layout: Layout::Unpacked, ..self.clone() }
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u64 {
        self.values.div_ceil(self.block_values.into())
    }

    /// The bytes of an unpacked table, without prelude and metadata.
    pub fn unpacked_bytes(&self) -> u64 {
        let packing = Packing::from_bits(self.bits).expect("a width that was chosen");
        packing.bytes(self.values as usize) as u64 + 12 * self.unpacked().blocks() + 8
    }

    /// The identity of the table.
    pub fn key(&self) -> TableKey {
        let Self { board, rules, metric, slice, .. } = *self;
        TableKey { board, rules, slice, metric }
    }

    /// A position of this table with White to move, as it occurs in a game: in the vela, with the
    /// colours swapped if White has the other role there.
    #[must_use]
    pub fn in_game(&self, rules: &RuleSet, position: Position) -> Position {
        match rules.endgame_of(&position) == self.rules {
            true => position,
            false => position.with_colours_swapped(),
        }
    }
}

/// Counts over all placements of a slice, without symmetry. Positions with captures are included,
/// whether or not their values are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// The number of positions that the side to move wins.
    pub win: u64,
    /// The number of drawn positions.
    pub draw: u64,
    /// The number of positions that the side to move loses.
    pub loss: u64,
    /// The number of positions that are decided in `n` turns of both sides, at index `n`: wins at
    /// odd indexes, losses at even ones. Empty under `wdl`.
    pub distances: Vec<u64>,
    /// A position with the longest win. `None` under `wdl`.
    pub longest_win: Option<Stones>,
    /// A position with the longest loss, likewise.
    pub longest_loss: Option<Stones>,
    /// The zugzwangs. `None` in tables of format version 1, which do not count them.
    pub zugzwangs: Option<Zugzwangs>,
}

impl Statistics {
    /// The number of positions.
    pub fn positions(&self) -> u64 {
        self.win.saturating_add(self.draw).saturating_add(self.loss)
    }

    /// The distances of the positions with a value, with their counts, in ascending order. Empty
    /// for draws.
    pub fn distances_of(&self, value: Value) -> impl Iterator<Item = (u16, u64)> {
        (0u16..)
            .zip(self.distances.iter().copied())
            .filter(move |(distance, count)| *count > 0 && Code(distance + 1).value() == value)
    }

    /// The longest distance of a win or a loss. `None` if there is none.
    pub fn longest(&self, value: Value) -> Option<u16> {
        self.distances_of(value).map(|(distance, _)| distance).last()
    }

    /// A position with the longest win or loss, with White to move.
    pub fn longest_position(&self, board: Board, value: Value) -> Option<Position> {
        let stones = match value {
            Value::Win => self.longest_win?,
            Value::Loss => self.longest_loss?,
            Value::Draw => return None,
        };
        Position::from_mover(board, stones, Side::White).ok()
    }
}
