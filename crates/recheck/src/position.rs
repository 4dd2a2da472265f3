//! Positions, sides and values.

use std::fmt;

use crate::board::Board;

/// A player.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// White, who has the lower ranks at the start.
    White,
    /// Black.
    Black,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

/// The value of a position for the side to move, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// The side to move loses.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The side to move wins.
    Win,
}

impl Value {
    /// The same value as the other side sees it.
    pub(crate) fn for_other_side(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        })
    }
}

/// The stones of both sides as sets of points, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The stones of the side to move. Bit `rank * width + file` is a point, counted from 0.
    pub own: u64,
    /// The stones of the other side.
    pub opponent: u64,
    /// The side to move.
    pub to_move: Side,
}

impl Position {
    /// Reads a position in its normal form, such as `BBB/B1W/WWW w`.
    #[must_use]
    pub fn from_text(board: &Board, text: &str) -> Option<Self> {
        let (stones, to_move) = text.split_once(' ')?;
        let to_move = match to_move {
            "w" => Side::White,
            "b" => Side::Black,
            _ => return None,
        };
        let (mut white, mut black) = (0_u64, 0_u64);
        let mut rank = u32::from(board.height());
        for row in stones.split('/') {
            rank = rank.checked_sub(1)?;
            let mut file = 0;
            for sign in row.chars() {
                let bit = 1_u64.checked_shl(rank * u32::from(board.width()) + file)?;
                match sign {
                    'W' => white |= bit,
                    'B' => black |= bit,
                    _ => {}
                }
                file += match sign {
                    'W' | 'B' => 1,
                    _ => sign.to_digit(10)?,
                };
                if file > u32::from(board.width()) {
                    return None;
                }
            }
        }
        let (own, opponent) = match to_move {
            Side::White => (white, black),
            Side::Black => (black, white),
        };
        let position = Self { own, opponent, to_move };
        // What is written differently, ranks that are too short among it, is no normal form.
        (position.text(board) == text).then_some(position)
    }

    /// Its text in the normal form.
    #[must_use]
    pub fn text(&self, board: &Board) -> String {
        let (white, black) = match self.to_move {
            Side::White => (self.own, self.opponent),
            Side::Black => (self.opponent, self.own),
        };
        let mut text = String::new();
        for rank in (0..board.height()).rev() {
            let mut empty = 0;
            for file in 0..=board.width() {
                let point = rank * board.width() + file;
                let stone = match 1_u64 << point {
                    _ if file == board.width() => Some(""),
                    bit if white & bit != 0 => Some("W"),
                    bit if black & bit != 0 => Some("B"),
                    _ => None,
                };
                let Some(stone) = stone else {
                    empty += 1;
                    continue;
                };
                // One digit is at most 9.
                for run in std::iter::repeat_n(9, empty / 9).chain([empty % 9]) {
                    if run > 0 {
                        text.push_str(&run.to_string());
                    }
                }
                text.push_str(stone);
                empty = 0;
            }
            text.push(if rank > 0 { '/' } else { ' ' });
        }
        text.push(if self.to_move == Side::White { 'w' } else { 'b' });
        text
    }

    /// The numbers of own and opponent's stones.
    pub(crate) fn stones(&self) -> (u32, u32) {
        (self.own.count_ones(), self.opponent.count_ones())
    }
}
