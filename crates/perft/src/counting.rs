//! The ways of counting.

use std::fmt;
use std::str::FromStr;

use fanorona_core::error_kinds;
use thiserror::Error;

/// A way of counting: what perft counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Counting {
    /// Sequences of complete turns. Two turns that differ in a step, or in approach or withdrawal,
    /// are two, even if the same position results. A finished game has none.
    Turns,
    /// As `Turns`, but the turns of one node that lead to the same position count once.
    Positions,
    /// Sequences of single steps: a paika or a capturing step is one ply, and so is stopping a
    /// relay that could continue. A relay that cannot continue ends by itself.
    Steps,
    /// Distinct positions after exactly this number of turns, over the whole tree.
    Unique,
}

impl Counting {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Turns, Self::Positions, Self::Steps, Self::Unique];

    /// The name: `turns`, `positions`, `steps` or `unique`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Positions => "positions",
            Self::Steps => "steps",
            Self::Unique => "unique",
        }
    }

    /// Whether the lines of a divided count add up to the whole count.
    ///
    /// They do for `Turns` and `Steps`. Two turns to the same position each have a line, so the
    /// lines of `Positions` may add up to more, and the subtrees of two turns may share positions,
    /// so those of `Unique` may too.
    ///
    /// ```
    /// use fanorona_core::{Position, RuleSet};
    /// use fanorona_perft::{Counting, divide, perft};
    /// let position: Position = "6B2/7B1/9/3BW1B2/4B4 w".parse()?;
    /// for counting in Counting::ALL {
    ///     let lines = divide(&RuleSet::STANDARD, &position, 1, counting);
    ///     let sum: u128 = lines.iter().map(|line| line.nodes).sum();
    ///     let whole = perft(&RuleSet::STANDARD, &position, 1, counting);
    ///     assert_eq!(sum == whole, counting.lines_add_up());
    /// }
    /// # Ok::<(), fanorona_core::ParsePositionError>(())
    /// ```
    pub const fn lines_add_up(self) -> bool {
        matches!(self, Self::Turns | Self::Steps)
    }
}

error_kinds! { BadParameter: ParseCountingError; }

/// The error of a text that is not a way of counting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{text}' is not a way of counting: turns, positions, steps or unique")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub struct ParseCountingError {
    pub text: String,
}

impl FromStr for Counting {
    type Err = ParseCountingError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|counting| counting.name() == text);
        named.ok_or_else(|| ParseCountingError { text: text.to_owned() })
    }
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countings_are_read_and_written() {
        for counting in Counting::ALL {
            assert_eq!(counting.name().parse(), Ok(counting));
            assert_eq!(counting.to_string(), counting.name());
        }
        let error = "moves".parse::<Counting>().unwrap_err();
        assert!(error.to_string().starts_with("'moves' is not a way of counting"), "{error}");
        let names = Counting::ALL.map(Counting::name);
        assert!(names.iter().all(|name| error.to_string().contains(name)), "{error}");
    }
}
