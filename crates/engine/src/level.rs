//! Levels of play.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How well the engine plays, from 1 (a beginner) to 8 (full strength), and 9: it cannot lose.
///
/// | level | name | depth | nodes | noise | tables |
/// |---|---|---|---|---|---|
/// | 1 | beginner | 0 | – | 1,000 | no |
/// | 2 | novice | 0 | – | 250 | no |
/// | 3 | casual | 1 | – | 280 | no |
/// | 4 | club | – | 80 | 95 | no |
/// | 5 | strong | – | 290 | 63 | no |
/// | 6 | expert | – | 700 | 48 | no |
/// | 7 | master | – | 2,900 | 25 | no |
/// | 8 | full | – | – | – | yes |
/// | 9 | unbeatable | – | – | – | yes, and a book |
///
/// A level below 8 searches on one thread and depends on nothing but the position, the game's
/// earlier positions and the seed. Noise is the most that is added to or taken from each estimate,
/// in its unit; it is drawn from the seed and the position. No level plays a turn at random. Depth 0
/// sees what its own turn captures, and no capture after it; the other levels follow captures beyond
/// their depth.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(u8);

/// The limits of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handicap {
    /// Turns to look ahead. With 0, only the own turn, and no capture after it.
    pub depth: Option<u32>,
    /// Positions to visit.
    pub nodes: Option<u64>,
    /// The most that is added to or taken from each estimate, in the unit of estimates.
    pub noise: u32,
}

/// A number that is no level.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a level: 1 (beginner) to 8 (full strength), or 9 (unbeatable)")]
pub struct LevelError(String);

const NAMES: [&str; 9] =
    ["beginner", "novice", "casual", "club", "strong", "expert", "master", "full", "unbeatable"];

impl Level {
    /// The level with the weakest play.
    pub const LOWEST: Self = Self(1);

    /// No handicap: all that the limits of the search allow.
    pub const FULL: Self = Self(8);

    /// Full strength that also plays by a [`Book`](fanorona_knowledge::Book), and needs it: see
    /// [`Engine::check_unbeatable`](crate::Engine::check_unbeatable).
    ///
    /// It cannot lose from a position that the book or the tables prove to be at least a draw for
    /// it, provided that these files are right. On 9x5 under the standard rules these are the
    /// certificate `data/proofs/9x5-standard.proof` and the tables to 8 stones: with them it cannot
    /// lose from the start, with either colour. At each turn:
    ///
    /// 1. If tables hold the position, it plays a turn that keeps the value. In a won position, it
    ///    wins soonest, if the tables have distances. Otherwise it prefers the turns that leave the
    ///    opponent the smallest share of turns that keep the opponent's value.
    /// 2. If the book proves something of the position, it plays a turn after which that is still
    ///    proved, whatever the opponent plays. In a position that the book proves won, that is the
    ///    book's turn, which gets ahead. In others it looks for more turns that hold, by small proofs,
    ///    for at most half of its time. It finds the proof of a turn again when it has to go on from
    ///    there, by the earlier positions of the game; without these it stays in the book. It
    ///    prefers turns as in 1, as far as the values of the replies are known.
    /// 3. Among equal turns, and in all other positions, it searches at full strength.
    ///
    /// A repetition may end a game as a draw, but never one that it has proved to win: there it
    /// plays on. A limit of turns without a capture can end a won game as a draw.
    pub const UNBEATABLE: Self = Self(9);

    /// All levels that need no book, weakest first: 1 to 8.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::LOWEST.0..=Self::FULL.0).map(Self)
    }

    fn any() -> impl Iterator<Item = Self> {
        Self::all().chain([Self::UNBEATABLE])
    }

    /// The level with this number.
    ///
    /// # Errors
    /// If it is not 1 to 9.
    pub fn new(number: u8) -> Result<Self, LevelError> {
        let found = Self::any().find(|level| level.0 == number);
        found.ok_or_else(|| LevelError(number.to_string()))
    }

    /// The number, 1 to 9.
    pub fn number(self) -> u8 {
        self.0
    }

    /// The name, as in the table above.
    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0 - 1)]
    }

    /// The limits of the level, in words, as in `depth 0, noise 1000`; `full strength` if none.
    pub fn in_words(self) -> String {
        let Some(Handicap { depth, nodes, noise }) = self.handicap() else {
            return "full strength".to_owned();
        };
        let depth = depth.map(|depth| format!("depth {depth}"));
        let nodes = nodes.map(|nodes| format!("{nodes} nodes"));
        let noise = (noise > 0).then(|| format!("noise {noise}"));
        [depth, nodes, noise].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The handicap; `None` from full strength on.
    pub fn handicap(self) -> Option<Handicap> {
        let (depth, nodes, noise) = match self.0 {
            1 => (Some(0), None, 1_000),
            2 => (Some(0), None, 250),
            3 => (Some(1), None, 280),
            4 => (None, Some(80), 95),
            5 => (None, Some(290), 63),
            6 => (None, Some(700), 48),
            7 => (None, Some(2_900), 25),
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
        let found = Self::any().find(|level| level.name() == text || level.to_string() == text);
        found.ok_or_else(|| LevelError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_as_numbers_and_names() {
        assert_eq!(Level::any().count(), NAMES.len());
        for level in Level::any() {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(level.name().parse(), Ok(level));
            assert_eq!(Level::new(level.number()), Ok(level));
            assert_eq!(level.handicap().is_none(), level >= Level::FULL);
        }
        for wrong in ["0", "10", "", "-1", "best"] {
            assert!(wrong.parse::<Level>().is_err(), "{wrong}");
        }
        assert!(Level::new(0).is_err());
    }
}
