//! Values as answers have them, and how values of turns combine.

use std::cmp::{Ordering, Reverse};

use fanorona_core::Value;
use fanorona_proof::Bounds;
use fanorona_tablebase::TableValue;
use serde::Serialize;
use utoipa::ToSchema;

/// A value that may be unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum KnownValue {
    Win,
    Draw,
    Loss,
    Unknown,
}

/// A bound of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Bound {
    Win,
    Draw,
    Loss,
}

/// Where a value or a bound comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The rules: the game is over.
    Rules,
    /// Endgame tables.
    Table,
    /// A certificate.
    Book,
    /// Nothing is known.
    None,
}

/// What a value rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Rules or endgame tables.
    Exact,
    /// A certificate or a proof search.
    Proved,
    /// Nothing is known.
    Unknown,
}

impl From<Value> for Bound {
    fn from(value: Value) -> Self {
        match value {
            Value::Win => Self::Win,
            Value::Draw => Self::Draw,
            Value::Loss => Self::Loss,
        }
    }
}

impl From<Value> for KnownValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Win => Self::Win,
            Value::Draw => Self::Draw,
            Value::Loss => Self::Loss,
        }
    }
}

impl From<Option<Value>> for KnownValue {
    fn from(value: Option<Value>) -> Self {
        value.map_or(Self::Unknown, Self::from)
    }
}

/// What is known about the value of a position for the side to move, or of a turn for the side that
/// makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assessment {
    /// The bounds of the value.
    pub bounds: Bounds,
    /// The turns of both sides until the end, if that is known.
    pub dtw: Option<u16>,
    /// Where the bounds come from.
    pub source: Source,
}

impl Assessment {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { bounds: Bounds::UNKNOWN, dtw: None, source: Source::None };

    /// The value of a finished game.
    pub fn of_finished(value: Value) -> Self {
        let dtw = (value != Value::Draw).then_some(0);
        Self { bounds: Bounds::exact(value), dtw, source: Source::Rules }
    }

    /// A value from a table.
    pub fn of_table(found: TableValue) -> Self {
        Self { bounds: Bounds::exact(found.value), dtw: found.dtw, source: Source::Table }
    }

    /// Bounds from a certificate.
    pub fn of_book(bounds: Bounds) -> Self {
        let source = if bounds == Bounds::UNKNOWN { Source::None } else { Source::Book };
        Self { bounds, dtw: None, source }
    }

    /// The value, if it is known.
    pub fn value(&self) -> Option<Value> {
        self.bounds.value()
    }

    /// What the value rests on.
    pub fn basis(&self) -> Basis {
        match self.source {
            Source::Rules | Source::Table => Basis::Exact,
            Source::Book => Basis::Proved,
            Source::None => Basis::Unknown,
        }
    }

    /// The value of a turn for the side that makes it, if this is the value of the position after it
    /// for the side to move there.
    #[must_use]
    pub fn before_turn(self) -> Self {
        let Bounds { at_least, at_most } = self.bounds;
        Self {
            bounds: Bounds { at_least: -at_most, at_most: -at_least },
            dtw: self.dtw.map(|dtw| dtw.saturating_add(1)),
            source: self.source,
        }
    }

    /// Narrows the bounds by those of another assessment of the same position or turn. Bounds that
    /// contradict these are not taken.
    #[must_use]
    pub fn narrowed_by(self, other: Self) -> Self {
        let bounds = Bounds {
            at_least: self.bounds.at_least.max(other.bounds.at_least),
            at_most: self.bounds.at_most.min(other.bounds.at_most),
        };
        if bounds == self.bounds || bounds.at_least > bounds.at_most {
            let is_same = self.bounds == other.bounds && self.value().is_some();
            return Self { dtw: self.dtw.or(other.dtw.filter(|_| is_same)), ..self };
        }
        if bounds == other.bounds {
            return other;
        }
        Self { bounds, dtw: None, source: self.source.max(other.source).min(Source::Book) }
    }

    /// The order of turns in a list, best first: by the lower bound, then by the upper bound, then
    /// sooner wins and later losses. A turn without a distance comes after those with one.
    pub fn best_first(&self, other: &Self) -> Ordering {
        let key = |found: &Self| {
            let distance = match (found.value(), found.dtw) {
                (Some(Value::Win), Some(dtw)) => i32::from(dtw),
                (Some(Value::Loss), Some(dtw)) => -i32::from(dtw),
                _ => i32::MAX,
            };
            (Reverse(found.bounds.at_least), Reverse(found.bounds.at_most), distance)
        };
        key(self).cmp(&key(other))
    }

    /// The assessment of a choice between turns: of a position from all its turns, or of the first
    /// steps of a turn from all turns that begin with them. `None` if there are no turns.
    pub fn of_choice(turns: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut choice: Option<Choice> = None;
        for turn in turns {
            choice.get_or_insert_with(|| Choice::new(turn)).add(turn);
        }
        choice.map(Choice::finish)
    }
}

/// The turns of a choice, as far as they have been added.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    bounds: Bounds,
    /// The best source of the lower bound, and the weakest of all turns.
    sources: [Source; 2],
    shortest_win: Option<u16>,
    longest_loss: u16,
    /// Whether all won turns and all lost turns have distances.
    all_have_distances: bool,
}

impl Choice {
    /// A choice with one turn.
    pub fn new(turn: Assessment) -> Self {
        let mut choice = Self {
            bounds: turn.bounds,
            sources: [turn.source; 2],
            shortest_win: None,
            longest_loss: 0,
            all_have_distances: true,
        };
        choice.add(turn);
        choice
    }

