//! Building tables.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fanorona_builder::{Activity, BuildOptions, CheckpointEvent, SliceEstimate, UnpackOptions};
use fanorona_tablebase::{Goal, Metric, Selection, TableFile, Unit};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;

use crate::args::{BoardArg, Number, PathArg, RulesArg};
use crate::attributes::attributes;
use crate::enums::Named;
use crate::errors::exception;
use crate::interrupt::{Threads, run};
use crate::slice::SliceArg;
use crate::slice_info::SliceInfo;

/// The goal of a build: a number of stones, or a slice.
#[derive(Clone, Copy)]
pub(crate) struct GoalArg(Goal);

impl FromPyObject<'_, '_> for GoalArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyInt>() {
            return match object.extract::<u32>() {
                Ok(stones) => Ok(Self(Goal::Stones(stones))),
                Err(_) => Err(PyValueError::new_err("the number of stones is out of range")),
            };
        }
        match object.extract::<SliceArg>() {
            Ok(slice) => Ok(Self(Goal::Slice(slice.0))),
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => {
                let message = "expected a number of stones or a slice, such as 4 or '3v2'";
                Err(PyTypeError::new_err(message))
            }
            Err(error) => Err(error),
        }
    }
}

/// The options of a build that both functions have.
fn options(
    dir: PathArg,
    goal: GoalArg,
    (board, rules): (BoardArg, RulesArg),
    metric: Named<Metric>,
    memory: Option<Number<u64>>,
) -> PyResult<BuildOptions> {
    let rules = rules.on(board.0)?;
    let memory = Number::optional(memory, "memory", 0..=u64::MAX)?;
    let options = BuildOptions::new(dir.0, board.0, rules, goal.0);
    Ok(options.with_metric(metric.0).with_memory(memory))
}

/// The needs of a build, as far as they are known before it starts.
#[pyclass(module = "fanorona", frozen)]
#[derive(Debug)]
pub(crate) struct Estimate(fanorona_builder::Estimate);

attributes! {
    of Estimate, self:
    /// The slices that the build covers, in the order in which they are solved.
    slices: Vec<String> = names(self.0.slices.iter());
    /// Of them, the slices whose tables do not exist yet.
    missing: Vec<String> = names(self.0.slices.iter().filter(|slice| !slice.there));
    /// The number of positions of all slices, without symmetry.
    positions: u64 = self.0.slices.iter().map(|slice| slice.positions).fold(0, u64::saturating_add);
    /// Memory in bytes that the build takes of the available memory, or the least that it needs.
    memory: u64 = self.0.memory;
    /// The least memory in bytes with which the build works. It then takes longer.
    least_memory: u64 = self.0.least_memory;
    /// The memory in bytes with which the build is fastest. More is of no use.
    most_memory: u64 = self.0.most_memory;
    /// The memory in bytes that is available now; None if the system does not say it.
    memory_available: Option<u64> = self.0.memory_available;
    /// Disk space in bytes for the missing tables.
    disk: u64 = self.0.disk;
    /// Disk space in bytes for checkpoints during the build.
    checkpoints: u64 = self.0.checkpoints;
    /// The disk space in bytes that is available now; None if the system does not say it.
    disk_available: Option<u64> = self.0.disk_available;
    /// Disk space in bytes for temporary files during the build.
    work: u64 = self.0.work;
    /// The disk space in bytes that is available for temporary files; None if the system does not
    /// say it.
    work_available: Option<u64> = self.0.work_available;
    /// Seconds of time, roughly.
    seconds: f64 = self.0.seconds;
    /// How slices are solved: ``rows``, ``dense`` or ``plain``. The tables are the same.
    method: &'static str = self.0.method.name();

    methods:
    fn __repr__(&self) -> String {
        let fanorona_builder::Estimate { goal, memory, disk, seconds, .. } = &self.0;
        format!(
            "<Estimate of {goal}: {} MiB of memory, {} MiB on disk, {seconds:.0} s>",
            memory.div_ceil(1 << 20),
            disk.div_ceil(1 << 20)
        )
    }
}

fn names<'a>(slices: impl Iterator<Item = &'a SliceEstimate>) -> Vec<String> {
    slices.map(|slice| slice.slice.counts().to_string()).collect()
}

