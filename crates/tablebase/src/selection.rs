//! The slices whose tables are read.

use crate::slice::Slice;

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
#[non_exhaustive]
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

    /// Sets [`stones`](Self::stones).
    #[must_use]
    pub fn with_stones(self, stones: impl Into<Option<u32>>) -> Self {
        Self { stones: stones.into(), ..self }
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
