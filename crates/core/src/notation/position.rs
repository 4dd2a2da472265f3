//! The text of a position: the ranks from the highest down, then the side to move.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::{Board, BoardError};
use crate::point::Side;
use crate::point_set::PointSet;
use crate::position::{Position, Setup, SetupError};

/// The error of a text that is not a position or a set-up.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ParsePositionError {
    #[error("the text of the position is empty")]
    Empty,
    #[error(
        "'{}' is not a position: write the ranks from the top down and the side to move, as in \
         \"B7B/9/9/9/W7W w\", or a board, as in 9x5, for its start", shown(.0)
    )]
    Text(String),
    /// The text has the form of a board, and there is no such board.
    #[error(transparent)]
    Start(BoardError),
    #[error(
        "rank {rank} of the position has {}; write W, B, a digit from 1 to 9 or .", Named(*.found)
    )]
    Character {
        /// Counted from 1, from the bottom, as in the names of points.
        rank: usize,
        found: char,
    },
    #[error("rank {rank} of the position has {found} points, but the top rank has {expected}")]
    UnevenRanks {
        /// Counted from 1, from the bottom, as in the names of points.
        rank: usize,
        found: u64,
        expected: u64,
    },
    #[error("{}", wrong_size(*.width, *.height, .reason))]
    Board { width: u64, height: u64, reason: BoardError },
    #[error("the position does not say who moves: end it with ' w' or ' b'")]
    NoSide,
    #[error("the side to move is '{}', but must be w or b", shown(.0))]
    Side(String),
    #[error("'{}' follows the side to move, where only numbers are allowed", shown(.0))]
    Trailing(String),
    #[error(transparent)]
    Setup(#[from] SetupError),
}

/// The beginning of a text that may be of any length.
fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let end = text.char_indices().nth(MOST).map_or("", |(end, _)| &text[end..]);
    let more = if end.is_empty() { "" } else { "…" };
    format!("{}{more}", text[..text.len() - end.len()].escape_debug())
}

/// Displays a character in quotes, or by its name and number if nobody can see it.
struct Named(char);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(found) = *self;
        // The standard library knows which characters are invisible: it escapes them by number.
        if !found.escape_debug().to_string().starts_with("\\u") {
            return write!(f, "'{}'", found.escape_debug());
        }
        let name = match found {
            '\u{a0}' | '\u{202f}' => "a non-breaking space",
            '\u{feff}' => "a byte order mark",
            '\u{200b}' => "a zero-width space",
            _ if found.is_whitespace() => "a space of another kind",
            _ => "an invisible character",
        };
        write!(f, "{name} (U+{:04X})", u32::from(found))
    }
}

/// The message about a size that no board has. If one more or fewer ranks would do, it says so.
fn wrong_size(width: u64, height: u64, reason: &BoardError) -> String {
    let has_ranks = |height: u64| board_of(width, height).is_ok();
    match () {
        () if has_ranks(height + 1) => {
            let needed = height + 1;
            format!("{height} ranks given; {width}x{needed} needs {needed}. Is one missing?")
        }
        () if height > 0 && has_ranks(height - 1) => {
            let needed = height - 1;
            format!("{height} ranks given; {width}x{needed} has {needed}. Is one too many?")
        }
        () => {
            let ranks = if height == 1 { "rank" } else { "ranks" };
            format!("{height} {ranks} of {width} points given: {reason}")
        }
    }
}

impl FromStr for Setup {
    type Err = ParsePositionError;

