//! Probing: from a position to its value.

mod batch;
mod cache;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use fanorona_core::{Board, PointSet, Position, RuleSet, Side, Turn, Value};

use crate::error::{Result, TableError};
use crate::format::{Access, EXTENSION, TableFile, UnpackedFile};
use crate::index::SliceIndex;
use crate::key::{TableKey, captures_are_stored};
use crate::orbits::OrbitSets;
use crate::slice::Slice;
use crate::value::{Code, Metric, TableValue};

/// The tables of one board and rule set in a directory.
///
/// Opening is cheap: a table is opened when it is first needed. Shared between threads, each of
/// which keeps a few unpacked blocks of its own. Where a table has been [unpacked](crate::unpack),
/// values are taken from there.
///
/// ```no_run
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_tablebase::Tables;
/// let tables = Tables::open("tables", Board::tsivy(), RuleSet::STANDARD)?;
/// let position = "9/9/2W1B4/9/9 w".parse()?;
/// println!("{:?}", tables.probe(&position)?);
/// for ranked in tables.rank(&position)? {
///     println!("{} {:?}", ranked.turn.text(&position), ranked.value);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tables {
    dir: PathBuf,
    board: Board,
    rules: RuleSet,
    access: Access,
    sets: Arc<OrbitSets>,
    /// By own stones, opponent's stones and metric.
    files: Vec<OnceLock<Option<TableFile>>>,
    /// The unpacked tables, likewise.
    unpacked: Vec<OnceLock<Option<UnpackedFile>>>,
    /// Whether probing takes values from unpacked tables where it can.
    probes_unpacked: bool,
    /// Whether the directory had a table with distances when that was first asked.
    has_distances: OnceLock<bool>,
}

/// A turn with what it is worth to the side that makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedTurn {
    /// The turn.
    pub turn: Turn,
    /// The position after it, the other side to move.
    pub after: Position,
    /// The value for the mover, and the turns of both sides until the end, this one included.
    pub value: TableValue,
}

impl Tables {
    /// The tables in a directory for a board and a rule set, memory-mapped.
    ///
    /// # Errors
    /// If there is no such directory.
    pub fn open(dir: impl AsRef<Path>, board: Board, rules: RuleSet) -> Result<Self> {
        Self::open_with(dir, board, rules, Access::Mapped)
    }

    /// The same, with the choice not to map files. Unpacked tables are then left alone, for values
    /// there have no checksum that could be compared at each probe.
    ///
    /// # Errors
    /// If there is no such directory.
    pub fn open_with(
        dir: impl AsRef<Path>,
        board: Board,
        rules: RuleSet,
        access: Access,
    ) -> Result<Self> {
        Self::open_sets(dir.as_ref(), Arc::new(OrbitSets::new(board)), rules, access)
    }

