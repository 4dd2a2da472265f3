//! The value of a position or a turn as far as it is known, and the order of turns.

use std::cmp::Ordering;
use std::fmt;

use fanorona_core::Value;
use fanorona_proof::Bounds;
use fanorona_tablebase::TableValue;
use serde::{Serialize, Serializer};

/// Where a value or a bound comes from, the surest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Source {
    /// The rules: the game is over.
    Rules,
    /// Endgame tables.
    Table,
    /// A certificate.
    Proof,
    /// A search that proved it.
    Search,
    /// The evaluation of an engine, which proves nothing.
    Estimate,
}

impl Source {
    /// All sources, the surest first.
    pub const ALL: [Self; 5] =
        [Self::Rules, Self::Table, Self::Proof, Self::Search, Self::Estimate];

    /// The word for it, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Table => "table",
            Self::Proof => "proof",
            Self::Search => "search",
            Self::Estimate => "estimate",
        }
    }
}

/// The knowledge about the value of a position for the side to move, or of a turn for the side that
/// makes it.
///
/// Its JSON form has these words:
///
/// | word | is |
/// |---|---|
/// | `value` | `win`, `draw`, `loss` for the side to move (of a turn: for its mover), or `unknown` |
/// | `at_least`, `at_most` | proved bounds, for the same side; left out where the value is known |
/// | `dtw` | turns of both sides until the game is over; left out where that is not known |
/// | `source` | `rules`, `table`, `proof`, `search` or `estimate`; left out where nothing is known |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assessment {
    /// The bounds of the value.
    pub bounds: Bounds,
    /// The turns of both sides until the end, if that is known.
    pub dtw: Option<u16>,
    /// Where the bounds come from. `None` if nothing is known.
    pub source: Option<Source>,
}

/// The assessment of a position or a turn.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Assessment))]
pub(crate) struct Fields {
    /// The value for the side to move (of a turn: that makes it).
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::KnownValue))]
    value: &'static str,
    /// For the side to move (of a turn: that makes it), the value is this or better. Left out if the
    /// value is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<crate::schema::Bound>, nullable = false))]
    at_least: Option<Value>,
    /// For the side to move (of a turn: that makes it), the value is this or worse. Left out if the
    /// value is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<crate::schema::Bound>, nullable = false))]
    at_most: Option<Value>,
    /// The turns of both sides until the game is over; of a turn, this one included. Left out if
    /// that is not known, and for draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    dtw: Option<u16>,
    /// Where the value or the bounds come from. Left out if nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    source: Option<Source>,
}

impl Serialize for Assessment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { bounds, dtw, source } = *self;
        let value = match bounds.value() {
            Some(Value::Win) => "win",
            Some(Value::Draw) => "draw",
            Some(Value::Loss) => "loss",
            None => "unknown",
        };
        let bound = |bound| Some(bound).filter(|_| bounds.value().is_none());
        let (at_least, at_most) = (bound(bounds.at_least), bound(bounds.at_most));
        Fields { value, at_least, at_most, dtw, source }.serialize(serializer)
    }
}

#[cfg(feature = "schema")]
crate::schema::as_its_fields!(Assessment, Fields);

impl fmt::Display for Assessment {
    /// As in `win in 5 turns`, `draw`, `at least a draw` or `unknown`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Value::{Draw, Loss, Win};
        match (self.value(), self.dtw, self.bounds.at_least, self.bounds.at_most) {
            (Some(value), None, ..) => f.pad(&value.to_string()),
            (Some(value), Some(0), ..) => f.pad(&format!("{value}, the game is over")),
            (Some(value), Some(1), ..) => f.pad(&format!("{value} in 1 turn")),
            (Some(value), Some(turns), ..) => f.pad(&format!("{value} in {turns} turns")),
            (None, _, Draw, Win) => f.pad("at least a draw"),
            (None, _, Loss, Draw) => f.pad("at most a draw"),
            (None, ..) => f.pad("unknown"),
        }
    }
}

impl Assessment {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { bounds: Bounds::UNKNOWN, dtw: None, source: None };

    /// Bounds from a source; nothing if the bounds say nothing.
    pub fn new(bounds: Bounds, source: Source) -> Self {
        let source = (bounds != Bounds::UNKNOWN).then_some(source);
        Self { bounds, dtw: None, source }
    }

    /// A known value with its distance, if there is one.
    pub fn exact(TableValue { value, dtw }: TableValue, source: Source) -> Self {
        Self { bounds: Bounds::exact(value), dtw, source: Some(source) }
    }

    /// The value of a finished game for the side to move.
    pub fn of_finished(value: Value) -> Self {
        let dtw = (value != Value::Draw).then_some(0);
        Self::exact(TableValue { value, dtw }, Source::Rules)
    }

    /// The value, if it is known.
    pub fn value(&self) -> Option<Value> {
        self.bounds.value()
    }

