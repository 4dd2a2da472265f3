//! Draws that are settings of a game.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// When a game is drawn although the rule set knows no draw there. These are settings of a game,
/// not of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct DrawRules {
    /// The game is drawn when a position occurs for the third time with the same side to move.
    #[serde(default)]
    pub repetition: bool,
    /// The game is drawn after this number of turns of both sides without a capture, if one is
    /// given.
    #[serde(default)]
    pub without_capture: Option<u32>,
}

/// A text that names no draw rules.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "'{0}' names no draw rules; write none, threefold, without-capture-N with a number from 1, or \
     threefold+without-capture-N"
)]
pub struct DrawRulesError(String);

impl DrawRules {
    /// Neither repetition nor turns without a capture end a game.
    pub const NONE: Self = Self { repetition: false, without_capture: None };

    /// These rules, and a draw after this number of turns of both sides without a capture.
    #[must_use]
    pub fn without_capture(self, turns: u32) -> Self {
        Self { without_capture: Some(turns), ..self }
    }
}

impl Default for DrawRules {
    /// Threefold repetition alone.
    fn default() -> Self {
        Self { repetition: true, without_capture: None }
    }
}

/// `none`, `threefold`, `without-capture-50` or `threefold+without-capture-50`.
///
/// ```
/// use fanorona_engine::DrawRules;
/// let draws: DrawRules = "threefold+without-capture-50".parse()?;
/// assert_eq!(draws, DrawRules::default().without_capture(50));
/// assert_eq!(DrawRules::NONE.without_capture(50).to_string(), "without-capture-50");
/// # Ok::<(), fanorona_engine::DrawRulesError>(())
/// ```
impl fmt::Display for DrawRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.repetition, self.without_capture) {
            (false, None) => f.pad("none"),
            (true, None) => f.pad("threefold"),
            (false, Some(turns)) => f.pad(&format!("without-capture-{turns}")),
            (true, Some(turns)) => f.pad(&format!("threefold+without-capture-{turns}")),
        }
    }
}

impl FromStr for DrawRules {
    type Err = DrawRulesError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || DrawRulesError(text.chars().take(100).collect());
        if text == "none" {
            return Ok(Self::NONE);
        }
        let mut rules = Self::NONE;
        for part in text.split('+') {
            if part == "threefold" && !rules.repetition {
                rules.repetition = true;
            } else if let Some(turns) = part.strip_prefix("without-capture-")
                && rules.without_capture.is_none()
            {
                let turns = turns.parse().ok().filter(|turns| *turns > 0);
                rules.without_capture = Some(turns.ok_or_else(error)?);
            } else {
                return Err(error());
            }
        }
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draw_rules_are_read_as_they_are_written() {
        for repetition in [false, true] {
            for without_capture in [None, Some(1), Some(50), Some(u32::MAX)] {
                let rules = DrawRules { repetition, without_capture };
                assert_eq!(rules.to_string().parse(), Ok(rules));
            }
        }
        for wrong in [
            "",
            "none+threefold",
            "threefold+threefold",
            "fifty",
            "without-capture-",
            "without-capture-0",
            "without-capture-4294967296",
            "without-capture-1+without-capture-1",
            "+",
        ] {
            assert!(wrong.parse::<DrawRules>().is_err(), "{wrong}");
        }
    }
}
