//! What a table says of itself.

use fanorona_core::{Board, PointSet, Position, RuleSet, Side, Value};
use serde::{Deserialize, Serialize};

use crate::index::SliceIndex;
use crate::key::TableKey;
use crate::slice::Slice;
use crate::value::{Code, Metric};
use crate::zugzwang::Zugzwangs;

/// What a table is for, how its values are packed, and what it says of its positions.
///
/// In the file this is bincode of version 2, little endian with integers of fixed width; the page
/// on the format spells out every byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// The board, as `9x5`.
    pub board: Board,
    /// The rule set's name.
    pub rules: RuleSet,
    /// What the values are.
    pub metric: Metric,
    /// The slice.
    pub slice: Slice,
    /// How many bits a value has: 2, 8 or 16.
    pub bits: u8,
    /// How many values there are, by the slice's index.
    pub values: u64,
    /// How many values a block has; the last may have fewer.
    pub block_values: u32,
    /// Whether positions in which a capture is mandatory have a value of their own. If not, they
    /// hold what packs well, and a prober searches their captures.
    pub captures_stored: bool,
    /// What the table says.
    pub statistics: Statistics,
}

impl Metadata {
    /// Which table it is.
    pub fn key(&self) -> TableKey {
        let Self { board, rules, metric, slice, .. } = *self;
        TableKey { board, rules, slice, metric }
    }
}

/// Counts over all placements of a slice, no symmetry taken out, decided captures included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Positions that the side to move wins.
    pub win: u64,
    /// Drawn ones.
    pub draw: u64,
    /// Lost ones.
    pub loss: u64,
    /// For each number of turns, how many positions are decided in so many: wins at odd numbers,
    /// losses at even ones. Empty under `wdl`.
    pub distances: Vec<u64>,
    /// One of the positions with the longest win, by own and opponent's stones. None under `wdl`.
    pub longest_win: Option<(PointSet, PointSet)>,
    /// One of the positions with the longest loss.
    pub longest_loss: Option<(PointSet, PointSet)>,
    /// The zugzwangs. None in tables of format version 1, for which they were not counted.
    pub zugzwangs: Option<Zugzwangs>,
}

impl Statistics {
    /// All positions.
    pub fn positions(&self) -> u64 {
        self.win.saturating_add(self.draw).saturating_add(self.loss)
    }

    /// The distances at which the given side's positions are decided, with their counts.
    pub fn distances_of(&self, value: Value) -> impl Iterator<Item = (u16, u64)> {
        (0u16..)
            .zip(self.distances.iter().copied())
            .filter(move |(distance, count)| *count > 0 && Code(distance + 1).value() == value)
    }

    /// The longest distance of a win or a loss, if there is one.
    pub fn longest(&self, value: Value) -> Option<u16> {
        self.distances_of(value).map(|(distance, _)| distance).last()
    }

    /// A position of the longest win or loss, White to move.
    pub fn longest_position(&self, board: Board, value: Value) -> Option<Position> {
        let (own, opponent) = match value {
            Value::Win => self.longest_win?,
            Value::Loss => self.longest_loss?,
            Value::Draw => return None,
        };
        Position::from_mover(board, own, opponent, Side::White).ok()
    }
}

/// Counts the values of a table into [`Statistics`], in the order of their places.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter {
    /// By value: loss, draw, win; positions, not places.
    values: [u64; 3],
    /// By distance.
    distances: Vec<u64>,
    /// The longest loss and the longest win with the places that have them first.
    longest: [Option<(Code, u64)>; 2],
}

impl Counter {
    /// Counts the value at a place, which stands for so many positions.
    pub(crate) fn count(&mut self, place: u64, positions: u8, code: Code, metric: Metric) {
        let value = code.value();
        self.values[value as usize] += u64::from(positions);
        let Some(distance) = code.distance().filter(|_| metric == Metric::Dtw) else { return };
        let distance = usize::from(distance);
        if self.distances.len() <= distance {
            self.distances.resize(distance + 1, 0);
        }
        self.distances[distance] += u64::from(positions);
        let longest = &mut self.longest[usize::from(value == Value::Win)];
        if longest.is_none_or(|(known, _)| known.0 < code.0) {
            *longest = Some((code, place));
        }
    }

    /// Adds what was counted in later places.
    pub(crate) fn append(mut self, later: Self) -> Self {
        for (sum, more) in self.values.iter_mut().zip(later.values) {
            *sum += more;
        }
        if self.distances.len() < later.distances.len() {
            self.distances.resize(later.distances.len(), 0);
        }
        for (sum, more) in self.distances.iter_mut().zip(later.distances) {
            *sum += more;
        }
        for (known, new) in self.longest.iter_mut().zip(later.longest) {
            let code = |found: &Option<(Code, u64)>| found.map(|(code, _)| code.0);
            if code(&new) > code(known) {
                *known = new;
            }
        }
        self
    }

    pub(crate) fn finish(self, index: &SliceIndex<'_>, zugzwangs: Zugzwangs) -> Statistics {
        let [loss, draw, win] = self.values;
        let position = |(_, place)| {
            let entry = index.entry(place).expect("a place of the index");
            (entry.own, entry.opponent)
        };
        let [longest_loss, longest_win] = self.longest.map(|found| found.map(position));
        let (distances, zugzwangs) = (self.distances, Some(zugzwangs));
        Statistics { win, draw, loss, distances, longest_win, longest_loss, zugzwangs }
    }
}
