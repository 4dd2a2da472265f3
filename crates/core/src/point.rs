//! Points, directions and sides.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::named;

/// A point of a board, by its index `rank × width + file`, counted from 0 at `a1`. So it is read and
/// written with the help of its [`Board`](crate::Board).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point(pub(crate) u8);

impl Point {
    /// The index, 0 to 62.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A file and a rank, as in the name `d3`, independent of a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Coordinates {
    file: u8,
    rank: u8,
}

impl Coordinates {
    /// The files that have a letter, `a` to `z`.
    const FILES: u8 = 26;

    /// A file and a rank, both counted from 0; `None` if the file is above 25, which has no letter,
    /// or the rank above 254.
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file < Self::FILES && rank < u8::MAX { Some(Self { file, rank }) } else { None }
    }

    /// The file, 0 for `a`.
    pub const fn file(self) -> u8 {
        self.file
    }

    /// The rank, 0 for `1`.
    pub const fn rank(self) -> u8 {
        self.rank
    }
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file), u16::from(self.rank) + 1)
    }
}

/// The error of a text that is not the name of a point.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{text}' is not a point: write a file letter and a rank number, such as d3")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub struct ParsePointError {
    pub text: String,
}

impl FromStr for Coordinates {
    type Err = ParsePointError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParsePointError { text: text.to_owned() };
        let mut chars = text.chars();
        let file = match chars.next() {
            Some(c @ 'a'..='z') => c as u8 - b'a',
            _ => return Err(error()),
        };
        let digits = chars.as_str();
        let plain = !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
        let rank = digits.parse::<u8>().ok().filter(|_| plain);
        rank.and_then(|rank| Self::new(file, rank.checked_sub(1)?)).ok_or_else(error)
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
    /// The opposite direction.
    pub fn opposite(self) -> Self {
        Self::ALL[(self as usize + 4) % 8]
    }

    /// The change of file and rank by one step.
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

named!(
    Direction, "direction",
    East "east", NorthEast "north-east", North "north", NorthWest "north-west",
    West "west", SouthWest "south-west", South "south", SouthEast "south-east"
);

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

named!(Side, "side", White "white", Black "black");
