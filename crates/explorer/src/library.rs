//! The tables and the books that answers come from.
//!
//! Tables are opened by board and rule set when they are first asked for. A limited number of variants
//! stays open; the one that was not used for the longest time is closed for a new one. When the
//! directory changes, its tables are opened again, so tables that are built meanwhile are found.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use fanorona_core::{Board, Position};
use fanorona_proof::{Book, BookError, Certificate};
use fanorona_tablebase::{
    BuildOptions, Layout, Slice, TableError, TableKey, Tables, TablesOptions, estimate,
};
use xxhash_rust::xxh3::Xxh3;

use crate::problem::{Problem, ProblemKind};
use crate::value::Assessment;
use crate::variant::Variant;

/// Where tables are, and how they are opened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LibraryOptions {
    /// The directory of the tables; `None` for no tables.
    pub dir: Option<PathBuf>,
    /// How tables are opened. The cache of blocks is separate for each variant.
    pub tables: TablesOptions,
    /// The number of variants, each a board and a rule set, whose tables are open at the same time.
    pub open_variants: usize,
    /// The option that names the directory in commands for building tables, as in
    /// `--tables DIR`; empty if it is the default.
    pub directory_option: String,
}

impl LibraryOptions {
    /// The tables of a directory, with the default options.
    pub fn new(dir: Option<PathBuf>) -> Self {
        let tables = TablesOptions::default();
        Self { dir, tables, open_variants: 8, directory_option: String::new() }
    }
}

/// The tables of a directory.
#[derive(Debug)]
pub struct Library {
    options: LibraryOptions,
    /// One for each variant that has certificates.
    books: Vec<Arc<Book>>,
    /// The last used one last.
    open: Mutex<Vec<Arc<VariantTables>>>,
    probes: Arc<AtomicU64>,
}

/// The tables of one variant.
#[derive(Debug)]
pub struct VariantTables {
    variant: Variant,
    tables: Option<Arc<Tables>>,
    book: Option<Arc<Book>>,
    /// Plans that have been made, by variant and stones. A variant has few simpler ones.
    plans: Mutex<HashMap<(Variant, u32), Option<BuildPlan>>>,
    directory: Directory,
    /// The number of positions looked up, of all variants.
    probes: Arc<AtomicU64>,
}

/// The problem of an error of certificates.
pub(crate) fn of_book(error: BookError) -> Problem {
    let expected = "the server's certificates and tables, checked with 'fanorona check'";
    let what = match error {
        BookError::Tables(error) => return error.into(),
        BookError::Contradiction { .. } => "certificates and tables contradict each other",
        BookError::Certificate(_) => "a certificate is damaged or cannot be read",
        error => return Problem::new(ProblemKind::Internal, error, "nothing: report it"),
    };
    Problem::new(ProblemKind::DamagedTable, what, expected)
}

/// The state of the directory when it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Directory {
    modified: Option<SystemTime>,
    /// The hash of the names of all tables. A table's values follow from its name.
    names: u64,
}

impl Directory {
    fn modified(dir: Option<&Path>) -> Option<SystemTime> {
        fs::metadata(dir?).ok()?.modified().ok()
    }

    fn read(dir: Option<&Path>) -> Self {
        // First the time, so that what changes while the names are read is noticed.
        let modified = Self::modified(dir);
        let mut names: Vec<_> = keys(dir).map(|(key, _)| key.file_name()).collect();
        names.sort_unstable();
        let mut hash = Xxh3::new();
        names.iter().for_each(|name| {
            hash.update(name.as_bytes());
            hash.update(&[0]);
        });
        Self { modified, names: hash.digest() }
    }
}

/// The tables of a directory, by their names.
fn keys(dir: Option<&Path>) -> impl Iterator<Item = (TableKey, Layout)> {
    let files = dir.and_then(|dir| fs::read_dir(dir).ok()).into_iter().flatten();
    files
        .map_while(Result::ok)
        .filter_map(|file| TableKey::of_file_name(&file.file_name().to_string_lossy()).ok())
}

/// A table that a value would need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MissingTable {
    /// The slice of the table.
    pub slice: Slice,
    /// The variant whose tables hold the position. Its rules are simpler than those of the request if
    /// the difference no longer matters.
    pub variant: Variant,
}