    /// The value with its distance, if the value is known.
    pub fn table_value(&self) -> Option<TableValue> {
        self.value().map(|value| TableValue { value, dtw: self.dtw })
    }

    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        self.bounds != Bounds::UNKNOWN
    }

    /// Whether the position is won or lost, and in how many turns is not known.
    pub(crate) fn lacks_distance(&self) -> bool {
        self.dtw.is_none() && matches!(self.value(), Some(Value::Win | Value::Loss))
    }

    /// The assessment of a turn for the side that makes it, if this is that of the position after
    /// it for the side to move there.
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
        let bounds = self.bounds.intersection(other.bounds);
        if bounds == self.bounds || bounds.at_least > bounds.at_most {
            let is_same = self.bounds == other.bounds && self.value().is_some();
            return Self { dtw: self.dtw.or(other.dtw.filter(|_| is_same)), ..self };
        }
        if bounds == other.bounds {
            return other;
        }
        // Both have a part in it, so it is as sure as the weaker one.
        Self { bounds, dtw: None, source: self.source.max(other.source) }
    }

    /// The order of turns, best first: by the lower bound, then by the upper bound, then as
    /// [`TableValue::best_first`] compares distances.
    ///
    /// So an unknown turn stands between those that are known to draw and those that are known to
    /// draw at most: choosing it risks a loss, and may win. No turn that may be better stands
    /// behind one that is known to be as bad as a turn can be.
    pub fn best_first(&self, other: &Self) -> Ordering {
        let bounds = |found: &Self| (found.bounds.at_least, found.bounds.at_most);
        bounds(other).cmp(&bounds(self)).then_with(|| {
            match (self.table_value(), other.table_value()) {
                (Some(one), Some(other)) => one.best_first(&other),
                _ => Ordering::Equal,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use Value::{Draw, Loss, Win};

    use super::*;

    fn table(value: Value, dtw: Option<u16>) -> Assessment {
        Assessment::exact(TableValue { value, dtw }, Source::Table)
    }

    fn proof(at_least: Value, at_most: Value) -> Assessment {
        Assessment::new(Bounds { at_least, at_most }, Source::Proof)
    }

    #[test]
    fn turns_are_listed_best_first() {
        let expected = [
            table(Win, Some(1)),
            table(Win, Some(5)),
            table(Win, None),
            proof(Draw, Win),
            table(Draw, None),
            Assessment::UNKNOWN,
            proof(Loss, Draw),
            table(Loss, Some(8)),
            table(Loss, None),
            table(Loss, Some(4)),
            table(Loss, Some(2)),
        ];
        for (i, first) in expected.iter().enumerate() {
            for second in &expected[i..] {
                let order = first.best_first(second);
                assert_eq!(order.is_lt(), first != second, "{first:?} {second:?}");
            }
        }
    }

    #[test]
    fn assessments_are_said_in_words_and_in_json() {
        let cases = [
            (table(Win, Some(1)), "win in 1 turn", r#"{"value":"win","dtw":1,"source":"table"}"#),
            (
                table(Loss, Some(4)),
                "loss in 4 turns",
                r#"{"value":"loss","dtw":4,"source":"table"}"#,
            ),
            (table(Draw, None), "draw", r#"{"value":"draw","source":"table"}"#),
            (
                Assessment::of_finished(Loss),
                "loss, the game is over",
                r#"{"value":"loss","dtw":0,"source":"rules"}"#,
            ),
            (
                proof(Draw, Win),
                "at least a draw",
                r#"{"value":"unknown","at_least":"draw","at_most":"win","source":"proof"}"#,
            ),
            (
                proof(Loss, Draw),
                "at most a draw",
                r#"{"value":"unknown","at_least":"loss","at_most":"draw","source":"proof"}"#,
            ),
            (
                Assessment::UNKNOWN,
                "unknown",
                r#"{"value":"unknown","at_least":"loss","at_most":"win"}"#,
            ),
        ];
        for (found, words, json) in cases {
            assert_eq!(found.to_string(), words);
            assert_eq!(serde_json::to_string(&found).expect("JSON"), json);
        }
    }

    #[test]
    fn bounds_are_narrowed_by_what_agrees() {
        let draw = proof(Draw, Win).narrowed_by(proof(Loss, Draw));
        assert_eq!((draw.value(), draw.source), (Some(Draw), Some(Source::Proof)));
        // A distance comes along if the values are the same.
        let found = table(Win, None).narrowed_by(table(Win, Some(5)));
        assert_eq!(found.dtw, Some(5));
        // A contradiction changes nothing.
        assert_eq!(table(Win, None).narrowed_by(proof(Loss, Draw)), table(Win, None));
        assert_eq!(Assessment::UNKNOWN.narrowed_by(table(Loss, Some(2))), table(Loss, Some(2)));
    }

    /// A narrowed assessment follows from both, and is no surer than those that it follows from.
    #[test]
    fn what_is_learnt_has_its_source() {
        let bounds =
            [(Win, Win), (Draw, Win), (Draw, Draw), (Loss, Draw), (Loss, Loss), (Loss, Win)];
        let all = Source::ALL.into_iter().flat_map(|source| {
            bounds.into_iter().flat_map(move |(at_least, at_most)| {
                let found = Assessment::new(Bounds { at_least, at_most }, source);
                let dtws =
                    if found.lacks_distance() { &[None, Some(3), Some(4)][..] } else { &[None] };
                dtws.iter().map(move |dtw| Assessment { dtw: *dtw, ..found })
            })
        });
        for (one, other) in all.clone().flat_map(|one| all.clone().map(move |other| (one, other))) {
            let (found, both) = (one.narrowed_by(other), one.bounds.intersection(other.bounds));
            if both.at_least > both.at_most {
                assert_eq!(found, one);
                continue;
            }
            assert_eq!(found.bounds, both);
            let enough: Vec<_> = [one, other].into_iter().filter(|of| of.bounds == both).collect();
            let is_known = |dtw| enough.iter().any(|of| of.dtw == dtw);
            assert!(is_known(found.dtw) || enough.is_empty() && found.dtw.is_none());
            assert!(found.dtw.is_some() || !is_known(Some(3)), "{one:?} {other:?}");
            let is_source = enough.iter().any(|of| of.source == found.source);
            assert!(is_source || enough.is_empty() && found.source == one.source.max(other.source));
        }
    }
}
