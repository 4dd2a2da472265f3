//! Endgame tables.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use fanorona_knowledge::{Knowledge, KnowledgeError, Look};
use fanorona_tablebase::{Access, Metric, Slice, TableError, TablesOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::args::{BoardArg, Number, PathsArg, PositionArg, RulesArg, with_named};
use crate::arrays::Bitboards;
use crate::attributes::attributes;
use crate::blocks::Blocks;
use crate::classes::{Board, RuleSet};
use crate::enums::Named;
use crate::errors::exception;
use crate::interrupt::run_quietly;
use crate::probes::{Failures, Missing, Probes, ProbesBuilder, Ranks, RanksBuilder};
use crate::slice::SliceArg;
use crate::slice_info::{SliceInfo, statistics};
use crate::value::{Assessed, RankedTurn, TableValue};

/// The most positions that are probed together: with more, fewer blocks are decompressed twice, but
/// more is in memory.
const CHUNK: usize = 1 << 19;

/// The same for ranking, where each position has several turns, and between two looks at the stop flag.
const RANK_CHUNK: usize = 1 << 11;

/// The most entries of a block.
const MAX_BLOCK: u64 = 1 << 24;

/// The endgame tables of a board and a rule set in a directory, or in a list of directories. A table
/// that more than one has is that of the first.
///
/// Files are opened when they are needed. Several threads can use the same Tables. It is a context
/// manager that closes itself; after that, its methods raise ValueError, while blocks, solvers and
/// engines that already use it go on.
///
/// - ``cache_mib``: the size of the cache of decompressed blocks, in MiB.
/// - ``unpacked``: whether to use unpacked tables where they exist. They are faster.
/// - ``memory_map``: whether to map files into memory, which is faster. Then nobody may change the
///   files while the tables are open: the system would end the program. Building new tables in the
///   directory is allowed.
///
/// A pickle has only these arguments: unpickling opens the directory again, with a cache of its own,
/// also in another process.
///
/// Raises FileError if there is no such directory.
#[pyclass(module = "fanorona", frozen)]
#[derive(Debug)]
pub(crate) struct Tables {
    open: RwLock<Option<Arc<fanorona_tablebase::Tables>>>,
    /// At least one.
    dirs: Vec<PathBuf>,
    board: fanorona_core::Board,
    rules: fanorona_core::RuleSet,
    options: Options,
}

/// The options of [`Tables`], as they were given.
#[derive(Clone, Copy, Debug)]
struct Options {
    cache_mib: usize,
    unpacked: bool,
    memory_map: bool,
}

impl Tables {
    /// The tables, if they have not been closed.
    pub(crate) fn shared(&self) -> PyResult<Arc<fanorona_tablebase::Tables>> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or_else(|| PyValueError::new_err("the tables are closed"))
    }

    fn knowledge(&self) -> PyResult<Knowledge> {
        let known = Knowledge::new(self.board, self.rules, Some(self.shared()?), None);
        Ok(known.map_err(exception)?.with_all_turns())
    }

    /// Works on chunks of positions with the interpreter's lock released, until Ctrl-C.
    fn for_each_chunk<T: Send>(
        py: Python<'_>,
        (length, chunk): (usize, usize),
        work: impl Fn(std::ops::Range<usize>, &AtomicBool) -> PyResult<Option<T>> + Sync,
        mut add: impl FnMut(T) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        run_quietly(py, |stop: &AtomicBool| {
            for first in (0..length).step_by(chunk) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                if let Some(done) = work(first..length.min(first + chunk), stop)? {
                    add(done)?;
                }
            }
            Ok(())
        })?
    }
}

