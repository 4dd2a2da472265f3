//! Names of rule sets: a preset's name, then each option that differs, as in
//! `standard+direction-strict`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::point::Side;
use crate::rules::{Capturing, DirectionRule, NoTurns, Relay, RuleSet, Vela};

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
         no-turns-draw, capturing-mandatory, capturing-optional, relay-mandatory, \
         first-capture-single, and with vela victor-white, victor-black, stones-N and must-capture"
    )]
    Option(String),
    #[error("'{first}' and '{second}' are options of one kind: give one of them")]
    Twice { first: String, second: String },
    #[error("the option '{0}' can only be used with vela")]
    NeedsVela(String),
}

const PRESETS: [(&str, RuleSet); 5] = [
    ("standard", RuleSet::STANDARD),
    ("first-capture-single", RuleSet::FIRST_CAPTURE_SINGLE),
    ("forced-relay", RuleSet::FORCED_RELAY),
    ("free-capture", RuleSet::FREE_CAPTURE),
    ("vela", RuleSet::VELA),
];

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The fields that the presets set. The other fields are options of any preset.
        let core = Self {
            direction: DirectionRule::NotTwiceRunning,
            no_turns: NoTurns::Loss,
            vela: self.vela.map(|_| Vela::PRINTED),
            ..*self
        };
        let nearest = if self.vela.is_some() { Self::VELA } else { Self::STANDARD };
        let named = |rules| PRESETS.into_iter().find(|(_, preset)| *preset == rules);
        let (name, preset) =
            named(core).or_else(|| named(nearest)).expect("standard and vela are presets");

        let mut text = name.to_owned();
        let mut option = |differs: bool, name: &str| {
            if differs {
                text.push('+');
                text.push_str(name);
            }
        };
        option(
            self.capturing != preset.capturing,
            match self.capturing {
                Capturing::Mandatory => "capturing-mandatory",
                Capturing::Optional => "capturing-optional",
            },
        );
        option(self.relay != preset.relay, "relay-mandatory");
        option(self.first_capture_single != preset.first_capture_single, "first-capture-single");
        option(self.direction == DirectionRule::Strict, "direction-strict");
        option(self.direction == DirectionRule::Free, "direction-free");
        option(self.no_turns == NoTurns::Draw, "no-turns-draw");
        if let Some(vela) = self.vela {
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
        let mut rules = PRESETS
            .into_iter()
            .find(|(preset, _)| *preset == name)
            .map(|(_, rules)| rules)
            .ok_or_else(|| ParseRuleSetError::Preset(name.to_owned()))?;
        let mut given: Vec<&str> = Vec::new();
        for part in parts {
            if let Some(first) = given.iter().find(|first| kind(first) == kind(part)) {
                let (first, second) = ((*first).to_owned(), part.to_owned());
                return Err(ParseRuleSetError::Twice { first, second });
            }
            given.push(part);
            let vela = rules.vela.as_mut().ok_or_else(|| ParseRuleSetError::NeedsVela(part.into()));
            match part {
                "capturing-mandatory" => rules.capturing = Capturing::Mandatory,
                "capturing-optional" => rules.capturing = Capturing::Optional,
                "relay-mandatory" => rules.relay = Relay::Mandatory,
                "first-capture-single" => rules.first_capture_single = true,
                "direction-strict" => rules.direction = DirectionRule::Strict,
                "direction-free" => rules.direction = DirectionRule::Free,
                "no-turns-draw" => rules.no_turns = NoTurns::Draw,
                "victor-white" => vela?.victor = Side::White,
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
