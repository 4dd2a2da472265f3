//! The tables of a directory, or of several.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use fanorona_core::{Board, ErrorKind, RuleSet};
use fanorona_storage::{Access, BlockCache, FileError};

use crate::error::{Result, TableError};
use crate::format::TableFile;
use crate::index::{SliceIndex, check_size, num_entries};
use crate::key::{Layout, TableKey, captures_decide};
use crate::orbits::OrbitSets;
use crate::slice::{Role, Slice, slices_of_game};
use crate::value::Metric;

/// The tables of one board and rule set in a directory, or in several.
///
/// Opening is cheap: each file is opened at first use and stays open. Threads can share a `Tables`
/// and its cache of blocks. By default, unpacked tables are used where they exist.
#[derive(Debug)]
pub struct Tables {
    /// Never empty.
    dirs: Vec<PathBuf>,
    rules: RuleSet,
    options: TablesOptions,
    sets: Arc<OrbitSets>,
    cache: Arc<BlockCache>,
    /// By number, opened at first use. `None` is a file that does not exist.
    files: Vec<OnceLock<Option<TableFile>>>,
    /// Whether a directory had an unpacked table when that was first asked.
    has_unpacked: OnceLock<bool>,
    /// Whether a directory had a table with distances when that was first asked.
    has_distances: OnceLock<bool>,
}

/// Options for opening tables. The default reads files instead of mapping them, uses unpacked
/// tables where they exist, and caches up to 64 MiB of blocks.
#[derive(Clone, Copy, Debug)]
pub struct TablesOptions {
    /// Whether files are read or mapped.
    pub access: Access,
    /// Whether unpacked tables are used where they exist. If they are mapped, only
    /// [`TableFile::check`] notices values that were changed in the file.
    pub unpacked: bool,
    /// The approximate size in bytes of the cache of blocks, which all threads share. See
    /// [`BlockCache::new`].
    pub cache_bytes: usize,
    /// The number of threads that compute orbits; with `None`, as many as the current rayon pool has,
    /// which is started if there is none.
    pub threads: Option<NonZeroUsize>,
}

impl Default for TablesOptions {
    fn default() -> Self {
        Self { access: Access::default(), unpacked: true, cache_bytes: 64 << 20, threads: None }
    }
}

/// The number of a file, by slice, role and metric.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct FileNumber(pub(super) u16);

impl FileNumber {
    const ALL: std::ops::Range<u16> = 0..3 * 2 * 32 * 32;

    /// The file of a slice with its role. Each side has up to 31 stones, the most of any board.
    #[inline]
    fn of(slice: Slice, metric: Metric) -> Self {
        let Slice { own, opponent, role } = slice;
        let role = role.map_or(0, |role| 1 + role as u16);
        let [own, opponent] = [own, opponent].map(u16::from);
        Self(((role * 32 + own) * 32 + opponent) * 2 + metric as u16)
    }

    /// The file of a slice under its rules.
    #[inline]
    pub(super) fn new(rules: &RuleSet, slice: Slice, metric: Metric) -> Self {
        Self::of(slice.with_role(Role::of_white(rules)), metric)
    }
}

impl Tables {
    /// The tables in a directory, with the default [options](TablesOptions).
    ///
    /// # Errors
    /// [`TableError::NoDirectory`] if the directory does not exist. A directory without tables is
    /// not an error here; probing it returns [`TableError::Missing`].
    pub fn open(dir: impl AsRef<Path>, board: Board, rules: RuleSet) -> Result<Self> {
        Self::open_dirs(&[dir], board, rules, TablesOptions::default())
    }

    /// The tables in some directories. A table that several have is that of the first one.
    ///
    /// # Errors
    /// As for [`open`](Self::open), for each directory; and without a directory.
    pub fn open_dirs(
        dirs: &[impl AsRef<Path>],
        board: Board,
        rules: RuleSet,
        options: TablesOptions,
    ) -> Result<Self> {
        let cache = Arc::new(BlockCache::new(options.cache_bytes));
        let sets = Arc::new(OrbitSets::new(board).with_threads(options.threads));
        Self::open_shared(dirs, sets, cache, rules, options)
    }

