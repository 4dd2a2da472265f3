//! The settings that a session starts with, and its options change.

use std::sync::Arc;
use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use fanorona_engine::{Engine, EngineError, Level, Options};
use fanorona_knowledge::Book;
use fanorona_knowledge::{Knowledge, KnowledgeError};
use fanorona_tablebase::{TableError, Tables};

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
    /// Whether the other program wants the engine to think on the opponent's time. It changes
    /// nothing: `go ponder` is always understood.
    pub ponder: bool,
}

impl Default for Settings {
    /// 9x5 under the standard rules, the default [`Options`], one line, 30 ms overhead.
    fn default() -> Self {
        Self {
            board: Board::tsivy(),
            rules: RuleSet::STANDARD,
            player: Options::default(),
            lines: 1,
            move_overhead: Duration::from_millis(30),
            ponder: false,
        }
    }
}

impl Settings {
    /// Builds the engine. What cannot be used is left out, and `say` gets the reason: a program
    /// that waits for a turn is better served by a weaker one than by none. `None` if even the
    /// least engine cannot be built.
    pub(super) fn build(&self, say: impl Fn(&str)) -> Option<Engine> {
        let mut options = self.player.clone();
        let mut tables = self.open_tables().unwrap_or_else(|error| {
            say(&format!("playing without tables: {error}"));
            None
        });
        let mut book = self.open_book(&say);
        loop {
            let known = Knowledge::new(self.board, self.rules, tables.clone(), book.clone());
            let known = known.map_err(EngineError::from);
            let built = known.and_then(|known| Engine::new(known, options.clone()));
            let error = match built {
                Ok(engine) => return Some(engine),
                Err(error) => error,
            };
            let is_unbeatable = options.level == Level::UNBEATABLE;
            match error {
                EngineError::Memory { .. } if options.memory > 1 << 20 => {
                    say(&format!("playing with 1 MiB of memory: {error}"));
                    options.memory = 1 << 20;
                }
                EngineError::MissingBook { .. }
                | EngineError::MissingTables { .. }
                | EngineError::Knowledge(
                    KnowledgeError::OtherBook { .. } | KnowledgeError::Book(_),
                ) if is_unbeatable => {
                    say(&format!("playing at level 8: {error}"));
                    (options.level, book) = (Level::FULL, None);
                }
                _ if tables.is_some() => {
                    say(&format!("playing without tables: {error}"));
                    tables = None;
                }
                _ => {
                    say(&format!("there is no engine: {error}"));
                    return None;
                }
            }
        }
    }

    /// The tables, ready for probing: the first probes would keep a search from being stopped. The
    /// lower levels use none.
    fn open_tables(&self) -> Result<Option<Arc<Tables>>, TableError> {
        if self.player.level < Level::FULL {
            return Ok(None);
        }
        let tables = self.player.open_tables(self.rules, self.board)?;
        tables.iter().try_for_each(|tables| tables.prepare(u32::MAX).map(drop))?;
        Ok(tables)
    }

    /// The book, which only the level that cannot lose uses.
    fn open_book(&self, say: impl Fn(&str)) -> Option<Arc<Book>> {
        if self.player.level != Level::UNBEATABLE {
            return None;
        }
        self.player.open_book().unwrap_or_else(|error| {
            say(&format!("playing without the book: {error}"));
            None
        })
    }
}
