//! Slices (positions with the same numbers of stones) and units.

use std::fmt;
use std::str::FromStr;

use fanorona_core::{Board, Point, PointSet, Position, RuleSet, Side, SplitMix64};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// All positions in which the side to move has `own` stones and the other side has `opponent`.
///
/// Written `3v2`. Colours do not matter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Slice {
    /// The number of stones of the side to move, at least 1.
    pub own: u8,
    /// The number of stones of the other side, at least 1.
    pub opponent: u8,
}

impl Slice {
    /// The slice of a position; `None` if a side has no stones.
    pub fn of(position: &Position) -> Option<Self> {
        let count = |stones: PointSet| stones.len() as u8;
        let slice = Self { own: count(position.own()), opponent: count(position.opponent()) };
        (slice.own > 0 && slice.opponent > 0).then_some(slice)
    }

    /// The slice with the other side to move. Paikas lead to it.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { own: self.opponent, opponent: self.own }
    }

    /// The number of stones of both sides together.
    pub fn stones(self) -> u32 {
        u32::from(self.own) + u32::from(self.opponent)
    }

    /// The slices that captures lead to. The other side loses at least one stone, keeps at least
    /// one, and is to move.
    pub fn after_captures(self) -> impl Iterator<Item = Self> {
        (1..self.opponent).map(move |left| Self { own: left, opponent: self.own })
    }

    /// Whether each side has at least one stone, and at most its number at the start of the game.
    pub fn is_on(self, board: Board) -> bool {
        let most = 1..=board.max_stones();
        most.contains(&self.own.into()) && most.contains(&self.opponent.into())
    }

    /// A random position of the slice; all placements of the stones are equally likely. `None` if
    /// the slice is not [on the board](Self::is_on).
    ///
    /// ```
    /// use fanorona_core::{Board, Side, SplitMix64};
    /// use fanorona_tablebase::Slice;
    /// let slice = Slice { own: 3, opponent: 2 };
    /// let mut random = SplitMix64::new(1);
    /// let position = slice.random_position(Board::tsivy(), Side::White, &mut random).unwrap();
    /// assert_eq!(Slice::of(&position), Some(slice));
    /// ```
    pub fn random_position(
        self,
        board: Board,
        to_move: Side,
        random: &mut SplitMix64,
    ) -> Option<Position> {
        if !self.is_on(board) {
            return None;
        }
        let mut points: Vec<Point> = board.all_points().iter().collect();
        let mut place = |stones: u8| -> PointSet {
            let place = |_| points.swap_remove(random.below(points.len() as u64) as usize);
            (0..stones).map(place).collect()
        };
        let (own, opponent) = (place(self.own), place(self.opponent));
        Position::from_mover(board, own, opponent, to_move).ok()
    }

    /// The simplest rule set under which all games from this slice on have the same turns as under
    /// `rules`, by [`RuleSet::endgame`]. Tables are named after it.
    ///
    /// # Errors
    /// If the slice has positions in the first phase of the vela. These have no tables, because
    /// their values depend on the victor's colour.
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

/// A slice is in the first phase of the vela, which has no tables. The second phase uses the tables
/// of `free-capture`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "slice {slice} is in the first phase of the vela, which has no tables; the second phase \
     uses the tables of free-capture"
)]
#[non_exhaustive]
pub struct FirstPhaseError {
    /// The slice.
    pub slice: Slice,
}

/// The error of a text that is not a slice.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is not a slice: write own stones, v and the opponent's stones, as in 3v2")]
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

/// A slice and its swapped slice, which are solved together.
///
/// Paikas lead from one to the other. Captures lead to units with fewer stones, so these are solved
/// first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unit(Slice);

impl Unit {
    /// The units of a board with up to `stones` stones, both sides together, in the order in which
    /// they are solved.
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

    /// Whether play can lead from this unit to the other one. True for the unit itself.
    pub fn rests_on(self, other: Self) -> bool {
        // Captures remove stones of either side, in any order, and leave at least one on each.
        other.0.own <= self.0.own && other.0.opponent <= self.0.opponent
    }

    /// The slice in which the side to move has at least as many stones as the other side.
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
