//! The slices that a build is for.

use std::fmt;

use fanorona_core::{Board, RuleSet};

use crate::slice::{Slice, Unit};

/// Which slices to build.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Goal {
    /// All slices with up to this number of stones, both sides together.
    Stones(u32),
    /// One slice, its swapped slice, and all slices that play can lead to from these. In the vela,
    /// the side to move in this slice has White.
    Slice(Slice),
}

impl From<u32> for Goal {
    fn from(stones: u32) -> Self {
        Self::Stones(stones)
    }
}

impl From<Slice> for Goal {
    fn from(slice: Slice) -> Self {
        Self::Slice(slice)
    }
}

impl Goal {
    /// The number of stones of the largest slice, both sides together.
    pub fn stones(self) -> u32 {
        match self {
            Self::Stones(stones) => stones,
            Self::Slice(slice) => slice.stones(),
        }
    }

    /// The units of a game, in an order in which they can be solved: those of the first phase of the
    /// vela last.
    pub fn units(self, board: Board, rules: &RuleSet) -> Vec<Unit> {
        let is_needed = |unit: &Unit| match self {
            Self::Stones(_) => true,
            Self::Slice(slice) => Unit::holding(board, rules, slice).rests_on(*unit),
        };
        Unit::of_game(board, rules, self.stones()).filter(is_needed).collect()
    }
}

/// As in `all slices up to 5 stones` or `slice 3v2 and its dependencies`.
impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stones(stones) => f.pad(&format!("all slices up to {stones} stones")),
            Self::Slice(slice) => f.pad(&format!("slice {slice} and its dependencies")),
        }
    }
}
