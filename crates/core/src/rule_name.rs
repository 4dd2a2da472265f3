//! Names of rule sets: a preset's name, then each option that differs, as in
//! `standard+direction-strict`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::point::Side;
use crate::rules::{DirectionRule, NoTurns, Preset, RuleSet};

/// The error of a text that does not name a rule set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ParseRuleSetError {
    #[error(
        "'{0}' is not a rule set: the presets are standard, first-capture-single, forced-relay, \
         free-capture and vela"
    )]
    Preset(String),
    #[error(
        "'{0}' is not an option of a rule set: they are direction-strict, direction-free, \
         no-turns-draw, and with vela victor-black, stones-N and must-capture"
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

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.preset.name().to_owned();
        let mut option = |differs: bool, name: &str| {
            if differs {
                text.push('+');
                text.push_str(name);
            }
        };
        option(self.direction == DirectionRule::Strict, "direction-strict");
        option(self.direction == DirectionRule::Free, "direction-free");
        option(self.no_turns == NoTurns::Draw, "no-turns-draw");
        if let Some(vela) = self.vela() {
            option(vela.victor == Side::Black, "victor-black");
            option(vela.stones.is_some(), &format!("stones-{}", vela.stones.unwrap_or_default()));
            option(vela.must_capture, "must-capture");
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
            let vela = match &mut rules.preset {
                Preset::Vela(vela) => Ok(vela),
                _ => Err(ParseRuleSetError::NeedsVela(part.into())),
            };
            match part {
                "direction-strict" => rules.direction = DirectionRule::Strict,
                "direction-free" => rules.direction = DirectionRule::Free,
                "no-turns-draw" => rules.no_turns = NoTurns::Draw,
                "victor-black" => vela?.victor = Side::Black,
                "must-capture" => vela?.must_capture = true,
                _ => {
                    let stones = part
                        .strip_prefix("stones-")
                        .and_then(|digits| digits.parse().ok())
                        .ok_or_else(|| ParseRuleSetError::Option(part.to_owned()))?;
                    vela?.stones = Some(stones);
                }
            }
        }
        Ok(rules)
    }
}
