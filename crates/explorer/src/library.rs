//! The tables and the books that answers come from.
//!
//! Tables are opened by board and rule set when they are first asked for. A limited number of variants
//! stays open; the one that was not used for the longest time is closed for a new one. When the
//! directory changes, its tables are opened again, so tables that are built meanwhile are found.

use std::collections::HashMap;
use std::fs;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use fanorona_core::{Board, RuleSet};
use fanorona_knowledge::{Book, BuildPlan, Knowledge, schema};
use fanorona_proof::Certificate;
use fanorona_tablebase::{Access, Layout, Metric, TableKey, Tables, TablesOptions};
use serde::Serialize;
use utoipa::ToSchema;
use xxhash_rust::xxh3::Xxh3;

use crate::build::Build;
use crate::problem::Problem;
use crate::variant::Variant;

/// Where tables are, and how they are opened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LibraryOptions {
    /// The directories of the tables; empty for no tables. A table that several have is that of the
    /// first one.
    pub dirs: Vec<PathBuf>,
    /// How tables are opened. The cache of blocks is separate for each variant.
    pub tables: TablesOptions,
    /// How they are opened for searches, if otherwise.
    pub search_access: Option<Access>,
    /// The number of variants, each a board and a rule set, whose tables are open at the same time.
    pub open_variants: usize,
    /// The option that names the directory in commands for building tables, as in
    /// `--tables DIR`; empty if it is the default.
    pub directory_option: String,
    /// Whether games without a certificate have that of their start, if it is a part of the program.
    pub starts: bool,
    /// Directories in which it can be too, as `BOARD-RULES.proof`.
    pub proofs: Vec<PathBuf>,
}

impl LibraryOptions {
    /// The tables of some directories, with the default options.
    pub fn new(dirs: impl IntoIterator<Item = PathBuf>) -> Self {
        let (dirs, tables) = (dirs.into_iter().collect(), TablesOptions::default());
        Self {
            dirs,
            tables,
            search_access: None,
            open_variants: 8,
            directory_option: String::new(),
            starts: false,
            proofs: Vec::new(),
        }
    }
}

/// The tables of a directory, and certificates.
#[derive(Debug)]
pub struct Library {
    options: Arc<LibraryOptions>,
    /// One for each variant that has certificates.
    books: Vec<Arc<Book>>,
    /// The last used one last. The lock is held for a moment only.
    open: Mutex<Vec<(Variant, Slot)>>,
}

/// The place of a variant. Opening takes time: only who asks for the same one waits.
type Slot = Arc<Mutex<Option<OpenVariant>>>;

/// How missing tables can be built, by variant and stones.
type Plans = HashMap<(Variant, u32), Option<Build>>;

/// The sources of one variant, opened. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OpenVariant {
    variant: Variant,
    knowledge: Knowledge,
    /// Those that have been made. A variant has few simpler ones.
    plans: Arc<Mutex<Plans>>,
    options: Arc<LibraryOptions>,
    directory: Directory,
}

/// The state of the directories when they were read.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Directory {
    modified: Vec<Option<SystemTime>>,
    /// The hash of the names of all tables. A table's values follow from its name.
    names: u64,
    /// The hash of the names, lengths and times of all tables: other files can be other tables.
    files: u64,
}

impl Directory {
    fn modified(dirs: &[PathBuf]) -> Vec<Option<SystemTime>> {
        dirs.iter().map(|dir| fs::metadata(dir).ok()?.modified().ok()).collect()
    }

    fn read(dirs: &[PathBuf], access: Access) -> Self {
        // First the time, so that what changes while the names are read is noticed.
        let modified = Self::modified(dirs);
        let mut tables: Vec<_> = tables_in(dirs, access)
            .map(|(path, (key, _))| {
                let found = fs::metadata(path);
                let state = found.map(|found| (found.len(), found.modified().ok()));
                (key.file_name(), state.ok())
            })
            .collect();
        tables.sort_unstable();
        let (mut names, mut files) = (Xxh3::new(), Xxh3::new());
        let mut last = None;
        for (name, state) in &tables {
            // Several directories may have a table.
            if last.replace(name) != Some(name) {
                names.update(name.as_bytes());
                names.update(&[0]);
            }
            (name, state).hash(&mut files);
        }
        Self { modified, names: names.digest(), files: files.digest() }
    }
}

