//! Slices (positions with the same numbers of stones) and units.

use std::fmt;
use std::str::FromStr;

use fanorona_core::{
    Board, Point, PointSet, Position, RuleSet, Side, SplitMix64, Stones, Vela, named,
};
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

/// The positions of one table: all in which the side to move has `own` stones and the other side has
/// `opponent`. In the first phase of the vela, the side to move has a role, too.
///
/// Parsed from a text like `3v2`, which has no role. [`Display`](fmt::Display) writes `3v2`, or
/// `3v2 victor` with a role.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Slice {
    /// The number of stones of the side to move, at least 1.
    pub own: u8,
    /// The number of stones of the other side, at least 1.
    pub opponent: u8,
    /// The role of the side to move in the first phase of the vela; `None` outside it.
    pub role: Option<Role>,
}

/// The slice of two sets, without a role.
impl From<Stones> for Slice {
    fn from(stones: Stones) -> Self {
        let [own, opponent] = [stones.own, stones.opponent].map(|set| set.len() as u8);
        Self::new(own, opponent)
    }
}

impl Slice {
    /// The slice with these numbers of stones and no role.
    pub const fn new(own: u8, opponent: u8) -> Self {
        Self { own, opponent, role: None }
    }

    /// The slice of a position, without a role; `None` if a side has no stones.
    pub fn of(position: &Position) -> Option<Self> {
        let slice = Self::from(Stones::of(position));
        (slice.own > 0 && slice.opponent > 0).then_some(slice)
    }

    /// The slice of a position in a game played by `rules`; `None` if a side has no stones.
    pub fn in_game(rules: &RuleSet, position: &Position) -> Option<Self> {
        let role = Role::of_white(&seen_rules(rules, position));
        Some(Self::of(position)?.with_role(role))
    }

    /// The same numbers of stones with another role, or without.
    #[must_use]
    pub fn with_role(self, role: impl Into<Option<Role>>) -> Self {
        Self { role: role.into(), ..self }
    }

    /// The slice with White to move in a game played by `rules`: a slice without a role gets the one
    /// that White has in the first phase of the vela.
    #[must_use]
    pub fn with_role_of_white(self, board: Board, rules: &RuleSet) -> Self {
        self.with_role(self.role.or(Role::of_white(&self.endgame(board, rules))))
    }

    /// The numbers of stones alone: the slice without its role.
    #[must_use]
    pub fn counts(self) -> Self {
        self.with_role(None)
    }

    /// Whether it is another slice, or has no role and the numbers of stones of the other one.
    pub fn includes(self, other: Self) -> bool {
        self == other || self == other.counts()
    }

    /// The slice with the other side to move. Paikas lead to it.
    #[must_use]
    pub fn swapped(self) -> Self {
        let role = self.role.map(|role| match role {
            Role::Victor => Role::Challenger,
            Role::Challenger => Role::Victor,
        });
        Self { own: self.opponent, opponent: self.own, role }
    }

    /// The number of stones of both sides together.
    pub fn stones(self) -> u32 {
        u32::from(self.own) + u32::from(self.opponent)
    }

    /// The slices that captures lead to outside the first phase of the vela. The other side loses at
    /// least one stone, keeps at least one, and is to move.
    pub fn after_captures(self) -> impl Iterator<Item = Self> {
        (1..self.opponent).map(move |left| Self::new(left, self.own))
    }

    /// Whether each side has at least one stone, and at most its number at the start of the game.
    pub fn is_on(self, board: Board) -> bool {
        let most = 1..=board.max_stones();
        most.contains(&self.own.into()) && most.contains(&self.opponent.into())
    }

    /// A random position of the slice, all placements equally likely; `None` if the slice is not [on
    /// the board](Self::is_on).
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
        let stones = Stones { own: place(self.own), opponent: place(self.opponent) };
        Position::from_mover(board, stones, to_move).ok()
    }

    /// The [`RuleSet::endgame`] at its positions with White to move.
    pub(crate) fn endgame(self, board: Board, rules: &RuleSet) -> RuleSet {
        rules.endgame(board, self.own.into(), self.opponent.into())
    }

    /// The rules of its table in a game played by `rules`, with White to move: without what can no
    /// longer matter, by [`RuleSet::endgame`].
    ///
    /// ```
    /// use fanorona_core::{Board, RuleSet};
    /// use fanorona_tablebase::{Role, Slice};
    /// let (board, slice) = (Board::tsivy(), Slice::new(6, 2));
    /// assert_eq!(slice.with_role(Role::Victor).rules(board, &RuleSet::VELA), RuleSet::VELA);
    /// assert_eq!(slice.rules(board, &RuleSet::VELA), RuleSet::FREE_CAPTURE);
    /// ```
    pub fn rules(self, board: Board, rules: &RuleSet) -> RuleSet {
        let of_role = |role| {
            let victor = match role {
                Role::Victor => Side::White,
                Role::Challenger => Side::Black,
            };
            rules.with_vela(|vela| Vela { victor, ..vela })
        };
        let rules = self.role.and_then(of_role).unwrap_or_else(|| rules.without_vela());
        self.endgame(board, &rules)
    }
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { own, opponent, role } = self;
        match role {
            None => f.pad(&format!("{own}v{opponent}")),
            Some(role) => f.pad(&format!("{own}v{opponent} {role}")),
        }
    }
}