    /// The packed tables in the same directories for any board and rule set. Unpacked tables are
    /// ignored, so [`TableFile::checksum`] covers all bytes that values are read from.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn packed(&self, board: Board, rules: RuleSet) -> Result<Self> {
        let sets = match board == self.board() {
            true => self.sets.clone(),
            false => Arc::new(OrbitSets::new(board).with_threads(self.options.threads)),
        };
        let options = TablesOptions { unpacked: false, ..self.options };
        Self::open_shared(&self.dirs, sets, self.cache.clone(), rules, options)
    }

    /// The same tables, with or without unpacked ones.
    pub(crate) fn reopened(&self, unpacked: bool) -> Result<Self> {
        let options = TablesOptions { unpacked, ..self.options };
        let (sets, cache) = (self.sets.clone(), self.cache.clone());
        Self::open_shared(&self.dirs, sets, cache, self.rules, options)
    }

    /// The same tables without unpacked ones. They are mapped only if both these and those of
    /// `other` are.
    pub(crate) fn packed_with_access_of(&self, other: &Self) -> Result<Self> {
        let mut packed = self.reopened(false)?;
        if !other.options.access.is_map() {
            packed.options.access = Access::READ;
        }
        Ok(packed)
    }

    /// Opens tables with orbits and a cache that other tables may share.
    fn open_shared(
        dirs: &[impl AsRef<Path>],
        sets: Arc<OrbitSets>,
        cache: Arc<BlockCache>,
        rules: RuleSet,
        options: TablesOptions,
    ) -> Result<Self> {
        let dirs: Vec<_> = dirs.iter().map(|dir| dir.as_ref().to_owned()).collect();
        if dirs.is_empty() {
            let (dir, source) = (PathBuf::new(), io::ErrorKind::NotFound.into());
            return Err(TableError::NoDirectory { dir, source });
        }
        for dir in &dirs {
            let wrap = |source| TableError::NoDirectory { dir: dir.clone(), source };
            options.access.check_dir(dir).map_err(wrap)?;
        }
        Ok(Self {
            dirs,
            rules,
            options,
            sets,
            cache,
            files: FileNumber::ALL.map(|_| OnceLock::new()).collect(),
            has_unpacked: OnceLock::new(),
            has_distances: OnceLock::new(),
        })
    }

    /// The directory, or the first of several.
    pub fn dir(&self) -> &Path {
        &self.dirs[0]
    }

    /// The directories, of which there is at least one.
    pub fn dirs(&self) -> &[PathBuf] {
        &self.dirs
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> Board {
        self.sets.board()
    }

    /// The rule set.
    #[inline]
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// Checks that the tables are of this game. Where they serve several rule sets, they have to be
    /// opened for this one.
    ///
    /// # Errors
    /// [`TableError::OtherGame`] if they are not.
    pub fn check_game(&self, board: Board, rules: &RuleSet) -> Result<()> {
        let (found_board, found_rules) = (self.board(), self.rules);
        if (found_board, found_rules) == (board, *rules) {
            return Ok(());
        }
        Err(TableError::OtherGame { board, rules: *rules, found_board, found_rules })
    }

    /// The options that the tables were opened with.
    pub fn options(&self) -> &TablesOptions {
        &self.options
    }

    /// The orbits that tables of this board are indexed by.
    #[inline]
    pub(crate) fn sets(&self) -> &OrbitSets {
        &self.sets
    }

    #[inline]
    pub(crate) fn cache(&self) -> &BlockCache {
        &self.cache
    }

    /// Whether there are unpacked tables, and probing uses them.
    #[inline]
    pub(super) fn uses_unpacked(&self) -> bool {
        self.options.unpacked
            && *self.has_unpacked.get_or_init(|| {
                self.has_any(|(key, layout)| {
                    layout == Layout::Unpacked && key.board == self.board()
                })
            })
    }

    /// The error of a table that does not exist: of a metric, or of both.
    pub fn missing(&self, rules: &RuleSet, slice: Slice, metric: Option<Metric>) -> TableError {
        let (board, dir) = (self.board(), self.dir().to_owned());
        let rules = slice.with_role_of_white(board, rules).rules(board, rules);
        TableError::Missing { slice: slice.counts(), board, rules, metric, dir }
    }

    /// The table of a slice, the unpacked one if both exist and the [options](TablesOptions) say so;
    /// `None` if none exists. In the vela, the side to move has White if the slice has no role.
    ///
    /// # Errors
    /// If the file is damaged or holds another table than its name says.
    pub fn table(&self, slice: Slice, metric: Metric) -> Result<Option<&TableFile>> {
        self.table_for(&self.rules_of(slice), slice, metric)
    }

    /// The table of a slice, as in [`table`](Self::table), which must exist.
    ///
    /// # Errors
    /// [`TableError::Missing`] if it does not; others as for `table`.
    pub fn existing(&self, slice: Slice, metric: Metric) -> Result<&TableFile> {
        let missing = || self.missing(&self.rules, slice, Some(metric));
        self.table(slice, metric)?.ok_or_else(missing)
    }

    /// The table of a slice under its [rules](Slice::rules).
    #[inline]
    pub(crate) fn table_for(
        &self,
        rules: &RuleSet,
        slice: Slice,
        metric: Metric,
    ) -> Result<Option<&TableFile>> {
        if !slice.is_on(self.board()) {
            return Ok(None);
        }
        let slice = slice.with_role(Role::of_white(rules));
        match self.file(FileNumber::of(slice, metric)).get() {
            Some(file) => Ok(file.as_ref()),
            None => self.open_for(rules, slice, metric),
        }
    }

    /// Opens the table of a slice with its role at first use.
    #[cold]
    fn open_for(
        &self,
        rules: &RuleSet,
        slice: Slice,
        metric: Metric,
    ) -> Result<Option<&TableFile>> {
        let key = TableKey { board: self.board(), rules: *rules, slice, metric };
        let open = |dir: &PathBuf| {
            let is_unpacked = self.uses_unpacked() && self.has_in(dir, &key);
            let layout = if is_unpacked { Layout::Unpacked } else { Layout::Packed };
            open_table(dir, &key, layout, self.options.access).transpose()
        };
        let file = self.dirs.iter().find_map(open).transpose()?;
        if let Some(file) = &file {
            self.check_content(file)?;
        }
        Ok(self.file(FileNumber::of(slice, metric)).get_or_init(|| file).as_ref())
    }

    /// Whether a directory has the unpacked table of a key.
    fn has_in(&self, dir: &Path, key: &TableKey) -> bool {
        self.options.access.exists(&dir.join(key.file_name_in(Layout::Unpacked)))
    }

    /// Whether the unpacked table of a slice under its rules exists.
    pub(crate) fn has_unpacked(&self, rules: &RuleSet, slice: Slice, metric: Metric) -> bool {
        let key = TableKey { board: self.board(), rules: *rules, slice, metric };
        self.uses_unpacked() && self.dirs.iter().any(|dir| self.has_in(dir, &key))
    }

    /// The first existing table of a slice under its [rules](Slice::rules), in the order of some metrics.
    #[inline]
    pub(crate) fn first_table(
        &self,
        rules: &RuleSet,
        slice: Slice,
        metrics: &[Metric],
    ) -> Result<Option<&TableFile>> {
        for metric in metrics {
            if let Some(table) = self.table_for(rules, slice, *metric)? {
                return Ok(Some(table));
            }
        }
        Ok(None)
    }

    /// Checks that a table has the number of values of its slice's index, and that it stores
    /// positions with captures if captures are optional.
    fn check_content(&self, file: &TableFile) -> Result<()> {
        let metadata = file.metadata();
        let slice = metadata.slice;
        // Orbits take time: more than a second for nine stones. The first probe that needs them
        // computes them.
        check_size(self.board(), slice)?;
        let values = num_entries(self.board(), slice);
        let what = if metadata.values != values {
            format!("slice {slice} has {values} values, not {}", metadata.values)
        } else if !metadata.captures_stored && !captures_decide(&metadata.rules) {
            "positions with captures have no values, but captures are optional".to_owned()
        } else {
            return Ok(());
        };
        Err(FileError::Corrupt { path: file.path().to_owned(), what, offset: 0 }.into())
    }

    /// The rules of a slice; without a role, with White to move.
    pub(super) fn rules_of(&self, slice: Slice) -> RuleSet {
        slice.with_role_of_white(self.board(), &self.rules).rules(self.board(), &self.rules)
    }

    #[inline]
    fn file(&self, number: FileNumber) -> &OnceLock<Option<TableFile>> {
        &self.files[usize::from(number.0)]
    }

    /// The file with a number, which must be open.
    #[inline]
    pub(super) fn open_file(&self, number: FileNumber) -> &TableFile {
        self.file(number).get().and_then(Option::as_ref).expect("the file is open")
    }

    /// The table of a slice, if it is already open. The slice must be on the board.
    #[inline]
    pub(super) fn open_already(&self, slice: Slice, metric: Metric) -> Option<&TableFile> {
        self.file(FileNumber::of(slice, metric)).get()?.as_ref()
    }

    /// All tables of the game that exist, smaller slices first. In the vela, these are those of
    /// both phases, whoever is to move.
    ///
    /// # Errors
    /// As for [`table`](Self::table).
    pub fn all(&self) -> Result<Vec<&TableFile>> {
        let most = 2 * self.board().max_stones();
        let mut found = Vec::new();
        for (rules, slice) in slices_of_game(self.board(), &self.rules, most) {
            for metric in Metric::ALL {
                found.extend(self.table_for(&rules, slice, metric)?);
            }
        }
        Ok(found)
    }

    /// Does now what the first probes would do: opens the tables of up to a number of stones, and
    /// computes their orbits, which takes 0.1 s for 7 stones of a side of 9x5, 0.4 s for 8 and 1.3 s for
    /// 9. Returns the greatest number of stones, at most `stones`, up to which one of the metrics lacks
    /// no table.
    ///
    /// # Errors
    /// As for [`table`](Self::table).
    pub fn prepare(&self, stones: u32) -> Result<u32> {
        self.has_distances();
        let most = stones.min(2 * self.board().max_stones());
        let mut complete = [most; Metric::ALL.len()];
        for (rules, slice) in slices_of_game(self.board(), &self.rules, most) {
            for (metric, complete) in Metric::ALL.into_iter().zip(&mut complete) {
                match self.table_for(&rules, slice, metric)? {
                    Some(_) => drop(SliceIndex::new(&self.sets, slice)?),
                    None => *complete = (*complete).min(slice.stones() - 1),
                }
            }
        }
        Ok(complete.into_iter().max().unwrap_or(0))
    }

    /// Whether a directory has any table with distances, of any board and rule set. Read once.
    pub fn has_distances(&self) -> bool {
        *self.has_distances.get_or_init(|| self.has_any(|(key, _)| key.metric.has_distances()))
    }

    /// Whether a directory has a file with a name like this.
    fn has_any(&self, is_it: impl Fn((TableKey, Layout)) -> bool) -> bool {
        let names = self.dirs.iter().filter_map(|dir| self.options.access.names(dir).ok());
        names.flatten().any(|name| TableKey::of_file_name(&name).is_some_and(&is_it))
    }
}

/// Opens a table and checks that its metadata match its name. `None` if the file does not exist.
///
/// # Errors
/// If the file is damaged, or holds another table.
pub fn open_table(
    dir: &Path,
    key: &TableKey,
    layout: Layout,
    access: Access,
) -> Result<Option<TableFile>> {
    let path = dir.join(key.file_name_in(layout));
    let file = match TableFile::open_with(&path, access) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let (found, expected) = (file.metadata().key(), *key);
    if found != expected {
        return Err(TableError::Other { path, found, expected });
    }
    if file.metadata().layout != layout {
        let what =
            "it is packed and its name is that of an unpacked table, or the reverse".to_owned();
        return Err(FileError::Corrupt { path, what, offset: 0 }.into());
    }
    Ok(Some(file))
}
