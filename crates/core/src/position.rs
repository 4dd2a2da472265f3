//! Positions: stones and the side to move. Their texts: the ranks from the highest down, then the side
//! to move; and drawings with links.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::{Board, BoardError};
use crate::point::{Direction, Point, Side};
use crate::point_set::PointSet;

/// Stones and a side to move that have not been checked: [`Position::try_from`] does that.
///
/// ```
/// use fanorona_core::{Board, Position, PointSet, Setup, Side};
/// let board = Board::telo();
/// let [a1, c3] = [(0, 0), (2, 2)].map(|(file, rank)| board.point_at(file, rank).unwrap().into());
/// let setup = Setup { board, white: a1, black: c3, to_move: Side::White };
/// assert_eq!(Position::try_from(setup)?.to_string(), "2B/3/W2 w");
/// assert!(Position::try_from(Setup { black: PointSet::EMPTY, white: PointSet::EMPTY, ..setup }).is_err());
/// # Ok::<(), fanorona_core::SetupError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Setup {
    pub board: Board,
    pub white: PointSet,
    pub black: PointSet,
    pub to_move: Side,
}

/// The error of a [`Setup`] that is not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum SetupError {
    #[error("a stone stands outside the board {0}")]
    OffBoard(Board),
    #[error("white and black stand on the same point {0}")]
    Overlap(String),
    #[error("{side} has {stones} stones, but a side has at most {most} on the board {board}")]
    TooMany { side: Side, stones: u32, most: u32, board: Board },
    #[error("there is no stone on the board")]
    Empty,
}

/// A position: the stones of both sides and the side to move, checked.
///
/// All stones are on different points of the board, no side has more than it started with, and
/// there is at least one stone. One side may have no stones: it has lost. No rule set needs the
/// history of the game, so a position has none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position(Setup);

impl TryFrom<Setup> for Position {
    type Error = SetupError;

    fn try_from(setup: Setup) -> Result<Self, SetupError> {
        let Setup { board, white, black, .. } = setup;
        if !(white | black).is_subset(board.all_points()) {
            return Err(SetupError::OffBoard(board));
        }
        if let Some(point) = (white & black).first() {
            return Err(SetupError::Overlap(board.coordinates(point).to_string()));
        }
        let most = board.max_stones();
        for (side, set) in [(Side::White, white), (Side::Black, black)] {
            let stones = set.len();
            if stones > most {
                return Err(SetupError::TooMany { side, stones, most, board });
            }
        }
        if (white | black).is_empty() {
            return Err(SetupError::Empty);
        }
        Ok(Self(setup))
    }
}

impl From<Position> for Setup {
    fn from(position: Position) -> Self {
        position.0
    }
}

impl Position {
    /// The position with the given stones of the side to move and of its opponent.
    ///
    /// # Errors
    /// If it is not a position, as for a [`Setup`].
    pub fn from_mover(board: Board, stones: Stones, to_move: Side) -> Result<Self, SetupError> {
        let (white, black) = by_colour(stones, to_move);
        Self::try_from(Setup { board, white, black, to_move })
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.0.board
    }

    /// The side to move.
    pub fn to_move(&self) -> Side {
        self.0.to_move
    }

    /// The stones of one colour.
    pub fn stones(&self, side: Side) -> PointSet {
        match side {
            Side::White => self.0.white,
            Side::Black => self.0.black,
        }
    }

    /// The stones of the side to move.
    #[inline]
    pub fn own(&self) -> PointSet {
        self.stones(self.0.to_move)
    }

    /// The stones of the side that is not to move.
    #[inline]
    pub fn opponent(&self) -> PointSet {
        self.stones(self.0.to_move.other())
    }

    /// The points without a stone.
    #[inline]
    pub fn empty(&self) -> PointSet {
        self.0.board.all_points() - (self.0.white | self.0.black)
    }

    /// The same stones with the other side to move.
    #[must_use]
    pub fn with_other_to_move(&self) -> Self {
        Self(Setup { to_move: self.0.to_move.other(), ..self.0 })
    }

    /// Every stone with the other colour, and the other side to move. Except in the vela, where
    /// colours matter, it is the same game.
    #[must_use]
    pub fn with_colours_swapped(&self) -> Self {
        let Setup { white, black, to_move, .. } = self.0;
        Self(Setup { white: black, black: white, to_move: to_move.other(), ..self.0 })
    }

    /// The position after a turn that leaves these stones, as the side that made it sees them. It is
    /// not checked.
    #[inline]
    pub(crate) fn passed(&self, stones: Stones) -> Self {
        let (white, black) = by_colour(stones, self.0.to_move);
        Self(Setup { white, black, to_move: self.0.to_move.other(), ..self.0 })
    }

    /// The position with each colour's stones mapped by `map`, which permutes the points.
    pub(crate) fn mapped(&self, map: impl Fn(PointSet) -> PointSet) -> Self {
        Self(Setup { white: map(self.0.white), black: map(self.0.black), ..self.0 })
    }
}