/// The part of the side to move in the first phase of the vela.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The winner of the last game, who may not capture.
    Victor,
    /// The other side.
    Challenger,
}

impl Role {
    /// The role of White under the rules of a [slice](Slice::rules) or table, in which White is to
    /// move. `None` outside the first phase.
    pub fn of_white(rules: &RuleSet) -> Option<Self> {
        Some(match rules.vela()?.victor {
            Side::White => Self::Victor,
            Side::Black => Self::Challenger,
        })
    }
}

named!(Role, "role", Victor "victor", Challenger "challenger");

/// The numbers of stones of a slice, and its role if it has one, as fields of what has the slice.
///
/// # Errors
/// If the file cannot be written.
pub fn slice_fields<S: Serializer>(slice: &Slice, to: S) -> Result<S::Ok, S::Error> {
    let mut fields = to.serialize_struct("Slice", 3)?;
    fields.serialize_field("own", &slice.own)?;
    fields.serialize_field("opponent", &slice.opponent)?;
    if let Some(role) = slice.role {
        fields.serialize_field("role", &role)?;
    }
    fields.end()
}

/// Encodes a slice without its role, for metadata that have the rule set.
pub(crate) mod encoded_counts {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Slice;

    pub(crate) fn serialize<S: Serializer>(slice: &Slice, to: S) -> Result<S::Ok, S::Error> {
        (slice.own, slice.opponent).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Slice, D::Error> {
        let (own, opponent) = Deserialize::deserialize(from)?;
        Ok(Slice::new(own, opponent))
    }
}

/// Rules as a side that is to move sees them: with the colours swapped for Black.
pub(crate) fn rules_seen_by(rules: &RuleSet, to_move: Side) -> RuleSet {
    match to_move {
        Side::White => *rules,
        Side::Black => rules.with_colours_swapped(),
    }
}

/// The [`RuleSet::endgame`] of a position, as the side to move sees it.
pub(crate) fn seen_rules(rules: &RuleSet, position: &Position) -> RuleSet {
    rules_seen_by(&rules.endgame_of(position), position.to_move())
}

/// Every slice of a game with up to `stones` stones, both sides together, with the rules of each of its
/// tables. Those with fewer stones first.
pub(crate) fn slices_of_game(
    board: Board,
    rules: &RuleSet,
    stones: u32,
) -> impl Iterator<Item = (RuleSet, Slice)> {
    let views = Side::ALL.map(|side| rules_seen_by(rules, side));
    Unit::up_to(board, stones).flat_map(Unit::slices).flat_map(move |slice| {
        let [one, other] = views.map(|rules| slice.endgame(board, &rules));
        let other = (other != one).then_some(other);
        std::iter::once(one).chain(other).map(move |rules| (rules, slice))
    })
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
            .and_then(|(own, opponent)| Some(Self::new(number(own)?, number(opponent)?)))
            .ok_or_else(|| ParseSliceError(text.to_owned()))
    }
}

/// A slice and its swapped slice, which are solved together.
///
/// Paikas lead from one to the other, captures to units with fewer stones. In the first phase of the
/// vela, the victor is to move in one of the slices, and the challenger in the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unit {
    /// The slice with more own stones or, in the first phase, that in which the victor is to move.
    slice: Slice,
    /// In the first phase: the victor's number of stones that ends it.
    ends_at: Option<u8>,
}

impl Unit {
    /// The units of a board with up to `stones` stones, both sides together, in the order in which
    /// they are solved. None of them is in the first phase of the vela.
    pub fn up_to(board: Board, stones: u32) -> impl Iterator<Item = Self> {
        (2..=stones.min(2 * board.max_stones())).flat_map(move |stones| {
            let more = stones.div_ceil(2)..stones;
            more.map(move |own| Slice::new(own as u8, (stones - own) as u8))
                .filter(move |slice| slice.is_on(board))
                .map(Self::of)
        })
    }