attributes! {
    of Tables, self:
    /// The directory; the first one, if there are several.
    dir: PathBuf = self.dirs[0].clone();
    /// The board.
    board: Board = Board(self.board);
    /// The rule set.
    rules: RuleSet = RuleSet(self.rules);
    /// Whether the tables have been closed.
    closed: bool = self.open.read().unwrap_or_else(PoisonError::into_inner).is_none();

    methods:
    #[new]
    #[pyo3(
        signature = (
            dir,
            board = BoardArg::TSIVY,
            rules = RulesArg::STANDARD,
            *,
            cache_mib = Number::new(64),
            unpacked = true,
            memory_map = false,
        ),
        text_signature = "(dir, board='9x5', rules='standard', *, cache_mib=64, unpacked=True, \
            memory_map=False)"
    )]
    fn new(
        dir: PathsArg,
        board: BoardArg,
        rules: RulesArg,
        cache_mib: Number<usize>,
        unpacked: bool,
        memory_map: bool,
    ) -> PyResult<Self> {
        let (board, rules) = (board.0, rules.on(board.0)?);
        let cache_mib = cache_mib.within("cache_mib", 0..=usize::MAX)?;
        let given = Options { cache_mib, unpacked, memory_map };
        let options = TablesOptions {
            access: if memory_map { mapped() } else { Access::READ },
            unpacked,
            cache_bytes: cache_mib.saturating_mul(1 << 20),
            threads: None,
        };
        let tables = fanorona_tablebase::Tables::open_dirs(&dir.0, board, rules, options);
        let open = RwLock::new(Some(Arc::new(tables.map_err(exception)?)));
        Ok(Self { open, dirs: dir.0, board, rules, options: given })
    }

    /// Closes the tables. It may be called more than once.
    fn close(&self) {
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyResult<PyRef<'_, Self>> {
        slf.shared()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    /// The value of a position, with its distance if there are tables with distances. Raises
    /// MissingTableError if there is no table for it, and DamagedFileError if it is damaged.
    fn probe(&self, py: Python<'_>, position: PositionArg) -> PyResult<TableValue> {
        let tables = self.shared()?;
        let found = py.detach(|| Ok(tables.as_in_arrays(tables.probe(&position.0)?)));
        found.map(TableValue).map_err(exception::<TableError>)
    }

    /// The value of a position, or the default if there is no table for it.
    #[pyo3(signature = (position, default = None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        position: PositionArg,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let tables = self.shared()?;
        match py.detach(|| tables.probe(&position.0)) {
            Ok(found) => {
                let found = TableValue(tables.as_in_arrays(found));
                Ok(Some(Bound::new(py, found)?.into_any()))
            }
            Err(TableError::Missing { .. }) => Ok(default),
            Err(error) => Err(exception(error)),
        }
    }

    /// The legal turns with their values for the side that makes them, best first: sooner wins, then
    /// draws, then later losses. Where the table of a turn has no distances, its distance is found
    /// from the turns that follow, if they have theirs. Raises as probe does.
    fn rank(&self, py: Python<'_>, position: PositionArg) -> PyResult<Vec<Assessed<RankedTurn>>> {
        let known = self.knowledge()?;
        let ranked = py.detach(|| known.look(&position.0).and_then(|look| valued(&known, look)));
        let ranked = ranked.map_err(exception)?.into_iter();
        Ok(ranked.map(|ranked| RankedTurn::new(position.0, self.rules, ranked)).collect())
    }

    /// The values of many positions, given as two arrays or lists of integers of the same length: the
    /// stones of the side to move, and those of its opponent. All processors share the work, which is
    /// about half that of a loop of probes: on two, 0.8 µs a position instead of 2.7, for half a million
    /// random ones of 5v3 in packed tables (AMD EPYC, 2026-11-27, nothing else running). With some
    /// hundred positions or fewer, it is that of a loop.
    ///
    /// Raises PositionError with the index of a position that is none. ``missing="mark"`` marks
    /// positions without a table with the value -128 instead of raising MissingTableError.
    #[pyo3(signature = (own, opponent, *, missing = "raise"))]
    fn probe_many(
        &self,
        py: Python<'_>,
        own: &Bound<'_, PyAny>,
        opponent: &Bound<'_, PyAny>,
        missing: &str,
    ) -> PyResult<Probes> {
        let (tables, missing) = (self.shared()?, Missing::new(missing)?);
        let sets = Bitboards::new(own, opponent)?;
        let mut found = ProbesBuilder::default();
        let probe = |range, stop: &_| {
            let positions = self.positions(&sets, range)?;
            let failures = Failures::new(missing);
            let values = tables.probe_many_as(&positions, stop, |at, found| {
                failures.take(at, found.map(|found| tables.as_in_arrays(found)))
            });
            failures.first().map_or(Ok(values), Err)
        };
        Self::for_each_chunk(py, (sets.len(), CHUNK), probe, |values| {
            found.add(values);
            Ok(())
        })?;
        Ok(found.finish(py))
    }

    /// The legal turns of many positions with their values, given as for probe_many. Raises as that
    /// does.
    #[pyo3(signature = (own, opponent, *, missing = "raise"))]
    fn rank_many(
        &self,
        py: Python<'_>,
        own: &Bound<'_, PyAny>,
        opponent: &Bound<'_, PyAny>,
        missing: &str,
    ) -> PyResult<Ranks> {
        let (known, missing) = (self.knowledge()?, Missing::new(missing)?);
        let sets = Bitboards::new(own, opponent)?;
        let mut found = RanksBuilder::default();
        let rank = |range, _: &_| {
            let positions = self.positions(&sets, range)?;
            let looks = known.look_many(&positions);
            let looks = looks.map(|look| look.and_then(|look| valued(&known, look)));
            Ok(Some(looks.collect::<Vec<_>>()))
        };
        Self::for_each_chunk(py, (sets.len(), RANK_CHUNK), rank, |results| {
            found.add(results, missing)
        })?;
        Ok(found.finish(py))
    }

    /// Information about each table, smaller slices first.
    fn slices(&self, py: Python<'_>) -> PyResult<Vec<SliceInfo>> {
        let tables = self.shared()?;
        let all = py.detach(|| {
            let all = tables.all()?.into_iter();
            Ok(all.map(|file| SliceInfo::new(file, &self.rules)).collect())
        });
        all.map_err(exception::<TableError>)
    }

    /// The counts of every table as a dict of arrays with one row a table, which
    /// ``pandas.DataFrame`` and ``polars.DataFrame`` take. Counts are over all placements of the
    /// stones.
    ///
    /// ``max_win`` and ``max_loss`` are -1 if there is none, and ``zugzwangs`` is -1 in tables
    /// of an old format, which do not count them.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        statistics(py, &self.slices(py)?)
    }

    /// All positions of a slice with their values, as an iterator over blocks of up to ``size``
    /// entries. Positions that a symmetry of the board maps to each other are one entry, or a few.
    /// The metric is the one with distances if there is such a table.
    ///
    /// Reading unpacked tables is several times faster.
    #[pyo3(
        signature = (slice, metric = None, *, size = Number::new(1 << 18)),
        text_signature = "($self, slice, metric=None, *, size=262144)"
    )]
    fn blocks(
        &self,
        py: Python<'_>,
        slice: SliceArg,
        metric: Option<Named<Metric>>,
        size: Number<u64>,
    ) -> PyResult<Blocks> {
        let size = size.within("size", 1..=MAX_BLOCK)?;
        let (tables, slice) = (self.shared()?, slice.0);
        let metrics = match metric {
            Some(metric) => vec![metric.0],
            None => vec![Metric::Dtw, Metric::Wdl],
        };
        let found = py.detach(|| {
            for &metric in &metrics {
                if let Some(file) = tables.table(slice, metric)? {
                    return Ok(Some((metric, file.metadata().values)));
                }
            }
            Ok(None)
        });
        let Some((metric, entries)) = found.map_err(exception::<TableError>)? else {
            return Err(exception(tables.missing(&self.rules, slice, metric.map(|it| it.0))));
        };
        Ok(Blocks::new(tables, slice, metric, size, entries))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.shared()?;
        let Options { cache_mib, unpacked, memory_map } = self.options;
        let named = PyDict::new(py);
        named.set_item("cache_mib", cache_mib)?;
        named.set_item("unpacked", unpacked)?;
        named.set_item("memory_map", memory_map)?;
        let class = with_named(py.get_type::<Self>(), &named)?;
        (class, (&self.dirs, self.board(), self.rules())).into_pyobject(py)
    }

    fn __repr__(&self) -> String {
        let closed = if self.closed() { ", closed" } else { "" };
        format!("<Tables of {} under {} in {}{closed}>", self.board, self.rules, self.places())
    }
}

