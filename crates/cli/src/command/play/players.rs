//! Who plays: people, and the program at a level.

use clap::ValueEnum;
use fanorona_core::Side;
use fanorona_engine::{Engine, Level, Options};
use fanorona_knowledge::Knowledge;

/// The sides that people play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum SideOption {
    White,
    Black,
    Both,
    None,
}

impl SideOption {
    /// Whether a person plays this side.
    pub(super) fn has(self, side: Side) -> bool {
        match self {
            Self::White => side == Side::White,
            Self::Black => side == Side::Black,
            Self::Both => true,
            Self::None => false,
        }
    }
}

/// Builds engines for the game.
pub(super) struct Engines {
    pub player: Options,
    pub known: Knowledge,
}

impl Engines {
    pub(super) fn build(&self, level: Level) -> anyhow::Result<Engine> {
        let mut options = self.player.clone();
        options.level = level;
        Ok(Engine::new(self.known.clone(), options)?)
    }
}

/// A level with its name.
pub(super) fn in_words(level: Level) -> String {
    format!("{level} ({})", level.name())
}