/// What the tables say about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Probe {
    /// The value is known, or the game is over.
    Known(Assessment),
    /// This table is missing.
    Missing(MissingTable),
}

impl Library {
    /// A library of the tables of a directory, which are opened later, and of certificates of any
    /// variants. Certificates are believed: check those of unknown origin first.
    pub fn new(options: LibraryOptions, certificates: Vec<Certificate>) -> Self {
        let books = Book::by_game(certificates).into_iter().map(Arc::new).collect();
        Self { options, books, open: Mutex::new(Vec::new()), probes: Arc::default() }
    }

    /// The books, one for each variant that has certificates.
    pub fn books(&self) -> impl Iterator<Item = &Book> {
        self.books.iter().map(AsRef::as_ref)
    }

    /// How the library was made.
    pub fn options(&self) -> &LibraryOptions {
        &self.options
    }

    /// The tables of a variant. They stay open while they are used, whatever is opened meanwhile.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn tables(&self, variant: Variant) -> Result<Arc<VariantTables>, Problem> {
        let dir = self.options.dir.as_deref();
        let modified = Directory::modified(dir);
        let mut open = self.lock();
        if let Some(at) = open.iter().position(|tables| tables.variant == variant) {
            let mut found = open.remove(at);
            if found.directory.modified != modified {
                let directory = Directory::read(dir);
                found = if found.directory.names == directory.names {
                    // Other files have changed. The time is noted, the tables stay open.
                    match Arc::try_unwrap(found) {
                        Ok(tables) => Arc::new(VariantTables { directory, ..tables }),
                        Err(shared) => shared,
                    }
                } else {
                    self.open_tables(variant, directory)?
                };
            }
            open.push(found.clone());
            return Ok(found);
        }
        let new = self.open_tables(variant, Directory::read(dir))?;
        if open.len() >= self.options.open_variants.max(1) {
            open.remove(0);
        }
        open.push(new.clone());
        Ok(new)
    }

    fn open_tables(
        &self,
        variant: Variant,
        directory: Directory,
    ) -> Result<Arc<VariantTables>, Problem> {
        let Variant { board, rules } = variant;
        let open = |dir: &PathBuf| Tables::open_with(dir, board, rules, self.options.tables);
        // A directory that does not exist yet has no tables.
        let dir = self.options.dir.as_ref().filter(|dir| dir.is_dir());
        let tables = dir.map(open).transpose()?.map(Arc::new);
        let is_it = |book: &&Arc<Book>| (book.board(), book.rules()) == (board, rules);
        let book = self.books.iter().find(is_it).cloned();
        let (plans, probes) = (Mutex::default(), self.probes.clone());
        Ok(Arc::new(VariantTables { variant, tables, book, plans, directory, probes }))
    }

    /// The number of variants whose tables are open.
    pub fn num_open(&self) -> usize {
        self.lock().len()
    }

    /// The number of positions that were looked up in tables.
    pub fn probes(&self) -> &AtomicU64 {
        &self.probes
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<VariantTables>>> {
        // The list is whole between any two changes.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The variants that have tables, each with the largest number of stones of each metric, by board
    /// and rule set. By the names of the files; nothing is opened.
    pub fn contents(&self) -> Vec<Contents> {
        let mut contents: Vec<Contents> = Vec::new();
        for (key, layout) in keys(self.options.dir.as_deref()) {
            if layout != Layout::Packed {
                continue;
            }
            let stones = key.slice.stones();
            let entry = contents.iter_mut().find(|entry| {
                (entry.board, entry.rules, entry.metric) == (key.board, key.rules, key.metric)
            });
            match entry {
                Some(entry) => entry.max_stones = entry.max_stones.max(stones),
                None => contents.push(Contents {
                    board: key.board,
                    rules: key.rules,
                    metric: key.metric,
                    max_stones: stones,
                }),
            }
        }
        contents.sort_by_key(|entry| (entry.board.index(), entry.rules.to_string(), entry.metric));
        contents
    }

    /// The command that builds the tables with up to `stones` stones, if tables of that size can be
    /// numbered, and what it needs.
    pub fn build_plan(&self, variant: Variant, stones: u32) -> Option<BuildPlan> {
        let dir = self.options.dir.clone().unwrap_or_default();
        let Variant { board, rules } = variant;
        let estimate = estimate(&BuildOptions::new(dir, board, rules, stones)).ok()?;
        let mut command = format!("fanorona build --board {board}");
        if rules != Variant::default().rules {
            command += &format!(" --rules {rules}");
        }
        command += &format!(" --stones {stones} --metric wdl");
        if !self.options.directory_option.is_empty() {
            command += &format!(" {}", self.options.directory_option);
        }
        let memory_bytes = estimate.memory;
        (memory_bytes <= LARGEST_BUILD).then(|| BuildPlan {
            command,
            memory_bytes,
            disk_bytes: estimate.disk,
            fits_here: estimate.check().is_ok(),
        })
    }
}

/// No command is offered for tables whose build needs more memory than this. Few machines have it.
const LARGEST_BUILD: u64 = 1 << 40;

/// The tables of a variant, in short.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// The board.
    pub board: Board,
    /// The rule set.
    pub rules: fanorona_core::RuleSet,
    /// What the tables hold.
    pub metric: fanorona_tablebase::Metric,
    /// The largest number of stones of a table.
    pub max_stones: u32,
}