/// Says what a build would need. Nothing is written. ``memory`` is the most memory in bytes, as for
/// build; all that is available if it is None.
///
/// >>> estimate("tables", 7, metric="wdl").positions
/// 6261651660
/// >>> estimate("tables", 7, metric="wdl").method
/// 'rows'
#[pyfunction]
#[pyo3(
    signature = (
        dir,
        goal,
        board = BoardArg::TSIVY,
        rules = RulesArg::STANDARD,
        *,
        metric = Named(Metric::Dtw),
        memory = None,
    ),
    text_signature = "(dir, goal, board='9x5', rules='standard', *, metric='dtw', memory=None)"
)]
pub(crate) fn estimate(
    py: Python<'_>,
    dir: PathArg,
    goal: GoalArg,
    board: BoardArg,
    rules: RulesArg,
    metric: Named<Metric>,
    memory: Option<Number<u64>>,
) -> PyResult<Estimate> {
    let options = options(dir, goal, (board, rules), metric, memory)?;
    let found = py.detach(|| fanorona_builder::estimate(&options));
    found.map(Estimate).map_err(exception)
}

/// The progress of a build: what is being done now.
#[pyclass(module = "fanorona", frozen, get_all)]
#[derive(Clone, FromPyObject, Debug)]
pub(crate) struct Progress {
    /// The slice and its swapped slice, which are solved together, as in ``3v2+2v3``.
    unit: String,
    /// The work that is done now: ``load``, ``captures``, ``round 3``, ``write``, or ``finished``,
    /// when a table is complete.
    phase: String,
    /// The entries that this phase has done.
    done: u64,
    /// The entries that this phase will do.
    entries: u64,
    /// A message about a checkpoint; None if there is none.
    message: Option<String>,
}

#[pymethods]
impl Progress {
    fn __repr__(&self) -> String {
        let Self { unit, phase, done, entries, .. } = self;
        match &self.message {
            Some(message) => format!("<Progress {unit}: {message}>"),
            None => format!("<Progress {unit}: {phase}, {done} of {entries}>"),
        }
    }
}

/// Sends the progress of a build to the thread that waits for it.
struct Reporter<'a> {
    events: &'a Sender<Progress>,
    now: Arc<Mutex<Option<Progress>>>,
}

impl Reporter<'_> {
    fn send(&self, now: Progress) {
        // Nobody receives it if the waiting thread has gone.
        let _ = self.events.send(now);
    }
}

impl fanorona_builder::Progress for Reporter<'_> {
    fn begin(&self, unit: Unit, activity: Activity, entries: u64) {
        let (unit, phase) = (unit.to_string(), activity.to_string());
        let now = Progress { unit, phase, done: 0, entries, message: None };
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Some(now.clone());
        self.send(now);
    }

    fn advance(&self, entries: u64) {
        if let Some(now) = &mut *self.now.lock().unwrap_or_else(PoisonError::into_inner) {
            now.done += entries;
        }
    }

    fn checkpoint(&self, unit: Unit, event: &CheckpointEvent) {
        let (unit, phase) = (unit.to_string(), "checkpoint".to_owned());
        self.send(Progress { unit, phase, done: 0, entries: 0, message: Some(event.to_string()) });
    }

    fn finished(&self, table: &TableFile, _written: bool) {
        let (unit, phase) = (table.metadata().slice.counts().to_string(), "finished".to_owned());
        let entries = table.metadata().values;
        self.send(Progress { unit, phase, done: entries, entries, message: None });
    }
}

/// Does work that reports progress, and calls back with it.
fn with_progress<T: Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(
        &dyn fanorona_builder::Progress,
        &std::sync::atomic::AtomicBool,
    ) -> fanorona_tablebase::Result<T>
    + Send,
) -> PyResult<T> {
    let now = Arc::new(Mutex::new(None));
    let shared = now.clone();
    let work = move |stop: &_, events: &Sender<Progress>| {
        let reporter = Reporter { events, now: shared };
        work(&reporter, stop)
    };
    let done = run(py, work, |py, event| {
        let Some(callback) = &callback else { return Ok(()) };
        let now = match event {
            Some(event) => Some(event),
            None => now.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        };
        match now {
            Some(now) => callback.call1(py, (now,)).map(drop),
            None => Ok(()),
        }
    })?;
    done.map_err(exception)
}

/// The result of a build: the tables of its goal, and how many of them it has written.
#[pyclass(module = "fanorona", frozen, get_all)]
#[derive(Debug)]
pub(crate) struct BuildReport {
    /// The tables of the goal, smaller ones first.
    tables: Vec<SliceInfo>,
    /// The number of tables that were written.
    written: usize,
    /// Messages about checkpoints that could not be written. The tables are complete.
    unsaved_checkpoints: Vec<String>,
}

#[pymethods]
impl BuildReport {
    fn __repr__(&self) -> String {
        format!("<BuildReport: {} tables, {} written>", self.tables.len(), self.written)
    }
}

