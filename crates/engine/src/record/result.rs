//! Results of games, and limits of their records.

use std::fmt;

use fanorona_core::Side;

use crate::game::GameEnd;

/// The most characters of a player's name.
pub const MAX_NAME: usize = 100;

/// The most bytes of a text that are read as a game.
pub const MAX_RECORD_BYTES: usize = 1 << 20;

/// The most turns of a game that are read.
pub const MAX_RECORD_TURNS: usize = 10_000;

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// This side has won.
    Won(Side),
    /// The game is drawn.
    Draw,
    /// The game goes on, or was broken off.
    Unfinished,
}

/// `1-0`, `0-1`, `1/2-1/2` or `*`, White first.
impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Won(Side::White) => "1-0",
            Self::Won(Side::Black) => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unfinished => "*",
        })
    }
}

impl From<Option<GameEnd>> for GameResult {
    fn from(end: Option<GameEnd>) -> Self {
        match end {
            Some(GameEnd::Won(side)) => Self::Won(side),
            Some(GameEnd::NoTurn | GameEnd::Threefold | GameEnd::WithoutCapture) => Self::Draw,
            None => Self::Unfinished,
        }
    }
}
