//! The settings that a session starts with, and its options change.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use fanorona_engine::{DrawRules, Engine, EngineError, Level, Options};
use fanorona_proof::Book;
use fanorona_tablebase::{TableError, Tables, TablesOptions};

/// The settings of a [`Session`](super::Session). Each is an option of the protocol too.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct Settings {
    pub board: Board,
    /// The rule set. It must have a reading on the board.
    pub rules: RuleSet,
    /// When a game is drawn, beside the rules.
    pub draws: DrawRules,
    /// The directory of the tables.
    pub tables: Option<PathBuf>,
    /// How tables are read.
    pub access: TablesOptions,
    /// The certificates of the level that cannot lose.
    pub book: Vec<PathBuf>,
    /// How well to play.
    pub level: Level,
    /// The seed of the noise of the lower levels.
    pub seed: u64,
    /// Memory of the transposition table, in MiB; at least 1.
    pub memory: usize,
    /// Threads of a search; at least 1.
    pub threads: usize,
    /// The number of lines to report; at least 1.
    pub lines: usize,
    /// Time that lines need on their way, which is taken off the clock.
    pub move_overhead: Duration,
    /// Whether the other program wants the engine to think on the opponent's time. It changes
    /// nothing: `go ponder` is always understood.
    pub ponder: bool,
}

impl Default for Settings {
    /// 9x5 under the standard rules, draw by threefold repetition, no tables and no book, full
    /// strength, 64 MiB, one thread, one line, 30 ms overhead.
    fn default() -> Self {
        Self {
            board: Board::tsivy(),
            rules: RuleSet::STANDARD,
            draws: DrawRules::default(),
            tables: None,
            access: TablesOptions::default(),
            book: Vec::new(),
            level: Level::FULL,
            seed: 0,
            memory: 64,
            threads: 1,
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
        let mut options = Options::default();
        options.memory = self.memory << 20;
        options.threads = self.threads;
        options.level = self.level;
        options.seed = self.seed;
        options.threefold = self.draws.threefold;
        options.without_capture = self.draws.without_capture;
        let mut tables = self.open_tables().unwrap_or_else(|error| {
            say(&format!("playing without tables: {error}"));
            None
        });
        let mut book = self.open_book(&say);
        loop {
            let built =
                Engine::with_book(self.rules, self.board, tables.clone(), book.clone(), options);
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
                | EngineError::OtherBook { .. }
                | EngineError::Book(_)
                    if is_unbeatable =>
                {
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

    /// The tables, ready for probing: the first probes would keep a search from being stopped.
    fn open_tables(&self) -> Result<Option<Arc<Tables>>, TableError> {
        // The lower levels use none.
        let Some(dir) = self.tables.as_ref().filter(|_| self.level >= Level::FULL) else {
            return Ok(None);
        };
        let tables = Tables::open_with(dir, self.board, self.rules, self.access)?;
        tables.prepare(u32::MAX)?;
        Ok(Some(Arc::new(tables)))
    }

    /// The book, which only the level that cannot lose uses.
    fn open_book(&self, say: impl Fn(&str)) -> Option<Arc<Book>> {
        if self.level != Level::UNBEATABLE || self.book.is_empty() {
            return None;
        }
        match Book::open(&self.book) {
            Ok(book) => Some(Arc::new(book)),
            Err(error) => {
                say(&format!("playing without the book: {error}"));
                None
            }
        }
    }
}