/// How missing tables can be built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildPlan {
    /// The command.
    pub command: String,
    /// The memory that it needs, estimated.
    pub memory_bytes: u64,
    /// The disk space for the missing tables, estimated on the high side.
    pub disk_bytes: u64,
    /// Whether this machine has as much memory and disk space.
    pub fits_here: bool,
}

impl VariantTables {
    /// The board and the rules.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The tables; `None` if there are none to look in.
    pub fn tables(&self) -> Option<&Arc<Tables>> {
        self.tables.as_ref()
    }

    /// The book of this variant, if there is one.
    pub fn book(&self) -> Option<&Arc<Book>> {
        self.book.as_ref()
    }

    /// A number that changes when there are other tables or certificates. It is the same on all
    /// machines with the same ones.
    pub fn identity(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.directory.names.to_le_bytes());
        for certificate in self.book.iter().flat_map(|book| book.certificates()) {
            hash.update(&certificate.checksum().to_le_bytes());
        }
        hash.digest()
    }

    /// [`Library::build_plan`], which is made once: it takes milliseconds.
    pub fn build_plan(
        &self,
        library: &Library,
        variant: Variant,
        stones: u32,
    ) -> Option<BuildPlan> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let plan = plans.entry((variant, stones));
        plan.or_insert_with(|| library.build_plan(variant, stones)).clone()
    }

    /// What the book proves of a position whose value the tables do not have.
    ///
    /// # Errors
    /// If a certificate or a table is damaged, or if they contradict each other.
    pub fn look_up(&self, position: &Position) -> Result<Assessment, Problem> {
        let Some(book) = &self.book else { return Ok(Assessment::UNKNOWN) };
        let found = book.lookup(position, self.tables.as_deref());
        Ok(Assessment::of_book(found.map_err(of_book)?.bounds))
    }

    /// The table that would hold a position in which the game is not over.
    fn table_of(&self, position: &Position) -> MissingTable {
        let slice = Slice::of(position).expect("both sides have stones until the game is over");
        let board = self.variant.board;
        let rules = self.variant.rules.endgame_of(position);
        MissingTable { slice, variant: Variant { board, rules } }
    }

    /// What the rules and the tables say about a position of this board.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read.
    pub fn probe(&self, position: &Position) -> Result<Probe, Problem> {
        if let Some(outcome) = self.variant.rules.outcome(position) {
            let value = outcome.value_for(position.to_move());
            return Ok(Probe::Known(Assessment::of_finished(value)));
        }
        let Some(tables) = &self.tables else {
            return Ok(Probe::Missing(self.table_of(position)));
        };
        self.probes.fetch_add(1, Ordering::Relaxed);
        match tables.probe(position) {
            Ok(found) => Ok(Probe::Known(Assessment::of_table(found))),
            Err(TableError::Missing { slice, board, rules, .. }) => {
                // In the first phase of the vela, the table's rules may have the colours swapped. A
                // build for this game builds it too.
                let rules = if rules.vela.is_some() { self.variant.rules } else { rules };
                Ok(Probe::Missing(MissingTable { slice, variant: Variant { board, rules } }))
            }
            Err(error) => Err(error.into()),
        }
    }
}
