//! Names of rule sets: a preset's name, then each option that differs, as in
//! `standard+direction-strict`. What mixes presets is named by them, as in `forced-relay+free-capture`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::point::Side;
use crate::rules::{Capturing, DirectionRule, NoTurns, Relay, RuleSet};

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
         no-turns-draw, and with vela victor-white, victor-black, stones-N, must-capture and \
         capturing-mandatory"
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
        let is_vela = self.vela.is_some();
        let is_free = self.capturing == Capturing::Optional;
        let is_forced = self.relay == Relay::Mandatory;
        let mut text = String::new();
        let mut option = |is_there: bool, name: &str| {
            if is_there {
                text.push_str(if text.is_empty() { "" } else { "+" });
                text.push_str(name);
            }
        };
        option(is_vela, "vela");
        option(self.first_capture_single, "first-capture-single");
        option(is_forced, "forced-relay");
        option(is_free && !is_vela, "free-capture");
        option(!(is_vela || is_free || is_forced || self.first_capture_single), "standard");
        option(is_vela && !is_free, "capturing-mandatory");
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
        // Standard rules with the name of another preset are that preset.
        let is_plain = name == "standard";
        let mut given = vec![name];
        for part in parts {
            if let Some(first) = given.iter().find(|first| kind(first) == kind(part)) {
                let (first, second) = ((*first).to_owned(), part.to_owned());
                return Err(ParseRuleSetError::Twice { first, second });
            }
            given.push(part);
            let vela = rules.vela.as_mut().ok_or_else(|| ParseRuleSetError::NeedsVela(part.into()));
            match part {
                "first-capture-single" if !is_plain => rules.first_capture_single = true,
                "forced-relay" if !is_plain => rules.relay = Relay::Mandatory,
                "free-capture" if !is_plain && vela.is_err() => {
                    rules.capturing = Capturing::Optional;
                }
                "capturing-mandatory" => vela.map(|_| rules.capturing = Capturing::Mandatory)?,
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
