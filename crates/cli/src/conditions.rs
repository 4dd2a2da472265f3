//! Conditions on positions of tables, as in `value=win` or `dtw>=20`.

use std::cmp::Ordering;
use std::str::FromStr;

use clap::Args;
use fanorona_core::{RuleSet, Value};
use fanorona_tablebase::{Listed, Listing};

use crate::failure::Failure;

/// The positions that a command takes.
#[derive(Debug, Args)]
pub(crate) struct ConditionOptions {
    /// Only positions that satisfy conditions on value, dtw and capture, as in value=win,dtw>=20
    #[arg(long = "where", value_name = "CONDITIONS", value_delimiter = ',')]
    conditions: Vec<Condition>,
}

impl ConditionOptions {
    pub(crate) fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Checks that the tables have what is compared.
    pub(crate) fn check(&self, listings: &[Listing<'_>]) -> anyhow::Result<()> {
        let asks_length =
            self.conditions.iter().any(|condition| matches!(condition.test, Test::Dtw(_)));
        let has_none = |listing: &&Listing<'_>| !listing.table().metadata().metric.has_distances();
        match listings.iter().find(has_none) {
            Some(listing) if asks_length => {
                let slice = listing.slice();
                Err(Failure::input(format!(
                    "--where dtw needs tables with distances, and that of {slice} has none; build it \
                     with --metric dtw"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Whether a position satisfies all conditions.
    pub(crate) fn hold(&self, rules: &RuleSet, listed: &Listed) -> bool {
        self.conditions.iter().all(|condition| condition.holds(rules, listed))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Condition {
    comparison: Comparison,
    test: Test,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Texts, those that begin with another one first.
const COMPARISONS: [(&str, Comparison); 6] = [
    ("!=", Comparison::Unequal),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

/// A column, and what it is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Test {
    Value(Value),
    Capture(bool),
    Dtw(u16),
}

impl Comparison {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::Unequal => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::AtMost => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::AtLeast => ordering.is_ge(),
        }
    }
}

impl Condition {
    fn holds(self, rules: &RuleSet, listed: &Listed) -> bool {
        let is =
            |same: bool| self.comparison.holds(if same { Ordering::Equal } else { Ordering::Less });
        match self.test {
            Test::Value(value) => is(listed.value.value == value),
            Test::Capture(wanted) => is(rules.has_capture(&listed.position) == wanted),
            // A draw has no distance, which is not equal, less or greater.
            Test::Dtw(wanted) => {
                listed.value.dtw.is_some_and(|dtw| self.comparison.holds(dtw.cmp(&wanted)))
            }
        }
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let at = text.find(['=', '!', '<', '>']);
        let parts = at.and_then(|at| {
            let (column, rest) = text.split_at(at);
            let found = COMPARISONS.iter().find(|(sign, _)| rest.starts_with(sign));
            found.map(|(sign, comparison)| (column.trim(), *comparison, rest[sign.len()..].trim()))
        });
        let Some((column, comparison, wanted)) = parts else {
            return Err(
                "write a column, a comparison and a value, as in value=win or dtw>=20".to_owned()
            );
        };
        let test =
            match column {
                "value" => match wanted {
                    "win" => Test::Value(Value::Win),
                    "draw" => Test::Value(Value::Draw),
                    "loss" => Test::Value(Value::Loss),
                    _ => return Err(format!("'{wanted}' is not a value: win, draw or loss")),
                },
                "capture" => match wanted {
                    "yes" => Test::Capture(true),
                    "no" => Test::Capture(false),
                    _ => return Err(format!("'{wanted}' is not an answer: yes or no")),
                },
                "dtw" => Test::Dtw(wanted.parse().map_err(|_| {
                    format!("'{wanted}' is not a whole number from 0 to {}", u16::MAX)
                })?),
                _ => return Err(format!("'{column}' is not a column: value, dtw or capture")),
            };
        let is_number = matches!(test, Test::Dtw(_));
        if !is_number && !matches!(comparison, Comparison::Equal | Comparison::Unequal) {
            return Err(format!("{column} is compared with = or !="));
        }
        Ok(Self { comparison, test })
    }
}
