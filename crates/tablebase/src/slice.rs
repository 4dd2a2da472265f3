//! Slices: all positions with the same numbers of stones.

use std::fmt;
use std::str::FromStr;

use fanorona_core::{Board, PointSet, Position, RuleSet};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// All positions in which the side to move has `own` stones and the other side `opponent`,
/// whichever colours they have; written `3v2`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Slice {
    /// The stones of the side to move, at least 1.
    pub own: u8,
    /// The stones of the side that waits, at least 1.
    pub opponent: u8,
}

impl Slice {
    /// The slice that a position belongs to; `None` where one side has no stones.
    pub fn of(position: &Position) -> Option<Self> {
        let count = |stones: PointSet| stones.len() as u8;
        let slice = Self { own: count(position.own()), opponent: count(position.opponent()) };
        (slice.own > 0 && slice.opponent > 0).then_some(slice)
    }

    /// The slice with the other side to move, which paikas lead to.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { own: self.opponent, opponent: self.own }
    }

    /// The stones of both sides.
    pub fn stones(self) -> u32 {
        u32::from(self.own) + u32::from(self.opponent)
    }

    /// The slices that captures lead to from here, of any number of stones: the side that waits
    /// loses at least one and keeps at least one, and moves.
    pub fn after_captures(self) -> impl Iterator<Item = Self> {
        (1..self.opponent).map(move |left| Self { own: left, opponent: self.own })
    }

    /// Whether each side has at least one stone and no more than it begins with.
    pub fn is_on(self, board: Board) -> bool {
        let most = 1..=board.max_stones();
        most.contains(&self.own.into()) && most.contains(&self.opponent.into())
    }

    /// The rule set that decides every game from this slice on, by [`RuleSet::endgame`]. Tables are
    /// named after it.
    ///
    /// # Errors
    /// If it is the vela with a victor who may not capture yet. Such positions have no tables,
    /// because their values depend on which colour the victor has.
    pub fn rules(self, board: Board, rules: &RuleSet) -> Result<RuleSet, FirstPhaseError> {
        let (own, opponent) = (self.own.into(), self.opponent.into());
        let endgame = rules.endgame(board, own, opponent);
        if endgame.vela.is_some() || rules.endgame(board, opponent, own).vela.is_some() {
            return Err(FirstPhaseError { slice: self });
        }
        Ok(endgame)
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}v{}", self.own, self.opponent))
    }
}

/// A slice in the first phase of the vela, where the victor may not capture. Tables are for its
/// second phase, which is played like free-capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "slice {slice} is in the first phase of the vela, where the victor may not capture; tables are \
     for its second phase, which is played like free-capture"
)]
#[non_exhaustive]
pub struct FirstPhaseError {
    /// The slice.
    pub slice: Slice,
}

/// A text that is not a slice.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is not a slice: write own stones, v, and the opponent's, as in 3v2")]
pub struct ParseSliceError(String);

impl FromStr for Slice {
    type Err = ParseSliceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |digits: &str| (1..=31_u8).find(|n| n.to_string() == digits);
        text.split_once('v')
            .and_then(|(own, opponent)| {
                Some(Self { own: number(own)?, opponent: number(opponent)? })
            })
            .ok_or_else(|| ParseSliceError(text.to_owned()))
    }
}

/// A slice with its swapped one: what paikas join, and so what is solved at one time.
///
/// Units with fewer stones come first, for captures lead there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unit(Slice);

impl Unit {
    /// The units of a board with up to `stones` stones, both sides together, in an order in which
    /// they can be solved.
    pub fn up_to(board: Board, stones: u32) -> impl Iterator<Item = Self> {
        (2..=stones.min(2 * board.max_stones())).flat_map(move |stones| {
            let more = stones.div_ceil(2)..stones;
            more.map(move |own| Slice { own: own as u8, opponent: (stones - own) as u8 })
                .filter(move |slice| slice.is_on(board))
                .map(Self)
        })
    }

    /// The unit of a slice.
    pub fn of(slice: Slice) -> Self {
        Self(if slice.own < slice.opponent { slice.swapped() } else { slice })
    }

    /// Whether some position of this unit can be followed by one of the other, or is of it.
    pub fn rests_on(self, other: Self) -> bool {
        // Captures take stones of either side, in any order, and leave each side one.
        other.0.own <= self.0.own && other.0.opponent <= self.0.opponent
    }

    /// The slice in which the side with more stones, or as many, moves.
    pub fn stronger(self) -> Slice {
        self.0
    }

    /// Its one or two slices.
    pub fn slices(self) -> impl Iterator<Item = Slice> {
        let swapped = (self.0 != self.0.swapped()).then(|| self.0.swapped());
        std::iter::once(self.0).chain(swapped)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.slices().map(|slice| slice.to_string()).collect();
        f.pad(&names.join("+"))
    }
}