/// The tables of directories, by the names of the files.
fn tables_in(
    dirs: &[PathBuf],
    access: Access,
) -> impl Iterator<Item = (PathBuf, (TableKey, Layout))> {
    let files = dirs.iter().filter_map(move |dir| Some((dir, access.names(dir).ok()?)));
    files.flat_map(|(dir, names)| {
        names.into_iter().filter_map(|name| {
            let table = TableKey::of_file_name(&name)?;
            Some((dir.join(name), table))
        })
    })
}

impl Library {
    /// A library of the tables of a directory, which are opened later, and of certificates of any
    /// variants. Certificates are believed: check those of unknown origin first.
    pub fn new(options: LibraryOptions, certificates: Vec<Certificate>) -> Self {
        let books = Book::by_game(certificates).into_iter().map(Arc::new).collect();
        Self { options: Arc::new(options), books, open: Mutex::default() }
    }

    /// The books, one for each variant that has certificates.
    pub fn books(&self) -> impl Iterator<Item = &Book> {
        self.books.iter().map(AsRef::as_ref)
    }

    /// How the library was made.
    pub fn options(&self) -> &LibraryOptions {
        &self.options
    }

    /// The sources of a variant. They stay open while they are used, whatever is opened meanwhile.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn open(&self, variant: Variant) -> Result<OpenVariant, Problem> {
        let dirs = &self.options.dirs;
        let slot = self.slot(variant);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match slot.take() {
            Some(found) if found.directory.modified == Directory::modified(dirs) => found,
            found => {
                let directory = Directory::read(dirs, self.options.tables.access);
                match found {
                    // Other files have changed. The time is noted, the tables stay open.
                    Some(found) if found.directory.files == directory.files => {
                        OpenVariant { directory, ..found }
                    }
                    _ => self.open_new(variant, directory)?,
                }
            }
        };
        Ok(slot.insert(found).clone())
    }

    /// The place of a variant, which becomes the last used one.
    fn slot(&self, variant: Variant) -> Slot {
        let mut open = self.lock();
        let known = open.iter().position(|(found, _)| *found == variant);
        let slot = known.map_or_else(Slot::default, |at| open.remove(at).1);
        if open.len() >= self.options.open_variants.max(1) {
            open.remove(0);
        }
        open.push((variant, slot.clone()));
        slot
    }

    fn open_new(&self, variant: Variant, directory: Directory) -> Result<OpenVariant, Problem> {
        let Variant { board, rules } = variant;
        // A directory that does not exist yet has no tables.
        let access = self.options.tables.access;
        let dirs = self.options.dirs.iter().filter(|dir| access.check_dir(dir).is_ok());
        let dirs: Vec<_> = dirs.collect();
        let open = |access| {
            let options = TablesOptions { access, ..self.options.tables };
            let tables = (!dirs.is_empty())
                .then(|| Tables::open_dirs(&dirs, board, rules, options).map(Arc::new));
            tables.transpose()
        };
        let tables = open(access)?;
        let search_tables = self.options.search_access.map(open).transpose()?.flatten();
        let is_it = |book: &&Arc<Book>| (book.board(), book.rules()) == (board, rules);
        let book = match self.books.iter().find(is_it) {
            Some(book) => Some(book.clone()),
            None => Book::of_start_in(&self.options.proofs, access, board, &rules)?.map(Arc::new),
        };
        let mut knowledge = Knowledge::new(board, rules, tables, book)?;
        if self.options.starts {
            knowledge = knowledge.with_start()?;
        }
        let knowledge = knowledge.with_search_tables(search_tables)?;
        let (plans, options) = (Arc::default(), self.options.clone());
        Ok(OpenVariant { variant, knowledge, plans, options, directory })
    }

    /// The number of variants whose tables are open.
    pub fn num_open(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Variant, Slot)>> {
        // The list is whole between any two changes.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The variants that have tables, each with the largest number of stones of each metric, by board
    /// and rule set. By the names of the files; nothing is opened.
    pub fn contents(&self) -> Vec<Contents> {
        let mut contents: Vec<Contents> = Vec::new();
        for (_, (key, _)) in tables_in(&self.options.dirs, self.options.tables.access) {
            let (board, rules, metric) = (key.board, key.rules, key.metric);
            let max_stones = key.slice.stones();
            let is_it =
                |of: &&mut Contents| (of.board, of.rules, of.metric) == (board, rules, metric);
            match contents.iter_mut().find(is_it) {
                Some(entry) => entry.max_stones = entry.max_stones.max(max_stones),
                None => contents.push(Contents { board, rules, max_stones, metric }),
            }
        }
        contents.sort_by_key(|entry| (entry.board.index(), entry.rules.to_string(), entry.metric));
        contents
    }
}