    /// The units of a game, likewise: first those outside the first phase of the vela.
    pub fn of_game(board: Board, rules: &RuleSet, stones: u32) -> impl Iterator<Item = Self> {
        let ends_at = rules.vela().map(Vela::ends_at);
        let most = board.max_stones() as u8;
        // In the second phase of the vela, one side has no more stones than this.
        let settled = Self::up_to(board, stones)
            .filter(move |unit| ends_at.is_none_or(|ends_at| unit.slice.opponent <= ends_at));
        let first_phase = ends_at.into_iter().flat_map(move |ends_at| {
            let slices = (1..=most).flat_map(move |opponent| {
                (ends_at.saturating_add(1)..=most).map(move |own| Slice::new(own, opponent))
            });
            let units = slices.map(move |slice| Self {
                slice: slice.with_role(Role::Victor),
                ends_at: Some(ends_at),
            });
            units.filter(move |unit| unit.slice.stones() <= stones)
        });
        settled.chain(first_phase)
    }

    /// The unit of a slice; without a role, with White to move.
    pub fn holding(board: Board, rules: &RuleSet, slice: Slice) -> Self {
        let slice = slice.with_role_of_white(board, rules);
        let ends_at = rules.vela().map(Vela::ends_at);
        match slice.role {
            None => Self::of(slice),
            Some(Role::Victor) => Self { slice, ends_at },
            Some(Role::Challenger) => Self { slice: slice.swapped(), ends_at },
        }
    }

    /// The unit of a slice that is not in the first phase of the vela.
    pub fn of(slice: Slice) -> Self {
        let slice = if slice.own < slice.opponent { slice.swapped() } else { slice };
        Self { slice: slice.counts(), ends_at: None }
    }

    /// Whether it is in the first phase of the vela.
    pub fn is_first_phase(self) -> bool {
        self.slice.role.is_some()
    }

    /// Whether play can lead from this unit to the other one. True for the unit itself.
    pub fn rests_on(self, other: Self) -> bool {
        let (here, there) = (self.slice, other.slice);
        let fits =
            |most: Slice, found: Slice| found.own <= most.own && found.opponent <= most.opponent;
        match (self.ends_at, other.ends_at) {
            // Captures remove stones of either side, in any order, and leave at least one on each.
            (None, None) => fits(here, there),
            (None, Some(_)) => false,
            // Only the victor loses stones.
            (Some(_), Some(_)) => there.own <= here.own && there.opponent == here.opponent,
            (Some(ends_at), None) => {
                let second = Slice::new(ends_at, here.opponent);
                fits(second, there) || fits(second, there.swapped())
            }
        }
    }

    /// The slice in which the side to move has at least as many stones as the other side; in the first
    /// phase of the vela, the slice in which the victor is to move.
    pub fn stronger(self) -> Slice {
        self.slice
    }

    /// The number of stones, both sides together.
    pub fn stones(self) -> u32 {
        self.slice.stones()
    }

    /// Its slices: two, or one if that is its own swapped slice.
    pub fn slices(self) -> impl Iterator<Item = Slice> {
        let (slice, swapped) = (self.slice, self.slice.swapped());
        std::iter::once(slice).chain((slice != swapped).then_some(swapped))
    }

    /// The slices that captures lead to, in which both sides have stones.
    pub fn after_captures(self) -> impl Iterator<Item = Slice> {
        self.slices().flat_map(move |slice| self.after_captures_of(slice))
    }

    /// The slices that captures lead to from one of its slices. In the first phase of the vela the
    /// victor does not capture. The challenger takes one stone, which can end the phase.
    pub fn after_captures_of(self, slice: Slice) -> Vec<Slice> {
        let last = || slice.after_captures().last();
        match (slice.role, self.ends_at) {
            (Some(Role::Victor), _) => Vec::new(),
            (Some(Role::Challenger), Some(ends_at)) => {
                let role = |after: Slice| (after.own > ends_at).then_some(Role::Victor);
                last().map(|after| after.with_role(role(after))).into_iter().collect()
            }
            _ => slice.after_captures().collect(),
        }
    }

    /// Whether a capture can lead from one of its slices to this one.
    pub fn captures_into(self, after: Slice) -> bool {
        let can = |slice: &Slice| slice.own == after.opponent && slice.opponent > after.own;
        self.slices().filter(can).any(|slice| self.after_captures_of(slice).contains(&after))
    }
}

/// As in `3v2+2v3`, and `phase 1 of 6v2+2v6` in the vela.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.slices().map(|slice| slice.counts().to_string()).collect();
        let phase = if self.is_first_phase() { "phase 1 of " } else { "" };
        f.pad(&format!("{phase}{}", names.join("+")))
    }
}