    /// Reads a set-up, such as `BBB/B1W/WWW w`: the ranks from the highest down, separated by `/`,
    /// a space, and the side to move. The number of ranks and points gives the board.
    ///
    /// `W` and `B` are stones, in lower case too. A digit from 1 to 9 is that number of empty points, and `.` is one;
    /// 21 empty points are `993`. Numbers after the side to move are ignored, because other
    /// programs write counters there. A board, such as `9x5`, stands for its start.
    ///
    /// The time is linear in the length of the text, even if it is invalid.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split_ascii_whitespace();
        let (ranks, side) = (words.next().unwrap_or_default(), words.next());
        if ranks.is_empty() {
            return Err(ParsePositionError::Empty);
        }
        if !text.contains('/') {
            return match text.trim_ascii().to_ascii_lowercase().parse::<Board>() {
                Ok(board) => Ok(board.start().into()),
                Err(error @ BoardError::Size { .. }) => Err(ParsePositionError::Start(error)),
                Err(_) => Err(ParsePositionError::Text(text.to_owned())),
            };
        }
        let ranks: Vec<&str> = ranks.split('/').collect();
        let height = ranks.len();
        let (mut white, mut black) = (0, 0);
        let mut board = None;
        for (i, rank) in ranks.into_iter().enumerate() {
            let number = height - i;
            let points = parse_rank(rank, number)?;
            let found = points.length;
            let board = match board {
                Some(board) => board,
                None => *board.insert(board_of(found, height as u64)?),
            };
            let expected = u64::from(Board::width(board));
            if found != expected {
                // Without a space, the side to move looks like one more stone of the last rank.
                if i + 1 == height && side.is_none() && rank.ends_with(['w', 'b']) {
                    return Err(ParsePositionError::NoSide);
                }
                return Err(ParsePositionError::UnevenRanks { rank: number, found, expected });
            }
            let shift = (number - 1) as u64 * expected;
            white |= points.white << shift;
            black |= points.black << shift;
        }
        let board = board.expect("splitting a text gives at least one part");
        let to_move = match side {
            Some("w") => Side::White,
            Some("b") => Side::Black,
            Some(other) => return Err(ParsePositionError::Side(other.to_owned())),
            None => return Err(ParsePositionError::NoSide),
        };
        if let Some(word) = words.find(|word| !word.bytes().all(|b| b.is_ascii_digit())) {
            return Err(ParsePositionError::Trailing(word.to_owned()));
        }
        let [white, black] = [white, black].map(PointSet::from_bits);
        Ok(Self { board, white, black, to_move })
    }
}

fn board_of(width: u64, height: u64) -> Result<Board, ParsePositionError> {
    let error = |reason| ParsePositionError::Board { width, height, reason };
    Board::of_size(width, height).map_err(error)
}

/// A rank's stones, as bits from file a, and the number of its points.
struct Rank {
    white: u64,
    black: u64,
    length: u64,
}

fn parse_rank(text: &str, number: usize) -> Result<Rank, ParsePositionError> {
    let mut rank = Rank { white: 0, black: 0, length: 0 };
    for c in text.chars() {
        // A rank too long for any board is refused for its length, once that is known.
        let bit = if rank.length < 64 { 1 << rank.length } else { 0 };
        match c {
            'W' | 'w' => rank.white |= bit,
            'B' | 'b' => rank.black |= bit,
            '.' | '1'..='9' => {}
            found => return Err(ParsePositionError::Character { rank: number, found }),
        }
        rank.length += c.to_digit(10).map_or(1, u64::from);
    }
    Ok(rank)
}

impl FromStr for Position {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::try_from(text.parse::<Setup>()?)?)
    }
}

impl fmt::Display for Setup {
    /// Writes the normal form: runs of empty points as digits, nines first. Where two stones of a
    /// set-up share a point, White's is written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = u32::from(self.board.width());
        let mut text = String::new();
        for rank in (0..u32::from(self.board.height())).rev() {
            let mut run = 0;
            for file in 0..width {
                let point = PointSet::from_bits(1 << (rank * width + file));
                let stone = match () {
                    () if self.white.intersects(point) => 'W',
                    () if self.black.intersects(point) => 'B',
                    () => {
                        run += 1;
                        continue;
                    }
                };
                push_run(&mut text, run);
                run = 0;
                text.push(stone);
            }
            push_run(&mut text, run);
            if rank > 0 {
                text.push('/');
            }
        }
        text += match self.to_move {
            Side::White => " w",
            Side::Black => " b",
        };
        f.pad(&text)
    }
}

/// Writes a run of empty points.
fn push_run(text: &mut String, mut length: u32) {
    while length > 0 {
        let digit = length.min(9);
        text.push(char::from_digit(digit, 10).expect("1 to 9"));
        length -= digit;
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Setup::from(*self), f)
    }
}
