//! What perft counts.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Counting {
    /// Sequences of complete turns. Two turns that differ in a step, or in approach or withdrawal,
    /// are two, even if the same position results. A finished game has none.
    Turns,
    /// As `Turns`, but turns of one node that lead to the same position count once.
    Positions,
    /// Sequences of single steps: a paika or a capturing step is one ply, and so is stopping a
    /// relay that could go on; a relay that cannot go on ends by itself.
    Steps,
    /// Distinct positions after exactly so many turns, over the whole tree.
    Unique,
}

impl Counting {
    /// All four, with the names that they go by.
    pub const ALL: [(&'static str, Self); 4] = [
        ("turns", Self::Turns),
        ("positions", Self::Positions),
        ("steps", Self::Steps),
        ("unique", Self::Unique),
    ];
}

/// A text that names no way of counting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is not counted: turns, positions, steps and unique are")]
pub struct ParseCountingError(pub String);

impl FromStr for Counting {
    type Err = ParseCountingError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|(name, _)| *name == text);
        named.map(|(_, counting)| counting).ok_or_else(|| ParseCountingError(text.to_owned()))
    }
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Self::ALL.into_iter().find(|(_, counting)| counting == self);
        f.pad(named.map_or("", |(name, _)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countings_are_read_and_written() {
        for (name, counting) in Counting::ALL {
            assert_eq!(name.parse(), Ok(counting));
            assert_eq!(counting.to_string(), name);
        }
        assert!("moves".parse::<Counting>().is_err());
    }
}