/// Builds the missing tables of a directory: all slices up to a number of stones of both sides, or
/// one slice and all that play can lead to.
///
/// - ``metric``: ``"dtw"`` with distances to win, or ``"wdl"``, which is smaller and faster.
/// - ``memory``: the most memory in bytes; all that is available if it is None.
/// - ``checkpoint``: the seconds between two checkpoints of a slice; None for no checkpoints.
/// - ``threads``: the number of threads; one for each processor if it is None.
/// - ``progress``: a function that is called with a Progress when something begins, and about every
///   50 milliseconds. An exception that it raises stops the build.
///
/// Ctrl-C stops the build with KeyboardInterrupt. What has been built stays, and a checkpoint of the
/// current slice is saved; the next build continues there.
///
/// Raises OutOfMemoryError or OutOfDiskError before any work if there is too little, and BusyError if
/// another build is running in the directory.
///
/// >>> import tempfile
/// >>> with tempfile.TemporaryDirectory() as dir:
/// ...     report = build(dir, 3, "3x3")
/// >>> report.written, [table.slice for table in report.tables]
/// (3, ['1v1', '2v1', '1v2'])
#[pyfunction]
#[pyo3(
    signature = (
        dir,
        goal,
        board = BoardArg::TSIVY,
        rules = RulesArg::STANDARD,
        *,
        metric = Named(Metric::Dtw),
        memory = None,
        checkpoint = Some(BuildOptions::CHECKPOINT.as_secs_f64()),
        threads = None,
        progress = None,
    ),
    text_signature = "(dir, goal, board='9x5', rules='standard', *, metric='dtw', memory=None, \
        checkpoint=180.0, threads=None, progress=None)"
)]
#[expect(clippy::too_many_arguments, reason = "in Python most of them are named and optional")]
pub(crate) fn build(
    py: Python<'_>,
    dir: PathArg,
    goal: GoalArg,
    board: BoardArg,
    rules: RulesArg,
    metric: Named<Metric>,
    memory: Option<Number<u64>>,
    checkpoint: Option<f64>,
    threads: Option<Number<usize>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<BuildReport> {
    let options = options(dir, goal, (board, rules), metric, memory)?;
    let checkpoint = checkpoint.map(|seconds| duration("checkpoint", seconds)).transpose()?;
    let (options, threads) = (options.with_checkpoint(checkpoint), Threads::new(threads)?);
    let game = options.rules;
    let report = with_progress(py, progress, |progress, stop| {
        threads.install(|| fanorona_builder::build(&options, progress, stop))
    })?;
    let unsaved = report.unsaved_checkpoints.into_iter();
    let unsaved = unsaved.map(|event| event.to_string());
    Ok(BuildReport {
        tables: report.tables.iter().map(|file| SliceInfo::new(file, &game)).collect(),
        written: report.written,
        unsaved_checkpoints: unsaved.collect(),
    })
}

/// Makes unpacked tables, which are larger and faster, from the packed ones in a directory: of all
/// slices up to a number of stones, or of all tables if it is None; of one metric, or of both.
/// Returns the number of tables that were written.
///
/// ``threads`` is the number of threads; one for each processor if it is None. ``progress`` is
/// called as by build. Ctrl-C stops it.
#[pyfunction]
#[pyo3(
    signature = (
        dir,
        board = BoardArg::TSIVY,
        rules = RulesArg::STANDARD,
        *,
        stones = None,
        metric = None,
        threads = None,
        progress = None,
    ),
    text_signature = "(dir, board='9x5', rules='standard', *, stones=None, metric=None, \
        threads=None, progress=None)"
)]
#[expect(clippy::too_many_arguments, reason = "in Python most of them are named and optional")]
pub(crate) fn unpack(
    py: Python<'_>,
    dir: PathArg,
    board: BoardArg,
    rules: RulesArg,
    stones: Option<Number<u32>>,
    metric: Option<Named<Metric>>,
    threads: Option<Number<usize>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<usize> {
    let stones = Number::optional(stones, "stones", 0..=u32::MAX)?;
    let options = UnpackOptions::new(dir.0, board.0, rules.on(board.0)?);
    let options = options
        .with_selection(Selection { stones, ..Selection::all() })
        .with_metric(metric.map(|metric| metric.0));
    let threads = Threads::new(threads)?;
    let report = with_progress(py, progress, |progress, stop| {
        threads.install(|| fanorona_builder::unpack(&options, progress, stop))
    })?;
    Ok(report.written)
}

/// A number of seconds that an argument gives.
pub(crate) fn duration(name: &str, seconds: f64) -> PyResult<Duration> {
    /// Three decades, as in the program. Clocks can count on from there.
    const MOST: f64 = 1e9;
    if (0.0..=MOST).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    let message = format!("{name} is a number of seconds from 0 to {MOST}, not {seconds}");
    Err(PyValueError::new_err(message))
}
