//! The slices whose tables are built, and those whose tables are read.

use std::fmt;

use fanorona_core::{Board, RuleSet};

use crate::slice::{Slice, Unit};

/// Some of the tables of a directory: all of them, those with few stones, or those of some slices.
///
/// ```
/// use fanorona_tablebase::{Selection, Slice};
/// let slice = |own, opponent| Slice::new(own, opponent);
/// assert!(Selection::all().contains(slice(3, 2)));
/// let some = Selection::up_to(3).with_slices([slice(3, 2)]);
/// assert!(some.contains(slice(1, 2)) && some.contains(slice(3, 2)));
/// assert!(!some.contains(slice(2, 3)));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Selection {
    /// All slices with up to this number of stones, both sides together.
    pub stones: Option<u32>,
    /// These slices too. Without them and without [`stones`](Self::stones), every slice is selected.
    pub slices: Vec<Slice>,
}

impl Selection {
    /// Every slice.
    pub fn all() -> Self {
        Self::default()
    }

    /// All slices with up to `stones` stones, both sides together.
    pub fn up_to(stones: u32) -> Self {
        Self { stones: Some(stones), slices: Vec::new() }
    }

    /// Sets [`slices`](Self::slices).
    #[must_use]
    pub fn with_slices(self, slices: impl IntoIterator<Item = Slice>) -> Self {
        Self { slices: slices.into_iter().collect(), ..self }
    }

    /// Whether every slice is selected.
    pub fn is_all(&self) -> bool {
        self.stones.is_none() && self.slices.is_empty()
    }

    /// The most stones of a selected slice, both sides together; `None` if every slice is selected.
    pub fn most_stones(&self) -> Option<u32> {
        self.slices.iter().map(|slice| slice.stones()).chain(self.stones).max()
    }

    /// Whether a slice is selected. Named slices without a role select every role.
    pub fn contains(&self, slice: Slice) -> bool {
        self.is_all()
            || self.stones.is_some_and(|stones| slice.stones() <= stones)
            || self.slices.iter().any(|named| named.includes(slice))
    }
}

impl From<Slice> for Selection {
    fn from(slice: Slice) -> Self {
        Self::all().with_slices([slice])
    }
}

/// Which slices to build.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
