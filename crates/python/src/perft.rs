//! Counting: perft and suites.

use std::sync::mpsc::Sender;

use fanorona_perft::{Counting, LevelOptions, ParallelPerft, parallel_perft, suite};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::args::{Number, PathArg, PositionArg, RulesArg, read_text};
use crate::classes::{Position, RuleSet, Turn};
use crate::enums::Named;
use crate::errors::{Exception, exception};
use crate::interrupt::{Threads, passed_to, run, run_quietly};

/// Counts the nodes ``depth`` plies below a position. The count at depth 0 is 1.
///
/// ``count`` says what counts: ``"turns"`` complete turns, ``"positions"`` turns to different
/// positions, ``"steps"`` single steps, and ``"unique"`` distinct positions of the whole level.
/// ``threads`` is the number of threads; one for each processor if it is None. Ctrl-C stops it.
///
/// >>> perft(Position(), 5)
/// 431852
#[pyfunction]
#[pyo3(
    signature = (
        position,
        depth,
        rules = RulesArg::STANDARD,
        *,
        count = Named(Counting::Turns),
        threads = None,
    ),
    text_signature = "(position, depth, rules='standard', *, count='turns', threads=None)"
)]
pub(crate) fn perft(
    py: Python<'_>,
    position: PositionArg,
    depth: Number<u8>,
    rules: RulesArg,
    count: Named<Counting>,
    threads: Option<Number<usize>>,
) -> PyResult<u128> {
    let (rules, threads) = (rules.on(position.0.board())?, Threads::new(threads)?);
    let depth = depth.within("depth", 0..=u8::MAX)?;
    let found = run_quietly(py, |stop| {
        threads.install(|| parallel_perft(&rules, &position.0, depth, count.0, stop))
    })?;
    let found = found.map_err(|error| Exception::File.of(&error))?;
    found.ok_or_else(stopped)
}

/// The counts below each first turn, as a list of turns and counts. With ``count="steps"`` they are
/// counts below each first step. Empty at depth 0. The arguments are those of perft.
///
/// >>> [(turn.text, nodes) for turn, nodes in divide(Position(), 3)]
/// [('d2-e3A', 127), ('e2-e3A', 30), ('f2-e3A', 77), ('d3-e3A', 54), ('d3-e3W', 436)]
#[pyfunction]
#[pyo3(
    signature = (
        position,
        depth,
        rules = RulesArg::STANDARD,
        *,
        count = Named(Counting::Turns),
        threads = None,
    ),
    text_signature = "(position, depth, rules='standard', *, count='turns', threads=None)"
)]
pub(crate) fn divide(
    py: Python<'_>,
    position: PositionArg,
    depth: Number<u8>,
    rules: RulesArg,
    count: Named<Counting>,
    threads: Option<Number<usize>>,
) -> PyResult<Vec<(Turn, u128)>> {
    let (rules, threads) = (rules.on(position.0.board())?, Threads::new(threads)?);
    let depth = depth.within("depth", 0..=u8::MAX)?;
    let position = position.0;
    let lines = run_quietly(py, |stop| {
        threads.install(|| ParallelPerft::new(&rules, count.0, stop).divide(&position, depth))
    })?;
    let line =
        |line: fanorona_perft::DivideLine| (Turn { turn: line.turn, position, rules }, line.nodes);
    Ok(lines.ok_or_else(stopped)?.into_iter().map(line).collect())
}

/// The error of a count that has ended early. The exception of a signal replaces it.
fn stopped() -> PyErr {
    PyRuntimeError::new_err("stopped")
}

/// A count that differs from that of a suite.
#[pyclass(module = "fanorona", frozen, get_all)]
#[derive(Clone, FromPyObject, Debug)]
pub(crate) struct Mismatch {
    /// The name of the entry.
    id: String,
    /// The position.
    position: Position,
    /// The rule set.
    rules: RuleSet,
    /// The kind of nodes that are counted.
    count: Named<Counting>,
    /// The depth.
    depth: u8,
    /// The count of the suite.
    expected: u128,
    /// The count that was found.
    found: u128,
}

#[pymethods]
impl Mismatch {
    fn __repr__(&self) -> String {
        let Self { id, depth, expected, found, .. } = self;
        format!("<Mismatch {id} at depth {depth}: found {found}, expected {expected}>")
    }
}

/// The result of check_suite.
#[pyclass(module = "fanorona", frozen, get_all)]
#[derive(FromPyObject, Debug)]
pub(crate) struct SuiteReport {
    /// The number of counts that were compared.
    checked: usize,
    /// The number of counts above max_nodes, which were not.
    skipped: usize,
    /// The counts that differ.
    mismatches: Vec<Mismatch>,
}

#[pymethods]
impl SuiteReport {
    /// Whether no count differs.
    #[getter]
    fn ok(&self) -> bool {
        self.mismatches.is_empty()
    }

    fn __repr__(&self) -> String {
        let Self { checked, skipped, mismatches } = self;
        format!("<SuiteReport: {checked} checked, {skipped} skipped, {} differ>", mismatches.len())
    }
}

/// Checks the counts of a perft suite, a file of positions and their counts. Counts above
/// ``max_nodes`` are skipped. ``threads`` is the number of threads; one for each processor if it is
/// None. ``progress`` is called with the name of each entry before one of its counts. Ctrl-C stops
/// it. Raises SuiteError if the file is not a suite.
#[pyfunction]
#[pyo3(signature = (path, max_nodes = None, *, threads = None, progress = None))]
pub(crate) fn check_suite(
    py: Python<'_>,
    path: PathArg,
    max_nodes: Option<Number<u128>>,
    threads: Option<Number<usize>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<SuiteReport> {
    let max_nodes = Number::optional(max_nodes, "max_nodes", 0..=u128::MAX)?;
    let threads = Threads::new(threads)?;
    let text = py.detach(|| read_text(&path.0, Exception::Suite))?;
    let entries = suite::parse(&text).map_err(exception)?;
    let levels = LevelOptions::default();
    let work = |stop: &_, events: &Sender<String>| {
        let report = |entry: &suite::Entry| {
            // Nobody receives it if the waiting thread has gone.
            let _ = events.send(entry.id.clone());
        };
        threads.install(|| suite::check(&entries, max_nodes, &levels, stop, report))
    };
    let report = run(py, work, passed_to(progress.as_ref()))?;
    let report = report.map_err(|error| Exception::File.of(&error))?;
    let mismatch = |mismatch: &suite::Mismatch<'_>| Mismatch {
        id: mismatch.entry.id.clone(),
        position: Position(mismatch.entry.position),
        rules: RuleSet(mismatch.entry.rules),
        count: Named(mismatch.entry.counting),
        depth: mismatch.depth,
        expected: mismatch.expected,
        found: mismatch.found,
    };
    let mismatches = report.mismatches.iter().map(mismatch).collect();
    Ok(SuiteReport { checked: report.checked, skipped: report.skipped, mismatches })
}
