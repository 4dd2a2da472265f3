//! Zugzwangs: positions in which having to move is what spoils the game.
//!
//! With the same stones, let `v` be the value if one side moves and `v'` if the other does, each for
//! the side that moves, a loss being less than a draw and that less than a win. A position in which
//! neither side can capture is a *zugzwang* if the mover would do better if the other side had to
//! move: if `v < -v'`. Then `v' < -v` too, so every zugzwang is mutual: neither side wants to move.
//! They differ in what is at stake, which is a [`Zugzwang`].

use std::fmt;
use std::str::FromStr;

use fanorona_core::{Board, PointSet, Position, Side, Value};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::index::SliceIndex;

/// What having to move costs the side to move.
///
/// [`Display`](fmt::Display) and [`FromStr`] use the names of [`name`](Self::name).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Zugzwang {
    /// The game: it loses, and would win if the other side had to move. A *full* zugzwang.
    WinToLoss,
    /// The draw: it loses, and would draw.
    DrawToLoss,
    /// The win: it draws, and would win.
    WinToDraw,
}

impl Zugzwang {
    /// All kinds, the full one first.
    pub const ALL: [Self; 3] = [Self::WinToLoss, Self::DrawToLoss, Self::WinToDraw];

    /// `full`, `draw_to_loss` or `win_to_draw`.
    pub fn name(self) -> &'static str {
        match self {
            Self::WinToLoss => "full",
            Self::DrawToLoss => "draw_to_loss",
            Self::WinToDraw => "win_to_draw",
        }
    }

    /// What a position is in which neither side can capture, from its value and that of the
    /// position with the other side to move, each for the side that moves.
    pub fn of(moving: Value, other_moving: Value) -> Option<Self> {
        match (moving, other_moving) {
            (Value::Loss, Value::Loss) => Some(Self::WinToLoss),
            (Value::Loss, Value::Draw) => Some(Self::DrawToLoss),
            (Value::Draw, Value::Loss) => Some(Self::WinToDraw),
            _ => None,
        }
    }
}

impl fmt::Display for Zugzwang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is not the name of a kind of zugzwang.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a kind of zugzwang: full, draw_to_loss or win_to_draw")]
pub struct ParseZugzwangError(String);

impl FromStr for Zugzwang {
    type Err = ParseZugzwangError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| ParseZugzwangError(text.to_owned()))
    }
}

/// How many zugzwangs of one kind a slice has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZugzwangCount {
    /// Over all placements, no symmetry taken out.
    pub count: u64,
    /// The first of them in the order of the table's places, by own and opponent's stones.
    pub example: Option<(PointSet, PointSet)>,
}

impl ZugzwangCount {
    /// The example, White to move.
    pub fn position(&self, board: Board) -> Option<Position> {
        let (own, opponent) = self.example?;
        Position::from_mover(board, own, opponent, Side::White).ok()
    }
}

/// The zugzwangs of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Zugzwangs([ZugzwangCount; 3]);

impl Zugzwangs {
    /// All kinds together.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, found| sum.saturating_add(found.count))
    }

    /// Counts in the order of [`Zugzwang::ALL`], without examples.
    pub(crate) fn of_counts(counts: [u64; 3]) -> Self {
        Self(counts.map(|count| ZugzwangCount { count, example: None }))
    }

    /// Those of a kind.
    pub fn of(&self, kind: Zugzwang) -> ZugzwangCount {
        self.0[kind as usize]
    }
}

/// Counts zugzwangs into [`Zugzwangs`].
#[derive(Clone, Debug, Default)]
pub(crate) struct ZugzwangCounter([(u64, Option<u64>); 3]);

impl ZugzwangCounter {
    /// Counts a number of positions of a kind, the first of them at a place.
    pub(crate) fn add(&mut self, kind: Zugzwang, positions: u64, place: u64) {
        let (count, first) = &mut self.0[kind as usize];
        *count += positions;
        *first = Some(first.map_or(place, |known| known.min(place)));
    }

    /// Adds what was counted elsewhere.
    pub(crate) fn append(mut self, other: Self) -> Self {
        for (kind, (count, place)) in Zugzwang::ALL.into_iter().zip(other.0) {
            if let Some(place) = place {
                self.add(kind, count, place);
            }
        }
        self
    }

    pub(crate) fn finish(self, index: &SliceIndex<'_>) -> Zugzwangs {
        Zugzwangs(self.0.map(|(count, first)| {
            let example = first.and_then(|place| index.entry(place));
            ZugzwangCount { count, example: example.map(|entry| (entry.own, entry.opponent)) }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `v < -v'` for both sides or for none.
    #[test]
    fn what_is_a_zugzwang_to_one_side_is_to_the_other() {
        let number = |value| match value {
            Value::Loss => -1,
            Value::Draw => 0,
            Value::Win => 1,
        };
        let values = [Value::Loss, Value::Draw, Value::Win];
        for (v, w) in values.into_iter().flat_map(|v| values.map(|w| (v, w))) {
            assert_eq!(Zugzwang::of(v, w).is_some(), number(v) < -number(w));
            let mirrored = Zugzwang::of(v, w).map(|kind| match kind {
                Zugzwang::WinToLoss => Zugzwang::WinToLoss,
                Zugzwang::DrawToLoss => Zugzwang::WinToDraw,
                Zugzwang::WinToDraw => Zugzwang::DrawToLoss,
            });
            assert_eq!(Zugzwang::of(w, v), mirrored);
        }
    }
}
