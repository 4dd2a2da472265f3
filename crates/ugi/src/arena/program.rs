//! Programs as players.

use std::sync::atomic::AtomicBool;

use fanorona_engine::Game;

use super::player::{Ask, Forfeit, Player, PlayerError};
use crate::client::{ClientError, Found, Program, ProgramSettings};

/// A running program as a player of matches.
#[derive(Debug)]
pub struct ProgramPlayer<'a> {
    program: Program,
    stop: &'a AtomicBool,
}

impl<'a> ProgramPlayer<'a> {
    /// Starts a program. `stop` ends waiting for it.
    ///
    /// # Errors
    /// As for [`Program::start`].
    pub fn start(settings: &ProgramSettings, stop: &'a AtomicBool) -> Result<Self, ClientError> {
        Ok(Self { program: Program::start(settings, stop)?, stop })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }
}

impl Player for ProgramPlayer<'_> {
    fn new_game(&mut self, game: &Game) -> Result<(), PlayerError> {
        self.program.new_game(game, self.stop).map_err(|error| match error {
            // The program does not know the game; it will not know it next time.
            error @ ClientError::OptionValue(_) => PlayerError::Broken(Box::new(error)),
            error => error.into(),
        })
    }

    fn turn(&mut self, ask: &Ask<'_>) -> Result<Found, PlayerError> {
        Ok(self.program.go(ask.game, &ask.go, ask.deadline, ask.stop)?)
    }
}

impl From<ClientError> for PlayerError {
    fn from(error: ClientError) -> Self {
        Self::Forfeit(match error {
            ClientError::IllegalTurn { .. } | ClientError::NoTurn => {
                Forfeit::IllegalTurn(error.to_string())
            }
            ClientError::Silent { expected: "bestmove", limit } => Forfeit::Time(limit),
            ClientError::Stopped => return Self::Stopped,
            error => Forfeit::Crash(error.to_string()),
        })
    }
}