/// The tables of a game, in short.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[schema(as = TablesEntry)]
#[serde(deny_unknown_fields)]
pub struct Contents {
    /// The board.
    #[schema(value_type = String)]
    pub board: Board,
    /// The rule set.
    #[schema(value_type = String)]
    pub rules: RuleSet,
    /// The largest number of stones of a table.
    pub max_stones: u32,
    /// The values in the tables: `wdl` or `dtw`, with distances.
    #[schema(value_type = schema::Metric)]
    pub metric: Metric,
}

impl OpenVariant {
    /// The same, but every question fails when this flag is set.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Self {
        Self { knowledge: self.knowledge.with_stop(stop), ..self }
    }

    /// The board and the rules.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The rules, tables and certificates that answer questions about its positions.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// A number that changes when there are other tables or certificates. It is the same on all
    /// machines with the same ones.
    pub fn identity(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.directory.names.to_le_bytes());
        for certificate in self.knowledge.book().iter().flat_map(|book| book.certificates()) {
            hash.update(&certificate.checksum().to_le_bytes());
        }
        hash.digest()
    }

    /// The option that names the tables in commands, as in `--tables DIR`. It names the default
    /// directory if the server keeps its own to itself.
    pub(crate) fn tables_option(&self) -> &str {
        match self.options.directory_option.as_str() {
            "" => "--tables tables",
            option => option,
        }
    }

    /// How tables up to a number of stones can be built, of this variant or of one with simpler
    /// rules. `None` if no common machine can.
    pub fn build(&self, variant: Variant, stones: u32) -> Option<Build> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let plan = plans.entry((variant, stones)).or_insert_with(|| {
            let dir = self.options.dirs.first().map_or(Path::new(""), PathBuf::as_path);
            let plan = BuildPlan::new(dir, variant.board, variant.rules, stones)?;
            Some(Build::new(&plan, &self.options.directory_option))
        });
        plan.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_slow_opening_holds_nobody_else() {
        let library = Library::new(LibraryOptions::new([]), Vec::new());
        let variant = |rules| Variant::parse(Some("3x3"), Some(rules), None).expect("it is one");
        let [slow, other] = ["standard", "free-capture"].map(variant);
        // Who opens a variant has its slot.
        let slot = library.slot(slow);
        let opening = slot.lock().expect("nobody has it");
        let (sender, opened) = channel();
        thread::scope(|scope| {
            for variant in [slow, slow, other] {
                let (library, sender) = (&library, sender.clone());
                scope.spawn(move || {
                    let open = library.open(variant).expect("it is opened");
                    sender.send(Box::new(open)).expect("the test waits");
                });
            }
            let next = || opened.recv_timeout(Duration::from_secs(60)).expect("it is opened");
            assert_eq!(next().variant(), other);
            assert!(opened.recv_timeout(Duration::from_millis(100)).is_err(), "the slot is used");
            drop(opening);
            let [first, second] = [next(), next()];
            assert_eq!((first.variant(), second.variant()), (slow, slow));
            assert!(Arc::ptr_eq(&first.plans, &second.plans), "it is opened once");
        });
    }
}