    /// Adds a turn. A turn that is added twice counts once.
    pub fn add(&mut self, turn: Assessment) {
        let Bounds { at_least, at_most } = turn.bounds;
        self.sources[1] = self.sources[1].max(turn.source);
        match at_least.cmp(&self.bounds.at_least) {
            Ordering::Greater => self.sources[0] = turn.source,
            Ordering::Equal => self.sources[0] = self.sources[0].min(turn.source),
            Ordering::Less => {}
        }
        self.bounds.at_least = self.bounds.at_least.max(at_least);
        self.bounds.at_most = self.bounds.at_most.max(at_most);
        match (turn.value(), turn.dtw) {
            (Some(Value::Win), Some(dtw)) => {
                self.shortest_win = Some(self.shortest_win.map_or(dtw, |known| known.min(dtw)));
            }
            (Some(Value::Loss), Some(dtw)) => self.longest_loss = self.longest_loss.max(dtw),
            (Some(Value::Win | Value::Loss), None) => self.all_have_distances = false,
            (Some(Value::Draw) | None, _) => {}
        }
    }

    /// The assessment of the choice.
    pub fn finish(self) -> Assessment {
        let Self { bounds, sources: [of_best, of_all], .. } = self;
        let dtw = match bounds.value() {
            // No win is shorter than one turn.
            Some(Value::Win) => {
                self.shortest_win.filter(|dtw| self.all_have_distances || *dtw == 1)
            }
            Some(Value::Loss) => self.all_have_distances.then_some(self.longest_loss),
            Some(Value::Draw) | None => None,
        };
        let source = match bounds {
            Bounds::UNKNOWN => Source::None,
            Bounds { at_most: Value::Win, .. } => of_best,
            // The upper bound rests on all turns.
            _ => of_all,
        };
        Assessment { bounds, dtw, source }
    }
}

#[cfg(test)]
mod tests {
    use Value::{Draw, Loss, Win};

    use super::*;

    fn table(value: Value, dtw: Option<u16>) -> Assessment {
        Assessment::of_table(TableValue { value, dtw })
    }

    fn book(at_least: Value, at_most: Value) -> Assessment {
        Assessment::of_book(Bounds { at_least, at_most })
    }

    #[test]
    fn turns_are_listed_best_first() {
        let expected = [
            table(Win, Some(1)),
            table(Win, Some(5)),
            table(Win, None),
            book(Draw, Win),
            table(Draw, None),
            Assessment::UNKNOWN,
            book(Loss, Draw),
            table(Loss, Some(8)),
            table(Loss, Some(2)),
            table(Loss, None),
        ];
        for (i, first) in expected.iter().enumerate() {
            for second in &expected[i..] {
                let order = first.best_first(second);
                assert_eq!(order.is_lt(), first != second, "{first:?} {second:?}");
            }
        }
    }

    /// Against all pairs of values of the two turns that their bounds allow.
    #[test]
    fn a_choice_has_the_tightest_bounds() {
        let all = || {
            let pairs = Value::ALL.into_iter().flat_map(|a| Value::ALL.map(|b| (a, b)));
            pairs.filter(|(a, b)| a <= b)
        };
        for (first, second) in all().flat_map(|first| all().map(move |second| (first, second))) {
            let between = |(a, b)| Value::ALL.into_iter().filter(move |v| a <= *v && *v <= b);
            let results: Vec<_> =
                between(first).flat_map(|a| between(second).map(move |b| a.max(b))).collect();
            let choice = Assessment::of_choice([first, second].map(|(a, b)| book(a, b)));
            let bounds = choice.expect("it has turns").bounds;
            let (least, most) = (results.iter().min(), results.iter().max());
            assert_eq!((Some(&bounds.at_least), Some(&bounds.at_most)), (least, most));
        }
    }

    #[test]
    fn a_choice_has_a_distance_if_it_is_certain() {
        let dtw = |turns: &[Assessment]| {
            Assessment::of_choice(turns.iter().copied()).expect("it has turns").dtw
        };
        assert_eq!(dtw(&[table(Win, Some(5)), table(Win, Some(3)), table(Loss, Some(8))]), Some(3));
        assert_eq!(dtw(&[table(Win, Some(5)), table(Win, None)]), None);
        assert_eq!(dtw(&[table(Win, Some(1)), table(Win, None)]), Some(1));
        assert_eq!(dtw(&[table(Win, Some(5)), Assessment::UNKNOWN]), Some(5));
        assert_eq!(dtw(&[table(Loss, Some(4)), table(Loss, Some(2))]), Some(4));
        assert_eq!(dtw(&[table(Loss, Some(4)), table(Loss, None)]), None);
        assert_eq!(dtw(&[table(Draw, None), table(Loss, Some(2))]), None);
        assert_eq!(Assessment::of_choice([]), None);
    }

    #[test]
    fn a_choice_says_what_it_rests_on() {
        let source = |turns: &[Assessment]| {
            Assessment::of_choice(turns.iter().copied()).expect("it has turns").source
        };
        assert_eq!(source(&[table(Win, Some(1)), Assessment::UNKNOWN]), Source::Table);
        assert_eq!(source(&[book(Draw, Draw), table(Loss, Some(2))]), Source::Book);
        assert_eq!(source(&[table(Draw, None), book(Loss, Draw)]), Source::Book);
        assert_eq!(source(&[table(Draw, None), book(Draw, Win)]), Source::Table);
        assert_eq!(source(&[Assessment::UNKNOWN]), Source::None);
        assert_eq!(source(&[table(Loss, Some(2)), Assessment::UNKNOWN]), Source::None);
    }
}
