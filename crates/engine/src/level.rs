//! Levels of play.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How well the engine plays, from 1 (a beginner) to 8 (full strength).
///
/// | level | name | depth | nodes | noise | tables |
/// |---|---|---|---|---|---|
/// | 1 | beginner | 1 | – | 800 | no |
/// | 2 | novice | 1 | – | 30 | no |
/// | 3 | casual | – | 120 | 30 | no |
/// | 4 | club | – | 300 | – | no |
/// | 5 | strong | – | 1,300 | – | no |
/// | 6 | expert | – | 6,000 | – | no |
/// | 7 | master | – | 30,000 | – | no |
/// | 8 | full | – | – | – | yes |
///
/// A level below 8 searches on one thread and depends on nothing but the position, the game's
/// earlier positions and the seed. Noise is the most that is added to or taken from each estimate,
/// in its unit; it is drawn from the seed and the position. No level plays a turn at random.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(u8);

/// What a level limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handicap {
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub noise: u32,
}

/// A number that is no level.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a level: 1 (beginner) to 8 (full strength)")]
pub struct LevelError(String);

const NAMES: [&str; 8] =
    ["beginner", "novice", "casual", "club", "strong", "expert", "master", "full"];

impl Level {
    /// The level with the weakest play.
    pub const LOWEST: Self = Self(1);

    /// No handicap: all that the limits of the search allow.
    pub const FULL: Self = Self(8);

    /// All levels, weakest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::LOWEST.0..=Self::FULL.0).map(Self)
    }

    /// The level with this number.
    ///
    /// # Errors
    /// If it is not 1 to 8.
    pub fn new(number: u8) -> Result<Self, LevelError> {
        let found = Self::all().find(|level| level.0 == number);
        found.ok_or_else(|| LevelError(number.to_string()))
    }

    /// The number, 1 to 8.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The name, as in the table above.
    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0 - 1)]
    }

    /// The handicap; `None` at full strength.
    pub(crate) fn handicap(self) -> Option<Handicap> {
        let (depth, nodes, noise) = match self.0 {
            1 => (Some(1), None, 800),
            2 => (Some(1), None, 30),
            3 => (None, Some(120), 30),
            4 => (None, Some(300), 0),
            5 => (None, Some(1_300), 0),
            6 => (None, Some(6_000), 0),
            7 => (None, Some(30_000), 0),
            _ => return None,
        };
        Some(Handicap { depth, nodes, noise })
    }
}

impl Default for Level {
    /// [`Level::FULL`].
    fn default() -> Self {
        Self::FULL
    }
}

/// The number.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A number or a name.
impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::all().find(|level| level.name() == text || level.to_string() == text);
        found.ok_or_else(|| LevelError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_as_numbers_and_names() {
        assert_eq!(Level::all().count(), NAMES.len());
        for level in Level::all() {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(level.name().parse(), Ok(level));
            assert_eq!(Level::new(level.number()), Ok(level));
            assert_eq!(level.handicap().is_none(), level == Level::FULL);
        }
        for wrong in ["0", "9", "", "-1", "best"] {
            assert!(wrong.parse::<Level>().is_err(), "{wrong}");
        }
        assert!(Level::new(0).is_err());
    }
}
