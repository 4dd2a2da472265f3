//! Names of rule sets: a preset's name, then each option that differs, as in
//! `standard+direction-strict`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::point::Side;
use crate::rules::{DirectionRule, NoTurns, Preset, RuleSet, Vela};

/// The error of a text that does not name a rule set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ParseRuleSetError {
    #[error(
        "'{0}' is not a rule set: the presets are {names}",
        names = RuleSet::PRESETS.map(|rules| rules.preset.name()).join(", ")
    )]
    Preset(String),
    #[error(
        "'{0}' is not an option of a rule set: they are {names}",
        names = RuleSet::VELA.options().join(", ")
    )]
    Option(String),
    #[error("'{first}' and '{second}' are options of one kind: give one of them")]
    Twice { first: String, second: String },
    #[error("the option '{0}' can only be used with vela")]
    NeedsVela(String),
}

impl Preset {
    fn name(&self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::FirstCaptureSingle => "first-capture-single",
            Self::ForcedRelay => "forced-relay",
            Self::FreeCapture => "free-capture",
            Self::Vela(_) => "vela",
        }
    }
}

/// Adds an option to rules, with a number for its `N`. `None` if it needs the vela.
type Add = fn(RuleSet, u8) -> Option<RuleSet>;

/// The options, in the order of names.
const OPTIONS: [(&str, Add); 6] = [
    ("direction-strict", |rules, _| Some(RuleSet { direction: DirectionRule::Strict, ..rules })),
    ("direction-free", |rules, _| Some(RuleSet { direction: DirectionRule::Free, ..rules })),
    ("no-turns-draw", |rules, _| Some(RuleSet { no_turns: NoTurns::Draw, ..rules })),
    ("victor-black", |rules, _| rules.with_vela(|vela| Vela { victor: Side::Black, ..vela })),
    ("stones-N", |rules, n| rules.with_vela(|vela| Vela { stones: Some(n), ..vela })),
    ("must-capture", |rules, _| rules.with_vela(|vela| Vela { must_capture: true, ..vela })),
];

impl RuleSet {
    /// The options that can be added to the name, in their order. `N` stands for a number up to 255.
    ///
    /// ```
    /// use fanorona_core::RuleSet;
    /// let options = ["direction-strict", "direction-free", "no-turns-draw"];
    /// assert_eq!(RuleSet::STANDARD.options(), options);
    /// assert_eq!(RuleSet::VELA.options()[3..], ["victor-black", "stones-N", "must-capture"]);
    /// ```
    pub fn options(&self) -> Vec<&'static str> {
        let fits = |(name, add): (_, Add)| add(*self, 0).map(|_| name);
        OPTIONS.into_iter().filter_map(fits).collect()
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.preset.name().to_owned();
        let stones = self.vela().and_then(|vela| vela.stones).unwrap_or_default();
        for (option, add) in OPTIONS {
            if add(*self, stones) == Some(*self) {
                text.push('+');
                text.push_str(&option.replace('N', &stones.to_string()));
            }
        }
        f.pad(&text)
    }
}

/// An option's name without the last word, as in `direction` for `direction-strict`. Options of one
/// kind exclude each other.
fn kind(option: &str) -> &str {
    option.rsplit_once('-').map_or(option, |(kind, _)| kind)
}

impl FromStr for RuleSet {
    type Err = ParseRuleSetError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('+');
        let name = parts.next().unwrap_or_default();
        let mut rules = Self::PRESETS
            .into_iter()
            .find(|rules| rules.preset.name() == name)
            .ok_or_else(|| ParseRuleSetError::Preset(name.to_owned()))?;
        let mut given: Vec<&str> = Vec::new();
        for part in parts {
            if let Some(first) = given.iter().find(|first| kind(first) == kind(part)) {
                let (first, second) = ((*first).to_owned(), part.to_owned());
                return Err(ParseRuleSetError::Twice { first, second });
            }
            given.push(part);
            let (add, number) = OPTIONS
                .into_iter()
                .find_map(|(option, add)| match option.strip_suffix('N') {
                    Some(start) => Some((add, part.strip_prefix(start)?.parse().ok()?)),
                    None => (option == part).then_some((add, 0)),
                })
                .ok_or_else(|| ParseRuleSetError::Option(part.to_owned()))?;
            rules = add(rules, number).ok_or_else(|| ParseRuleSetError::NeedsVela(part.into()))?;
        }
        Ok(rules)
    }
}
