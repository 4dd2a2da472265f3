//! Values of positions in tables.

use std::cmp::Ordering;

use fanorona_core::{Value, named};
use serde::{Deserialize, Serialize};

/// The kind of values in a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Win, draw or loss.
    Wdl,
    /// Win, draw or loss, and the distance to win: the turns of both sides until the game is
    /// decided.
    Dtw,
}

named!(Metric, "metric", Wdl "wdl", Dtw "dtw");

/// All that differs between metrics, but for how tables are built.
impl Metric {
    /// Whether values have distances.
    #[inline]
    pub const fn has_distances(self) -> bool {
        match self {
            Self::Wdl => false,
            Self::Dtw => true,
        }
    }

    /// Both, in the order in which tables are preferred for what they tell.
    pub(crate) const WITH_DISTANCES_FIRST: [Self; 2] = [Self::Dtw, Self::Wdl];

    /// The metrics whose tables have values of this one, its own first.
    #[inline]
    pub(crate) const fn held_by(self) -> &'static [Self] {
        match self {
            Self::Wdl => &[Self::Wdl, Self::Dtw],
            Self::Dtw => &[Self::Dtw],
        }
    }
}

/// The value of a position for the side to move, as probing returns it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct TableValue {
    /// Win, draw or loss.
    pub value: Value,
    /// Distance to win: the turns of both sides until the game is over, if both play their best. `None`
    /// for draws and for values from `wdl` tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtw: Option<u16>,
}

impl TableValue {
    /// The order of turns, best first: wins, draws, losses; sooner wins and later losses first.
    ///
    /// Where the distance is not known, a win comes after all wins of known distance, because it may
    /// be later than any of them. A loss counts as one in 4, and comes before a known loss in 4,
    /// because it may be later: a loss in 2 is hardly ever without its distance, as the opponent
    /// takes the last stone at once. So a loss in 2, which is as bad as a turn can be, is the last.
    ///
    /// ```
    /// use fanorona_core::Value::Loss;
    /// use fanorona_tablebase::TableValue;
    /// let [in_2, unknown, in_6] =
    ///     [Some(2), None, Some(6)].map(|dtw| TableValue { value: Loss, dtw });
    /// let mut turns = [in_2, unknown, in_6];
    /// turns.sort_by(TableValue::best_first);
    /// assert_eq!(turns, [in_6, unknown, in_2]);
    /// ```
    pub fn best_first(&self, other: &Self) -> Ordering {
        let length = |found: &Self| match (found.value, found.dtw) {
            (Value::Win, Some(turns)) => i32::from(turns),
            (Value::Win, None) => i32::MAX,
            (Value::Draw, _) => 0,
            // Between the losses in 4 and 6.
            (Value::Loss, None) => -5,
            (Value::Loss, Some(turns)) => -i32::from(turns),
        };
        other.value.cmp(&self.value).then_with(|| length(self).cmp(&length(other)))
    }

    /// The value of a turn for its side, if this is the value of the position after it.
    #[must_use]
    pub fn before_turn(self) -> Self {
        Self { value: -self.value, dtw: self.dtw.map(|turns| turns.saturating_add(1)) }
    }
}

/// A value and its distance as one number, as in files.
///
/// 0 is a draw, and `n + 1` a game decided in `n` turns of both sides: lost if `n` is even, won if
/// it is odd. Under [`Metric::Wdl`] every loss is a loss in 0 and every win is a win in 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Code(pub u16);

impl Code {
    /// A draw.
    pub const DRAW: Self = Self(0);
    /// A loss in 0 turns; under `wdl` any loss.
    pub const LOSS: Self = Self(1);
    /// A win in 1 turn; under `wdl` any win.
    pub const WIN: Self = Self(2);
    /// No value: not known yet, or not stored.
    pub const NONE: Self = Self(u16::MAX);

    /// The longest distance that a table may have, in turns. A search of captures adds one turn per
    /// capture, fewer than 63 in all, so codes still fit in 16 bits.
    pub const MAX_DISTANCE: u16 = 65_000;

    /// A value without a distance, from bits for wins and losses.
    #[inline(always)]
    pub fn of_bits(is_win: bool, is_loss: bool) -> Self {
        Self(u16::from(is_loss) | u16::from(is_win) << 1)
    }

    /// The value of a finished game.
    #[inline]
    pub fn finished(value: Value) -> Self {
        match value {
            Value::Loss => Self::LOSS,
            Value::Draw => Self::DRAW,
            Value::Win => Self::WIN,
        }
    }

    /// Win, draw or loss.
    #[inline]
    pub fn value(self) -> Value {
        match self.0 {
            0 => Value::Draw,
            odd if odd % 2 == 1 => Value::Loss,
            _ => Value::Win,
        }
    }

    /// The turns until the end of the game; `None` for a draw.
    #[inline]
    pub fn distance(self) -> Option<u16> {
        self.0.checked_sub(1)
    }

    /// The value of a turn for its side, if this is the value of the position after it.
    #[inline]
    #[must_use]
    pub fn before_turn(self, metric: Metric) -> Self {
        if self == Self::DRAW { self } else { Self(self.0 + 1).under(metric) }
    }

    /// The value without its distance.
    #[inline]
    #[must_use]
    pub fn as_wdl(self) -> Self {
        Self::finished(self.value())
    }

    /// The value under a metric, of a table of that metric or of another that has its values.
    #[inline]
    #[must_use]
    pub fn under(self, metric: Metric) -> Self {
        if metric.has_distances() { self } else { self.as_wdl() }
    }

    /// A number that is larger for a better value: sooner wins, then draws, then later losses.
    #[inline]
    pub fn preference(self) -> i32 {
        match self.value() {
            Value::Win => i32::from(u16::MAX) - i32::from(self.0),
            Value::Draw => 0,
            Value::Loss => i32::from(self.0) - i32::from(u16::MAX),
        }
    }

    /// The better of two values for the side to move.
    #[inline]
    #[must_use]
    pub fn better(self, other: Self) -> Self {
        if self.preference() < other.preference() { other } else { self }
    }

    /// The value as probing returns it.
    pub fn to_table_value(self, metric: Metric) -> TableValue {
        let dtw = self.distance().filter(|_| metric.has_distances());
        TableValue { value: self.value(), dtw }
    }
}
