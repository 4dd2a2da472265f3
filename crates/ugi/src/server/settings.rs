//! The settings that a session starts with, and its options change.

use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use fanorona_engine::{Engine, EngineError, Level, Options};
use fanorona_knowledge::KnowledgeError;

/// The settings of a [`Session`](super::Session). Each is an option of the protocol too.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct Settings {
    pub board: Board,
    /// The rule set. It must have a reading on the board.
    pub rules: RuleSet,
    /// The player. The memory is at least 1 MiB.
    pub player: Options,
    /// The number of lines to report; at least 1.
    pub lines: usize,
    /// Time that lines need on their way, which is taken off the clock.
    pub move_overhead: Duration,
}

impl Default for Settings {
    /// 9x5 under the standard rules, a [player](Options::player) of full strength, one line, 30 ms
    /// overhead.
    fn default() -> Self {
        Self {
            board: Board::tsivy(),
            rules: RuleSet::STANDARD,
            player: Options::player(Level::FULL),
            lines: 1,
            move_overhead: Duration::from_millis(30),
        }
    }
}

impl Settings {
    /// Builds the engine. What cannot be used is left out, and `say` gets the reason: a program
    /// that waits for a turn is better served by a weaker one than by none. `None` if even the
    /// least engine cannot be built.
    pub(super) fn build(&self, say: impl Fn(&str)) -> Option<Engine> {
        let mut player = self.player.clone();
        // Other levels do not use them.
        if self.player.level < Level::FULL {
            player.tables.clear();
        }
        if self.player.level != Level::UNBEATABLE {
            player.book.clear();
        }
        loop {
            let error = match self.try_to_build(&player) {
                Ok(engine) => return Some(engine),
                Err(error) => error,
            };
            match error {
                EngineError::Memory { .. } if player.memory > 1 << 20 => {
                    say(&format!("playing with 1 MiB of memory: {error}"));
                    player.memory = 1 << 20;
                }
                EngineError::Knowledge(
                    KnowledgeError::OtherBook { .. } | KnowledgeError::Book(_),
                ) if !player.book.is_empty() || player.starts => {
                    say(&format!("playing without the book: {error}"));
                    player.book.clear();
                    player.starts = false;
                }
                EngineError::MissingBook { .. } | EngineError::MissingTables { .. }
                    if player.level == Level::UNBEATABLE =>
                {
                    say(&format!("playing at level 8: {error}"));
                    player.level = Level::FULL;
                    player.book.clear();
                }
                _ if !player.tables.is_empty() => {
                    say(&format!("playing without tables: {error}"));
                    player.tables.clear();
                }
                _ => {
                    say(&format!("there is no engine: {error}"));
                    return None;
                }
            }
        }
    }

    fn try_to_build(&self, player: &Options) -> Result<Engine, EngineError> {
        let known = player.open(self.board, self.rules)?;
        if let Some(tables) = known.tables() {
            // The first probes would keep a search from being stopped.
            tables.prepare(u32::MAX).map_err(KnowledgeError::from)?;
        }
        Engine::new(known, player.clone())
    }
}
