//! A player, and how it can lose without being beaten.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_engine::Game;

use crate::client::Found;
use crate::protocol::Go;

/// A request for a turn.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// The game, which is not over.
    pub game: &'a Game,
    /// How long, or how far, to search.
    pub go: Go,
    /// The longest time to wait for the answer, margin included.
    pub deadline: Duration,
    /// Ends the search when it is set. The answer is then [`PlayerError::Stopped`].
    pub stop: &'a AtomicBool,
}

/// One side of the games of a match.
pub trait Player {
    /// Prepares for a new game.
    ///
    /// # Errors
    /// A forfeit loses the game before it begins.
    fn new_game(&mut self, game: &Game) -> Result<(), PlayerError>;

    /// Chooses a turn.
    ///
    /// # Errors
    /// A forfeit loses the game. After it, the player is not used again.
    fn turn(&mut self, ask: &Ask<'_>) -> Result<Found, PlayerError>;
}

/// Why a player gives no legal turn in time.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlayerError {
    /// It loses by that.
    Forfeit(Forfeit),
    /// The match is stopped. Nobody loses by that.
    Stopped,
    /// The match cannot go on, and the player is not to blame.
    Broken(Box<dyn std::error::Error + Send + Sync>),
}

/// Why a player has lost without being beaten.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Forfeit {
    /// It gave a turn that is not legal, or none; the text says which.
    IllegalTurn(String),
    /// It gave no turn in this time, the margin included.
    Time(Duration),
    /// It ended, or cannot be talked to; the text says how.
    Crash(String),
}

/// For people: `illegal turn: 'a1-a9' …`, `time: no turn within 0.2 s`, `crash: …`.
impl fmt::Display for Forfeit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IllegalTurn(text) => write!(f, "illegal turn: {text}"),
            Self::Time(limit) => write!(f, "time: no turn within {} s", limit.as_secs_f64()),
            Self::Crash(text) => write!(f, "crash: {text}"),
        }
    }
}