impl Board {
    /// The start of the game: White below the middle rank and to move, Black above it; on the
    /// middle rank colours alternate from Black on file a to the empty centre, and the right half
    /// is the left half turned by 180° with colours swapped.
    pub fn start(self) -> Position {
        let (width, middle) = (u32::from(self.width()), u32::from(self.height() / 2));
        let below = (1 << (width * middle)) - 1;
        let mut white: u64 = below;
        for file in 0..width {
            let left = file < width / 2;
            let centre = file == width / 2;
            // Counted from its own edge, each half begins with one colour and alternates.
            let from_edge = if left { file } else { width - 1 - file };
            let begins = from_edge % 2 == 0;
            if !centre && begins != left {
                white |= 1 << (width * middle + file);
            }
        }
        let white = PointSet::from_bits(white);
        let centre = PointSet::from_bits(1 << (self.num_points() / 2));
        let black = self.all_points() - white - centre;
        Setup { board: self, white, black, to_move: Side::White }
            .try_into()
            .expect("each side has half of the points but one")
    }
}

/// The stones of a position as the side to move sees them: a [`Position`] without the board and the colours. They are ordered by `own`, then `opponent`.
///
/// ```
/// use fanorona_core::{Board, Position, Side, Stones};
/// let start = Board::tsivy().start();
/// let stones = Stones::of(&start);
/// assert_eq!((stones.own, stones.count()), (start.stones(Side::White), 44));
/// assert_eq!(Position::from_mover(start.board(), stones, Side::White)?, start);
/// # Ok::<(), fanorona_core::SetupError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stones {
    /// The stones of the side to move.
    pub own: PointSet,
    /// The stones of the other side.
    pub opponent: PointSet,
}

impl Stones {
    /// The stones of a position.
    #[inline]
    pub fn of(position: &Position) -> Self {
        Self { own: position.own(), opponent: position.opponent() }
    }

    /// The stones on the points whose bits are set; see [`PointSet::from_bits`].
    #[inline]
    pub const fn from_bits(own: u64, opponent: u64) -> Self {
        Self { own: PointSet::from_bits(own), opponent: PointSet::from_bits(opponent) }
    }

    /// The stones as the other side sees them.
    #[inline]
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { own: self.opponent, opponent: self.own }
    }

    /// The points with a stone.
    #[inline]
    pub fn occupied(self) -> PointSet {
        self.own | self.opponent
    }

    /// The number of stones of both sides.
    #[inline]
    pub fn count(self) -> u32 {
        self.occupied().len()
    }

    /// Both sets mapped, for example by a symmetry.
    #[inline]
    #[must_use]
    pub fn map(self, mut map: impl FnMut(PointSet) -> PointSet) -> Self {
        Self { own: map(self.own), opponent: map(self.opponent) }
    }
}

/// A mover's and an opponent's stones as White's and Black's.
#[inline]
fn by_colour(Stones { own, opponent }: Stones, to_move: Side) -> (PointSet, PointSet) {
    match to_move {
        Side::White => (own, opponent),
        Side::Black => (opponent, own),
    }
}

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

impl Position {
    /// The board drawn as lines of text: ranks from the top down with their numbers at the left, file
    /// letters below.
    pub fn diagram(&self) -> String {
        let board = self.board();
        let mut text = String::new();
        for rank in (0..board.height()).rev() {
            text += &format!("{:>2} ", rank + 1);
            for file in 0..board.width() {
                text.push(stone(self, board.point_at(file, rank)));
                if file + 1 < board.width() {
                    text += "---";
                }
            }
            text.push('\n');
            if rank > 0 {
                text += &format!("   {}\n", links_below(board, rank));
            }
        }
        let files = (0..board.width()).map(|file| char::from(b'a' + file).to_string());
        text + "   " + &files.collect::<Vec<_>>().join("   ")
    }
}

fn stone(position: &Position, at: Option<Point>) -> char {
    let Some(point) = at else { return ' ' };
    if position.stones(Side::White).contains(point) {
        'W'
    } else if position.stones(Side::Black).contains(point) {
        'B'
    } else {
        '.'
    }
}

/// The links between a rank and the one below. Between two files there is one of the two diagonals.
fn links_below(board: Board, rank: u8) -> String {
    let mut text = String::from("|");
    for file in 0..board.width() - 1 {
        let point = board.point_at(file, rank);
        let falls = point.is_some_and(|p| board.linked(Direction::SouthEast).contains(p));
        text += if falls { " \\ |" } else { " / |" };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_board() {
        let expected = "
 3 B---B---B
   | \\ | / |
 2 B---.---W
   | / | \\ |
 1 W---W---W
   a   b   c";
        assert_eq!(Board::telo().start().diagram(), expected.trim_start_matches('\n'));
    }
}
