//! Zugzwangs: positions in which having to move is what spoils the game.
//!
//! With the same stones, let `v` be the value if one side moves and `v'` if the other does, each for
//! the side that moves, a loss being less than a draw and that less than a win. A position in which
//! neither side can capture is a *zugzwang* if the mover would do better if the other side had to
//! move: if `v < -v'`. That says the same of both sides, for then `v' < -v` too, so every zugzwang
//! is mutual: neither side wants to move. They differ in what is at stake, which is a [`Zugzwang`].

use fanorona_core::{Board, PointSet, Position, Side, Value};
use serde::{Deserialize, Serialize};

use crate::index::SliceIndex;

/// What having to move costs the side to move.
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
    /// All, the full one first, with the names that they go by.
    pub const ALL: [(&'static str, Self); 3] = [
        ("full", Self::WinToLoss),
        ("draw_to_loss", Self::DrawToLoss),
        ("win_to_draw", Self::WinToDraw),
    ];

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

    /// Those of a kind.
    pub fn of(&self, kind: Zugzwang) -> ZugzwangCount {
        self.0[kind as usize]
    }
}

/// Counts zugzwangs into [`Zugzwangs`].
#[derive(Clone, Debug, Default)]
pub(crate) struct ZugzwangCounter([(u64, Option<u64>); 3]);

impl ZugzwangCounter {
    /// Counts so many positions of a kind, the first of them at a place.
    pub(crate) fn add(&mut self, kind: Zugzwang, positions: u64, place: u64) {
        let (count, first) = &mut self.0[kind as usize];
        *count += positions;
        *first = Some(first.map_or(place, |known| known.min(place)));
    }

    /// Adds what was counted elsewhere.
    pub(crate) fn append(mut self, other: Self) -> Self {
        for ((_, kind), (count, place)) in Zugzwang::ALL.into_iter().zip(other.0) {
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