impl Tables {
    /// The directories, for people.
    fn places(&self) -> String {
        let names: Vec<_> = self.dirs.iter().map(|dir| dir.display().to_string()).collect();
        names.join(" or ")
    }

    /// Positions of a range of bitboards. These do not know colours, so those that can be in the first
    /// phase of the vela are an error.
    fn positions(
        &self,
        sets: &Bitboards,
        range: std::ops::Range<usize>,
    ) -> PyResult<Vec<fanorona_core::Position>> {
        let positions = sets.positions(self.board, range)?;
        let matter = |slice: &Slice| {
            self.rules.colours_matter(self.board, slice.own.into(), slice.opponent.into())
        };
        match positions.iter().filter_map(Slice::of).find(matter) {
            Some(slice) => Err(exception(TableError::ColoursMatter { slice })),
            None => Ok(positions),
        }
    }
}

/// The turns of a position, each of which must have a value.
fn valued(
    known: &Knowledge,
    look: Look,
) -> Result<Vec<fanorona_knowledge::RankedTurn>, KnowledgeError> {
    let turns = look.turns.unwrap_or_default();
    known.check_values(&turns).map(|()| turns)
}

/// Access by mapping.
#[expect(unsafe_code, reason = "the caller promises that mapped files do not change")]
fn mapped() -> Access {
    // SAFETY: `memory_map` of `Tables` is False unless the caller sets it, and its documentation says
    // that nobody may change the files then.
    unsafe { Access::map() }
}
