//! Who plays: people, and the program at a level.

use std::sync::Arc;

use clap::ValueEnum;
use fanorona_core::Side;
use fanorona_engine::{Engine, Game, Level, Options};
use fanorona_proof::Book;
use fanorona_tablebase::Tables;

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
    pub tables: Option<Arc<Tables>>,
    /// Level 9 needs it, and others do not use it.
    pub book: Option<Arc<Book>>,
    pub options: Options,
}

impl Engines {
    pub(super) fn build(&self, game: &Game, level: Level) -> anyhow::Result<Engine> {
        let mut options = self.options;
        options.level = level;
        let board = game.position().board();
        let (tables, book) = (self.tables.clone(), self.book.clone());
        let engine = Engine::with_book(*game.rules(), board, tables, book, options);
        Ok(engine?)
    }
}

/// A level with its name.
pub(super) fn in_words(level: Level) -> String {
    format!("{level} ({})", level.name())
}
