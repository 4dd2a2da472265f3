//! Zugzwangs: positions in which the side to move would do better if the other side had to move.
//!
//! For the same stones, let `v` be the value if one side is to move and `v'` if the other side is,
//! each for the side to move, with loss < draw < win. A position in which neither side can capture
//! is a *zugzwang* if `v < -v'`. Then `v' < -v` too, so every zugzwang is mutual. [`Zugzwang`] says
//! what is at stake.

use fanorona_core::{Board, Position, Side, Stones, Value, named};
use serde::{Deserialize, Serialize};

use crate::index::SliceIndex;

/// The kind of a zugzwang: what the side to move loses by having to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Zugzwang {
    /// It loses, and would win if the other side had to move: a *full* zugzwang.
    #[serde(rename = "full")]
    WinToLoss,
    /// It loses, and would draw if the other side had to move.
    DrawToLoss,
    /// It draws, and would win if the other side had to move.
    WinToDraw,
}

named!(
    Zugzwang, "kind of zugzwang",
    WinToLoss "full", DrawToLoss "draw_to_loss", WinToDraw "win_to_draw"
);

impl Zugzwang {
    /// Classifies a position in which neither side can capture. `moving` is its value,
    /// `other_moving` the value with the other side to move, each for the side to move.
    pub fn of(moving: Value, other_moving: Value) -> Option<Self> {
        match (moving, other_moving) {
            (Value::Loss, Value::Loss) => Some(Self::WinToLoss),
            (Value::Loss, Value::Draw) => Some(Self::DrawToLoss),
            (Value::Draw, Value::Loss) => Some(Self::WinToDraw),
            _ => None,
        }
    }

    /// [`of`](Self::of) for a word of positions, given their wins and losses: the positions of each
    /// kind, in the order of [`ALL`](Self::ALL).
    #[inline(always)]
    pub fn in_word([win, loss]: [u64; 2], [other_win, other_loss]: [u64; 2]) -> [u64; 3] {
        let (drawn, other_drawn) = (!(win | loss), !(other_win | other_loss));
        [loss & other_loss, loss & other_drawn, drawn & other_loss]
    }
}

/// The zugzwangs of one kind in a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZugzwangCount {
    /// Their number, over all placements, without symmetry.
    pub count: u64,
    /// The first one in index order.
    pub example: Option<Stones>,
}

impl ZugzwangCount {
    /// The example, with White to move.
    pub fn position(&self, board: Board) -> Option<Position> {
        Position::from_mover(board, self.example?, Side::White).ok()
    }
}

/// The zugzwangs of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Zugzwangs([ZugzwangCount; 3]);

impl Zugzwangs {
    /// The number of zugzwangs of all kinds.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, found| sum.saturating_add(found.count))
    }

    /// Counts in the order of [`Zugzwang::ALL`], without examples.
    pub fn of_counts(counts: [u64; 3]) -> Self {
        Self(counts.map(|count| ZugzwangCount { count, example: None }))
    }

    /// The zugzwangs of one kind.
    pub fn of(&self, kind: Zugzwang) -> ZugzwangCount {
        self.0[kind as usize]
    }
}

/// Counts zugzwangs into [`Zugzwangs`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ZugzwangCounter {
    counts: [u64; 3],
    /// The lowest indexes; `u64::MAX` without a zugzwang of the kind.
    first: [u64; 3],
}

impl Default for ZugzwangCounter {
    fn default() -> Self {
        Self { counts: [0; 3], first: [u64::MAX; 3] }
    }
}

impl ZugzwangCounter {
    /// Adds a number of positions of a kind, the first of which has this index.
    pub fn add(&mut self, kind: Zugzwang, positions: u64, index: u64) {
        self.counts[kind as usize] += positions;
        let first = &mut self.first[kind as usize];
        *first = index.min(*first);
    }

    /// Adds the counts of another counter.
    pub fn append(mut self, other: Self) -> Self {
        for kind in Zugzwang::ALL {
            self.add(kind, other.counts[kind as usize], other.first[kind as usize]);
        }
        self
    }

    /// The counts with their first positions.
    pub fn finish(self, index: &SliceIndex<'_>) -> Zugzwangs {
        let example = |first| Some(index.entry(first)?.stones);
        Zugzwangs(std::array::from_fn(|i| ZugzwangCount {
            count: self.counts[i],
            example: example(self.first[i]),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `v < -v'` for both sides or for none.
    #[test]
    fn zugzwangs_are_mutual() {
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
            let bits = |value| [Value::Win, Value::Loss].map(|bit| u64::from(value == bit));
            let in_word = Zugzwang::in_word(bits(v), bits(w)).map(|kind| kind & 1 != 0);
            assert_eq!(Zugzwang::ALL.map(|kind| Zugzwang::of(v, w) == Some(kind)), in_word);
        }
    }
}
