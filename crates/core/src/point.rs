//! Points, directions and sets of points.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A set of points: bit `i` stands for the [`Point`] with index `i`.
pub type PointSet = u64;

/// The points of a set, lowest index first.
pub fn points(mut set: PointSet) -> impl Iterator<Item = Point> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let point = Point(set.trailing_zeros() as u8);
            set &= set - 1;
            point
        })
    })
}

/// A point of a board, by its index `rank × width + file`, counted from 0 at `a1`.
///
/// The index depends on the board's width, so a point is read and written with the help of its
/// [`Board`](crate::Board).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point(pub(crate) u8);

impl Point {
    /// The index, 0 to 62.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The set that holds this point alone.
    pub fn set(self) -> PointSet {
        1 << self.0
    }
}

/// A file and a rank, counted from 0: what a name such as `d3` says, whatever the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Coordinates {
    /// 0 for file `a`.
    pub file: u8,
    /// 0 for rank `1`.
    pub rank: u8,
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file), self.rank + 1)
    }
}

/// A text that is not the name of a point.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is not a point: write a file letter and a rank number, such as d3")]
pub struct ParsePointError(pub String);

impl FromStr for Coordinates {
    type Err = ParsePointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParsePointError(text.to_owned());
        let mut chars = text.chars();
        let file = match chars.next() {
            Some(c @ 'a'..='z') => c as u8 - b'a',
            _ => return Err(error()),
        };
        let digits = chars.as_str();
        let plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
        match digits.parse::<u8>() {
            Ok(rank) if plain && rank >= 1 => Ok(Self { file, rank: rank - 1 }),
            _ => Err(error()),
        }
    }
}

/// One of the eight directions of the links, counter-clockwise from east (towards file `b`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Direction {
    East,
    NorthEast,
    North,
    NorthWest,
    West,
    SouthWest,
    South,
    SouthEast,
}

impl Direction {
    /// All eight, in the order of their numbers 0 to 7.
    pub const ALL: [Self; 8] = [
        Self::East,
        Self::NorthEast,
        Self::North,
        Self::NorthWest,
        Self::West,
        Self::SouthWest,
        Self::South,
        Self::SouthEast,
    ];

    /// The direction that leads back.
    pub fn opposite(self) -> Self {
        Self::ALL[(self as usize + 4) % 8]
    }

    /// How file and rank change by one step.
    pub const fn delta(self) -> (i32, i32) {
        match self {
            Self::East => (1, 0),
            Self::NorthEast => (1, 1),
            Self::North => (0, 1),
            Self::NorthWest => (-1, 1),
            Self::West => (-1, 0),
            Self::SouthWest => (-1, -1),
            Self::South => (0, -1),
            Self::SouthEast => (1, -1),
        }
    }

    /// The direction's bit in a set of directions.
    pub(crate) fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A player, by the colour of the stones. White moves first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Side {
    White,
    Black,
}

impl Side {
    /// The opponent.
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::White => "white",
            Self::Black => "black",
        })
    }
}
