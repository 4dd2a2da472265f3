//! A value or its bounds, as `analyze` and `check` print them.

use std::fmt;

use fanorona_core::Value;
use fanorona_proof::Bounds;
use serde::Serialize;

use crate::output::AsText;

/// A value that may be unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KnownValue(Option<Value>);

impl fmt::Display for KnownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(value) => value.fmt(f),
            None => f.pad("unknown"),
        }
    }
}

/// Bounds of a value.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct BoundsReport {
    value: AsText<KnownValue>,
    at_least: AsText<Value>,
    at_most: AsText<Value>,
}

impl From<Bounds> for BoundsReport {
    fn from(bounds: Bounds) -> Self {
        Self {
            value: AsText(KnownValue(bounds.value())),
            at_least: AsText(bounds.at_least),
            at_most: AsText(bounds.at_most),
        }
    }
}

impl BoundsReport {
    /// The value, if it is known.
    pub(super) fn value(self) -> Option<Value> {
        self.value.0.0
    }

    /// The value or, if it is unknown, the bound that is known.
    pub(super) fn in_words(self) -> String {
        match (self.value.0.0, self.at_least.0, self.at_most.0) {
            (Some(value), ..) => value.to_string(),
            (None, Value::Loss, Value::Win) => "unknown".to_owned(),
            (None, Value::Loss, at_most) => format!("at most a {at_most}"),
            (None, at_least, _) => format!("at least a {at_least}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_said_in_words() {
        use Value::{Draw, Loss, Win};
        let cases = [
            (Loss, Win, "unknown"),
            (Draw, Win, "at least a draw"),
            (Loss, Draw, "at most a draw"),
            (Draw, Draw, "draw"),
            (Win, Win, "win"),
            (Loss, Loss, "loss"),
        ];
        for (at_least, at_most, expected) in cases {
            assert_eq!(BoundsReport::from(Bounds { at_least, at_most }).in_words(), expected);
        }
    }
}
