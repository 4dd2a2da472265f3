//! The description of a player.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use fanorona_core::{Board, RuleSet};
use fanorona_knowledge::{Book, Knowledge, KnowledgeError};
use fanorona_tablebase::{Tables, TablesOptions};
use web_time::{SystemTime, UNIX_EPOCH};

use crate::draw_rules::DrawRules;
use crate::level::Level;

/// The description of a player: how well it plays, by which files, with what means, and when its
/// games are drawn. The program, the engine protocol, the server, Python and C all have the defaults of
/// [`player`](Self::player) and these ranges.
///
/// On one thread, at the same depth or number of positions, a player with a seed always plays the same.
/// From full strength on, no estimate has noise: the seed only decides between turns with the same
/// score, and without contempt it decides nothing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How well to play.
    pub level: Level,
    /// Certificates of the level [`UNBEATABLE`](Level::UNBEATABLE), which [`open`](Self::open) opens.
    pub book: Vec<PathBuf>,
    /// Whether [`open`](Self::open) takes the certificate of the start for that level, if there is no
    /// book and the program has one of the game.
    pub starts: bool,
    /// The directories of the tables, which [`open`](Self::open) opens; empty for no tables. A table
    /// that several have is that of the first one.
    pub tables: Vec<PathBuf>,
    /// How tables are read.
    pub access: TablesOptions,
    /// Threads that search together at full strength: 1 to [`MAX_THREADS`](Self::MAX_THREADS).
    pub threads: usize,
    /// Bytes of the transposition table. Faces that take MiB take 1 to
    /// [`MAX_MEMORY_MIB`](Self::MAX_MEMORY_MIB).
    pub memory: usize,
    /// The seed of the noise of the lower levels, and of the choice between turns with nearly the same score
    /// from full strength on; `None`: another one whenever an engine begins or
    /// [forgets](crate::Engine::clear).
    pub seed: Option<u64>,
    /// When games are drawn, beside the rules. They should be those of the game that is played.
    pub draw_rules: DrawRules,
    /// How much the player avoids simple positions, which are often drawn: each stone on the board adds
    /// this to its [estimate](crate::Score::Estimate). The scores that it reports are without it. 0 to
    /// [`MAX_CONTEMPT`](Self::MAX_CONTEMPT); 0 for analysis. Only for full strength and
    /// [`UNBEATABLE`](Level::UNBEATABLE), and where one line is searched.
    pub contempt: u32,
    /// Search every turn to the full depth: no reductions, no extensions, and two plies of all
    /// captures beyond it. Slower; for comparing with other programs and for tests.
    pub full_width: bool,
}

impl Options {
    /// The most threads.
    pub const MAX_THREADS: usize = 1024;

    /// The largest transposition table, in MiB.
    pub const MAX_MEMORY_MIB: usize = 1 << 20;

    /// The contempt of a player in games, by matches.
    pub const CONTEMPT: u32 = 7;

    /// The most contempt.
    pub const MAX_CONTEMPT: u32 = 100;

    /// A player in games: the default with a level and [`CONTEMPT`](Self::CONTEMPT).
    pub fn player(level: Level) -> Self {
        Self { level, contempt: Self::CONTEMPT, ..Self::default() }
    }

    /// The seed, or another one each time.
    pub(crate) fn seed_or_random(&self) -> u64 {
        self.seed.unwrap_or_else(random_seed)
    }

    /// Opens the tables and the certificates, for a game. What tables compute when they are asked first
    /// is computed by the [threads](Self::threads) of the player, unless [`access`](Self::access) says
    /// otherwise.
    ///
    /// # Errors
    /// If a file or a directory cannot be read, or the certificates are of another game.
    pub fn open(&self, board: Board, rules: RuleSet) -> Result<Knowledge, KnowledgeError> {
        let mut access = self.access;
        access.threads = access.threads.or(NonZero::new(self.threads));
        let tables = (!self.tables.is_empty())
            .then(|| Tables::open_dirs(&self.tables, board, rules, access).map(Arc::new))
            .transpose()?;
        let book = (!self.book.is_empty()).then(|| Book::open(&self.book).map(Arc::new));
        let known = Knowledge::new(board, rules, tables, book.transpose()?)?;
        let starts = self.starts && self.level == Level::UNBEATABLE;
        if starts { known.with_start() } else { Ok(known) }
    }
}

/// A seed that nobody knows before.
pub fn random_seed() -> u64 {
    // In a browser, only the time differs.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    RandomState::new().hash_one(now)
}

impl Default for Options {
    /// For analysis: full strength, no files, 64 MiB, one thread, no seed, the default [`DrawRules`],
    /// no contempt, selective search.
    fn default() -> Self {
        Self {
            level: Level::FULL,
            book: Vec::new(),
            starts: false,
            tables: Vec::new(),
            access: TablesOptions::default(),
            threads: 1,
            memory: 64 << 20,
            seed: None,
            draw_rules: DrawRules::default(),
            contempt: 0,
            full_width: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn tables_compute_on_the_threads_of_the_player() {
        let dir = tempfile::tempdir().expect("a directory");
        let own = NonZero::new(3);
        for (given, expected) in [(None, NonZero::new(1)), (own, own)] {
            let mut options = Options { tables: vec![dir.path().into()], ..Options::default() };
            options.access.threads = given;
            let known = options.open(Board::telo(), RuleSet::STANDARD).expect("it is there");
            let tables = known.tables().expect("they are open");
            assert_eq!(tables.options().threads, expected);
        }
    }

    #[test]
    fn random_seeds_differ() {
        let seeds: HashSet<_> = (0..100).map(|_| random_seed()).collect();
        assert_eq!(seeds.len(), 100);
    }
}
