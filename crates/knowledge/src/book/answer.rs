//! The answer of a book about a position.

use fanorona_core::{Turn, Value};

use fanorona_proof::{Bounds, ClaimKind};

/// The answer of a [`Book`](crate::Book) about a position.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BookAnswer {
    /// Proved bounds of the value, for the side to move. [`Bounds::UNKNOWN`] if the book knows
    /// nothing of the position.
    pub bounds: Bounds,
    /// The entry of the position, if a proof for the side to move has one. `None` if the game is
    /// over or a table was given that holds the position.
    pub entry: Option<BookEntry>,
}

impl BookAnswer {
    /// The value, if it is known.
    pub fn value(&self) -> Option<Value> {
        self.bounds.value()
    }

    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        self.bounds != Bounds::UNKNOWN
    }

    /// The turn that keeps what is proved for the side to move, if an entry has one.
    pub fn turn(&self) -> Option<&Turn> {
        self.entry.as_ref().map(|entry| &entry.turn)
    }
}

/// An entry of a proof, found by the position that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BookEntry {
    /// A legal turn of the position. Of several turns that lead to the same position, the first.
    pub turn: Turn,
    /// The proved result for the side to move.
    pub kind: ClaimKind,
    /// In a proof of a win, the distance to conversion: after how many further entries, at most, a
    /// stone is captured or the proof ends.
    pub distance: Option<u32>,
    /// The index of the certificate in [`Book::certificates`](crate::Book::certificates).
    pub certificate: usize,
}