    /// The same, indexed by sets that other tables may share.
    fn open_sets(dir: &Path, sets: Arc<OrbitSets>, rules: RuleSet, access: Access) -> Result<Self> {
        let (dir, board) = (dir.to_owned(), sets.board());
        match fs::metadata(&dir) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                return Err(TableError::NoDirectory {
                    dir,
                    source: io::ErrorKind::NotADirectory.into(),
                });
            }
            Err(source) => return Err(TableError::NoDirectory { dir, source }),
        }
        let files = (0..2 * 32 * 32).map(|_| OnceLock::new()).collect();
        let unpacked = (0..2 * 32 * 32).map(|_| OnceLock::new()).collect();
        let probes_unpacked = access == Access::Mapped;
        let has_distances = OnceLock::new();
        Ok(Self {
            dir,
            board,
            rules,
            access,
            sets,
            files,
            unpacked,
            probes_unpacked,
            has_distances,
        })
    }

    /// The tables in the same directory for another board or rule set, of which probing takes no
    /// unpacked ones: each value is then from bytes that go into [`TableFile::checksum`].
    ///
    /// # Errors
    /// If there is no such directory any more.
    pub fn packed(&self, board: Board, rules: RuleSet) -> Result<Self> {
        let sets =
            if board == self.board { self.sets.clone() } else { Arc::new(OrbitSets::new(board)) };
        let tables = Self::open_sets(&self.dir, sets, rules, self.access)?;
        Ok(Self { probes_unpacked: false, ..tables })
    }

    /// The same tables, of which probing takes the unpacked ones where they are, or never.
    pub(crate) fn reopened(&self, probes_unpacked: bool) -> Result<Self> {
        let tables = Self::open_sets(&self.dir, self.sets.clone(), self.rules, self.access)?;
        Ok(Self { probes_unpacked, ..tables })
    }

    /// The same tables, of which probing takes the packed ones. They are mapped only if these are and
    /// those of `other` too.
    pub(crate) fn packed_with_access_of(&self, other: &Self) -> Result<Self> {
        let access = if other.access == Access::Mapped { self.access } else { other.access };
        let tables = Self::open_sets(&self.dir, self.sets.clone(), self.rules, access)?;
        Ok(Self { probes_unpacked: false, ..tables })
    }

    /// How files are accessed.
    pub fn access(&self) -> Access {
        self.access
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The rule set.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The orbits that tables of this board are indexed by.
    pub(crate) fn sets(&self) -> &OrbitSets {
        &self.sets
    }

    /// The table of a slice; `None` if there is none.
    ///
    /// # Errors
    /// If there is a file that is damaged or for something else than its name says, or if the slice
    /// is in the first phase of the vela.
    pub fn table(&self, slice: Slice, metric: Metric) -> Result<Option<&TableFile>> {
        let rules = slice.rules(self.board, &self.rules)?;
        self.table_for(&rules, slice, metric)
    }

    /// The table of a slice under the rule set that is left of this one there.
    fn table_for(
        &self,
        rules: &RuleSet,
        slice: Slice,
        metric: Metric,
    ) -> Result<Option<&TableFile>> {
        if !slice.is_on(self.board) {
            return Ok(None);
        }
        let slot = &self.files[place(slice, metric)];
        if let Some(file) = slot.get() {
            return Ok(file.as_ref());
        }
        let key = TableKey::new(self.board, rules, slice, metric)?;
        let file = open_table(&self.dir, &key, self.access)?;
        if let Some(file) = &file {
            self.check_size(file)?;
        }
        Ok(slot.get_or_init(|| file).as_ref())
    }

    /// The unpacked table of a slice; `None` if there is none, or no packed one that it could be
    /// from.
    ///
    /// # Errors
    /// As for [`table`](Self::table), for either file, and [`TableError::Foreign`] if the unpacked
    /// table is not from the packed one.
    pub fn unpacked(&self, slice: Slice, metric: Metric) -> Result<Option<&UnpackedFile>> {
        let rules = slice.rules(self.board, &self.rules)?;
        self.unpacked_for(&rules, slice, metric)
    }

    /// The unpacked table under the rule set that is left of this one there.
    #[inline]
    fn unpacked_for(
        &self,
        rules: &RuleSet,
        slice: Slice,
        metric: Metric,
    ) -> Result<Option<&UnpackedFile>> {
        if !slice.is_on(self.board) {
            return Ok(None);
        }
        let slot = &self.unpacked[place(slice, metric)];
        if let Some(file) = slot.get() {
            return Ok(file.as_ref());
        }
        self.open_unpacked(rules, slice, metric)
    }

    /// Opens it at the first need; the packed table is not needed where there is no unpacked one.
    #[cold]
    fn open_unpacked(
        &self,
        rules: &RuleSet,
        slice: Slice,
        metric: Metric,
    ) -> Result<Option<&UnpackedFile>> {
        let key = TableKey::new(self.board, rules, slice, metric)?;
        let file = match self.dir.join(key.unpacked_name()).exists() {
            true => self.table_for(rules, slice, metric)?,
            false => None,
        };
        let file = file.map(|packed| open_unpacked(&self.dir, packed, self.access)).transpose()?;
        Ok(self.unpacked[place(slice, metric)].get_or_init(|| file.flatten()).as_ref())
    }

    /// The tables that are there, smaller slices first.
    ///
    /// # Errors
    /// As for [`table`](Self::table).
    pub fn all(&self) -> Result<Vec<&TableFile>> {
        let mut found = Vec::new();
        for unit in crate::Unit::up_to(self.board, 2 * self.board.max_stones()) {
            for slice in unit.slices() {
                for metric in Metric::ALL {
                    match self.table(slice, metric) {
                        Ok(file) => found.extend(file),
                        Err(TableError::VelaPhase1 { .. }) => {}
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        Ok(found)
    }

    /// The value of a position: with its distance if the directory has `dtw` tables for it, without
    /// from `wdl` tables.
    ///
    /// Positions in which a capture is mandatory are decided by searching captures; a quiet one
    /// costs one look-up, some microseconds where its block must be unpacked.
    ///
    /// # Errors
    /// [`TableError::Missing`] if a table is not there; others if one is damaged.
    pub fn probe(&self, position: &Position) -> Result<TableValue> {
        if let Some(value) = self.finished(position, Metric::Dtw)? {
            return Ok(value);
        }
        self.with_either_metric(|metric| Ok(self.code(position, metric)?.to_table_value(metric)))
    }

    /// The value of a position from tables of one metric.
    ///
    /// # Errors
    /// As for [`probe`](Self::probe).
    pub fn probe_metric(&self, position: &Position, metric: Metric) -> Result<TableValue> {
        match self.finished(position, metric)? {
            Some(value) => Ok(value),
            None => Ok(self.code(position, metric)?.to_table_value(metric)),
        }
    }

    /// The value of a position in which the game is over.
    fn finished(&self, position: &Position, metric: Metric) -> Result<Option<TableValue>> {
        self.check_board(position)?;
        Ok(self.rules.outcome(position).map(|outcome| {
            let value = outcome.value_for(position.to_move());
            let dtw = (metric == Metric::Dtw && value != Value::Draw).then_some(0);
            TableValue { value, dtw }
        }))
    }

    /// Win, draw or loss for the side to move, from the stones of both sides. From a table that is
    /// [unpacked](crate::unpack) this is the quickest probe there is: a look into two large tables
    /// and no search. From others it costs what [`probe`](Self::probe) does.
    ///
    /// # Errors
    /// [`TableError::NotAPosition`] if the stones are none; others as for [`probe`](Self::probe).
    #[inline]
    pub fn wdl(&self, own: PointSet, opponent: PointSet) -> Result<Value> {
        let count = |stones: PointSet| stones.len() as u8;
        let slice = Slice { own: count(own), opponent: count(opponent) };
        let on_board = (own | opponent).is_subset(self.board.all_points());
        if on_board
            && !own.intersects(opponent)
            && slice.is_on(self.board)
            && let Some(Some(file)) = self.unpacked[place(slice, Metric::Wdl)].get()
            && self.probes_unpacked
            // In the vela colours matter, of which stones alone say nothing.
            && self.rules.vela.is_none()
        {
            return Ok(file.code(self.index(slice, own, opponent)?)?.value());
        }
        self.wdl_of_position(own, opponent)
    }

    /// The same by way of a position, which opens what is needed.
    #[cold]
    fn wdl_of_position(&self, own: PointSet, opponent: PointSet) -> Result<Value> {
        let board = self.board;
        let position = Position::from_mover(board, own, opponent, Side::White)
            .map_err(|source| TableError::NotAPosition { board, source })?;
        if let Some(slice) = Slice::of(&position) {
            // Where colours matter, sets of stones say too little.
            slice.rules(board, &self.rules)?;
        }
        match self.probe_metric(&position, Metric::Wdl) {
            Err(TableError::Missing { .. }) => self.probe(&position).map(|found| found.value),
            found => found.map(|found| found.value),
        }
    }

    #[inline]
    fn index(&self, slice: Slice, own: PointSet, opponent: PointSet) -> Result<u64> {
        Ok(SliceIndex::new(&self.sets, slice)?.index(own, opponent))
    }

    /// The legal turns with their values, best first: the sooner win, then draws, then the later
    /// loss; where they are equal, in the generator's order. Empty if the game is over.
    ///
    /// # Errors
    /// As for [`probe`](Self::probe).
    pub fn rank(&self, position: &Position) -> Result<Vec<RankedTurn>> {
        self.check_board(position)?;
        self.with_either_metric(|metric| {
            let mut turns = Vec::new();
            for turn in self.rules.turns(position) {
                let after = position.play_unchecked(&turn);
                let code = self.code(&after, metric)?.before_turn(metric);
                turns.push((turn, after, code));
            }
            Ok(ranked(turns, metric))
        })
    }

    /// Tries tables with distances, then tables without.
    fn with_either_metric<T>(&self, probe: impl Fn(Metric) -> Result<T>) -> Result<T> {
        if self.has_distances() {
            match probe(Metric::Dtw) {
                Err(TableError::Missing { .. }) => {}
                result => return result,
            }
        }
        probe(Metric::Wdl).map_err(without_metric)
    }

    /// Whether it is any use to look for distances.
    fn has_distances(&self) -> bool {
        *self.has_distances.get_or_init(|| {
            let ending = format!(".{}.{EXTENSION}", Metric::Dtw.name());
            let files = fs::read_dir(&self.dir).into_iter().flatten();
            files
                .map_while(io::Result::ok)
                .any(|file| file.file_name().to_string_lossy().ends_with(&ending))
        })
    }

    fn check_board(&self, position: &Position) -> Result<()> {
        let (expected, found) = (self.board, position.board());
        if found == expected { Ok(()) } else { Err(TableError::OtherBoard { expected, found }) }
    }

    /// The value of a position in which the side that waits has stones.
    pub(crate) fn code(&self, position: &Position, metric: Metric) -> Result<Code> {
        match self.source(position, metric)? {
            Source::Known(code) => Ok(code),
            Source::Table(file, index) => cache::value(file, index),
            Source::Captures(captures) => {
                let mut best: Option<Code> = None;
                for after in captures {
                    let code = self.code(&after, metric)?.before_turn(metric);
                    if code == Code::WIN {
                        return Ok(code);
                    }
                    best = Some(best.map_or(code, |best| best.better(code)));
                }
                Ok(best.expect("a position with a capture has a turn"))
            }
        }
    }

    /// Where the value of a position comes from in which the side that waits has stones.
    fn source(&self, position: &Position, metric: Metric) -> Result<Source<'_>> {
        let Some(slice) = Slice::of(position) else { return Ok(Source::Known(Code::LOSS)) };
        let rules = self.rules.endgame_of(position);
        if rules.vela.is_some() {
            return Err(TableError::VelaPhase1 { slice });
        }
        let index = || self.index(slice, position.own(), position.opponent());
        if self.probes_unpacked
            && let Some(file) = self.unpacked_for(&rules, slice, metric)?
        {
            return file.code(index()?).map(Source::Known);
        }
        // A packed table is for positions without a capture that must be made; those with one are
        // decided by tables of fewer stones.
        if !captures_are_stored(self.board, &rules, slice) && rules.has_capture(position) {
            let mut captures = Vec::new();
            rules.for_each_turn(position, |turn| captures.push(position.play_unchecked(turn)));
            // Those that take most lead to the smallest tables, and often win.
            captures.sort_by_key(|after| after.own().len());
            return Ok(Source::Captures(captures));
        }
        let file = self.table_for(&rules, slice, metric)?.ok_or_else(|| TableError::Missing {
            slice,
            board: self.board,
            rules,
            metric: Some(metric),
            dir: self.dir.clone(),
        })?;
        Ok(Source::Table(file, index()?))
    }

    /// Whether a table has as many values as its slice's index.
    fn check_size(&self, file: &TableFile) -> Result<()> {
        let metadata = file.metadata();
        let slice = metadata.slice;
        let values = SliceIndex::new(&self.sets, slice)?.len();
        if metadata.values == values {
            return Ok(());
        }
        Err(TableError::Corrupt {
            path: file.path().to_owned(),
            what: format!("slice {slice} has {values} values, not {}", metadata.values),
            offset: 0,
        })
    }
}

/// Where a value comes from.
enum Source<'t> {
    /// It is here.
    Known(Code),
    /// A place in a packed table.
    Table(&'t TableFile, u64),
    /// The positions after all turns, each of which captures; the other side moves in them.
    Captures(Vec<Position>),
}

/// Turns with the positions after them and what they are worth, best first; where they are equal,
/// in the order that they have.
fn ranked(mut turns: Vec<(Turn, Position, Code)>, metric: Metric) -> Vec<RankedTurn> {
    turns.sort_by_key(|(_, _, code)| -code.preference());
    let ranked = |(turn, after, code): (_, _, Code)| RankedTurn {
        turn,
        after,
        value: code.to_table_value(metric),
    };
    turns.into_iter().map(ranked).collect()
}

/// The error of a table that is missing in either metric.
fn without_metric(error: TableError) -> TableError {
    match error {
        TableError::Missing { slice, board, rules, dir, .. } => {
            TableError::Missing { slice, board, rules, dir, metric: None }
        }
        other => other,
    }
}

/// Where a slice's table is in a list of all.
#[inline]
fn place(slice: Slice, metric: Metric) -> usize {
    (usize::from(slice.own) * 32 + usize::from(slice.opponent)) * 2 + metric as usize
}

/// Opens a table and compares what it says with what it should be for; `None` if there is no such
/// file.
pub(crate) fn open_table(dir: &Path, key: &TableKey, access: Access) -> Result<Option<TableFile>> {
    let path = dir.join(key.file_name());
    let Some(file) = if_there(TableFile::open_with(&path, access))? else { return Ok(None) };
    check_key(&path, file.metadata().key(), *key)?;
    Ok(Some(file))
}

/// Opens the unpacked table beside a packed one, and compares what it says with that; `None` if
/// there is no such file.
pub(crate) fn open_unpacked(
    dir: &Path,
    packed: &TableFile,
    access: Access,
) -> Result<Option<UnpackedFile>> {
    let from = packed.metadata();
    let path = dir.join(from.key().unpacked_name());
    let Some(file) = if_there(UnpackedFile::open(&path, access))? else { return Ok(None) };
    check_key(&path, file.metadata().key(), from.key())?;
    file.check_source(packed)?;
    let (found, expected) = (file.metadata(), from);
    if (found.values, found.bits) != (expected.values, expected.bits) {
        let what = "it has not as many values, or not of the width, as the table it is from";
        return Err(TableError::Corrupt { path, what: what.to_owned(), offset: 0 });
    }
    Ok(Some(file))
}

fn check_key(path: &Path, found: TableKey, expected: TableKey) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(TableError::Other { path: path.to_owned(), found, expected })
}

/// A file that was opened; `None` if there is none.
fn if_there<T>(opened: Result<T>) -> Result<Option<T>> {
    match opened {
        Err(TableError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        file => file.map(Some),
    }
}
